//! Renders a whole sample on all cores and writes its truth.

use std::{fs, path::Path, sync::mpsc::sync_channel, thread};

use anyhow::{Context, Result};

use super::{
    Walk,
    encode::Encoder,
    frames::{Painter, Picture, World},
    furnish::Furnished,
    narration::{self, Sentence, Stay},
    observe, tool,
    truth::{self, BLURRED, DARK, LARGE, Sample, Span, Truth, spans},
};

/// Time between two pictures that are looked at closely, in milliseconds.
const CLOSELY: u64 = 200;

/// One picture to make.
struct Shot {
    t: f32,
    number: u64,
    closely: bool,
}

/// Renders the sample into `media` and writes `truth`.
pub(super) fn record(
    options: &Walk,
    world: &World,
    rooms: &[Furnished],
    media: &Path,
    truth_file: &Path,
) -> Result<()> {
    let ffmpeg = tool("ffmpeg")?;
    let stays = stays(world);
    let folder = tempfile::tempdir()?;
    let (shots, mut encoder, said) = if options.photos {
        clear_photos(media)?;
        (photo_shots(world), Encoder::photos(&ffmpeg, world.size, &media.join("photo-%03d.jpg"))?, Vec::new())
    } else {
        let sound = folder.path().join("narration.wav");
        let mut said = Vec::new();
        if !options.silent {
            let espeak = tool("espeak-ng")?;
            let spoken =
                narration::narrate(&world.plan, rooms, &stays, options.seconds, options.seed, &espeak)?;
            narration::write_wav(&sound, &spoken.1)?;
            said = spoken.0;
        }
        let sound = (!options.silent).then_some(sound.as_path());
        let encoder = Encoder::video(&ffmpeg, world.size, options.fps, sound, media)?;
        (video_shots(world.walk.seconds, options.fps), encoder, said)
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
    let truth = assemble(options, world, rooms, &stays, said, samples);
    fs::write(truth_file, serde_json::to_vec(&truth)?).context("the truth cannot be written")
}

fn clear_photos(folder: &Path) -> Result<()> {
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
    let due = |i: u64| i * 1000 / u64::from(fps) / CLOSELY;
    (0..count)
        .map(|i| Shot { t: i as f32 / fps as f32, number: i, closely: i == 0 || due(i) != due(i - 1) })
        .collect()
}

/// A photo every two seconds or so, each at the quietest moment of its time.
fn photo_shots(world: &World) -> Vec<Shot> {
    let count = (world.walk.seconds / 1.9).ceil().max(1.0) as u64;
    let length = world.walk.seconds / count as f32;
    (0..count)
        .map(|number| {
            let moments = (0..40).map(|i| (number as f32 + i as f32 / 40.0) * length);
            let quiet = moments.min_by(|&a, &b| world.blur(a).total_cmp(&world.blur(b)));
            Shot { t: quiet.unwrap_or(0.0), number, closely: true }
        })
        .collect()
}

/// Paints all shots on all cores and hands them on in order. Memory is bounded by a few pictures a core.
fn paint_all(
    world: &World,
    shots: &[Shot],
    mut take: impl FnMut(Picture, Option<Sample>) -> Result<()>,
) -> Result<()> {
    let count = thread::available_parallelism().map_or(2, std::num::NonZero::get).min(16);
    thread::scope(|scope| {
        let mut outlets = Vec::new();
        for first in 0..count {
            let (send, receive) = sync_channel(2);
            outlets.push(receive);
            scope.spawn(move || {
                let mut painter = Painter::new(world);
                for shot in shots.iter().skip(first).step_by(count) {
                    let picture = painter.paint(shot.t, shot.number);
                    let sample =
                        shot.closely.then(|| observe::observe(world, &mut painter, &picture, shot.t));
                    // The receiver is gone when the encoder failed: nothing is left to do.
                    if send.send((picture, sample)).is_err() {
                        return;
                    }
                }
            });
        }
        for number in 0..shots.len() {
            let (picture, sample) = outlets[number % count].recv().context("a painter died")?;
            take(picture, sample)?;
        }
        Ok(())
    })
}

/// Which room the camera is in when.
fn stays(world: &World) -> Vec<Stay> {
    let end = (world.walk.seconds * 1000.0) as u64;
    let mut stays: Vec<Stay> = Vec::new();
    for ms in (0..end).step_by(20) {
        let room = world.plan.room_at(world.walk.at(ms as f32 / 1000.0).place);
        match stays.last_mut() {
            Some(last) if last.room == room => last.end_ms = end.min(ms + 20),
            _ => stays.push(Stay { room, start_ms: ms, end_ms: end.min(ms + 20) }),
        }
    }
    stays
}

fn assemble(
    options: &Walk,
    world: &World,
    rooms: &[Furnished],
    stays: &[Stay],
    said: Vec<Sentence>,
    samples: Vec<Sample>,
) -> Truth {
    let spaces = world.plan.spaces();
    let stays = in_spaces(stays, &spaces);
    let place = |sample: &Sample| sample.ordinal.unwrap_or(sample.t_ms);
    let step = if options.photos { 1 } else { CLOSELY };
    let when = |holds: &dyn Fn(&Sample) -> bool| spans(samples.iter().map(|s| (place(s), holds(s))), step);
    let texts: Vec<truth::Text> = observe::lines(world)
        .enumerate()
        .map(|(id, (thing, line))| {
            let height =
                |s: &Sample| s.texts.iter().find(|t| t.id == id && t.readable).map_or(0.0, |t| t.height_px);
            truth::Text {
                id,
                text: line.text.clone(),
                thing,
                room: spaces[world.scene.things[usize::from(thing)].room],
                max_height_px: samples.iter().map(height).fold(0.0, f32::max),
                readable_16: when(&|s| height(s) > 0.0),
                readable_24: when(&|s| height(s) >= LARGE),
            }
        })
        .collect();
    let visits: Vec<truth::Visit> = if options.photos {
        by_photo(&samples)
    } else {
        let span = |s: &Stay| Span { start: s.start_ms, end: s.end_ms };
        stays.iter().map(|s| truth::Visit { room: s.room, span: span(s) }).collect()
    };
    let seen = |id: u16| samples.iter().any(|s| s.things.iter().any(|t| t.id == id));
    let things = world.scene.things.iter().enumerate().map(|(id, t)| (id as u16, t));
    Truth {
        kind: if options.photos { "frames" } else { "video" }.to_owned(),
        seed: options.seed,
        duration_ms: (world.walk.seconds * 1000.0) as u64,
        fps: options.fps,
        width: options.width,
        height: options.height,
        rooms: rooms_of(world, rooms, &spaces, &texts, &said),
        passages: stays
            .windows(2)
            .map(|pair| truth::Passage { t_ms: pair[1].start_ms, from: pair[0].room, to: pair[1].room })
            .collect(),
        visits,
        things: things
            .filter(|&(id, t)| t.category != "shell" && seen(id))
            .map(|(id, t)| truth::Thing { id, category: t.category.clone(), room: spaces[t.room] })
            .collect(),
        narration: said
            .into_iter()
            .map(|s| truth::Words {
                start_ms: s.start_ms,
                end_ms: s.end_ms,
                text: s.text,
                room: spaces[s.room],
            })
            .collect(),
        blurred: when(&|s| s.blur_px > BLURRED),
        dark: when(&|s| s.luma < DARK),
        texts,
        samples,
    }
}

/// Stays in spaces instead of rooms.
fn in_spaces(stays: &[Stay], spaces: &[usize]) -> Vec<Stay> {
    let mut out: Vec<Stay> = Vec::new();
    for stay in stays {
        let room = spaces[stay.room];
        match out.last_mut() {
            Some(last) if last.room == room => last.end_ms = stay.end_ms,
            _ => out.push(Stay { room, ..*stay }),
        }
    }
    out
}

/// The rooms as people count them: an open plan is one.
fn rooms_of(
    world: &World,
    furnished: &[Furnished],
    spaces: &[usize],
    texts: &[truth::Text],
    said: &[Sentence],
) -> Vec<truth::Room> {
    let names_type = |kind: &str, text: &str| {
        let word = if kind == "living room" { "lounge" } else { kind.trim_end_matches(" room") };
        let text = text.to_lowercase();
        text.contains(kind) || text.contains(word)
    };
    let mut out: Vec<truth::Room> = Vec::new();
    for (number, room) in world.plan.rooms.iter().enumerate() {
        let (id, kind) = (spaces[number], room.kind.name());
        let area = (room.floor.width() * room.floor.depth() * 10.0).round() / 10.0;
        let named_by_sign =
            texts.iter().any(|t| t.room == id && t.max_height_px >= LARGE && names_type(kind, &t.text));
        let named_by_words = said.iter().any(|s| spaces[s.room] == id && names_type(kind, &s.text));
        let inventory = furnished[number].inventory.iter().map(|&(name, count)| (name.to_owned(), count));
        if let Some(part_of) = out.get_mut(id) {
            part_of.also.push(kind.to_owned());
            part_of.area_m2 += area;
            part_of.named_by_sign |= named_by_sign;
            part_of.named_by_words |= named_by_words;
            for (name, count) in inventory {
                match part_of.inventory.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, known)) => *known += count,
                    None => part_of.inventory.push((name, count)),
                }
            }
            continue;
        }
        out.push(truth::Room {
            id,
            kind: kind.to_owned(),
            also: Vec::new(),
            name: room.name.clone(),
            alike: room.alike.map(|other| spaces[other]),
            area_m2: area,
            named_by_sign,
            named_by_words,
            inventory: inventory.collect(),
        });
    }
    out
}

