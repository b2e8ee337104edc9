//! Differences between two scans of a space.
//!
//! First the zones of both scans are matched, then their contents. An object is "removed" only if the
//! later scan saw its place again, and "added" only if the earlier scan had seen the place; otherwise
//! the change is `unverified`. Results of different models are not compared.
//!
//! With the stored views of both scans, image features decide what both saw ([`registered`]).
//! Without them, hashes of whole frames and the contents that both show decide ([`view`]); then
//! contents without a counterpart are checked for moves.

mod alignment;
mod comparability;
mod facts;
mod objects;
mod registered;
mod text_similarity;
mod texts;
mod types;
mod unmatched;
mod view;
mod zones;

use domain::document::SpaceDocument;
use registration::WalkViews;

use alignment::Alignment;
use comparability::Comparability;
use registered::{PlaceLocator, WalkPair};
pub use types::{Because, Change, ChangeKind, ComparedBy, Diff, Side, Subject, ZoneMatch};

/// A scan to be compared.
#[derive(Debug, Clone, Copy)]
pub struct Scanned<'a> {
    /// Its document.
    pub document: &'a SpaceDocument,
    /// Its stored views; documents of older versions have none.
    pub views: Option<&'a WalkViews>,
}

/// Compares two documents of one space without their views, the earlier one first. A document has no
/// changes compared with itself.
pub fn diff(before: &SpaceDocument, after: &SpaceDocument) -> Diff {
    let scanned = |document| Scanned { document, views: None };
    diff_scans(scanned(before), scanned(after))
}

/// Compares two scans of one space, the earlier one first. A scan has no changes compared with
/// itself.
pub fn diff_scans(before: Scanned, after: Scanned) -> Diff {
    let views = before.views.zip(after.views);
    let walks = views.map(|(a, b)| WalkPair::new((before.document, a), (after.document, b)));
    let looks = walks.as_ref().map(|walks| (walks.between(), walks.within()));
    let comparability = Comparability::between(before.document, after.document);
    let between = looks.as_ref().map(|(between, _)| between);
    let alignment = Alignment::new(before.document, after.document, &comparability, between);
    let mut changes = comparability.refusals.clone();
    if comparability.includes(Subject::Zone) {
        changes.extend(facts::zones(&alignment, between));
        if comparability.includes(Subject::Attribute) {
            changes.extend(facts::attributes(&alignment));
        }
        let looks = looks.as_ref();
        if comparability.includes(Subject::Object) {
            changes.extend(objects_of(&alignment, looks));
        }
        if comparability.includes(Subject::Text) {
            changes.extend(texts_of(&alignment, looks));
        }
        if comparability.includes(Subject::Measurement) {
            changes.extend(facts::measurements(&alignment));
        }
    }
    changes.sort_by_key(|change| change.subject);
    let compared_by = if looks.is_some() { ComparedBy::RegisteredViews } else { ComparedBy::FrameHashes };
    Diff { compared_by, zones: alignment.matches(), changes }
}

/// Zones and texts that two scans have in common, by their ids in the earlier and the later document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Common {
    /// Zones that are one place, with the score of the match.
    pub zones: Vec<(String, String, f64)>,
    /// Texts that are read alike at one place, or in one zone where no frame shows the place.
    pub texts: Vec<(String, String)>,
}

/// Returns what two scans of one space have in common.
pub fn common(before: Scanned, after: Scanned) -> Common {
    let views = before.views.zip(after.views);
    let walks = views.map(|(a, b)| WalkPair::new((before.document, a), (after.document, b)));
    let between = walks.as_ref().map(WalkPair::between);
    let comparability = Comparability::between(before.document, after.document);
    let alignment = Alignment::new(before.document, after.document, &comparability, between.as_ref());
    let zones: Vec<(String, String, f64)> = alignment
        .matches()
        .into_iter()
        .map(|found| (found.from_zone_id, found.to_zone_id, found.score))
        .collect();
    let texts = match &between {
        Some(between) => registered::same_texts(&alignment, between),
        None => texts::same_texts(&alignment),
    };
    Common { zones, texts }
}

/// The looks between the walks, and those within each walk.
type AllLocators<'p, 'a> = ([PlaceLocator<'p, 'a>; 2], [PlaceLocator<'p, 'a>; 2]);

fn objects_of(alignment: &Alignment, looks: Option<&AllLocators>) -> Vec<Change> {
    match looks {
        Some((between, within)) => registered::objects(alignment, between, within),
        None => objects::changes(alignment),
    }
}

fn texts_of(alignment: &Alignment, looks: Option<&AllLocators>) -> Vec<Change> {
    match looks {
        Some((between, within)) => registered::texts(alignment, between, within),
        None => texts::changes(alignment),
    }
}
