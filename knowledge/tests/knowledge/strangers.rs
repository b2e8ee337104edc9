//! Tests of answers to questions in other people's words: short, polite, misspelt, in parts, and
//! with tempting wrong values.

use domain::document::SpaceDocument;
use knowledge::ask::{Reason, Status, ask, entails};

use crate::fixture::{Place, PlaceZone, document};

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
fn words_that_say_little_do_not_hide_objects() {
    let kitchen = PlaceZone {
        types: vec!["kitchen".into()],
        light: "normal".into(),
        colours: "white".into(),
        coverage: 0.9,
    };
    let document = document(&Place {
        zones: vec![kitchen],
        things: vec![("refrigerator".into(), 1, [1, 1, 1]), ("chair".into(), 1, [4, 4, 4])],
        ..Place::default()
    });
    for (question, expected) in [
        ("Do you happen to have a refrigerator somewhere?", "refrigerator in Kitchen"),
        ("Hello, is there actually still a refrigerator in the kitchen, please?", "refrigerator in Kitchen"),
        ("How many chairs are there exactly?", "Counted: 4"),
    ] {
        let text = ask(&document, question).answer.unwrap_or_default();
        assert!(text.contains(expected), "{question} → {text}");
    }
    for question in [
        "Is there anything in the refrigerator?",
        "Is there a refrigerator that is switched off?",
        "Is there a broken chair?",
    ] {
        assert_eq!(ask(&document, question).answer, None, "{question}");
    }
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

/// A place with a sign of these lines, and other texts.
fn place_with(lines: &[String], texts: &[String]) -> SpaceDocument {
    let zone =
        serde_json::json!({ "types": ["shop"], "light": "bright", "colours": "white", "coverage": 0.9 });
    let texts: Vec<_> = texts.iter().map(|text| serde_json::json!([text, "sign", 1])).collect();
    let place = serde_json::json!({ "zones": [zone], "boards": [[1, lines]], "texts": texts });
    document(&serde_json::from_value::<Place>(place).unwrap())
}

#[test]
fn long_lists_say_how_many_more_there_are() {
    let names = ["Rose", "Fern", "Iris", "Lily", "Daisy", "Holly", "Aster", "Basil", "Clover", "Heather"];
    let plants =
        names.iter().chain(&["Ivy", "Jasmine", "Laurel", "Myrtle", "Poppy"]).map(|name| (*name).to_owned());
    let lines: Vec<String> = std::iter::once("PLANTS OF THE SEASON".to_owned()).chain(plants).collect();
    let document = place_with(&lines, &[]);
    let answer = ask(&document, "Which plants of the season are there?");
    let text = answer.answer.clone().unwrap();
    assert!(text.contains("“Rose”") && text.ends_with("At least 4 more."), "{text}");
    assert_eq!(answer.citations.len(), lines.len(), "every line is cited");
    let cited: Vec<String> = answer.citations.iter().map(|c| c.claim_id.clone()).collect();
    assert!(entails(&document, &cited, &text));
    assert!(!entails(&document, &cited, &text.replace("least 4", "least 5")), "the count is checked");
    let short = place_with(&lines[..12], &[]);
    let text = ask(&short, "Which plants of the season are there?").answer.unwrap();
    assert!(!text.contains("more"), "{text}");
}

#[test]
fn all_signs_are_quoted_or_counted() {
    let texts: Vec<String> = (1..9).map(|at| format!("NOTICE {at}")).collect();
    let answer = ask(&place_with(&["HELLO".to_owned()], &texts), "What do the signs say?");
    let text = answer.answer.unwrap();
    assert!(text.ends_with("At least 4 more.") && answer.citations.len() == 9, "{text}");
}

#[test]
fn terse_questions_name_their_type_and_unit() {
    let lines = ["JETTY LENGTH 20 M", "WATER 14 C", "JETTY WARDEN OLE"].map(str::to_owned);
    let document = place_with(&lines, &[]);
    for (question, expected) in [
        ("jetty length ft", "20 m = 65.6 ft"),
        ("water temp", "14 C"),
        ("jetty warden name", "OLE"),
        ("jetty length in m", "20 M"),
    ] {
        let answer = ask(&document, question);
        assert!(answer.answer.as_deref().unwrap_or_default().contains(expected), "{question} → {answer:?}");
    }
}

#[test]
fn an_undated_statement_does_not_answer_for_a_day() {
    let lines = ["MONDAY POTTERY".to_owned(), "TUESDAY CHESS".to_owned()];
    let document = place_with(&lines, &["POTTERY IS FUN".to_owned()]);
    let answer = ask(&document, "What about the pottery on Friday?");
    assert_eq!(answer.status, Status::Abstained, "{answer:?}");
}

/// Compares texts by the first letter of their first word.
struct Initials;

impl knowledge::ask::Meaning for Initials {
    fn similarities(&self, question: &str, texts: &[String]) -> Option<Vec<f32>> {
        let same = |text: &String| text.chars().next() == question.chars().next();
        Some(texts.iter().map(|text| if same(text) { 0.9 } else { 0.0 }).collect())
    }
}

#[test]
fn the_closest_evidence_is_also_found_by_meaning() {
    let document = library();
    let question = "NECTARINES?";
    let aids = knowledge::ask::Aids { meaning: Some(&Initials) };
    let by_words = ask(&document, question);
    let by_meaning = knowledge::ask::ask_with(&document, question, &aids);
    assert_eq!((by_words.status, by_meaning.status), (Status::Abstained, Status::Abstained));
    assert!(by_words.closest.is_empty(), "{by_words:?}");
    assert!(!by_meaning.closest.is_empty() && by_meaning.closest.len() <= 3, "{by_meaning:?}");
    assert!(by_meaning.closest.iter().all(|cited| cited.value.starts_with('N')), "{by_meaning:?}");
}

/// Returns a place of two rooms and what was said in each.
fn two_rooms() -> SpaceDocument {
    let zone = |kind: &str| PlaceZone {
        types: vec![kind.to_owned()],
        light: "bright".to_owned(),
        colours: "white".to_owned(),
        coverage: 1.0,
    };
    let said = [
        ("This is the attic.", 1),
        ("It has a workbench, a ladder and a lathe.", 1),
        ("This is the bedroom.", 2),
        ("It has a bunk and a stool.", 2),
    ];
    document(&Place {
        zones: vec![zone("attic"), zone("bedroom")],
        said: said.map(|(text, zone)| (text.to_owned(), zone)).to_vec(),
        ..Place::default()
    })
}

#[test]
fn what_is_said_of_one_room_affirms_nothing_about_another() {
    let document = two_rooms();
    for question in [
        "Is there a lathe in the bedroom?",
        "Does the bedroom have a ladder?",
        "Is there a stool in the attic?",
    ] {
        let answer = ask(&document, question);
        assert_eq!(answer.status, Status::Abstained, "{question} → {answer:?}");
    }
    for question in ["Is there a lathe in the attic?", "Does the bedroom have a stool?"] {
        let answer = ask(&document, question);
        assert!(
            answer.answer.as_ref().is_some_and(|text| text.starts_with("Yes. ")),
            "{question} → {answer:?}"
        );
    }
}

#[test]
fn a_room_that_was_seen_is_not_part_of_another() {
    let document = two_rooms();
    for question in [
        "Does the bedroom have a balcony?",
        "Does the bedroom have an attic?",
        "Is there a kitchen in the attic?",
    ] {
        let answer = ask(&document, question);
        assert_eq!(answer.status, Status::Abstained, "{question} → {answer:?}");
    }
    let both = ask(&document, "Is there a bedroom and a balcony?");
    assert_eq!(both.status, Status::Partial, "{both:?}");
    assert_eq!(ask(&document, "Is there a bedroom?").status, Status::Answered);
}
