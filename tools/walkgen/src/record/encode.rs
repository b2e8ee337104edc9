//! Encodes frames and sound with ffmpeg.

use std::{
    io::Write,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::render::frames::Picture;

/// A running ffmpeg that encodes frames.
pub(crate) struct Encoder {
    child: Child,
    input: Option<ChildStdin>,
}

/// Bits per second of a 1280×720 video. Other sizes are in proportion to their area.
const BIT_RATE_720P: f64 = 4e6;

impl Encoder {
    /// Starts an H.264 video with sound as AAC. ffmpeg uses one thread and writes no metadata, so
    /// that the same frames give the same file.
    ///
    /// # Errors
    /// Returns an error if ffmpeg cannot be started.
    pub(crate) fn video(size: (usize, usize), fps: u32, sound: Option<&Path>, out: &Path) -> Result<Self> {
        let mut command = input(size, fps);
        if let Some(sound) = sound {
            command.arg("-i").arg(sound).args(["-c:a", "aac", "-b:a", "96k", "-ac", "1"]);
        }
        let rate = BIT_RATE_720P * (size.0 * size.1) as f64 / (1280.0 * 720.0);
        let (rate, max_rate, buffer) =
            (format!("{rate:.0}"), format!("{:.0}", rate * 1.5), format!("{:.0}", rate * 2.0));
        command.args([
            "-c:v", "libx264", "-preset", "veryfast", "-trellis", "0", "-threads", "1", "-pix_fmt", "yuv420p",
        ]);
        command.args([
            "-b:v",
            &rate,
            "-maxrate",
            &max_rate,
            "-bufsize",
            &buffer,
            "-g",
            &(fps * 2).to_string(),
        ]);
        command.args(["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709"]);
        command.args(["-color_trc", "bt709", "-map_metadata", "-1", "-fflags", "+bitexact"]);
        command.args(["-flags:v", "+bitexact", "-flags:a", "+bitexact", "-movflags", "+faststart"]);
        Self::start(command.arg(out))
    }

    /// Starts a series of JPEG photos. `pattern` is a path with a `%03d`.
    ///
    /// # Errors
    /// Returns an error if ffmpeg cannot be started.
    pub(crate) fn photos(size: (usize, usize), pattern: &Path) -> Result<Self> {
        let mut command = input(size, 1);
        command.args(["-vf", "scale=in_color_matrix=bt709:out_color_matrix=bt601:in_range=tv:out_range=pc"]);
        command.args(["-pix_fmt", "yuvj420p", "-c:v", "mjpeg", "-q:v", "3", "-threads", "1"]);
        command.args(["-fflags", "+bitexact", "-flags:v", "+bitexact", "-f", "image2", "-start_number", "0"]);
        Self::start(command.arg(pattern))
    }

    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .spawn()
            .context("ffmpeg could not be started; `cargo xtask setup` installs it")?;
        let input = child.stdin.take();
        Ok(Self { child, input })
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// Returns an error if ffmpeg has exited.
    pub(crate) fn push(&mut self, picture: &Picture) -> Result<()> {
        let input = self.input.as_mut().context("the encoder is already finished")?;
        input.write_all(&picture.planes).context("ffmpeg exited early")
    }

    /// Waits until ffmpeg has written everything.
    ///
    /// # Errors
    /// Returns an error if ffmpeg fails.
    pub(crate) fn finish(mut self) -> Result<()> {
        drop(self.input.take());
        let status = self.child.wait()?;
        if !status.success() {
            bail!("ffmpeg failed with {status}");
        }
        Ok(())
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

fn input((width, height): (usize, usize), fps: u32) -> Command {
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]);
    command.args(["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", &format!("{width}x{height}")]);
    command.args(["-r", &fps.to_string(), "-i", "pipe:0"]);
    command
}
