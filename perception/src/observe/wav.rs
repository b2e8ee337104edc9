//! Reads the sound file that the ingest stage wrote: 16 kHz, mono, signed 16-bit WAV.

use std::fs::File;
use std::io::{BufReader, Error, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

/// Samples per second.
pub(super) const SAMPLE_RATE_HZ: usize = 16_000;

/// Reads samples in chunks, so that hours of sound need little memory.
pub(super) struct WavReader {
    input: BufReader<File>,
    /// Number of samples not read yet.
    remaining: usize,
    /// Number of samples in the file.
    pub total: usize,
}

impl WavReader {
    /// Opens a file and seeks to its samples (RIFF, chunk by chunk).
    pub(super) fn open(path: &Path) -> std::io::Result<WavReader> {
        let size = std::fs::metadata(path)?.len();
        let mut input = BufReader::with_capacity(64 * 1024, File::open(path)?);
        let invalid = |reason: &str| Error::new(ErrorKind::InvalidData, reason.to_owned());
        let mut head = [0; 12];
        input.read_exact(&mut head)?;
        if &head[..4] != b"RIFF" || &head[8..] != b"WAVE" {
            return Err(invalid("not a WAV file"));
        }
        let mut has_format = false;
        loop {
            let mut chunk = [0; 8];
            input.read_exact(&mut chunk)?;
            let length = u64::from(u32::from_le_bytes([chunk[4], chunk[5], chunk[6], chunk[7]]));
            match &chunk[..4] {
                b"fmt " if length >= 16 => {
                    let mut format = vec![0; length as usize];
                    input.read_exact(&mut format)?;
                    let (channels, rate, bits) = (format[2], &format[4..8], format[14]);
                    if channels != 1 || rate != (SAMPLE_RATE_HZ as u32).to_le_bytes() || bits != 16 {
                        return Err(invalid("not 16 kHz mono of 16 bits"));
                    }
                    has_format = true;
                }
                b"data" if has_format => {
                    // A writer that was killed leaves a wrong length in the header.
                    let data_start = input.stream_position()?;
                    let total = (length.min(size.saturating_sub(data_start)) / 2) as usize;
                    return Ok(WavReader { input, remaining: total, total });
                }
                _ => {
                    input.seek(SeekFrom::Current(length as i64 + (length & 1) as i64))?;
                }
            }
        }
    }

    /// Reads up to `count` samples, from −1 to 1; fewer only at the end of the file.
    pub(super) fn read(&mut self, count: usize) -> std::io::Result<Vec<f32>> {
        let count = count.min(self.remaining);
        let mut bytes = vec![0; count * 2];
        self.input.read_exact(&mut bytes)?;
        self.remaining -= count;
        Ok(bytes.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0).collect())
    }
}

#[cfg(test)]
pub(super) fn write(path: &Path, samples: &[i16]) {
    let mut out = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    out.extend(16_000_u32.to_le_bytes());
    out.extend(32_000_u32.to_le_bytes());
    out.extend([2, 0, 16, 0]);
    out.extend(b"LIST\x03\0\0\0abc\0data");
    out.extend((samples.len() as u32 * 2).to_le_bytes());
    out.extend(samples.iter().flat_map(|s| s.to_le_bytes()));
    std::fs::write(path, out).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_samples_in_chunks() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.wav");
        write(&path, &[0, 16_384, -32_768, 8_192]);
        let mut wav = WavReader::open(&path).unwrap();
        assert_eq!(wav.total, 4);
        assert_eq!(wav.read(3).unwrap(), [0.0, 0.5, -1.0]);
        assert_eq!(wav.read(3).unwrap(), [0.25]);
        assert!(wav.read(3).unwrap().is_empty());
    }

    #[test]
    fn refuses_other_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.wav");
        std::fs::write(&path, b"OggS").unwrap();
        assert!(WavReader::open(&path).is_err());
    }
}