fn by_photo(samples: &[Sample]) -> Vec<truth::Visit> {
    let mut visits: Vec<truth::Visit> = Vec::new();
    for (ordinal, sample) in samples.iter().enumerate() {
        let end = ordinal as u64 + 1;
        match visits.last_mut() {
            Some(last) if last.room == sample.room => last.span.end = end,
            _ => visits.push(truth::Visit { room: sample.room, span: Span { start: end - 1, end } }),
        }
    }
    visits
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::*;

    fn options(seed: u64, seconds: f32, rooms: usize) -> Walk {
        let mut options = Walk::default();
        (options.seed, options.seconds, options.rooms) = (seed, seconds, Some(rooms));
        (options.width, options.height) = (96, 54);
        options
    }

    fn world(seed: u64) -> World {
        super::super::build_world(&options(seed, 8.0, 2)).unwrap().0
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
    fn a_seed_gives_the_same_pictures_and_another_seed_others() {
        let first = hashes(&world(3));
        assert_eq!(first, hashes(&world(3)));
        assert!(first.iter().zip(hashes(&world(4))).all(|(a, b)| *a != b));
    }

    #[test]
    fn the_walk_visits_every_room_and_comes_back() {
        for seed in [1, 2, 7] {
            let (world, _) = super::super::build_world(&options(seed, 60.0, 5)).unwrap();
            let stays = stays(&world);
            let mut rooms: Vec<usize> = stays.iter().map(|s| s.room).collect();
            let returns = (1..rooms.len()).any(|i| rooms[..i].contains(&rooms[i]));
            rooms.sort_unstable();
            rooms.dedup();
            assert_eq!((rooms.len(), returns), (5, true), "seed {seed}");
            assert_eq!(stays.last().map(|s| s.end_ms), Some(60_000));
            // It goes through doorways and never through walls.
            for t in (0..600).map(|i| i as f32 / 10.0) {
                let place = world.walk.at(t).place;
                let room = &world.plan.rooms[world.plan.room_at(place)];
                let in_doorway = world.plan.doors.iter().any(|d| (d.centre - place).length() < 1.62);
                assert!(in_doorway || room.floor.grown(-0.3).contains(place), "seed {seed} at {t} s");
            }
        }
    }

    #[test]
    fn what_is_readable_is_sharp_and_in_the_picture() {
        let mut options = options(2, 20.0, 2);
        (options.width, options.height) = (1280, 720);
        let (world, _) = super::super::build_world(&options).unwrap();
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
        assert!(samples.iter().flat_map(|s| &s.things).all(|t| (0.0..=1.0).contains(&t.share)));
    }
}
