//! Words of questions and of documents, made alike.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

/// Names of rooms and things, and words that ask for nothing. Data (`lexicon.json`).
pub(crate) struct Lexicon {
    /// Other names of each room type.
    pub(crate) rooms: BTreeMap<String, Vec<String>>,
    /// Other names of each thing.
    pub(crate) things: BTreeMap<String, Vec<String>>,
    /// Things that a word stands for together.
    pub(crate) groups: BTreeMap<String, Vec<String>>,
    /// Words that carry no subject.
    pub(crate) plain: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rooms: BTreeMap<String, Vec<String>>,
    things: BTreeMap<String, Vec<String>>,
    groups: BTreeMap<String, Vec<String>>,
    plain: String,
}

/// Words that set two things against each other.
pub(crate) const COMPARISONS: [&str; 17] = [
    "more",
    "fewer",
    "less",
    "most",
    "fewest",
    "bigger",
    "larger",
    "smaller",
    "biggest",
    "largest",
    "smallest",
    "brighter",
    "darker",
    "brightest",
    "darkest",
    "compare",
    "lighter",
];

/// Words that ask for a size, or for another number with a unit.
pub(crate) const SIZES: [&str; 22] = [
    "wide",
    "width",
    "tall",
    "height",
    "high",
    "long",
    "length",
    "deep",
    "depth",
    "big",
    "large",
    "size",
    "square",
    "temperature",
    "weigh",
    "weight",
    "heavy",
    "volume",
    "voltage",
    "capacity",
    "measure",
    "measurement",
];

/// Names of two letters that have a plural.
const SHORT: [&str; 4] = ["tv", "pc", "wc", "ac"];

pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    // The file is part of the program; tests read it.
    let file: File = serde_json::from_str(include_str!("lexicon.json")).expect("the lexicon is well-formed");
    Lexicon {
        rooms: file.rooms,
        things: file.things,
        groups: file.groups,
        plain: file.plain.split_whitespace().map(str::to_owned).collect(),
    }
});

/// Lower-case words and numbers, in order. A point or comma between digits stays.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'").replace('²', "2").replace('³', "3");
    let chars: Vec<char> = text.chars().collect();
    let mut out = vec![String::new()];
    for (i, c) in chars.iter().enumerate() {
        let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
        let inner = matches!(c, '.' | ',') && digit(i.checked_sub(1)) && digit(Some(i + 1));
        if c.is_alphanumeric() || inner {
            if let Some(last) = out.last_mut() {
                last.push(*c);
            }
        } else if out.last().is_some_and(|last| !last.is_empty()) {
            out.push(String::new());
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// A word without its plural.
pub(crate) fn singular(word: &str) -> String {
    let cut = |end: &str, put: &str| {
        let stem = word.strip_suffix(end).filter(|stem| stem.chars().count() >= 2)?;
        Some(format!("{stem}{put}"))
    };
    if let Some(short) = word.strip_suffix('s').filter(|short| SHORT.contains(short)) {
        return short.to_owned();
    }
    if word.chars().count() <= 3 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.to_owned();
    }
    cut("elves", "elf")
        .or_else(|| cut("ies", "y"))
        .or_else(|| cut("ches", "ch"))
        .or_else(|| cut("shes", "sh"))
        .or_else(|| cut("sses", "ss"))
        .or_else(|| cut("xes", "x"))
        .or_else(|| cut("s", ""))
        .unwrap_or_else(|| word.to_owned())
}

/// Singular words of a text.
pub(crate) fn stems(text: &str) -> Vec<String> {
    tokens(text).iter().map(|word| singular(word)).collect()
}

/// Whether a word asks for nothing by itself.
pub(crate) fn plain(word: &str) -> bool {
    LEXICON.plain.iter().any(|other| other == word || singular(other) == word)
}

/// Whether two words may be the same with one slip of the hand. Short words and first letters must agree:
/// a cable is no table.
pub(crate) fn alike(typed: &str, known: &str) -> bool {
    typed == known
        || (typed.chars().count() >= 6
            && known.chars().count() >= 6
            && typed.chars().next() == known.chars().next()
            && strsim::osa_distance(typed, known) == 1)
}

/// Takes the first occurrence of a phrase out of `words`; says whether it was there.
pub(crate) fn take(words: &mut Vec<String>, phrase: &[String]) -> bool {
    let fits = |window: &[String]| window.iter().zip(phrase).all(|(typed, known)| alike(typed, known));
    let found = (!phrase.is_empty()).then(|| words.windows(phrase.len()).position(fits)).flatten();
    if let Some(at) = found {
        words.drain(at..at + phrase.len());
    }
    found.is_some()
}

/// Takes each of these words out; says whether any was there.
pub(crate) fn take_any(words: &mut Vec<String>, list: &[&str]) -> bool {
    let before = words.len();
    words.retain(|word| !list.contains(&word.as_str()));
    words.len() < before
}
