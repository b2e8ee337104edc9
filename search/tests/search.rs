//! What spaces are found by, ranked here as databases rank them.

use domain::search::{EVERY_SPACE, EntryKind, Index};
use knowledge::search::{Record, index, near, query, spellings, type_fact, weight};
use proptest::prelude::*;

use crate::fixture::{Place, document, flat};

fn record<'a>(name: &'a str, space_type: &'a str) -> Record<'a> {
    Record {
        id: "spc_1",
        name,
        space_type,
        description: Some("by the river"),
        external_id: Some("listing-88"),
    }
}

fn of(name: &str, space_type: &str, place: &Place) -> Index {
    index(&record(name, space_type), &document(place))
}

fn has(index: &Index, term: &str) -> bool {
    index.postings.iter().any(|posting| posting.term == term)
}

/// Names of the spaces that a query finds, best first.
fn found<'a>(spaces: &'a [(&'a str, Index)], asked: &str) -> Vec<&'a str> {
    let query = query(asked);
    let having = |term: &str| spaces.iter().filter(|(_, index)| has(index, term)).count() as i64;
    let all = spaces.len() as i64;
    let mut weights: Vec<(String, i64)> = Vec::new();
    for word in &query.words {
        if having(word) > 0 {
            weights.push((word.clone(), weight(having(word), all, false)));
            continue;
        }
        let typed = spellings(word);
        let meant = spaces.iter().flat_map(|(_, index)| &index.postings).filter(|posting| {
            posting.spellings.iter().any(|spelling| typed.contains(spelling)) && near(word, &posting.term)
        });
        let mut meant: Vec<String> = meant.map(|posting| posting.term.clone()).collect();
        meant.sort();
        meant.dedup();
        weights.extend(meant.into_iter().map(|word| (word.clone(), weight(having(&word), all, true))));
    }
    if query.words.is_empty() && !query.facts.is_empty() {
        weights.push((EVERY_SPACE.to_owned(), 1));
    }
    let held = |index: &Index| query.facts.iter().all(|fact| has(index, fact));
    let score = |index: &Index| {
        let hits = index.postings.iter().filter_map(|posting| {
            let (_, by) = weights.iter().find(|(term, _)| *term == posting.term)?;
            Some(posting.impact * by)
        });
        let hits: Vec<i64> = hits.collect();
        (!hits.is_empty()).then(|| hits.iter().sum::<i64>())
    };
    let mut out: Vec<(i64, &str)> = spaces
        .iter()
        .filter(|(_, index)| held(index))
        .filter_map(|(name, index)| Some((score(index)?, *name)))
        .collect();
    out.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    out.into_iter().map(|(_, name)| name).collect()
}

fn spaces() -> Vec<(&'static str, Index)> {
    let mut without_bed = flat();
    without_bed.things.retain(|thing| thing.0 != "bed" && thing.0 != "chair");
    without_bed.zones[3].types = vec!["meeting room".into()];
    without_bed.texts[0].0 = "第二会議室".into();
    let mut couch = flat();
    couch.things.push(("couch".into(), 3, [3, 3, 3]));
    couch.texts[2].0 = "Café Zürich".into();
    vec![
        ("flat", of("Flat 3", "apartment", &flat())),
        ("office", of("Harbour office", "office", &without_bed)),
        ("loft", of("Loft", "apartment", &couch)),
    ]
}

#[test]
fn words_facts_slips_and_other_scripts_find_spaces() {
    let spaces = spaces();
    for (asked, expected) in [
        ("harbour", vec!["office"]),
        ("harbor", vec!["office"]),
        ("HARBOURS", vec!["office"]),
        ("sofa", vec!["loft"]),
        ("sofas", vec!["loft"]),
        ("3 couches", vec!["loft"]),
        ("2 couches", vec![]),
        ("2 bedrooms", vec!["flat", "loft"]),
        ("one bedroom", vec!["office"]),
        ("wlan", vec!["flat", "office"]),
        ("cafe zurich", vec!["loft"]),
        ("会議室", vec!["office"]),
        ("会議", vec!["office"]),
        ("図書館", vec![]),
        ("2 bedrooms with wi-fi", vec!["flat"]),
        ("the of and", vec![]),
    ] {
        assert_eq!(found(&spaces, asked), expected, "{asked}");
    }
    // What all have ranks least.
    for (asked, first) in
        [("listing-88 loft", "loft"), ("conference room", "office"), ("office by the river", "office")]
    {
        assert_eq!(found(&spaces, asked)[0], first, "{asked}");
    }
}

#[test]
fn rows_say_what_they_were_made_from() {
    let index = of("Flat 3", "apartment", &flat());
    let posting = |term: &str| index.postings.iter().find(|posting| posting.term == term).unwrap();
    let best = |term: &str| &index.entries[posting(term).entries[0] as usize];
    let kitchen = best("kitchen");
    assert_eq!((kitchen.kind, kitchen.source_id.as_str()), (EntryKind::Zone, "zon_2"));
    assert_eq!((kitchen.frame_id.as_deref(), kitchen.t_ms), (Some("frm_00002"), Some(2000)));
    let bed = best("bed=2");
    assert_eq!((bed.kind, bed.zone_id.as_deref()), (EntryKind::Object, Some("zon_3")));
    let said = best("2021");
    assert_eq!(
        (said.kind, said.t_ms, said.frame_id.as_deref()),
        (EntryKind::Narration, Some(2000), Some("frm_00002"))
    );
    assert_eq!((best("listing").kind, &index.entries[0]), (EntryKind::Space, best("flat")));
    for number in 1..=5 {
        assert!(has(&index, &format!("bottle={number}")), "a range stands for each of its numbers");
    }
    assert!(has(&index, &type_fact("apartment")) && !has(&index, "chair=3") && has(&index, "chair=4"));
}

proptest! {
    #[test]
    fn any_words_are_indexed_soundly(name in "\\PC{0,30}", said in proptest::collection::vec("\\PC{0,60}", 0..6)) {
        let mut place = flat();
        place.said = said.into_iter().map(|words| (words, 1)).collect();
        place.sizes.retain(|size| size.4 == 2);
        let made = of(&name, "flat", &place);
        prop_assert_eq!(&made, &of(&name, "flat", &place));
        let mut terms: Vec<&str> = made.postings.iter().map(|posting| posting.term.as_str()).collect();
        terms.dedup();
        prop_assert_eq!(terms.len(), made.postings.len(), "a term is there once");
        for posting in &made.postings {
            prop_assert!(posting.entries.iter().all(|at| (*at as usize) < made.entries.len()));
            prop_assert!(posting.impact >= 0 && !posting.term.contains('\0') && posting.term.chars().count() <= 100);
        }
        let query = query(&name);
        prop_assert!(query.words.iter().all(|word| has(&made, word)), "{:?} is not found by its name", query);
    }
}
