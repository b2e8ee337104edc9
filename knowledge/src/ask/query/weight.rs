//! How much a word of a question says about its subject, by its part of speech.

use super::{
    super::english::{self, Speech},
    AnswerType,
};

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

/// Whether the word at this position is a verb that its subject implies for this type of answer: "how much must
/// adults pay", "which day does the market take place". A verb in the passive names an event of its own ("when was it
/// cleaned"), and a question for yes or no is about its verb.
pub(super) fn is_minor_verb(words: &[(String, bool)], at: usize, answer: AnswerType) -> bool {
    if matches!(
        answer,
        AnswerType::YesNo | AnswerType::Text | AnswerType::List | AnswerType::Year | AnswerType::Age
    ) {
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
        assert!(minor("how much must adults bring", "bring", AnswerType::Price));
        assert!(minor("at what time must guests leave", "leave", AnswerType::Time));
        assert!(!minor("when was the chimney swept and cleaned", "cleaned", AnswerType::Time));
        assert!(!minor("how much is the drive", "drive", AnswerType::Price));
        assert!(!minor("does the door leave a gap", "leave", AnswerType::YesNo));
    }
}
