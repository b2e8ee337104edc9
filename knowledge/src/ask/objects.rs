//! Answers whether, how many, where and which objects and zones there are.

use domain::document::{Object, Zone};

use super::{
    document_index::{DocumentIndex, list},
    measure::WHOLE,
    question::{Question, without},
    types::{Draft, Outcome, Reason},
};
use crate::words::LEXICON;

/// Words that ask for neighbouring zones.
const NEXT: [&str; 12] = [
    "next",
    "adjacent",
    "adjoining",
    "adjoin",
    "beside",
    "neighbouring",
    "lead",
    "connect",
    "connected",
    "border",
    "door",
    "reach",
];

/// Verbs between a room and what belongs to it.
const HAVING: [&str; 6] = ["have", "has", "contain", "contains", "include", "includes"];

/// Whether the question asks for zones, not for their contents.
fn of_zones(question: &Question) -> bool {
    question.says(&["room", "rooms", "zone", "zones", "area", "areas"])
}

pub(super) fn exists(index: &DocumentIndex, question: &Question) -> Outcome {
    if question.rest.is_empty() && !question.things.is_empty() {
        let found = index.things(question, &question.things);
        if !found.is_empty() {
            return Ok(Draft {
                text: format!("Yes. Seen: {}.", seen(index, &found)),
                ..draft(question, &found)
            });
        }
    } else if question.rest.is_empty() && !question.zones.is_empty() {
        return rooms(index, question);
    } else if let [one, other] = question.zones.as_slice()
        && without(&question.rest, &NEXT).is_empty()
        && question.things.is_empty()
    {
        let joins = |opening: &&domain::document::Opening| {
            let ends = [&opening.from_zone_id, &opening.to_zone_id];
            ends.contains(&&one.id) && ends.contains(&&other.id)
        };
        if let Some(opening) = index.0.openings.iter().find(joins) {
            let text = format!("Yes. {} is next to {}.", index.name(one), index.name(other));
            return Ok(Draft { text, cites: vec![opening.claim.id.clone()], partly: None });
        }
    }
    Err(index.missing(question).into())
}

/// Answers whether there are rooms. No zone shows that a room belongs to another one.
fn rooms(index: &DocumentIndex, question: &Question) -> Outcome {
    let owner = |verb: usize| !index.rooms_named(&question.words[..verb].join(" ")).is_empty();
    let is_owned = question.words.iter().position(|word| HAVING.contains(&word.as_str())).is_some_and(owner);
    if question.rooms.len() > 1 && (is_owned || question.says(&["in", "inside", "within"])) {
        return Err(index.missing(question).into());
    }
    let shown =
        |room: &String| question.zones.iter().any(|zone| zone.types.iter().any(|kind| kind.value == *room));
    let partly = (!question.rooms.iter().all(shown)).then_some(Reason::NotObserved);
    Ok(Draft { partly, ..zones(index, &question.zones, "Yes. Seen: ") })
}

pub(super) fn count(index: &DocumentIndex, question: &Question) -> Outcome {
    if !without(&question.rest, &WHOLE).is_empty() {
        return Err(index.missing(question).into());
    }
    let found = index.things(question, &question.things);
    if !found.is_empty() {
        let sum = |of: fn(&Object) -> u32| found.iter().map(|object| of(object)).sum::<u32>();
        let (min, best, max) = (sum(|o| o.count.min), sum(|o| o.count.best), sum(|o| o.count.max));
        let total = if min == max {
            format!("Counted: {best}")
        } else {
            format!("Counted: {min} to {max}, most likely {best}")
        };
        let mut answer = draft(question, &found);
        answer.text = format!("{total} ({}).", seen(index, &found));
        answer.partly = answer.partly.or((min != max).then_some(Reason::LowCoverage));
        return Ok(answer);
    }
    if !question.things.is_empty() {
        return Err(index.missing(question).into());
    }
    let all: Vec<&Zone> = index.0.zones.iter().collect();
    let found = if question.placed { &question.zones } else { &all };
    if found.is_empty() || !(question.placed || of_zones(question)) {
        return Err(index.missing(question).into());
    }
    let text = format!("Counted: {} zones: ", found.len());
    Ok(zones(index, found, &text))
}

