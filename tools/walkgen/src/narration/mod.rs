//! The narration: sentences about each room, spoken while the camera is in it.

mod speech;

use anyhow::Result;
use domain::numbers::spell_out;

use crate::{
    house::{
        furnish::Furnished,
        plan::{Kind, Plan},
    },
    random::Random,
};
use speech::Voice;
pub(crate) use speech::{SAMPLE_RATE, write_wav};

/// Minimum length of a visit that is narrated.
const MIN_VISIT_MS: u64 = 2500;
/// Pause before the first sentence of the walk.
const FIRST_SENTENCE_MS: u64 = 400;
/// Pause between entering a room and the first sentence about it.
const PAUSE_ON_ENTERING_MS: u64 = 300;
/// Pause after each sentence.
const PAUSE_AFTER_SENTENCE_MS: u64 = 450;
/// Maximum number of kinds of furniture that the narrator lists.
const MAX_LISTED: usize = 3;

/// A spoken sentence.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    /// Start in the walk.
    pub(crate) start_ms: u64,
    /// End in the walk.
    pub(crate) end_ms: u64,
    /// Words of the sentence.
    pub(crate) text: String,
    /// Room that the sentence is about.
    pub(crate) room: usize,
}

/// The time between entering a room and leaving it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RoomVisit {
    /// Index of the room.
    pub(crate) room: usize,
    /// Time of entering.
    pub(crate) start_ms: u64,
    /// Time of leaving.
    pub(crate) end_ms: u64,
}

/// Speaks as many sentences as fit into the visits. Returns the sentences and the samples of the
/// sound.
///
/// # Errors
/// Returns an error if espeak-ng fails.
pub(crate) fn narrate(
    plan: &Plan,
    rooms: &[Furnished],
    visits: &[RoomVisit],
    seconds: f32,
    seed: u64,
) -> Result<(Vec<Sentence>, Vec<i16>)> {
    let voice = Voice::choose(&mut Random::new(seed, 7))?;
    let mut sound = vec![0_i16; (seconds * SAMPLE_RATE as f32) as usize];
    let mut sentences = Vec::new();
    let mut described = vec![false; plan.rooms.len()];
    let mut free_from = FIRST_SENTENCE_MS;
    for visit in visits {
        if visit.end_ms - visit.start_ms < MIN_VISIT_MS {
            continue;
        }
        let mut at = free_from.max(visit.start_ms + PAUSE_ON_ENTERING_MS);
        for text in compose(plan, rooms, visit.room, described[visit.room]) {
            let spoken = voice.speak(&text)?;
            let length = spoken.len() as u64 * 1000 / u64::from(SAMPLE_RATE);
            if at + length > visit.end_ms.min((seconds * 1000.0) as u64) {
                continue;
            }
            let start = (at * u64::from(SAMPLE_RATE) / 1000) as usize;
            for (out, sample) in sound[start..].iter_mut().zip(&spoken) {
                *out = *sample;
            }
            sentences.push(Sentence { start_ms: at, end_ms: at + length, text, room: visit.room });
            at += length + PAUSE_AFTER_SENTENCE_MS;
            free_from = at;
        }
        described[visit.room] = true;
    }
    Ok((sentences, sound))
}

/// Composes the sentences about a room, the most important first. On a later visit there is only
/// one.
fn compose(plan: &Plan, rooms: &[Furnished], index: usize, again: bool) -> Vec<String> {
    let room = &plan.rooms[index];
    let name = match room.kind {
        Kind::Bedroom => format!("bedroom, {}", room.name.to_lowercase()),
        kind => kind.name().to_owned(),
    };
    if again {
        return vec![format!("We are back in the {}.", room.kind.name())];
    }
    let mut texts = vec![match room.joins.map(|other| plan.rooms[other].kind.name()) {
        Some(other) => format!("And this is the {name}, open to the {other}."),
        None if index == 0 => format!("Welcome to the house. This is the {name}."),
        None => format!("This is the {name}."),
    }];
    let furniture: Vec<String> =
        rooms[index].inventory.iter().take(MAX_LISTED).map(|&(name, count)| counted(name, count)).collect();
    if !furniture.is_empty() {
        texts.push(format!("It has {}.", listed(&furniture)));
    }
    // The parts of an open plan are measured together.
    if room.joins.is_none() {
        let parts =
            plan.rooms.iter().enumerate().filter(|(i, part)| *i == index || part.joins == Some(index));
        let area: f32 = parts.map(|(_, part)| part.floor.width() * part.floor.depth()).sum();
        texts.push(format!("It is {} square metres.", spell_out(area.round() as usize)));
    }
    texts
}

fn counted(name: &str, count: usize) -> String {
    match count {
        _ if name == "boxes" => "some boxes".to_owned(),
        1 if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
        1 => format!("a {name}"),
        _ if name.ends_with("shelf") => {
            format!("{} {}shelves", spell_out(count), name.trim_end_matches("shelf"))
        }
        _ => format!("{} {name}s", spell_out(count)),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
