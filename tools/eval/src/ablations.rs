//! Our own walks with less information: what remains when nobody speaks, or when no sign names a
//! room.

use eval::score;
use perception::observe::Transcript;
use walkgen::truth::Truth;

use super::{columns::Column, media::Observations};

/// Maximum edit distance between a reading and the name of a room, as a share of the longer one.
const MAX_DISTANCE: f64 = 0.2;

/// Returns the observations of a walk without its sound, and without the names of rooms on signs.
pub(super) fn of(observations: &Observations, truth: &Truth) -> [(Column, Observations); 2] {
    [(Column::OwnMute, mute(observations)), (Column::OwnNoRoomSigns, without_room_signs(observations, truth))]
}

fn mute(observations: &Observations) -> Observations {
    let mut less = observations.clone();
    less.ingested.audio = None;
    less.transcript = Transcript::default();
    less
}

fn without_room_signs(observations: &Observations, truth: &Truth) -> Observations {
    let names: Vec<&str> = truth
        .rooms
        .iter()
        .flat_map(|room| [&room.name, &room.kind].into_iter().chain(&room.also))
        .map(String::as_str)
        .collect();
    let mut less = observations.clone();
    for frame in less.observed.iter_mut().flat_map(|batch| &mut batch.frames) {
        frame
            .readings
            .retain(|reading| !names.iter().any(|name| score::distance(&reading.text, name) <= MAX_DISTANCE));
    }
    less
}
