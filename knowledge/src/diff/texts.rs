//! Changes of visible texts: reworded, removed, added or moved.

use domain::document::Text;

use super::{
    alignment::{Alignment, Walk, ZoneIndex},
    text_similarity::{is_partial_reading, is_reworded, is_same_text},
    types::{Change, ChangeKind, Side, Subject, change},
    unmatched::{Unmatched, classify, place_in_earlier, place_in_later},
    view::TEXT_PROOF,
};

pub(super) fn changes(alignment: &Alignment) -> Vec<Change> {
    let (mut earlier, mut later) = (alignment.before.texts(), alignment.after.texts());
    let mut changes = Vec::new();
    let pairs = alignment.pairs.iter().map(|pair| (Some(pair.old), Some(pair.new), pair.score));
    for (old, new, match_score) in pairs.chain([(None, None, 1.0)]) {
        let (mut before, mut after) =
            (earlier.remove(&old).unwrap_or_default(), later.remove(&new).unwrap_or_default());
        let all = (before.clone(), after.clone());
        match_pairs(&mut before, &mut after, |a, b| a.normalized == b.normalized);
        match_pairs(&mut before, &mut after, |a, b| is_same_text(&a.normalized, &b.normalized));
        let is_part = |text: &&Text, of: &[&Text]| {
            of.iter().any(|o| is_partial_reading(&text.normalized, &o.normalized))
        };
        before.retain(|text| !is_part(text, &all.1));
        after.retain(|text| !is_part(text, &all.0));
        let reworded = |a: &Text, b: &Text| a.kind == b.kind && is_reworded(&a.normalized, &b.normalized);
        for (a, b) in match_pairs(&mut before, &mut after, reworded) {
            let sides = (Some(side(&alignment.before, old, a)), Some(side(&alignment.after, new, b)));
            changes.push(change(ChangeKind::Changed, Subject::Text, &a.raw, sides, match_score));
        }
        earlier.insert(old, before);
        later.insert(new, after);
    }
    let missing = earlier.iter().flat_map(|(at, texts)| {
        texts.iter().filter_map(|text| {
            let (place_seen, match_score) = place_in_later(alignment, *at, &text.claim.evidence, TEXT_PROOF)?;
            Some(unmatched(text, side(&alignment.before, *at, text), place_seen, match_score))
        })
    });
    let added = later.iter().flat_map(|(at, texts)| {
        texts.iter().filter_map(|text| {
            let (place_seen, match_score) =
                place_in_earlier(alignment, *at, &text.claim.evidence, TEXT_PROOF)?;
            Some(unmatched(text, side(&alignment.after, *at, text), place_seen, match_score))
        })
    });
    let (missing, added) = (missing.collect(), added.collect());
    changes.extend(classify(alignment, Subject::Text, missing, added));
    changes
}

/// Returns the texts of matching zones that are read alike, by their ids in both documents.
pub(super) fn same_texts(alignment: &Alignment) -> Vec<(String, String)> {
    let (earlier, later) = (alignment.before.texts(), alignment.after.texts());
    let mut same = Vec::new();
    for pair in &alignment.pairs {
        let (mut old, mut new) = (
            earlier.get(&Some(pair.old)).cloned().unwrap_or_default(),
            later.get(&Some(pair.new)).cloned().unwrap_or_default(),
        );
        let pairs = match_pairs(&mut old, &mut new, |a, b| is_same_text(&a.normalized, &b.normalized));
        same.extend(pairs.into_iter().map(|(a, b)| (a.id.clone(), b.id.clone())));
    }
    same
}

/// Removes matching pairs from both lists and returns them.
fn match_pairs<'a>(
    before: &mut Vec<&'a Text>,
    after: &mut Vec<&'a Text>,
    fits: impl Fn(&Text, &Text) -> bool,
) -> Vec<(&'a Text, &'a Text)> {
    let mut pairs = Vec::new();
    before.retain(|old| match after.iter().position(|new| fits(old, new)) {
        Some(at) => {
            pairs.push((*old, after.remove(at)));
            false
        }
        None => true,
    });
    pairs
}

fn side(walk: &Walk, at: ZoneIndex, text: &Text) -> Side {
    Side::of(&text.id, &text.claim).within(walk.zone(at))
}

fn unmatched<'a>(text: &'a Text, side: Side, place_seen: bool, match_score: f64) -> Unmatched<'a> {
    let evidence = text.claim.evidence.iter().collect();
    Unmatched { name: text.normalized.clone(), side, evidence, place_seen, match_score }
}
