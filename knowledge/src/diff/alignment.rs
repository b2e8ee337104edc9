//! Two documents with what is the same in them.

use std::collections::BTreeMap;

use domain::document::{Object, SpaceDocument, Text, Zone};

use super::{
    alike,
    footing::Footing,
    types::{Subject, ZoneMatch},
    view::Views,
    zones::{Pair, pairs},
};

/// A zone by its position; `None` for what is in no zone.
pub(super) type At = Option<usize>;

/// One of the two documents.
pub(super) struct Walk<'a> {
    pub(super) document: &'a SpaceDocument,
    zones: BTreeMap<&'a str, usize>,
}

impl<'a> Walk<'a> {
    fn of(document: &'a SpaceDocument) -> Self {
        let zones = document.zones.iter().enumerate().map(|(at, zone)| (zone.id.as_str(), at)).collect();
        Self { document, zones }
    }

    pub(super) fn at(&self, zone: Option<&String>) -> At {
        zone.and_then(|id| self.zones.get(id.as_str()).copied())
    }

    pub(super) fn zone(&self, at: At) -> Option<&'a Zone> {
        at.and_then(|at| self.document.zones.get(at))
    }

    /// Things by zone and category.
    pub(super) fn things(&self) -> BTreeMap<(At, &'a str), Vec<&'a Object>> {
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for object in &self.document.objects {
            let key = (self.at(object.zone_id.as_ref()), object.category.value.as_str());
            groups.entry(key).or_default().push(object);
        }
        groups
    }

    /// Texts by zone.
    pub(super) fn texts(&self) -> BTreeMap<At, Vec<&'a Text>> {
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for text in &self.document.texts {
            groups.entry(self.at(text.zone_id.as_ref())).or_default().push(text);
        }
        groups
    }
}

/// Two walks through one space.
pub(super) struct Scene<'a> {
    pub(super) before: Walk<'a>,
    pub(super) after: Walk<'a>,
    pub(super) pairs: Vec<Pair>,
    /// The later scan, asked for what the earlier one shows.
    pub(super) again: Views<'a>,
    /// The earlier scan, asked for what the later one shows.
    pub(super) earlier: Views<'a>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(old: &'a SpaceDocument, new: &'a SpaceDocument, footing: &Footing) -> Self {
        let (before, after) = (Walk::of(old), Walk::of(new));
        let pairs = if footing.holds(Subject::Zone) { pairs(old, new, footing) } else { Vec::new() };
        let mut both = Vec::new();
        if footing.holds(Subject::Object) {
            let (then, now) = (before.things(), after.things());
            let shared = |((at, name), group): (&(At, &'a str), &Vec<&'a Object>)| {
                let pair = pairs.iter().find(|pair| Some(pair.old) == *at)?;
                let other = now.get(&(Some(pair.new), *name))?;
                // Of several alike things it is not known which is which.
                let ([one], [other]) = (group.as_slice(), other.as_slice()) else { return None };
                Some((one.sightings.as_slice(), other.sightings.as_slice()))
            };
            both.extend(then.iter().filter_map(shared));
        }
        if footing.holds(Subject::Text) {
            let (then, now) = (before.texts(), after.texts());
            for pair in &pairs {
                let (Some(then), Some(now)) = (then.get(&Some(pair.old)), now.get(&Some(pair.new))) else {
                    continue;
                };
                for one in then {
                    let found = now.iter().find(|other| alike::same(&one.normalized, &other.normalized));
                    both.extend(found.map(|o| (one.claim.evidence.as_slice(), o.claim.evidence.as_slice())));
                }
            }
        }
        let again = Views::new(old, new, both.iter().copied());
        let earlier = Views::new(new, old, both.iter().map(|(then, now)| (*now, *then)));
        Self { before, after, pairs, again, earlier }
    }

    /// The later zone that is this earlier one. What is in no zone is compared with what is in no zone.
    pub(super) fn new_of(&self, old: At) -> Option<(At, f64)> {
        let Some(old) = old else { return Some((None, 1.0)) };
        self.pairs.iter().find(|pair| pair.old == old).map(|pair| (Some(pair.new), pair.score))
    }

    /// The earlier zone that is this later one.
    pub(super) fn old_of(&self, new: At) -> Option<(At, f64)> {
        let Some(new) = new else { return Some((None, 1.0)) };
        self.pairs.iter().find(|pair| pair.new == new).map(|pair| (Some(pair.old), pair.score))
    }

    pub(super) fn matches(&self) -> Vec<ZoneMatch> {
        let one = |pair: &Pair| {
            let (from, to) = (self.before.zone(Some(pair.old))?, self.after.zone(Some(pair.new))?);
            let score = (pair.score * 1000.0).round() / 1000.0;
            Some(ZoneMatch { from_zone_id: from.id.clone(), to_zone_id: to.id.clone(), score })
        };
        self.pairs.iter().filter_map(one).collect()
    }
}
