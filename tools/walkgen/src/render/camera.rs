//! A pinhole camera.

use crate::{
    math::{Vec3, vec3},
    path::Pose,
};

/// Horizontal field of view in radians, as of a phone's main camera.
const FIELD_OF_VIEW_RAD: f32 = 1.22;

/// Distance of the near clipping plane, in metres.
pub(crate) const NEAR_PLANE_M: f32 = 0.05;

/// Position, orientation and projection of the camera.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Camera {
    /// Position in the world.
    pub(crate) place: Vec3,
    /// Unit vector of the viewing direction.
    pub(crate) forward: Vec3,
    /// Unit vector to the right in the picture.
    pub(crate) right: Vec3,
    /// Unit vector upwards in the picture.
    pub(crate) up: Vec3,
    /// Focal length in pixels.
    pub(crate) focal: f32,
    /// Centre of the picture in pixels.
    pub(crate) middle: (f32, f32),
}

impl Camera {
    /// Returns a camera for pictures of `size`, whose centre is moved by `jitter` pixels.
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

    /// Converts a position to camera coordinates: right, up, forward.
    pub(crate) fn turned(&self, place: Vec3) -> Vec3 {
        let d = place - self.place;
        vec3(d.dot(self.right), d.dot(self.up), d.dot(self.forward))
    }

    /// Projects a position in camera coordinates to pixels.
    pub(crate) fn project(&self, p: Vec3) -> (f32, f32) {
        let k = self.focal / p.z;
        (self.middle.0 + p.x * k, self.middle.1 - p.y * k)
    }

    /// Projects a position in the world to pixels. Returns `None` if it is behind the camera.
    pub(crate) fn see(&self, place: Vec3) -> Option<(f32, f32)> {
        let p = self.turned(place);
        (p.z > NEAR_PLANE_M).then(|| self.project(p))
    }
}

/// Returns the focal length in pixels for pictures of this width.
pub(crate) fn focal(width: usize) -> f32 {
    width as f32 / 2.0 / (FIELD_OF_VIEW_RAD / 2.0).tan()
}
