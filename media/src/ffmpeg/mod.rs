//! ffmpeg and ffprobe as sandboxed children.
//!
//! Media are hostile. A file is looked at in three steps, each cheaper than the next: its first bytes and
//! boxes are read here ([`container`]), ffprobe describes it without decoding more than it must
//! ([`probe`]), and one ffmpeg pass decodes pictures and sound together ([`Decoder`]). The children can
//! reach no network and no other file by what the media say: the demuxer is named, playlists are none of
//! the demuxers allowed, protocols are `file` and `pipe`, external references stay closed. They are bound
//! in memory, time, open files and output, and they die with their parent.

mod container;
mod decode;
mod error;
mod matroska;
mod probe;
mod sandbox;
mod settings;

pub use container::{Container, inspect};
pub use decode::{DecodeEvent, DecodeOptions, Decoder, YuvFrame};
pub use error::FfmpegError;
pub use probe::{Probe, probe};
pub use settings::FfmpegSettings;
