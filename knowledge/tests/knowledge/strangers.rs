//! Tests of answers to questions in other people's words: short, polite, misspelt, in parts, and
//! with tempting wrong values.

use domain::document::SpaceDocument;
use knowledge::ask::{Reason, Status, ask, entails};

use crate::fixture::{Place, document};

fn library() -> SpaceDocument {
    let place: Place = serde_json::from_str(include_str!("../data/library.json")).unwrap();
    document(&place)
}

/// Asserts that the answer to each question contains each of the words.
fn assert_answers(questions: &[(&str, &[&str])]) {
    let document = library();
    for (question, words) in questions {
        let answer = ask(&document, question);
        let text = answer.answer.clone().unwrap_or_default();
        assert_eq!(answer.status, Status::Answered, "{question} → {answer:?}");
        assert!(words.iter().all(|word| text.contains(word)), "{question} → {text}");
        let cited: Vec<String> = answer.citations.iter().map(|c| c.claim_id.clone()).collect();
        assert!(entails(&document, &cited, &text), "{question} → {text}");
    }
}

#[test]
fn reads_values_from_the_lines_of_a_sign() {
    assert_answers(&[
        ("What is the fee for a library card?", &["12.00"]),
        ("how much for kids", &["4.00"]),
        ("What's the code of the cupboard?", &["6120"]),
        ("When is the chess club?", &["WEDNESDAY 17:00"]),
        ("where does the chess club meet", &["ROOM B"]),
        ("How long may I borrow a film?", &["7 DAYS"]),
    ]);
}

#[test]
fn understands_slips_and_indirect_questions() {
    assert_answers(&[
        ("whats the libary card fee", &["12.00"]),
        ("wen is the chess club", &["WEDNESDAY 17:00"]),
        ("Hello! Could you tell me when the chess clubb is, please?", &["WEDNESDAY 17:00"]),
        ("I was wondering whether the reading lamps can be dimmed.", &["Yes", "dimmed"]),
    ]);
}

#[test]
fn denials_are_answered_with_no_and_quoted() {
    assert_answers(&[
        ("Do the armchairs belong to the library?", &["No. ", "the armchairs do not"]),
        ("Do the shelves belong to the library?", &["Yes. ", "The shelves belong to the library"]),
        ("Can I eat in here?", &["No. ", "NO FOOD"]),
        ("Is the scanner working?", &["No. ", "OUT OF ORDER"]),
        ("Is it open on Saturday at 15:00?", &["No. ", "SAT 10-14"]),
        ("Is it open on Tuesday at 18:30?", &["Yes. ", "MON-FRI 9-19"]),
        ("Is it open on Sunday?", &["No. ", "MON-FRI 9-19", "SAT 10-14"]),
    ]);
}

#[test]
fn numbers_in_words_are_answered_in_digits() {
    assert_answers(&[("In what year was the library founded?", &["1932", "nineteen thirty two"])]);
}

#[test]
fn tempting_values_of_the_right_type_are_no_answers() {
    let document = library();
    for question in [
        "What is the fee for a lost book?",
        "What is the code of the front door?",
        "When is the poetry club?",
        "When was the roof replaced?",
        "Who is the mayor?",
        "How much is parking?",
        "What is the wifi password?",
        "What does the sign about the armchairs say?",
        "What is the floor area of the building?",
    ] {
        let answer = ask(&document, question);
        assert_eq!((answer.status, &answer.answer), (Status::Abstained, &None), "{question} → {answer:?}");
    }
}

#[test]
fn an_abstention_shows_the_closest_evidence() {
    let document = library();
    let answer = ask(&document, "What is the fee for a lost book?");
    assert_eq!(answer.status, Status::Abstained);
    assert!(!answer.closest.is_empty() && answer.closest.len() <= 3, "{answer:?}");
    assert!(answer.citations.is_empty(), "closest evidence supports no answer");
}

