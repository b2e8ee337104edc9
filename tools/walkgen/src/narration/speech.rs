//! Speech from espeak-ng, and WAV files.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::random::Random;

/// Samples per second of the sound. espeak-ng speaks at this rate.
pub(crate) const SAMPLE_RATE: u32 = 22_050;
/// Amplitude below which samples at the end of a sentence are cut off.
const SILENCE_AMPLITUDE: u16 = 64;
/// Bytes of a chunk's identifier and length, in a WAV file.
const CHUNK_HEADER_BYTES: usize = 8;

/// A voice of espeak-ng.
pub(super) struct Voice {
    words_per_minute: String,
    pitch: String,
    folder: TempDir,
}

impl Voice {
    /// Chooses the speed and the pitch of a voice.
    ///
    /// # Errors
    /// Returns an error if no temporary folder can be created.
    pub(super) fn choose(random: &mut Random) -> Result<Self> {
        let (speed, pitch) = (148 + random.below(18), 38 + random.below(22));
        let folder = tempfile::tempdir()?;
        Ok(Self { words_per_minute: speed.to_string(), pitch: pitch.to_string(), folder })
    }

    /// Speaks a sentence and returns its samples, without the silence at the end.
    ///
    /// # Errors
    /// Returns an error if espeak-ng cannot be started, fails, or speaks at another sample rate.
    pub(super) fn speak(&self, text: &str) -> Result<Vec<i16>> {
        let file = self.folder.path().join("sentence.wav");
        let mut espeak = Command::new("espeak-ng");
        espeak.args(["-v", "en-us", "-s", &self.words_per_minute, "-p", &self.pitch, "-w"]);
        espeak.arg(&file).arg(text).stdin(Stdio::null());
        let output =
            espeak.output().context("espeak-ng could not be started; `cargo xtask setup` installs it")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "espeak-ng failed with {}: {}", output.status, errors.trim());

        let bytes = fs::read(&file)?;
        let data = bytes.windows(4).position(|w| w == b"data").context("espeak-ng wrote no sound")?;
        let rate = bytes.get(24..28).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        ensure!(
            rate == Some(SAMPLE_RATE),
            "espeak-ng speaks at {rate:?} samples per second instead of {SAMPLE_RATE}"
        );
        let samples = bytes[data + CHUNK_HEADER_BYTES..].chunks_exact(2);
        let mut samples: Vec<i16> = samples.map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
        while samples.last().is_some_and(|s| s.unsigned_abs() < SILENCE_AMPLITUDE) {
            samples.pop();
        }
        Ok(samples)
    }
}

/// Writes a mono WAV file of 16-bit samples.
///
/// # Errors
/// Returns an error if the sound is too long for the format or the file cannot be written.
pub(crate) fn write_wav(path: &Path, samples: &[i16]) -> Result<()> {
    let size = u32::try_from(samples.len() * 2).context("the sound is too long for a WAV file")?;
    let mut bytes = Vec::with_capacity(44 + samples.len() * 2);
    bytes.extend(b"RIFF");
    bytes.extend((36 + size).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16_u32.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(SAMPLE_RATE.to_le_bytes());
    bytes.extend((SAMPLE_RATE * 2).to_le_bytes());
    bytes.extend(2_u16.to_le_bytes());
    bytes.extend(16_u16.to_le_bytes());
    bytes.extend(b"data");
    bytes.extend(size.to_le_bytes());
    bytes.extend(samples.iter().flat_map(|s| s.to_le_bytes()));
    fs::write(path, bytes)?;
    Ok(())
}
