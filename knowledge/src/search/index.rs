//! What a space is found by, made from its record and its newest document.

use std::collections::BTreeMap;

use domain::{
    document::{Evidence, SpaceDocument},
    search::{EVERY_SPACE, Entry, EntryKind, Index, Posting},
};

use super::{
    query::{fact, type_fact},
    terms::{Side, spellings, terms},
};
use crate::words::LEXICON;

/// Most entries of a space: an hour of narration with all its signs is below.
const MOST_ENTRIES: usize = 4000;
/// Most terms of a space.
const MOST_TERMS: usize = 6000;
/// Longest text of an entry, in characters; what is longer is cut for hits, and found all the same.
const SHOWN: usize = 300;
/// Most entries that are kept with a term.
const BEST: usize = 5;
/// Most numbers that a range of things stands for.
const RANGE: u32 = 20;

/// What is known of a space besides its document.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// Prefix `spc_`.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its type label.
    pub space_type: &'a str,
    /// Free text.
    pub description: Option<&'a str>,
    /// The caller's own reference.
    pub external_id: Option<&'a str>,
}

/// Makes the rows of a space. The same record and document give the same rows.
pub fn index(record: &Record, document: &SpaceDocument) -> Index {
    let mut maker = Maker::default();
    maker.space(record);
    for zone in &document.zones {
        maker.zone(zone);
    }
    for object in &document.objects {
        let name = &object.category.value;
        let at = maker.entry(EntryKind::Object, &object.id, object.zone_id.as_ref(), name, &object.sightings);
        maker.add(at, name, 2.5);
        maker.aliases(at, &LEXICON.things, name);
        let groups = LEXICON.groups.iter().filter(|(_, things)| things.contains(name));
        for (group, _) in groups {
            maker.add(at, group, 0.5);
        }
        if let Some(condition) = &object.condition {
            maker.add(at, &condition.value, 1.0);
        }
    }
    for text in &document.texts {
        let at =
            maker.entry(EntryKind::Text, &text.id, text.zone_id.as_ref(), &text.raw, &text.claim.evidence);
        maker.add(at, &text.raw, 2.0);
    }
    for piece in &document.narration {
        let at = maker.entry(EntryKind::Narration, &piece.id, piece.zone_id.as_ref(), &piece.text, &[]);
        maker.add(at, &piece.text, 1.0);
        maker.show(at, best_frame(document, piece.zone_id.as_ref()), Some(piece.start_ms));
    }
    maker.facts(document);
    let passages = super::passages::passages(record, document, &maker.entries);
    Index { passages, ..maker.finish() }
}

fn best_frame<'a>(document: &'a SpaceDocument, zone: Option<&String>) -> Option<&'a String> {
    document.zones.iter().find(|other| Some(&other.id) == zone).map(|zone| &zone.best_frame_id)
}

/// A term while it is being collected.
#[derive(Default)]
struct Found {
    weight: f64,
    /// Entries with what they add.
    entries: Vec<(u32, f64)>,
}

#[derive(Default)]
struct Maker {
    entries: Vec<Entry>,
    found: BTreeMap<String, Found>,
    /// Sum of the weights of all words.
    length: f64,
}

impl Maker {
    fn space(&mut self, record: &Record) {
        let at = self.entry(EntryKind::Space, record.id, None, record.name, &[]);
        self.add(at, record.name, 3.0);
        self.add(at, record.space_type, 3.0);
        for text in [record.description, record.external_id].into_iter().flatten() {
            self.add(at, text, 1.5);
        }
        self.fact(type_fact(record.space_type), at.into_iter().collect());
        self.fact(EVERY_SPACE.to_owned(), Vec::new());
    }

    fn zone(&mut self, zone: &domain::document::Zone) {
        let evidence = zone
            .types
            .iter()
            .chain(zone.attributes.iter().map(|a| &a.claim))
            .find_map(|c| c.evidence.first());
        let said: Vec<Evidence> = evidence.cloned().into_iter().collect();
        let at = self.entry(EntryKind::Zone, &zone.id, Some(&zone.id), &zone.label, &said);
        let t_ms = said.first().and_then(|e| e.t_ms);
        self.show(at, Some(&zone.best_frame_id), t_ms);
        let mut kinds: Vec<&String> = zone.types.iter().map(|claim| &claim.value).collect();
        kinds.dedup();
        for kind in kinds {
            self.add(at, kind, 3.0);
            self.aliases(at, &LEXICON.rooms, kind);
        }
        for attribute in
            zone.attributes.iter().filter(|a| a.name != domain::document::AttributeName::MeanLightness)
        {
            self.add(at, &attribute.claim.value, 0.5);
        }
    }

