//! What a space is about, in a few texts: what it is and has, what is written there, what was said there.
//!
//! Models that find by meaning read a few hundred words at most, so each text is short and begins with what matters.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    document::SpaceDocument,
    search::{Entry, EntryKind, Passage},
};

use super::index::Record;

/// Longest passage, in characters: below what models for texts take.
const LONGEST: usize = 1200;
/// Entries that a passage points to.
const SHOWN: usize = 3;

/// The passages of a space; at least the one of what it is.
pub(super) fn passages(record: &Record, document: &SpaceDocument, entries: &[Entry]) -> Vec<Passage> {
    let about = joined([record.name, record.space_type].into_iter().chain(record.description), ". ");
    let rooms = document.zones.iter().flat_map(|zone| &zone.types).map(|claim| claim.value.as_str());
    let things = document.objects.iter().map(|object| (object.category.value.as_str(), object.count.best));
    let has = [numbered(rooms.map(|name| (name, 1))), numbered(things)];
    let has = joined(has.iter().filter(|list| !list.is_empty()).map(String::as_str), ". ");
    let read = joined(document.texts.iter().map(|text| text.raw.as_str()), ". ");
    let said = joined(document.narration.iter().map(|piece| piece.text.as_str()), " ");
    let is = joined([about.as_str(), &has].into_iter().filter(|part| !part.is_empty()), ". ");
    let all = [
        (is, &[EntryKind::Zone, EntryKind::Object, EntryKind::Space] as &[EntryKind]),
        (read, &[EntryKind::Text]),
        (said, &[EntryKind::Narration]),
    ];
    let passage = |(text, kinds): (String, &[EntryKind])| {
        let of = |kind: &EntryKind| {
            let of_kind = entries.iter().enumerate().filter(|(_, entry)| entry.kind == *kind);
            of_kind.map(|(at, _)| at as u32).collect::<Vec<_>>()
        };
        let entries = kinds.iter().flat_map(of).take(SHOWN).collect();
        Passage { text: text.chars().filter(|c| !c.is_control()).take(LONGEST).collect(), entries }
    };
    all.into_iter().filter(|(text, _)| !text.is_empty()).map(passage).collect()
}

/// Each text once, in order.
fn joined<'a>(texts: impl Iterator<Item = &'a str>, between: &str) -> String {
    let mut once = BTreeSet::new();
    texts.filter(|text| once.insert(*text)).collect::<Vec<_>>().join(between)
}

/// "2 bedroom, kitchen": the numbers of one name added up.
fn numbered<'a>(names: impl Iterator<Item = (&'a str, u32)>) -> String {
    let mut sums: BTreeMap<&str, u32> = BTreeMap::new();
    for (name, number) in names {
        let sum = sums.entry(name).or_default();
        *sum = sum.saturating_add(number);
    }
    let one = |(name, sum): (&str, u32)| if sum > 1 { format!("{sum} {name}") } else { name.to_owned() };
    sums.into_iter().map(one).collect::<Vec<_>>().join(", ")
}
