//! Local features of pictures, their alignment, and the stored views of a scan.
//!
//! - [`Features`]: corners with descriptors, which perception detects in every kept frame.
//! - [`align`]: the alignment of two pictures, for deciding whether they show the same place.
//! - [`register()`]: a verified alignment, which locates a box of one picture in another.
//! - [`WalkViews`]: the features, detections and readings of a scan's kept frames, stored beside its
//!   document so that a later scan can be compared with what was demonstrably seen.

mod alignment;
mod candidates;
mod features;
mod register;
mod views;

pub use alignment::{Alignment, align};
pub use candidates::candidates;
pub use features::{Feature, Features};
pub use register::{Registration, register};
pub use views::{FrameView, SeenObject, SeenText, ViewsError, WalkViews};