    /// Other names of what is claimed, for who calls it so.
    fn aliases(&mut self, at: Option<u32>, known: &BTreeMap<String, Vec<String>>, name: &str) {
        for other in known.get(name).into_iter().flatten().filter(|other| *other != name) {
            self.add(at, other, 1.0);
        }
    }

    /// A new entry; `None` when there are too many: its words count all the same.
    fn entry(
        &mut self,
        kind: EntryKind,
        id: &str,
        zone: Option<&String>,
        text: &str,
        evidence: &[Evidence],
    ) -> Option<u32> {
        if self.entries.len() >= MOST_ENTRIES {
            return None;
        }
        let best =
            evidence.iter().filter(|e| e.frame_id.is_some()).max_by(|a, b| a.score.total_cmp(&b.score));
        self.entries.push(Entry {
            kind,
            source_id: id.to_owned(),
            zone_id: zone.cloned(),
            text: text.chars().filter(|c| !c.is_control()).take(SHOWN).collect(),
            frame_id: best.and_then(|e| e.frame_id.clone()),
            t_ms: best.and_then(|e| e.t_ms),
            ordinal: best.and_then(|e| e.ordinal),
        });
        u32::try_from(self.entries.len() - 1).ok()
    }

    fn show(&mut self, at: Option<u32>, frame: Option<&String>, t_ms: Option<u64>) {
        if let Some(entry) = at.and_then(|at| self.entries.get_mut(at as usize)) {
            entry.frame_id = entry.frame_id.take().or_else(|| frame.cloned());
            entry.t_ms = entry.t_ms.or(t_ms);
        }
    }

    fn add(&mut self, at: Option<u32>, text: &str, weight: f64) {
        for term in terms(text, Side::Stored) {
            self.length += weight;
            let found = self.found.entry(term).or_default();
            found.weight += weight;
            let Some(at) = at else { continue };
            match found.entries.iter_mut().find(|(other, _)| *other == at) {
                Some((_, sum)) => *sum += weight,
                None => found.entries.push((at, weight)),
            }
        }
    }

    /// A term that is true of a space, or not.
    fn fact(&mut self, term: String, entries: Vec<u32>) {
        let found = self.found.entry(term).or_default();
        found.entries.extend(entries.into_iter().map(|at| (at, 1.0)));
    }

    /// How many zones there are of each type, and things of each category.
    fn facts(&mut self, document: &SpaceDocument) {
        let mut zones: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for zone in &document.zones {
            let mut kinds: Vec<&str> = zone.types.iter().map(|claim| claim.value.as_str()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            for kind in kinds {
                zones.entry(kind).or_default().push(&zone.id);
            }
        }
        let mut things: BTreeMap<&str, (u32, u32, Vec<&str>)> = BTreeMap::new();
        for object in &document.objects {
            let (min, max, ids) = things.entry(&object.category.value).or_default();
            *min = min.saturating_add(object.count.min);
            *max = max.saturating_add(object.count.max);
            ids.push(&object.id);
        }
        let rooms = zones.into_iter().map(|(name, ids)| (name, ids.len() as u32, ids.len() as u32, ids));
        let things = things.into_iter().map(|(name, (min, max, ids))| (name, min, max, ids));
        for (name, min, max, ids) in rooms.chain(things).collect::<Vec<_>>() {
            let of = |entry: &Entry| ids.contains(&entry.source_id.as_str());
            let at = self.entries.iter().enumerate().filter(|(_, entry)| of(entry)).map(|(at, _)| at as u32);
            let at: Vec<u32> = at.take(BEST).collect();
            for number in min..=max.min(min.saturating_add(RANGE)) {
                self.fact(fact(number, name), at.clone());
            }
        }
    }

    fn finish(self) -> Index {
        let Self { entries, found, length } = self;
        let mut postings: Vec<Posting> = found
            .into_iter()
            .map(|(term, mut found)| {
                found.entries.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                found.entries.truncate(BEST);
                Posting {
                    impact: super::rank::impact(found.weight, length),
                    entries: found.entries.into_iter().map(|(at, _)| at).collect(),
                    spellings: spellings(&term),
                    term,
                }
            })
            .collect();
        if postings.len() > MOST_TERMS {
            // Facts have no weight of their own, and must not be the first to go.
            postings.sort_by(|a, b| {
                (b.impact == 0, b.impact).cmp(&(a.impact == 0, a.impact)).then(a.term.cmp(&b.term))
            });
            postings.truncate(MOST_TERMS);
            postings.sort_by(|a, b| a.term.cmp(&b.term));
        }
        Index { entries, postings, passages: Vec::new() }
    }
}
