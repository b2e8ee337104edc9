//! Questions about a walk, made from its ground truth.
//!
//! A question is answerable if the answer is on a sign that was readable at 24 pixels, in the
//! narration, or in the route of the walk. About as many questions are unanswerable: they ask for
//! objects and rooms that don't exist, for sizes that nobody mentioned, and for facts that no video
//! can show.

mod unanswerable;

use std::collections::BTreeMap;

use walkgen::truth::{MIN_READABLE_PX, MIN_REQUIRED_PX, Room, Span, Truth};

/// A question and its expected answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) expected: Expected,
}

/// The expected answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expected {
    /// No answer.
    Abstention,
    /// An answer that contains one of these.
    AnyOf(Vec<String>),
    /// An answer that names the first before the second.
    InOrder(String, String),
    /// An answer that names a moment (`0:41`) in one of these spans of milliseconds.
    MomentIn(Vec<Span>),
}

/// Maximum distance of a right moment from its span.
pub(super) const TIME_TOLERANCE_MS: u64 = 2000;

/// Returns all questions about a walk. The same walk has the same questions.
pub(super) fn questions(truth: &Truth) -> Vec<Question> {
    let facts = WalkFacts::of(truth);
    let mut out = Vec::new();
    add_room_questions(&facts, &mut out);
    add_object_questions(&facts, &mut out);
    add_sign_questions(&facts, &mut out);
    unanswerable::add(&facts, &mut out);
    out
}

/// Facts about a walk that the questions use.
struct WalkFacts<'a> {
    truth: &'a Truth,
    /// Rooms that were visited.
    visited: Vec<&'a Room>,
    /// Visited rooms whose type is unique in the walk, and named by a sign or the narrator.
    named: Vec<&'a Room>,
}

