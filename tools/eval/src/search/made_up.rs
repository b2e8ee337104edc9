//! Made-up spaces: those of `made_up.json`, and those in the tests of `knowledge`.

use domain::space::NewSpace;
use serde::Deserialize;

use super::{
    Space,
    ground_truth::{GroundTruth, join},
};

#[expect(dead_code, reason = "the tests of knowledge use more of it")]
#[path = "../../../../knowledge/tests/knowledge/fixture.rs"]
mod fixture;

use fixture::{Place, PlaceZone, document};

/// A space in `made_up.json`. Rooms are referred to by their number, from 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    name: String,
    #[serde(rename = "type")]
    space_type: String,
    description: Option<String>,
    rooms: Vec<String>,
    objects: Vec<(String, usize, u32)>,
    texts: Vec<(String, usize)>,
    said: Vec<(String, usize)>,
}

/// Returns all made-up spaces.
pub(super) fn spaces() -> anyhow::Result<Vec<Space>> {
    let described: Vec<Described> = serde_json::from_str(include_str!("made_up.json"))?;
    let mut out: Vec<Space> = described.into_iter().map(described_space).collect();
    for (name, space_type, file) in [
        ("Third floor left", "apartment", include_str!("../../../../knowledge/tests/data/flat.json")),
        ("Acme", "office", include_str!("../../../../knowledge/tests/data/office.json")),
    ] {
        out.push(space_of(name.to_owned(), space_type.to_owned(), None, &serde_json::from_str(file)?));
    }
    Ok(out)
}

fn described_space(described: Described) -> Space {
    let zone = |kind: String| PlaceZone {
        types: vec![kind],
        light: "normal".to_owned(),
        colours: "white".to_owned(),
        coverage: 0.9,
    };
    let place = Place {
        zones: described.rooms.into_iter().map(zone).collect(),
        things: described.objects.into_iter().map(|(name, room, n)| (name, room, [n, n, n])).collect(),
        texts: described.texts.into_iter().map(|(raw, room)| (raw, "sign".to_owned(), room)).collect(),
        said: described.said,
        boards: Vec::new(),
        sizes: Vec::new(),
        openings: Vec::new(),
        can_know: Vec::new(),
        warnings: Vec::new(),
    };
    space_of(described.name, described.space_type, described.description, &place)
}

/// Builds the document and the ground truth of a space.
fn space_of(name: String, space_type: String, description: Option<String>, place: &Place) -> Space {
    let mut truth = GroundTruth { space_type: space_type.clone(), ..GroundTruth::default() };
    for (at, zone) in place.zones.iter().enumerate() {
        let here = place.things.iter().filter(|(_, room, _)| *room == at + 1);
        let here: Vec<String> = here.map(|(name, ..)| name.clone()).collect();
        truth.rooms.extend(zone.types.iter().map(|kind| (kind.clone(), here.clone())));
    }
    for (object, _, [_, best, _]) in &place.things {
        *truth.objects.entry(object.clone()).or_default() += best;
    }
    let read = place.texts.iter().map(|(raw, ..)| raw);
    let said = place.said.iter().map(|(text, _)| text);
    truth.words = join([&name].into_iter().chain(&description).chain(read).chain(said));
    Space {
        new: NewSpace { name, space_type, external_id: None, description },
        truth,
        document: document(place),
    }
}
