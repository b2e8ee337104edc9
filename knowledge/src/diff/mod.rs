//! Differences between two scans of a space.
//!
//! First the zones of both scans are matched, then their contents. Contents without a counterpart
//! are checked for moves. An object is "removed" only if the later scan saw its place again, and
//! "added" only if the earlier scan had seen the place; otherwise the change is `unverified`.
//! Results of different models are not compared.

mod alignment;
mod comparability;
mod facts;
mod objects;
mod text_similarity;
mod texts;
mod types;
mod unmatched;
mod view;
mod zones;

use domain::document::SpaceDocument;

use alignment::Alignment;
use comparability::Comparability;
pub use types::{Because, Change, ChangeKind, Diff, Side, Subject, ZoneMatch};

/// Compares two documents of one space, the earlier one first. A document has no changes compared
/// with itself.
pub fn diff(before: &SpaceDocument, after: &SpaceDocument) -> Diff {
    let comparability = Comparability::between(before, after);
    let mut changes = comparability.refusals.clone();
    let alignment = Alignment::new(before, after, &comparability);
    if comparability.includes(Subject::Zone) {
        changes.extend(facts::zones(&alignment));
        if comparability.includes(Subject::Attribute) {
            changes.extend(facts::attributes(&alignment));
        }
        if comparability.includes(Subject::Object) {
            changes.extend(objects::changes(&alignment));
        }
        if comparability.includes(Subject::Text) {
            changes.extend(texts::changes(&alignment));
        }
        if comparability.includes(Subject::Measurement) {
            changes.extend(facts::measurements(&alignment));
        }
    }
    changes.sort_by_key(|change| change.subject);
    Diff { zones: alignment.matches(), changes }
}
