//! Passages of a space for embedding models: its record with its rooms and objects, the texts that
//! are visible, and the narration.
//!
//! Embedding models read a few hundred words at most, so passages are short and start with the most
//! important words.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    document::SpaceDocument,
    search::{Entry, EntryKind, Passage},
};

use crate::record::SpaceRecord;

/// Maximum length of a passage, in characters. Embedding models accept more.
const MAX_PASSAGE_CHARS: usize = 1200;
/// Maximum number of entries that a passage refers to.
const MAX_ENTRIES_PER_PASSAGE: usize = 3;

/// Returns the passages of a space; at least one, about its record.
pub(crate) fn passages(record: &SpaceRecord, document: &SpaceDocument, entries: &[Entry]) -> Vec<Passage> {
    let about = join_unique([record.name, record.space_type].into_iter().chain(record.description), ". ");
    let rooms = document.zones.iter().flat_map(|zone| &zone.types).map(|claim| claim.value.as_str());
    let objects = document.objects.iter().map(|object| (object.category.value.as_str(), object.count.best));
    let lists = [list_with_counts(rooms.map(|name| (name, 1))), list_with_counts(objects)];
    let contents = join_unique(lists.iter().filter(|list| !list.is_empty()).map(String::as_str), ". ");
    let texts = join_unique(document.texts.iter().map(|text| text.raw.as_str()), ". ");
    let narration = join_unique(document.narration.iter().map(|segment| segment.text.as_str()), " ");
    let overview = join_unique([about.as_str(), &contents].into_iter().filter(|part| !part.is_empty()), ". ");
    let all = [
        (overview, &[EntryKind::Zone, EntryKind::Object, EntryKind::Space] as &[EntryKind]),
        (texts, &[EntryKind::Text]),
        (narration, &[EntryKind::Narration]),
    ];
    let passage = |(text, kinds): (String, &[EntryKind])| {
        let positions = |kind: &EntryKind| {
            let of_kind = entries.iter().enumerate().filter(|(_, entry)| entry.kind == *kind);
            of_kind.map(|(at, _)| at as u32).collect::<Vec<_>>()
        };
        let entries = kinds.iter().flat_map(positions).take(MAX_ENTRIES_PER_PASSAGE).collect();
        Passage { text: text.chars().filter(|c| !c.is_control()).take(MAX_PASSAGE_CHARS).collect(), entries }
    };
    all.into_iter().filter(|(text, _)| !text.is_empty()).map(passage).collect()
}

/// Joins texts in order, without duplicates.
fn join_unique<'a>(texts: impl Iterator<Item = &'a str>, separator: &str) -> String {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(*text)).collect::<Vec<_>>().join(separator)
}

/// Lists names with the sum of their counts, for example "2 bedroom, kitchen".
fn list_with_counts<'a>(names: impl Iterator<Item = (&'a str, u32)>) -> String {
    let mut sums: BTreeMap<&str, u32> = BTreeMap::new();
    for (name, number) in names {
        let sum = sums.entry(name).or_default();
        *sum = sum.saturating_add(number);
    }
    let item = |(name, sum): (&str, u32)| if sum > 1 { format!("{sum} {name}") } else { name.to_owned() };
    sums.into_iter().map(item).collect::<Vec<_>>().join(", ")
}
