//! Parses a question into typed parts.
//!
//! A part has the type of its answer, a topic (weighted terms), and constraints (days, a time of
//! day). The parser knows English function words and the words of answer types; everything else is
//! a term of the topic, known or not.

mod answer_type;
mod bare;
mod context;
mod correct;
mod frame;
mod framing;
mod machine;
mod split;
mod terse;
mod translated;
mod weight;

pub(super) use answer_type::{AnswerType, Dimension};
use frame::Frame;
pub(super) use split::words;
pub(super) use translated::{TypedPart, TypedTopic, translated};

use std::collections::{BTreeSet, HashSet};

use super::{
    extract::clock::{self, Clock, Day},
    vocabulary::{Form, VOCABULARY, root},
};
use crate::words::is_stop_word;

/// Weight of a word that says little about the subject, such as "place"; other terms weigh 1.
const LIGHT: f64 = 0.2;
/// Weight of a verb that the subject implies ("who teaches yoga"), and of a role of the person asked
/// for ("the facilities manager").
const IMPLIED: f64 = 0.4;

/// Weight of what follows a preposition in a question for yes or no: "is water included in the rent?"
const COMPLEMENT: f64 = 0.8;
/// Weight of a number: "room 4" is not room 3.
const NUMBER: f64 = 2.0;

/// A word or phrase of the topic.
#[derive(Debug, Clone)]
pub(super) struct Term {
    /// Its words as asked.
    pub(super) words: String,
    /// Importance: 1, or less for light words.
    pub(super) weight: f64,
    /// How it may be said.
    pub(super) forms: Vec<Form>,
    /// Words for all things of its kind: "all appliances" speaks of the oven.
    pub(super) general: Vec<Vec<String>>,
    /// Whether signs may leave it out: a verb of an event.
    pub(super) optional: bool,
    /// Whether its spelling was corrected.
    pub(super) corrected: bool,
    /// Whether any one of such terms suffices ("push or pull").
    pub(super) alternative: bool,
    /// Whether it may only say where ("in the kitchen", "kitchen floor"): it isn't the subject itself.
    pub(super) locative: bool,
}

impl Term {
    /// Whether an answer must be about this term.
    pub(super) fn is_content(&self) -> bool {
        self.weight > LIGHT
    }
}

/// One part of a question.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The words of the part, as asked.
    pub(super) asked: String,
    /// The same in full.
    pub(super) text: String,
    /// Type of the answer.
    pub(super) answer: AnswerType,
    /// What the part is about.
    pub(super) topic: Vec<Term>,
    /// Words of the answer type, such as "password": labels of the value.
    pub(super) cues: Vec<Term>,
    /// Whether the topic holds only words of the answer type ("What is the price?").
    pub(super) only_cues: bool,
    /// Whether it asks if something exists, is sold or offered.
    pub(super) existence: bool,
    /// Whether it asks if something is allowed.
    pub(super) permission: bool,
    /// Days of the week that it names.
    pub(super) days: BTreeSet<Day>,
    /// Time of day that it names.
    pub(super) clock: Option<Clock>,
}

impl Part {
    /// Whether a value of the asked type answers wherever it stands: "What is the phone number?"
    pub(super) fn is_self_evident(&self) -> bool {
        let contact = matches!(
            self.answer,
            AnswerType::Phone | AnswerType::Email | AnswerType::Website | AnswerType::Contact
        );
        // The place as a whole is on one floor.
        self.only_cues && (contact || self.answer == AnswerType::Floor)
    }

    /// Whether the unit of a value tells that it is of the asked type.
    pub(super) fn marks_itself(&self) -> bool {
        matches!(
            self.answer,
            AnswerType::Temperature | AnswerType::Size(Dimension::Capacity | Dimension::Area)
        )
    }

    /// Whether it asks for opening hours, and for nothing else.
    pub(super) fn is_about_opening(&self) -> bool {
        let mut content = self.topic.iter().filter(|term| term.is_content()).peekable();
        let opens = |term: &Term| matches!(term.forms[0].roots.as_slice(), [word] if word == "open" || word == "close");
        self.answer == AnswerType::Time && content.peek().is_some() && content.all(opens)
    }

    /// Whether it asks what a sign says. Speech doesn't answer that.
    pub(super) fn asks_for_sign(&self) -> bool {
        let signs = ["sign", "signs", "poster", "posters", "placard", "plaque", "sticker", "written"];
        // "Sign in" and "sign up" are verbs.
        let verb = |next: Option<&String>| {
            next.is_some_and(|word| matches!(word.as_str(), "in" | "up" | "out" | "for"))
        };
        let words = split::words(&self.text);
        words.iter().enumerate().any(|(at, word)| {
            let noun = at > 0
                && matches!(
                    words[at - 1].as_str(),
                    "the" | "a" | "any" | "that" | "this" | "what" | "which" | "no"
                );
            signs.contains(&word.as_str()) && (noun || !verb(words.get(at + 1)))
        })
    }

