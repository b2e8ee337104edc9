//! Tests the ingestion of ordered photos.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod common;

use std::io::Cursor;
use std::path::{Path, PathBuf};

use common::{at, camera_view, document, listing, room, smeared};
use domain::FailureCode;
use image::{ImageFormat, Rgb, RgbImage};
use perception::ingest::{Ingested, PhotoFile, photos};
use perception::{CancelFlag, PerceptionError, Settings};

fn files(paths: &[PathBuf]) -> Vec<PhotoFile> {
    (0..).zip(paths).map(|(ordinal, path)| PhotoFile { ordinal, t_ms: None, path: path.clone() }).collect()
}

fn run(paths: &[PathBuf], work: &Path) -> Result<Ingested, PerceptionError> {
    photos(&files(paths), work, &Settings::default(), &|_| (), &CancelFlag::new())
}

#[test]
fn leaves_out_duplicate_blurred_and_dark_photos_with_a_reason() {
    let (dir, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let panorama = room(5, [170, 150, 120]);
    let pictures = [
        camera_view(&panorama, 100),
        camera_view(&panorama, 104),
        smeared(&camera_view(&panorama, 140), 20),
        camera_view(&panorama, 900),
        RgbImage::from_pixel(640, 360, Rgb([1; 3])),
        smeared(&camera_view(&panorama, 1700), 20),
    ];
    let paths: Vec<PathBuf> = (0..pictures.len()).map(|i| at(&dir, &format!("{i}.png"))).collect();
    for (picture, path) in pictures.iter().zip(&paths) {
        picture.save(path).unwrap();
    }
    let ingested = run(&paths, work.path()).unwrap();
    let reasons: Vec<Option<&str>> = ingested.samples.iter().map(|s| s.left_out.as_deref()).collect();
    // The last photo is blurred, too, but no other photo shows its view.
    let distinct: Vec<Option<&str>> =
        vec![reasons[0].or(reasons[1]), reasons[2], reasons[3], reasons[4], reasons[5]];
    assert_eq!(distinct, [Some("duplicate"), Some("blurred"), None, Some("dark"), None], "{reasons:?}");
    assert!(reasons[0].is_none() || reasons[1].is_none(), "one of two duplicates stays");
    let ordinals: Vec<u32> = ingested.frames.iter().filter_map(|f| f.ordinal).collect();
    assert_eq!(ordinals.len(), 3, "{ordinals:?}");
    assert_eq!(ingested.samples[2].kept_frame, ingested.samples[0].kept_frame);
    assert_eq!(listing(work.path()).len(), 3);
    let document = document(&ingested, work.path());
    assert!(document.defects().is_empty(), "{:?}", document.defects());
    assert!(document.quality.warnings.iter().any(|w| w.code == "PHOTOS_LEFT_OUT"));
}

#[test]
fn applies_the_exif_orientation() {
    let (dir, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut jpeg = Vec::new();
    camera_view(&room(6, [150; 3]), 300).write_to(&mut Cursor::new(&mut jpeg), ImageFormat::Jpeg).unwrap();
    // A minimal Exif segment with orientation 6 (rotate right).
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".to_vec();
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    let mut rotated = jpeg[..2].to_vec();
    rotated.extend([0xff, 0xe1, length[0], length[1]]);
    rotated.append(&mut exif);
    rotated.extend(&jpeg[2..]);
    std::fs::write(at(&dir, "rotated.jpg"), rotated).unwrap();
    let ingested = run(&[at(&dir, "rotated.jpg")], work.path()).unwrap();
    assert_eq!((ingested.media[0].width, ingested.media[0].height), (360, 640));
    assert_eq!((ingested.frames[0].width, ingested.frames[0].height), (360, 640));
}

#[test]
fn invalid_photos_fail_with_their_codes_and_leave_no_files() {
    let (dir, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let good = at(&dir, "good.png");
    camera_view(&room(7, [150; 3]), 300).save(&good).unwrap();
    let bytes = std::fs::read(&good).unwrap();
    let fails = |name: &str, bytes: &[u8]| {
        std::fs::write(at(&dir, name), bytes).unwrap();
        let result = run(&[good.clone(), at(&dir, name)], work.path());
        assert!(listing(work.path()).is_empty());
        result.expect_err("the photo is invalid").failure()
    };
    assert_eq!(fails("empty.jpg", b""), Some(FailureCode::MediaUnreadable));
    assert_eq!(fails("zip.jpg", b"PK\x03\x04"), Some(FailureCode::MediaUnreadable));
    assert_eq!(fails("cut.png", &bytes[..bytes.len() / 2]), Some(FailureCode::MediaUnreadable));
    // The header of a PNG of 10,000 × 10,000 pixels without data: the size alone is refused.
    let mut large = bytes[..33].to_vec();
    large[16..20].copy_from_slice(&10_000_u32.to_be_bytes());
    large[20..24].copy_from_slice(&10_000_u32.to_be_bytes());
    let mut crc = 0xffff_ffff_u32;
    for byte in &large[12..29] {
        crc ^= u32::from(*byte);
        (0..8).for_each(|_| crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 });
    }
    large[29..33].copy_from_slice(&(!crc).to_be_bytes());
    large.extend(&bytes[33..]);
    assert_eq!(fails("large.png", &large), Some(FailureCode::MediaTooLarge));
}
