//! The scene to render: flat surfaces with a texture and baked light, by room, and their objects.

pub(crate) mod light;
pub(crate) mod texture;

use crate::math::{Block, Vec3};
use texture::Texture;

/// Light on a surface, on a grid over the surface's coordinates.
#[derive(Debug, Clone, Default)]
pub(crate) struct LightMap {
    /// Coordinates of the first point.
    pub(crate) start: (f32, f32),
    /// Number of points along and across; at least 2 each once the light is baked.
    pub(crate) size: (usize, usize),
    /// Distance between points along and across, in metres.
    pub(crate) step: (f32, f32),
    /// Red, green and blue at each point, as the square root of the light (see `render::raster`).
    pub(crate) points: Vec<[f32; 3]>,
}

/// A linear function of the position: `axis · position + offset`, in metres.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Coordinate {
    /// Direction in which it grows.
    pub(crate) axis: Vec3,
    /// Offset that makes it 0 at the surface's corner.
    pub(crate) offset: f32,
}

impl Coordinate {
    /// Returns the coordinate that is 0 at `origin` and grows along `axis`.
    pub(crate) fn along(axis: Vec3, origin: Vec3) -> Self {
        Self { axis, offset: -axis.dot(origin) }
    }

    /// Returns its value at a position.
    pub(crate) fn at(&self, place: Vec3) -> f32 {
        self.axis.dot(place) + self.offset
    }
}

/// A flat, convex surface.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    /// Corners, in order.
    pub(crate) corners: Vec<Vec3>,
    /// Normal of the visible side.
    pub(crate) normal: Vec3,
    /// Texture coordinate to the right.
    pub(crate) u: Coordinate,
    /// Texture coordinate downwards.
    pub(crate) v: Coordinate,
    /// Index of the texture.
    pub(crate) texture: usize,
    /// Strength of its own light, if it glows. Other light has no effect then.
    pub(crate) glow: Option<f32>,
    /// Baked light.
    pub(crate) light: LightMap,
    /// Index of its object.
    pub(crate) object: u16,
}

impl Surface {
    /// Returns the mean of its corners.
    pub(crate) fn centre(&self) -> Vec3 {
        self.corners.iter().fold(Vec3::default(), |sum, &c| sum + c) * (1.0 / self.corners.len() as f32)
    }
}

/// A line of text on an object.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// Words of the line.
    pub(crate) text: String,
    /// Corners in world coordinates: upper left, upper right, lower right, lower left.
    pub(crate) corners: [Vec3; 4],
}

/// An object: a chair, a sign, the shell of a room.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    /// Category, for example `chair`. The walls, floor and ceiling of a room are one `shell`.
    pub(crate) category: String,
    /// Room that it is in.
    pub(crate) room: usize,
    /// Lines of text on it.
    pub(crate) lines: Vec<Line>,
    /// Corners of its surfaces, for its outline.
    pub(crate) outline: Vec<Vec3>,
}

/// A doorway, through which another room is visible.
#[derive(Debug, Clone)]
pub(crate) struct Portal {
    /// The other room.
    pub(crate) to: usize,
    /// Corners of the doorway, in the middle of the wall.
    pub(crate) corners: [Vec3; 4],
}

/// The light of a lamp or window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Light {
    /// Centre of the light.
    pub(crate) place: Vec3,
    /// Half of its extent in two directions.
    pub(crate) half: (Vec3, Vec3),
    /// Red, green and blue power.
    pub(crate) power: [f32; 3],
    /// Direction of a window's or spot's light. `None` for a lamp, which shines everywhere.
    pub(crate) facing: Option<Vec3>,
}

/// One room of the scene.
#[derive(Debug, Clone, Default)]
pub(crate) struct SceneRoom {
    /// Surfaces of everything in the room.
    pub(crate) surfaces: Vec<Surface>,
    /// Boxes that cast shadows.
    pub(crate) blocks: Vec<Block>,
    /// Lamps and windows.
    pub(crate) lights: Vec<Light>,
    /// Strength of the ambient light.
    pub(crate) ambient: f32,
    /// Doorways.
    pub(crate) portals: Vec<Portal>,
}

/// A scene.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    /// Rooms, in the order of the floor plan.
    pub(crate) rooms: Vec<SceneRoom>,
    /// Textures; surfaces refer to them by index.
    pub(crate) textures: Vec<Texture>,
    /// Objects; surfaces refer to them by index. Index 0 stands for no object.
    pub(crate) objects: Vec<Object>,
}

impl Scene {
    /// Adds a texture and returns its index.
    pub(crate) fn add_texture(&mut self, texture: Texture) -> usize {
        self.textures.push(texture);
        self.textures.len() - 1
    }

    /// Adds an object and returns its index.
    pub(crate) fn add_object(&mut self, category: &str, room: usize) -> u16 {
        let object = Object { category: category.to_owned(), room, lines: Vec::new(), outline: Vec::new() };
        self.objects.push(object);
        u16::try_from(self.objects.len() - 1).unwrap_or(u16::MAX)
    }

    /// Computes the outlines of the objects. Call it after all surfaces are added.
    pub(crate) fn outline_objects(&mut self) {
        for surface in self.rooms.iter().flat_map(|room| &room.surfaces) {
            self.objects[usize::from(surface.object)].outline.extend(&surface.corners);
        }
    }
}
