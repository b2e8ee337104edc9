//! Builds the zones of the document with their attributes.

use std::collections::BTreeMap;

use domain::document::{Attribute, Basis, Claim, Evidence, Zone};

use super::claims::Claims;
use super::zone_id;
use crate::fuse::{FrameLight, Fused, FusedZone};
use crate::ingest::Ingested;
use crate::signal::thousandths;

/// Mean lightness (0 to 1) below which a zone is dark.
const DARK_MAX_LIGHTNESS: f64 = 0.25;
/// Mean lightness (0 to 1) above which a zone is bright.
const BRIGHT_MIN_LIGHTNESS: f64 = 0.60;
/// Maximum number of evenly chosen frames cited as evidence for light and colours.
const MAX_CITED_FRAMES: usize = 5;
/// Minimum share of a zone's frames that a main colour covers.
const MAIN_COLOUR_MIN_SHARE: f64 = 0.12;

/// Returns the zones of the document.
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

/// Returns a label such as "Living room and kitchen" from the room types.
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
    let cited: Vec<Evidence> = (0..lit.len().min(MAX_CITED_FRAMES))
        .filter_map(|i| claims.frame(lit[i * lit.len() / lit.len().min(MAX_CITED_FRAMES)].0, 1.0))
        .collect();
    let word = if mean < DARK_MAX_LIGHTNESS {
        "dark"
    } else if mean > BRIGHT_MIN_LIGHTNESS {
        "bright"
    } else {
        "normal"
    };
    // The confidence grows with the distance from the thresholds.
    let margin = (mean - DARK_MAX_LIGHTNESS).abs().min((mean - BRIGHT_MIN_LIGHTNESS).abs());
    let sure = (0.6 + 4.0 * margin).min(0.98);
    let measured = format!("{:.2}", thousandths(mean));
    let mut colours = BTreeMap::<&str, f64>::new();
    for (name, share) in lit.iter().flat_map(|(_, l)| &l.colours) {
        *colours.entry(name).or_default() += share / lit.len() as f64;
    }
    let mut colours: Vec<_> =
        colours.into_iter().filter(|(_, share)| *share >= MAIN_COLOUR_MIN_SHARE).collect();
    colours.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    colours.truncate(3);
    let names = colours.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let covered = colours.iter().map(|(_, share)| share).sum::<f64>();
    let mut out = Vec::new();
    let mut say = |name: &str, value: &str, confidence: f64| {
        let claim = claims.make(value, confidence, Basis::Observed, cited.clone(), "run_light");
        out.extend(claim.map(|claim| Attribute { name: name.to_owned(), claim }));
    };
    say("light", word, sure);
    say("mean_lightness", &measured, 0.95);
    if !names.is_empty() {
        say("dominant_colours", &names, (0.5 + covered / 2.0).min(0.95));
    }
    out
}

/// Returns the text with an initial capital.
pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
