//! Tests the ffmpeg sandbox with real child processes and hostile files.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use domain::FailureCode;
use media::ffmpeg::{
    DecodeEvent, DecodeOptions, Decoder, FfmpegError, FfmpegSettings, Probe, YuvFrame, probe,
};

fn run_ffmpeg(args: &[&str], out: &Path) {
    let status = Command::new("ffmpeg").args(["-v", "error", "-y"]).args(args).arg(out).status().unwrap();
    assert!(status.success(), "ffmpeg {args:?}");
}

fn sample(dir: &Path) -> PathBuf {
    let path = dir.join("sample.mp4");
    let picture = "testsrc2=s=320x180:r=25:d=3";
    run_ffmpeg(
        &[
            "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", "sine=d=3", "-c:v", "libx264", "-pix_fmt",
            "yuv420p",
        ],
        &path,
    );
    path
}

fn options(audio: Option<PathBuf>) -> DecodeOptions {
    DecodeOptions { max_fps: 5.0, longest_side: 1280, shortest_side: 720, audio }
}

fn decode_all(
    path: &Path,
    audio: Option<PathBuf>,
    settings: &FfmpegSettings,
) -> Result<(Probe, Vec<YuvFrame>), FfmpegError> {
    let probe = probe(path, settings)?;
    let mut decoder = Decoder::start(path, &probe, &options(audio), settings)?;
    let mut frames = Vec::new();
    loop {
        match decoder.next_within(Duration::from_secs(5))? {
            DecodeEvent::Frame(frame) => frames.push(frame),
            DecodeEvent::Waiting => {}
            DecodeEvent::End => return Ok((probe, frames)),
        }
    }
}

fn failure(path: &Path) -> Option<FailureCode> {
    decode_all(path, None, &FfmpegSettings::default()).expect_err("the file is invalid").failure()
}

/// Counts the children of this process that run the given program, including zombies.
fn count_children(text: &str) -> usize {
    let command_line =
        |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
    std::fs::read_dir("/proc").unwrap().flatten().map(command_line).filter(|line| line.contains(text)).count()
}

#[test]
fn one_pass_decodes_frames_with_times_and_audio() {
    let dir = tempfile::tempdir().unwrap();
    let audio = dir.path().join("audio.wav");
    let (probe, frames) =
        decode_all(&sample(dir.path()), Some(audio.clone()), &FfmpegSettings::default()).unwrap();
    assert_eq!((probe.width, probe.height, probe.has_audio, probe.codec.as_str()), (320, 180, true, "h264"));
    assert!((2900..=3100).contains(&probe.duration_ms), "{}", probe.duration_ms);
    assert!((probe.fps - 25.0).abs() < 0.01);
    let times: Vec<u64> = frames.iter().map(|f| f.t_ms).collect();
    assert_eq!(times, (0..15).map(|n| n * 200).collect::<Vec<_>>());
    assert!(frames.iter().all(|f| f.data.len() == 320 * 180 * 3 / 2));
    let wav = std::fs::read(&audio).unwrap();
    assert_eq!((&wav[..4], &wav[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
    assert!((94_000..98_000).contains(&wav.len()), "{} bytes for 3 s", wav.len());
}

#[test]
fn variable_frame_rate_keeps_its_times() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("variable.mp4");
    // Frames 0, 1, 2, 4 … of 25 frames a second: gaps of 40, 40, 80, 160, 320, 640, 1280 ms.
    let keep = "select='eq(n,0)+eq(n,1)+eq(n,2)+eq(n,4)+eq(n,8)+eq(n,16)+eq(n,32)+eq(n,64)'";
    run_ffmpeg(
        &[
            "-f",
            "lavfi",
            "-i",
            "testsrc2=s=160x90:r=25:d=4",
            "-vf",
            keep,
            "-fps_mode",
            "vfr",
            "-pix_fmt",
            "yuv420p",
        ],
        &path,
    );
    let (_, frames) = decode_all(&path, None, &FfmpegSettings::default()).unwrap();
    let times: Vec<u64> = frames.iter().map(|f| f.t_ms).collect();
    assert_eq!(times, [0, 320, 640, 1280, 2560]);
}

#[test]
fn rotated_video_is_described_and_decoded_as_displayed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("turned.mp4");
    let mut bytes = std::fs::read(sample(dir.path())).unwrap();
    // The matrix of the first track, 40 bytes into its header (ISO/IEC 14496-12 §8.3.2): a rotation
    // by 90 degrees.
    let matrix = bytes.windows(4).position(|w| w == b"tkhd").unwrap() + 44;
    let turn: [i32; 9] = [0, 0x1_0000, 0, -0x1_0000, 0, 0, 180 << 16, 0, 0x4000_0000];
    for (index, value) in turn.iter().enumerate() {
        bytes[matrix + 4 * index..matrix + 4 * index + 4].copy_from_slice(&value.to_be_bytes());
    }
    std::fs::write(&path, bytes).unwrap();
    let (probe, frames) = decode_all(&path, None, &FfmpegSettings::default()).unwrap();
    assert_eq!((probe.width, probe.height, probe.rotation), (180, 320, 90));
    assert_eq!((frames[0].width, frames[0].height), (180, 320));
}

#[test]
fn invalid_files_have_failure_codes() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let good = std::fs::read(sample(dir.path())).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(at(name), bytes).unwrap();
        at(name)
    };
    assert_eq!(failure(&write("empty.mp4", b"")), Some(FailureCode::MediaUnreadable));
    assert_eq!(failure(&write("zip.mp4", b"PK\x03\x04zipped")), Some(FailureCode::MediaUnreadable));
    assert_eq!(failure(&write("cut.mp4", &good[..good.len() * 6 / 10])), Some(FailureCode::MediaUnreadable));
    run_ffmpeg(
        &["-i", at("sample.mp4").to_str().unwrap(), "-c", "copy", "-movflags", "+faststart"],
        &at("fast.mp4"),
    );
    let fast = std::fs::read(at("fast.mp4")).unwrap();
    assert_eq!(
        failure(&write("fastcut.mp4", &fast[..fast.len() * 8 / 10])),
        Some(FailureCode::MediaUnreadable)
    );
    run_ffmpeg(&["-i", at("sample.mp4").to_str().unwrap(), "-c", "copy"], &at("sample.mkv"));
    let mkv = std::fs::read(at("sample.mkv")).unwrap();
    assert_eq!(failure(&write("cut.mkv", &mkv[..mkv.len() * 6 / 10])), Some(FailureCode::MediaUnreadable));
    run_ffmpeg(&["-f", "lavfi", "-i", "sine=d=1"], &at("audio.mp4"));
    assert_eq!(failure(&at("audio.mp4")), Some(FailureCode::NoVideoStream));
    let list = format!("#EXTM3U\n#EXTINF:1\n{}\nhttp://127.0.0.1:9/a.ts\n", at("sample.mp4").display());
    assert_eq!(failure(&write("list.mp4", list.as_bytes())), Some(FailureCode::MediaNotSelfContained));
    let concat = format!("ffconcat version 1.0\nfile {}\n", at("sample.mp4").display());
    assert_eq!(failure(&write("concat.mp4", concat.as_bytes())), Some(FailureCode::MediaNotSelfContained));
    // Clears the flag that says that the media are in this file.
    let mut external = good.clone();
    let url = external.windows(4).position(|w| w == b"url ").unwrap();
    external[url + 7] = 0;
    external[url - 1] = 16;
    assert!(matches!(
        failure(&write("dref.mp4", &external)),
        Some(FailureCode::MediaUnreadable | FailureCode::MediaNotSelfContained)
    ));
}