#[test]
fn each_part_is_answered_or_named_as_missing() {
    let document = library();
    let both = ask(&document, "When is the chess club and where?");
    let text = both.answer.unwrap();
    assert!(text.contains("WEDNESDAY 17:00") && text.contains("ROOM B"), "{text}");
    assert_eq!((both.status, both.missing.len()), (Status::Answered, 0));
    let one = ask(&document, "When is the chess club? Who is the mayor?");
    assert_eq!(one.status, Status::Partial);
    assert!(one.answer.unwrap().contains("WEDNESDAY 17:00"));
    assert_eq!(one.missing.len(), 1);
    assert!(one.missing[0].contains("mayor"));
}

#[test]
fn questions_in_other_languages_are_named_as_such() {
    let document = library();
    for question in ["Wie viel kostet ein Ausweis und wo ist er?", "¿Cuánto cuesta la tarjeta?"] {
        assert_eq!(ask(&document, question).reason, Some(Reason::UnsupportedLanguage), "{question}");
    }
}

#[test]
fn contradicting_years_are_a_conflict() {
    let document = library();
    let answer = ask(&document, "When was the heating renewed?");
    assert_eq!((answer.status, answer.reason), (Status::Abstained, Some(Reason::Conflict)), "{answer:?}");
    assert_eq!(answer.citations.len(), 2);
}

#[test]
fn finds_ways_through_openings() {
    let document = document(&crate::fixture::flat());
    for (question, way) in [
        ("How do I get from the kitchen to the bathroom?", "Kitchen to Hallway to Bathroom."),
        ("which way to the kitchen from the bathroom", "Bathroom to Hallway to Kitchen."),
    ] {
        assert_eq!(ask(&document, question).answer.as_deref(), Some(way), "{question}");
    }
    assert_eq!(ask(&document, "How do I get from the kitchen to the garage?").status, Status::Abstained);
}

#[test]
fn names_zones_that_were_hardly_filmed() {
    let document = document(&crate::fixture::flat());
    let answer = ask(&document, "Which rooms were not filmed properly?");
    assert_eq!(answer.answer.as_deref(), Some("Seen in part: Bathroom."));
}

/// Asserts that the answers about the boathouse contain these words.
fn assert_boathouse(questions: &[(&str, &[&str])]) {
    let place: Place = serde_json::from_str(include_str!("../data/boathouse.json")).unwrap();
    let document = document(&place);
    for (question, words) in questions {
        let answer = ask(&document, question);
        let text = answer.answer.clone().unwrap_or_default();
        assert!(words.iter().all(|word| text.contains(word)), "{question} → {answer:?}");
    }
}

#[test]
fn a_verb_that_a_sign_leaves_out_may_be_missing() {
    assert_boathouse(&[
        ("Who works here as harbour master?", &["TREGENZA"]),
        ("When does the last boat go out?", &["17:00"]),
        ("How often do buses run?", &["every forty minutes"]),
    ]);
}

#[test]
fn a_heading_is_answered_with_what_stands_below() {
    assert_boathouse(&[
        ("Where are the spare oars kept?", &["RACK 3"]),
        ("What are the hire prices?", &["14.00", "11.50", "32.00"]),
        ("Where's the key safe?", &["BY THE BACK GATE"]),
    ]);
}

#[test]
fn exceptions_ellipses_and_pronouns_are_followed() {
    assert_boathouse(&[
        ("Is the dinghy insured?", &["No. ", "except the dinghy"]),
        ("Are the lines old?", &["No. ", "the lines are not"]),
        ("Are the nets old?", &["Yes. "]),
        ("What does it cost to borrow a dry bag?", &["four euros"]),
        ("Do I have to pay for a life jacket?", &["free"]),
        ("Is it open on Tuesdays?", &["No. ", "OPEN THU-MON"]),
        ("Who mended the winch?", &["blacksmith"]),
    ]);
}
