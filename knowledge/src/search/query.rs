//! What a query asks for: facts that must hold, and words that rank.

use super::terms::{STOP, Side, of_word, terms, words};
use crate::words::{LEXICON, singular};

/// Longest query, in characters.
pub const MAX_QUERY: usize = 200;
/// Most words of a query that count.
const MOST_WORDS: usize = 16;
/// Most words of the name of a room or thing.
const NAME: usize = 3;

/// A query, understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Terms that a space must have: "2 bedrooms".
    pub facts: Vec<String>,
    /// Terms that rank.
    pub words: Vec<String>,
}

/// Understands a query: a number before the name of a room or a thing is a fact, every other word ranks. "Unit 4
/// kitchen" is no fact: after another word, only a plural tells that the number counts.
pub fn query(text: &str) -> Query {
    let words = words(text);
    let mut understood = Query::default();
    let mut at = 0;
    while at < words.len() {
        let begins = at == 0 || STOP.contains(&words[at - 1].as_str());
        if let Some((fact, length)) = fact_at(&words[at..], begins) {
            understood.facts.push(fact);
            at += length;
            continue;
        }
        understood.words.extend(of_word(&words[at], Side::Asked));
        at += 1;
    }
    understood.facts.sort();
    understood.facts.dedup();
    let mut once = std::collections::BTreeSet::new();
    understood.words.retain(|word| once.insert(word.clone()));
    understood.words.truncate(MOST_WORDS);
    understood
}

/// "2 meeting rooms", and how many words that takes.
fn fact_at(words: &[String], begins: bool) -> Option<(String, usize)> {
    let number = number(words.first()?)?;
    (1..=NAME.min(words.len() - 1)).rev().find_map(|length| {
        let name: Vec<String> = words[1..=length].iter().map(|word| singular(word)).collect();
        let counted = begins || name[length - 1] != words[length];
        counted.then_some(())?;
        Some((fact(number, known(&name.join(" "))?), length + 1))
    })
}

fn number(word: &str) -> Option<u32> {
    domain::numbers::count(word).or_else(|| word.parse().ok().filter(|number| (1..100).contains(number)))
}

/// The name that documents use for a room or a thing.
fn known(name: &str) -> Option<&'static str> {
    let all = LEXICON.rooms.iter().chain(&LEXICON.things);
    let of = |other: &String| terms(other, Side::Asked).join(" ") == name;
    let mut found = all.filter(|(known, others)| of(known) || others.iter().any(of));
    found.next().map(|(known, _)| known.as_str())
}

/// The term of a fact: so many of this.
pub(super) fn fact(number: u32, name: &str) -> String {
    format!("{}={number}", terms(name, Side::Asked).join(" "))
}

/// The term of a type of space, to the letter.
pub fn type_fact(space_type: &str) -> String {
    format!("type={space_type}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_names_are_facts() {
        let of = |text: &str| {
            let query = query(text);
            (query.facts.join("|"), query.words.join("|"))
        };
        for (text, facts, words) in [
            ("2 bedrooms", "bedroom=2", ""),
            ("apartment with two bedrooms and wifi", "bedroom=2", "apartment|wifi"),
            ("3 sofas", "couch=3", ""),
            ("1 conference room", "meeting room=1", ""),
            ("4 dining tables", "dining table=4", ""),
            ("meeting room 2", "", "meeting|room|2"),
            ("2 dogs", "", "2|dog"),
            ("007 beds", "bed=7", ""),
            ("0 beds", "", "0|bed"),
            ("unit 4 kitchen", "", "unit|4|kitchen"),
            ("flat with 2 bedroom", "bedroom=2", "flat"),
            ("kitchen kitchens", "", "kitchen"),
        ] {
            assert_eq!(of(text), (facts.to_owned(), words.to_owned()), "{text}");
        }
    }
}
