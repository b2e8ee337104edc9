//! Runs videos of drawn rooms through all stages, without models.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod common;

use common::{at, camera_view, document, encode, ingested, listing, room, smeared};
use domain::{FailureCode, document::RelationKind};
use image::{Rgb, RgbImage};
use perception::{CancelFlag, PerceptionError, Settings, ingest};

const RED: [u8; 3] = [190, 110, 100];
const BLUE: [u8; 3] = [100, 130, 190];

/// Pans from left to right over a number of pictures.
fn pan(panorama: &RgbImage, from: u32, pictures: u32) -> Vec<RgbImage> {
    (0..pictures).map(|i| camera_view(panorama, from + 8 * i)).collect()
}

/// Two rooms, the first visited twice, with fast blurred turns in between.
fn there_and_back() -> Vec<RgbImage> {
    let (a, b) = (room(1, RED), room(2, BLUE));
    let mut walk = pan(&a, 100, 80);
    walk.extend((0..8).map(|i| smeared(&camera_view(&a, 740 + 60 * i), 24)));
    walk.extend(pan(&b, 200, 80));
    walk.extend((0..8).map(|i| smeared(&camera_view(&b, 840 + 60 * i), 24)));
    walk.extend(pan(&a, 300, 60));
    walk
}

#[test]
fn finds_two_rooms_and_a_revisit() {
    let dir = tempfile::tempdir().unwrap();
    let (video, work) = (at(&dir, "walk.mp4"), tempfile::tempdir().unwrap());
    encode(there_and_back().into_iter(), &video);
    let ingested = ingested(&video, work.path());
    let document = document(&ingested, work.path());
    assert!(document.defects().is_empty(), "{:?}", document.defects());

    let zones: Vec<_> = document.zones.iter().map(|z| (z.id.as_str(), z.intervals.clone())).collect();
    assert_eq!(zones.len(), 2, "{zones:?}");
    assert_eq!((zones[0].1.len(), zones[1].1.len()), (2, 1), "{zones:?}");
    let near = |t: u64, truth: u64| t.abs_diff(truth) <= 2000;
    assert!(near(zones[1].1[0].start, 8800) && near(zones[1].1[0].end, 17_000), "{zones:?}");
    assert_eq!(document.openings.len(), 1);
    assert_eq!(document.relations.iter().filter(|r| r.kind == RelationKind::Adjacent).count(), 1);

    // No picture of the blurred turns is kept, and each kept frame is a file.
    let smeared = |t: u64| (8050..8750).contains(&t) || (16_850..17_550).contains(&t);
    let times: Vec<u64> = document.frames.iter().filter_map(|f| f.t_ms).collect();
    assert!(times.iter().all(|t| !smeared(*t)), "{times:?}");
    assert!(ingested.blurred > 0.03, "{}", ingested.blurred);
    assert_eq!(listing(work.path()).len(), ingested.files.len());
    // 22 s at 8 pixels per picture cover about 1800 pixels of panorama: three views, one of them
    // twice.
    assert!((4..=20).contains(&times.len()), "{times:?}");

    // The same media give the same bytes.
    let again = tempfile::tempdir().unwrap();
    let second = common::ingested(&video, again.path());
    assert_eq!(serde_json::to_vec(&ingested).unwrap(), serde_json::to_vec(&second).unwrap());
    let bytes = common::document(&second, again.path()).to_bytes().unwrap();
    assert_eq!(document.to_bytes().unwrap(), bytes);
    let pictures = |folder: &std::path::Path| -> Vec<Vec<u8>> {
        listing(folder).iter().map(|name| std::fs::read(folder.join(name)).unwrap()).collect()
    };
    assert_eq!(pictures(work.path()), pictures(again.path()));
}

#[test]
fn keeps_one_or_two_frames_of_a_long_still() {
    let dir = tempfile::tempdir().unwrap();
    let (video, work) = (at(&dir, "still.mp4"), tempfile::tempdir().unwrap());
    let still = camera_view(&room(3, RED), 400);
    encode((0..200).map(|_| still.clone()), &video);
    let ingested = ingested(&video, work.path());
    assert!((1..=2).contains(&ingested.frames.len()), "{}", ingested.frames.len());
    assert_eq!(document(&ingested, work.path()).zones.len(), 1);
}

#[test]
fn reports_progress_and_cancellation_leaves_no_files() {
    let dir = tempfile::tempdir().unwrap();
    let (video, work) = (at(&dir, "walk.mp4"), tempfile::tempdir().unwrap());
    encode(pan(&room(4, BLUE), 100, 100).into_iter(), &video);
    let shares = std::cell::RefCell::new(Vec::new());
    let cancel = CancelFlag::new();
    let report = |share: f32| {
        shares.borrow_mut().push(share);
        if share > 0.4 {
            cancel.cancel();
        }
    };
    let result = ingest::video(&video, work.path(), &Settings::default(), &report, &cancel);
    assert!(matches!(result, Err(PerceptionError::Cancelled)), "{result:?}");
    assert!(shares.borrow().windows(2).all(|w| w[0] <= w[1]));
    assert!(listing(work.path()).is_empty(), "{:?}", listing(work.path()));
}

#[test]
fn videos_without_a_usable_frame_fail_and_leave_no_files() {
    let dir = tempfile::tempdir().unwrap();
    let work = tempfile::tempdir().unwrap();
    let black = at(&dir, "black.mp4");
    encode((0..30).map(|_| RgbImage::from_pixel(640, 360, Rgb([2; 3]))), &black);
    let fails = |path: &std::path::Path| {
        let result = ingest::video(path, work.path(), &Settings::default(), &|_| (), &CancelFlag::new());
        let failure = result.expect_err("there is nothing to see").failure();
        assert!(listing(work.path()).is_empty(), "{:?}", listing(work.path()));
        failure
    };
    assert_eq!(fails(&black), Some(FailureCode::NoUsableFrames));
    let good = std::fs::read(&black).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(at(&dir, name), bytes).unwrap();
        at(&dir, name)
    };
    assert_eq!(fails(&write("cut.mp4", &good[..good.len() / 2])), Some(FailureCode::MediaUnreadable));
    assert_eq!(
        fails(&write("list.mp4", b"#EXTM3U\nfile:///etc/passwd\n")),
        Some(FailureCode::MediaNotSelfContained)
    );
    assert_eq!(fails(&at(&dir, "absent.mp4")), None);
}