    /// Whether it asks for a judgement of a condition, which a quotation answers better than "yes".
    pub(super) fn is_judgement(&self) -> bool {
        let words = split::words(&self.text);
        words.iter().any(|word| matches!(word.as_str(), "condition" | "state" | "shape"))
    }
}

/// The words of a document, and their roots.
#[derive(Debug, Default)]
pub(super) struct DocumentWords {
    words: BTreeSet<String>,
    roots: HashSet<String>,
}

impl DocumentWords {
    pub(super) fn new(words: BTreeSet<String>) -> DocumentWords {
        let roots = words.iter().map(|word| root(word)).collect();
        DocumentWords { words, roots }
    }

    /// Whether the document holds all words of one of these forms.
    fn holds(&self, forms: &[Form]) -> bool {
        forms.iter().any(|form| form.roots.iter().all(|root| self.roots.contains(root)))
    }
}

/// Parses a question. Words that are nearly words of the document or the vocabulary are corrected.
pub(super) fn parse(question: &str, document: &DocumentWords) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let written = machine::in_words(question);
    for text in split::parts(written.as_deref().unwrap_or(question)) {
        let mut part = part(&text, document);
        // "… and where?" asks about the topic of the part before it.
        if (part.topic.is_empty() || part.only_cues && split::refers_back(&text))
            && let Some(before) = parts.last()
        {
            part.topic = before.topic.clone();
            part.only_cues = before.only_cues;
        }
        parts.push(part);
    }
    // "When and where is …" names the topic in its last part.
    for at in (1..parts.len()).rev() {
        if parts[at - 1].topic.is_empty() {
            parts[at - 1].topic = parts[at].topic.clone();
        }
    }
    parts
}

/// Returns the tag of the language of a question that isn't in English.
pub(super) fn other_language(question: &str) -> Option<&'static str> {
    let words: Vec<String> = split::words(question);
    let english = words.iter().filter(|w| is_stop_word(w) || VOCABULARY.is_light(w)).count();
    if english * 3 > words.len() {
        return None;
    }
    VOCABULARY.other_language(&words)
}

fn part(asked: &str, document: &DocumentWords) -> Part {
    let bare = bare::bare(&terse::in_full(asked));
    let text = &bare.text;
    let corrected = correct::words(&split::words(text), &document.words);
    let words: Vec<String> = corrected.iter().map(|(word, _)| word.clone()).collect();
    let frame = frame::frame(&words);
    let days = clock::days(&format!("{} {}", bare.context, words.join(" ")));
    let at = if frame.answer == AnswerType::YesNo { clock::asked(text) } else { None };
    let mut topic = topic(&corrected, &frame, &frame.cues, &[], at.is_some(), document);
    let completed = context::add(&mut topic, &bare, frame.answer, document);
    let only_cues = !topic.iter().any(Term::is_content);
    // "What happens on Tuesday?" has no other topic than the day.
    if only_cues && !days.is_empty() && matches!(frame.answer, AnswerType::Text | AnswerType::List) {
        topic.extend(words.iter().filter(|word| clock::is_day_word(word)).map(|word| day(word)));
    }
    let labels: Vec<usize> =
        frame.cues.iter().copied().filter(|at| !frame::is_question_word(&words[*at])).collect();
    let others: Vec<usize> = (0..words.len()).filter(|at| !labels.contains(at)).collect();
    let mut cues = self::topic(&corrected, &frame, &others, &labels, at.is_some(), document);
    if only_cues {
        topic.extend(std::mem::take(&mut cues));
    }
    Part {
        asked: asked.trim().to_owned(),
        // A part that refers to its context is no question without it.
        text: if completed { asked.trim().to_owned() } else { text.trim().to_owned() },
        answer: frame.answer,
        topic,
        cues,
        only_cues,
        existence: frame.existence,
        permission: frame.permission,
        days,
        clock: at,
    }
}

fn day(word: &str) -> Term {
    Term {
        words: word.to_owned(),
        weight: 1.0,
        forms: VOCABULARY.forms(&[root(word)]),
        general: Vec::new(),
        optional: false,
        corrected: false,
        alternative: false,
        locative: false,
    }
}

