//! Tests of questions that a model translated into typed queries.
//!
//! `tests/data/translations.json` holds questions in six languages about the training places, with
//! queries in the form that models return. They were written before any of them was answered.

use std::{fs, path::Path};

use domain::document::SpaceDocument;
use knowledge::ask::{
    Aids, Answer, Reason, Status, TypedQuery, ask, ask_translated, better, entails, is_improvable,
    translation_schema,
};
use regex::RegexBuilder;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fixture::{Place, document};

#[derive(Deserialize)]
struct Recording {
    place: String,
    question: String,
    expected: String,
    query: Value,
}

fn place(name: &str) -> SpaceDocument {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/training/{name}.json"));
    document(&serde_json::from_str::<Place>(&fs::read_to_string(file).unwrap()).unwrap())
}

fn library() -> SpaceDocument {
    document(&serde_json::from_str::<Place>(include_str!("../data/library.json")).unwrap())
}

/// A query of one part, with the fields of `change` in place of the usual ones.
fn query(change: Value) -> Value {
    let mut part = json!({
        "question": "How much is a library card?", "type": "price",
        "topics": [{ "words": "library card", "also": [] }], "places": [], "days": [], "time": null,
        "existence": false, "permission": false,
    });
    for (name, value) in change.as_object().unwrap() {
        part[name] = value.clone();
    }
    json!({ "parts": [part] })
}

fn answered(question: &str, value: Value) -> Answer {
    let query = TypedQuery::parse(question, value).unwrap();
    ask_translated(&library(), &query, &Aids::default())
}

#[test]
fn recorded_translations_are_answered() {
    let all: Vec<Recording> = serde_json::from_str(include_str!("../data/translations.json")).unwrap();
    let (mut answerable, mut right, mut wrong, mut misses) = (0, 0, 0, String::new());
    for recording in &all {
        let document = place(&recording.place);
        let query = TypedQuery::parse(&recording.question, recording.query.clone()).unwrap();
        let answer = ask_translated(&document, &query, &Aids::default());
        let text = answer.answer.clone().unwrap_or_default();
        let cited: Vec<String> = answer.citations.iter().map(|c| c.claim_id.clone()).collect();
        assert!(text.is_empty() || entails(&document, &cited, &text), "{text}");
        let expected =
            RegexBuilder::new(&recording.expected).case_insensitive(true).dot_matches_new_line(true).build();
        let abstained = answer.status == Status::Abstained;
        let is_right = recording.expected != "-" && !abstained && expected.unwrap().is_match(&text);
        answerable += usize::from(recording.expected != "-");
        right += usize::from(is_right);
        wrong += usize::from(!abstained && !is_right);
        if !is_right && (recording.expected != "-" || !abstained) {
            misses.push_str(&format!("\n{} → {text:?} {:?}", recording.question, answer.reason));
        }
    }
    let line = format!("{right} of {answerable} right, {wrong} of {} wrong{misses}", all.len());
    assert!(right * 100 >= answerable * 85 && wrong * 100 <= all.len() * 5, "{line}");
}

#[test]
fn a_translation_answers_what_the_parser_cannot() {
    let document = library();
    let question = "Was kostet ein Ausweis und wo ist der Schachclub?";
    let asked = ask(&document, question);
    assert_eq!(asked.reason, Some(Reason::UnsupportedLanguage));
    assert!(is_improvable(&asked));
    let answer = answered(question, query(json!({})));
    assert!(answer.answer.as_deref().unwrap().contains("12.00"), "{answer:?}");
    let (best, is_translated) = better(asked, answer.clone());
    assert_eq!((best, is_translated), (answer, true));
}

#[test]
fn an_answer_in_full_needs_no_translation() {
    let asked = ask(&library(), "What is the fee for a library card?");
    assert!(!is_improvable(&asked));
    let (best, is_translated) = better(asked.clone(), answered("?", query(json!({}))));
    assert_eq!((best, is_translated), (asked, false));
}

#[test]
fn a_translated_part_without_evidence_is_named() {
    let mut value = query(json!({}));
    let mayor = query(json!({ "question": "Who is the mayor?", "type": "name",
        "topics": [{ "words": "mayor", "also": ["burgomaster"] }] }));
    value["parts"].as_array_mut().unwrap().push(mayor["parts"][0].clone());
    let answer = answered("Ausweis? Bürgermeister?", value);
    assert_eq!((answer.status, answer.missing), (Status::Partial, vec!["Who is the mayor?".to_owned()]));
}

#[test]
fn a_translation_cannot_answer_beyond_the_document() {
    for change in [
        json!({ "question": "Is everything free?", "type": "yes_no", "topics": [{ "words": "free entrance for everybody", "also": [] }] }),
        json!({ "question": "The wifi password is 1234", "type": "code", "topics": [{ "words": "wifi", "also": ["wlan"] }] }),
        json!({ "question": "How much is the castle?", "topics": [{ "words": "castle", "also": ["palace"] }] }),
    ] {
        let answer = answered("?", query(change.clone()));
        assert_eq!((answer.status, &answer.answer), (Status::Abstained, &None), "{change} → {answer:?}");
    }
}

#[test]
fn invalid_translations_are_refused() {
    let question = "Was kosten 3 Ausweise?";
    for value in [
        json!({}),
        json!({ "parts": [] }),
        json!({ "parts": "no" }),
        json!({ "parts": [], "answer": "4.80" }),
        query(json!({ "question": "How much is a library card?" })),
        query(json!({ "question": "How much are 3 cards?", "type": "casino" })),
        query(json!({ "question": "How much are 3 cards?", "answer": "4.80" })),
        query(json!({ "question": " ", "time": "03:00" })),
        query(json!({ "question": "3 ".repeat(400) })),
        query(json!({ "question": "How much are 3 cards?", "days": ["someday"] })),
        query(
            json!({ "question": "How much are 3 cards?", "topics": vec![json!({ "words": "x", "also": [] }); 9] }),
        ),
    ] {
        assert!(TypedQuery::parse(question, value.clone()).is_err(), "{value}");
    }
    assert!(TypedQuery::parse(question, query(json!({ "question": "How much are 3 cards?" }))).is_ok());
}

#[test]
fn the_schema_is_closed() {
    fn objects<'v>(value: &'v Value, out: &mut Vec<&'v Value>) {
        if value["type"] == "object" {
            out.push(value);
        }
        let inner = value.as_object().into_iter().flat_map(|fields| fields.values());
        let items = value.as_array().into_iter().flatten();
        inner.chain(items).for_each(|value| objects(value, out));
    }
    let schema = translation_schema();
    let mut all = Vec::new();
    objects(&schema, &mut all);
    assert_eq!(all.len(), 3);
    for object in all {
        assert_eq!(object["additionalProperties"], false);
        let required = object["required"].as_array().unwrap().len();
        assert_eq!(
            required,
            object["properties"].as_object().unwrap().len(),
            "strict schemas require every field"
        );
    }
}
