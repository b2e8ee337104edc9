//! Renders the media files of a sample on all cores and writes its ground truth.

mod encode;
mod ground_truth;
mod observe;

use std::{fs, path::Path, sync::mpsc::sync_channel, thread};

use anyhow::{Context, Result};

use crate::{
    WalkOptions,
    house::furnish::Furnished,
    narration::{self, RoomVisit},
    render::frames::{Painter, Picture, World},
    truth::Sample,
};
use encode::Encoder;

/// Time between two frames of a video that are observed for the ground truth.
const OBSERVATION_INTERVAL_MS: u64 = 200;
/// Mean time between two photos, in seconds.
const PHOTO_INTERVAL_S: f32 = 1.9;
/// Moments of each photo's interval that are compared; the photo is taken at the steadiest.
const MOMENTS_PER_PHOTO: u32 = 40;

/// A frame to render.
struct Shot {
    t: f32,
    number: u64,
    observed: bool,
}

/// Renders the sample into `media` and writes its ground truth to `truth_file`.
///
/// # Errors
/// Returns an error if ffmpeg or espeak-ng fails, or if a file cannot be written.
pub(crate) fn record(
    options: &WalkOptions,
    world: &World,
    rooms: &[Furnished],
    media: &Path,
    truth_file: &Path,
) -> Result<()> {
    let visits = room_visits(world);
    let folder = tempfile::tempdir()?;
    let (shots, mut encoder, sentences) = if options.photos {
        delete_photos(media)?;
        (photo_shots(world), Encoder::photos(world.size, &media.join("photo-%03d.jpg"))?, Vec::new())
    } else {
        let sound_file = folder.path().join("narration.wav");
        let mut sentences = Vec::new();
        if !options.silent {
            let (spoken, sound) =
                narration::narrate(&world.plan, rooms, &visits, options.seconds, options.seed)?;
            narration::write_wav(&sound_file, &sound)?;
            sentences = spoken;
        }
        let sound = (!options.silent).then_some(sound_file.as_path());
        let encoder = Encoder::video(world.size, options.fps, sound, media)?;
        (video_shots(world.path.seconds, options.fps), encoder, sentences)
    };
    let mut samples = Vec::new();
    paint_all(world, &shots, |picture, sample| {
        encoder.push(&picture)?;
        samples.extend(sample);
        Ok(())
    })?;
    encoder.finish()?;
    if options.photos {
        for (ordinal, sample) in samples.iter_mut().enumerate() {
            sample.ordinal = Some(ordinal as u64);
        }
    }
    let truth = ground_truth::assemble(options, world, rooms, &visits, sentences, samples);
    fs::write(truth_file, serde_json::to_vec(&truth)?)
        .with_context(|| format!("cannot write {}", truth_file.display()))
}

