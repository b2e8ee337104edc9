//! Changes of zones, their types and attributes, and of measurements.

use domain::document::{AttributeName, Basis, Measurement, Method, SpaceDocument, Zone};

use super::{
    alignment::Alignment,
    registered::PlaceLocator,
    types::{Because, Change, ChangeKind, Side, Subject, change},
};

/// Minimum difference of mean lightness (0 to 1) that is a change of light.
const MIN_LIGHTNESS_CHANGE: f64 = 0.15;
/// Maximum share of the matching zones whose light or colours changed. If more differ, the scans were
/// taken at another time of day, and the space itself did not change.
const MAX_CHANGED_SHARE: f64 = 0.34;
/// Minimum share of the frames of two zones that show the other zone for their types to be compared.
const SAME_ZONE_MIN_SHARE: f64 = 0.5;
/// Minimum relative difference that is a change of a measurement.
const MIN_RELATIVE_CHANGE: f64 = 0.02;

/// Returns one change for each zone without a counterpart, which stands for all its contents, and
/// one for each zone of another type.
///
/// With registered views, a type is compared only if both scans state it and demonstrably show one
/// zone: inferred types differ because other objects were in view. A type that the other scan gives to
/// another zone didn't change: the two scans divide the space differently, or a sign names the room
/// behind a door.
pub(super) fn zones(alignment: &Alignment, between: Option<&[PlaceLocator; 2]>) -> Vec<Change> {
    let documents = [alignment.before.document, alignment.after.document];
    let has_type = |document: &SpaceDocument, kind: &str| {
        document.zones.iter().flat_map(|zone| &zone.types).any(|claim| claim.value == kind)
    };
    let is_proven = |old: &Zone, new: &Zone| {
        let Some([later, earlier]) = between else { return true };
        let shares = [
            later.zone_share(&old.frame_ids, &new.frame_ids),
            earlier.zone_share(&new.frame_ids, &old.frame_ids),
        ];
        let stated = |zone: &Zone| zone.types.iter().all(|claim| claim.basis != Basis::Inferred);
        let elsewhere = old.types.iter().any(|claim| has_type(documents[1], &claim.value))
            || new.types.iter().any(|claim| has_type(documents[0], &claim.value));
        shares.iter().all(|share| share.is_some_and(|share| share >= SAME_ZONE_MIN_SHARE))
            && stated(old)
            && stated(new)
            && !elsewhere
    };
    let lost = alignment
        .before
        .document
        .zones
        .iter()
        .enumerate()
        .filter(|(at, _)| alignment.new_of(Some(*at)).is_none());
    let found = alignment
        .after
        .document
        .zones
        .iter()
        .enumerate()
        .filter(|(at, _)| alignment.old_of(Some(*at)).is_none());
    let lost = lost.map(|(_, zone)| {
        change(ChangeKind::Unverified, Subject::Zone, &zone.label, (Some(shown(zone)), None), 1.0)
            .because(Because::NotSeenAgain)
    });
    let found = found.map(|(_, zone)| {
        change(ChangeKind::Unverified, Subject::Zone, &zone.label, (None, Some(shown(zone))), 1.0)
            .because(Because::NotSeenBefore)
    });
    let typed = compare_pairs(alignment, |old, new, match_score| {
        let differ = !old.types.iter().any(|a| new.types.iter().any(|b| a.value == b.value));
        let (a, b) = old.types.first().zip(new.types.first()).filter(|_| differ && is_proven(old, new))?;
        let sides =
            (Some(Side::of(&old.id, a).within(Some(old))), Some(Side::of(&new.id, b).within(Some(new))));
        Some(change(ChangeKind::Changed, Subject::ZoneType, &old.label, sides, match_score))
    });
    lost.chain(found).chain(typed).collect()
}

