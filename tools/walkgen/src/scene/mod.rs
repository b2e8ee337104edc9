//! What is rendered: flat surfaces with a texture and baked light, grouped by room, and the objects they
//! belong to.

pub(crate) mod light;
pub(crate) mod texture;

use crate::math::{Block, Vec3};
use texture::Texture;

/// Light that falls on a surface, on a grid over its own coordinates.
#[derive(Debug, Clone, Default)]
pub(crate) struct LightMap {
    /// Where it starts, in the surface's coordinates.
    pub(crate) start: (f32, f32),
    /// Points along and across; at least 2 each once it is baked.
    pub(crate) size: (usize, usize),
    /// Distance of two points along and across, in metres.
    pub(crate) step: (f32, f32),
    /// Red, green and blue at each point, as the square root of the light (see `raster`).
    pub(crate) points: Vec<[f32; 3]>,
}

/// A linear function of the place: `axis · place + offset`, in metres.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Coordinate {
    /// Which way it grows.
    pub(crate) axis: Vec3,
    /// What makes it 0 at the surface's corner.
    pub(crate) offset: f32,
}

impl Coordinate {
    /// Grows along `axis` from 0 at `origin`.
    pub(crate) fn along(axis: Vec3, origin: Vec3) -> Self {
        Self { axis, offset: -axis.dot(origin) }
    }

    /// Its value at a place.
    pub(crate) fn at(&self, place: Vec3) -> f32 {
        self.axis.dot(place) + self.offset
    }
}

/// A flat convex piece of something.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    /// Its corners, in order around it.
    pub(crate) corners: Vec<Vec3>,
    /// The side that is seen.
    pub(crate) normal: Vec3,
    /// Along, to the right.
    pub(crate) u: Coordinate,
    /// Across, downwards.
    pub(crate) v: Coordinate,
    /// Index of its texture.
    pub(crate) texture: usize,
    /// How strongly it shines by itself; then light that falls on it does not matter.
    pub(crate) glow: Option<f32>,
    /// What falls on it.
    pub(crate) light: LightMap,
    /// Index of the object it belongs to.
    pub(crate) object: u16,
}

impl Surface {
    /// Middle of its corners.
    pub(crate) fn centre(&self) -> Vec3 {
        self.corners.iter().fold(Vec3::default(), |sum, &c| sum + c) * (1.0 / self.corners.len() as f32)
    }
}

/// A line of words on an object.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// The words.
    pub(crate) text: String,
    /// Its corners in the world: upper left, upper right, lower right, lower left.
    pub(crate) corners: [Vec3; 4],
}

/// Something that has a name: a chair, a sign, the shell of a room.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    /// What it is, for example `chair`; walls, floor and ceiling of a room are one `shell`.
    pub(crate) category: String,
    /// The room it is in.
    pub(crate) room: usize,
    /// SpokenSentence on it.
    pub(crate) lines: Vec<Line>,
    /// Corners of its surfaces, for its outline.
    pub(crate) outline: Vec<Vec3>,
}

/// A way to look into another room.
#[derive(Debug, Clone)]
pub(crate) struct Portal {
    /// The other room.
    pub(crate) to: usize,
    /// The doorway's corners, in the middle of the wall.
    pub(crate) corners: [Vec3; 4],
}

/// A lamp or a window, as light.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Light {
    /// Its middle.
    pub(crate) place: Vec3,
    /// Half of its extent, along two directions.
    pub(crate) half: (Vec3, Vec3),
    /// Red, green and blue power.
    pub(crate) power: [f32; 3],
    /// Where it shines, of a window or a spot; a lamp shines everywhere.
    pub(crate) facing: Option<Vec3>,
}

/// One room of the scene.
#[derive(Debug, Clone, Default)]
pub(crate) struct SceneRoom {
    /// Everything in it.
    pub(crate) surfaces: Vec<Surface>,
    /// What casts shadows.
    pub(crate) blocks: Vec<Block>,
    /// What gives light.
    pub(crate) lights: Vec<Light>,
    /// Light from everywhere.
    pub(crate) ambient: f32,
    /// Its doorways.
    pub(crate) portals: Vec<Portal>,
}

/// Everything.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    /// By room of the plan.
    pub(crate) rooms: Vec<SceneRoom>,
    /// By index.
    pub(crate) textures: Vec<Texture>,
    /// By index; 0 is nothing.
    pub(crate) objects: Vec<Object>,
}

impl Scene {
    /// Adds a texture and says where it is.
    pub(crate) fn add_texture(&mut self, texture: Texture) -> usize {
        self.textures.push(texture);
        self.textures.len() - 1
    }

    /// Adds an object and says which it is.
    pub(crate) fn add_object(&mut self, category: &str, room: usize) -> u16 {
        let object = Object { category: category.to_owned(), room, lines: Vec::new(), outline: Vec::new() };
        self.objects.push(object);
        u16::try_from(self.objects.len() - 1).unwrap_or(u16::MAX)
    }

    /// Fills in the outlines of objects, once all surfaces are there.
    pub(crate) fn outline_objects(&mut self) {
        for surface in self.rooms.iter().flat_map(|room| &room.surfaces) {
            self.objects[usize::from(surface.object)].outline.extend(&surface.corners);
        }
    }
}
