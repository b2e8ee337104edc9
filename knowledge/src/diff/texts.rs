//! Words in the picture: reworded, gone, new, moved.

use domain::document::Text;

use super::{
    alike,
    left::{Left, judged, later, sooner},
    scene::{At, Scene, Walk},
    types::{Change, ChangeKind, Side, Subject, change},
    view::OF_TEXT,
};

pub(super) fn changes(scene: &Scene) -> Vec<Change> {
    let (mut then, mut now) = (scene.before.texts(), scene.after.texts());
    let mut changes = Vec::new();
    let pairs = scene.pairs.iter().map(|pair| (Some(pair.old), Some(pair.new), pair.score));
    for (old, new, sure) in pairs.chain([(None, None, 1.0)]) {
        let (mut before, mut after) =
            (then.remove(&old).unwrap_or_default(), now.remove(&new).unwrap_or_default());
        let all = (before.clone(), after.clone());
        couple(&mut before, &mut after, |a, b| a.normalized == b.normalized);
        couple(&mut before, &mut after, |a, b| alike::same(&a.normalized, &b.normalized));
        let part =
            |text: &&Text, of: &[&Text]| of.iter().any(|o| alike::part(&text.normalized, &o.normalized));
        before.retain(|text| !part(text, &all.1));
        after.retain(|text| !part(text, &all.0));
        let other = |a: &Text, b: &Text| a.kind == b.kind && alike::reworded(&a.normalized, &b.normalized);
        for (a, b) in couple(&mut before, &mut after, other) {
            let sides = (Some(side(&scene.before, old, a)), Some(side(&scene.after, new, b)));
            changes.push(change(ChangeKind::Changed, Subject::Text, &a.raw, sides, sure));
        }
        then.insert(old, before);
        now.insert(new, after);
    }
    let gone = then.iter().flat_map(|(at, texts)| {
        texts.iter().filter_map(|text| {
            let (looked, sure) = later(scene, *at, &text.claim.evidence, OF_TEXT)?;
            Some(left(text, side(&scene.before, *at, text), looked, sure))
        })
    });
    let fresh = now.iter().flat_map(|(at, texts)| {
        texts.iter().filter_map(|text| {
            let (looked, sure) = sooner(scene, *at, &text.claim.evidence, OF_TEXT)?;
            Some(left(text, side(&scene.after, *at, text), looked, sure))
        })
    });
    let (gone, fresh) = (gone.collect(), fresh.collect());
    changes.extend(judged(scene, Subject::Text, gone, fresh));
    changes
}

/// Takes pairs that fit out of both lists.
fn couple<'a>(
    before: &mut Vec<&'a Text>,
    after: &mut Vec<&'a Text>,
    fits: impl Fn(&Text, &Text) -> bool,
) -> Vec<(&'a Text, &'a Text)> {
    let mut couples = Vec::new();
    before.retain(|old| match after.iter().position(|new| fits(old, new)) {
        Some(at) => {
            couples.push((*old, after.remove(at)));
            false
        }
        None => true,
    });
    couples
}

fn side(walk: &Walk, at: At, text: &Text) -> Side {
    Side::of(&text.id, &text.claim).within(walk.zone(at))
}

fn left<'a>(text: &'a Text, side: Side, looked: bool, sure: f64) -> Left<'a> {
    let evidence = text.claim.evidence.iter().collect();
    Left { name: text.normalized.clone(), side, evidence, looked, sure }
}