#[test]
fn rejects_large_frames_with_true_and_false_headers() {
    let dir = tempfile::tempdir().unwrap();
    let large = dir.path().join("large.mov");
    run_ffmpeg(
        &["-f", "lavfi", "-i", "color=s=10000x10000:r=1:d=1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"],
        &large,
    );
    assert_eq!(failure(&large), Some(FailureCode::MediaTooLarge));
    // A small limit simulates a large frame behind a false header.
    let valid = sample(dir.path());
    let default_settings = FfmpegSettings::default();
    let described = probe(&valid, &default_settings).unwrap();
    let tight = FfmpegSettings { max_pixels: 320 * 90, ..default_settings };
    let mut decoder = Decoder::start(&valid, &described, &options(None), &tight).unwrap();
    let error = loop {
        match decoder.next_within(Duration::from_secs(5)) {
            Ok(DecodeEvent::End) => panic!("it was decoded"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.failure(), Some(FailureCode::MediaTooLarge), "{error}");
}

#[test]
fn reached_limits_kill_the_child_and_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = sample(dir.path());
    let code =
        |settings: FfmpegSettings| decode_all(&path, None, &settings).expect_err("over a limit").failure();
    let base = FfmpegSettings::default();
    assert_eq!(
        code(FfmpegSettings { max_duration_seconds: 1, ..base.clone() }),
        Some(FailureCode::MediaTooLong)
    );
    assert_eq!(code(FfmpegSettings { ffprobe: PathBuf::from("no-such-program"), ..base.clone() }), None);
    let no_time =
        FfmpegSettings { decode_base_seconds: 0, decode_seconds_per_media_second: 0.0, ..base.clone() };
    assert_eq!(code(no_time), Some(FailureCode::MediaTooCostly));
    let described = probe(&path, &base).unwrap();
    let tight = FfmpegSettings { memory_mb: 300, ..base };
    let large = dir.path().join("fullhd.mp4");
    run_ffmpeg(
        &[
            "-f",
            "lavfi",
            "-i",
            "testsrc2=s=3840x2160:r=25:d=1",
            "-preset",
            "ultrafast",
            "-pix_fmt",
            "yuv420p",
        ],
        &large,
    );
    let mut decoder = Decoder::start(&large, &described, &options(None), &tight).unwrap();
    let error = loop {
        match decoder.next_within(Duration::from_secs(5)) {
            Ok(DecodeEvent::End) => panic!("it was decoded"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.failure(), Some(FailureCode::MediaTooCostly), "{error}");
}

#[test]
fn dropping_a_decoder_reaps_the_child() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long-unique-name.mp4");
    run_ffmpeg(
        &["-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=20", "-preset", "ultrafast", "-pix_fmt", "yuv420p"],
        &path,
    );
    let settings = FfmpegSettings::default();
    let described = probe(&path, &settings).unwrap();
    let mut decoder = Decoder::start(&path, &described, &options(None), &settings).unwrap();
    assert!(matches!(decoder.next_within(Duration::from_secs(30)).unwrap(), DecodeEvent::Frame(_)));
    assert_eq!(count_children("long-unique-name"), 1);
    drop(decoder);
    assert_eq!(count_children("long-unique-name"), 0);
}
