//! Tests of answers that are calculated from what was read and said.

use domain::document::SpaceDocument;
use knowledge::ask::{Answer, Status, ask, entails};

use crate::fixture::{Place, document};

fn boathouse() -> SpaceDocument {
    let place: Place = serde_json::from_str(include_str!("../data/boathouse.json")).unwrap();
    document(&place)
}

fn answered(document: &SpaceDocument, question: &str) -> (Answer, String) {
    let answer = ask(document, question);
    let text = answer.answer.clone().unwrap_or_default();
    assert_ne!(answer.status, Status::Abstained, "{question} → {answer:?}");
    let cited: Vec<String> = answer.citations.iter().map(|c| c.claim_id.clone()).collect();
    assert!(entails(document, &cited, &text), "{question} → {text}");
    (answer, text)
}

#[test]
fn prices_are_multiplied_added_and_compared() {
    let document = boathouse();
    for (question, expected) in [
        ("What would three hours in a rowing boat cost?", "3 × 14.00 = 42.00"),
        ("how much for two scones", "2 × 3.10 = 6.20"),
        ("How much is a coffee and a scone?", "2.60 + 3.10 = 5.70"),
        ("A coffee plus a lemon bun, what does that come to?", "2.60 + 2.20 = 4.80"),
        ("How much more is the sailing dinghy than the pedalo?", "32.00 − 11.50 = 20.50"),
        ("What's the price difference between a scone and a coffee?", "3.10 − 2.60 = 0.50"),
        (
            "What is the cheapest boat?",
            "Lowest of 3 prices read: a sign in Reception reads “PEDALO”, “11.50”",
        ),
        (
            "What's the most expensive boat hire?",
            "Highest of 3 prices read: a sign in Reception reads “SAILING DINGHY”",
        ),
    ] {
        let (_, text) = answered(&document, question);
        assert!(text.contains(expected), "{question} → {text}");
    }
}

#[test]
fn nothing_is_calculated_from_a_price_that_is_not_there() {
    let document = boathouse();
    for question in [
        "How much are three hours in a canoe?",
        "How much is a coffee and a sandwich?",
        "How much more is the yacht than the pedalo?",
        "What is the cheapest ice cream?",
    ] {
        let text = ask(&document, question).answer.unwrap_or_default();
        assert!(!text.contains('=') && !text.contains("Lowest"), "{question} → {text}");
    }
    // Prices by the hour say nothing about a week.
    let text = ask(&document, "What would two weeks in a rowing boat cost?").answer.unwrap_or_default();
    assert!(!text.contains('='), "{text}");
}

#[test]
fn sizes_are_converted_and_compared() {
    let document = boathouse();
    for (question, expected) in [
        ("How many square feet is the workshop?", "40 m² = 430.6 ft²"),
        ("How wide is the slipway in feet?", "6 m = 19.7 ft"),
        ("What is the maximum load of the crane in pounds?", "750 kg = 1653.5 lb"),
        ("How much bigger is the workshop than the office?", "40 m² − 12 m² = 28 m²"),
        ("What do the workshop and the office come to together in square metres?", "40 m² + 12 m² = 52 m²"),
    ] {
        let (_, text) = answered(&document, question);
        assert!(text.contains(expected), "{question} → {text}");
    }
}

#[test]
fn the_largest_of_the_measured_rooms_is_a_partial_answer() {
    let (answer, text) = answered(&boathouse(), "Which is the largest room?");
    assert!(text.contains("More: Workshop"), "{text}");
    assert_eq!(answer.status, Status::Partial, "the size of the cellar is unknown");
}

#[test]
fn the_dimension_beside_a_number_decides() {
    let document = boathouse();
    for (question, expected, other) in [
        ("How wide is the slipway?", "six metres", "thirty metres long is"),
        ("How long is the slipway?", "thirty metres", "six metres wide is"),
    ] {
        let (_, text) = answered(&document, question);
        assert!(text.contains(expected) && !text.contains(other), "{question} → {text}");
    }
    assert_eq!(ask(&document, "How high is the slipway?").status, Status::Abstained);
}

#[test]
fn a_changed_calculation_is_refused() {
    let document = boathouse();
    let (answer, text) = answered(&document, "What would three hours in a rowing boat cost?");
    let cited: Vec<String> = answer.citations.iter().map(|c| c.claim_id.clone()).collect();
    for (from, to) in [("42.00", "43.00"), ("3 ×", "4 ×"), ("× 14.00", "× 15.00")] {
        assert!(!entails(&document, &cited, &text.replace(from, to)), "{from} → {to}");
    }
    let (answer, text) = answered(&document, "What is the cheapest boat?");
    let cited: Vec<String> = answer.citations.iter().map(|c| c.claim_id.clone()).collect();
    for (from, to) in
        [("Lowest", "Highest"), ("of 3", "of 4"), ("“PEDALO”, “11.50”", "“ROWING BOAT”, “14.00”")]
    {
        assert!(!entails(&document, &cited, &text.replace(from, to)), "{from} → {to}");
    }
}
