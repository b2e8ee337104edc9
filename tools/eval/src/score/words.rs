//! Word error rate of the narration.
//!
//! The rate is the number of edits between the words of the transcript and the spoken words,
//! divided by the number of spoken words. Words are compared in lower case and without punctuation.
//! Spelled-out numbers equal digits (`twenty three` is `23`), and the British spelling of metre
//! equals the American one.

use domain::{
    document::SpaceDocument,
    numbers::{SMALL, TENS},
};

use super::{edits, share};
use walkgen::truth::Truth;

pub(super) fn error_rate(document: &SpaceDocument, truth: &Truth) -> Option<f64> {
    let mut transcribed: Vec<_> = document.narration.iter().collect();
    transcribed.sort_by_key(|n| n.start_ms);
    let transcribed: Vec<&str> = transcribed.iter().map(|n| n.text.as_str()).collect();
    let spoken: Vec<&str> = truth.narration.iter().map(|w| w.text.as_str()).collect();
    let (transcribed, spoken) = (words(&transcribed.join(" ")), words(&spoken.join(" ")));
    share(edits(&transcribed, &spoken), spoken.len())
}

/// Returns the words of a text in the form in which they are compared.
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
