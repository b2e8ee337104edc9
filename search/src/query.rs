//! Parses a query into required facts and ranking words.

use std::collections::BTreeSet;

use domain::numbers;
use knowledge::words::{LEXICON, singular};

use crate::{
    facts::count_term,
    terms::{STOP_WORDS, Side, terms, terms_of_word, words},
};

/// Maximum length of a query, in characters.
pub const MAX_QUERY_CHARS: usize = 200;
/// Maximum number of ranking words of a query. Further words are ignored.
const MAX_WORDS: usize = 16;
/// Maximum number of words in the name of a room type or an object category.
const MAX_NAME_WORDS: usize = 3;

/// Parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Terms that a space must have, for example `bedroom=2`.
    pub facts: Vec<String>,
    /// Terms that contribute to the score.
    pub words: Vec<String>,
}

/// Parses a query. A number before the name of a room type or an object category is a fact; every
/// other word is a ranking word.
///
/// After a word that is not a stop word, the number is a fact only before a plural: "2 bedrooms" in
/// "flat with 2 bedrooms" is one, "4 kitchen" in "unit 4 kitchen" is not.
pub fn parse_query(text: &str) -> Query {
    let words = words(text);
    let mut query = Query::default();
    let mut at = 0;
    while at < words.len() {
        let starts_phrase = at == 0 || STOP_WORDS.contains(&words[at - 1].as_str());
        if let Some((fact, length)) = parse_fact(&words[at..], starts_phrase) {
            query.facts.push(fact);
            at += length;
            continue;
        }
        query.words.extend(terms_of_word(&words[at], Side::Query));
        at += 1;
    }
    query.facts.sort();
    query.facts.dedup();
    let mut seen = BTreeSet::new();
    query.words.retain(|word| seen.insert(word.clone()));
    query.words.truncate(MAX_WORDS);
    query
}

/// Parses a fact such as "2 meeting rooms" at the start of `words`. Returns its term and the number
/// of its words.
fn parse_fact(words: &[String], starts_phrase: bool) -> Option<(String, usize)> {
    let number = parse_number(words.first()?)?;
    (1..=MAX_NAME_WORDS.min(words.len() - 1)).rev().find_map(|length| {
        let name: Vec<String> = words[1..=length].iter().map(|word| singular(word)).collect();
        let is_count = starts_phrase || name[length - 1] != words[length];
        is_count.then_some(())?;
        Some((count_term(number, document_name(&name.join(" "))?), length + 1))
    })
}

fn parse_number(word: &str) -> Option<u32> {
    numbers::count(word).or_else(|| word.parse().ok().filter(|number| (1..100).contains(number)))
}

/// Returns the name that documents use for a room type or an object category.
fn document_name(name: &str) -> Option<&'static str> {
    let all = LEXICON.rooms.iter().chain(&LEXICON.objects);
    let matches = |other: &String| terms(other, Side::Query).join(" ") == name;
    let mut found = all.filter(|(known, synonyms)| matches(known) || synonyms.iter().any(matches));
    found.next().map(|(known, _)| known.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_number_before_name_as_fact() {
        let of = |text: &str| {
            let query = parse_query(text);
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
