//! A software rasteriser for convex polygons, with perspective-correct textures, baked light and a
//! depth buffer. Another pass finds the object at each pixel.
//!
//! Textures, baked light and colours are stored as the square root of light, which is close to what
//! screens show. The product of two square roots is the square root of the product, so one
//! multiplication lights a pixel.
//!
//! On a plane, `1/z`, `u/z` and `v/z` are linear over the picture. They are evaluated exactly at
//! the ends of short spans and interpolated between them.

use crate::{
    math::Vec3,
    render::camera::{Camera, NEAR_PLANE_M},
    render::shade::{Exact, Fill, Plane},
    scene::{Scene, Surface},
};

/// Number of pixels of a span. Values are exact at its ends.
const SPAN_PIXELS: usize = 16;
/// Colour of pixels without a surface. It is only visible in cracks.
const VOID_COLOUR: u32 = 0x0060_605c;

/// A rectangle of the picture in pixels. The ends are exclusive.
#[derive(Debug, Clone, Copy)]
struct Window {
    x0: i32,
    y0: i32,
    x1: i32,
    y1: i32,
}

/// Kind of a drawing pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Fills [`Raster::colours`].
    Colours,
    /// Fills [`Raster::objects`].
    Objects,
}

/// A surface to draw.
struct DrawJob {
    /// Order: doorways between it and the camera, whether it is part of the shell, distance.
    key: (u32, bool, f32),
    room: usize,
    surface: usize,
    window: Window,
}

/// Buffers of a picture.
pub(crate) struct Raster {
    size: (usize, usize),
    depth: Vec<f32>,
    /// `0x00RRGGBB`.
    pub(crate) colours: Vec<u32>,
    /// Index of the object at each pixel.
    pub(crate) objects: Vec<u16>,
    left: Vec<f32>,
    right: Vec<f32>,
    jobs: Vec<DrawJob>,
}

impl Raster {
    /// Returns buffers for pictures of `size`.
    pub(crate) fn new(size: (usize, usize)) -> Self {
        let count = size.0 * size.1;
        Self {
            size,
            depth: vec![0.0; count],
            colours: vec![VOID_COLOUR; count],
            objects: vec![0; count],
            left: vec![0.0; size.1],
            right: vec![0.0; size.1],
            jobs: Vec::new(),
        }
    }

    /// Draws the view of a camera in `room`.
    pub(crate) fn draw(&mut self, scene: &Scene, camera: &Camera, room: usize, pass: Pass) {
        self.depth.fill(0.0);
        match pass {
            Pass::Colours => self.colours.fill(VOID_COLOUR),
            Pass::Objects => self.objects.fill(0),
        }
        let window = Window { x0: 0, y0: 0, x1: self.size.0 as i32, y1: self.size.1 as i32 };
        self.jobs.clear();
        self.gather(scene, camera, room, None, window, 0);
        let mut jobs = std::mem::take(&mut self.jobs);
        // Near surfaces first, so that few hidden pixels are coloured.
        jobs.sort_unstable_by(|a, b| {
            let order = (a.key.0, a.key.1).cmp(&(b.key.0, b.key.1));
            order.then(a.key.2.total_cmp(&b.key.2)).then(a.surface.cmp(&b.surface))
        });
        for job in &jobs {
            let surface = &scene.rooms[job.room].surfaces[job.surface];
            self.polygon(scene, camera, surface, job.window, pass);
        }
        self.jobs = jobs;
    }