/// Deletes the photos of an earlier sample.
fn delete_photos(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("photo-") && name.to_string_lossy().ends_with(".jpg") {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn video_shots(seconds: f32, fps: u32) -> Vec<Shot> {
    let count = (seconds * fps as f32).round() as u64;
    let interval = |i: u64| i * 1000 / u64::from(fps) / OBSERVATION_INTERVAL_MS;
    (0..count)
        .map(|i| Shot {
            t: i as f32 / fps as f32,
            number: i,
            observed: i == 0 || interval(i) != interval(i - 1),
        })
        .collect()
}

/// Divides the walk into equal intervals and takes a photo at the steadiest moment of each.
fn photo_shots(world: &World) -> Vec<Shot> {
    let count = (world.path.seconds / PHOTO_INTERVAL_S).ceil().max(1.0) as u64;
    let length = world.path.seconds / count as f32;
    (0..count)
        .map(|number| {
            let moments = (0..MOMENTS_PER_PHOTO)
                .map(|i| (number as f32 + i as f32 / MOMENTS_PER_PHOTO as f32) * length);
            let steadiest = moments.min_by(|&a, &b| world.blur(a).total_cmp(&world.blur(b)));
            Shot { t: steadiest.unwrap_or(0.0), number, observed: true }
        })
        .collect()
}

/// Paints all shots on all cores and passes them to `take` in order. At most a few frames per core
/// are in memory at a time.
fn paint_all(
    world: &World,
    shots: &[Shot],
    mut take: impl FnMut(Picture, Option<Sample>) -> Result<()>,
) -> Result<()> {
    let count = thread::available_parallelism().map_or(2, std::num::NonZero::get).min(16);
    thread::scope(|scope| {
        let mut receivers = Vec::new();
        for first in 0..count {
            let (sender, receiver) = sync_channel(2);
            receivers.push(receiver);
            scope.spawn(move || {
                let mut painter = Painter::new(world);
                for shot in shots.iter().skip(first).step_by(count) {
                    let picture = painter.paint(shot.t, shot.number);
                    let sample =
                        shot.observed.then(|| observe::observe(world, &mut painter, &picture, shot.t));
                    // Sending fails when the encoder failed and its thread dropped the receivers.
                    if sender.send((picture, sample)).is_err() {
                        return;
                    }
                }
            });
        }
        for number in 0..shots.len() {
            let (picture, sample) = receivers[number % count].recv().context("a painter thread panicked")?;
            take(picture, sample)?;
        }
        Ok(())
    })
}

/// Returns the visits of the camera to rooms, in order.
fn room_visits(world: &World) -> Vec<RoomVisit> {
    let end = (world.path.seconds * 1000.0) as u64;
    let mut visits: Vec<RoomVisit> = Vec::new();
    for ms in (0..end).step_by(20) {
        let room = world.plan.room_at(world.path.at(ms as f32 / 1000.0).place);
        match visits.last_mut() {
            Some(last) if last.room == room => last.end_ms = end.min(ms + 20),
            _ => visits.push(RoomVisit { room, start_ms: ms, end_ms: end.min(ms + 20) }),
        }
    }
    visits
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::*;

    fn options(seed: u64, seconds: f32, rooms: usize) -> WalkOptions {
        let mut options = WalkOptions::default();
        (options.seed, options.seconds, options.rooms) = (seed, seconds, Some(rooms));
        (options.width, options.height) = (96, 54);
        options
    }

    fn world(seed: u64) -> World {
        crate::build_world(&options(seed, 8.0, 2)).unwrap().0
    }

    fn hashes(world: &World) -> Vec<u64> {
        let shots = video_shots(2.0, 2);
        let mut hashes = Vec::new();
        paint_all(world, &shots, |picture, sample| {
            let mut hasher = DefaultHasher::new();
            picture.planes.hash(&mut hasher);
            serde_json::to_string(&sample).unwrap().hash(&mut hasher);
            hashes.push(hasher.finish());
            Ok(())
        })
        .unwrap();
        hashes
    }

    #[test]
    fn seed_determines_the_frames() {
        let first = hashes(&world(3));
        assert_eq!(first, hashes(&world(3)));
        assert!(first.iter().zip(hashes(&world(4))).all(|(a, b)| *a != b));
    }

    #[test]
    fn walk_visits_every_room_and_returns() {
        for seed in [1, 2, 7] {
            let (world, _) = crate::build_world(&options(seed, 60.0, 5)).unwrap();
            let visits = room_visits(&world);
            let mut rooms: Vec<usize> = visits.iter().map(|s| s.room).collect();
            let returns = (1..rooms.len()).any(|i| rooms[..i].contains(&rooms[i]));
            rooms.sort_unstable();
            rooms.dedup();
            assert_eq!((rooms.len(), returns), (5, true), "seed {seed}");
            assert_eq!(visits.last().map(|s| s.end_ms), Some(60_000));
            // The path passes through doorways, never through walls.
            for t in (0..600).map(|i| i as f32 / 10.0) {
                let place = world.path.at(t).place;
                let room = &world.plan.rooms[world.plan.room_at(place)];
                let in_doorway = world.plan.doors.iter().any(|d| (d.centre - place).length() < 1.62);
                assert!(in_doorway || room.floor.grown(-0.3).contains(place), "seed {seed} at {t} s");
            }
        }
    }

    #[test]
    fn readable_lines_are_sharp_and_in_the_picture() {
        let mut options = options(2, 20.0, 2);
        (options.width, options.height) = (1280, 720);
        let (world, _) = crate::build_world(&options).unwrap();
        let mut samples = Vec::new();
        paint_all(&world, &photo_shots(&world), |_, sample| {
            samples.extend(sample);
            Ok(())
        })
        .unwrap();
        let readable: Vec<_> = samples.iter().flat_map(|s| &s.texts).filter(|t| t.readable).collect();
        assert!(!readable.is_empty());
        for text in readable {
            let [x, y, w, h] = text.bbox;
            assert!(x >= 0.0 && y >= 0.0 && x + w <= 1280.0 && y + h <= 720.0, "{text:?}");
            assert!(text.clear >= 0.95 && text.height_px >= 16.0, "{text:?}");
        }
        assert!(samples.iter().flat_map(|s| &s.objects).all(|t| (0.0..=1.0).contains(&t.share)));
    }
}
