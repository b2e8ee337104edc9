//! Assembles the ground truth of a sample from its house, its path, its narration and the observed
//! frames.

use super::{OBSERVATION_INTERVAL_MS, observe};
use crate::{
    WalkOptions,
    house::furnish::Furnished,
    narration::{RoomVisit, Sentence},
    render::frames::World,
    scene::Line,
    truth::{self, BLURRED_PX, DARK_LUMA, MIN_REQUIRED_PX, Sample, Span, Truth, spans},
};

/// Assembles the ground truth. Rooms that form an open plan count as one.
pub(super) fn assemble(
    options: &WalkOptions,
    world: &World,
    rooms: &[Furnished],
    visits: &[RoomVisit],
    sentences: Vec<Sentence>,
    samples: Vec<Sample>,
) -> Truth {
    let spaces = world.plan.spaces();
    let visits = in_spaces(visits, &spaces);
    let step = if options.photos { 1 } else { OBSERVATION_INTERVAL_MS };
    let texts = texts(world, &spaces, &samples, step);
    let truth_visits: Vec<truth::Visit> = if options.photos {
        by_photo(&samples)
    } else {
        let span = |s: &RoomVisit| Span { start: s.start_ms, end: s.end_ms };
        visits.iter().map(|s| truth::Visit { room: s.room, span: span(s) }).collect()
    };
    let seen = |id: u16| samples.iter().any(|s| s.objects.iter().any(|t| t.id == id));
    let objects = world.scene.objects.iter().enumerate().map(|(id, t)| (id as u16, t));
    Truth {
        kind: if options.photos { "frames" } else { "video" }.to_owned(),
        seed: options.seed,
        duration_ms: (world.path.seconds * 1000.0) as u64,
        fps: options.fps,
        width: options.width,
        height: options.height,
        rooms: rooms_of(world, rooms, &spaces, &texts, &sentences),
        passages: visits
            .windows(2)
            .map(|pair| truth::Passage { t_ms: pair[1].start_ms, from: pair[0].room, to: pair[1].room })
            .collect(),
        visits: truth_visits,
        objects: objects
            .filter(|&(id, t)| t.category != "shell" && seen(id))
            .map(|(id, t)| truth::Object { id, category: t.category.clone(), room: spaces[t.room] })
            .collect(),
        narration: sentences
            .into_iter()
            .map(|s| truth::SpokenSentence {
                start_ms: s.start_ms,
                end_ms: s.end_ms,
                text: s.text,
                room: spaces[s.room],
            })
            .collect(),
        blurred: spans_where(&samples, step, |s| s.blur_px > BLURRED_PX),
        dark: spans_where(&samples, step, |s| s.luma < DARK_LUMA),
        texts,
        samples,
    }
}

/// Returns the spans in which a condition holds, in milliseconds of a video or in photos.
fn spans_where(samples: &[Sample], step: u64, holds: impl Fn(&Sample) -> bool) -> Vec<Span> {
    spans(samples.iter().map(|s| (s.ordinal.unwrap_or(s.t_ms), holds(s))), step)
}

/// Describes the lines of text.
fn texts(world: &World, spaces: &[usize], samples: &[Sample], step: u64) -> Vec<truth::Text> {
    let describe = |(id, (object, line)): (usize, (u16, &Line))| {
        let height =
            |s: &Sample| s.texts.iter().find(|t| t.id == id && t.readable).map_or(0.0, |t| t.height_px);
        truth::Text {
            id,
            text: line.text.clone(),
            object,
            room: spaces[world.scene.objects[usize::from(object)].room],
            max_height_px: samples.iter().map(height).fold(0.0, f32::max),
            readable_16: spans_where(samples, step, |s| height(s) > 0.0),
            readable_24: spans_where(samples, step, |s| height(s) >= MIN_REQUIRED_PX),
        }
    };
    observe::lines(world).enumerate().map(describe).collect()
}

/// Merges successive visits to rooms of one open plan.
fn in_spaces(visits: &[RoomVisit], spaces: &[usize]) -> Vec<RoomVisit> {
    let mut out: Vec<RoomVisit> = Vec::new();
    for visit in visits {
        let room = spaces[visit.room];
        match out.last_mut() {
            Some(last) if last.room == room => last.end_ms = visit.end_ms,
            _ => out.push(RoomVisit { room, ..*visit }),
        }
    }
    out
}

/// Describes the rooms. The rooms of an open plan are one.
fn rooms_of(
    world: &World,
    furnished: &[Furnished],
    spaces: &[usize],
    texts: &[truth::Text],
    sentences: &[Sentence],
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
        let named_by_sign = texts
            .iter()
            .any(|t| t.room == id && t.max_height_px >= MIN_REQUIRED_PX && names_type(kind, &t.text));
        let named_by_words = sentences.iter().any(|s| spaces[s.room] == id && names_type(kind, &s.text));
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

/// Returns the visits as ranges of photo ordinals.
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
