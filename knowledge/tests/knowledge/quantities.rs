//! Tests of answers whose value has another form than the question names: an end for a duration, and an amount
//! with a unit for "how much".

use domain::document::SpaceDocument;
use knowledge::ask::{Status, ask};

use crate::fixture::{Place, document};

fn yard() -> SpaceDocument {
    let board = |lines: &[&str]| (0, lines.iter().map(|line| (*line).to_owned()).collect());
    let said = |text: &str| (text.to_owned(), 0);
    document(&Place {
        boards: vec![board(&["CANTEEN", "LUNCH 11:30-14:00"]), board(&["SWIMMING POOL", "OPEN 6:30-21:00"])],
        said: vec![
            said("Hikers come ten minutes early."),
            said("There are three tonnes of gravel in the shed."),
        ],
        ..Place::default()
    })
}

fn answer(question: &str) -> Option<String> {
    let answer = ask(&yard(), question);
    assert_eq!(answer.answer.is_none(), answer.status == Status::Abstained, "{question}");
    answer.answer
}

#[test]
fn the_ends_of_a_time_tell_how_long_it_lasts() {
    let text = answer("How long does lunch last?").unwrap();
    assert!(text.contains("11:30-14:00"), "{text}");
    assert_eq!(answer("How long is the swimming pool?"), None, "opening hours are no length");
}

#[test]
fn a_time_before_another_tells_when() {
    let text = answer("How early should hikers come?").unwrap();
    assert!(text.contains("ten minutes early"), "{text}");
}

#[test]
fn amounts_with_a_unit_tell_how_much_there_is_and_no_price() {
    let text = answer("How much gravel is in the shed?").unwrap();
    assert!(text.contains("three tonnes"), "{text}");
    assert_eq!(answer("How much does the gravel cost?"), None);
}
