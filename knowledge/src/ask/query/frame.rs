//! Recognises the frame of a question: the type of its answer, and the words that only express it.

use super::{
    answer_type::{AnswerType, Dimension},
    framing::FRAMING,
};
use crate::words::is_stop_word;

/// Positions of an auxiliary verb that make a question one for yes or no even after other words.
const EARLY: usize = 4;
/// Number of words in which a request stands: "Could you please give me …".
const REQUEST: usize = 6;

/// How a question is framed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    pub(super) answer: AnswerType,
    /// Positions of words that only express the type.
    pub(super) cues: Vec<usize>,
    pub(super) existence: bool,
    pub(super) permission: bool,
}

/// Whether a word expresses a type.
pub(super) fn knows(word: &str) -> bool {
    words().any(|known| known == word)
}

/// Returns all words that express types.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    FRAMING.words()
}

/// Whether a word only asks, and labels no value.
pub(super) fn is_question_word(word: &str) -> bool {
    FRAMING.question_words.contains(word)
}

/// Recognises the frame of a question.
pub(super) fn frame(words: &[String]) -> Frame {
    let text = format!(" {} ", words.join(" "));
    let says = |list: &[String]| list.iter().any(|phrase| text.contains(&format!(" {phrase} ")));
    let asks_whether = begins_with_auxiliary(words);
    let phrase = FRAMING.phrases.iter().find_map(|phrase| Some((phrase.positions(words)?, phrase)));
    let existence = says(&FRAMING.existence) || words.first().is_some_and(|word| word == "any");
    let permission =
        words.iter().any(|word| FRAMING.permission_words.contains(word)) || says(&FRAMING.permission);
    let existence = existence && (says(&FRAMING.purchase) || !permission);
    // "Is there a phone number?" asks for the number.
    let valued = |answer: AnswerType| {
        let number = answer == AnswerType::Phone && words.iter().any(|word| word == "number");
        number || matches!(answer, AnswerType::Email | AnswerType::Website | AnswerType::Code)
    };
    let embedded = phrase.as_ref().is_some_and(|(at, _)| at[0] > 0 && is_introduction(&words[..at[0]]));
    let asks_what = words.iter().any(|word| matches!(word.as_str(), "what" | "whats"));
    let is_name = |word: &String| matches!(word.as_str(), "name" | "names");
    // "What is the porter's name?", "porter name"
    let named = asks_what && words.iter().any(is_name) || words.last().is_some_and(is_name);
    let terse = terse(words);
    let answer = match &phrase {
        Some((_, phrase)) if !asks_whether || embedded || (existence && valued(phrase.answer)) => {
            phrase.answer
        }
        _ if asks_whether => AnswerType::YesNo,
        _ if says(&FRAMING.amounts) && (asks_what || words.len() <= EARLY) => AnswerType::Price,
        _ if named => AnswerType::Name,
        _ if terse.is_some() => terse.unwrap_or(AnswerType::Text),
        _ if asks_for_phone(words) => AnswerType::Phone,
        _ => AnswerType::Text,
    };
    // "How high is the rent?" asks for an amount.
    let high = matches!(answer, AnswerType::Size(Dimension::Height | Dimension::Area));
    let answer = if high && says(&FRAMING.amounts) { AnswerType::Price } else { answer };
    let mut cues = Vec::new();
    if let Some((at, phrase)) = phrase
        && (phrase.answer == answer || high)
    {
        cues.extend(at);
    }
    let also = |word: &str| {
        let whether = answer == AnswerType::YesNo;
        FRAMING.is_cue(answer, word)
            || (existence && whether && FRAMING.offer_cues.contains(word))
            || (permission && whether && FRAMING.permission_cues.contains(word))
    };
    cues.extend(words.iter().enumerate().filter(|(_, word)| also(word)).map(|(at, _)| at));
    cues.extend(of_time(words, answer));
    cues.sort_unstable();
    cues.dedup();
    Frame { answer, cues, existence, permission }
}

/// Returns the type that a question without a verb names by a word: "pier opening days".
fn terse(words: &[String]) -> Option<AnswerType> {
    let in_words =
        words.iter().any(|word| FRAMING.asking.contains(word) || FRAMING.auxiliaries.contains(word));
    let mut types = FRAMING.terse.iter();
    let found = types.find(|(_, names)| words.iter().any(|word| names.contains(word)));
    found.filter(|_| !in_words && words.len() <= REQUEST).map(|(answer, _)| *answer)
}