pub(super) fn place(index: &DocumentIndex, question: &Question) -> Outcome {
    if question.rest.is_empty() && !question.things.is_empty() {
        let found: Vec<_> = index.things(question, &question.things);
        let placed: Vec<_> = found.into_iter().filter(|object| object.zone_id.is_some()).collect();
        if !placed.is_empty() {
            return Ok(Draft {
                text: format!("Seen: {}.", seen(index, &placed)),
                ..draft(question, &placed)
            });
        }
    } else if without(&question.rest, &NEXT).is_empty() && !question.zones.is_empty() {
        let of = |zone: &&Zone| {
            let next = index.0.openings.iter().filter_map(|opening| {
                let (from, to) = (&opening.from_zone_id, &opening.to_zone_id);
                let other = if *from == zone.id { to } else { from };
                (*from == zone.id || *to == zone.id).then_some(())?;
                Some((index.name(index.zone(Some(other))?), opening.claim.id.clone()))
            });
            let (names, cites): (Vec<_>, Vec<_>) = next.unzip();
            (!names.is_empty()).then(|| (format!("{} is next to {}.", index.name(zone), list(&names)), cites))
        };
        let (texts, cites): (Vec<String>, Vec<_>) = question.zones.iter().filter_map(of).unzip();
        if !texts.is_empty() {
            let mut cites: Vec<String> = cites.concat();
            cites.extend(question.zones.iter().filter_map(|zone| Some(index.shows(zone)?.id.clone())));
            return Ok(Draft { text: texts.join(" "), cites, partly: None });
        }
    }
    Err(index.missing(question).into())
}

/// Whether the question asks what is inside of an object. A sentence about the object is no answer.
pub(super) fn asks_for_contents(question: &Question) -> bool {
    let grouped = LEXICON.groups.values().any(|group| *group == question.things);
    let asked = question.says(&["what", "whats"]) && question.says(&["in", "inside", "within"]);
    asked && question.rest.is_empty() && !question.placed && !question.things.is_empty() && !grouped
}

pub(super) fn inventory(index: &DocumentIndex, question: &Question) -> Outcome {
    let rest = without(&question.rest, &["overview", "inventory", "describe", "summarise", "summarize"]);
    if !rest.is_empty() || (question.placed && question.zones.is_empty()) {
        return Err(index.missing(question).into());
    }
    let grouped = LEXICON.groups.values().any(|group| *group == question.things);
    // A question for the contents of an object is not about the object itself.
    let within = question.says(&["in", "inside", "on", "within"]) && !question.placed;
    if !question.things.is_empty() && !grouped && within {
        return Err(Reason::NotObserved.into());
    }
    if of_zones(question) && question.things.is_empty() && !question.placed {
        let all: Vec<&Zone> = index.0.zones.iter().collect();
        return if all.is_empty() {
            Err(Reason::NotObserved.into())
        } else {
            Ok(zones(index, &all, "Seen: "))
        };
    }
    let wanted = |object: &&Object| {
        (question.things.is_empty() || question.things.contains(&object.category.value))
            && question.covers(object.zone_id.as_ref())
    };
    let found: Vec<&Object> = index.0.objects.iter().filter(wanted).collect();
    if found.is_empty() {
        return Err(index.missing(question).into());
    }
    let cites = found.iter().map(|object| object.category.id.clone()).collect();
    Ok(Draft { text: format!("Seen: {}.", seen(index, &found)), cites, partly: None })
}

/// Builds a draft that cites objects. It is partial if a category of the question was not found.
fn draft(question: &Question, found: &[&Object]) -> Draft {
    let grouped = LEXICON.groups.values().any(|group| *group == question.things);
    let whole = question.things.iter().all(|name| found.iter().any(|object| object.category.value == *name));
    Draft {
        text: String::new(),
        cites: found.iter().map(|object| object.category.id.clone()).collect(),
        partly: (!whole && !grouped).then_some(Reason::NotObserved),
    }
}

/// Lists objects: "4 × chair in Kitchen; clock in Hallway".
fn seen(index: &DocumentIndex, found: &[&Object]) -> String {
    let one = |object: &&Object| {
        let count = if object.count.best > 1 { format!("{} × ", object.count.best) } else { String::new() };
        format!("{count}{}{}", object.category.value, index.place(object.zone_id.as_ref()))
    };
    found.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn zones(index: &DocumentIndex, found: &[&Zone], before: &str) -> Draft {
    let names: Vec<String> = found.iter().map(|zone| index.name(zone)).collect();
    let shown = found.iter().filter_map(|zone| index.0.zones.iter().find(|z| z.id == zone.id));
    let cites = shown.filter_map(|zone| Some(index.shows(zone)?.id.clone())).collect();
    Draft { text: format!("{before}{}.", list(&names)), cites, partly: None }
}
