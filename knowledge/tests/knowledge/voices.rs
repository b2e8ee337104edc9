//! Tests of questions in voices that differ from a plain question: wordy, polite, formal, misspelt, of people who
//! learned English later, and of programs.

use domain::document::SpaceDocument;
use knowledge::ask::{Status, ask, entails};

use crate::fixture::{Place, document};

fn library() -> SpaceDocument {
    let place: Place = serde_json::from_str(include_str!("../data/library.json")).unwrap();
    document(&place)
}

fn boathouse() -> SpaceDocument {
    let place: Place = serde_json::from_str(include_str!("../data/boathouse.json")).unwrap();
    document(&place)
}

/// Asserts that the answer to each question contains the words, and follows from its citations.
fn assert_answers(document: &SpaceDocument, questions: &[(&str, &str)]) {
    for (question, words) in questions {
        let answer = ask(document, question);
        let text = answer.answer.clone().unwrap_or_default();
        assert!(text.contains(words), "{question} → {answer:?}");
        let cited: Vec<String> = answer.citations.iter().map(|c| c.claim_id.clone()).collect();
        assert!(entails(document, &cited, &text), "{question} → {text}");
    }
}

#[test]
fn introductions_and_courtesies_change_no_answer() {
    assert_answers(
        &library(),
        &[
            ("Would you be so kind as to tell me what a card for adults costs, if I may ask?", "12.00"),
            ("Might I respectfully enquire at what time the chess club begins?", "17:00"),
            ("Kindly inform me whether the scanner is working.", "No. "),
            ("I should be grateful to learn for how long one may keep a film.", "7 DAYS"),
            ("I'd love to know which room the chess club is in", "ROOM B"),
        ],
    );
}

#[test]
fn what_is_said_before_a_question_may_hold_its_subject() {
    assert_answers(
        &boathouse(),
        &[
            ("My daughter really fancies a pedalo, how much is one for an hour?", "11.50"),
            ("ugh, I'm starving and there are scones, what do they cost?", "3.10"),
            ("hey, we are early birds with two bags - on which rack are the spare oars?", "RACK 3"),
        ],
    );
    let answer = ask(&boathouse(), "My daughter really fancies a canoe, how much is one for an hour?");
    assert_eq!(answer.status, Status::Abstained, "{answer:?}");
}

#[test]
fn requests_of_programs_are_answered() {
    assert_answers(
        &library(),
        &[
            (r#"{"query": "cupboard code"}"#, "6120"),
            (r#"{"op": "price", "item": "library card", "for": "children"}"#, "4.00"),
            (r#"get_time(event="chess club")"#, "17:00"),
        ],
    );
    let answer = ask(&library(), r#"{"op": "price", "item": "lost book"}"#);
    assert_eq!(answer.status, Status::Abstained, "{answer:?}");
}

#[test]
fn short_words_with_slips_are_understood() {
    assert_answers(
        &boathouse(),
        &[("how mutch is teh rowing baot", "14.00"), ("wen is the last boat", "17:00")],
    );
}

#[test]
fn a_value_beside_another_label_is_not_taken() {
    let zone =
        serde_json::json!({ "types": ["shop"], "light": "bright", "colours": "white", "coverage": 0.9 });
    let lines = ["SERVICES", "KNIFE CHECK | free", "SHARPENING | 6.00"];
    let place = serde_json::json!({ "zones": [zone], "boards": [[1, lines]] });
    let document = document(&serde_json::from_value::<Place>(place).unwrap());
    let text = ask(&document, "What does a knife check cost?").answer.unwrap();
    assert!(text.contains("free") && !text.contains("6.00"), "{text}");
}

#[test]
fn numbers_in_words_match_digits_and_units_without_a_space() {
    let zone =
        serde_json::json!({ "types": ["shop"], "light": "bright", "colours": "white", "coverage": 0.9 });
    let lines = ["GAS BOTTLES", "11 KG 29.50", "33 KG 71.00"];
    let place = serde_json::json!({ "zones": [zone], "boards": [[1, lines]] });
    let document = document(&serde_json::from_value::<Place>(place).unwrap());
    assert_answers(
        &document,
        &[("price of the 33kg gas bottle", "71.00"), ("How much is the eleven kg gas bottle?", "29.50")],
    );
}
