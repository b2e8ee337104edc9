//! Bytes: object storage and the S3 server on a folder that stands in for it, signed addresses of
//! evidence, scratch folders, and the ffmpeg sandbox.

pub mod embedded;
pub mod evidence;
pub mod ffmpeg;
pub mod objects;
pub mod scratch;

pub use objects::{ObjectInfo, ObjectStore};
