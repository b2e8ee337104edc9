//! Zones with what can be said of them.

use std::collections::BTreeMap;

use domain::document::{Attribute, AttributeName, Basis, Claim, Evidence, Zone};

use super::claims::Claims;
use super::zone_id;
use crate::fuse::{FrameLight, Fused, FusedZone};
use crate::ingest::Ingested;
use crate::signal::thousandths;

/// Mean lightness below which a zone is dark.
const DARK: f64 = 0.25;
/// Mean lightness above which a zone is bright.
const BRIGHT: f64 = 0.60;
/// Frames that are cited for light and colours, at most: evenly chosen.
const CITED: usize = 5;
/// A colour counts for a zone when it covers so much of its frames.
const MAIN_COLOUR: f64 = 0.12;

/// The zones of the document.
pub(super) fn zones(
    ingested: &Ingested,
    fused: &Fused,
    mut types: BTreeMap<usize, Vec<Claim>>,
    claims: &mut Claims,
) -> Vec<Zone> {
    let known = |id: &String| ingested.frames.iter().any(|f| f.id == *id);
    let one = |(number, zone): (usize, &FusedZone)| {
        let types = types.remove(&number).unwrap_or_default();
        Zone {
            id: zone_id(number),
            label: label(&types).unwrap_or_else(|| format!("Zone {}", number + 1)),
            attributes: attributes(zone, fused, claims),
            types,
            intervals: zone.intervals.clone(),
            best_frame_id: zone.best_frame_id.clone(),
            frame_ids: zone.frame_ids.iter().filter(|id| known(id)).cloned().collect(),
            coverage: zone.coverage,
        }
    };
    fused.zones.iter().enumerate().map(one).collect()
}

/// What people would call it: "Living room and kitchen" where signs or words name both.
fn label(types: &[Claim]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for claim in types {
        if !names.contains(&claim.value.as_str()) {
            names.push(&claim.value);
        }
    }
    let (last, first) = names.split_last()?;
    Some(capitalized(&if first.is_empty() {
        (*last).to_owned()
    } else {
        format!("{} and {last}", first.join(", "))
    }))
}

fn attributes(zone: &FusedZone, fused: &Fused, claims: &mut Claims) -> Vec<Attribute> {
    let lit: Vec<(&String, &FrameLight)> =
        zone.frame_ids.iter().filter_map(|id| Some((id, fused.lights.get(id)?))).collect();
    if lit.is_empty() {
        return Vec::new();
    }
    let mean = lit.iter().map(|(_, l)| l.mean).sum::<f64>() / lit.len() as f64;
    let cited: Vec<Evidence> = (0..lit.len().min(CITED))
        .filter_map(|i| claims.frame(lit[i * lit.len() / lit.len().min(CITED)].0, 1.0))
        .collect();
    let word = if mean < DARK {
        "dark"
    } else if mean > BRIGHT {
        "bright"
    } else {
        "normal"
    };
    // Surer the further from where the words change.
    let margin = (mean - DARK).abs().min((mean - BRIGHT).abs());
    let sure = (0.6 + 4.0 * margin).min(0.98);
    let measured = format!("{:.2}", thousandths(mean));
    let mut colours = BTreeMap::<&str, f64>::new();
    for (name, share) in lit.iter().flat_map(|(_, l)| &l.colours) {
        *colours.entry(name).or_default() += share / lit.len() as f64;
    }
    let mut colours: Vec<_> = colours.into_iter().filter(|(_, share)| *share >= MAIN_COLOUR).collect();
    colours.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    colours.truncate(3);
    let names = colours.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let covered = colours.iter().map(|(_, share)| share).sum::<f64>();
    let mut out = Vec::new();
    let mut say = |name: AttributeName, value: &str, confidence: f64| {
        let claim = claims.make(value, confidence, Basis::Observed, cited.clone(), "run_light");
        out.extend(claim.map(|claim| Attribute { name, claim }));
    };
    say(AttributeName::Light, word, sure);
    say(AttributeName::MeanLightness, &measured, 0.95);
    if !names.is_empty() {
        say(AttributeName::DominantColours, &names, (0.5 + covered / 2.0).min(0.95));
    }
    out
}

/// With a capital at the start.
pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
