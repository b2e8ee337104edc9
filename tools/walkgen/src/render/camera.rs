//! A pinhole camera.

use crate::{
    math::{Vec3, vec3},
    path::Pose,
};

/// Horizontal field of view in radians: that of a telephone's main camera.
const FIELD: f32 = 1.22;

/// Nothing nearer than this is drawn, in metres.
pub(crate) const NEAR: f32 = 0.05;

/// Where it is, how it is turned and how it projects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Camera {
    /// Its place.
    pub(crate) place: Vec3,
    /// Where it looks.
    pub(crate) forward: Vec3,
    /// To the right in the picture.
    pub(crate) right: Vec3,
    /// Up in the picture.
    pub(crate) up: Vec3,
    /// Focal length in pixels.
    pub(crate) focal: f32,
    /// Middle of the picture in pixels.
    pub(crate) middle: (f32, f32),
}

impl Camera {
    /// A camera of a picture of `size`, moved by a part of a pixel.
    pub(crate) fn new(pose: &Pose, size: (usize, usize), jitter: (f32, f32)) -> Self {
        let (sy, cy) = pose.yaw.sin_cos();
        let (sp, cp) = pose.pitch.sin_cos();
        let (sr, cr) = pose.roll.sin_cos();
        let forward = vec3(cp * cy, cp * sy, sp);
        let right = vec3(sy, -cy, 0.0);
        let up = right.cross(forward);
        Self {
            place: pose.place,
            forward,
            right: right * cr - up * sr,
            up: up * cr + right * sr,
            focal: focal(size.0),
            middle: (size.0 as f32 / 2.0 + jitter.0, size.1 as f32 / 2.0 + jitter.1),
        }
    }

    /// A place in the camera's own coordinates: right, up, forward.
    pub(crate) fn turned(&self, place: Vec3) -> Vec3 {
        let d = place - self.place;
        vec3(d.dot(self.right), d.dot(self.up), d.dot(self.forward))
    }

    /// Where a place in the camera's coordinates is in the picture.
    pub(crate) fn project(&self, p: Vec3) -> (f32, f32) {
        let k = self.focal / p.z;
        (self.middle.0 + p.x * k, self.middle.1 - p.y * k)
    }

    /// Where a place in the world is in the picture, if it is in front of the camera.
    pub(crate) fn see(&self, place: Vec3) -> Option<(f32, f32)> {
        let p = self.turned(place);
        (p.z > NEAR).then(|| self.project(p))
    }
}

/// Focal length in pixels of a picture of this width.
pub(crate) fn focal(width: usize) -> f32 {
    width as f32 / 2.0 / (FIELD / 2.0).tan()
}
