//! Decodes a video in one pass: frames through a pipe, audio to a file.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::jail::{Files, Limits};
use super::matroska::RawFrameReader;
use super::probe::{Probe, file_url, input_args};
use super::sandbox::{ProcessKiller, SandboxedProcess};
use super::{Container, FfmpegError, FfmpegSettings, inspect};

/// Number of frames queued between the reader and the consumer, enough to keep the decoder busy.
const QUEUED_FRAMES: usize = 3;

/// Options of a decode.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeOptions {
    /// Maximum frames per second. The first frame of the video is always included.
    pub max_fps: f64,
    /// Maximum length of the longer side, in pixels.
    pub longest_side: u32,
    /// Maximum length of the shorter side, in pixels.
    pub shortest_side: u32,
    /// File for the audio, as 16 kHz mono signed 16-bit WAV. Not written if the video has no audio.
    pub audio: Option<PathBuf>,
}

/// A decoded frame: planar YUV 4:2:0 in full range with the BT.601 matrix, as in JPEG. Videos in
/// other formats are converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YuvFrame {
    /// Presentation time in milliseconds from the start of the media.
    pub t_ms: u64,
    /// Width in pixels; even.
    pub width: u32,
    /// Height in pixels; even.
    pub height: u32,
    /// The three planes, one after the other.
    pub data: Vec<u8>,
}

impl YuvFrame {
    /// Returns the luma plane, one byte per pixel.
    pub fn y(&self) -> &[u8] {
        &self.data[..self.luma()]
    }

    /// Returns the U (blue difference) plane, one byte per four pixels.
    pub fn u(&self) -> &[u8] {
        let luma = self.luma();
        &self.data[luma..luma + luma / 4]
    }

    /// Returns the V (red difference) plane, one byte per four pixels.
    pub fn v(&self) -> &[u8] {
        let luma = self.luma();
        &self.data[luma + luma / 4..luma + luma / 2]
    }

    fn luma(&self) -> usize {
        self.width as usize * self.height as usize
    }
}

/// Result of waiting for a frame.
#[derive(Debug, PartialEq, Eq)]
pub enum DecodeEvent {
    /// The next frame.
    Frame(YuvFrame),
    /// No frame yet; the decoder is running.
    Waiting,
    /// The video and the audio are complete.
    End,
}

/// A running decode. Kills the child on drop and waits until it has exited.
pub struct Decoder {
    frames: Option<Receiver<YuvFrame>>,
    reader: Option<JoinHandle<Result<(), FfmpegError>>>,
    killer: ProcessKiller,
    deadline: Instant,
    max_ms: u64,
    limit_seconds: u64,
    frames_seen: u64,
    width: u32,
    height: u32,
}

impl Decoder {
    /// Starts to decode the video that `probe` described.
    ///
    /// # Errors
    /// Returns an error if the file is not the probed one, or the program is not found.
    pub fn start(
        path: &Path,
        probe: &Probe,
        options: &DecodeOptions,
        settings: &FfmpegSettings,
    ) -> Result<Decoder, FfmpegError> {
        let container = inspect(path)?;
        let (width, height) = fit_size(probe.width, probe.height, options);
        let args = arguments(path, container, probe, options, (width, height), settings)?;
        let allowed = allowed_time(probe, settings);
        // The child writes only the audio to disk: 32 kB for each second, and a header.
        let seconds = settings.max_duration_seconds.min(probe.duration_ms / 1000 + 60);
        let seconds = if probe.duration_ms == 0 { settings.max_duration_seconds } else { seconds };
        let limits = Limits {
            memory_bytes: settings.memory_mb << 20,
            cpu_seconds: allowed.as_secs().saturating_mul(u64::from(settings.threads.max(1))).max(10),
            file_bytes: 64 * 1024 + 32_000 * (seconds + 2),
        };
        let output = options.audio.clone().filter(|_| probe.audio_stream.is_some());
        if let Some(output) = &output {
            // The child may write it, and create no other.
            std::fs::File::create(output).map_err(|e| FfmpegError::internal("creating the audio", e))?;
        }
        let files = Files { input: Some(path.to_owned()), output };
        let (send, receive) = sync_channel(QUEUED_FRAMES);
        let killer = ProcessKiller::default();
        let job = ReaderJob {
            program: settings.ffmpeg.clone(),
            args,
            files,
            limits,
            killer: killer.clone(),
            width,
            height,
        };
        let reader = std::thread::Builder::new()
            .name("ffmpeg-reader".to_owned())
            .spawn(move || job.run(&send))
            .map_err(|e| FfmpegError::internal("starting a thread", e))?;
        Ok(Decoder {
            frames: Some(receive),
            reader: Some(reader),
            killer,
            deadline: Instant::now() + allowed,
            max_ms: settings.max_duration_seconds * 1000 + 1000,
            limit_seconds: settings.max_duration_seconds,
            frames_seen: 0,
            width,
            height,
        })
    }

