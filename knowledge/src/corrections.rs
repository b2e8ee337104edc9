//! Keeps corrections of a document for the document of the next scan.

use domain::document::{CorrectedField, Correction, NewCorrection, SpaceDocument};

use crate::diff::{Scanned, common};

/// Minimum score of the match of two zones for a correction to be kept: the scans show one place.
const MIN_ZONE_SCORE: f64 = 0.6;

/// Returns the corrections of the earlier document that hold for the later one, for its own ids. Each
/// comes with the position of the earlier correction. Both documents are those that the scans wrote,
/// without corrections.
///
/// - Of a zone: the later scan shows the same place.
/// - Of a text: the later scan reads the same wrong text at the place. A text that is read otherwise
///   needs no correction, or the sign is new.
/// - Of an object that isn't there: the later scan claims it again in the same place.
pub fn kept(before: Scanned, after: Scanned, corrections: &[Correction]) -> Vec<(usize, NewCorrection)> {
    if corrections.is_empty() {
        return Vec::new();
    }
    let common = common(before, after);
    let zone = |id: &str| {
        let found = common.zones.iter().find(|(old, _, score)| old == id && *score >= MIN_ZONE_SCORE);
        found.map(|(_, new, _)| new.clone())
    };
    let text = |id: &str| common.texts.iter().find(|(old, _)| old == id).map(|(_, new)| new.clone());
    let target = |change: &NewCorrection| match change.field {
        CorrectedField::Name | CorrectedField::Type => zone(&change.target_id),
        CorrectedField::Text => text(&change.target_id),
        CorrectedField::Presence => text(&change.target_id)
            .or_else(|| object_again(before.document, after.document, &change.target_id, &zone)),
    };
    let all = corrections.iter().enumerate();
    all.filter_map(|(at, correction)| {
        let target_id = target(&correction.change)?;
        Some((at, NewCorrection { target_id, ..correction.change.clone() }))
    })
    .collect()
}

/// Returns the object of the later document that claims the same category in the same zone.
fn object_again(
    before: &SpaceDocument,
    after: &SpaceDocument,
    id: &str,
    zone: &impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let old = before.objects.iter().find(|object| object.id == id)?;
    let new_zone = zone(old.zone_id.as_deref()?)?;
    let again = after.objects.iter().find(|object| {
        object.category.value == old.category.value && object.zone_id.as_ref() == Some(&new_zone)
    });
    again.map(|object| object.id.clone())
}