    /// Collects the surfaces of a room and of the rooms that are visible through its doorways.
    fn gather(
        &mut self,
        scene: &Scene,
        camera: &Camera,
        room: usize,
        from: Option<usize>,
        window: Window,
        depth: u32,
    ) {
        for (index, surface) in scene.rooms[room].surfaces.iter().enumerate() {
            if surface.normal.dot(camera.place - surface.corners[0]) <= 1e-4 {
                continue;
            }
            // The field of view is below 90 degrees in both directions, so these planes cut off
            // nothing visible.
            let outside = |p: Vec3| {
                let flags = [p.z <= NEAR_PLANE_M, p.x > p.z, -p.x > p.z, p.y > p.z, -p.y > p.z];
                flags.iter().enumerate().fold(0_u8, |bits, (i, &flag)| bits | u8::from(flag) << i)
            };
            if surface.corners.iter().fold(u8::MAX, |bits, &c| bits & outside(camera.turned(c))) != 0 {
                continue;
            }
            let distance = (surface.centre() - camera.place).length();
            let shell = surface.object == scene.rooms[room].surfaces[0].object;
            self.jobs.push(DrawJob { key: (depth, shell, distance), room, surface: index, window });
        }
        if depth == 4 {
            return;
        }
        for portal in &scene.rooms[room].portals {
            if Some(portal.to) == from {
                continue;
            }
            if let Some(part) = through(&portal.corners, camera, window) {
                self.gather(scene, camera, portal.to, Some(room), part, depth + 1);
            }
        }
    }

    fn polygon(&mut self, scene: &Scene, camera: &Camera, surface: &Surface, window: Window, pass: Pass) {
        let mut points = [(0.0_f32, 0.0_f32); 20];
        let count = clip(camera, &surface.corners, &mut points);
        if count < 3 {
            return;
        }
        let Some((y0, y1)) = self.edges(&points[..count], window) else { return };

        // The plane n·P = d seen from C: 1/z = n·ray / (d - n·C), the ray having length 1 forwards.
        let over_picture = |axis: Vec3, k: f32| {
            let (r, u, f) = (axis.dot(camera.right), axis.dot(camera.up), axis.dot(camera.forward));
            let (x, y) = (r * k / camera.focal, -u * k / camera.focal);
            Plane { base: f * k - x * camera.middle.0 - y * camera.middle.1, x, y }
        };
        let height = surface.normal.dot(surface.corners[0] - camera.place);
        let w = over_picture(surface.normal, 1.0 / height);
        if pass == Pass::Objects {
            self.fill_objects(w, surface.object, (y0, y1), window);
            return;
        }
        let coordinate = |c: crate::scene::Coordinate| {
            let ray = over_picture(c.axis, 1.0);
            let here = c.at(camera.place);
            Plane { base: ray.base + here * w.base, x: ray.x + here * w.x, y: ray.y + here * w.y }
        };
        let fill = Fill { w, u: coordinate(surface.u), v: coordinate(surface.v), surface, scene };
        self.fill_colours(&fill, (y0, y1), window);
    }

    /// Computes the left and the right edge of the polygon in each row. Returns the range of rows.
    fn edges(&mut self, points: &[(f32, f32)], window: Window) -> Option<(usize, usize)> {
        let low = points.iter().map(|p| p.1).fold(f32::MAX, f32::min);
        let high = points.iter().map(|p| p.1).fold(f32::MIN, f32::max);
        let row = |y: f32| ((y - 0.5).ceil().clamp(-1e6, 1e6) as i32).clamp(window.y0, window.y1) as usize;
        let (y0, y1) = (row(low), row(high));
        if y0 >= y1 {
            return None;
        }
        self.left[y0..y1].fill(f32::MAX);
        self.right[y0..y1].fill(f32::MIN);
        for i in 0..points.len() {
            let (mut a, mut b) = (points[i], points[(i + 1) % points.len()]);
            // Edges always run downwards, so that polygons with a common edge round it the same
            // way.
            if a.1 > b.1 {
                std::mem::swap(&mut a, &mut b);
            }
            let slope = (b.0 - a.0) / (b.1 - a.1).max(1e-6);
            for y in row(a.1)..row(b.1) {
                let x = a.0 + (y as f32 + 0.5 - a.1) * slope;
                self.left[y] = self.left[y].min(x);
                self.right[y] = self.right[y].max(x);
            }
        }
        Some((y0, y1))
    }

    fn row(&self, y: usize, window: Window) -> (usize, usize) {
        let pixel = |x: f32| ((x - 0.5).ceil().clamp(-1e6, 1e6) as i32).clamp(window.x0, window.x1) as usize;
        (pixel(self.left[y]), pixel(self.right[y]))
    }

