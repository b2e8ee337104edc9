//! Fuzz targets of the parsers of containers. They return the kind of their outcome.

use std::io::Cursor;

use super::{
    FfmpegError,
    container::{WalkError, inspect_stream},
    matroska::RawFrameReader,
};

/// Size of a raw frame of the stream, in bytes.
const FRAME_BYTES: usize = 16;

/// Inspects a container: boxes of MP4 and QuickTime, EBML of Matroska.
///
/// # Panics
/// Panics if the inspection reports an error of the disk, which bytes in memory never have.
#[must_use]
pub fn container(bytes: &[u8]) -> String {
    match inspect_stream(&mut Cursor::new(bytes)) {
        Ok(container) => format!("{container:?}"),
        Err(WalkError::Io(error)) => unreachable!("read past the end: {error}"),
        Err(WalkError::Media(FfmpegError::Unreadable(reason))) => reason,
        Err(WalkError::Media(error)) => error.to_string(),
    }
}

/// Reads the frames of a Matroska stream, as the service reads them from ffmpeg.
#[must_use]
pub fn raw_frames(bytes: &[u8]) -> String {
    let mut reader = RawFrameReader::new(bytes, FRAME_BYTES);
    let mut frames = 0_u32;
    loop {
        match reader.next() {
            Ok(Some((_, frame))) => {
                assert_eq!(frame.len(), FRAME_BYTES);
                frames += 1;
            }
            Ok(None) => return format!("{} frames", frames.min(16)),
            Err(error) => return format!("{} frames, {:?}", frames.min(16), error.kind()),
        }
    }
}
