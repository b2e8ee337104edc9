//! Builds the search index of a space from its record and its newest document.

use std::collections::BTreeMap;

use domain::{
    document::{AttributeName, Evidence, SpaceDocument},
    search::{EVERY_SPACE, Entry, EntryKind, Index, Posting},
};
use knowledge::words::LEXICON;

use crate::{
    deletion_neighbourhood::deletion_neighbourhood,
    facts::{count_term, space_type_term},
    passages::passages,
    ranking::impact,
    record::SpaceRecord,
    redaction::without_secrets,
    terms::{Side, terms},
};

/// Maximum number of entries of a space. A walk of an hour has fewer.
const MAX_ENTRIES: usize = 4000;
/// Maximum number of terms of a space.
const MAX_TERMS: usize = 6000;
/// Maximum length of an entry's text, in characters. Longer texts are cut in hits, but all their
/// words are indexed.
const MAX_ENTRY_CHARS: usize = 300;
/// Maximum number of entries stored with a term.
const MAX_ENTRIES_PER_TERM: usize = 5;
/// Maximum number of count terms for a range of counts.
const MAX_COUNT_TERMS: u32 = 20;

/// Builds the search index of a space, without credentials. Deterministic.
pub fn build_index(record: &SpaceRecord, document: &SpaceDocument) -> Index {
    let document = &*without_secrets(document);
    let mut builder = Builder::default();
    builder.space(record);
    for zone in &document.zones {
        builder.zone(zone);
    }
    for object in &document.objects {
        let name = &object.category.value;
        let at =
            builder.entry(EntryKind::Object, &object.id, object.zone_id.as_ref(), name, &object.sightings);
        builder.add(at, name, 2.5);
        builder.synonyms(at, &LEXICON.objects, name);
        let groups = LEXICON.groups.iter().filter(|(_, categories)| categories.contains(name));
        for (group, _) in groups {
            builder.add(at, group, 0.5);
        }
        if let Some(condition) = &object.condition {
            builder.add(at, &condition.value, 1.0);
        }
    }
    for text in &document.texts {
        let at =
            builder.entry(EntryKind::Text, &text.id, text.zone_id.as_ref(), &text.raw, &text.claim.evidence);
        builder.add(at, &text.raw, 2.0);
    }
    for segment in &document.narration {
        let zone = segment.zone_id.as_ref();
        let at = builder.entry(EntryKind::Narration, &segment.id, zone, &segment.text, &[]);
        builder.add(at, &segment.text, 1.0);
        builder.locate(at, best_frame(document, zone), Some(segment.start_ms));
    }
    builder.count_facts(document);
    let passages = passages(record, document, &builder.entries);
    Index { passages, ..builder.finish() }
}

fn best_frame<'a>(document: &'a SpaceDocument, zone: Option<&String>) -> Option<&'a String> {
    document.zones.iter().find(|other| Some(&other.id) == zone).map(|zone| &zone.best_frame_id)
}

/// Term of an index under construction.
#[derive(Default)]
struct TermEntries {
    /// Sum of the weights of all occurrences.
    weight: f64,
    /// Entries with their share of the weight.
    entries: Vec<(u32, f64)>,
}

/// Index under construction.
#[derive(Default)]
struct Builder {
    entries: Vec<Entry>,
    terms: BTreeMap<String, TermEntries>,
    /// Sum of the weights of all words.
    length: f64,
}

impl Builder {
    /// Indexes the record of the space.
    fn space(&mut self, record: &SpaceRecord) {
        let at = self.entry(EntryKind::Space, record.id, None, record.name, &[]);
        self.add(at, record.name, 3.0);
        self.add(at, record.space_type, 3.0);
        for text in [record.description, record.external_id].into_iter().flatten() {
            self.add(at, text, 1.5);
        }
        self.fact(space_type_term(record.space_type), at.into_iter().collect());
        self.fact(EVERY_SPACE.to_owned(), Vec::new());
    }

    /// Indexes a zone with its types and attributes.
    fn zone(&mut self, zone: &domain::document::Zone) {
        let evidence = zone
            .types
            .iter()
            .chain(zone.attributes.iter().map(|a| &a.claim))
            .find_map(|c| c.evidence.first());
        let evidence: Vec<Evidence> = evidence.cloned().into_iter().collect();
        let at = self.entry(EntryKind::Zone, &zone.id, Some(&zone.id), &zone.label, &evidence);
        let t_ms = evidence.first().and_then(|e| e.t_ms);
        self.locate(at, Some(&zone.best_frame_id), t_ms);
        let mut kinds: Vec<&String> = zone.types.iter().map(|claim| &claim.value).collect();
        kinds.dedup();
        for kind in kinds {
            self.add(at, kind, 3.0);
            self.synonyms(at, &LEXICON.rooms, kind);
        }
        for attribute in zone.attributes.iter().filter(|a| a.name != AttributeName::MeanLightness) {
            self.add(at, &attribute.claim.value, 0.5);
        }
    }

