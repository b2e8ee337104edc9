//! Verifies an answer: every number and every name must follow from the cited claims.
//!
//! Reads only the finished text, so that neither a faulty intent nor a model can state more than
//! the claims do.

use std::{collections::BTreeSet, sync::LazyLock};

use domain::document::{Evidence, Object, SpaceDocument};
use regex::Regex;

use super::{
    document_index::quotable,
    equation::without_equations,
    extract::{self, clock, quantity::digits, spelled},
    passages::sentences,
    polarity,
    query::AnswerType,
};
use crate::words::tokens;

/// Words that state nothing about a place.
const SPOKEN: &str = "yes seen counted to most likely in and zones zone is next to a text reads it was said read measured \
                      estimated light colours shown at the same more less photo sign part \
                      lowest highest of prices";

/// Whether every statement of `answer` follows from the cited claims and narration segments.
pub fn entails(document: &SpaceDocument, cited: &[String], answer: &str) -> bool {
    let Some((said, quotes)) = split(answer) else { return false };
    let values = values(document, cited);
    // Several statements of an answer may cite one claim.
    let distinct: BTreeSet<&String> = cited.iter().collect();
    if cited.is_empty() || values.len() < distinct.len() {
        return false;
    }
    let holds = |value: &String, quote: &String| {
        let value = quotable(value);
        value == *quote || sentences(&value).contains(&quote.as_str())
    };
    if !quotes.iter().all(|quote| values.iter().any(|value| holds(value, quote))) {
        return false;
    }
    let mut known: BTreeSet<String> = tokens(SPOKEN).into_iter().collect();
    known.extend(values.iter().flat_map(|value| tokens(value)));
    known.extend(values.iter().flat_map(|value| spelled::numbers(value)).map(|number| number.digits()));
    // "No" needs evidence that denies, or a timetable.
    let denies = |value: &String| {
        polarity::is_negative(value)
            || clock::range(value).is_some()
            || !clock::days_of_line(value).is_empty()
    };
    known.extend(values.iter().any(denies).then(|| "no".to_owned()));
    // "At least 3 more" counts cited claims that are not quoted.
    let unquoted = distinct.len().saturating_sub(quotes.len());
    let said = match counted_more(&said) {
        Some((rest, number)) if number <= unquoted => rest,
        Some(_) => return false,
        None => said,
    };
    if said.starts_with("Lowest of ") || said.starts_with("Highest of ") {
        known.extend(digits(&said).first().map(|(number, ..)| format!("{number}")));
    }
    known.extend(names(document, cited));
    known.extend(numbers(document, cited));
    let Some(said) = without_equations(&said, &values) else { return false };
    if !ordered(&said, &quotes, &values) {
        return false;
    }
    tokens(&said).iter().all(|word| known.contains(word))
}

/// Returns the text without its counts of further texts, and their sum; `None` if it has none.
fn counted_more(said: &str) -> Option<(String, usize)> {
    static MORE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"At least (\d{1,4}) more\.").expect("a constant"));
    let numbers = MORE.captures_iter(said).map(|found| found[1].parse::<usize>().unwrap_or(usize::MAX));
    let sum = numbers.reduce(usize::saturating_add)?;
    Some((MORE.replace_all(said, "").into_owned(), sum))
}

/// Whether the quoted price is the lowest or highest of the cited prices, if the answer says so.
fn ordered(said: &str, quotes: &[String], values: &[String]) -> bool {
    let price = |text: &String| {
        let found = extract::values(AnswerType::Price, text, true);
        found.first().and_then(|value| digits(&value.shown).first().map(|(number, ..)| *number))
    };
    let holds: fn(f64, f64) -> bool = match said.split_whitespace().next() {
        Some("Lowest") => |quoted, other| quoted <= other,
        Some("Highest") => |quoted, other| quoted >= other,
        _ => return true,
    };
    let count = digits(said).first().map(|(number, ..)| *number as usize);
    let all: Vec<f64> = values.iter().filter_map(price).collect();
    let quoted = quotes.iter().find_map(price);
    count == Some(all.len()) && quoted.is_some_and(|quoted| all.iter().all(|other| holds(quoted, *other)))
}

