//! Renders frames of the walk. A frame is the sum of several moments while the shutter is open,
//! with some noise, as planar YUV.

use crate::{
    house::plan::Plan,
    path::{CameraPath, Pose},
    random::Random,
    render::camera::{Camera, focal},
    render::raster::{Pass, Raster},
    scene::Scene,
};

/// Shutter time in seconds.
pub(crate) const SHUTTER: f32 = 1.0 / 250.0;
/// Shutter time in dim light, in seconds.
pub(crate) const SLOW_SHUTTER: f32 = 1.0 / 80.0;

/// A rendered frame: BT.709 4:2:0, limited range.
#[derive(Debug, Clone, Default)]
pub(crate) struct Picture {
    /// The Y plane, then U, then V.
    pub(crate) planes: Vec<u8>,
}

/// Everything that a frame shows; shared by all threads.
pub(crate) struct World {
    /// The surfaces.
    pub(crate) scene: Scene,
    /// The floor plan.
    pub(crate) plan: Plan,
    /// The path of the camera.
    pub(crate) path: CameraPath,
    /// Width and height of the frames in pixels, both even.
    pub(crate) size: (usize, usize),
    /// Shutter time in seconds.
    pub(crate) shutter: f32,
}

impl World {
    /// Returns the pose in the middle of the shutter time.
    pub(crate) fn pose(&self, t: f32) -> Pose {
        self.path.at(t + self.shutter / 2.0)
    }

    /// Returns the movement of the picture while the shutter is open, in pixels.
    pub(crate) fn blur(&self, t: f32) -> f32 {
        let (a, b) = (self.path.at(t), self.path.at(t + self.shutter));
        (b.yaw - a.yaw).hypot(b.pitch - a.pitch) * focal(self.size.0)
    }
}

/// Paints frames. Each thread has its own painter.
pub(crate) struct Painter<'a> {
    world: &'a World,
    /// Buffers of the current pass.
    pub(crate) raster: Raster,
    /// Sums per pixel: unused, red, green, blue.
    sums: Vec<[u16; 4]>,
    noise: Vec<i8>,
}

const NOISE_BITS: u32 = 16;

impl<'a> Painter<'a> {
    /// Returns a painter of this world.
    pub(crate) fn new(world: &'a World) -> Self {
        let mut random = Random::new(9, 9);
        // The sum of several uniform numbers approximates a normal distribution.
        let mut bell = || ((0..4).map(|_| random.unit()).sum::<f32>() - 2.0) * 3.2;
        let noise = (0..1 << NOISE_BITS).map(|_| bell() as i8).collect();
        Self {
            world,
            raster: Raster::new(world.size),
            sums: vec![[0; 4]; world.size.0 * world.size.1],
            noise,
        }
    }

    /// Paints the frame at `t` seconds. `number` varies the noise.
    pub(crate) fn paint(&mut self, t: f32, number: u64) -> Picture {
        let world = self.world;
        let blur = world.blur(t);
        let moments: u16 = if blur < 4.5 {
            2
        } else if blur < 9.0 {
            4
        } else if blur < 18.0 {
            8
        } else {
            16
        };
        self.sums.fill([0; 4]);
        for moment in 0..moments {
            let share = (f32::from(moment) + 0.5) / f32::from(moments);
            // Offsets inside the pixel smooth the edges: even steps in one direction, bit-reversed
            // in the other.
            let bits = moments.trailing_zeros();
            let other = f32::from(moment.reverse_bits() >> (16 - bits)) / f32::from(moments);
            let jitter = (share - 0.5, other + 0.5 / f32::from(moments) - 0.5);
            let pose = world.path.at(t + world.shutter * share);
            let camera = Camera::new(&pose, world.size, jitter);
            self.raster.draw(&world.scene, &camera, world.plan.room_at(pose.place), Pass::Colours);
            // One of the four bytes is always 0. Adding it too is faster than leaving it out.
            let bytes = self.raster.colours.iter().map(|c| c.to_be_bytes());
            for (sum, bytes) in self.sums.iter_mut().zip(bytes) {
                (0..4).for_each(|i| sum[i] += u16::from(bytes[i]));
            }
        }
        self.develop(moments.trailing_zeros(), number)
    }

    /// Fills `raster.objects` with the object at each pixel, in the middle of the shutter time.
    pub(crate) fn mark_objects(&mut self, t: f32) -> Camera {
        let pose = self.world.pose(t);
        let camera = Camera::new(&pose, self.world.size, (0.0, 0.0));
        let room = self.world.plan.room_at(pose.place);
        self.raster.draw(&self.world.scene, &camera, room, Pass::Objects);
        camera
    }

    /// Converts sums of `2^bits` moments to YUV.
    fn develop(&self, bits: u32, number: u64) -> Picture {
        let (width, height) = self.world.size;
        let mut planes = vec![0_u8; width * height * 3 / 2];
        let (luma, chroma) = planes.split_at_mut(width * height);
        let (cb, cr) = chroma.split_at_mut(width * height / 4);
        let mask = (1_usize << NOISE_BITS) - 1;
        let mut random = Random::new(number, 10);
        for y in 0..height {
            let mut at = random.word() as usize;
            let row = &self.sums[y * width..(y + 1) * width];
            for (pixel, out) in row.iter().zip(&mut luma[y * width..(y + 1) * width]) {
                let [r, g, b] = [pixel[1], pixel[2], pixel[3]].map(|c| i32::from(c >> bits));
                let noise = i32::from(self.noise[at & mask]);
                at = at.wrapping_add(1);
                *out = (16 + ((47 * r + 157 * g + 16 * b + 128) >> 8) + noise).clamp(16, 235) as u8;
            }
        }
        for y in 0..height / 2 {
            let upper = &self.sums[2 * y * width..][..width];
            let lower = &self.sums[(2 * y + 1) * width..][..width];
            for x in 0..width / 2 {
                let four = |c: usize| {
                    let sum = upper[2 * x][c] + upper[2 * x + 1][c];
                    (i32::from(sum) + i32::from(lower[2 * x][c] + lower[2 * x + 1][c])) >> (bits + 2)
                };
                let (r, g, b) = (four(1), four(2), four(3));
                let at = y * (width / 2) + x;
                cb[at] = (128 + ((-26 * r - 87 * g + 112 * b + 128) >> 8)).clamp(16, 240) as u8;
                cr[at] = (128 + ((112 * r - 102 * g - 10 * b + 128) >> 8)).clamp(16, 240) as u8;
            }
        }
        Picture { planes }
    }
}
