//! Narration against what was said: the word error rate.
//!
//! Edits between the words of the whole narration and those of the truth, divided by the number of the
//! truth's. SpokenSentence are lower-case without punctuation; numbers in words are digits (`twenty three` is
//! `23`), and British and American spellings of metre are one.

use domain::document::SpaceDocument;

use super::{edits, share};
use walkgen::{
    numerals::{SMALL, TENS},
    truth::Truth,
};

pub(super) fn error_rate(document: &SpaceDocument, truth: &Truth) -> Option<f64> {
    let mut heard: Vec<_> = document.narration.iter().collect();
    heard.sort_by_key(|n| n.start_ms);
    let heard: Vec<&str> = heard.iter().map(|n| n.text.as_str()).collect();
    let said: Vec<&str> = truth.narration.iter().map(|w| w.text.as_str()).collect();
    let (heard, said) = (words(&heard.join(" ")), words(&said.join(" ")));
    share(edits(&heard, &said), said.len())
}

/// The words of a text in their compared form.
pub(super) fn words(text: &str) -> Vec<String> {
    let plain: String = text
        .to_lowercase()
        .chars()
        .filter(|c| *c != '\'' && *c != '’')
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    let mut words: Vec<String> = Vec::new();
    let mut after_tens = false;
    for word in plain.split_whitespace() {
        let small = SMALL.iter().position(|s| *s == word);
        if let (Some(unit @ 1..=9), true, Some(last)) = (small, after_tens, words.last_mut()) {
            *last = last.parse::<usize>().map_or_else(|_| last.clone(), |tens| (tens + unit).to_string());
            after_tens = false;
            continue;
        }
        let tens = TENS.iter().position(|t| *t == word);
        after_tens = tens.is_some();
        words.push(match (small, tens) {
            (Some(n), _) => n.to_string(),
            (_, Some(t)) => ((t + 2) * 10).to_string(),
            _ => word.replace("metre", "meter"),
        });
    }
    words
}
