//! Changes of visible texts between two walks with registered views.
//!
//! Two texts at one registered place are one sign. If they differ, the sign changed. The similarity
//! of the texts decides only where nothing shows the places.

use std::collections::BTreeSet;

use domain::document::{BBox, Evidence, Text};

use super::{
    super::{
        alignment::{Alignment, Walk},
        text_similarity::{is_partial_reading, is_reworded, is_same_text},
        types::{Because, Change, ChangeKind, Side, Subject, change, unverified},
    },
    locator::{LocatedPlace, PlaceLocator, WalkFrames},
    presence::{FoundAgain, Presence, Verdict},
};

/// Minimum height of a line that a reader reads nearly always, in pixels.
const MIN_HEIGHT_PX: f64 = 20.0;
/// Minimum overlap of two lines along each axis, as a share of the smaller one.
const SAME_LINE_MIN_OVERLAP: f64 = 0.5;
/// Maximum factor between the heights of two lines at one place.
const SAME_LINE_MAX_HEIGHT_RATIO: f64 = 1.7;
/// Confidence from which a text that was read in one frame only is believed.
const SURE_CONFIDENCE: f64 = 0.9;

/// A text with the frames that show it and with what the other walk shows at its place.
struct Sign<'a> {
    text: &'a Text,
    looks: Vec<LocatedPlace>,
    presence: Presence,
    matched: bool,
}

pub(in crate::diff) fn changes(
    alignment: &Alignment,
    between: &[PlaceLocator; 2],
    within: &[PlaceLocator; 2],
) -> Vec<Change> {
    let mut old = signs(&alignment.before, &within[0], &between[0]);
    let mut new = signs(&alignment.after, &within[1], &between[1]);
    let same_place: BTreeSet<(usize, usize)> =
        places(&old, &new, &between[0]).chain(places(&new, &old, &between[1]).map(|(b, a)| (a, b))).collect();
    let same_zone = |a: &Text, b: &Text| {
        let old = alignment.before.at(a.zone_id.as_ref());
        alignment.new_of(old).is_some_and(|(new, _)| new == alignment.after.at(b.zone_id.as_ref()))
    };
    let same = |a: &Text, b: &Text| is_same_text(&a.normalized, &b.normalized);
    join(&mut old, &mut new, |i, j, a, b| same_place.contains(&(i, j)) && same(a, b));
    join(&mut old, &mut new, |_, _, a, b| same_zone(a, b) && a.normalized == b.normalized);
    join(&mut old, &mut new, |_, _, a, b| same_zone(a, b) && same(a, b));
    leave_partial_readings(&mut old, &alignment.after);
    leave_partial_readings(&mut new, &alignment.before);

    let mut changes = Vec::new();
    let reworded =
        join(&mut old, &mut new, |i, j, a, b| same_place.contains(&(i, j)) && is_sure(a) && is_sure(b));
    let readable = |(i, j): &(usize, usize)| {
        !reads(&between[0], &old[*i].looks, old[*i].text) && !reads(&between[1], &new[*j].looks, new[*j].text)
    };
    changes.extend(
        reworded
            .iter()
            .filter(|pair| readable(pair))
            .map(|(i, j)| changed(alignment, old[*i].text, new[*j].text)),
    );
    // Where no frame shows the place of either text, the words decide.
    let (unseen_old, unseen_new): (Vec<bool>, Vec<bool>) = (
        old.iter().map(|sign| sign.looks.is_empty()).collect(),
        new.iter().map(|sign| sign.looks.is_empty()).collect(),
    );
    let reworded = join(&mut old, &mut new, |i, j, a, b| {
        unseen_old[i]
            && unseen_new[j]
            && same_zone(a, b)
            && a.kind == b.kind
            && is_reworded(&a.normalized, &b.normalized)
    });
    changes.extend(reworded.iter().map(|(i, j)| changed(alignment, old[*i].text, new[*j].text)));

    let (gone, unseen) = verdicts(&old, &alignment.before);
    let (mut added, unknown) = verdicts(&new, &alignment.after);
    for side in gone {
        let same = |other: &Side| is_same_text(&other.value.to_lowercase(), &side.value.to_lowercase());
        let (kind, after) = match added.iter().position(same) {
            Some(at) => (ChangeKind::Moved, Some(added.remove(at))),
            None => (ChangeKind::Removed, None),
        };
        let name = side.value.clone();
        changes.push(change(kind, Subject::Text, &name, (Some(side), after), 1.0));
    }
    changes.extend(added.into_iter().map(|side| {
        let name = side.value.clone();
        change(ChangeKind::Added, Subject::Text, &name, (None, Some(side)), 1.0)
    }));
    // A zone without a match stands for its texts.
    let unseen = unseen
        .into_iter()
        .filter(|side| alignment.new_of(alignment.before.at(side.zone_id.as_ref())).is_some());
    let unknown = unknown
        .into_iter()
        .filter(|side| alignment.old_of(alignment.after.at(side.zone_id.as_ref())).is_some());
    changes.extend(unseen.map(|side| unverified(Subject::Text, side, Because::NotSeenAgain)));
    changes.extend(unknown.map(|side| unverified(Subject::Text, side, Because::NotSeenBefore)));
    changes
}

