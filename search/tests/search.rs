//! Indexes and queries of described places, ranked in memory as the databases rank them.

#[path = "../../knowledge/tests/knowledge/fixture.rs"]
mod fixture;

use domain::search::{EVERY_SPACE, EntryKind, Index};
use fixture::{Place, document, flat};
use proptest::prelude::*;
use search::{
    SpaceRecord, build_index, deletion_neighbourhood, is_probable_typo, parse_query, space_type_term,
    term_weight,
};

fn record<'a>(name: &'a str, space_type: &'a str) -> SpaceRecord<'a> {
    SpaceRecord {
        id: "spc_1",
        name,
        space_type,
        description: Some("by the river"),
        external_id: Some("listing-88"),
    }
}

fn index_of(name: &str, space_type: &str, place: &Place) -> Index {
    build_index(&record(name, space_type), &document(place))
}

fn has(index: &Index, term: &str) -> bool {
    index.postings.iter().any(|posting| posting.term == term)
}

/// Returns the names of the spaces that match a query, best first.
fn search<'a>(spaces: &'a [(&'a str, Index)], text: &str) -> Vec<&'a str> {
    let query = parse_query(text);
    let frequency = |term: &str| spaces.iter().filter(|(_, index)| has(index, term)).count() as i64;
    let all = spaces.len() as i64;
    let mut weights: Vec<(String, i64)> = Vec::new();
    for word in &query.words {
        if frequency(word) > 0 {
            weights.push((word.clone(), term_weight(frequency(word), all, false)));
            continue;
        }
        let forms = deletion_neighbourhood(word);
        let similar = spaces.iter().flat_map(|(_, index)| &index.postings).filter(|posting| {
            posting.deletion_neighbourhood.iter().any(|form| forms.contains(form))
                && is_probable_typo(word, &posting.term)
        });
        let mut similar: Vec<String> = similar.map(|posting| posting.term.clone()).collect();
        similar.sort();
        similar.dedup();
        weights
            .extend(similar.into_iter().map(|word| (word.clone(), term_weight(frequency(&word), all, true))));
    }
    if query.words.is_empty() && !query.facts.is_empty() {
        weights.push((EVERY_SPACE.to_owned(), 1));
    }
    let has_facts = |index: &Index| query.facts.iter().all(|fact| has(index, fact));
    let score = |index: &Index| {
        let hits = index.postings.iter().filter_map(|posting| {
            let (_, weight) = weights.iter().find(|(term, _)| *term == posting.term)?;
            Some(posting.impact * weight)
        });
        let hits: Vec<i64> = hits.collect();
        (!hits.is_empty()).then(|| hits.iter().sum::<i64>())
    };
    let mut out: Vec<(i64, &str)> = spaces
        .iter()
        .filter(|(_, index)| has_facts(index))
        .filter_map(|(name, index)| Some((score(index)?, *name)))
        .collect();
    out.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    out.into_iter().map(|(_, name)| name).collect()
}

fn spaces() -> Vec<(&'static str, Index)> {
    let mut office = flat();
    office.things.retain(|thing| thing.0 != "bed" && thing.0 != "chair");
    office.zones[3].types = vec!["meeting room".into()];
    office.texts[0].0 = "第二会議室".into();
    let mut loft = flat();
    loft.things.push(("couch".into(), 3, [3, 3, 3]));
    loft.texts[2].0 = "Café Zürich".into();
    vec![
        ("flat", index_of("Flat 3", "apartment", &flat())),
        ("office", index_of("Harbour office", "office", &office)),
        ("loft", index_of("Loft", "apartment", &loft)),
    ]
}

#[test]
fn finds_spaces_by_words_facts_typos_and_other_scripts() {
    let spaces = spaces();
    for (text, expected) in [
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
        assert_eq!(search(&spaces, text), expected, "{text}");
    }
    // Terms of every space contribute least.
    for (text, first) in
        [("listing-88 loft", "loft"), ("conference room", "office"), ("office by the river", "office")]
    {
        assert_eq!(search(&spaces, text)[0], first, "{text}");
    }
}

#[test]
fn entries_refer_to_their_source() {
    let index = index_of("Flat 3", "apartment", &flat());
    let posting = |term: &str| index.postings.iter().find(|posting| posting.term == term).unwrap();
    let best = |term: &str| &index.entries[posting(term).entries[0] as usize];
    let kitchen = best("kitchen");
    assert_eq!((kitchen.kind, kitchen.source_id.as_str()), (EntryKind::Zone, "zon_2"));
    assert_eq!((kitchen.frame_id.as_deref(), kitchen.t_ms), (Some("frm_00002"), Some(2000)));
    let bed = best("bed=2");
    assert_eq!((bed.kind, bed.zone_id.as_deref()), (EntryKind::Object, Some("zon_3")));
    let narration = best("2021");
    assert_eq!(
        (narration.kind, narration.t_ms, narration.frame_id.as_deref()),
        (EntryKind::Narration, Some(2000), Some("frm_00002"))
    );
    assert_eq!((best("listing").kind, &index.entries[0]), (EntryKind::Space, best("flat")));
    for number in 1..=5 {
        assert!(has(&index, &format!("bottle={number}")), "a range has a term for each number");
    }
    assert!(has(&index, &space_type_term("apartment")) && !has(&index, "chair=3") && has(&index, "chair=4"));
}

proptest! {
    #[test]
    fn indexes_any_words_consistently(name in "\\PC{0,30}", said in proptest::collection::vec("\\PC{0,60}", 0..6)) {
        let mut place = flat();
        place.said = said.into_iter().map(|words| (words, 1)).collect();
        place.sizes.retain(|size| size.4 == 2);
        let index = index_of(&name, "flat", &place);
        prop_assert_eq!(&index, &index_of(&name, "flat", &place));
        let mut terms: Vec<&str> = index.postings.iter().map(|posting| posting.term.as_str()).collect();
        terms.dedup();
        prop_assert_eq!(terms.len(), index.postings.len(), "terms are unique");
        for posting in &index.postings {
            prop_assert!(posting.entries.iter().all(|at| (*at as usize) < index.entries.len()));
            prop_assert!(posting.impact >= 0 && !posting.term.contains('\0') && posting.term.chars().count() <= 100);
        }
        let query = parse_query(&name);
        prop_assert!(query.words.iter().all(|word| has(&index, word)), "{:?} does not match the space of that name", query);
    }
}

#[test]
fn secrets_are_not_found_but_their_labels_are() {
    let mut place = flat();
    place.texts[0].0 = "SAFE CODE 773124".into();
    let mut document = document(&place);
    let text = &mut document.texts[0];
    text.kind = domain::document::TextKind::Credential;
    let fact = domain::document::Fact {
        id: "fct_1".into(),
        kind: domain::document::FactKind::Credential,
        subject: Some("safe code".into()),
        value: "773124".into(),
        amount: None,
        unit: None,
        period: None,
        negated: false,
        zone_id: None,
        board_id: None,
        claim: text.claim.clone(),
    };
    document.facts.push(fact);
    let index = build_index(&record("Flat", "flat"), &document);
    assert!(has(&index, "safe") && has(&index, "code"), "the label is found");
    assert!(!has(&index, "773124"));
    assert!(index.entries.iter().all(|entry| !entry.text.contains("773124")));
    assert!(index.passages.iter().all(|passage| !passage.text.contains("773124")));
}
