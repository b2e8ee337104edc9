//! Answers questions about sizes with measurements of the document. Never estimates or computes
//! one.

use domain::document::{Measurement, Method};

use super::{
    document_index::DocumentIndex,
    extract::quantity,
    question::{Question, without},
    types::{Draft, Outcome, Reason, Refusal},
};
use crate::words::{SIZES, stems};

/// Maximum relative difference of two equal measurements. Others contradict each other.
const SAME: f64 = 0.02;
/// Words for the whole space.
pub(super) const WHOLE: [&str; 20] = [
    "villa",
    "bungalow",
    "cottage",
    "maisonette",
    "penthouse",
    "hotel",
    "hostel",
    "guesthouse",
    "apartment",
    "flat",
    "house",
    "home",
    "property",
    "space",
    "place",
    "total",
    "overall",
    "whole",
    "building",
    "premises",
];

/// The size that a question asks for: its units, and words of which the source must contain one.
struct QueriedSize {
    units: &'static [&'static str],
    words: &'static [&'static str],
}

const AREA: &[&str] = &["m2", "ft2"];
const LENGTH: &[&str] = &["m", "cm", "mm", "km", "ft", "in"];

fn queried_size(question: &Question) -> QueriedSize {
    let kinds: [(&[&str], QueriedSize); 10] = [
        (&["wide", "width"], QueriedSize { units: LENGTH, words: &["wide", "width"] }),
        (&["tall", "height", "high"], QueriedSize { units: LENGTH, words: &["tall", "height", "high"] }),
        (&["long", "length"], QueriedSize { units: LENGTH, words: &["long", "length"] }),
        (&["deep", "depth"], QueriedSize { units: LENGTH, words: &["deep", "depth"] }),
        (&["people", "guests", "persons", "capacity"], QueriedSize { units: &["people"], words: &[] }),
        (&["temperature", "warm", "cold", "hot"], QueriedSize { units: &["degC", "degF"], words: &[] }),
        (&["weigh", "weight", "heavy"], QueriedSize { units: &["kg"], words: &[] }),
        (&["volume"], QueriedSize { units: &["m3", "l"], words: &[] }),
        (&["voltage"], QueriedSize { units: &["V"], words: &[] }),
        (&["measurement", "measurements", "dimensions"], QueriedSize { units: &[], words: &[] }),
    ];
    let found = kinds.into_iter().find(|(words, _)| question.says(words));
    found.map_or(QueriedSize { units: AREA, words: &[] }, |(_, wanted)| wanted)
}

pub(super) fn measure(index: &DocumentIndex, question: &Question) -> Outcome {
    let found = sizes(index, question)?;
    let mut draft = Draft::default();
    for size in found {
        let how = match size.method {
            Method::Read => "read",
            Method::Spoken => "said",
            Method::Sensor => "measured",
            Method::Estimated => "estimated",
        };
        let sentence = format!("{} is {how}{}.", size.claim.value, index.place(size.zone_id.as_ref()));
        draft.text = [draft.text, sentence].join(" ").trim().to_owned();
        draft.cites.push(size.claim.id.clone());
    }
    Ok(draft)
}

/// Returns the measurements that answer a question.
fn sizes<'a>(index: &DocumentIndex<'a>, question: &Question) -> Result<Vec<&'a Measurement>, Refusal> {
    const ASKED: [&str; 7] = ["dimension", "meter", "metre", "foot", "feet", "floor", "surface"];
    let wanted = queried_size(question);
    let also = ["people", "person", "guest", "fit", "warm", "cold", "hot", "sit", "hold", "is"];
    let subject =
        [&SIZES[..], &ASKED, &also].iter().fold(question.rest.clone(), |rest, list| without(&rest, list));
    let named = question.placed || !subject.is_empty() || !question.things.is_empty();
    let all = wanted.units.is_empty();
    let fits = |size: &&Measurement| {
        let Some(source) = index.source(size) else { return false };
        let said = stems(source.text);
        let rooms = index.rooms_named(source.text);
        // A sentence that names rooms is about these rooms; any other is about its zone.
        let here = if rooms.is_empty() {
            question.covers(size.zone_id.as_ref())
        } else {
            !question.placed
                || question.rooms.iter().any(|room| rooms.contains(room))
                || (size.method == Method::Read && question.covers(size.zone_id.as_ref()))
        };
        let dimension = wanted.words.is_empty() || is_of_dimension(size, source.text, &said, wanted.words);
        let whole = named || all || said.iter().any(|word| WHOLE.contains(&word.as_str()));
        let things = question.things.iter().all(|thing| stems(thing).iter().all(|word| said.contains(word)));
        (all || wanted.units.contains(&size.unit.as_str()))
            && here
            && dimension
            && whole
            && things
            && subject.iter().all(|word| said.contains(word))
            && (!wanted.words.is_empty() || all || plain_size(question, &said, index))
    };
    let found: Vec<_> = index.0.measurements.iter().filter(fits).collect();
    if found.is_empty() {
        return Err(Reason::UnsupportedMeasurement.into());
    }
    let conflict = !all
        && found.iter().any(|a| {
            found.iter().any(|b| a.zone_id == b.zone_id && a.unit == b.unit && differ(a.value, b.value))
        });
    if conflict {
        let cites = found.iter().map(|size| size.claim.id.clone()).collect();
        return Err(Refusal { reason: Reason::Conflict, cites });
    }
    Ok(found)
}

/// Whether a size is of the dimension of these words: they stand beside it, or else anywhere in its
/// source.
fn is_of_dimension(size: &Measurement, source: &str, said: &[String], words: &[&str]) -> bool {
    let at = source.find(&size.claim.value);
    let beside = at.and_then(|at| quantity::dimension_beside(source, at, at + size.claim.value.len()));
    match beside {
        Some(found) => quantity::dimension_named(words[0]) == Some(found),
        None => words.iter().any(|word| said.iter().any(|s| s == word)),
    }
}

/// Whether the size is of the place itself: the source names no object besides those of the
/// question.
fn plain_size(question: &Question, said: &[String], index: &DocumentIndex) -> bool {
    let things = index.0.objects.iter().map(|object| &object.category.value);
    let mut others = things.filter(|name| !question.things.contains(name));
    !others.any(|name| {
        let name = stems(name);
        said.windows(name.len()).any(|window| window == name)
    })
}

fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > SAME * a.abs().max(b.abs())
}

/// Returns the area of a zone, or a refusal if it is unknown or contradictory.
pub(super) fn area<'a>(index: &DocumentIndex<'a>, zone: &str) -> Result<&'a Measurement, Refusal> {
    let all: Vec<&Measurement> = index
        .0
        .measurements
        .iter()
        .filter(|size| AREA.contains(&size.unit.as_str()) && size.zone_id.as_deref() == Some(zone))
        .filter(|size| {
            let kinds = || index.0.zones.iter().filter(|z| z.id == zone).flat_map(|z| &z.types);
            index.source(size).is_some_and(|source| {
                let rooms = index.rooms_named(source.text);
                rooms.is_empty() || kinds().any(|kind| rooms.contains(&kind.value))
            })
        })
        .collect();
    let first = *all.first().ok_or(Reason::UnsupportedMeasurement)?;
    if all.iter().any(|other| differ(square_metres(first), square_metres(other))) {
        let cites = all.iter().map(|size| size.claim.id.clone()).collect();
        return Err(Refusal { reason: Reason::Conflict, cites });
    }
    Ok(first)
}

pub(super) fn square_metres(size: &Measurement) -> f64 {
    if size.unit == "ft2" { size.value * 0.092_903_04 } else { size.value }
}