/// Splits an answer into the text outside quotation marks and the quotations. Returns `None` if a
/// quotation is not closed.
pub(super) fn split(answer: &str) -> Option<(String, Vec<String>)> {
    let (mut said, mut quotes) = (String::new(), Vec::new());
    let mut rest = answer;
    while let Some((before, after)) = rest.split_once('“') {
        let (quote, after) = after.split_once('”')?;
        said.extend([before, " "]);
        quotes.push(quote.to_owned());
        rest = after;
    }
    said.push_str(rest);
    Some((said, quotes))
}

fn values(document: &SpaceDocument, cited: &[String]) -> Vec<String> {
    let claims = document.claims().filter(|claim| cited.contains(&claim.id)).map(|claim| claim.value.clone());
    let said = document.narration.iter().filter(|n| cited.contains(&n.id)).map(|n| n.text.clone());
    claims.chain(said).collect()
}

fn objects<'a>(document: &'a SpaceDocument, cited: &[String]) -> Vec<&'a Object> {
    document.objects.iter().filter(|object| cited.contains(&object.category.id)).collect()
}

/// Returns the words of the names of the zones that the cited claims are about.
fn names(document: &SpaceDocument, cited: &[String]) -> Vec<String> {
    let mut ids: BTreeSet<&String> =
        objects(document, cited).iter().filter_map(|o| o.zone_id.as_ref()).collect();
    let cites = |id: &String| cited.contains(id);
    ids.extend(document.texts.iter().filter(|t| cites(&t.claim.id)).filter_map(|t| t.zone_id.as_ref()));
    ids.extend(document.narration.iter().filter(|n| cites(&n.id)).filter_map(|n| n.zone_id.as_ref()));
    ids.extend(
        document.measurements.iter().filter(|m| cites(&m.claim.id)).filter_map(|m| m.zone_id.as_ref()),
    );
    for opening in document.openings.iter().filter(|o| cites(&o.claim.id)) {
        ids.extend([&opening.from_zone_id, &opening.to_zone_id]);
    }
    let of_zone = |zone: &&domain::document::Zone| {
        zone.types.iter().chain(zone.attributes.iter().map(|a| &a.claim)).any(|claim| cites(&claim.id))
    };
    ids.extend(document.zones.iter().filter(of_zone).map(|zone| &zone.id));
    let zones = document.zones.iter().filter(|zone| ids.contains(&zone.id));
    zones.flat_map(|zone| [tokens(&zone.label), tokens(&zone.id)].concat()).collect()
}

/// Returns the numbers that follow from the citations: counts, their sums, the number of zones, and
/// times.
fn numbers(document: &SpaceDocument, cited: &[String]) -> Vec<String> {
    let cites = |id: &String| cited.contains(id);
    let mut out = BTreeSet::new();
    let objects = objects(document, cited);
    let categories: BTreeSet<&str> = objects.iter().map(|object| object.category.value.as_str()).collect();
    let groups = categories
        .iter()
        .map(|name| objects.iter().filter(|o| o.category.value == *name).collect::<Vec<_>>());
    let ones = objects.iter().map(|object| vec![object]);
    for group in groups.chain(ones).chain([objects.iter().collect()]).filter(|group| !group.is_empty()) {
        let sum = |of: fn(&Object) -> u32| group.iter().map(|object| of(object)).sum::<u32>();
        out.extend([sum(|o| o.count.min), sum(|o| o.count.best), sum(|o| o.count.max)]);
    }
    let of_zone = |zone: &&domain::document::Zone| {
        zone.types.iter().chain(zone.attributes.iter().map(|a| &a.claim)).any(|claim| cites(&claim.id))
    };
    let zones = document.zones.iter().filter(of_zone).count() as u32;
    out.extend((zones > 0).then_some(zones));
    let evidence = document.claims().filter(|claim| cites(&claim.id)).flat_map(|claim| &claim.evidence);
    let moments = evidence.filter_map(moment).flat_map(|at| tokens(&at));
    out.iter().map(u32::to_string).chain(moments).collect()
}

/// Returns the position of evidence in the media: `01:05`, or `photo 3`.
pub(super) fn moment(evidence: &Evidence) -> Option<String> {
    match (evidence.t_ms, evidence.ordinal) {
        (Some(t), _) => Some(format!("{:02}:{:02}", t / 60_000, t / 1000 % 60)),
        (None, Some(photo)) => Some(format!("photo {photo}")),
        (None, None) => None,
    }
}
