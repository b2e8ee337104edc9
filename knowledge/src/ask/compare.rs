//! Answers comparisons of counts, areas and light. Compares only known values.

use domain::document::{AttributeName, Zone};

use super::{
    document_index::DocumentIndex,
    measure,
    question::{Question, without},
    types::{Draft, Outcome, Reason, Refusal},
};
use crate::words::COMPARISONS;

/// One side of a comparison: its name, displayed value, range of values, and claims.
struct Side {
    name: String,
    shown: String,
    min: f64,
    max: f64,
    cites: Vec<String>,
}

const LESS: [&str; 8] = ["fewer", "less", "fewest", "smaller", "smallest", "darker", "darkest", "least"];
const SIZES: [&str; 6] = ["bigger", "larger", "smaller", "biggest", "largest", "smallest"];
const LIGHTS: [&str; 5] = ["brighter", "darker", "brightest", "darkest", "lighter"];
/// Words of a comparison that name neither side, in addition to [`COMPARISONS`].
const ASKED: [&str; 7] = ["compared", "than", "size", "light", "between", "overall", "very"];

pub(super) fn compare(index: &DocumentIndex, question: &Question) -> Outcome {
    let same_name = question.rooms.len() + usize::from(question.rooms.is_empty()) < question.zones.len();
    if !without(&without(&question.rest, &COMPARISONS), &ASKED).is_empty()
        || (question.placed && same_name && question.rooms.len() > 1)
    {
        return Err(Reason::NotObserved.into());
    }
    let asked: Vec<&Zone> =
        if question.placed { question.zones.clone() } else { index.0.zones.iter().collect() };
    // A room that was asked for and not seen cannot be compared.
    let seen =
        |room: &String| question.zones.iter().any(|zone| zone.types.iter().any(|kind| kind.value == *room));
    if !question.rooms.iter().all(seen) {
        return Err(index.missing(question).into());
    }
    let mut unmeasured = false;
    let sides: Result<Vec<Side>, Refusal> = if question.says(&SIZES) && question.things.is_empty() {
        let all: Vec<Result<Side, Refusal>> = asked.iter().map(|zone| of_area(index, zone)).collect();
        // Of all rooms, those with a known size are compared.
        unmeasured = !question.placed && all.iter().any(Result::is_err);
        all.into_iter().filter(|side| question.placed || side.is_ok()).collect()
    } else if question.says(&LIGHTS) && question.things.is_empty() {
        asked.iter().map(|zone| of_light(index, zone)).collect()
    } else {
        match question.things.as_slice() {
            [thing] => Ok(asked.iter().filter_map(|zone| of_things(index, thing, zone)).collect()),
            [_, _] if !question.says(&SIZES) && !question.says(&LIGHTS) => {
                Ok(question.things.iter().filter_map(|thing| of_thing(index, question, thing)).collect())
            }
            _ => return Err(Reason::OutOfScope.into()),
        }
    };
    let mut sides = sides?;
    let few = question.placed || question.things.len() > 1;
    if sides.is_empty() || ((few || unmeasured) && sides.len() < 2) {
        return Err(index.missing(question).into());
    }
    let less = question.says(&LESS);
    // What was not seen is not none, so no zone can be said to have the fewest.
    if less && !few && !question.things.is_empty() {
        return Err(Reason::NotObserved.into());
    }
    sides.sort_by(|a, b| if less { a.max.total_cmp(&b.max) } else { b.min.total_cmp(&a.min) });
    let mut draft = worded(&sides, less);
    draft.partly = draft.partly.or(unmeasured.then_some(Reason::UnsupportedMeasurement));
    Ok(draft)
}

fn worded(sides: &[Side], less: bool) -> Draft {
    let shown =
        sides.iter().map(|side| format!("{}: {}", side.name, side.shown)).collect::<Vec<_>>().join("; ");
    let cites = sides.iter().flat_map(|side| side.cites.clone()).collect();
    let word = if less { "Less" } else { "More" };
    match sides {
        [first, second, ..] => {
            let equal = first.min == first.max && first.min == second.min && second.min == second.max;
            let disjoint = if less { first.max < second.min } else { first.min > second.max };
            if equal {
                Draft { text: format!("The same. {shown}."), cites, partly: None }
            } else if disjoint {
                Draft { text: format!("{word}: {}. {shown}.", first.name), cites, partly: None }
            } else {
                Draft { text: format!("{shown}."), cites, partly: Some(Reason::LowCoverage) }
            }
        }
        [only] => Draft {
            text: format!("{word}: {}. {shown}.", only.name),
            cites,
            partly: Some(Reason::NotObserved),
        },
        [] => Draft::default(),
    }
}

fn of_area(index: &DocumentIndex, zone: &Zone) -> Result<Side, Refusal> {
    let size = measure::area(index, &zone.id)?;
    let value = measure::square_metres(size);
    Ok(Side {
        name: index.name(zone),
        shown: size.claim.value.clone(),
        min: value,
        max: value,
        cites: vec![size.claim.id.clone()],
    })
}

fn of_light(index: &DocumentIndex, zone: &Zone) -> Result<Side, Refusal> {
    let shown = index.0.zones.iter().find(|other| other.id == zone.id);
    let claim = shown
        .and_then(|zone| index.attribute(zone, &AttributeName::MeanLightness))
        .ok_or(Reason::NotObserved)?;
    let value: f64 = claim.value.parse().map_err(|_| Reason::NotObserved)?;
    Ok(Side {
        name: index.name(zone),
        shown: claim.value.clone(),
        min: value,
        max: value,
        cites: vec![claim.id.clone()],
    })
}

fn of_things(index: &DocumentIndex, thing: &str, zone: &Zone) -> Option<Side> {
    let here = |object: &&domain::document::Object| {
        object.category.value == thing && object.zone_id.as_ref() == Some(&zone.id)
    };
    side(index.name(zone), index.0.objects.iter().filter(here).collect())
}

fn of_thing(index: &DocumentIndex, question: &Question, thing: &String) -> Option<Side> {
    side(thing.clone(), index.things(question, std::slice::from_ref(thing)))
}

fn side(name: String, found: Vec<&domain::document::Object>) -> Option<Side> {
    let sum =
        |of: fn(&domain::document::Count) -> u32| found.iter().map(|object| of(&object.count)).sum::<u32>();
    let (min, max) = (sum(|c| c.min), sum(|c| c.max));
    let shown = if min == max { min.to_string() } else { format!("{min} to {max}") };
    let cites = found.iter().map(|object| object.category.id.clone()).collect();
    (!found.is_empty()).then_some(Side { name, shown, min: min.into(), max: max.into(), cites })
}
