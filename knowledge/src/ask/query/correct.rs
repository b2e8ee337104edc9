//! Corrects slips in the words of a question.

use std::collections::BTreeSet;

use super::super::{english, vocabulary::VOCABULARY};
use super::frame;
use crate::words::LEXICON;

/// Minimum length of a word that may hold a slip.
const MIN_LENGTH: usize = 5;
/// Length from which a word may hold two slips.
const LONG: usize = 8;
/// Minimum length of a word that may be a slip of a word that is frequent in questions, or sounds like another.
const SHORT: usize = 3;

/// Returns the words, and whether each was corrected. A word is corrected to the nearest word of
/// the document or, after these, of the vocabulary. Slips of function words change nothing about the subject, and don't count.
pub(super) fn words(asked: &[String], document: &BTreeSet<String>) -> Vec<(String, bool)> {
    let one = |word: &String| match nearest(word, document) {
        Some(better) => {
            let subject = !crate::words::is_stop_word(&better) && !frame::is_question_word(&better);
            (better, subject)
        }
        None => (word.clone(), false),
    };
    asked.iter().map(one).collect()
}

fn nearest(word: &str, document: &BTreeSet<String>) -> Option<String> {
    let known = VOCABULARY.knows(word)
        || document.contains(word)
        || frame::knows(word)
        || frame::is_question_word(word)
        || english::knows(word);
    let letters = word.chars().all(char::is_alphabetic);
    let length = word.chars().count();
    if known || !letters || length < SHORT || is_inflected(word, document) {
        return None;
    }
    let function: Vec<&str> = LEXICON
        .stop_words
        .iter()
        .map(String::as_str)
        .chain(frame::words())
        .filter(|word| word.len() > 2)
        .collect();
    let subjects: Vec<&str> = document.iter().map(String::as_str).collect();
    if length < MIN_LENGTH {
        let common: Vec<&str> = VOCABULARY.words().filter(|known| is_swapped(word, known)).collect();
        return short(word, &function).or_else(|| short(word, &subjects)).or_else(|| short(word, &common));
    }
    let most = if length >= LONG { 2 } else { 1 };
    let near = |known: &&str| {
        let first = word.chars().next() == known.chars().next();
        let close = length.abs_diff(known.chars().count()) <= most;
        first && close && known.chars().count() + 1 >= MIN_LENGTH && strsim::osa_distance(word, known) <= most
    };
    let nearest = |words: &mut dyn Iterator<Item = &str>| {
        words.filter(near).min_by_key(|known| strsim::osa_distance(word, known)).map(str::to_owned)
    };
    nearest(&mut subjects.iter().copied())
        .or_else(|| sounding(word, subjects.iter().copied()))
        .or_else(|| nearest(&mut function.into_iter()))
        .or_else(|| nearest(&mut VOCABULARY.words()))
        .or_else(|| sounding(word, VOCABULARY.words()))
}

/// Returns the word that sounds the same, or has one letter less, or two swapped: slips of short words.
fn short(word: &str, known: &[&str]) -> Option<String> {
    let length = word.chars().count();
    let swapped = |known: &&&str| is_swapped(word, known);
    let missing = |known: &&&str| {
        known.chars().count() == length + 1
            && strsim::osa_distance(word, known) == 1
            && known.chars().next() == word.chars().next()
    };
    let found =
        || known.iter().find(swapped).or_else(|| known.iter().find(missing)).map(|word| (*word).to_owned());
    sounding(word, known.iter().copied()).or_else(found)
}

fn is_swapped(word: &str, known: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    strsim::osa_distance(word, known) == 1 && sorted(word) == sorted(known)
}

fn sounding<'a>(word: &str, mut known: impl Iterator<Item = &'a str>) -> Option<String> {
    let sound = sound(word);
    known.find(|known| known.len() >= SHORT && self::sound(known) == sound).map(str::to_owned)
}

/// Writes a word as it sounds, roughly: "phone" and "fone", "night" and "nite", "which" and "wich".
fn sound(word: &str) -> String {
    let mut text = word.to_lowercase();
    for (written, spoken) in [
        ("ph", "f"),
        ("ght", "t"),
        ("wh", "w"),
        ("ck", "k"),
        ("kn", "n"),
        ("wr", "r"),
        ("ea", "e"),
        ("ee", "e"),
    ] {
        text = text.replace(written, spoken);
    }
    let mut out = String::new();
    for c in text.chars().map(|c| {
        if c == 'c' {
            'k'
        } else if c == 'z' {
            's'
        } else {
            c
        }
    }) {
        if !out.ends_with(c) {
            out.push(c);
        }
    }
    let silent = out.len() > 2 && out.ends_with('e');
    out.truncate(out.len() - usize::from(silent));
    out
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
        let document = BTreeSet::from(["harbour".to_owned(), "pier".to_owned()]);
        let of = |word: &str| words(&[word.to_owned()], &document)[0].0.clone();
        for (slip, word) in [
            ("pasword", "password"),
            ("recpetion", "reception"),
            ("harbuor", "harbour"),
            ("mutch", "much"),
            ("wen", "when"),
            ("teh", "the"),
            ("fone", "phone"),
            ("peir", "pier"),
        ] {
            assert_eq!(of(slip), word);
        }
        for word in ["soap", "kitchen", "elephant", "8052", "table", "loves", "mast"] {
            assert_eq!(of(word), word);
        }
    }
}
