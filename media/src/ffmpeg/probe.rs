//! Describes a video with ffprobe, without decoding it completely.

use std::io::Read;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::jail::{Files, Isolation, Limits};
use super::sandbox::{ProcessKiller, SandboxedProcess};
use super::{Container, FfmpegError, FfmpegSettings, inspect};

/// Maximum size of ffprobe's output for a file.
const MAX_OUTPUT_BYTES: u64 = 1024 * 1024;

/// Allowed decoders: the formats of cameras, phones and editors. Each decoder is attack surface.
/// The subtitle decoders are included because ffprobe fails on files with a stream that it may not
/// open.
pub(super) const CODECS: &str = "h264,hevc,libdav1d,av1,vp8,vp9,libvpx,libvpx-vp9,mpeg4,mpeg2video,mpeg1video,\
h263,mjpeg,prores,dnxhd,ffv1,rawvideo,aac,mp3,mp3float,mp2,mp2float,opus,libopus,vorbis,libvorbis,flac,alac,ac3,eac3,\
amrnb,amrwb,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_f32le,pcm_u8,pcm_mulaw,pcm_alaw,dca,truehd,wmav2,\
adpcm_ms,adpcm_ima_qt,adpcm_ima_wav,mov_text,subrip,srt,ass,ssa,webvtt,text,dvdsub,pgssub";

/// Metadata of a video from its container and headers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Duration in milliseconds; 0 if unknown.
    pub duration_ms: u64,
    /// Display width in pixels: after rotation, with square pixels.
    pub width: u32,
    /// Display height in pixels.
    pub height: u32,
    /// Average frames per second; 0 if unknown.
    pub fps: f64,
    /// Whether there is audio that can be decoded.
    pub has_audio: bool,
    /// Name of the video codec.
    pub codec: String,
    /// Name of ffmpeg's demuxer for the container.
    pub container: String,
    /// Clockwise rotation of the displayed frames, in degrees.
    pub rotation: i32,
    /// Index of the video stream in the file.
    pub video_stream: u32,
    /// Index of the first audio stream in the file.
    pub audio_stream: Option<u32>,
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    streams: Vec<Stream>,
    #[serde(default)]
    format: Format,
}

#[derive(Deserialize, Default)]
struct Format {
    duration: Option<String>,
}

#[derive(Deserialize)]
struct Stream {
    index: u32,
    codec_type: Option<String>,
    codec_name: Option<String>,
    width: Option<u32>,
    height: Option<u32>,
    sample_aspect_ratio: Option<String>,
    avg_frame_rate: Option<String>,
    sample_rate: Option<String>,
    duration: Option<String>,
    #[serde(default)]
    disposition: std::collections::BTreeMap<String, i32>,
    #[serde(default)]
    side_data_list: Vec<SideData>,
}

#[derive(Deserialize)]
struct SideData {
    rotation: Option<f64>,
}

/// Describes a video and checks it against the limits. Blocks for at most
/// [`FfmpegSettings::probe_seconds`].
///
/// # Errors
/// Returns any [`FfmpegError`] that can be detected without decoding.
pub fn probe(path: &Path, settings: &FfmpegSettings) -> Result<Probe, FfmpegError> {
    let container = inspect(path)?;
    let mut args = input_args(container, settings);
    args.splice(
        0..0,
        ["-v", "warning", "-print_format", "json", "-show_format", "-show_streams"].map(String::from),
    );
    args.extend(["-i".to_owned(), file_url(path)?]);
    let stdout = run(path, &args, settings)?;
    let output: Output = serde_json::from_slice(&stdout)
        .map_err(|e| FfmpegError::Unreadable(format!("ffprobe's output: {e}")))?;
    let probe = describe(output, container)?;
    check_limits(&probe, settings)?;
    Ok(probe)
}

/// Starts a decoder without media, and returns what separates it from the rest of the machine.
///
/// # Errors
/// Returns an error if the decoder cannot be started.
pub fn isolation(settings: &FfmpegSettings) -> Result<Isolation, FfmpegError> {
    let (args, killer) = (["-version".to_owned()], ProcessKiller::default());
    let limits = limits(settings);
    let mut child = SandboxedProcess::spawn(&settings.ffprobe, &args, (&Files::default(), limits), &killer)?;
    let isolation = child.isolation;
    // It writes less than the pipe holds.
    drop(child.stdout.take());
    child.wait()?;
    Ok(isolation)
}

fn limits(settings: &FfmpegSettings) -> Limits {
    Limits { memory_bytes: settings.memory_mb << 20, cpu_seconds: settings.probe_seconds, file_bytes: 0 }
}

/// Returns the input options of ffprobe and ffmpeg.
pub(super) fn input_args(container: Container, settings: &FfmpegSettings) -> Vec<String> {
    let max_pixels = settings.max_pixels.to_string();
    [
        "-protocol_whitelist",
        "file,pipe",
        "-format_whitelist",
        container.demuxer(),
        "-codec_whitelist",
        CODECS,
        "-max_streams",
        "64",
        "-max_pixels",
        &max_pixels,
        "-f",
        container.demuxer(),
    ]
    .map(String::from)
    .to_vec()
}