    /// Returns the width of the frames.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height of the frames.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the next frame, or [`DecodeEvent::Waiting`] if none arrives within `timeout`.
    ///
    /// # Errors
    /// Returns an error if the media are invalid or a limit was reached. The child has exited then.
    pub fn next_within(&mut self, timeout: Duration) -> Result<DecodeEvent, FfmpegError> {
        let Some(frames) = &self.frames else { return Ok(DecodeEvent::End) };
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            self.stop();
            return Err(FfmpegError::TooCostly("decoding time".to_owned()));
        }
        match frames.recv_timeout(timeout.min(remaining)) {
            Ok(frame) if frame.t_ms > self.max_ms => {
                self.stop();
                Err(FfmpegError::TooLong { seconds: frame.t_ms / 1000, limit: self.limit_seconds })
            }
            Ok(frame) => {
                self.frames_seen += 1;
                Ok(DecodeEvent::Frame(frame))
            }
            Err(RecvTimeoutError::Timeout) => Ok(DecodeEvent::Waiting),
            Err(RecvTimeoutError::Disconnected) => self.end(),
        }
    }

    /// Handles the end of the stream: checks whether the video was complete.
    fn end(&mut self) -> Result<DecodeEvent, FfmpegError> {
        self.frames = None;
        let outcome = self.reader.take().map(JoinHandle::join);
        match outcome {
            Some(Ok(result)) => result?,
            Some(Err(_)) => {
                return Err(FfmpegError::internal("decoding", std::io::Error::other("the reader panicked")));
            }
            None => {}
        }
        if self.frames_seen == 0 {
            return Err(FfmpegError::Unreadable("no frame could be decoded".to_owned()));
        }
        Ok(DecodeEvent::End)
    }

    fn stop(&mut self) {
        self.killer.kill();
        // Closes the queue, so that the reader doesn't wait forever to send a frame.
        self.frames = None;
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The work of the reader thread. The thread starts the child itself, because a child dies with the
/// thread that forked it.
struct ReaderJob {
    program: PathBuf,
    args: Vec<String>,
    files: Files,
    limits: Limits,
    killer: ProcessKiller,
    width: u32,
    height: u32,
}

impl ReaderJob {
    fn run(&self, send: &SyncSender<YuvFrame>) -> Result<(), FfmpegError> {
        let mut child =
            SandboxedProcess::spawn(&self.program, &self.args, (&self.files, self.limits), &self.killer)?;
        let Some(stdout) = child.stdout.take() else {
            return Err(FfmpegError::internal("starting ffmpeg", std::io::ErrorKind::BrokenPipe.into()));
        };
        let bytes = self.width as usize * self.height as usize * 3 / 2;
        let mut frames = RawFrameReader::new(std::io::BufReader::with_capacity(256 * 1024, stdout), bytes);
        loop {
            match frames.next() {
                Ok(Some((t_ms, data))) => {
                    let frame = YuvFrame { t_ms, width: self.width, height: self.height, data };
                    // The consumer is gone. Dropping the child kills it.
                    if send.send(frame).is_err() {
                        return Ok(());
                    }
                }
                Ok(None) => break,
                Err(error) => return Err(FfmpegError::internal("reading from ffmpeg", error)),
            }
        }
        drop(frames);
        let report = child.wait()?;
        report.check()?;
        if report.is_truncated() {
            return Err(FfmpegError::Unreadable("the file is truncated".to_owned()));
        }
        report.check_size()
    }
}

fn allowed_time(probe: &Probe, settings: &FfmpegSettings) -> Duration {
    let seconds = match probe.duration_ms {
        0 => settings.max_duration_seconds,
        known => known.div_ceil(1000),
    };
    let extra = seconds as f64 * settings.decode_seconds_per_media_second.max(0.0);
    Duration::from_secs(settings.decode_base_seconds)
        .saturating_add(Duration::try_from_secs_f64(extra).unwrap_or(Duration::MAX / 4))
}

/// Returns the frame size: reduced to fit, never enlarged, with even sides.
fn fit_size(width: u32, height: u32, options: &DecodeOptions) -> (u32, u32) {
    let (long, short) = (width.max(height), width.min(height));
    let scale = (f64::from(options.longest_side) / f64::from(long))
        .min(f64::from(options.shortest_side) / f64::from(short))
        .min(1.0);
    let even = |side: u32| ((f64::from(side) * scale / 2.0).round() as u32 * 2).max(2);
    (even(width), even(height))
}

fn arguments(
    path: &Path,
    container: Container,
    probe: &Probe,
    options: &DecodeOptions,
    (width, height): (u32, u32),
    settings: &FfmpegSettings,
) -> Result<Vec<String>, FfmpegError> {
    let threads = settings.threads.max(1).to_string();
    let max_duration = (settings.max_duration_seconds + 2).to_string();
    // Selects a frame if the last selected one is at least one period older. The tolerance of 1.5
    // ms allows for containers that round times.
    let period = 1.0 / options.max_fps.max(0.01) - 0.0015;
    let filter = format!(
        "select='isnan(prev_selected_t)+gte(t-prev_selected_t,{period:.4})',\
         scale={width}:{height}:flags=area:out_color_matrix=bt601:out_range=full,format=yuv420p"
    );
    let mut args: Vec<String> =
        ["-nostdin", "-hide_banner", "-nostats", "-v", "error", "-y"].map(String::from).to_vec();
    args.extend(["-threads".to_owned(), threads.clone(), "-filter_threads".to_owned(), "1".to_owned()]);
    args.extend(["-t".to_owned(), max_duration]);
    args.extend(input_args(container, settings));
    args.extend(["-i".to_owned(), file_url(path)?]);
    let reproducible = ["-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-sn", "-dn"];
    if let (Some(audio), Some(stream)) = (&options.audio, probe.audio_stream) {
        args.extend(["-map".to_owned(), format!("0:{stream}")]);
        args.extend(reproducible.map(String::from));
        // Fills gaps, so that audio that starts late or has gaps keeps its times.
        args.extend(
            ["-af", "aresample=16000:async=1:first_pts=0", "-ac", "1", "-ar", "16000"].map(String::from),
        );
        args.extend(["-c:a", "pcm_s16le", "-flags", "+bitexact", "-f", "wav"].map(String::from));
        args.push(file_url(audio)?);
    }
    args.extend(["-map".to_owned(), format!("0:{}", probe.video_stream), "-vf".to_owned(), filter]);
    args.extend(reproducible.map(String::from));
    args.extend(
        ["-an", "-fps_mode", "passthrough", "-c:v", "rawvideo", "-f", "matroska", "pipe:1"].map(String::from),
    );
    Ok(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_reduced_to_fit_and_never_enlarged() {
        let options = DecodeOptions { max_fps: 5.0, longest_side: 1280, shortest_side: 720, audio: None };
        assert_eq!(fit_size(1920, 1080, &options), (1280, 720));
        assert_eq!(fit_size(1080, 1920, &options), (720, 1280));
        assert_eq!(fit_size(640, 361, &options), (640, 362));
        assert_eq!(fit_size(1, 1, &options), (2, 2));
        assert_eq!(fit_size(4000, 1000, &options), (1280, 320));
    }
}
