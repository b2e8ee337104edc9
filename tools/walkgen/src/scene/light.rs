//! Bakes the light of lamps and windows, and ambient light, into a grid of points on each surface.

use crate::{
    math::{Block, Rect, Vec3},
    random::Random,
    scene::{Light, Scene, SceneRoom, Surface},
};

/// Distance of grid points on large surfaces, in metres.
const GRID_STEP_M: f32 = 0.16;
/// Distance up to which objects block ambient light, in metres.
const AMBIENT_REACH_M: f32 = 0.7;
/// Directions per hemisphere that ambient light is sampled from.
const DIRECTIONS: usize = 20;

/// Shares of red, green and blue light that remain in the evening.
const EVENING_SHARES: [f32; 3] = [0.72, 0.62, 0.5];

/// Dims the lights of every room. Call it before [`bake`].
pub(crate) fn dim_for_evening(scene: &mut Scene) {
    for room in &mut scene.rooms {
        room.ambient *= EVENING_SHARES[1];
        for light in &mut room.lights {
            light.power.iter_mut().zip(EVENING_SHARES).for_each(|(power, share)| *power *= share);
        }
    }
}

/// Bakes the light of every room. `floors` are the rooms' floors, `ceiling` their height.
pub(crate) fn bake(scene: &mut Scene, floors: &[Rect], ceiling: f32) {
    let half = scene.rooms.len().div_ceil(2);
    std::thread::scope(|scope| {
        for (part, floors) in scene.rooms.chunks_mut(half).zip(floors.chunks(half)) {
            scope.spawn(move || {
                for (room, &floor) in part.iter_mut().zip(floors) {
                    bake_room(room, floor, ceiling);
                }
            });
        }
    });
}

fn bake_room(room: &mut SceneRoom, floor: Rect, ceiling: f32) {
    let mut surfaces = std::mem::take(&mut room.surfaces);
    let directions = hemisphere();
    for surface in &mut surfaces {
        if surface.glow.is_some() {
            continue;
        }
        lay_grid(surface);
        let sample = Sample { room, floor, ceiling, directions: &directions };
        let centre = surface.centre();
        let (nu, nv) = surface.light.size;
        for j in 0..nv {
            for i in 0..nu {
                let place = place_on(surface, i, j).towards(centre, 0.01);
                let light = sample.light_at(place + surface.normal * 0.015, surface.normal);
                surface.light.points.push(light.map(|c| shown(c).sqrt()));
            }
        }
    }
    room.surfaces = surfaces;
}

/// Applies a tone curve: bright light saturates softly, as in a camera.
fn shown(light: f32) -> f32 {
    1.35 * light / (light + 0.42)
}

fn lay_grid(surface: &mut Surface) {
    let extent = |values: Vec<f32>| {
        let low = values.iter().copied().fold(f32::MAX, f32::min);
        let high = values.iter().copied().fold(f32::MIN, f32::max);
        (low, (high - low).max(1e-3))
    };
    let (u0, width) = extent(surface.corners.iter().map(|&c| surface.u.at(c)).collect());
    let (v0, height) = extent(surface.corners.iter().map(|&c| surface.v.at(c)).collect());
    let count = |length: f32| (length / GRID_STEP_M).ceil().max(1.0) as usize + 1;
    let size = (count(width), count(height));
    surface.light.start = (u0, v0);
    surface.light.size = size;
    surface.light.step = (width / (size.0 - 1) as f32, height / (size.1 - 1) as f32);
    surface.light.points = Vec::with_capacity(size.0 * size.1);
}

fn place_on(surface: &Surface, i: usize, j: usize) -> Vec3 {
    let light = &surface.light;
    let (u, v) = (light.start.0 + light.step.0 * i as f32, light.start.1 + light.step.1 * j as f32);
    let corner = surface.corners[0];
    corner + surface.u.axis * (u - surface.u.at(corner)) + surface.v.axis * (v - surface.v.at(corner))
}

/// Returns directions that are spread over the sphere by a Fibonacci spiral. Each surface uses its
/// upper half.
fn hemisphere() -> Vec<Vec3> {
    let count = DIRECTIONS * 2;
    (0..count)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f32 / count as f32;
            let (r, a) = ((1.0 - z * z).sqrt(), i as f32 * 2.399_963);
            crate::math::vec3(r * a.cos(), r * a.sin(), z)
        })
        .collect()
}

struct Sample<'a> {
    room: &'a SceneRoom,
    floor: Rect,
    ceiling: f32,
    directions: &'a [Vec3],
}

impl Sample<'_> {
    fn light_at(&self, place: Vec3, normal: Vec3) -> [f32; 3] {
        let ambient = self.room.ambient * self.openness(place, normal);
        let mut sum = [ambient; 3];
        for light in &self.room.lights {
            let strength = self.from(light, place, normal);
            (0..3).for_each(|i| sum[i] += light.power[i] * strength);
        }
        sum
    }

    /// Returns the share of the ambient light that reaches a position.
    fn openness(&self, place: Vec3, normal: Vec3) -> f32 {
        let near: Vec<&Block> =
            self.room.blocks.iter().filter(|b| distance(b, place) < AMBIENT_REACH_M).collect();
        let inside = self.floor.grown(-0.01).contains(place);
        let (mut open, mut all) = (0.0, 0.0);
        for &direction in self.directions {
            let weight = direction.dot(normal);
            if weight <= 0.05 {
                continue;
            }
            all += weight;
            let end = place + direction * AMBIENT_REACH_M;
            let walled = inside && (!self.floor.contains(end) || end.z < 0.0 || end.z > self.ceiling);
            let share = if near.iter().any(|b| b.stops(place, end)) {
                0.15
            } else if walled {
                0.62
            } else {
                1.0
            };
            open += weight * share;
        }
        if all > 0.0 { open / all } else { 1.0 }
    }

    /// Returns the strength of a light at a position: the mean over random points of the light.
    fn from(&self, light: &Light, place: Vec3, normal: Vec3) -> f32 {
        let mut random = Random::new(0x11, 5);
        let mut sum = 0.0;
        let count = 6;
        for _ in 0..count {
            let (a, b) = (random.range(-1.0, 1.0), random.range(-1.0, 1.0));
            let source = light.place + light.half.0 * a + light.half.1 * b;
            let way = source - place;
            let square = way.dot(way);
            let direction = way * (1.0 / square.sqrt().max(1e-3));
            let falling = direction.dot(normal);
            let leaving = light.facing.map_or(1.0, |facing| -direction.dot(facing));
            if falling <= 0.0 || leaving <= 0.0 {
                continue;
            }
            if self.room.blocks.iter().any(|b| b.stops(place, source)) {
                continue;
            }
            sum += falling * leaving / (square + 0.35);
        }
        sum / count as f32 * 0.30
    }
}

fn distance(block: &Block, p: Vec3) -> f32 {
    let axis = |p: f32, low: f32, high: f32| (low - p).max(p - high).max(0.0);
    let d = crate::math::vec3(
        axis(p.x, block.low.x, block.high.x),
        axis(p.y, block.low.y, block.high.y),
        axis(p.z, block.low.z, block.high.z),
    );
    d.length()
}
