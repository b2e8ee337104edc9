//! Whether, how many, where, and what: things and zones.

use domain::{
    document::{Object, Zone},
    numbers,
};

use super::{
    book::{Book, Piece, list},
    question::{Question, without},
    types::{Draft, Outcome, Reason},
};
use crate::words::{LEXICON, stems};

/// Whether a word stands for a number of things.
pub(super) fn is_number(word: &str) -> bool {
    numbers::count(word).is_some() || word == "dozen"
}

/// Words between a number and what it counts, at most.
const BESIDE: usize = 2;
/// Words that ask for what is beside something.
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

/// Whether the question asks for zones rather than for what is in them.
fn of_zones(question: &Question) -> bool {
    question.says(&["room", "rooms", "zone", "zones", "area", "areas"])
}

pub(super) fn exists(book: &Book, question: &Question) -> Outcome {
    if question.rest.is_empty() && !question.things.is_empty() {
        let found = book.things(question, &question.things);
        if !found.is_empty() {
            return Ok(Draft {
                text: format!("Yes. Seen: {}.", seen(book, &found)),
                ..draft(question, &found)
            });
        }
    } else if question.rest.is_empty() && !question.zones.is_empty() {
        return Ok(zones(book, &question.zones, "Yes. Seen: "));
    }
    quoted(book, question)
}

pub(super) fn count(book: &Book, question: &Question) -> Outcome {
    if !question.rest.is_empty() {
        return quoted_where(book, question, |piece| counts(piece, &question.rest));
    }
    let found = book.things(question, &question.things);
    if !found.is_empty() {
        let sum = |of: fn(&Object) -> u32| found.iter().map(|object| of(object)).sum::<u32>();
        let (min, best, max) = (sum(|o| o.count.min), sum(|o| o.count.best), sum(|o| o.count.max));
        let total = if min == max {
            format!("Counted: {best}")
        } else {
            format!("Counted: {min} to {max}, most likely {best}")
        };
        let mut answer = draft(question, &found);
        answer.text = format!("{total} ({}).", seen(book, &found));
        answer.partly = answer.partly.or((min != max).then_some(Reason::LowCoverage));
        return Ok(answer);
    }
    if !question.things.is_empty() {
        return Err(book.missing(question).into());
    }
    let all: Vec<&Zone> = book.0.zones.iter().collect();
    let found = if question.placed { &question.zones } else { &all };
    if found.is_empty() || !(question.placed || of_zones(question)) {
        return Err(book.missing(question).into());
    }
    let text = format!("Counted: {} zones: ", found.len());
    Ok(zones(book, found, &text))
}

/// Whether a piece has a number beside one of the subjects: "14 parking spaces", "windows: 3".
fn counts(piece: &Piece, subjects: &[String]) -> bool {
    let said = stems(piece.text);
    let number = |word: &String| is_number(word) || word.bytes().all(|b| b.is_ascii_digit());
    let near = |at: usize| said.iter().skip(at.saturating_sub(BESIDE)).take(2 * BESIDE + 1);
    said.iter().enumerate().any(|(at, word)| number(word) && near(at).any(|word| subjects.contains(word)))
}

pub(super) fn place(book: &Book, question: &Question) -> Outcome {
    if question.rest.is_empty() && !question.things.is_empty() {
        let found: Vec<_> = book.things(question, &question.things);
        let placed: Vec<_> = found.into_iter().filter(|object| object.zone_id.is_some()).collect();
        if !placed.is_empty() {
            return Ok(Draft { text: format!("Seen: {}.", seen(book, &placed)), ..draft(question, &placed) });
        }
    } else if without(&question.rest, &NEXT).is_empty() && !question.zones.is_empty() {
        let of = |zone: &&Zone| {
            let next = book.0.openings.iter().filter_map(|opening| {
                let (from, to) = (&opening.from_zone_id, &opening.to_zone_id);
                let other = if *from == zone.id { to } else { from };
                (*from == zone.id || *to == zone.id).then_some(())?;
                Some((book.name(book.zone(Some(other))?), opening.claim.id.clone()))
            });
            let (names, cites): (Vec<_>, Vec<_>) = next.unzip();
            (!names.is_empty()).then(|| (format!("{} is next to {}.", book.name(zone), list(&names)), cites))
        };
        let (texts, cites): (Vec<String>, Vec<_>) = question.zones.iter().filter_map(of).unzip();
        if !texts.is_empty() {
            let mut cites: Vec<String> = cites.concat();
            cites.extend(question.zones.iter().filter_map(|zone| Some(book.shows(zone)?.id.clone())));
            return Ok(Draft { text: texts.join(" "), cites, partly: None });
        }
    }
    quoted(book, question)
}

