//! Questions that the media do not answer.

use super::{Expected, Question, WalkFacts};

/// Objects of houses. Objects in the walk are left out.
const OBJECTS: [&str; 14] = [
    "piano",
    "dishwasher",
    "fireplace",
    "elevator",
    "swimming pool",
    "washing machine",
    "treadmill",
    "bicycle",
    "microwave",
    "safe",
    "aquarium",
    "chandelier",
    "vending machine",
    "suitcase",
];
/// Rooms of houses. Rooms of the walk are left out.
const ROOMS: [&str; 7] = ["garage", "sauna", "library", "attic", "laundry room", "balcony", "wine cellar"];
/// Questions about facts that no video can show, or that nobody mentions.
const OTHER_QUESTIONS: [&str; 12] = [
    "What is the monthly rent?",
    "Who owns the house?",
    "In which year was the house built?",
    "Is the neighbourhood quiet at night?",
    "How many people live here?",
    "Is the roof insulated?",
    "Does the tap water taste good?",
    "When was the heating last serviced?",
    "What is the address of the house?",
    "Should I buy this house?",
    "Which company made the windows?",
    "Are pets allowed?",
];

/// Adds the unanswerable questions about a walk.
pub(super) fn add(facts: &WalkFacts, out: &mut Vec<Question>) {
    let mut ask = |text: String| out.push(Question { text, expected: Expected::Abstention });
    for (number, object) in OBJECTS.iter().filter(|object| !facts.anywhere(object)).enumerate() {
        match number % 3 {
            0 => ask(format!("Is there a {object}?")),
            1 => ask(format!("Where is the {object}?")),
            _ => ask(format!("How many {object}s are there?")),
        }
    }
    for (number, room) in ROOMS.iter().filter(|room| !facts.anywhere(room)).enumerate() {
        match number % 2 {
            0 => ask(format!("How big is the {room}?")),
            _ => ask(format!("Is there a {room}?")),
        }
    }
    OTHER_QUESTIONS.iter().for_each(|text| ask((*text).to_owned()));
    for room in &facts.named {
        let kind = &room.kind;
        ask(format!("How high is the ceiling of the {kind}?"));
        ask(format!("What is the temperature in the {kind}?"));
        ask(format!("How wide is the door of the {kind}?"));
        // An object of another room.
        let elsewhere = facts.named.iter().filter(|other| other.id != room.id);
        let other = elsewhere.flat_map(|other| facts.mentioned(other)).find(|(object, _)| {
            let has = |name: &String| name.contains(object) || object.contains(name.as_str());
            let here = facts.truth.objects.iter().filter(|t| t.room == room.id);
            !room.inventory.iter().any(|(name, _)| has(name)) && !here.into_iter().any(|t| has(&t.category))
        });
        if let Some((object, _)) = other {
            ask(format!("Is there a {object} in the {kind}?"));
        }
        if facts.area(room).is_none() {
            ask(format!("How big is the {kind}?"));
        }
    }
    for (sign, text) in [("PASSWORD", "What is the wifi password?"), ("CALL", "What is the phone number?")] {
        // A sign that was in the picture may have been read, however small or slanted it was.
        let seen = |id: usize| facts.truth.samples.iter().flat_map(|s| &s.texts).any(|seen| seen.id == id);
        let there = |line: &walkgen::truth::Text| {
            line.text.contains(sign) && (line.max_height_px > 0.0 || seen(line.id))
        };
        if !facts.truth.texts.iter().any(there) {
            ask(text.to_owned());
        }
    }
}
