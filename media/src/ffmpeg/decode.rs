//! One pass over a video: pictures through a pipe, the sound into a file.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::child::{Killer, Limits, Sandboxed};
use super::matroska::Pictures;
use super::probe::{Probe, file_url, input_args};
use super::{Container, FfmpegError, FfmpegSettings, inspect};

/// Pictures that wait between the reader and who looks at them: enough to keep the decoder busy.
const QUEUE: usize = 3;

/// What is wanted of a video.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeOptions {
    /// Most pictures a second; the first of the video is always one of them.
    pub max_fps: f64,
    /// The longer side is reduced to at most this…
    pub longest_side: u32,
    /// …and the shorter to at most this.
    pub shortest_side: u32,
    /// Where the sound goes, as 16 kHz mono signed 16-bit WAV; nowhere when there is none.
    pub audio: Option<PathBuf>,
}

/// A picture as decoded: planar Y, U, V with the colours at half width and height, in the full range and by
/// the matrix (BT.601) that JPEG has, whatever the video has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YuvFrame {
    /// When it is shown, in milliseconds from the start of the media.
    pub t_ms: u64,
    /// Width in pixels; even.
    pub width: u32,
    /// Height in pixels; even.
    pub height: u32,
    /// The three planes, one after the other.
    pub data: Vec<u8>,
}

impl YuvFrame {
    /// The lightness, one byte a pixel.
    pub fn y(&self) -> &[u8] {
        &self.data[..self.luma()]
    }

    /// Blueness, one byte for four pixels.
    pub fn u(&self) -> &[u8] {
        let luma = self.luma();
        &self.data[luma..luma + luma / 4]
    }

    /// Redness, one byte for four pixels.
    pub fn v(&self) -> &[u8] {
        let luma = self.luma();
        &self.data[luma + luma / 4..luma + luma / 2]
    }

    fn luma(&self) -> usize {
        self.width as usize * self.height as usize
    }
}

/// What came while waiting for a picture.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// The next picture.
    Picture(YuvFrame),
    /// Nothing yet; the decoder is alive.
    Waiting,
    /// Pictures and sound are complete.
    End,
}

/// A running decode. Dropping it kills the child and waits until it is gone.
pub struct Decoder {
    pictures: Option<Receiver<YuvFrame>>,
    reader: Option<JoinHandle<Result<(), FfmpegError>>>,
    killer: Killer,
    deadline: Instant,
    max_ms: u64,
    limit_seconds: u64,
    seen: u64,
    width: u32,
    height: u32,
}

impl Decoder {
    /// Starts to decode what `probe` described.
    ///
    /// # Errors
    /// When the file is not what was probed, or the program cannot be found.
    pub fn start(
        path: &Path,
        probe: &Probe,
        options: &DecodeOptions,
        settings: &FfmpegSettings,
    ) -> Result<Decoder, FfmpegError> {
        let container = inspect(path)?;
        let (width, height) = fitted(probe.width, probe.height, options);
        let args = arguments(path, container, probe, options, (width, height), settings)?;
        let allowed = allowed_time(probe, settings);
        // Sound is all it writes to disk: 32 kB a second, and a header.
        let seconds = settings.max_duration_seconds.min(probe.duration_ms / 1000 + 60);
        let seconds = if probe.duration_ms == 0 { settings.max_duration_seconds } else { seconds };
        let limits = Limits {
            memory_bytes: settings.memory_mb << 20,
            cpu_seconds: allowed.as_secs().saturating_mul(u64::from(settings.threads.max(1))).max(10),
            file_bytes: 64 * 1024 + 32_000 * (seconds + 2),
        };
        let (send, receive) = sync_channel(QUEUE);
        let killer = Killer::default();
        let job =
            Job { program: settings.ffmpeg.clone(), args, limits, killer: killer.clone(), width, height };
        let reader = std::thread::Builder::new()
            .name("ffmpeg-reader".to_owned())
            .spawn(move || job.run(&send))
            .map_err(|e| FfmpegError::internal("starting a thread", e))?;
        Ok(Decoder {
            pictures: Some(receive),
            reader: Some(reader),
            killer,
            deadline: Instant::now() + allowed,
            max_ms: settings.max_duration_seconds * 1000 + 1000,
            limit_seconds: settings.max_duration_seconds,
            seen: 0,
            width,
            height,
        })
    }

