//! Answers questions about ways through the space, and about parts that were hardly filmed.

use std::collections::{BTreeMap, VecDeque};

use domain::document::{Opening, Zone};

use super::{
    document_index::{DocumentIndex, list},
    question::{Question, without},
    types::{Draft, Outcome, Reason},
};

/// Zones below this share of usable frames were seen in part only.
const SEEN_IN_PART: f64 = 0.5;

/// Answers how to get from one zone to another, by the openings that the walk went through. The way
/// with the fewest zones wins.
pub(super) fn way(index: &DocumentIndex, question: &Question) -> Outcome {
    const ASKED: [&str; 14] = [
        "get",
        "go",
        "going",
        "walk",
        "route",
        "way",
        "reach",
        "directions",
        "direction",
        "best",
        "shortest",
        "quickest",
        "path",
        "through",
    ];
    let [first, second] = question.zones.as_slice() else { return Err(Reason::NotObserved.into()) };
    if !without(&question.rest, &ASKED).is_empty() || !question.things.is_empty() {
        return Err(index.missing(question).into());
    }
    let starts = start(index, question);
    let is_start = |zone: &Zone| zone.types.iter().any(|kind| starts.contains(&kind.value));
    let (from, to) = if is_start(second) { (second, first) } else { (first, second) };
    if is_start(first) == is_start(second) {
        return Err(index.missing(question).into());
    }
    let path = shortest(&index.0.openings, from, to).ok_or_else(|| index.missing(question))?;
    let ids = std::iter::once(&from.id).chain(path.iter().map(|(_, zone)| *zone));
    let names: Vec<String> = ids.filter_map(|id| Some(index.name(index.zone(Some(id))?))).collect();
    let cites = path.iter().map(|(opening, _)| opening.claim.id.clone()).collect();
    Ok(Draft { text: format!("{}.", names.join(" to ")), cites, partly: None })
}

/// Returns the room types that the question names after "from".
fn start(index: &DocumentIndex, question: &Question) -> Vec<String> {
    let after = question.words.iter().skip_while(|word| *word != "from").skip(1);
    let words: Vec<&str> = after.map(String::as_str).take_while(|word| *word != "to").collect();
    index.rooms_named(&words.join(" "))
}

/// Breadth-first search over the openings, which lead both ways.
fn shortest<'a>(openings: &'a [Opening], from: &Zone, to: &Zone) -> Option<Vec<(&'a Opening, &'a String)>> {
    let mut reached: BTreeMap<&str, (&Opening, &String, &str)> = BTreeMap::new();
    let mut queue: VecDeque<&str> = VecDeque::from([from.id.as_str()]);
    while let Some(here) = queue.pop_front() {
        for opening in openings {
            let next = match (&opening.from_zone_id, &opening.to_zone_id) {
                (a, b) if a == here => b,
                (a, b) if b == here => a,
                _ => continue,
            };
            if next != from.id.as_str() && !reached.contains_key(next.as_str()) {
                reached.insert(next, (opening, next, here));
                queue.push_back(next);
            }
        }
    }
    let mut path = Vec::new();
    let mut at = to.id.as_str();
    while at != from.id.as_str() {
        let (opening, zone, before) = reached.get(at)?;
        path.push((*opening, *zone));
        at = before;
    }
    path.reverse();
    Some(path)
}

/// Answers which zones were hardly filmed.
pub(super) fn coverage(index: &DocumentIndex) -> Outcome {
    let part: Vec<&Zone> = index.0.zones.iter().filter(|zone| zone.coverage < SEEN_IN_PART).collect();
    let names: Vec<String> = part.iter().map(|zone| index.name(zone)).collect();
    let cites: Vec<String> = part
        .iter()
        .filter_map(|zone| index.zone(Some(&zone.id)))
        .filter_map(|zone| Some(index.shows(zone)?.id.clone()))
        .collect();
    if cites.is_empty() {
        return Err(Reason::NotObserved.into());
    }
    Ok(Draft { text: format!("Seen in part: {}.", list(&names)), cites, partly: Some(Reason::LowCoverage) })
}
