//! The words of a question for objects that say something about them.

use super::{
    english::{self, Speech},
    question::{Intent, Question},
    vocabulary::VOCABULARY,
};

/// Leaves out verbs and adverbs that say little, where a question asks whether, where or how many objects there are:
/// "do you happen to have a lamp somewhere?" Nouns stay: whether there is something in the lamp is another question.
pub(super) fn words(existence: bool, mut question: Question) -> Question {
    let of_objects = match question.intent {
        Intent::Exists => existence,
        Intent::Where | Intent::Count => true,
        _ => false,
    };
    let says_little = |word: &String| {
        let speech = english::main_speech(word);
        VOCABULARY.is_light(word) && matches!(speech, Some(Speech::Verb | Speech::Adverb))
    };
    if of_objects && !question.things.is_empty() {
        question.rest.retain(|word| !says_little(word));
    }
    question
}
