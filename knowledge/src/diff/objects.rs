//! Things: more or fewer, gone, new, moved.

use domain::document::{Count, Evidence, Object};

use super::{
    footing::could_see,
    left::{Left, judged, later, sooner},
    scene::{At, Scene, Walk},
    types::{Because, Change, ChangeKind, Side, Subject, change},
    view::OF_THING,
};

/// Most pictures that are cited for one side.
const CITED: usize = 5;

pub(super) fn changes(scene: &Scene) -> Vec<Change> {
    let (then, now) = (scene.before.things(), scene.after.things());
    let (mut changes, mut gone, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
    for ((at, name), group) in &then {
        let side = side(&scene.before, *at, group);
        if !could_see(scene.after.document, name) {
            changes.push(unknown(name, (Some(side), None)));
            continue;
        }
        let Some((new, sure)) = scene.new_of(*at) else { continue };
        if let Some(other) = now.get(&(new, *name)) {
            changes.extend(in_both(name, (group, side), (other, self::side(&scene.after, new, other)), sure));
        } else if let Some((looked, sure)) = later(scene, *at, &sightings(group), OF_THING) {
            gone.push(left(name, group, side, looked, sure));
        }
    }
    for ((at, name), group) in &now {
        let side = side(&scene.after, *at, group);
        if !could_see(scene.before.document, name) {
            changes.push(unknown(name, (None, Some(side))));
            continue;
        }
        let known = scene.old_of(*at).is_some_and(|(old, _)| then.contains_key(&(old, *name)));
        if let Some((looked, sure)) = sooner(scene, *at, &sightings(group), OF_THING).filter(|_| !known) {
            fresh.push(left(name, group, side, looked, sure));
        }
    }
    // A thing that stands between two zones may be counted to either.
    gone.retain(|old| {
        let other = now.iter().filter(|((_, name), _)| *name == old.name);
        let kept = |group: &&Vec<&Object>| fresh.iter().all(|new| new.side.id != group[0].id);
        !other
            .map(|(_, group)| group)
            .filter(kept)
            .any(|group| scene.again.one_view(&owned(&old.evidence), &sightings(group)))
    });
    fresh.retain(|new| {
        let other = then.iter().filter(|((_, name), _)| *name == new.name);
        let kept = |group: &&Vec<&Object>| gone.iter().all(|old| old.side.id != group[0].id);
        !other
            .map(|(_, group)| group)
            .filter(kept)
            .any(|group| scene.earlier.one_view(&owned(&new.evidence), &sightings(group)))
    });
    changes.extend(judged(scene, Subject::Object, gone, fresh));
    changes
}

fn unknown(name: &str, sides: (Option<Side>, Option<Side>)) -> Change {
    change(ChangeKind::Incomparable, Subject::Object, name, sides, 1.0).because(Because::DifferentModels)
}

/// Things that are in a zone of both walks: how many, and in what condition.
fn in_both(
    name: &str,
    (old, before): (&[&Object], Side),
    (new, after): (&[&Object], Side),
    sure: f64,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let (then, now) = (counted(old), counted(new));
    if then.max < now.min || now.max < then.min {
        let sides = (Some(before), Some(after));
        changes.push(change(ChangeKind::CountChanged, Subject::Object, name, sides, sure));
    }
    let condition = |group: &[&Object]| match group {
        [one] => one.condition.as_ref().map(|claim| Side::of(&one.id, claim)),
        _ => None,
    };
    if let Some((old, new)) = condition(old).zip(condition(new)).filter(|(old, new)| old.value != new.value) {
        changes.push(change(ChangeKind::Changed, Subject::Condition, name, (Some(old), Some(new)), sure));
    }
    changes
}

fn left<'a>(name: &str, group: &[&'a Object], side: Side, looked: bool, sure: f64) -> Left<'a> {
    let evidence = group.iter().flat_map(|object| &object.sightings).collect();
    Left { name: name.to_owned(), side, evidence, looked, sure }
}

/// A group is never empty.
fn side(walk: &Walk, at: At, group: &[&Object]) -> Side {
    let surer = |a: &&&Object, b: &&&Object| a.category.confidence.total_cmp(&b.category.confidence);
    let best = group.iter().max_by(surer).unwrap_or(&group[0]);
    let mut evidence = sightings(group);
    evidence.sort_by(|a, b| b.score.total_cmp(&a.score));
    evidence.truncate(CITED);
    let side = Side::of(&group[0].id, &best.category).within(walk.zone(at));
    Side { count: Some(counted(group)), evidence, ..side }
}

fn counted(group: &[&Object]) -> Count {
    let sum =
        |of: fn(&Count) -> u32| group.iter().map(|object| of(&object.count)).fold(0, u32::saturating_add);
    Count { min: sum(|c| c.min), best: sum(|c| c.best), max: sum(|c| c.max) }
}

fn sightings(group: &[&Object]) -> Vec<Evidence> {
    group.iter().flat_map(|object| &object.sightings).cloned().collect()
}

fn owned(evidence: &[&Evidence]) -> Vec<Evidence> {
    evidence.iter().map(|e| (*e).clone()).collect()
}
