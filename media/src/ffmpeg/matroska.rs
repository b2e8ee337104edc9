//! Reads the Matroska stream of raw frames that ffmpeg writes to a pipe.
//!
//! Matroska carries the time of each frame, so videos with a variable frame rate keep exact times.
//! The reader supports only what ffmpeg writes (RFC 9559): it enters master elements of any size,
//! reads timecodes and blocks, and skips all other elements.

use std::io::{self, Read};

const SEGMENT: u32 = 0x1853_8067;
const CLUSTER: u32 = 0x1F43_B675;
const BLOCK_GROUP: u32 = 0xA0;
const TIMECODE: u32 = 0xE7;
const SIMPLE_BLOCK: u32 = 0xA3;
const BLOCK: u32 = 0xA1;

/// Reads frames of a known size, with their times.
pub(super) struct RawFrameReader<R> {
    input: R,
    frame_bytes: usize,
    cluster_ms: u64,
}

impl<R: Read> RawFrameReader<R> {
    pub(super) fn new(input: R, frame_bytes: usize) -> RawFrameReader<R> {
        RawFrameReader { input, frame_bytes, cluster_ms: 0 }
    }

    /// Returns the time of the next frame in milliseconds, and its bytes. Returns `None` at the end
    /// of the stream, even within a frame; the child's exit status tells whether the stream was
    /// complete.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        match self.element() {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            other => other,
        }
    }

    fn element(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        loop {
            let id = self.id()?;
            let size = self.size()?;
            match id {
                SEGMENT | CLUSTER | BLOCK_GROUP => {}
                TIMECODE => self.cluster_ms = self.unsigned(size)?,
                SIMPLE_BLOCK | BLOCK => return self.block(size).map(Some),
                _ => {
                    let skipped = io::copy(&mut (&mut self.input).take(size), &mut io::sink())?;
                    if skipped < size {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
    }

    fn block(&mut self, size: u64) -> io::Result<(u64, Vec<u8>)> {
        // Track number (one byte, because there is one track), time relative to the cluster, flags.
        let mut head = [0; 4];
        if size != (self.frame_bytes + head.len()) as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a frame of {size} bytes")));
        }
        self.input.read_exact(&mut head)?;
        let offset = i64::from(i16::from_be_bytes([head[1], head[2]]));
        let mut frame = vec![0; self.frame_bytes];
        self.input.read_exact(&mut frame)?;
        Ok((self.cluster_ms.saturating_add_signed(offset), frame))
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn id(&mut self) -> io::Result<u32> {
        let first = self.byte()?;
        let length = first.leading_zeros() + 1;
        if length > 4 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "invalid element id"));
        }
        (1..length).try_fold(u32::from(first), |id, _| Ok(id << 8 | u32::from(self.byte()?)))
    }

    fn size(&mut self) -> io::Result<u64> {
        let first = self.byte()?;
        let length = first.leading_zeros() + 1;
        if length > 8 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "invalid element size"));
        }
        let value = u64::from(first) & ((1 << (8 - length)) - 1);
        (1..length).try_fold(value, |value, _| Ok(value << 8 | u64::from(self.byte()?)))
    }

    fn unsigned(&mut self, size: u64) -> io::Result<u64> {
        if size > 8 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "invalid unsigned integer"));
        }
        (0..size).try_fold(0, |value, _| Ok(value << 8 | u64::from(self.byte()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_and_frames_of_clusters_of_known_and_unknown_size() {
        let mut bytes = vec![0x1a, 0x45, 0xdf, 0xa3, 0x82, 1, 2]; // header, skipped
        bytes.extend([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        bytes.extend([0x1f, 0x43, 0xb6, 0x75, 0x8c, 0xe7, 0x82, 0x03, 0xe8]); // cluster at 1000
        bytes.extend([0xa3, 0x86, 0x81, 0xff, 0xf6, 0x80, 7, 8]); // −10
        bytes.extend([0x1f, 0x43, 0xb6, 0x75, 0xff, 0xe7, 0x82, 0x07, 0xd0]); // cluster at 2000
        bytes.extend([0xa0, 0x88, 0xa1, 0x86, 0x81, 0, 5, 0, 9, 10]); // block in a group, +5
        bytes.extend([0xa3, 0x86, 0x81, 0, 5]); // cut off
        let mut pictures = RawFrameReader::new(&bytes[..], 2);
        assert_eq!(pictures.next().unwrap(), Some((990, vec![7, 8])));
        assert_eq!(pictures.next().unwrap(), Some((2005, vec![9, 10])));
        assert_eq!(pictures.next().unwrap(), None);
    }

    #[test]
    fn rejects_frames_of_another_size() {
        assert!(RawFrameReader::new(&[0xa3, 0x86, 0x81, 0, 0, 0, 1, 2][..], 3).next().is_err());
    }
}