    /// Adds the synonyms of a name, so that queries with another name match too.
    fn synonyms(&mut self, at: Option<u32>, lexicon: &BTreeMap<String, Vec<String>>, name: &str) {
        for synonym in lexicon.get(name).into_iter().flatten().filter(|synonym| *synonym != name) {
            self.add(at, synonym, 1.0);
        }
    }

    /// Adds an entry and returns its position, or `None` if the index is full. The caller indexes
    /// the words in either case.
    fn entry(
        &mut self,
        kind: EntryKind,
        id: &str,
        zone: Option<&String>,
        text: &str,
        evidence: &[Evidence],
    ) -> Option<u32> {
        if self.entries.len() >= MAX_ENTRIES {
            return None;
        }
        let best =
            evidence.iter().filter(|e| e.frame_id.is_some()).max_by(|a, b| a.score.total_cmp(&b.score));
        self.entries.push(Entry {
            kind,
            source_id: id.to_owned(),
            zone_id: zone.cloned(),
            text: text.chars().filter(|c| !c.is_control()).take(MAX_ENTRY_CHARS).collect(),
            frame_id: best.and_then(|e| e.frame_id.clone()),
            t_ms: best.and_then(|e| e.t_ms),
            ordinal: best.and_then(|e| e.ordinal),
        });
        u32::try_from(self.entries.len() - 1).ok()
    }

    /// Sets the frame and time of an entry that has none.
    fn locate(&mut self, at: Option<u32>, frame: Option<&String>, t_ms: Option<u64>) {
        if let Some(entry) = at.and_then(|at| self.entries.get_mut(at as usize)) {
            entry.frame_id = entry.frame_id.take().or_else(|| frame.cloned());
            entry.t_ms = entry.t_ms.or(t_ms);
        }
    }

    /// Indexes the words of a text for an entry.
    fn add(&mut self, at: Option<u32>, text: &str, weight: f64) {
        for term in terms(text, Side::Index) {
            self.length += weight;
            let of_term = self.terms.entry(term).or_default();
            of_term.weight += weight;
            let Some(at) = at else { continue };
            match of_term.entries.iter_mut().find(|(other, _)| *other == at) {
                Some((_, sum)) => *sum += weight,
                None => of_term.entries.push((at, weight)),
            }
        }
    }

    /// Adds a fact: a term without weight.
    fn fact(&mut self, term: String, entries: Vec<u32>) {
        let of_term = self.terms.entry(term).or_default();
        of_term.entries.extend(entries.into_iter().map(|at| (at, 1.0)));
    }

    /// Adds the number of zones of each type and of objects of each category as facts.
    fn count_facts(&mut self, document: &SpaceDocument) {
        let mut zones: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for zone in &document.zones {
            let mut kinds: Vec<&str> = zone.types.iter().map(|claim| claim.value.as_str()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            for kind in kinds {
                zones.entry(kind).or_default().push(&zone.id);
            }
        }
        let mut objects: BTreeMap<&str, (u32, u32, Vec<&str>)> = BTreeMap::new();
        for object in &document.objects {
            let (min, max, ids) = objects.entry(&object.category.value).or_default();
            *min = min.saturating_add(object.count.min);
            *max = max.saturating_add(object.count.max);
            ids.push(&object.id);
        }
        let rooms = zones.into_iter().map(|(name, ids)| (name, ids.len() as u32, ids.len() as u32, ids));
        let objects = objects.into_iter().map(|(name, (min, max, ids))| (name, min, max, ids));
        for (name, min, max, ids) in rooms.chain(objects).collect::<Vec<_>>() {
            let has_name = |entry: &Entry| ids.contains(&entry.source_id.as_str());
            let at =
                self.entries.iter().enumerate().filter(|(_, entry)| has_name(entry)).map(|(at, _)| at as u32);
            let at: Vec<u32> = at.take(MAX_ENTRIES_PER_TERM).collect();
            for number in min..=max.min(min.saturating_add(MAX_COUNT_TERMS)) {
                self.fact(count_term(number, name), at.clone());
            }
        }
    }

    fn finish(self) -> Index {
        let Self { entries, terms, length } = self;
        let mut postings: Vec<Posting> = terms
            .into_iter()
            .map(|(term, mut of_term)| {
                of_term.entries.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                of_term.entries.truncate(MAX_ENTRIES_PER_TERM);
                Posting {
                    impact: impact(of_term.weight, length),
                    entries: of_term.entries.into_iter().map(|(at, _)| at).collect(),
                    deletion_neighbourhood: deletion_neighbourhood(&term),
                    term,
                }
            })
            .collect();
        if postings.len() > MAX_TERMS {
            // Facts have an impact of zero and are kept: queries require them.
            postings.sort_by(|a, b| {
                (b.impact == 0, b.impact).cmp(&(a.impact == 0, a.impact)).then(a.term.cmp(&b.term))
            });
            postings.truncate(MAX_TERMS);
            postings.sort_by(|a, b| a.term.cmp(&b.term));
        }
        Index { entries, postings, passages: Vec::new() }
    }
}
