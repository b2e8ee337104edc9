//! Builds objects from boxes, cylinders and panels, in the coordinates of the wall where they
//! stand.

use std::f32::consts::TAU;

use crate::{
    house::plan::Wall,
    math::{Block, Vec3},
    scene::{Coordinate, Light, Scene, Surface},
};

/// Adds the surfaces of one object to a scene. Its coordinates are those of the object: x to the
/// right, y out of the wall, z up, in metres from the object's left end at the wall.
pub(crate) struct Builder<'a> {
    scene: &'a mut Scene,
    room: usize,
    object: u16,
    origin: Vec3,
    right: Vec3,
    out: Vec3,
}

/// x, y and z in the coordinates of a [`Builder`].
pub(crate) type Local = (f32, f32, f32);

impl<'a> Builder<'a> {
    /// Starts an object of `category` at `along` metres along the wall and `out` metres from it.
    pub(crate) fn at_wall(
        scene: &'a mut Scene,
        room: usize,
        category: &str,
        wall: &Wall,
        along: f32,
        out: f32,
    ) -> Self {
        let object = scene.add_object(category, room);
        Self { scene, room, object, origin: wall.point(along, out, 0.0), right: wall.right, out: wall.normal }
    }

    /// Continues an object in the coordinates of `wall`.
    pub(crate) fn go_on(scene: &'a mut Scene, room: usize, object: u16, wall: &Wall) -> Self {
        Self { scene, room, object, origin: wall.origin, right: wall.right, out: wall.normal }
    }

