//! Changes of objects between two walks with registered views.

use domain::document::{Count, Object};

use super::{
    super::{
        alignment::{Alignment, Walk},
        comparability::could_see,
        objects::{compare_group, evidence_of, incomparable, side},
        types::{Because, Change, ChangeKind, Side, Subject, change, unverified},
    },
    instances::{Instance, instances, shows},
    locator::PlaceLocator,
    presence::{FoundAgain, Presence, Verdict},
};

/// Minimum share of the frames of a zone that register to the matching zone, in both directions, for
/// their counts to be compared.
const MIN_MUTUAL_SHARE: f64 = 0.6;

/// Returns the changes of objects. `between` and `within` are the looks of the earlier and of the
/// later walk.
pub(in crate::diff) fn changes(
    alignment: &Alignment,
    between: &[PlaceLocator; 2],
    within: &[PlaceLocator; 2],
) -> Vec<Change> {
    let mut changes = counts(alignment, between);
    let (gone, unseen) = absent(&alignment.before, &alignment.after, &within[0], &between[0]);
    let (mut new, unknown) = absent(&alignment.after, &alignment.before, &within[1], &between[1]);
    for old in gone {
        let same = |other: &Side| other.value == old.value;
        if let Some(at) = new.iter().position(same) {
            let sides = (Some(old.clone()), Some(new.remove(at)));
            changes.push(change(ChangeKind::Moved, Subject::Object, &old.value, sides, 1.0));
        } else {
            let name = old.value.clone();
            changes.push(change(ChangeKind::Removed, Subject::Object, &name, (Some(old), None), 1.0));
        }
    }
    for side in new {
        let name = side.value.clone();
        changes.push(change(ChangeKind::Added, Subject::Object, &name, (None, Some(side)), 1.0));
    }
    changes.extend(unseen.into_iter().map(|side| unverified(Subject::Object, side, Because::NotSeenAgain)));
    changes.extend(unknown.into_iter().map(|side| unverified(Subject::Object, side, Because::NotSeenBefore)));
    changes.extend(unknown_classes(&alignment.before, &alignment.after, true));
    changes.extend(unknown_classes(&alignment.after, &alignment.before, false));
    changes
}

/// Compares the counts and conditions of objects of one category in matching zones. Counts are
/// compared only if most frames of both zones show the other zone.
fn counts(alignment: &Alignment, between: &[PlaceLocator; 2]) -> Vec<Change> {
    let (earlier, later) = (alignment.before.objects(), alignment.after.objects());
    let mut changes = Vec::new();
    for ((at, name), group) in &earlier {
        let Some((new, score)) = alignment.new_of(*at) else { continue };
        let Some(other) = later.get(&(new, *name)) else { continue };
        let (old_side, new_side) = (side(&alignment.before, *at, group), side(&alignment.after, new, other));
        let mut found = compare_group(name, (group, old_side), (other, new_side), score);
        let zones = alignment.before.zone(*at).zip(alignment.after.zone(new));
        let mutual = zones.is_some_and(|(old, new)| {
            let share = |looks: &PlaceLocator, a: &[String], b: &[String]| {
                looks.zone_share(a, b).is_some_and(|share| share >= MIN_MUTUAL_SHARE)
            };
            share(&between[0], &old.frame_ids, &new.frame_ids)
                && share(&between[1], &new.frame_ids, &old.frame_ids)
        });
        found.retain(|change| mutual || change.kind != ChangeKind::CountChanged);
        changes.extend(found);
    }
    changes
}

/// Returns the objects of `shown` that are demonstrably not in `searched`, and those of which nothing
/// is known although their zones match.
fn absent(shown: &Walk, searched: &Walk, own: &PlaceLocator, other: &PlaceLocator) -> (Vec<Side>, Vec<Side>) {
    let known = |object: &&Instance| could_see(searched.document, object.label);
    let all = instances(shown.document, own);
    let looked: Vec<(&Instance, Presence)> = all
        .iter()
        .filter(known)
        .map(|one| {
            let presence = Presence::of(&one.sightings, own, other, |same_walk, look| {
                let frames = if same_walk { own.searched } else { other.searched };
                Some(shows(frames, look, one.label))
            });
            (one, presence)
        })
        .collect();
    let found_again = FoundAgain::of(looked.iter().map(|(_, presence)| presence));
    let verdicts: Vec<(&Instance, Verdict)> =
        looked.iter().map(|(one, presence)| (*one, presence.verdict(&found_again))).collect();
    let absent = verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Absent);
    let gone = absent.map(|(one, _)| instance_side(shown, own, one)).collect();
    let unseen = shown.document.objects.iter().filter(|object| {
        let verdicts = || verdicts.iter().filter(|(one, _)| one.object.id == object.id);
        let elsewhere =
            || searched.document.objects.iter().any(|o| o.category.value == object.category.value);
        verdicts().all(|(_, verdict)| *verdict == Verdict::Unverified)
            && could_see(searched.document, &object.category.value)
            && !elsewhere()
    });
    let unseen = unseen.map(|object| {
        let at = shown.at(object.zone_id.as_ref());
        side(shown, at, &[object])
    });
    (gone, unseen.collect())
}

/// Returns one object as a side, with the evidence of this object only.
fn instance_side(walk: &Walk, own: &PlaceLocator, instance: &Instance) -> Side {
    let object: &Object = instance.object;
    let evidence = evidence_of(instance.sightings.iter().filter_map(|(view, bbox)| {
        let frame_id = &own.shown.views[*view].frame_id;
        let frame = walk.document.frames.iter().find(|frame| frame.id == *frame_id)?;
        let score = object.category.confidence;
        Some(frame.evidence(Some(*bbox), score))
    }));
    let at = walk.at(object.zone_id.as_ref());
    let count = Some(Count { min: 1, best: 1, max: 1 });
    Side { count, evidence, ..side(walk, at, &[object]) }
}

/// Returns the objects of a category that the detector of the other walk doesn't know.
fn unknown_classes(shown: &Walk, searched: &Walk, is_before: bool) -> Vec<Change> {
    let groups = shown.objects();
    let unknown = groups.iter().filter(|((_, name), _)| !could_see(searched.document, name));
    let refused = |((at, name), group): (&(Option<usize>, &str), &Vec<&Object>)| {
        let side = Some(side(shown, *at, group));
        incomparable(name, if is_before { (side, None) } else { (None, side) })
    };
    unknown.map(refused).collect()
}
