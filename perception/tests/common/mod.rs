//! Rooms drawn in code, and helpers to ingest them.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use image::{Rgb, RgbImage};
use perception::ingest::Ingested;
use perception::models::Models;
use perception::{CancelFlag, Settings, enrich, fuse, ingest, observe};

/// Draws the panorama of a room with the given wall colour and random rectangles as furniture.
pub(crate) fn room(seed: u64, wall: [u8; 3]) -> RgbImage {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |n: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(n)) as u32
    };
    let (w, h) = (2400, 360);
    let mut out = RgbImage::from_fn(w, h, |_, y| {
        Rgb(if y > 270 { [120, 90, 60] } else { wall.map(|c| c.saturating_sub((y / 12) as u8)) })
    });
    for _ in 0..220 {
        let (x, y, rw, rh) = (next(w - 60), 20 + next(h - 80), 8 + next(50), 8 + next(40));
        let tone = [next(60) as i32 - 30, next(60) as i32 - 30, next(60) as i32 - 30];
        let colour: [u8; 3] = std::array::from_fn(|i| (i32::from(wall[i]) + tone[i] * 2).clamp(0, 255) as u8);
        for py in y..(y + rh).min(h) {
            for px in x..(x + rw).min(w) {
                out.put_pixel(px, py, Rgb(colour));
            }
        }
    }
    out
}

/// Returns the camera view of a panorama at a column.
pub(crate) fn camera_view(panorama: &RgbImage, x: u32) -> RgbImage {
    image::imageops::crop_imm(panorama, x, 0, 640, 360).to_image()
}

/// Blurs a picture sideways, as in a fast turn.
pub(crate) fn smeared(picture: &RgbImage, reach: i64) -> RgbImage {
    let (w, h) = picture.dimensions();
    RgbImage::from_fn(w, h, |x, y| {
        let mut sum = [0_i64; 3];
        for dx in -reach..=reach {
            let px = picture.get_pixel((i64::from(x) + dx).clamp(0, i64::from(w) - 1) as u32, y);
            (0..3).for_each(|c| sum[c] += i64::from(px.0[c]));
        }
        Rgb(sum.map(|s| (s / (2 * reach + 1)) as u8))
    })
}

/// Encodes pictures as a video with ten frames per second.
pub(crate) fn encode(pictures: impl Iterator<Item = RgbImage>, out: &Path) {
    let mut child = Command::new("ffmpeg")
        .args([
            "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "640x360", "-r", "10", "-i",
            "-",
        ])
        .args(["-pix_fmt", "yuv420p", "-preset", "ultrafast", "-crf", "20"])
        .arg(out)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for picture in pictures {
        input.write_all(picture.as_raw()).unwrap();
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Ingests a video into a folder.
pub(crate) fn ingested(video: &Path, work: &Path) -> Ingested {
    ingest::video(video, work, &Settings::default(), &|_| (), &CancelFlag::new()).unwrap()
}

/// Builds the document of ingested media without any model.
pub(crate) fn document(ingested: &Ingested, work: &Path) -> domain::document::SpaceDocument {
    let settings = Settings::default();
    let files: Vec<_> = ingested
        .files
        .iter()
        .map(|f| observe::FrameFile { frame_id: f.frame_id.clone(), path: work.join(&f.file) })
        .collect();
    let observed = observe::frames(&Models::none(), &files, &|_| (), &CancelFlag::new()).unwrap();
    let transcript = observe::Transcript::default();
    let fused = fuse::fuse(ingested, &[observed], &transcript, &settings, &CancelFlag::new()).unwrap();
    let key = |frame: &str| format!("frames/{frame}.jpg");
    enrich::enrich(ingested, &fused, &enrich::DocumentContext { language: "en", frame_key: &key })
}

/// Returns the sorted names of the files in a folder.
pub(crate) fn listing(folder: &Path) -> Vec<String> {
    let name = |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

/// Returns the path of a file in a temporary folder.
pub(crate) fn at(dir: &tempfile::TempDir, name: &str) -> PathBuf {
    dir.path().join(name)
}