    fn fill_objects(&mut self, w: Plane, object: u16, (y0, y1): (usize, usize), window: Window) {
        for y in y0..y1 {
            let (x0, x1) = self.row(y, window);
            let start = y * self.size.0;
            if x0 >= x1 {
                continue;
            }
            let mut near = w.at(x0 as f32 + 0.5, y as f32 + 0.5);
            let depths = &mut self.depth[start + x0..start + x1];
            for (depth, pixel) in depths.iter_mut().zip(&mut self.objects[start + x0..start + x1]) {
                if near > *depth {
                    *depth = near;
                    *pixel = object;
                }
                near += w.x;
            }
        }
    }

    fn fill_colours(&mut self, fill: &Fill<'_>, (y0, y1): (usize, usize), window: Window) {
        for y in y0..y1 {
            let (mut x, end) = self.row(y, window);
            let fy = y as f32 + 0.5;
            // The exact values at the end of a span are those at the start of the next.
            let mut begin: Option<Exact> = None;
            while x < end {
                let count = SPAN_PIXELS.min(end - x);
                let from = y * self.size.0 + x;
                let depths = &mut self.depth[from..from + count];
                let fx = x as f32 + 0.5;
                let near = fill.w.at(fx, fy);
                // Checks the whole span without an early exit, so that the compiler can vectorize
                // the loop.
                let visible = (0_i16..)
                    .zip(&*depths)
                    .fold(false, |any, (i, depth)| any | (near + fill.w.x * f32::from(i) > *depth));
                begin = if !visible {
                    None
                } else {
                    let first = begin.take().unwrap_or_else(|| fill.exact(fx, fy));
                    let last = fill.exact(fx + count as f32, fy);
                    fill.span(near, &first, &last, depths, &mut self.colours[from..from + count]);
                    Some(last)
                };
                x += count;
            }
        }
    }
}

/// Clips the polygon at [`NEAR_PLANE_M`] and projects the rest. Returns the number of corners.
fn clip(camera: &Camera, corners: &[Vec3], out: &mut [(f32, f32); 20]) -> usize {
    let mut count = 0;
    let mut put = |p: Vec3| {
        if count < out.len() {
            out[count] = camera.project(p);
            count += 1;
        }
    };
    let mut a = camera.turned(corners[corners.len() - 1]);
    for &corner in corners {
        let b = camera.turned(corner);
        if (a.z > NEAR_PLANE_M) != (b.z > NEAR_PLANE_M) {
            put(a.towards(b, (NEAR_PLANE_M - a.z) / (b.z - a.z)));
        }
        if b.z > NEAR_PLANE_M {
            put(b);
        }
        a = b;
    }
    count
}

/// Returns the part of `window` that shows a doorway.
fn through(corners: &[Vec3; 4], camera: &Camera, window: Window) -> Option<Window> {
    let middle = corners.iter().fold(Vec3::default(), |s, &c| s + c) * 0.25;
    let normal = (corners[1] - corners[0]).cross(corners[3] - corners[0]).unit();
    let flat = (camera.place - middle) - Vec3::UP * (camera.place - middle).z;
    let half = (corners[1] - corners[0]).length() / 2.0;
    // For a camera in the doorway, the whole window may show the other room.
    if (camera.place - middle).dot(normal).abs() < 0.3 && flat.length() < half + 0.3 {
        return Some(window);
    }
    let mut points = [(0.0, 0.0); 20];
    let count = clip(camera, corners, &mut points);
    if count < 3 {
        return None;
    }
    let seen = &points[..count];
    let low =
        |f: fn(&(f32, f32)) -> f32| seen.iter().map(f).fold(f32::MAX, f32::min).clamp(-1e5, 1e5) as i32 - 1;
    let high =
        |f: fn(&(f32, f32)) -> f32| seen.iter().map(f).fold(f32::MIN, f32::max).clamp(-1e5, 1e5) as i32 + 2;
    let part = Window {
        x0: low(|p| p.0).max(window.x0),
        y0: low(|p| p.1).max(window.y0),
        x1: high(|p| p.0).min(window.x1),
        y1: high(|p| p.1).min(window.y1),
    };
    (part.x0 < part.x1 && part.y0 < part.y1).then_some(part)
}