/// Returns the terms of a part: all words but function words, times, and the words at the positions
/// in `skip`. Words at the positions in `keep` are terms in any case.
fn topic(
    words: &[(String, bool)],
    frame: &Frame,
    skip: &[usize],
    keep: &[usize],
    timed: bool,
    document: &DocumentWords,
) -> Vec<Term> {
    let stems: Vec<String> = words.iter().map(|(word, _)| root(word)).collect();
    let mut out: Vec<Term> = Vec::new();
    let timed_by_day = words.iter().any(|(word, _)| clock::is_day_word(word));
    let mut at = 0;
    while at < words.len() {
        let length = VOCABULARY.phrase_length(&stems[at..]);
        // A phrase that the document doesn't hold in any form may still be there in words.
        let length = if length > 1 && !document.holds(&VOCABULARY.forms(&stems[at..at + length])) {
            1
        } else {
            length
        };
        let (from, to) = (at, at + length);
        at = to;
        let (word, corrected) = &words[from];
        let is_time = timed && word.bytes().any(|b| b.is_ascii_digit());
        let spoken_away =
            length == 1 && (skip.contains(&from) || (is_stop_word(word) && !keep.contains(&from)) || is_time);
        if spoken_away || (from..to).all(|i| skip.contains(&i)) || clock::is_day_word(word) {
            continue;
        }
        let phrase = stems[from..to].to_vec();
        if out.iter().any(|term| term.forms[0].roots == phrase) {
            continue;
        }
        let light =
            length == 1 && (VOCABULARY.is_light(word) || word.chars().count() == 1 && !is_number(word));
        let role = frame.answer.is_personal() && VOCABULARY.is_role(word);
        let implied = length == 1
            && (role
                || VOCABULARY.is_implied(word) && !is_agent(word)
                || weight::is_minor_verb(words, from, frame.answer));
        let light = light || length == 1 && weight::is_adverb(words, from);
        let complement = frame.answer == AnswerType::YesNo && from > 0 && is_preposition(&words[from - 1].0)
            || from > 1
                && frame.answer == AnswerType::YesNo
                && is_article(&words[from - 1].0)
                && is_preposition(&words[from - 2].0);
        out.push(Term {
            words: words[from..to].iter().map(|(w, _)| w.as_str()).collect::<Vec<_>>().join(" "),
            weight: if length == 1 && is_number(word) && frame.answer != AnswerType::YesNo {
                NUMBER
            } else if light || (timed_by_day && VOCABULARY.is_part_of_day(word)) {
                LIGHT
            } else if implied {
                IMPLIED
            } else if complement {
                COMPLEMENT
            } else {
                1.0
            },
            locative: frame.existence || is_locative(words, from, to),
            alternative: frame.answer != AnswerType::Count && !light && is_alternative(words, from, to),
            optional: VOCABULARY.is_event_verb(&phrase),
            general: VOCABULARY.general(&phrase),
            forms: weight::forms(word, phrase),
            corrected: *corrected,
        });
    }
    out
}

/// Whether a noun names the person or firm that does something ("provider"); the verb alone would be implied.
fn is_agent(word: &str) -> bool {
    let word = crate::words::singular(word);
    (word.ends_with("er") || word.ends_with("or")) && root(&word) != word
}

fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "our" | "your" | "my" | "this" | "main")
}

fn is_preposition(word: &str) -> bool {
    const WORDS: [&str; 12] =
        ["in", "at", "of", "on", "for", "to", "from", "inside", "into", "through", "by", "near"];
    WORDS.contains(&word)
}

/// Whether the words at these positions may say where something is: after a preposition, or before
/// the noun that they specify.
fn is_locative(words: &[(String, bool)], from: usize, to: usize) -> bool {
    let before = words[..from].iter().rev().map(|(word, _)| word.as_str()).find(|word| !is_article(word));
    let have = words.iter().any(|(word, _)| matches!(word.as_str(), "have" | "has" | "had"));
    let after = words.get(to).map(|(word, _)| word.as_str());
    let specifies = after.is_some_and(|word| {
        let verb =
            word.ends_with("ed") || VOCABULARY.is_implied(word) || VOCABULARY.is_event_verb(&[root(word)]);
        !is_stop_word(word) && !verb && !VOCABULARY.is_light(word)
    });
    have || specifies || before.is_some_and(is_preposition)
}

/// Whether the words at these positions stand beside "or": "the push or the pull".
fn is_alternative(words: &[(String, bool)], from: usize, to: usize) -> bool {
    let is_or = |(word, _): &&(String, bool)| word == "or";
    let plain = |(word, _): &&(String, bool)| is_stop_word(word) && word != "or";
    let before = words[..from].iter().rev().find(|word| !plain(word));
    let after = words[to..].iter().find(|word| !plain(word));
    before.is_some_and(|word| is_or(&word)) || after.is_some_and(|word| is_or(&word))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
}
