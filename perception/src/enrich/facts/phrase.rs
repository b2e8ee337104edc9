//! A text or sentence with its tokens, and what the parsers of facts find in it.

use std::ops::Range;

use domain::document::FactKind;

use super::tokens::{Token, tokenize};

/// Articles, possessives and fillers that no subject starts with.
const LEADING: &[&str] = &[
    "the", "a", "an", "our", "my", "your", "their", "his", "her", "its", "this", "that", "these", "those",
    "all", "and", "but", "so", "now", "also", "well", "please", "der", "die", "das", "ein", "eine", "unser",
    "unsere", "und", "le", "la", "les", "l'", "un", "une", "et", "el", "los", "las", "y", "il", "lo", "de",
];
/// Words that separate clauses.
const CLAUSE_WORDS: &[&str] =
    &["but", "while", "whereas", "because", "which", "and", "und", "aber", "et", "mais", "y", "pero"];
/// Maximum number of words of a subject.
const MAX_SUBJECT_WORDS: usize = 5;

/// A text or sentence with its tokens.
pub(super) struct Phrase<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Its tokens.
    pub(super) tokens: Vec<Token>,
    /// Language, as a primary subtag.
    pub(super) language: &'a str,
    /// True for narration, false for text in a picture.
    pub(super) spoken: bool,
}

impl<'a> Phrase<'a> {
    pub(super) fn new(text: &'a str, language: &'a str, spoken: bool) -> Phrase<'a> {
        Phrase { text, tokens: tokenize(text), language, spoken }
    }

    /// Returns the text of a token, or an empty text behind the last one.
    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    /// Returns true if a token is one of these.
    pub(super) fn is(&self, at: usize, texts: &[&str]) -> bool {
        texts.contains(&self.word(at))
    }

    /// Returns true if any token is one of these.
    pub(super) fn has(&self, texts: &[&str]) -> bool {
        self.tokens.iter().any(|token| token.is(texts))
    }

    /// Returns true if these tokens stand at a position, separated by spaces in `phrase`.
    pub(super) fn starts(&self, at: usize, phrase: &str) -> bool {
        phrase.split(' ').enumerate().all(|(offset, word)| self.word(at + offset) == word)
    }

    /// Returns the bytes from one token up to another, which is not included.
    pub(super) fn range(&self, from: usize, to: usize) -> Range<usize> {
        self.tokens[from].range.start..self.tokens[to - 1].range.end
    }

    /// Returns the bounds of the clause that contains a token: it ends at punctuation and before
    /// conjunctions.
    pub(super) fn clause(&self, at: usize) -> Range<usize> {
        let ends = |token: &Token| token.is(&[",", ";", ".", "!", "?", "–", "—"]) || token.is(CLAUSE_WORDS);
        let start = (0..at).rev().find(|before| ends(&self.tokens[*before])).map_or(0, |before| before + 1);
        let end = (at + 1..self.tokens.len()).find(|after| ends(&self.tokens[*after]));
        start..end.unwrap_or(self.tokens.len())
    }

    /// Returns the words from `start` up to `end` as a subject: without articles, in lower case.
    /// `None` if no word remains, or too many for a subject.
    pub(super) fn subject(&self, start: usize, end: usize) -> Option<String> {
        let mut words: Vec<&str> = self.tokens[start.min(end)..end]
            .iter()
            .filter(|token| token.is_word() || token.is_digits())
            .map(|token| token.text.as_str())
            .collect();
        let leading = words.iter().take_while(|word| LEADING.contains(word)).count();
        words.drain(..leading);
        (!words.is_empty() && words.len() <= MAX_SUBJECT_WORDS).then(|| words.join(" "))
    }
}

/// A fact that a parser found.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::enrich) struct Found {
    /// Kind of the fact.
    pub(in crate::enrich) kind: FactKind,
    /// Subject in lower case.
    pub(in crate::enrich) subject: Option<String>,
    /// Normalised value.
    pub(in crate::enrich) value: String,
    /// Number in the value.
    pub(in crate::enrich) amount: Option<f64>,
    /// Unit of the number.
    pub(in crate::enrich) unit: Option<&'static str>,
    /// Period of a price.
    pub(in crate::enrich) period: Option<&'static str>,
    /// True if the source denies it.
    pub(in crate::enrich) negated: bool,
    /// Bytes of the text that state it.
    pub(in crate::enrich) range: Range<usize>,
}

impl Found {
    /// Builds a fact without a number that is affirmed.
    pub(super) fn new(
        kind: FactKind,
        subject: Option<String>,
        value: impl Into<String>,
        range: Range<usize>,
    ) -> Found {
        Found {
            kind,
            subject,
            value: value.into(),
            amount: None,
            unit: None,
            period: None,
            negated: false,
            range,
        }
    }
}
