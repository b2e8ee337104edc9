//! Matches the zones of two documents: the assignment with the highest total similarity.

use std::collections::BTreeMap;

use domain::document::{AttributeName, SpaceDocument, Zone};
use pathfinding::{kuhn_munkres::kuhn_munkres, matrix::Matrix};

use super::{
    comparability::Comparability,
    registered::PlaceLocator,
    text_similarity::is_same_text,
    types::Subject,
    view::{FrameHashes, SAME_VIEW_MAX_DISTANCE},
};

/// Minimum similarity of two zones that are one place.
const MIN_SIMILARITY: f64 = 0.4;
/// Maximum number of zones in the assignment, which takes cubic time. Further zones are matched in
/// order.
const MAX_ASSIGNED_ZONES: usize = 300;
/// Integer that stands for 1 in the assignment.
const SCALE: f64 = 1_000_000.0;

/// Two zones that are one place, by their positions in the documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) score: f64,
}

/// Features by which a zone is recognised.
struct ZoneSignature<'a> {
    views: Vec<u64>,
    texts: Vec<&'a str>,
    types: Vec<&'a str>,
    objects: BTreeMap<&'a str, u32>,
    colours: Vec<&'a str>,
    lightness: Option<f64>,
    /// Position of the zone in the walk, 0 to 1.
    order: f64,
}

/// Returns the matching zones, in the order of the earlier zones.
pub(super) fn pairs(
    before: &SpaceDocument,
    after: &SpaceDocument,
    comparability: &Comparability,
    between: Option<&[PlaceLocator; 2]>,
) -> Vec<Pair> {
    let (old, new) = (signatures(before, comparability), signatures(after, comparability));
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let (first_old, first_new) = (old.len().min(MAX_ASSIGNED_ZONES), new.len().min(MAX_ASSIGNED_ZONES));
    let registered = |a: usize, b: usize| {
        registered_share(between?, &before.zones[a].frame_ids, &after.zones[b].frame_ids)
    };
    let similarity = |a: usize, b: usize| similarity(&old[a], &new[b], registered(a, b));
    let scores = Matrix::from_fn(first_old, first_new, |(a, b)| similarity(a, b));
    let to_integer = |score: f64| (score * SCALE).round() as i64;
    let mut pairs: Vec<Pair> = if first_old <= first_new {
        let (_, chosen) = kuhn_munkres(&scores.clone().map(to_integer));
        chosen
            .into_iter()
            .enumerate()
            .map(|(old, new)| Pair { old, new, score: scores[(old, new)] })
            .collect()
    } else {
        let (_, chosen) = kuhn_munkres(&scores.transposed().map(to_integer));
        chosen
            .into_iter()
            .enumerate()
            .map(|(new, old)| Pair { old, new, score: scores[(old, new)] })
            .collect()
    };
    let later = MAX_ASSIGNED_ZONES..old.len().min(new.len());
    pairs.extend(later.map(|at| Pair { old: at, new: at, score: similarity(at, at) }));
    pairs.retain(|pair| pair.score >= MIN_SIMILARITY);
    pairs.sort_by_key(|pair| pair.old);
    pairs
}

fn signatures<'a>(document: &'a SpaceDocument, comparability: &Comparability) -> Vec<ZoneSignature<'a>> {
    let last = document.zones.len().saturating_sub(1).max(1) as f64;
    let hashes_of_frames = FrameHashes::of(document);
    let zones = document.zones.iter().enumerate();
    zones
        .map(|(at, zone)| signature(document, zone, &hashes_of_frames, at as f64 / last, comparability))
        .collect()
}

fn signature<'a>(
    document: &'a SpaceDocument,
    zone: &'a Zone,
    hashes_of_frames: &FrameHashes,
    order: f64,
    comparability: &Comparability,
) -> ZoneSignature<'a> {
    let here = |id: &Option<String>| id.as_ref() == Some(&zone.id);
    let attribute = |name: AttributeName| {
        let found = zone.attributes.iter().find(|attribute| attribute.name == name);
        found
            .filter(|_| comparability.includes(Subject::Attribute))
            .map(|attribute| attribute.claim.value.as_str())
    };
    let mut signature = ZoneSignature {
        views: hashes_of_frames.hashes(&zone.frame_ids),
        texts: Vec::new(),
        types: zone.types.iter().map(|claim| claim.value.as_str()).collect(),
        objects: BTreeMap::new(),
        colours: attribute(AttributeName::DominantColours)
            .map_or_else(Vec::new, |names| names.split(", ").collect()),
        lightness: attribute(AttributeName::MeanLightness).and_then(|value| value.parse().ok()),
        order,
    };
    if comparability.includes(Subject::Text) {
        let texts = document.texts.iter().filter(|text| here(&text.zone_id));
        signature.texts = texts.map(|text| text.normalized.as_str()).collect();
    }
    if comparability.includes(Subject::Object) {
        for object in document.objects.iter().filter(|object| here(&object.zone_id)) {
            *signature.objects.entry(&object.category.value).or_default() += object.count.best;
        }
    }
    signature
}

