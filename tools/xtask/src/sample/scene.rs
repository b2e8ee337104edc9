//! What is rendered: flat surfaces with a texture and baked light, grouped by room, and the things they
//! belong to.

use super::{
    math::{Block, Vec3},
    signs::Line,
    texture::Texture,
};

/// Light that falls on a surface, on a grid over its own coordinates.
#[derive(Debug, Clone, Default)]
pub(super) struct LightMap {
    /// Where it starts, in the surface's coordinates.
    pub(super) start: (f32, f32),
    /// Points along and across; at least 2 each once it is baked.
    pub(super) size: (usize, usize),
    /// Distance of two points along and across, in metres.
    pub(super) step: (f32, f32),
    /// Red, green and blue at each point, as the square root of the light (see `raster`).
    pub(super) points: Vec<[f32; 3]>,
}

/// A linear function of the place: `axis · place + offset`, in metres.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Coordinate {
    /// Which way it grows.
    pub(super) axis: Vec3,
    /// What makes it 0 at the surface's corner.
    pub(super) offset: f32,
}

impl Coordinate {
    /// Grows along `axis` from 0 at `origin`.
    pub(super) fn along(axis: Vec3, origin: Vec3) -> Self {
        Self { axis, offset: -axis.dot(origin) }
    }

    /// Its value at a place.
    pub(super) fn at(&self, place: Vec3) -> f32 {
        self.axis.dot(place) + self.offset
    }
}

/// A flat convex piece of something.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    /// Its corners, in order around it.
    pub(super) corners: Vec<Vec3>,
    /// The side that is seen.
    pub(super) normal: Vec3,
    /// Along, to the right.
    pub(super) u: Coordinate,
    /// Across, downwards.
    pub(super) v: Coordinate,
    /// Index of its texture.
    pub(super) texture: usize,
    /// How strongly it shines by itself; then light that falls on it does not matter.
    pub(super) glow: Option<f32>,
    /// What falls on it.
    pub(super) light: LightMap,
    /// Index of the thing it belongs to.
    pub(super) thing: u16,
}

impl Surface {
    /// Middle of its corners.
    pub(super) fn centre(&self) -> Vec3 {
        self.corners.iter().fold(Vec3::default(), |sum, &c| sum + c) * (1.0 / self.corners.len() as f32)
    }
}

/// Something that has a name: a chair, a sign, the shell of a room.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    /// What it is, for example `chair`; walls, floor and ceiling of a room are one `shell`.
    pub(super) category: String,
    /// The room it is in.
    pub(super) room: usize,
    /// Words on it.
    pub(super) lines: Vec<Line>,
    /// Corners of its surfaces, for its outline.
    pub(super) outline: Vec<Vec3>,
}

/// A way to look into another room.
#[derive(Debug, Clone)]
pub(super) struct Portal {
    /// The other room.
    pub(super) to: usize,
    /// The doorway's corners, in the middle of the wall.
    pub(super) corners: [Vec3; 4],
}

/// A lamp or a window, as light.
#[derive(Debug, Clone, Copy)]
pub(super) struct Light {
    /// Its middle.
    pub(super) place: Vec3,
    /// Half of its extent, along two directions.
    pub(super) half: (Vec3, Vec3),
    /// Red, green and blue power.
    pub(super) power: [f32; 3],
    /// Where it shines, of a window or a spot; a lamp shines everywhere.
    pub(super) facing: Option<Vec3>,
}

/// One room of the scene.
#[derive(Debug, Clone, Default)]
pub(super) struct SceneRoom {
    /// Everything in it.
    pub(super) surfaces: Vec<Surface>,
    /// What casts shadows.
    pub(super) blocks: Vec<Block>,
    /// What gives light.
    pub(super) lights: Vec<Light>,
    /// Light from everywhere.
    pub(super) ambient: f32,
    /// Its doorways.
    pub(super) portals: Vec<Portal>,
}

/// Everything.
#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    /// By room of the plan.
    pub(super) rooms: Vec<SceneRoom>,
    /// By index.
    pub(super) textures: Vec<Texture>,
    /// By index; 0 is nothing.
    pub(super) things: Vec<Thing>,
}

impl Scene {
    /// Adds a texture and says where it is.
    pub(super) fn add_texture(&mut self, texture: Texture) -> usize {
        self.textures.push(texture);
        self.textures.len() - 1
    }

    /// Adds a thing and says which it is.
    pub(super) fn add_thing(&mut self, category: &str, room: usize) -> u16 {
        let thing = Thing { category: category.to_owned(), room, lines: Vec::new(), outline: Vec::new() };
        self.things.push(thing);
        u16::try_from(self.things.len() - 1).unwrap_or(u16::MAX)
    }

    /// Fills in the outlines of things, once all surfaces are there.
    pub(super) fn outline_things(&mut self) {
        for surface in self.rooms.iter().flat_map(|room| &room.surfaces) {
            self.things[usize::from(surface.thing)].outline.extend(&surface.corners);
        }
    }
}
