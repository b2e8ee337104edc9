//! Corrects slips in the words of a question.

use std::collections::BTreeSet;

use super::super::vocabulary::VOCABULARY;
use super::frame;

/// Minimum length of a word that may hold a slip.
const MIN_LENGTH: usize = 5;
/// Length from which a word may hold two slips.
const LONG: usize = 8;

/// Returns the words, and whether each was corrected. A word is corrected to the nearest word of
/// the document or, after these, of the vocabulary.
pub(super) fn words(asked: &[String], document: &BTreeSet<String>) -> Vec<(String, bool)> {
    let one = |word: &String| match nearest(word, document) {
        Some(better) => (better, true),
        None => (word.clone(), false),
    };
    asked.iter().map(one).collect()
}

fn nearest(word: &str, document: &BTreeSet<String>) -> Option<String> {
    let known = VOCABULARY.knows(word) || document.contains(word) || frame::knows(word);
    let letters = word.chars().all(char::is_alphabetic);
    if known || !letters || word.chars().count() < MIN_LENGTH || is_inflected(word, document) {
        return None;
    }
    let most = if word.chars().count() >= LONG { 2 } else { 1 };
    let near = |known: &&str| {
        let first = word.chars().next() == known.chars().next();
        let close = word.chars().count().abs_diff(known.chars().count()) <= most;
        first && close && known.chars().count() + 1 >= MIN_LENGTH && strsim::osa_distance(word, known) <= most
    };
    let nearest = |words: &mut dyn Iterator<Item = &str>| {
        words.filter(near).min_by_key(|known| strsim::osa_distance(word, known)).map(str::to_owned)
    };
    nearest(&mut document.iter().map(String::as_str))
        .or_else(|| nearest(&mut VOCABULARY.words().chain(frame::words())))
}

/// Whether another form of the word is known.
fn is_inflected(word: &str, document: &BTreeSet<String>) -> bool {
    ["s", "es", "ed", "d", "ing", "ly", "er", "r"].iter().filter_map(|end| word.strip_suffix(end)).any(
        |stem| {
            let known = |stem: &str| VOCABULARY.knows(stem) || document.contains(stem);
            stem.len() >= 3 && (known(stem) || known(&format!("{stem}e")))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrects_slips_but_no_known_words() {
        let document = BTreeSet::from(["harbour".to_owned()]);
        let of = |word: &str| words(&[word.to_owned()], &document)[0].0.clone();
        assert_eq!(of("pasword"), "password");
        assert_eq!(of("recpetion"), "reception");
        assert_eq!(of("harbuor"), "harbour");
        for word in ["soap", "kitchen", "elephant", "8052", "table"] {
            assert_eq!(of(word), word);
        }
    }
}