/// Returns the texts that are read alike at one place, by their ids in both documents. Where no frame
/// shows the place of either text, the zone decides.
pub(in crate::diff) fn same_texts(
    alignment: &Alignment,
    between: &[PlaceLocator; 2],
) -> Vec<(String, String)> {
    let looks_of = |text: &Text, looks: &PlaceLocator| -> Vec<LocatedPlace> {
        sightings(text, looks).iter().flat_map(|(at, bbox)| looks.of(*at, bbox)).collect()
    };
    let mut same: Vec<(String, String)> = Vec::new();
    for old in &alignment.before.document.texts {
        let looks = looks_of(old, &between[0]);
        let zone = alignment.new_of(alignment.before.at(old.zone_id.as_ref())).map(|(zone, _)| zone);
        let is_same = |new: &&Text| {
            let unseen = || looks.is_empty() && looks_of(new, &between[1]).is_empty();
            is_same_text(&old.normalized, &new.normalized)
                && same.iter().all(|(_, taken)| *taken != new.id)
                && (looks.iter().any(|look| is_read_at(new, &between[0], look))
                    || (zone == Some(alignment.after.at(new.zone_id.as_ref())) && unseen()))
        };
        let found = alignment.after.document.texts.iter().find(is_same);
        same.extend(found.map(|new| (old.id.clone(), new.id.clone())));
    }
    same
}

fn sightings(text: &Text, looks: &PlaceLocator) -> Vec<(usize, BBox)> {
    let sighting = |e: &Evidence| Some((looks.shown.position(e.frame_id.as_deref()?)?, e.bbox?));
    text.claim.evidence.iter().filter_map(sighting).collect()
}

/// Whether a text was read where a look locates another.
fn is_read_at(text: &Text, looks: &PlaceLocator, look: &LocatedPlace) -> bool {
    let frame = &looks.searched.views[look.view].frame_id;
    let is_there = |e: &Evidence| {
        e.frame_id.as_ref() == Some(frame) && e.bbox.is_some_and(|bbox| is_same_line(&look.bbox, &bbox))
    };
    text.claim.evidence.iter().any(is_there)
}

fn signs<'a>(walk: &Walk<'a>, own: &PlaceLocator, other: &PlaceLocator) -> Vec<Sign<'a>> {
    let sign = |text: &'a Text| {
        let sightings = sightings(text, own);
        let large = |looks: &PlaceLocator, look: &LocatedPlace| {
            look.bbox.h * looks.searched.height(look.view) >= MIN_HEIGHT_PX
        };
        let presence = Presence::of(&sightings, own, other, |same_walk, look| {
            let looks = if same_walk { own } else { other };
            large(looks, look).then(|| line_at(looks.searched, look).is_some())
        });
        let looks = sightings.iter().flat_map(|(at, bbox)| other.of(*at, bbox)).collect();
        Sign { text, looks, presence, matched: false }
    };
    walk.document.texts.iter().map(sign).collect()
}

