//! Answers questions about signs, light, colours, types of rooms, conditions and times in the media.

use domain::document::{AttributeName, TextKind};

use super::{
    document_index::{DocumentIndex, Passage},
    question::{Question, without},
    types::{Draft, Outcome, Reason, Refusal},
};
use crate::words::stems;

/// Words that ask for a text and need not be part of it.
const ASKING: [&str; 14] = [
    "sign", "text", "written", "write", "read", "label", "notice", "word", "warning", "posted", "display",
    "mean", "poster", "board",
];

/// Answers what the signs of a place say. Questions about what a text is about are read from
/// passages.
pub(super) fn text(index: &DocumentIndex, question: &Question) -> Outcome {
    if !question.quoted.is_empty() {
        return says(index, question);
    }
    let rest = without(&question.rest, &ASKING);
    if !rest.is_empty() || !question.things.is_empty() || (question.placed && question.zones.is_empty()) {
        return Err(index.missing(question).into());
    }
    let warnings = question.says(&["warning", "warnings"]);
    let fits = |passage: &Passage| {
        let kind = passage.read.is_some_and(|text| !warnings || text.kind == TextKind::Warning);
        kind && question.covers(passage.zone)
    };
    let found: Vec<_> = index.passages().filter(fits).collect();
    if found.is_empty() { Err(index.missing(question).into()) } else { Ok(index.quote(&found)) }
}

/// Quotes texts that contain the quotation in the question.
fn says(index: &DocumentIndex, question: &Question) -> Outcome {
    let fits = |passage: &Passage| {
        let said = stems(passage.text);
        passage.read.is_some()
            && question.covers(passage.zone)
            && question.quoted.iter().all(|word| said.contains(word))
    };
    let found: Vec<Passage> = index.passages().filter(fits).collect();
    if found.is_empty() { Err(index.missing(question).into()) } else { Ok(index.quote(&found)) }
}

pub(super) fn light(index: &DocumentIndex, question: &Question) -> Outcome {
    const ASKED: [&str; 14] = [
        "bright",
        "dark",
        "lit",
        "well",
        "dim",
        "light",
        "lighting",
        "level",
        "gloomy",
        "illuminated",
        "how",
        "very",
        "badly",
        "poorly",
    ];
    let only = ["dark", "bright"].into_iter().find(|word| !question.placed && question.says(&[word]));
    attribute(index, question, &AttributeName::Light, "Light", &ASKED, only)
}

pub(super) fn colour(index: &DocumentIndex, question: &Question) -> Outcome {
    const ASKED: [&str; 8] =
        ["colour", "color", "coloured", "colored", "main", "dominant", "mainly", "mostly"];
    attribute(index, question, &AttributeName::DominantColours, "Colours", &ASKED, None)
}

fn attribute(
    index: &DocumentIndex,
    question: &Question,
    name: &AttributeName,
    title: &str,
    asked: &[&str],
    only: Option<&str>,
) -> Outcome {
    if !without(&question.rest, asked).is_empty() || !question.things.is_empty() {
        return Err(index.missing(question).into());
    }
    let mut draft = Draft::default();
    for zone in index.0.zones.iter().filter(|zone| question.covers(Some(&zone.id))) {
        let Some(claim) = index.attribute(zone, name) else { continue };
        if only.is_none_or(|only| claim.value == only) {
            let sentence = format!("{title} in {}: {}.", index.name(zone), claim.value);
            draft.text = [draft.text, sentence].join(" ").trim().to_owned();
            draft.cites.push(claim.id.clone());
        }
    }
    if draft.cites.is_empty() { Err(index.missing(question).into()) } else { Ok(draft) }
}

pub(super) fn kind_of_zone(index: &DocumentIndex, question: &Question) -> Outcome {
    let [zone] = question.zones.as_slice() else { return Err(Reason::NotObserved.into()) };
    let kinds: std::collections::BTreeSet<&str> =
        zone.types.iter().map(|claim| claim.value.as_str()).collect();
    let cites: Vec<String> = zone.types.iter().map(|claim| claim.id.clone()).collect();
    match kinds.len() {
        0 => Err(index.missing(question).into()),
        1 => Ok(Draft { text: format!("{}: {}.", zone.id, zone.types[0].value), cites, partly: None }),
        _ => Err(Refusal { reason: Reason::Conflict, cites }),
    }
}

pub(super) fn condition(index: &DocumentIndex, question: &Question) -> Outcome {
    let words = without(
        &question.rest,
        &["condition", "state", "good", "bad", "new", "old", "shape", "working", "work", "functional"],
    );
    if words.is_empty() {
        let found = index.things(question, &question.things);
        let known = found.iter().filter_map(|object| Some((object, object.condition.as_ref()?)));
        let mut draft = Draft::default();
        for (object, claim) in known {
            let sentence = format!("{}: {}.", object.category.value, claim.value);
            draft.text = [draft.text, sentence].join(" ").trim().to_owned();
            draft.cites.extend([object.category.id.clone(), claim.id.clone()]);
        }
        if !draft.cites.is_empty() {
            return Ok(draft);
        }
    }
    Err(index.missing(question).into())
}

/// Answers when the media shows something.
pub(super) fn moment(index: &DocumentIndex, question: &Question) -> Outcome {
    const ASKED: [&str; 17] = [
        "time",
        "second",
        "minute",
        "timestamp",
        "moment",
        "far",
        "first",
        "visited",
        "enter",
        "entered",
        "sign",
        "text",
        "last",
        "does",
        "come",
        "up",
        "read",
    ];
    let words = without(&question.rest, &ASKED);
    let things = index.things(question, &question.things);
    let mut shown: Vec<(String, &domain::document::Claim)> = Vec::new();
    if words.is_empty() && !question.things.is_empty() {
        shown.extend(
            things
                .iter()
                .map(|o| (format!("{}{}", o.category.value, index.place(o.zone_id.as_ref())), &o.category)),
        );
    } else if words.is_empty() {
        for zone in index.0.zones.iter().filter(|zone| question.placed && question.covers(Some(&zone.id))) {
            shown.extend(index.shows(zone).map(|claim| (index.name(zone), claim)));
        }
    } else {
        let says = |text: &&domain::document::Text| {
            let said = stems(&text.raw);
            question.things.is_empty() && words.iter().all(|word| said.contains(word))
        };
        let read = index.0.texts.iter().filter(says);
        shown.extend(read.map(|t| (format!("“{}”", super::document_index::quotable(&t.raw)), &t.claim)));
    }
    let mut draft = Draft::default();
    for (name, claim) in shown {
        let Some(at) = claim.evidence.iter().filter_map(super::verify::moment).min() else { continue };
        draft.text = [draft.text, format!("{name}: shown at {at}.")].join(" ").trim().to_owned();
        draft.cites.push(claim.id.clone());
    }
    if draft.cites.is_empty() { Err(index.missing(question).into()) } else { Ok(draft) }
}
