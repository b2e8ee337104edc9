//! What changed between two scans of a space.
//!
//! Zones are matched over the whole walk at once, then what is in them, then what is left over for moves.
//! "Removed" is said only where the later scan looked at the place again, "added" only where the earlier one
//! had looked; the rest is `unverified`. What different models looked for is not compared.

mod alike;
mod facts;
mod footing;
mod left;
mod scene;
mod texts;
mod things;
mod types;
mod view;
mod zones;

use domain::document::SpaceDocument;

use footing::Footing;
use scene::Scene;
pub use types::{Because, Change, ChangeKind, Diff, Side, Subject, ZoneMatch};

/// Compares two documents of one space, the earlier one first. A document against itself has no changes.
pub fn diff(before: &SpaceDocument, after: &SpaceDocument) -> Diff {
    let footing = Footing::of(before, after);
    let mut changes = footing.refusals.clone();
    let scene = Scene::new(before, after, &footing);
    if footing.holds(Subject::Zone) {
        changes.extend(facts::zones(&scene));
        if footing.holds(Subject::Attribute) {
            changes.extend(facts::attributes(&scene));
        }
        if footing.holds(Subject::Object) {
            changes.extend(things::changes(&scene));
        }
        if footing.holds(Subject::Text) {
            changes.extend(texts::changes(&scene));
        }
        if footing.holds(Subject::Measurement) {
            changes.extend(facts::measurements(&scene));
        }
    }
    changes.sort_by_key(|change| change.subject);
    Diff { zones: scene.matches(), changes }
}