    /// Width of its pictures.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height of its pictures.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The next picture, or [`Next::Waiting`] after `patience` without one.
    ///
    /// # Errors
    /// What the decoder found wrong with the media, or the limit it reached; the child is gone then.
    pub fn next_within(&mut self, patience: Duration) -> Result<Next, FfmpegError> {
        let Some(pictures) = &self.pictures else { return Ok(Next::End) };
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            self.stop();
            return Err(FfmpegError::TooCostly("time to decode it".to_owned()));
        }
        match pictures.recv_timeout(patience.min(left)) {
            Ok(frame) if frame.t_ms > self.max_ms => {
                self.stop();
                Err(FfmpegError::TooLong { seconds: frame.t_ms / 1000, limit: self.limit_seconds })
            }
            Ok(frame) => {
                self.seen += 1;
                Ok(Next::Picture(frame))
            }
            Err(RecvTimeoutError::Timeout) => Ok(Next::Waiting),
            Err(RecvTimeoutError::Disconnected) => self.end(),
        }
    }

    /// The reader is through: says whether the media was whole.
    fn end(&mut self) -> Result<Next, FfmpegError> {
        self.pictures = None;
        let outcome = self.reader.take().map(JoinHandle::join);
        match outcome {
            Some(Ok(result)) => result?,
            Some(Err(_)) => {
                return Err(FfmpegError::internal("decoding", std::io::Error::other("the reader panicked")));
            }
            None => {}
        }
        if self.seen == 0 {
            return Err(FfmpegError::Unreadable("not one picture could be decoded".to_owned()));
        }
        Ok(Next::End)
    }

    fn stop(&mut self) {
        self.killer.kill();
        // A reader that waits to hand over a picture must not wait for ever.
        self.pictures = None;
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

/// What the reader thread does. It starts the child itself: a child dies with the thread that forked it.
struct Job {
    program: PathBuf,
    args: Vec<String>,
    limits: Limits,
    killer: Killer,
    width: u32,
    height: u32,
}

impl Job {
    fn run(&self, send: &SyncSender<YuvFrame>) -> Result<(), FfmpegError> {
        let mut child = Sandboxed::spawn(&self.program, &self.args, self.limits, &self.killer)?;
        let Some(stdout) = child.stdout.take() else {
            return Err(FfmpegError::internal("starting ffmpeg", std::io::ErrorKind::BrokenPipe.into()));
        };
        let bytes = self.width as usize * self.height as usize * 3 / 2;
        let mut pictures = Pictures::new(std::io::BufReader::with_capacity(256 * 1024, stdout), bytes);
        loop {
            match pictures.next() {
                Ok(Some((t_ms, data))) => {
                    let frame = YuvFrame { t_ms, width: self.width, height: self.height, data };
                    // Nobody wants more: the child is killed as it is dropped.
                    if send.send(frame).is_err() {
                        return Ok(());
                    }
                }
                Ok(None) => break,
                Err(error) => return Err(FfmpegError::internal("reading from ffmpeg", error)),
            }
        }
        drop(pictures);
        let ended = child.wait()?;
        ended.check()?;
        if ended.cut_off() {
            return Err(FfmpegError::Unreadable("the file ends in the middle".to_owned()));
        }
        ended.check_size()
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

/// The size of the pictures: reduced to fit, never enlarged, with even sides.
fn fitted(width: u32, height: u32, options: &DecodeOptions) -> (u32, u32) {
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
    let longest = (settings.max_duration_seconds + 2).to_string();
    // A picture is taken when the last one taken is at least a period back; half a millisecond forgives
    // containers that round their times.
    let period = 1.0 / options.max_fps.max(0.01) - 0.0015;
    let filter = format!(
        "select='isnan(prev_selected_t)+gte(t-prev_selected_t,{period:.4})',\
         scale={width}:{height}:flags=area:out_color_matrix=bt601:out_range=full,format=yuv420p"
    );
    let mut args: Vec<String> =
        ["-nostdin", "-hide_banner", "-nostats", "-v", "error", "-y"].map(String::from).to_vec();
    args.extend(["-threads".to_owned(), threads.clone(), "-filter_threads".to_owned(), "1".to_owned()]);
    args.extend(["-t".to_owned(), longest]);
    args.extend(input_args(container, settings));
    args.extend(["-i".to_owned(), file_url(path)?]);
    let exact = ["-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-sn", "-dn"];
    if let (Some(audio), Some(stream)) = (&options.audio, probe.audio_stream) {
        args.extend(["-map".to_owned(), format!("0:{stream}")]);
        args.extend(exact.map(String::from));
        // Sound that starts late or has gaps keeps its place in time.
        args.extend(
            ["-af", "aresample=16000:async=1:first_pts=0", "-ac", "1", "-ar", "16000"].map(String::from),
        );
        args.extend(["-c:a", "pcm_s16le", "-flags", "+bitexact", "-f", "wav"].map(String::from));
        args.push(file_url(audio)?);
    }
    args.extend(["-map".to_owned(), format!("0:{}", probe.video_stream), "-vf".to_owned(), filter]);
    args.extend(exact.map(String::from));
    args.extend(
        ["-an", "-fps_mode", "passthrough", "-c:v", "rawvideo", "-f", "matroska", "pipe:1"].map(String::from),
    );
    Ok(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_reduced_to_fit_and_never_enlarged() {
        let options = DecodeOptions { max_fps: 5.0, longest_side: 1280, shortest_side: 720, audio: None };
        assert_eq!(fitted(1920, 1080, &options), (1280, 720));
        assert_eq!(fitted(1080, 1920, &options), (720, 1280));
        assert_eq!(fitted(640, 361, &options), (640, 362));
        assert_eq!(fitted(1, 1, &options), (2, 2));
        assert_eq!(fitted(4000, 1000, &options), (1280, 320));
    }
}
