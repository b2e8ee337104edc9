//! Alignment of two documents: the matching zones, and the views of their common contents.

use std::collections::BTreeMap;

use domain::document::{Object, SpaceDocument, Text, Zone};

use super::{
    comparability::Comparability,
    registered::PlaceLocator,
    text_similarity::is_same_text,
    types::{Subject, ZoneMatch},
    view::Views,
    zones::{Pair, pairs},
};

/// Position of a zone in a document; `None` for contents without a zone.
pub(super) type ZoneIndex = Option<usize>;

/// One of the two documents, with its zones by id.
pub(super) struct Walk<'a> {
    pub(super) document: &'a SpaceDocument,
    zones: BTreeMap<&'a str, usize>,
}

impl<'a> Walk<'a> {
    fn of(document: &'a SpaceDocument) -> Self {
        let zones = document.zones.iter().enumerate().map(|(at, zone)| (zone.id.as_str(), at)).collect();
        Self { document, zones }
    }

    pub(super) fn at(&self, zone: Option<&String>) -> ZoneIndex {
        zone.and_then(|id| self.zones.get(id.as_str()).copied())
    }

    pub(super) fn zone(&self, at: ZoneIndex) -> Option<&'a Zone> {
        at.and_then(|at| self.document.zones.get(at))
    }

    /// Returns the objects by zone and category.
    pub(super) fn objects(&self) -> BTreeMap<(ZoneIndex, &'a str), Vec<&'a Object>> {
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for object in &self.document.objects {
            let key = (self.at(object.zone_id.as_ref()), object.category.value.as_str());
            groups.entry(key).or_default().push(object);
        }
        groups
    }

    /// Returns the texts by zone.
    pub(super) fn texts(&self) -> BTreeMap<ZoneIndex, Vec<&'a Text>> {
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for text in &self.document.texts {
            groups.entry(self.at(text.zone_id.as_ref())).or_default().push(text);
        }
        groups
    }
}

/// Two walks through one space, with their matching zones.
pub(super) struct Alignment<'a> {
    pub(super) before: Walk<'a>,
    pub(super) after: Walk<'a>,
    pub(super) pairs: Vec<Pair>,
    /// Finds places that the earlier scan shows in the later scan.
    pub(super) later_views: Views<'a>,
    /// Finds places that the later scan shows in the earlier scan.
    pub(super) earlier_views: Views<'a>,
}

impl<'a> Alignment<'a> {
    pub(super) fn new(
        old: &'a SpaceDocument,
        new: &'a SpaceDocument,
        comparability: &Comparability,
        between: Option<&[PlaceLocator; 2]>,
    ) -> Self {
        let (before, after) = (Walk::of(old), Walk::of(new));
        let pairs = if comparability.includes(Subject::Zone) {
            pairs(old, new, comparability, between)
        } else {
            Vec::new()
        };
        let mut common = Vec::new();
        if comparability.includes(Subject::Object) {
            let (earlier, later) = (before.objects(), after.objects());
            let shared = |((at, name), group): (&(ZoneIndex, &'a str), &Vec<&'a Object>)| {
                let pair = pairs.iter().find(|pair| Some(pair.old) == *at)?;
                let other = later.get(&(Some(pair.new), *name))?;
                // Several objects of one category cannot be told apart.
                let ([one], [other]) = (group.as_slice(), other.as_slice()) else { return None };
                Some((one.sightings.as_slice(), other.sightings.as_slice()))
            };
            common.extend(earlier.iter().filter_map(shared));
        }
        if comparability.includes(Subject::Text) {
            let (earlier, later) = (before.texts(), after.texts());
            for pair in &pairs {
                let (Some(earlier), Some(later)) = (earlier.get(&Some(pair.old)), later.get(&Some(pair.new)))
                else {
                    continue;
                };
                for one in earlier {
                    let found = later.iter().find(|other| is_same_text(&one.normalized, &other.normalized));
                    common
                        .extend(found.map(|o| (one.claim.evidence.as_slice(), o.claim.evidence.as_slice())));
                }
            }
        }
        let later_views = Views::new(old, new, common.iter().copied());
        let earlier_views = Views::new(new, old, common.iter().map(|(earlier, later)| (*later, *earlier)));
        Self { before, after, pairs, later_views, earlier_views }
    }

    /// Returns the later zone that matches this earlier one, with the score of the match. Contents
    /// without a zone are compared with each other.
    pub(super) fn new_of(&self, old: ZoneIndex) -> Option<(ZoneIndex, f64)> {
        let Some(old) = old else { return Some((None, 1.0)) };
        self.pairs.iter().find(|pair| pair.old == old).map(|pair| (Some(pair.new), pair.score))
    }

    /// Returns the earlier zone that matches this later one, with the score of the match.
    pub(super) fn old_of(&self, new: ZoneIndex) -> Option<(ZoneIndex, f64)> {
        let Some(new) = new else { return Some((None, 1.0)) };
        self.pairs.iter().find(|pair| pair.new == new).map(|pair| (Some(pair.old), pair.score))
    }

    pub(super) fn matches(&self) -> Vec<ZoneMatch> {
        let zone_match = |pair: &Pair| {
            let (from, to) = (self.before.zone(Some(pair.old))?, self.after.zone(Some(pair.new))?);
            let score = (pair.score * 1000.0).round() / 1000.0;
            Some(ZoneMatch { from_zone_id: from.id.clone(), to_zone_id: to.id.clone(), score })
        };
        self.pairs.iter().filter_map(zone_match).collect()
    }
}