/// Converts a path to a `file:` URL, so that ffmpeg doesn't parse a protocol from it.
pub(super) fn file_url(path: &Path) -> Result<String, FfmpegError> {
    let absolute = std::path::absolute(path).map_err(|e| FfmpegError::internal("resolving a path", e))?;
    absolute.to_str().map(|text| format!("file:{text}")).ok_or_else(|| {
        FfmpegError::internal("resolving a path", std::io::Error::other("the path is not Unicode"))
    })
}

fn run(path: &Path, args: &[String], settings: &FfmpegSettings) -> Result<Vec<u8>, FfmpegError> {
    let limits = limits(settings);
    let files = Files { input: Some(path.to_owned()), output: None };
    let killer = ProcessKiller::default();
    let mut child = SandboxedProcess::spawn(&settings.ffprobe, args, (&files, limits), &killer)?;
    let Some(stdout) = child.stdout.take() else {
        return Err(FfmpegError::internal("starting ffprobe", std::io::ErrorKind::BrokenPipe.into()));
    };
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = stdout.take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes);
        let _ = send.send(result);
    });
    let bytes = match receive.recv_timeout(Duration::from_secs(settings.probe_seconds)) {
        Ok(result) => result.map_err(|e| FfmpegError::internal("reading from ffprobe", e))?,
        // Dropping the child kills it, which ends the reader thread too.
        Err(_) => return Err(FfmpegError::TooCostly("probing time".to_owned())),
    };
    if bytes.len() as u64 > MAX_OUTPUT_BYTES {
        return Err(FfmpegError::TooCostly("size of the metadata".to_owned()));
    }
    let report = child.wait()?;
    if report.has_external_reference() {
        return Err(FfmpegError::NotSelfContained("its media are in another file".to_owned()));
    }
    report.check()?;
    report.check_size()?;
    Ok(bytes)
}

fn describe(output: Output, container: Container) -> Result<Probe, FfmpegError> {
    let is_video = |s: &&Stream| {
        s.codec_type.as_deref() == Some("video") && s.disposition.get("attached_pic").is_none_or(|p| *p == 0)
    };
    let video = output.streams.iter().find(is_video).ok_or(FfmpegError::NoVideoStream)?;
    let codec = video.codec_name.clone().filter(|name| name != "unknown");
    let codec =
        codec.ok_or_else(|| FfmpegError::Unreadable("the video codec is not supported".to_owned()))?;
    let (Some(width), Some(height)) = (video.width.filter(|w| *w > 0), video.height.filter(|h| *h > 0))
    else {
        return Err(FfmpegError::Unreadable("the video has no frame size".to_owned()));
    };
    let audio = output.streams.iter().find(|s| {
        s.codec_type.as_deref() == Some("audio")
            && s.codec_name.as_deref().is_some_and(|name| name != "unknown")
            && s.sample_rate.as_deref().and_then(|r| r.parse::<u32>().ok()).is_some_and(|r| r > 0)
    });
    let rotation = video.side_data_list.iter().find_map(|s| s.rotation).map_or(0, |r| {
        // ffprobe reports counter-clockwise rotation.
        let clockwise = -(r.round().clamp(-360.0, 360.0) as i32);
        clockwise.rem_euclid(360)
    });
    let width = display_width(width, video.sample_aspect_ratio.as_deref());
    let (width, height) = if rotation % 180 == 90 { (height, width) } else { (width, height) };
    let duration = output.format.duration.as_ref().or(video.duration.as_ref());
    Ok(Probe {
        duration_ms: duration.and_then(|d| d.parse::<f64>().ok()).map_or(0, milliseconds),
        width,
        height,
        fps: video
            .avg_frame_rate
            .as_deref()
            .and_then(|r| parse_ratio(r, '/'))
            .map_or(0.0, |f| (f * 1e3).round() / 1e3),
        has_audio: audio.is_some(),
        codec,
        container: container.demuxer().to_owned(),
        rotation,
        video_stream: video.index,
        audio_stream: audio.map(|s| s.index),
    })
}

fn check_limits(probe: &Probe, settings: &FfmpegSettings) -> Result<(), FfmpegError> {
    let (width, height) = (probe.width, probe.height);
    let pixels = u64::from(width) * u64::from(height);
    if width.max(height) > settings.max_side || pixels > u64::from(settings.max_pixels) {
        return Err(FfmpegError::TooLarge { width, height });
    }
    let seconds = probe.duration_ms / 1000;
    if seconds > settings.max_duration_seconds {
        return Err(FfmpegError::TooLong { seconds, limit: settings.max_duration_seconds });
    }
    Ok(())
}

/// Returns the width with square pixels.
fn display_width(width: u32, aspect: Option<&str>) -> u32 {
    let ratio = aspect.and_then(|a| parse_ratio(a, ':')).filter(|r| (0.2..=5.0).contains(r)).unwrap_or(1.0);
    let stretched = (f64::from(width) * ratio).round() as u32;
    stretched.max(1)
}

fn parse_ratio(text: &str, separator: char) -> Option<f64> {
    let (numerator, denominator) = text.split_once(separator)?;
    let value = numerator.parse::<f64>().ok()? / denominator.parse::<f64>().ok()?;
    value.is_finite().then_some(value)
}

fn milliseconds(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1000.0).round() as u64
}
