//! Runs ffmpeg and ffprobe as sandboxed child processes.
//!
//! Media are untrusted. Files are checked in three steps, the cheapest first: this crate reads the
//! first bytes and the structure of the container ([`container`]), ffprobe describes the streams
//! ([`probe()`]), and one ffmpeg pass decodes video and audio ([`Decoder`]).
//!
//! The children have no way to reach the network or other files: the demuxer is fixed, playlist
//! demuxers are not allowed, the only protocols are `file` and `pipe`, and external references are
//! not followed. Should a decoder be taken over nevertheless, its jail keeps it from files,
//! network and processes. Memory, time, open files and output are limited. The children die with
//! their parent.

mod container;
mod decode;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod jail;
mod matroska;
mod probe;
mod sandbox;
mod settings;

pub use container::{Container, inspect};
pub use decode::{DecodeEvent, DecodeOptions, Decoder, YuvFrame};
pub use error::FfmpegError;
pub use jail::Isolation;
pub use probe::{Probe, isolation, probe};
pub use sandbox::missing_programs;
pub use settings::FfmpegSettings;