/// Returns the pairs of texts of which the second was read where the first is located.
fn places<'s>(
    signs: &'s [Sign],
    others: &'s [Sign],
    looks: &'s PlaceLocator,
) -> impl Iterator<Item = (usize, usize)> + 's {
    signs.iter().enumerate().flat_map(move |(i, sign)| {
        others.iter().enumerate().filter_map(move |(j, other)| {
            sign.looks.iter().any(|look| is_read_at(other.text, looks, look)).then_some((i, j))
        })
    })
}

/// Marks pairs of unmatched texts as matched, and returns them.
fn join(
    old: &mut [Sign],
    new: &mut [Sign],
    fits: impl Fn(usize, usize, &Text, &Text) -> bool,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (i, a) in old.iter_mut().enumerate().filter(|(_, sign)| !sign.matched) {
        let found = new.iter_mut().enumerate().find(|(j, b)| !b.matched && fits(i, *j, a.text, b.text));
        if let Some((j, b)) = found {
            (a.matched, b.matched) = (true, true);
            pairs.push((i, j));
        }
    }
    pairs
}

/// Leaves out texts of which the other walk has a longer or shorter reading.
fn leave_partial_readings(signs: &mut [Sign], other: &Walk) {
    for sign in signs.iter_mut().filter(|sign| !sign.matched) {
        let is_part = |text: &Text| is_partial_reading(&sign.text.normalized, &text.normalized);
        sign.matched = other.document.texts.iter().any(is_part);
    }
}

/// Whether a text was read often or surely enough to say that a sign changed.
fn is_sure(text: &Text) -> bool {
    text.claim.evidence.len() > 1 || text.claim.confidence >= SURE_CONFIDENCE
}

/// Whether any frame that shows the place was read as this text, so that the difference is a
/// misreading.
fn reads(looks: &PlaceLocator, at: &[LocatedPlace], text: &Text) -> bool {
    at.iter().filter_map(|look| line_at(looks.searched, look)).any(|line| {
        let line = line.to_lowercase();
        is_same_text(&line, &text.normalized) || is_partial_reading(&line, &text.normalized)
    })
}

fn line_at<'a>(frames: &WalkFrames<'a>, look: &LocatedPlace) -> Option<&'a str> {
    let view = frames.views[look.view];
    view.texts.iter().find(|line| is_same_line(&line.bbox, &look.bbox)).map(|line| line.text.as_str())
}

/// Whether two boxes hold the same line.
fn is_same_line(a: &BBox, b: &BBox) -> bool {
    let overlap = |from: (f64, f64), to: (f64, f64)| {
        let common = (from.0 + from.1).min(to.0 + to.1) - from.0.max(to.0);
        common / from.1.min(to.1).max(f64::EPSILON)
    };
    overlap((a.x, a.w), (b.x, b.w)) >= SAME_LINE_MIN_OVERLAP
        && overlap((a.y, a.h), (b.y, b.h)) >= SAME_LINE_MIN_OVERLAP
        && a.h.max(b.h) <= SAME_LINE_MAX_HEIGHT_RATIO * a.h.min(b.h)
}

fn changed(alignment: &Alignment, old: &Text, new: &Text) -> Change {
    let sides = (Some(side(&alignment.before, old)), Some(side(&alignment.after, new)));
    change(ChangeKind::Changed, Subject::Text, &old.raw, sides, 1.0)
}

/// Returns the unmatched texts that are demonstrably absent from the other walk, and the others.
fn verdicts(signs: &[Sign], walk: &Walk) -> (Vec<Side>, Vec<Side>) {
    let found_again = FoundAgain::of(signs.iter().map(|sign| &sign.presence));
    let (mut absent, mut unknown) = (Vec::new(), Vec::new());
    for sign in signs.iter().filter(|sign| !sign.matched) {
        match sign.presence.verdict(&found_again) {
            Verdict::Absent => absent.push(side(walk, sign.text)),
            // Something is read at the place: a text that is too uncertain to be compared.
            Verdict::Present | Verdict::Unverified => unknown.push(side(walk, sign.text)),
        }
    }
    (absent, unknown)
}

fn side(walk: &Walk, text: &Text) -> Side {
    Side::of(&text.id, &text.claim).within(walk.zone(walk.at(text.zone_id.as_ref())))
}
