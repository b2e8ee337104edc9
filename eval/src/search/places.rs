//! Made-up spaces: those of `places.json`, and those that the tests of `knowledge` use.

use domain::space::NewSpace;
use serde::Deserialize;

use super::{
    Space,
    truths::{Truths, joined},
};

#[expect(dead_code, reason = "tests use more of it")]
#[path = "../../../knowledge/tests/knowledge/fixture.rs"]
mod fixture;

use fixture::{Place, PlaceZone, document};

/// A space as the file describes it. Rooms are named by their number, from 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    name: String,
    #[serde(rename = "type")]
    space_type: String,
    description: Option<String>,
    rooms: Vec<String>,
    things: Vec<(String, usize, u32)>,
    texts: Vec<(String, usize)>,
    said: Vec<(String, usize)>,
}

/// All of them.
pub(super) fn places() -> anyhow::Result<Vec<Space>> {
    let described: Vec<Described> = serde_json::from_str(include_str!("places.json"))?;
    let mut out: Vec<Space> = described.into_iter().map(space).collect();
    for (name, space_type, file) in [
        ("Third floor left", "apartment", include_str!("../../../knowledge/tests/data/flat.json")),
        ("Acme", "office", include_str!("../../../knowledge/tests/data/office.json")),
    ] {
        out.push(made(name.to_owned(), space_type.to_owned(), None, &serde_json::from_str(file)?));
    }
    Ok(out)
}

fn space(described: Described) -> Space {
    let zone = |kind: String| PlaceZone {
        types: vec![kind],
        light: "normal".to_owned(),
        colours: "white".to_owned(),
        coverage: 0.9,
    };
    let place = Place {
        zones: described.rooms.into_iter().map(zone).collect(),
        things: described.things.into_iter().map(|(name, room, n)| (name, room, [n, n, n])).collect(),
        texts: described.texts.into_iter().map(|(raw, room)| (raw, "sign".to_owned(), room)).collect(),
        said: described.said,
        sizes: Vec::new(),
        openings: Vec::new(),
        can_know: Vec::new(),
        warnings: Vec::new(),
    };
    made(described.name, described.space_type, described.description, &place)
}

fn made(name: String, space_type: String, description: Option<String>, place: &Place) -> Space {
    let mut truths = Truths { space_type: space_type.clone(), ..Truths::default() };
    for (at, zone) in place.zones.iter().enumerate() {
        let here = place.things.iter().filter(|(_, room, _)| *room == at + 1);
        let here: Vec<String> = here.map(|(name, ..)| name.clone()).collect();
        truths.rooms.extend(zone.types.iter().map(|kind| (kind.clone(), here.clone())));
    }
    for (thing, _, [_, best, _]) in &place.things {
        *truths.things.entry(thing.clone()).or_default() += best;
    }
    let read = place.texts.iter().map(|(raw, ..)| raw);
    let said = place.said.iter().map(|(text, _)| text);
    truths.words = joined([&name].into_iter().chain(&description).chain(read).chain(said));
    Space {
        new: NewSpace { name, space_type, external_id: None, description },
        truths,
        document: document(place),
    }
}
