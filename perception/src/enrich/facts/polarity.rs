//! Negation in a clause, after the triggers of NegEx (Chapman 2001): a trigger negates what follows
//! it up to the end of the clause.

use std::ops::Range;

use super::phrase::Phrase;

/// Words that negate what follows.
const TRIGGERS: &[&str] = &[
    "not",
    "no",
    "never",
    "without",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "doesn't",
    "don't",
    "didn't",
    "won't",
    "cannot",
    "can't",
    "hasn't",
    "haven't",
    "nor",
    "neither",
    "excluding",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "ohne",
    "pas",
    "aucun",
    "sans",
    "no.",
    "sin",
    "ningún",
    "non",
    "senza",
    "geen",
    "niet",
    "sem",
    "não",
];
/// Words that follow a negation without being negated: "not only".
const PSEUDO: &[&str] = &["only", "just", "nur"];

/// Returns true if the tokens of a range contain a negation.
pub(super) fn is_negated(phrase: &Phrase, range: Range<usize>) -> bool {
    let trigger = |at: usize| phrase.is(at, TRIGGERS) && !phrase.is(at + 1, PSEUDO);
    range.into_iter().filter(|at| trigger(*at)).count() % 2 == 1
}

/// Returns true if a word is a negation.
pub(super) fn is_trigger(word: &str) -> bool {
    TRIGGERS.contains(&word)
}
