//! Builds the zones of the document with their attributes.

use std::collections::BTreeMap;

use domain::document::{Attribute, AttributeName, Basis, Claim, Evidence, Zone};

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
/// Maximum number of main colours of a zone.
const MAX_COLOURS: usize = 3;
/// Confidence of "dark", "normal" or "bright" at the threshold between two of them.
const LIGHT_MIN_CONFIDENCE: f64 = 0.6;
/// Increase of that confidence per unit of lightness (0 to 1) away from the threshold.
const LIGHT_CONFIDENCE_PER_LIGHTNESS: f64 = 4.0;
/// Maximum of that confidence.
const LIGHT_MAX_CONFIDENCE: f64 = 0.98;
/// Confidence of measured values, and maximum confidence of the main colours.
const MEASURED_CONFIDENCE: f64 = 0.95;

/// Returns the zones of the document.
pub(super) fn build_zones(
    ingested: &Ingested,
    fused: &Fused,
    mut types: BTreeMap<usize, Vec<Claim>>,
    claims: &mut Claims,
) -> Vec<Zone> {
    let known = |id: &String| ingested.frames.iter().any(|f| f.id == *id);
    let build = |(number, zone): (usize, &FusedZone)| {
        let types = types.remove(&number).unwrap_or_default();
        Zone {
            id: zone_id(number),
            label: zone_label(&types).unwrap_or_else(|| format!("Zone {}", number + 1)),
            attributes: build_attributes(zone, fused, claims),
            types,
            intervals: zone.intervals.clone(),
            best_frame_id: zone.best_frame_id.clone(),
            frame_ids: zone.frame_ids.iter().filter(|id| known(id)).cloned().collect(),
            coverage: zone.coverage,
        }
    };
    fused.zones.iter().enumerate().map(build).collect()
}

/// Returns a label such as "Living room and kitchen" from the room types.
fn zone_label(types: &[Claim]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for claim in types {
        if !names.contains(&claim.value.as_str()) {
            names.push(&claim.value);
        }
    }
    let (last, first) = names.split_last()?;
    Some(capitalize(&if first.is_empty() {
        (*last).to_owned()
    } else {
        format!("{} and {last}", first.join(", "))
    }))
}

fn build_attributes(zone: &FusedZone, fused: &Fused, claims: &mut Claims) -> Vec<Attribute> {
    let lights: Vec<(&String, &FrameLight)> =
        zone.frame_ids.iter().filter_map(|id| Some((id, fused.lights.get(id)?))).collect();
    if lights.is_empty() {
        return Vec::new();
    }
    let mean = lights.iter().map(|(_, l)| l.mean).sum::<f64>() / lights.len() as f64;
    let cited: Vec<Evidence> = (0..lights.len().min(MAX_CITED_FRAMES))
        .filter_map(|i| claims.frame(lights[i * lights.len() / lights.len().min(MAX_CITED_FRAMES)].0, 1.0))
        .collect();
    let light = if mean < DARK_MAX_LIGHTNESS {
        "dark"
    } else if mean > BRIGHT_MIN_LIGHTNESS {
        "bright"
    } else {
        "normal"
    };
    let margin = (mean - DARK_MAX_LIGHTNESS).abs().min((mean - BRIGHT_MIN_LIGHTNESS).abs());
    let light_confidence =
        (LIGHT_MIN_CONFIDENCE + LIGHT_CONFIDENCE_PER_LIGHTNESS * margin).min(LIGHT_MAX_CONFIDENCE);
    let measured = format!("{:.2}", thousandths(mean));
    let mut colours = BTreeMap::<&str, f64>::new();
    for (name, share) in lights.iter().flat_map(|(_, l)| &l.colours) {
        *colours.entry(name).or_default() += share / lights.len() as f64;
    }
    let mut colours: Vec<_> =
        colours.into_iter().filter(|(_, share)| *share >= MAIN_COLOUR_MIN_SHARE).collect();
    colours.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    colours.truncate(MAX_COLOURS);
    let names = colours.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let colour_share = colours.iter().map(|(_, share)| share).sum::<f64>();
    let mut out = Vec::new();
    let mut add = |name: AttributeName, value: &str, confidence: f64| {
        let claim = claims.make(value, confidence, Basis::Observed, cited.clone(), "run_light");
        out.extend(claim.map(|claim| Attribute { name, claim }));
    };
    add(AttributeName::Light, light, light_confidence);
    add(AttributeName::MeanLightness, &measured, MEASURED_CONFIDENCE);
    if !names.is_empty() {
        add(AttributeName::DominantColours, &names, (0.5 + colour_share / 2.0).min(MEASURED_CONFIDENCE));
    }
    out
}

/// Returns the text with an initial capital.
pub(super) fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
