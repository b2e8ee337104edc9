//! How much a word of a question says about its subject, by its part of speech, and its synonyms.

use super::{
    super::{
        english::{self, Speech},
        vocabulary::{Form, VOCABULARY, roots},
    },
    AnswerType,
};
use crate::words::is_stop_word;

/// Quality of a synonym of WordNet.
const WORDNET: f64 = 0.85;

/// Words before a verb.
const BEFORE_VERB: [&str; 26] = [
    "i", "you", "we", "they", "he", "she", "one", "to", "can", "could", "may", "might", "must", "shall",
    "should", "will", "would", "do", "does", "did", "please", "cannot", "not", "ever", "usually", "people",
];
/// Words before a noun.
const BEFORE_NOUN: [&str; 18] = [
    "the", "a", "an", "my", "your", "our", "their", "his", "her", "this", "that", "these", "those", "of",
    "any", "no", "per", "each",
];

/// Whether a word is mostly a verb.
pub(super) fn is_verb(word: &str) -> bool {
    english::main_speech(word) == Some(Speech::Verb)
}

/// Whether the word at this position is an adverb. Between an article and a noun it tells which: "the back door".
pub(super) fn is_adverb(words: &[(String, bool)], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |at| words[at].0.as_str());
    let specifies = BEFORE_NOUN.contains(&before) || at + 1 < words.len() && at == 0;
    !specifies && english::main_speech(&words[at].0) == Some(Speech::Adverb)
}

/// Whether the word at this position is a verb that its subject implies for this type of answer: "how many people
/// can enter the sauna". What somebody did, when, and what they pay for it depends on the verb, as do questions for yes
/// or no. A verb in the passive names an event of its own.
pub(super) fn is_minor_verb(words: &[(String, bool)], at: usize, answer: AnswerType) -> bool {
    let implies = matches!(
        answer,
        AnswerType::Code
            | AnswerType::Phone
            | AnswerType::Email
            | AnswerType::Website
            | AnswerType::Contact
            | AnswerType::Place
            | AnswerType::Floor
            | AnswerType::Size(_)
            | AnswerType::Temperature
            | AnswerType::Number
            | AnswerType::Count
            | AnswerType::Duration
            | AnswerType::Frequency
    );
    if !implies {
        return false;
    }
    let word = words[at].0.as_str();
    let before = at.checked_sub(1).map_or("", |at| words[at].0.as_str());
    let passive = word.ends_with("ed")
        && words[..at].iter().any(|(word, _)| {
            matches!(word.as_str(), "was" | "were" | "been" | "is" | "are" | "be" | "being" | "last")
        });
    if passive || BEFORE_NOUN.contains(&before) {
        return false;
    }
    is_verb(word) || (BEFORE_VERB.contains(&before) && english::may_be_verb(word))
}

/// Returns how a term may be said. The synonyms of WordNet serve words for which the vocabulary knows none.
pub(super) fn forms(word: &str, phrase: Vec<String>) -> Vec<Form> {
    let mut out = VOCABULARY.forms(&phrase);
    if out.len() == 1 && phrase.len() == 1 {
        let says =
            |synonym: &&str| synonym.split(' ').all(|word| !is_stop_word(word) && !VOCABULARY.is_light(word));
        let more = english::synonyms(word).filter(says).map(roots).filter(|roots| *roots != phrase);
        out.extend(more.map(|roots| Form { roots, quality: WORDNET, opposite: false }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_that_their_subject_implies_are_minor() {
        let minor = |text: &str, word: &str, answer: AnswerType| {
            let words: Vec<(String, bool)> = text.split(' ').map(|word| (word.to_owned(), false)).collect();
            let at = words.iter().position(|(other, _)| other == word).unwrap();
            is_minor_verb(&words, at, answer)
        };
        assert!(minor("how many people can enter the attic", "enter", AnswerType::Count));
        assert!(minor("how often do parcels arrive", "arrive", AnswerType::Frequency));
        assert!(!minor("how often is the chimney cleaned", "cleaned", AnswerType::Frequency));
        assert!(!minor("where is the drive", "drive", AnswerType::Place));
        assert!(!minor("who installed the boiler", "installed", AnswerType::Name));
        assert!(!minor("does the door leave a gap", "leave", AnswerType::YesNo));
    }
}