/// Returns the similarity of two zones, 0 to 1: the weighted mean over the features that the zones
/// have. Equal zones have 1. Two zones of one walk have less, because their positions differ.
/// `registered` is the share of their frames that show the other zone; it replaces the hashes.
fn similarity(a: &ZoneSignature, b: &ZoneSignature, registered: Option<f64>) -> f64 {
    let views = if registered.is_some() { None } else { views(&a.views, &b.views) };
    let terms = [
        (8.0, registered),
        (3.0, views),
        (4.0, texts(&a.texts, &b.texts)),
        (3.0, types(&a.types, &b.types)),
        (2.0, objects(&a.objects, &b.objects)),
        (1.0, overlap(&a.colours, &b.colours)),
        (0.5, a.lightness.zip(b.lightness).map(|(a, b)| 1.0 - (a - b).abs().min(1.0))),
        (1.0, Some(1.0 - (a.order - b.order).abs())),
    ];
    let known: Vec<(f64, f64)> =
        terms.iter().filter_map(|(weight, term)| Some((*weight, (*term)?))).collect();
    known.iter().map(|(weight, term)| weight * term).sum::<f64>()
        / known.iter().map(|(weight, _)| weight).sum::<f64>()
}

/// Returns the share of the frames of both zones that demonstrably show the other zone.
fn registered_share([later, earlier]: &[PlaceLocator; 2], old: &[String], new: &[String]) -> Option<f64> {
    let (forth, back) = (later.zone_share(old, new), earlier.zone_share(new, old));
    match (forth, back) {
        (Some(forth), Some(back)) => Some(f64::midpoint(forth, back)),
        (one, other) => one.or(other),
    }
}

/// Returns the share of the views of each zone that the other zone has too.
fn views(a: &[u64], b: &[u64]) -> Option<f64> {
    let seen = |of: &[u64], in_: &[u64]| {
        let nearest = |hash: &u64| in_.iter().map(|other| (hash ^ other).count_ones()).min().unwrap_or(64);
        let max_distance = 2 * SAME_VIEW_MAX_DISTANCE;
        let near = |hash: &u64| 1.0 - f64::from(nearest(hash).min(max_distance)) / f64::from(max_distance);
        of.iter().map(near).sum::<f64>() / of.len() as f64
    };
    (!a.is_empty() && !b.is_empty()).then(|| f64::midpoint(seen(a, b), seen(b, a)))
}

fn texts(a: &[&str], b: &[&str]) -> Option<f64> {
    let matching =
        |of: &[&str], in_: &[&str]| of.iter().filter(|x| in_.iter().any(|y| is_same_text(x, y))).count();
    let all = a.len() + b.len();
    (all > 0).then(|| (matching(a, b) + matching(b, a)) as f64 / all as f64)
}

/// Returns `None` if one of the zones has no type.
fn types(a: &[&str], b: &[&str]) -> Option<f64> {
    (!a.is_empty() && !b.is_empty()).then(|| f64::from(u8::from(a.iter().any(|kind| b.contains(kind)))))
}

fn objects(a: &BTreeMap<&str, u32>, b: &BTreeMap<&str, u32>) -> Option<f64> {
    let count = |of: &BTreeMap<&str, u32>, name: &str| of.get(name).copied().unwrap_or_default();
    let names = || a.keys().chain(b.keys()).copied().collect::<std::collections::BTreeSet<_>>().into_iter();
    let all: u32 = names().map(|name| count(a, name).max(count(b, name))).sum();
    let both: u32 = names().map(|name| count(a, name).min(count(b, name))).sum();
    (all > 0).then(|| f64::from(both) / f64::from(all))
}

fn overlap(a: &[&str], b: &[&str]) -> Option<f64> {
    let both = a.iter().filter(|name| b.contains(name)).count();
    let all = a.len() + b.len() - both;
    (all > 0).then(|| both as f64 / all as f64)
}
