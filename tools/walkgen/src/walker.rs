//! Dimensions of the person who carries the camera.

/// Free width that the walker needs on each side, in metres.
pub(crate) const CLEARANCE_M: f32 = 0.36;
/// Height of the camera above the floor, in metres.
pub(crate) const EYE_HEIGHT_M: f32 = 1.5;
