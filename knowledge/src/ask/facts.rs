//! Answers questions about texts, light, colours, types of rooms, conditions, years and times.

use domain::document::{AttributeName, TextKind};

use super::{
    document_index::{DocumentIndex, Passage},
    objects::is_number,
    question::{Question, without},
    types::{Draft, Outcome, Reason, Refusal},
};
use crate::words::{stems, tokens};

/// Words that ask for a text and need not be part of it.
const ASKING: [&str; 48] = [
    "wireless",
    "internet",
    "e",
    "password",
    "passcode",
    "open",
    "opened",
    "close",
    "closed",
    "closing",
    "time",
    "day",
    "week",
    "until",
    "cost",
    "pay",
    "much",
    "sign",
    "text",
    "written",
    "write",
    "read",
    "label",
    "notice",
    "word",
    "wifi",
    "wi",
    "fi",
    "wlan",
    "network",
    "name",
    "phone",
    "telephone",
    "number",
    "contact",
    "call",
    "email",
    "mail",
    "address",
    "website",
    "site",
    "hour",
    "opening",
    "price",
    "warning",
    "posted",
    "display",
    "mean",
];
const CONDITIONS: [&str; 24] = [
    "order",
    "works",
    "defective",
    "repair",
    "new",
    "old",
    "worn",
    "broken",
    "damaged",
    "renovated",
    "refurbished",
    "cracked",
    "stained",
    "clean",
    "dirty",
    "good",
    "bad",
    "poor",
    "excellent",
    "perfect",
    "used",
    "condition",
    "repaired",
    "scratched",
];
const DAYS: [&str; 14] = [
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Words about opening hours.
const HOURS: [&str; 9] =
    ["open", "opens", "opened", "opening", "hours", "close", "closes", "closed", "closing"];

type Kind = fn(&Passage) -> bool;

/// Returns a filter for the kind of text that the question asks for.
fn kind(question: &Question) -> Option<Kind> {
    let kinds: [(&[&str], Kind); 8] = [
        (&["password", "passcode"], |p| {
            let words = tokens(p.text);
            words.iter().any(|w| ["password", "passcode", "passwort", "pwd"].contains(&w.as_str()))
        }),
        (&["wifi", "wi", "wlan", "wireless"], |p| {
            let words = tokens(p.text);
            words.iter().any(|w| ["wifi", "wlan", "ssid"].contains(&w.as_str()))
                || words.windows(2).any(|w| w == ["wi", "fi"])
        }),
        (&["phone", "telephone", "call"], |p| {
            p.text.chars().filter(char::is_ascii_digit).count() >= 6
                && (p.read.is_none_or(|text| text.kind == TextKind::Contact))
        }),
        (&["email", "mail"], |p| p.text.contains('@')),
        (&["website", "site"], |p| {
            let text = p.text.to_lowercase();
            !text.contains('@')
                && ["www.", "http", ".com", ".org", ".net"].iter().any(|part| text.contains(part))
        }),
        (&HOURS, |p| {
            let words = tokens(p.text);
            let of_hours = |w: &String| DAYS.contains(&w.as_str()) || HOURS.contains(&w.as_str());
            let timed = |w: &String| w.bytes().any(|b| b.is_ascii_digit()) || is_number(w);
            words.iter().any(of_hours) && words.iter().any(timed)
        }),
        (&["price", "prices", "cost", "costs", "much"], |p| {
            p.text.contains(['$', '€', '£']) && p.text.chars().any(|c| c.is_ascii_digit())
        }),
        (&["warning", "warnings"], |p| p.read.is_some_and(|text| text.kind == TextKind::Warning)),
    ];
    kinds.into_iter().find(|(words, _)| question.says(words)).map(|(_, kind)| kind)
}

pub(super) fn text(index: &DocumentIndex, question: &Question) -> Outcome {
    if !question.quoted.is_empty() {
        return says(index, question);
    }
    let kind = kind(question);
    let mut words = without(&question.rest, &ASKING);
    if question.placed && question.zones.is_empty() {
        words.extend(question.rooms.iter().flat_map(|room| stems(room)));
    }
    let open = kind.is_none() && words.is_empty() && question.things.is_empty();
    let fits = |passage: &Passage| {
        let here = if question.zones.is_empty() { true } else { question.covers(passage.zone) };
        let wanted = kind.is_none_or(|kind| kind(passage)) && (!open || passage.read.is_some());
        // If the document has no such place, `words` contains its name.
        wanted && here && if open { true } else { speaks(index, passage, question, &words) }
    };
    // Any sign may be quoted, but not as an answer to a question for a password or a number.
    let passages: Vec<Passage> =
        if kind.is_some() { index.descriptive_passages().collect() } else { index.passages().collect() };
    let mut found: Vec<_> = passages.into_iter().filter(fits).collect();
    if found.iter().any(|passage| passage.read.is_some()) {
        found.retain(|passage| passage.read.is_some());
    }
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

fn speaks(index: &DocumentIndex, passage: &Passage, question: &Question, words: &[String]) -> bool {
    if question.placed && question.zones.is_empty() {
        let said = stems(passage.text);
        return words.iter().all(|word| said.contains(word));
    }
    index.speaks(passage, question, words)
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
    if question.things.is_empty() && question.rooms.is_empty() && words.is_empty() {
        return Err(Reason::NotObserved.into());
    }
    let tells = |p: &Passage| {
        let said = tokens(p.text);
        CONDITIONS.iter().any(|word| said.iter().any(|s| s == word)) && about(index, p, question, &words)
    };
    quote(index, question, tells)
}

pub(super) fn year(index: &DocumentIndex, question: &Question) -> Outcome {
    let words = without(&question.rest, &["old", "year", "date", "since", "time"]);
    let known = !words.is_empty() || !question.things.is_empty() || !question.rooms.is_empty();
    let tells = |p: &Passage| known && !years(p.text).is_empty() && about(index, p, question, &words);
    let found: Vec<_> = index.descriptive_passages().filter(tells).collect();
    let all: std::collections::BTreeSet<_> = found.iter().map(|passage| years(passage.text)).collect();
    if all.len() > 1 {
        let cites = found.iter().map(|passage| passage.id.to_owned()).collect();
        return Err(Refusal { reason: Reason::Conflict, cites });
    }
    quote(index, question, tells)
}

/// Whether a passage is about the subject. A room must be named; the zone of the passage is not
/// enough.
fn about(index: &DocumentIndex, passage: &Passage, question: &Question, words: &[String]) -> bool {
    let named = index.rooms_named(passage.text);
    let room = question.rooms.is_empty()
        || question.rooms.iter().any(|room| named.contains(room))
        || !question.things.is_empty();
    room && index.speaks(passage, question, words)
}

fn quote(index: &DocumentIndex, question: &Question, fits: impl Fn(&Passage) -> bool) -> Outcome {
    let found: Vec<_> = index.descriptive_passages().filter(fits).collect();
    if found.is_empty() { Err(index.missing(question).into()) } else { Ok(index.quote(&found)) }
}

/// Returns the years in a text.
fn years(text: &str) -> Vec<String> {
    let year =
        |word: &String| word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1500..2100).contains(&year));
    tokens(text).into_iter().filter(year).collect()
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
        let read = index.passages().filter(|p| index.speaks(p, question, &words));
        let read = read.filter_map(|p| p.read);
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
