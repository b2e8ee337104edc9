//! Zones, what they are and look like, and sizes.

use domain::document::{AttributeName, Measurement, Method, Zone};

use super::{
    scene::Scene,
    types::{Because, Change, ChangeKind, Side, Subject, change},
};

/// Difference of mean lightness (0 to 1) from which on a zone is lit otherwise.
const LIGHT: f64 = 0.15;
/// Share by which two numbers of one size differ at least.
const SIZE: f64 = 0.02;

/// Zones that only one of the walks has, with all that is in them, and zones that are of another type now.
pub(super) fn zones(scene: &Scene) -> Vec<Change> {
    let lost =
        scene.before.document.zones.iter().enumerate().filter(|(at, _)| scene.new_of(Some(*at)).is_none());
    let found =
        scene.after.document.zones.iter().enumerate().filter(|(at, _)| scene.old_of(Some(*at)).is_none());
    let lost = lost.map(|(_, zone)| {
        change(ChangeKind::Unverified, Subject::Zone, &zone.label, (Some(shown(zone)), None), 1.0)
            .because(Because::NotSeenAgain)
    });
    let found = found.map(|(_, zone)| {
        change(ChangeKind::Unverified, Subject::Zone, &zone.label, (None, Some(shown(zone))), 1.0)
            .because(Because::NotSeenBefore)
    });
    let typed = each(scene, |old, new, sure| {
        let differ = !old.types.iter().any(|a| new.types.iter().any(|b| a.value == b.value));
        let (a, b) = old.types.first().zip(new.types.first()).filter(|_| differ)?;
        let sides =
            (Some(Side::of(&old.id, a).within(Some(old))), Some(Side::of(&new.id, b).within(Some(new))));
        Some(change(ChangeKind::Changed, Subject::ZoneType, &old.label, sides, sure))
    });
    lost.chain(found).chain(typed).collect()
}

/// Light and colours, where they differ by more than two walks of one day do.
pub(super) fn attributes(scene: &Scene) -> Vec<Change> {
    let light = each(scene, |old, new, sure| {
        let lightness = |zone| value(zone, &AttributeName::MeanLightness)?.parse::<f64>().ok();
        let apart = (lightness(old)? - lightness(new)?).abs() >= LIGHT;
        let other = value(old, &AttributeName::Light)? != value(new, &AttributeName::Light)?;
        (apart && other).then(|| changed(old, new, &AttributeName::Light, sure))?
    });
    let colours = each(scene, |old, new, sure| {
        let names =
            |zone| Some(value(zone, &AttributeName::DominantColours)?.split(", ").collect::<Vec<_>>());
        let (a, b) = (names(old)?, names(new)?);
        let other = !a.contains(b.first()?) && !b.contains(a.first()?);
        other.then(|| changed(old, new, &AttributeName::DominantColours, sure))?
    });
    light.into_iter().chain(colours).collect()
}

/// Sizes that were said, measured or estimated of a zone, one of a unit. Those that were read are texts.
pub(super) fn measurements(scene: &Scene) -> Vec<Change> {
    let of = |all: &[Measurement], zone: &Zone, unit: &str| {
        let fits = |m: &&Measurement| {
            m.method != Method::Read && m.unit == unit && m.zone_id.as_ref() == Some(&zone.id)
        };
        let found: Vec<Measurement> = all.iter().filter(fits).cloned().collect();
        <[Measurement; 1]>::try_from(found).ok().map(|[one]| one)
    };
    let mut changes = Vec::new();
    for pair in &scene.pairs {
        let (Some(old), Some(new)) = (scene.before.zone(Some(pair.old)), scene.after.zone(Some(pair.new)))
        else {
            continue;
        };
        let all = &scene.before.document.measurements;
        let here = all.iter().filter(|m| m.zone_id.as_ref() == Some(&old.id));
        let units: std::collections::BTreeSet<&str> = here.map(|m| m.unit.as_str()).collect();
        for unit in units {
            let both = of(all, old, unit).zip(of(&scene.after.document.measurements, new, unit));
            let differ = |(a, b): &(Measurement, Measurement)| {
                a.method == b.method && (a.value - b.value).abs() > SIZE * a.value.abs().max(b.value.abs())
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

fn each(scene: &Scene, judge: impl Fn(&Zone, &Zone, f64) -> Option<Change>) -> Vec<Change> {
    let one = |pair: &super::zones::Pair| {
        judge(scene.before.zone(Some(pair.old))?, scene.after.zone(Some(pair.new))?, pair.score)
    };
    scene.pairs.iter().filter_map(one).collect()
}

fn value<'a>(zone: &'a Zone, name: &AttributeName) -> Option<&'a str> {
    zone.attributes.iter().find(|a| a.name == *name).map(|a| a.claim.value.as_str())
}

fn changed(old: &Zone, new: &Zone, name: &AttributeName, sure: f64) -> Option<Change> {
    let side = |zone: &Zone| {
        let attribute = zone.attributes.iter().find(|a| a.name == *name)?;
        Some(Side::of(&zone.id, &attribute.claim).within(Some(zone)))
    };
    let sides = (Some(side(old)?), Some(side(new)?));
    Some(change(ChangeKind::Changed, Subject::Attribute, name.as_str(), sides, sure))
}

/// A zone, by what shows that it was seen.
fn shown(zone: &Zone) -> Side {
    let claim = zone.types.first().or(zone.attributes.first().map(|attribute| &attribute.claim));
    let bare = Side {
        id: zone.id.clone(),
        value: zone.label.clone(),
        zone_id: None,
        zone: None,
        count: None,
        confidence: 1.0,
        evidence: Vec::new(),
    };
    let side = claim.map_or(bare, |claim| Side { value: zone.label.clone(), ..Side::of(&zone.id, claim) });
    side.within(Some(zone))
}