pub(super) fn inventory(book: &Book, question: &Question) -> Outcome {
    let rest = without(&question.rest, &["overview", "inventory", "describe", "summarise", "summarize"]);
    if !rest.is_empty() || (question.placed && question.zones.is_empty()) {
        return Err(book.missing(question).into());
    }
    let grouped = LEXICON.groups.values().any(|group| *group == question.things);
    // What is in or on a thing is not what the thing is.
    let within = question.says(&["in", "inside", "on", "within"]) && !question.placed;
    if !question.things.is_empty() && !grouped && within {
        return Err(Reason::NotObserved.into());
    }
    if of_zones(question) && question.things.is_empty() && !question.placed {
        let all: Vec<&Zone> = book.0.zones.iter().collect();
        return if all.is_empty() {
            Err(Reason::NotObserved.into())
        } else {
            Ok(zones(book, &all, "Seen: "))
        };
    }
    let wanted = |object: &&Object| {
        (question.things.is_empty() || question.things.contains(&object.category.value))
            && question.covers(object.zone_id.as_ref())
    };
    let found: Vec<&Object> = book.0.objects.iter().filter(wanted).collect();
    if found.is_empty() {
        return Err(book.missing(question).into());
    }
    let cites = found.iter().map(|object| object.category.id.clone()).collect();
    Ok(Draft { text: format!("Seen: {}.", seen(book, &found)), cites, partly: None })
}

/// What a sign or someone says that no other intent looks for: every word of the question must be said.
pub(super) fn said(book: &Book, question: &Question) -> Outcome {
    if question.rest.is_empty() {
        return Err(Reason::OutOfScope.into());
    }
    quoted(book, question).map_err(|_| Reason::OutOfScope.into())
}

/// What a sign or someone says of the subjects: the words, and no more.
fn quoted(book: &Book, question: &Question) -> Outcome {
    quoted_where(book, question, |_| true)
}

fn quoted_where(book: &Book, question: &Question, fits: impl Fn(&Piece) -> bool) -> Outcome {
    const ASKED: [&str; 6] = ["sign", "text", "allowed", "permitted", "forbidden", "prohibited"];
    let mut words = without(&question.rest, &ASKED);
    if question.zones.is_empty() {
        words.extend(question.rooms.iter().flat_map(|room| stems(room)));
    }
    let known = !words.is_empty() || !question.things.is_empty();
    let speaks = |piece: &Piece| known && book.speaks(piece, question, &words) && fits(piece);
    let pieces: Vec<_> = book.told().filter(speaks).collect();
    if pieces.is_empty() {
        return Err(book.missing(question).into());
    }
    Ok(Draft { partly: Some(Reason::NotObserved), ..book.quote(&pieces) })
}

/// Cites things; partly, when one of several that were asked for was not found.
fn draft(question: &Question, found: &[&Object]) -> Draft {
    let grouped = LEXICON.groups.values().any(|group| *group == question.things);
    let whole = question.things.iter().all(|name| found.iter().any(|object| object.category.value == *name));
    Draft {
        text: String::new(),
        cites: found.iter().map(|object| object.category.id.clone()).collect(),
        partly: (!whole && !grouped).then_some(Reason::NotObserved),
    }
}

/// "4 × chair in Kitchen; clock in Hallway".
fn seen(book: &Book, found: &[&Object]) -> String {
    let one = |object: &&Object| {
        let count = if object.count.best > 1 { format!("{} × ", object.count.best) } else { String::new() };
        format!("{count}{}{}", object.category.value, book.place(object.zone_id.as_ref()))
    };
    found.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn zones(book: &Book, found: &[&Zone], before: &str) -> Draft {
    let names: Vec<String> = found.iter().map(|zone| book.name(zone)).collect();
    let shown = found.iter().filter_map(|zone| book.0.zones.iter().find(|z| z.id == zone.id));
    let cites = shown.filter_map(|zone| Some(book.shows(zone)?.id.clone())).collect();
    Draft { text: format!("{before}{}.", list(&names)), cites, partly: None }
}
