//! Changes of objects: other counts, removed, added or moved.

use domain::document::{Count, Evidence, Object};

use super::{
    alignment::{Alignment, Walk, ZoneIndex},
    comparability::could_see,
    types::{Because, Change, ChangeKind, Side, Subject, change},
    unmatched::{Unmatched, classify, place_in_earlier, place_in_later},
    view::OBJECT_PROOF,
};

/// Maximum number of pieces of evidence of one side.
const MAX_EVIDENCE: usize = 5;

pub(super) fn changes(alignment: &Alignment) -> Vec<Change> {
    let (earlier, later) = (alignment.before.objects(), alignment.after.objects());
    let (mut changes, mut missing, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for ((at, name), group) in &earlier {
        let side = side(&alignment.before, *at, group);
        if !could_see(alignment.after.document, name) {
            changes.push(incomparable(name, (Some(side), None)));
            continue;
        }
        let Some((new, match_score)) = alignment.new_of(*at) else { continue };
        if let Some(other) = later.get(&(new, *name)) {
            changes.extend(compare_group(
                name,
                (group, side),
                (other, self::side(&alignment.after, new, other)),
                match_score,
            ));
        } else if let Some((place_seen, match_score)) =
            place_in_later(alignment, *at, &sightings(group), OBJECT_PROOF)
        {
            missing.push(unmatched(name, group, side, place_seen, match_score));
        }
    }
    for ((at, name), group) in &later {
        let side = side(&alignment.after, *at, group);
        if !could_see(alignment.before.document, name) {
            changes.push(incomparable(name, (None, Some(side))));
            continue;
        }
        let known = alignment.old_of(*at).is_some_and(|(old, _)| earlier.contains_key(&(old, *name)));
        if let Some((place_seen, match_score)) =
            place_in_earlier(alignment, *at, &sightings(group), OBJECT_PROOF).filter(|_| !known)
        {
            added.push(unmatched(name, group, side, place_seen, match_score));
        }
    }
    // An object between two zones may belong to either of them.
    missing.retain(|old| {
        let other = later.iter().filter(|((_, name), _)| *name == old.name);
        let is_matched = |group: &&Vec<&Object>| added.iter().all(|new| new.side.id != group[0].id);
        !other
            .map(|(_, group)| group)
            .filter(is_matched)
            .any(|group| alignment.later_views.same_view(&cloned(&old.evidence), &sightings(group)))
    });
    added.retain(|new| {
        let other = earlier.iter().filter(|((_, name), _)| *name == new.name);
        let is_matched = |group: &&Vec<&Object>| missing.iter().all(|old| old.side.id != group[0].id);
        !other
            .map(|(_, group)| group)
            .filter(is_matched)
            .any(|group| alignment.earlier_views.same_view(&cloned(&new.evidence), &sightings(group)))
    });
    changes.extend(classify(alignment, Subject::Object, missing, added));
    changes
}

pub(super) fn incomparable(name: &str, sides: (Option<Side>, Option<Side>)) -> Change {
    change(ChangeKind::Incomparable, Subject::Object, name, sides, 1.0).because(Because::DifferentModels)
}

/// Compares the count and condition of objects of one category that both scans show in one zone.
pub(super) fn compare_group(
    name: &str,
    (old, before): (&[&Object], Side),
    (new, after): (&[&Object], Side),
    match_score: f64,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let (earlier, later) = (total_count(old), total_count(new));
    if earlier.max < later.min || later.max < earlier.min {
        let sides = (Some(before), Some(after));
        changes.push(change(ChangeKind::CountChanged, Subject::Object, name, sides, match_score));
    }
    let condition = |group: &[&Object]| match group {
        [one] => one.condition.as_ref().map(|claim| Side::of(&one.id, claim)),
        _ => None,
    };
    if let Some((old, new)) = condition(old).zip(condition(new)).filter(|(old, new)| old.value != new.value) {
        changes.push(change(
            ChangeKind::Changed,
            Subject::Condition,
            name,
            (Some(old), Some(new)),
            match_score,
        ));
    }
    changes
}

fn unmatched<'a>(
    name: &str,
    group: &[&'a Object],
    side: Side,
    place_seen: bool,
    match_score: f64,
) -> Unmatched<'a> {
    let evidence = group.iter().flat_map(|object| &object.sightings).collect();
    Unmatched { name: name.to_owned(), side, evidence, place_seen, match_score }
}

/// Returns a group of objects as a side. The group must not be empty.
pub(super) fn side(walk: &Walk, at: ZoneIndex, group: &[&Object]) -> Side {
    let by_confidence = |a: &&&Object, b: &&&Object| a.category.confidence.total_cmp(&b.category.confidence);
    let best = group.iter().max_by(by_confidence).unwrap_or(&group[0]);
    let evidence = evidence_of(sightings(group));
    let side = Side::of(&group[0].id, &best.category).within(walk.zone(at));
    Side { count: Some(total_count(group)), evidence, ..side }
}

/// Returns the best pieces of evidence.
pub(super) fn evidence_of(all: impl IntoIterator<Item = Evidence>) -> Vec<Evidence> {
    let mut evidence: Vec<Evidence> = all.into_iter().collect();
    evidence.sort_by(|a, b| b.score.total_cmp(&a.score));
    evidence.truncate(MAX_EVIDENCE);
    evidence
}

fn total_count(group: &[&Object]) -> Count {
    let sum =
        |of: fn(&Count) -> u32| group.iter().map(|object| of(&object.count)).fold(0, u32::saturating_add);
    Count { min: sum(|c| c.min), best: sum(|c| c.best), max: sum(|c| c.max) }
}

fn sightings(group: &[&Object]) -> Vec<Evidence> {
    group.iter().flat_map(|object| &object.sightings).cloned().collect()
}

fn cloned(evidence: &[&Evidence]) -> Vec<Evidence> {
    evidence.iter().map(|e| (*e).clone()).collect()
}