/// Returns the positions of words that only say that a time is asked for.
fn of_time(words: &[String], answer: AnswerType) -> Vec<usize> {
    let mut out = Vec::new();
    // "When was it last cleaned?" asks for the time of the cleaning.
    if matches!(answer, AnswerType::Time | AnswerType::Year) {
        let participles =
            words.windows(2).enumerate().filter(|(_, two)| two[0] == "last" && two[1].ends_with("ed"));
        out.extend(participles.map(|(at, _)| at));
    }
    // "In the morning" says when, not what.
    if answer == AnswerType::Time {
        let within = words.windows(3).enumerate().filter(|(_, three)| {
            three[0] == "in" && three[1] == "the" && FRAMING.day_parts.contains(&three[2])
        });
        out.extend(within.map(|(at, _)| at + 2));
    }
    out
}

/// Whether a short question asks for the number of a person or an office, not of a numbered thing.
fn asks_for_phone(words: &[String]) -> bool {
    let Some(at) = words.iter().position(|word| word == "number") else { return false };
    at > 0 && !words.iter().any(|word| FRAMING.numbered.contains(word))
}

/// Whether the question asks for yes or no: an auxiliary before any question word, perhaps after an
/// introduction ("I wonder if …").
fn begins_with_auxiliary(words: &[String]) -> bool {
    let asks = words.iter().position(|word| FRAMING.asking.contains(word));
    let auxiliary = words.iter().position(|word| FRAMING.auxiliaries.contains(word));
    let whether = words.iter().any(|word| matches!(word.as_str(), "if" | "whether"));
    match (auxiliary, asks) {
        (_, None) if whether => true,
        (Some(auxiliary), None) if !is_request(words) => {
            auxiliary < EARLY || words[..auxiliary].iter().all(|word| is_stop_word(word))
        }
        (Some(auxiliary), Some(asks)) => auxiliary < asks && !is_introduction(&words[..asks]),
        _ => false,
    }
}

/// Whether the question asks to be told something: "Could you give me the address".
fn is_request(words: &[String]) -> bool {
    words.iter().take(REQUEST).any(|word| FRAMING.requests.contains(word) && word != "need")
}

/// Whether these words introduce an indirect question: "Could you tell me", "do you know".
fn is_introduction(words: &[String]) -> bool {
    words.iter().any(|word| FRAMING.introductions.contains(word))
        || words.iter().all(|word| FRAMING.openings.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> AnswerType {
        frame(&super::super::split::words(text)).answer
    }

    #[test]
    fn recognises_types_in_direct_and_indirect_questions() {
        for (text, answer) in [
            ("How much is a towel?", AnswerType::Price),
            ("Could you tell me how much a towel costs?", AnswerType::Price),
            ("do you know when the sauna closes", AnswerType::Time),
            ("Is the sauna open?", AnswerType::YesNo),
            ("I was wondering if the sauna is open", AnswerType::YesNo),
            ("What's the code for the gate?", AnswerType::Code),
            ("Is there a phone number?", AnswerType::Phone),
            ("Who runs the place?", AnswerType::Name),
            ("Can you tell me where the bins are?", AnswerType::Place),
            ("How old is the roof?", AnswerType::Age),
            ("How tall is the door?", AnswerType::Size(Dimension::Height)),
            ("What is the deposit?", AnswerType::Price),
            ("How high is the fine?", AnswerType::Price),
            ("What is the stove powered by?", AnswerType::Text),
            ("What do children pay?", AnswerType::Price),
            ("What would a haircut set me back?", AnswerType::Price),
            ("What is the porter's name?", AnswerType::Name),
            ("the plumber's number please", AnswerType::Phone),
            ("What's the ferry called?", AnswerType::Name),
            ("ferry captain name", AnswerType::Name),
            ("At what time does the sauna open?", AnswerType::Time),
            ("pier opening days", AnswerType::Time),
            ("pier repair year", AnswerType::Year),
            ("rope eur", AnswerType::Price),
            ("pier length", AnswerType::Size(Dimension::Length)),
            ("how many years has the ferry", AnswerType::Age),
        ] {
            assert_eq!(of(text), answer, "{text}");
        }
    }

    #[test]
    fn a_star_in_a_phrase_stands_for_words() {
        let words = |text: &str| super::super::split::words(text);
        let phrase = FRAMING.phrases.iter().find(|phrase| phrase.words.join(" ") == "what do * pay");
        let phrase = phrase.expect("the phrase is known");
        assert_eq!(phrase.positions(&words("what do two adults pay")), Some(vec![0, 1, 4]));
        assert_eq!(phrase.positions(&words("what do pay")), None);
    }
}
