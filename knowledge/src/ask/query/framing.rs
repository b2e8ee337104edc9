//! Words and phrases that frame a question, as data: `frames.json`.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use super::answer_type::AnswerType;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    phrases: Vec<(AnswerType, String)>,
    amounts: String,
    cues: Vec<(AnswerType, String)>,
    size_cues: String,
    offer_cues: String,
    permission_cues: String,
    auxiliaries: String,
    existence: String,
    permission_words: String,
    permission: String,
    purchase: String,
    requests: String,
    telling: String,
    terse: Vec<(AnswerType, String)>,
    introductions: String,
    openings: String,
    asking: String,
    question_words: String,
    day_parts: String,
    numbered: String,
}

/// Words in any order.
type Words = HashSet<String>;

/// A phrase that expresses a type: its words; `*` stands for one to four words.
pub(super) struct Phrase {
    pub(super) answer: AnswerType,
    pub(super) words: Vec<String>,
    /// Whether it must begin the question.
    begins: bool,
}

/// The framing of questions.
pub(super) struct Framing {
    /// Phrases that express a type. The first that a question holds wins.
    pub(super) phrases: Vec<Phrase>,
    /// Nouns that name an amount of money: "what is the rent?"
    pub(super) amounts: Vec<String>,
    /// Words that express a type besides its phrase, and are no topic.
    cues: Vec<(AnswerType, Words)>,
    size_cues: Words,
    pub(super) offer_cues: Words,
    pub(super) permission_cues: Words,
    /// Auxiliary verbs that begin a question for yes or no.
    pub(super) auxiliaries: Words,
    /// Phrases that ask if something exists, is sold or offered.
    pub(super) existence: Vec<String>,
    pub(super) permission_words: Words,
    pub(super) permission: Vec<String>,
    /// Phrases that ask if something can be bought, also where a permission is asked.
    pub(super) purchase: Vec<String>,
    /// Verbs that ask to be told something.
    pub(super) requests: Words,
    /// Verbs of telling, before the person who asks.
    pub(super) telling: Words,
    /// Words that express a type in a question without a verb.
    pub(super) terse: Vec<(AnswerType, Words)>,
    /// Verbs of indirect questions.
    pub(super) introductions: Words,
    /// Words before a question word that change nothing.
    pub(super) openings: Words,
    /// Question words.
    pub(super) asking: Words,
    /// Words that only ask, and label no value.
    pub(super) question_words: Words,
    pub(super) day_parts: Words,
    /// Things that have a number which is no phone number.
    pub(super) numbered: Words,
}

fn words(text: &str) -> Words {
    text.split_whitespace().map(str::to_owned).collect()
}

fn phrases(text: &str) -> Vec<String> {
    text.split('|').map(str::to_owned).collect()
}

pub(super) static FRAMING: LazyLock<Framing> = LazyLock::new(|| {
    // The file is part of the binary, and tests parse it.
    let file: File = serde_json::from_str(include_str!("frames.json")).expect("the frames are well-formed");
    let phrase = |answer: AnswerType, text: &str| Phrase {
        answer,
        words: text.trim_start_matches('^').split(' ').map(str::to_owned).collect(),
        begins: text.starts_with('^'),
    };
    let of_type = |(answer, text): &(AnswerType, String)| -> Vec<Phrase> {
        text.split('|').map(|one| phrase(*answer, one)).collect()
    };
    Framing {
        phrases: file.phrases.iter().flat_map(of_type).collect(),
        amounts: phrases(&file.amounts),
        cues: file.cues.iter().map(|(answer, text)| (*answer, words(text))).collect(),
        size_cues: words(&file.size_cues),
        offer_cues: words(&file.offer_cues),
        permission_cues: words(&file.permission_cues),
        auxiliaries: words(&file.auxiliaries),
        existence: phrases(&file.existence),
        permission_words: words(&file.permission_words),
        permission: phrases(&file.permission),
        purchase: phrases(&file.purchase),
        requests: words(&file.requests),
        telling: words(&file.telling),
        terse: file.terse.iter().map(|(answer, text)| (*answer, words(text))).collect(),
        introductions: words(&file.introductions),
        openings: words(&file.openings),
        asking: words(&file.asking),
        question_words: words(&file.question_words),
        day_parts: words(&file.day_parts),
        numbered: words(&file.numbered),
    }
});

impl Framing {
    /// Whether a word expresses the type.
    pub(super) fn is_cue(&self, answer: AnswerType, word: &str) -> bool {
        let sized = matches!(answer, AnswerType::Size(_)) && self.size_cues.contains(word);
        sized || self.cues.iter().any(|(of, words)| *of == answer && words.contains(word))
    }

    /// Returns all words that express types.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let phrases = self.phrases.iter().flat_map(|phrase| &phrase.words).chain(&self.amounts);
        let cues = self.cues.iter().flat_map(|(_, words)| words);
        phrases.chain(cues).map(String::as_str)
    }
}

impl Phrase {
    /// Returns the positions of its words in a question, without those that `*` stands for.
    pub(super) fn positions(&self, words: &[String]) -> Option<Vec<usize>> {
        let starts = if self.begins { 1 } else { words.len() };
        (0..starts.min(words.len())).find_map(|at| fit(words, &self.words, at))
    }
}

/// Maximum number of words that `*` stands for.
const MAX_GAP: usize = 4;

fn fit(words: &[String], phrase: &[String], at: usize) -> Option<Vec<usize>> {
    let Some((first, rest)) = phrase.split_first() else { return Some(Vec::new()) };
    if first == "*" {
        return (1..=MAX_GAP).find_map(|gap| fit(words, rest, at + gap));
    }
    if words.get(at) != Some(first) {
        return None;
    }
    let mut positions = fit(words, rest, at + 1)?;
    positions.insert(0, at);
    Some(positions)
}