    /// Starts another object around `centre`, turned by quarters: 0 faces the room like this
    /// object, 1 faces left, 2 faces the wall, 3 faces right.
    pub(crate) fn around(
        &mut self,
        category: &str,
        centre: (f32, f32),
        quarter: u8,
        size: (f32, f32),
    ) -> Builder<'_> {
        let object = self.scene.add_object(category, self.room);
        let (right, out) = match quarter {
            0 => (self.right, self.out),
            1 => (self.out, -self.right),
            2 => (-self.right, -self.out),
            _ => (-self.out, self.right),
        };
        let middle = self.place((centre.0, centre.1, 0.0));
        let origin = middle - right * (size.0 / 2.0) - out * (size.1 / 2.0);
        Builder { scene: self.scene, room: self.room, object, origin, right, out }
    }

    /// Returns the index of the object being built.
    pub(crate) fn object(&self) -> u16 {
        self.object
    }

    /// Returns the scene, for its textures.
    pub(crate) fn scene(&mut self) -> &mut Scene {
        self.scene
    }

    /// Converts to world coordinates.
    pub(crate) fn place(&self, (x, y, z): Local) -> Vec3 {
        self.origin + self.right * x + self.out * y + Vec3::UP * z
    }

    fn push(
        &mut self,
        corners: Vec<Vec3>,
        facing: Vec3,
        across: Vec3,
        down: Vec3,
        origin: Vec3,
        material: Material,
    ) {
        let normal = normal_of(&corners, facing);
        self.scene.rooms[self.room].surfaces.push(Surface {
            u: Coordinate::along(across, origin),
            v: Coordinate::along(down, origin),
            corners,
            normal,
            texture: material.texture,
            glow: material.glow,
            light: Default::default(),
            object: self.object,
        });
    }

    /// Adds an invisible box that casts a shadow.
    pub(crate) fn shadow(&mut self, a: Local, b: Local) {
        let (a, b) = (self.place(a), self.place(b));
        let low = Vec3 { x: a.x.min(b.x), y: a.y.min(b.y), z: a.z.min(b.z) };
        let high = Vec3 { x: a.x.max(b.x), y: a.y.max(b.y), z: a.z.max(b.z) };
        self.scene.rooms[self.room].blocks.push(Block { low, high });
    }

    /// Adds a box between two corners.
    pub(crate) fn block(&mut self, low: Local, high: Local, material: Material) {
        self.block_with_front(low, high, material, material);
    }

    /// Adds a box whose front (towards the room) has another appearance.
    pub(crate) fn block_with_front(&mut self, low: Local, high: Local, material: Material, front: Material) {
        let (w, d, h) = (high.0 - low.0, high.1 - low.1, high.2 - low.2);
        let (r, o, down) = (self.right, self.out, -Vec3::UP);
        let at = |x: f32, y: f32, z: f32| (low.0 + x * w, low.1 + y * d, low.2 + z * h);
        let top_left = self.place(at(0.0, 1.0, 1.0));
        self.face(top_left, r * w, down * h, o, front);
        let back = self.place(at(1.0, 0.0, 1.0));
        self.face(back, r * -w, down * h, -o, material);
        let left = self.place(at(0.0, 0.0, 1.0));
        self.face(left, o * d, down * h, -r, material);
        let right = self.place(at(1.0, 1.0, 1.0));
        self.face(right, o * -d, down * h, r, material);
        let top = self.place(at(0.0, 0.0, 1.0));
        self.face(top, r * w, o * d, Vec3::UP, material);
        if low.2 > 0.05 {
            let bottom = self.place(at(0.0, 1.0, 0.0));
            self.face(bottom, r * w, o * -d, -Vec3::UP, material);
        }
        self.shadow(low, high);
    }

    fn face(&mut self, corner: Vec3, across: Vec3, down: Vec3, normal: Vec3, material: Material) {
        let corners = vec![corner, corner + across, corner + across + down, corner + down];
        self.push(corners, normal, across.unit(), down.unit(), corner, material);
    }

    /// Adds a rectangle that faces the room, `y` metres from the wall.
    pub(crate) fn panel(&mut self, left: f32, y: f32, top: f32, width: f32, height: f32, material: Material) {
        let corner = self.place((left, y, top));
        self.face(corner, self.right * width, Vec3::UP * -height, self.out, material);
    }

    /// Adds a part of the wall itself. Its texture starts at the wall's upper left corner, so that
    /// the parts around an opening match.
    pub(crate) fn wall_part(
        &mut self,
        left: f32,
        top: f32,
        size: (f32, f32),
        wall_height: f32,
        material: Material,
    ) {
        let corner = self.place((left, 0.0, top));
        let (across, down) = (self.right * size.0, Vec3::UP * -size.1);
        let corners = vec![corner, corner + across, corner + across + down, corner + down];
        let anchor = self.place((0.0, 0.0, wall_height));
        self.push(corners, self.out, self.right, -Vec3::UP, anchor, material);
    }

    /// Adds a rectangle that faces up. The upper edge of its texture is at the wall.
    pub(crate) fn plate(&mut self, low: Local, width: f32, depth: f32, material: Material) {
        let corner = self.place(low);
        self.face(corner, self.right * width, self.out * depth, Vec3::UP, material);
    }

    /// Adds a rectangle that faces down.
    pub(crate) fn ceiling(&mut self, low: Local, width: f32, depth: f32, material: Material) {
        let corner = self.place(low);
        self.face(corner, self.right * width, self.out * depth, -Vec3::UP, material);
    }

    /// Adds a rectangle across the wall that faces right or left, from its upper inner edge.
    pub(crate) fn cheek(
        &mut self,
        top: Local,
        depth: f32,
        height: f32,
        to_the_right: bool,
        material: Material,
    ) {
        let corner = self.place(top);
        let facing = if to_the_right { self.right } else { -self.right };
        self.face(corner, self.out * depth, Vec3::UP * -height, facing, material);
    }

    /// Adds a light.
    pub(crate) fn add_light(&mut self, light: Light) {
        self.scene.rooms[self.room].lights.push(light);
    }

    /// Adds an upright cylinder or cone with the radii of its lower and upper end, closed at both.
    pub(crate) fn round(
        &mut self,
        centre: (f32, f32),
        radii: (f32, f32),
        heights: (f32, f32),
        material: Material,
    ) {
        const SIDES: usize = 16;
        let middle = |z: f32| self.place((centre.0, centre.1, z));
        let (bottom, top) = (middle(heights.0), middle(heights.1));
        let spoke = |i: usize| {
            let a = i as f32 / SIDES as f32 * TAU;
            self.right * a.cos() + self.out * a.sin()
        };
        let slope = (radii.0 - radii.1) / (heights.1 - heights.0).max(1e-3);
        let mut sides = Vec::new();
        for i in 0..SIDES {
            let (a, b) = (spoke(i), spoke(i + 1));
            let corners =
                vec![top + a * radii.1, top + b * radii.1, bottom + b * radii.0, bottom + a * radii.0];
            let normal = ((a + b).unit() + Vec3::UP * slope).unit();
            let wide = radii.0.max(radii.1) * TAU / SIDES as f32;
            sides.push((
                corners,
                normal,
                (b - a).unit(),
                top + a * radii.1 - (b - a).unit() * (wide * i as f32),
            ));
        }
        let lid: Vec<Vec3> = (0..SIDES).map(|i| top + spoke(i) * radii.1).collect();
        let base: Vec<Vec3> = (0..SIDES).map(|i| bottom + spoke(i) * radii.0).collect();
        let (right, out) = (self.right, self.out);
        for (corners, normal, across, origin) in sides {
            self.push(corners, normal, across, -Vec3::UP, origin, material);
        }
        if radii.1 > 0.005 {
            self.push(lid, Vec3::UP, right, out, top - right * radii.1 - out * radii.1, material);
        }
        if heights.0 > 0.3 && radii.0 > 0.005 {
            self.push(base, -Vec3::UP, right, out, bottom - right * radii.0 - out * radii.0, material);
        }
        // A box inside the body approximates its shadow.
        let r = radii.0.max(radii.1) * 0.8;
        self.shadow((centre.0 - r, centre.1 - r, heights.0), (centre.0 + r, centre.1 + r, heights.1));
    }
}

/// Returns the normal of the plane through `corners` (Newell's method) that points to the side of
/// `facing`.
fn normal_of(corners: &[Vec3], facing: Vec3) -> Vec3 {
    let next = corners.iter().cycle().skip(1);
    let sum = corners.iter().zip(next).fold(Vec3::default(), |sum, (&a, &b)| sum + a.cross(b));
    let normal = sum.unit();
    if normal.dot(facing) < 0.0 { -normal } else { normal }
}

/// A material: a texture, and its own light if it glows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Material {
    /// Index of its texture.
    pub(crate) texture: usize,
    /// Strength of its own light, if it glows.
    pub(crate) glow: Option<f32>,
}

impl Material {
    /// A surface that is lit by the lights of its room.
    pub(crate) fn of(texture: usize) -> Self {
        Self { texture, glow: None }
    }

    /// A surface that glows.
    pub(crate) fn glowing(texture: usize, strength: f32) -> Self {
        Self { texture, glow: Some(strength) }
    }
}
