//! What the narrator says: sentences about each room, spoken by espeak-ng while the camera is in it.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

use super::{
    furnish::Furnished,
    plan::{Kind, Plan},
    random::Random,
};
use crate::{
    numbers::words as spelled,
    system::{command, output_of},
};

/// Samples a second of the sound.
pub(super) const SAMPLE_RATE: u32 = 22_050;

/// Something that is said.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    /// When it begins.
    pub(super) start_ms: u64,
    /// When it ends.
    pub(super) end_ms: u64,
    /// The words.
    pub(super) text: String,
    /// The room it is about.
    pub(super) room: usize,
}

/// A stay of the camera in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stay {
    /// The room.
    pub(super) room: usize,
    /// From when.
    pub(super) start_ms: u64,
    /// Until when.
    pub(super) end_ms: u64,
}

/// Speaks as much as fits into the stays; returns what is said, and the sound.
///
/// # Errors
/// When espeak-ng fails.
pub(super) fn narrate(
    plan: &Plan,
    rooms: &[Furnished],
    stays: &[Stay],
    seconds: f32,
    seed: u64,
    espeak: &Path,
) -> Result<(Vec<Sentence>, Vec<i16>)> {
    let mut random = Random::new(seed, 7);
    let (speed, pitch) = (148 + random.below(18), 38 + random.below(22));
    let folder = tempfile::tempdir()?;
    let mut sound = vec![0_i16; (seconds * SAMPLE_RATE as f32) as usize];
    let mut said = Vec::new();
    let mut known = vec![0_usize; plan.rooms.len()];
    let mut free_from = 400;
    for stay in stays {
        if stay.end_ms - stay.start_ms < 2500 {
            continue;
        }
        let mut at = free_from.max(stay.start_ms + 300);
        let texts = sentences(plan, rooms, stay.room, known[stay.room] > 0);
        known[stay.room] += 1;
        for text in texts {
            let spoken = speak(&text, speed, pitch, espeak, folder.path())?;
            let length = spoken.len() as u64 * 1000 / u64::from(SAMPLE_RATE);
            if at + length > stay.end_ms.min((seconds * 1000.0) as u64) {
                continue;
            }
            let start = (at * u64::from(SAMPLE_RATE) / 1000) as usize;
            for (out, sample) in sound[start..].iter_mut().zip(&spoken) {
                *out = *sample;
            }
            said.push(Sentence { start_ms: at, end_ms: at + length, text, room: stay.room });
            at += length + 450;
            free_from = at;
        }
    }
    Ok((said, sound))
}

/// What there is to say of a room, the most important first.
fn sentences(plan: &Plan, rooms: &[Furnished], index: usize, again: bool) -> Vec<String> {
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
    let things: Vec<String> =
        rooms[index].inventory.iter().take(3).map(|&(name, count)| counted(name, count)).collect();
    if !things.is_empty() {
        texts.push(format!("It has {}.", listed(&things)));
    }
    // An open plan is measured as a whole.
    if room.joins.is_none() {
        let parts =
            plan.rooms.iter().enumerate().filter(|(i, part)| *i == index || part.joins == Some(index));
        let area: f32 = parts.map(|(_, part)| part.floor.width() * part.floor.depth()).sum();
        texts.push(format!("It is {} square metres.", spelled(area.round() as usize)));
    }
    texts
}

fn counted(name: &str, count: usize) -> String {
    match count {
        _ if name == "boxes" => "some boxes".to_owned(),
        1 if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
        1 => format!("a {name}"),
        _ if name.ends_with("shelf") => {
            format!("{} {}shelves", spelled(count), name.trim_end_matches("shelf"))
        }
        _ => format!("{} {name}s", spelled(count)),
    }
}

fn listed(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn speak(text: &str, speed: usize, pitch: usize, espeak: &Path, folder: &Path) -> Result<Vec<i16>> {
    let file = folder.join("sentence.wav");
    let (speed, pitch) = (speed.to_string(), pitch.to_string());
    output_of(command(espeak).args(["-v", "en-us", "-s", &speed, "-p", &pitch, "-w"]).arg(&file).arg(text))?;
    let bytes = fs::read(&file)?;
    let data = bytes.windows(4).position(|w| w == b"data").context("espeak-ng wrote no sound")? + 8;
    let rate = bytes.get(24..28).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    ensure!(rate == Some(SAMPLE_RATE), "espeak-ng speaks at {rate:?} samples a second, not {SAMPLE_RATE}");
    let mut samples: Vec<i16> =
        bytes[data..].chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
    while samples.last().is_some_and(|s| s.abs() < 64) {
        samples.pop();
    }
    Ok(samples)
}

/// Writes a mono WAV file.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write_wav(path: &Path, samples: &[i16]) -> Result<()> {
    let size = u32::try_from(samples.len() * 2).context("the sound is too long")?;
    let mut bytes = Vec::with_capacity(44 + samples.len() * 2);
    bytes.extend(b"RIFF");
    bytes.extend((36 + size).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16_u32.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(SAMPLE_RATE.to_le_bytes());
    bytes.extend((SAMPLE_RATE * 2).to_le_bytes());
    bytes.extend(2_u16.to_le_bytes());
    bytes.extend(16_u16.to_le_bytes());
    bytes.extend(b"data");
    bytes.extend(size.to_le_bytes());
    bytes.extend(samples.iter().flat_map(|s| s.to_le_bytes()));
    fs::write(path, bytes)?;
    Ok(())
}