/// Returns changes of light and colours that exceed the variation between walks of one day, and that
/// most zones do not share.
pub(super) fn attributes(alignment: &Alignment) -> Vec<Change> {
    let light = compare_pairs(alignment, |old, new, match_score| {
        let lightness = |zone| value(zone, &AttributeName::MeanLightness)?.parse::<f64>().ok();
        let differs = (lightness(old)? - lightness(new)?).abs() >= MIN_LIGHTNESS_CHANGE;
        let label_differs = value(old, &AttributeName::Light)? != value(new, &AttributeName::Light)?;
        (differs && label_differs).then(|| changed(old, new, &AttributeName::Light, match_score))?
    });
    let colours = compare_pairs(alignment, |old, new, match_score| {
        let names =
            |zone| Some(value(zone, &AttributeName::DominantColours)?.split(", ").collect::<Vec<_>>());
        let (a, b) = (names(old)?, names(new)?);
        let differ = !a.contains(b.first()?) && !b.contains(a.first()?);
        differ.then(|| changed(old, new, &AttributeName::DominantColours, match_score))?
    });
    let most = MAX_CHANGED_SHARE * alignment.pairs.len() as f64;
    [light, colours].into_iter().filter(|found| found.len() as f64 <= most).flatten().collect()
}

/// Returns changes of measurements that were spoken, measured or estimated. Compares a zone's only
/// measurement of a unit. Measurements that were read are compared as texts.
pub(super) fn measurements(alignment: &Alignment) -> Vec<Change> {
    let only_of_unit = |all: &[Measurement], zone: &Zone, unit: &str| {
        let fits = |m: &&Measurement| {
            m.method != Method::Read && m.unit == unit && m.zone_id.as_ref() == Some(&zone.id)
        };
        let found: Vec<Measurement> = all.iter().filter(fits).cloned().collect();
        <[Measurement; 1]>::try_from(found).ok().map(|[one]| one)
    };
    let mut changes = Vec::new();
    for pair in &alignment.pairs {
        let (Some(old), Some(new)) =
            (alignment.before.zone(Some(pair.old)), alignment.after.zone(Some(pair.new)))
        else {
            continue;
        };
        let all = &alignment.before.document.measurements;
        let here = all.iter().filter(|m| m.zone_id.as_ref() == Some(&old.id));
        let units: std::collections::BTreeSet<&str> = here.map(|m| m.unit.as_str()).collect();
        for unit in units {
            let both = only_of_unit(all, old, unit).zip(only_of_unit(
                &alignment.after.document.measurements,
                new,
                unit,
            ));
            let differ = |(a, b): &(Measurement, Measurement)| {
                a.method == b.method
                    && (a.value - b.value).abs() > MIN_RELATIVE_CHANGE * a.value.abs().max(b.value.abs())
            };
            if let Some((a, b)) = both.filter(differ) {
                let sides = (
                    Some(Side::of(&a.id, &a.claim).within(Some(old))),
                    Some(Side::of(&b.id, &b.claim).within(Some(new))),
                );
                changes.push(change(ChangeKind::Changed, Subject::Measurement, unit, sides, pair.score));
            }
        }
    }
    changes
}

fn compare_pairs(
    alignment: &Alignment,
    compare: impl Fn(&Zone, &Zone, f64) -> Option<Change>,
) -> Vec<Change> {
    let change = |pair: &super::zones::Pair| {
        compare(alignment.before.zone(Some(pair.old))?, alignment.after.zone(Some(pair.new))?, pair.score)
    };
    alignment.pairs.iter().filter_map(change).collect()
}

fn value<'a>(zone: &'a Zone, name: &AttributeName) -> Option<&'a str> {
    zone.attributes.iter().find(|a| a.name == *name).map(|a| a.claim.value.as_str())
}

fn changed(old: &Zone, new: &Zone, name: &AttributeName, match_score: f64) -> Option<Change> {
    let side = |zone: &Zone| {
        let attribute = zone.attributes.iter().find(|a| a.name == *name)?;
        Some(Side::of(&zone.id, &attribute.claim).within(Some(zone)))
    };
    let sides = (Some(side(old)?), Some(side(new)?));
    Some(change(ChangeKind::Changed, Subject::Attribute, name.as_str(), sides, match_score))
}

/// Returns a zone as a side, with the evidence of its type or first attribute.
fn shown(zone: &Zone) -> Side {
    let claim = zone.types.first().or(zone.attributes.first().map(|attribute| &attribute.claim));
    let bare = Side {
        id: zone.id.clone(),
        value: zone.label.clone(),
        zone_id: None,
        zone: None,
        count: None,
        basis: None,
        confidence: 1.0,
        evidence: Vec::new(),
    };
    let side = claim.map_or(bare, |claim| Side { value: zone.label.clone(), ..Side::of(&zone.id, claim) });
    side.within(Some(zone))
}
