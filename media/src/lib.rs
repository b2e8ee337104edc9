//! Object storage and media: the S3 client, an embedded S3 server on a folder, signed evidence
//! URLs, scratch folders and the ffmpeg sandbox.

pub mod embedded;
pub mod evidence;
pub mod ffmpeg;
pub mod objects;
pub mod scratch;

pub use objects::{ObjectInfo, ObjectStore};
