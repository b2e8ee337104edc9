//! Draws frames of a scene in software.

pub(crate) mod camera;
pub(crate) mod frames;
pub(crate) mod raster;
mod shade;
