//! Which zones of two documents are one place: the assignment of greatest likeness over all zones at once.

use std::collections::BTreeMap;

use domain::document::{AttributeName, SpaceDocument, Zone};
use pathfinding::{kuhn_munkres::kuhn_munkres, matrix::Matrix};

use super::{
    alike,
    footing::Footing,
    types::Subject,
    view::{NEAR, Pictures},
};

/// Least likeness of two zones that are one place.
const LEAST: f64 = 0.4;
/// Most zones that are matched over all; the work grows with their cube. Later ones are compared in order.
const MOST: usize = 300;
/// Whole numbers for the assignment.
const SCALE: f64 = 1_000_000.0;

/// Two zones that are one place, by their positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) score: f64,
}

/// What a zone is recognised by.
struct Look<'a> {
    views: Vec<u64>,
    texts: Vec<&'a str>,
    types: Vec<&'a str>,
    things: BTreeMap<&'a str, u32>,
    colours: Vec<&'a str>,
    lightness: Option<f64>,
    /// Where it stands in the walk, 0 to 1.
    order: f64,
}

/// The pairs, in the order of the earlier zones.
pub(super) fn pairs(before: &SpaceDocument, after: &SpaceDocument, footing: &Footing) -> Vec<Pair> {
    let (old, new) = (looks(before, footing), looks(after, footing));
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let (first_old, first_new) = (old.len().min(MOST), new.len().min(MOST));
    let scores = Matrix::from_fn(first_old, first_new, |(a, b)| likeness(&old[a], &new[b]));
    let whole = |score: f64| (score * SCALE).round() as i64;
    let mut pairs: Vec<Pair> = if first_old <= first_new {
        let (_, chosen) = kuhn_munkres(&scores.clone().map(whole));
        chosen
            .into_iter()
            .enumerate()
            .map(|(old, new)| Pair { old, new, score: scores[(old, new)] })
            .collect()
    } else {
        let (_, chosen) = kuhn_munkres(&scores.transposed().map(whole));
        chosen
            .into_iter()
            .enumerate()
            .map(|(new, old)| Pair { old, new, score: scores[(old, new)] })
            .collect()
    };
    let later = MOST..old.len().min(new.len());
    pairs.extend(later.map(|at| Pair { old: at, new: at, score: likeness(&old[at], &new[at]) }));
    pairs.retain(|pair| pair.score >= LEAST);
    pairs.sort_by_key(|pair| pair.old);
    pairs
}

fn looks<'a>(document: &'a SpaceDocument, footing: &Footing) -> Vec<Look<'a>> {
    let last = document.zones.len().saturating_sub(1).max(1) as f64;
    let pictures = Pictures::of(document);
    let zones = document.zones.iter().enumerate();
    zones.map(|(at, zone)| look(document, zone, &pictures, at as f64 / last, footing)).collect()
}

fn look<'a>(
    document: &'a SpaceDocument,
    zone: &'a Zone,
    pictures: &Pictures,
    order: f64,
    footing: &Footing,
) -> Look<'a> {
    let here = |id: &Option<String>| id.as_ref() == Some(&zone.id);
    let attribute = |name: AttributeName| {
        let found = zone.attributes.iter().find(|attribute| attribute.name == name);
        found.filter(|_| footing.holds(Subject::Attribute)).map(|attribute| attribute.claim.value.as_str())
    };
    let mut look = Look {
        views: pictures.hashes(&zone.frame_ids),
        texts: Vec::new(),
        types: zone.types.iter().map(|claim| claim.value.as_str()).collect(),
        things: BTreeMap::new(),
        colours: attribute(AttributeName::DominantColours)
            .map_or_else(Vec::new, |names| names.split(", ").collect()),
        lightness: attribute(AttributeName::MeanLightness).and_then(|value| value.parse().ok()),
        order,
    };
    if footing.holds(Subject::Text) {
        let texts = document.texts.iter().filter(|text| here(&text.zone_id));
        look.texts = texts.map(|text| text.normalized.as_str()).collect();
    }
    if footing.holds(Subject::Object) {
        for object in document.objects.iter().filter(|object| here(&object.zone_id)) {
            *look.things.entry(&object.category.value).or_default() += object.count.best;
        }
    }
    look
}

/// How alike two zones are, 0 to 1: the mean of what at least one of them is known by. Two that are the same
/// in all of it have 1, two of one walk less than that, because they stand at different places of it.
fn likeness(a: &Look, b: &Look) -> f64 {
    let terms = [
        (3.0, views(&a.views, &b.views)),
        (4.0, texts(&a.texts, &b.texts)),
        (3.0, types(&a.types, &b.types)),
        (2.0, things(&a.things, &b.things)),
        (1.0, share(&a.colours, &b.colours)),
        (0.5, a.lightness.zip(b.lightness).map(|(a, b)| 1.0 - (a - b).abs().min(1.0))),
        (1.0, Some(1.0 - (a.order - b.order).abs())),
    ];
    let known: Vec<(f64, f64)> =
        terms.iter().filter_map(|(weight, term)| Some((*weight, (*term)?))).collect();
    known.iter().map(|(weight, term)| weight * term).sum::<f64>()
        / known.iter().map(|(weight, _)| weight).sum::<f64>()
}

/// How much of each is seen in the other.
fn views(a: &[u64], b: &[u64]) -> Option<f64> {
    let seen = |of: &[u64], in_: &[u64]| {
        let nearest = |hash: &u64| in_.iter().map(|other| (hash ^ other).count_ones()).min().unwrap_or(64);
        let near = |hash: &u64| 1.0 - f64::from(nearest(hash).min(2 * NEAR)) / f64::from(2 * NEAR);
        of.iter().map(near).sum::<f64>() / of.len() as f64
    };
    (!a.is_empty() && !b.is_empty()).then(|| f64::midpoint(seen(a, b), seen(b, a)))
}

fn texts(a: &[&str], b: &[&str]) -> Option<f64> {
    let found =
        |of: &[&str], in_: &[&str]| of.iter().filter(|x| in_.iter().any(|y| alike::same(x, y))).count();
    let all = a.len() + b.len();
    (all > 0).then(|| (found(a, b) + found(b, a)) as f64 / all as f64)
}

/// Unknown where one of the two has no type.
fn types(a: &[&str], b: &[&str]) -> Option<f64> {
    (!a.is_empty() && !b.is_empty()).then(|| f64::from(u8::from(a.iter().any(|kind| b.contains(kind)))))
}

fn things(a: &BTreeMap<&str, u32>, b: &BTreeMap<&str, u32>) -> Option<f64> {
    let count = |of: &BTreeMap<&str, u32>, name: &str| of.get(name).copied().unwrap_or_default();
    let names = || a.keys().chain(b.keys()).copied().collect::<std::collections::BTreeSet<_>>().into_iter();
    let all: u32 = names().map(|name| count(a, name).max(count(b, name))).sum();
    let both: u32 = names().map(|name| count(a, name).min(count(b, name))).sum();
    (all > 0).then(|| f64::from(both) / f64::from(all))
}

fn share(a: &[&str], b: &[&str]) -> Option<f64> {
    let both = a.iter().filter(|name| b.contains(name)).count();
    let all = a.len() + b.len() - both;
    (all > 0).then(|| both as f64 / all as f64)
}
