//! Parts that a model translated from a question.

use std::collections::BTreeSet;

use super::{
    super::{
        extract::clock::{self, Day},
        vocabulary::{Form, roots},
    },
    AnswerType, DocumentWords, Frame, Part, Term, correct,
    framing::FRAMING,
    part, split, topic,
};

/// Quality of another wording that the model names for a topic.
const WORDING: f64 = 0.85;

/// A part of a question as a model translated it.
pub(in crate::ask) struct TypedPart<'a> {
    /// The part as a plain English question.
    pub(in crate::ask) question: &'a str,
    pub(in crate::ask) answer: AnswerType,
    pub(in crate::ask) topics: Vec<TypedTopic<'a>>,
    /// Names of rooms.
    pub(in crate::ask) places: &'a [String],
    pub(in crate::ask) days: BTreeSet<Day>,
    /// A time of day: `17:30`.
    pub(in crate::ask) time: Option<&'a str>,
    pub(in crate::ask) existence: bool,
    pub(in crate::ask) permission: bool,
}

/// What a part is about, with other wordings.
pub(in crate::ask) struct TypedTopic<'a> {
    pub(in crate::ask) words: &'a str,
    pub(in crate::ask) also: &'a [String],
}

/// Returns the part with the type, topic and constraints of the translation. The words of its question
/// are the topic where the translation names none.
pub(in crate::ask) fn translated(typed: &TypedPart, document: &DocumentWords) -> Part {
    let parsed = part(typed.question, document);
    let frame = Frame {
        answer: typed.answer,
        cues: Vec::new(),
        existence: typed.existence,
        permission: typed.permission,
    };
    let clock = typed.time.and_then(|time| clock::asked(&format!("at {time}"))).or(parsed.clock);
    let mut terms: Vec<Term> = Vec::new();
    for one in &typed.topics {
        let mut found = terms_of(one.words, &frame, document);
        // "Washer" says both "washing" and "machine".
        let forms = one.also.iter().map(|words| roots(words)).filter(|roots| !roots.is_empty());
        let forms: Vec<Form> = forms.map(|roots| Form { roots, quality: WORDING, opposite: false }).collect();
        for term in found.iter_mut().filter(|term| term.is_content()) {
            term.forms
                .extend(forms.iter().filter(|form| !term.forms.contains(form)).cloned().collect::<Vec<_>>());
        }
        add(&mut terms, found);
    }
    let named = |place: &&String| {
        let words = roots(place);
        let asked = roots(typed.question);
        !asked.windows(words.len().max(1)).any(|window| window == words)
    };
    let unnamed: Vec<&String> = typed.places.iter().filter(named).collect();
    let has_topic = terms.iter().any(Term::is_content);
    for place in typed.places {
        let places = terms_of(place, &frame, document);
        add(&mut terms, places.into_iter().map(|term| Term { locative: true, ..term }).collect());
    }
    let text = unnamed.iter().fold(typed.question.to_owned(), |text, place| {
        format!("{} in the {place}?", text.trim_end_matches(['?', ' ']))
    });
    let only_cues = !has_topic && parsed.only_cues;
    let days: BTreeSet<Day> = typed.days.union(&parsed.days).copied().collect();
    Part {
        asked: typed.question.to_owned(),
        text,
        answer: typed.answer,
        topic: if has_topic { terms } else { parsed.topic },
        cues: parsed.cues,
        only_cues,
        existence: typed.existence,
        permission: typed.permission,
        days,
        clock,
    }
}

/// Returns the terms of a phrase, without words that only express the type of the answer.
fn terms_of(phrase: &str, frame: &Frame, document: &DocumentWords) -> Vec<Term> {
    let corrected = correct::words(&split::words(phrase), &document.words);
    let cue = |word: &str| FRAMING.is_cue(frame.answer, word);
    let skip: Vec<usize> =
        corrected.iter().enumerate().filter(|(_, (word, _))| cue(word)).map(|(at, _)| at).collect();
    topic(&corrected, frame, &skip, &[], false, document)
}

fn add(terms: &mut Vec<Term>, more: Vec<Term>) {
    for term in more {
        if !terms.iter().any(|known| known.forms[0].roots == term.forms[0].roots) {
            terms.push(term);
        }
    }
}