impl<'a> WalkFacts<'a> {
    fn of(truth: &'a Truth) -> WalkFacts<'a> {
        let was_visited = |room: &&Room| truth.visits.iter().any(|visit| visit.room == room.id);
        let visited: Vec<&Room> = truth.rooms.iter().filter(was_visited).collect();
        let single = |room: &&&Room| visited.iter().filter(|other| other.kind == room.kind).count() == 1;
        // The sign of a reception desk doesn't name the hallway around it.
        let named = visited.iter().filter(single).filter(|room| room.named_by_words || room.named_by_sign);
        let named = named.copied().collect();
        WalkFacts { truth, visited, named }
    }

    /// Returns everything that the narrator said about a room, in lower case.
    fn said(&self, room: &Room) -> String {
        let of_room = self.truth.narration.iter().filter(|words| words.room == room.id);
        of_room.map(|words| words.text.to_lowercase()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the area of a room as the narrator mentioned it, in square metres.
    fn area(&self, room: &Room) -> Option<usize> {
        let said = self.said(room);
        let gave = |number: &usize| {
            let [digits, words] = [number.to_string(), domain::numbers::spell_out(*number)];
            [digits, words].iter().any(|n| said.contains(&format!("is {n} square metre")))
        };
        (1..100).find(gave)
    }

    /// Returns the objects of a room that the narrator mentioned, with their counts.
    fn mentioned(&self, room: &Room) -> Vec<(&'a str, usize)> {
        let said = self.said(room);
        let of_room = self.truth.rooms.iter().find(|other| other.id == room.id);
        let list = of_room.into_iter().flat_map(|room| &room.inventory);
        list.filter(|(name, _)| said.contains(name.as_str())).map(|(name, n)| (name.as_str(), *n)).collect()
    }

    /// Returns the lines in a room that were readable with capitals of at least `least` pixels.
    fn lines(&self, room: &Room, least: f32) -> Vec<&'a str> {
        let here = self.truth.texts.iter().filter(|line| line.room == room.id && line.max_height_px >= least);
        here.map(|line| line.text.as_str()).collect()
    }

    /// Returns whether any room, object or sign of the walk matches the word.
    fn anywhere(&self, word: &str) -> bool {
        self.truth.rooms.iter().any(|room| {
            room.kinds().any(|kind| kind == word) || room.inventory.iter().any(|(n, _)| n == word)
        }) || self.truth.objects.iter().any(|object| object.category == word)
            || self.truth.texts.iter().any(|line| line.text.to_lowercase().contains(word))
    }
}

/// Returns a question whose right answers contain one of `any`.
fn answered_by(text: String, any: &[&str]) -> Question {
    Question { text, expected: Expected::AnyOf(any.iter().map(|&s| s.to_owned()).collect()) }
}

fn add_room_questions(facts: &WalkFacts, out: &mut Vec<Question>) {
    for room in &facts.named {
        let kind = room.kind.as_str();
        for part in room.kinds() {
            out.push(answered_by(format!("Is there a {part}?"), &[part]));
            out.push(answered_by(format!("Does this place have a {part}?"), &[part]));
        }
        let visits = facts.truth.visits.iter().filter(|visit| visit.room == room.id).map(|v| v.span);
        if facts.truth.kind == "video" {
            let expected = Expected::MomentIn(visits.collect());
            out.push(Question { text: format!("When is the {kind} shown?"), expected });
        }
        let next: Vec<&str> = facts
            .named
            .iter()
            .filter(|o| are_connected(facts, room.id, o.id))
            .map(|o| o.kind.as_str())
            .collect();
        if !next.is_empty() {
            out.push(answered_by(format!("Where is the {kind}?"), &next));
        }
        if let Some(area) = facts.area(room) {
            let (digits, words) = (area.to_string(), domain::numbers::spell_out(area));
            for ask in [
                format!("How big is the {kind}?"),
                format!("What is the floor area of the {kind}?"),
                format!("How many square metres does the {kind} have?"),
            ] {
                out.push(answered_by(ask, &[&digits, &words]));
            }
        }
    }
    let count = facts.visited.len();
    // People may count an open plan as one room or as two.
    let separate = facts.visited.iter().all(|room| room.also.is_empty());
    if facts.named.len() == count && count > 1 && separate {
        let number = count.to_string();
        out.push(answered_by("How many rooms are there?".to_owned(), &[&number]));
    }
    let sized: Vec<(&str, usize)> =
        facts.named.iter().filter_map(|room| Some((room.kind.as_str(), facts.area(room)?))).collect();
    for (i, (a, size_a)) in sized.iter().enumerate() {
        for (b, size_b) in &sized[i + 1..] {
            if size_a != size_b {
                let (more, less) = if size_a > size_b { (a, b) } else { (b, a) };
                let expected = Expected::InOrder((*more).to_owned(), (*less).to_owned());
                out.push(Question { text: format!("Which is larger, the {a} or the {b}?"), expected });
            }
        }
    }
}

/// Returns whether the walk led from one room to the other.
fn are_connected(facts: &WalkFacts, a: usize, b: usize) -> bool {
    facts.truth.passages.iter().any(|p| (p.from, p.to) == (a, b) || (p.from, p.to) == (b, a))
}

fn add_object_questions(facts: &WalkFacts, out: &mut Vec<Question>) {
    let mut rooms_of = BTreeMap::<&str, usize>::new();
    for room in &facts.visited {
        for (object, _) in &room.inventory {
            *rooms_of.entry(object).or_default() += 1;
        }
    }
    for room in &facts.named {
        let kind = room.kind.as_str();
        for (object, count) in facts.mentioned(room) {
            // It is ambiguous in which part of an open plan an object stands.
            if room.also.is_empty() {
                out.extend(inside(kind, object, count));
            }
            if rooms_of.get(object) == Some(&1) {
                let kinds: Vec<&str> = room.kinds().collect();
                out.push(answered_by(format!("Where is the {object}?"), &kinds));
                out.push(answered_by(format!("Which room has the {object}?"), &kinds));
            }
        }
    }
}

/// Returns a question about an object in the only room of its type.
fn inside(kind: &str, object: &str, count: usize) -> Option<Question> {
    if count == 1 {
        // An answer may use the class of the model: a couch is a sofa.
        let mut names: Vec<&str> = eval::score::classes_of(object).collect();
        names.push(object);
        return Some(answered_by(format!("Is there a {object} in the {kind}?"), &names));
    }
    let (digits, words) = (count.to_string(), domain::numbers::spell_out(count));
    let plural = match object.strip_suffix("shelf") {
        Some(stem) => format!("{stem}shelves"),
        None if object.ends_with('s') => return None,
        None => format!("{object}s"),
    };
    Some(answered_by(format!("How many {plural} are in the {kind}?"), &[&digits, &words]))
}

fn add_sign_questions(facts: &WalkFacts, out: &mut Vec<Question>) {
    for room in &facts.visited {
        let large = facts.lines(room, MIN_REQUIRED_PX);
        if !large.is_empty() && facts.named.iter().any(|named| named.id == room.id) {
            let any = facts.lines(room, MIN_READABLE_PX);
            out.push(answered_by(format!("What does the sign in the {} say?", room.kind), &any));
        }
        for line in large {
            out.push(answered_by(format!("Is there a sign that says {}?", line.to_lowercase()), &[line]));
            let after = |start: &str| line.strip_prefix(start).map(|rest| rest.trim().to_owned());
            let of = [
                ("PASSWORD:", "What is the wifi password?"),
                ("CALL", "What is the phone number?"),
                ("OPEN", "What are the opening hours?"),
                ("CHECK OUT", "What time is check out?"),
                ("BREAKFAST", "When is breakfast?"),
            ];
            let special = of.into_iter().filter_map(|(start, ask)| Some((ask, after(start)?)));
            out.extend(special.map(|(ask, right)| answered_by(ask.to_owned(), &[&right])));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_follow_from_the_truth_and_three_in_ten_are_unanswerable() {
        let truth: Truth = serde_json::from_str(include_str!("questions/truth.json")).unwrap();
        let questions = questions(&truth);
        let find = |text: &str| questions.iter().find(|q| q.text == text).map(|q| q.expected.clone());
        let one = |word: &[&str]| Some(Expected::AnyOf(word.iter().map(|&s| s.to_owned()).collect()));
        assert_eq!(find("How big is the kitchen?"), one(&["14", "fourteen"]));
        assert_eq!(find("How many chairs are in the kitchen?"), one(&["4", "four"]));
        assert_eq!(find("Where is the refrigerator?"), one(&["kitchen"]));
        assert_eq!(find("What is the phone number?"), one(&["555 5201"]));
        // The sign was too small to be read, so nothing asks about it.
        assert_eq!(find("What is the wifi password?"), None);
        assert_eq!(find("Which is larger, the kitchen or the hallway?"), None);
        assert!(find("Which is larger, the hallway or the kitchen?").is_some());
        assert_eq!(find("Is there a piano?"), Some(Expected::Abstention));
        let open = questions.iter().filter(|q| q.expected == Expected::Abstention).count();
        assert!(open * 10 >= questions.len() * 3, "{open} of {}", questions.len());
    }
}
