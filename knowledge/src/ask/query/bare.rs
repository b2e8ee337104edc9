//! Finds what a wordy question asks: the clause that asks, without what introduces it.
//!
//! "Hello, we come with a tent, and I was wondering how much a pitch is, if I may ask" asks "how much a
//! pitch is". The structure decides, not a list of phrases: a clause asks if it begins with a question
//! word or an auxiliary verb; words before a question word only introduce it if they end with a verb of asking
//! or knowing, or with the person asked. Clauses before it are its context.

use super::framing::FRAMING;

/// Prepositions before a question word, which belong to it: "at what time".
const BEFORE: [&str; 14] =
    ["at", "in", "on", "for", "from", "by", "with", "to", "of", "until", "till", "since", "after", "about"];
/// Words between a verb of asking and the question: "find out when", "as to how".
const BETWEEN: [&str; 7] = ["out", "as", "to", "exactly", "please", "just", "in"];
/// Words that begin a clause and say nothing.
const MARKERS: [&str; 26] = [
    "so", "and", "but", "well", "ok", "okay", "right", "oh", "hey", "hi", "hello", "hiya", "then", "now",
    "also", "please", "um", "er", "ugh", "anyway", "just", "sorry", "say", "kindly", "yes", "or",
];
/// Words for something that was named before.
const REFERENCES: [&str; 13] =
    ["it", "one", "them", "they", "those", "these", "he", "she", "him", "ones", "there", "that", "this"];
/// Last words of an introduction besides verbs of asking.
const PERSONS: [&str; 3] = ["me", "us", "idea"];

/// What a question asks, and what is said around it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bare {
    pub(super) text: String,
    /// The clauses before it.
    pub(super) context: String,
    /// Whether it refers to something in the context by a pronoun.
    pub(super) refers: bool,
}

/// Returns what a question asks.
pub(super) fn bare(question: &str) -> Bare {
    let clauses = clauses(question);
    let asks = |clause: &&str| asks(clause) || introduced(clause).is_some();
    let conditional = |clause: &str| plain_words(clause).first().is_some_and(|word| word == "if");
    let Some(first) = clauses.iter().position(|clause| asks(clause) && !conditional(clause)) else {
        return Bare { text: question.trim().to_owned(), context: String::new(), refers: false };
    };
    // "The boat with oars, what does it cost": a noun phrase before the question is its subject.
    let named = first.checked_sub(1).filter(|at| is_noun_phrase(clauses[*at]));
    let context = clauses[..named.unwrap_or(first)].join(" ");
    // "…, if I may ask" and "…, please" follow the question and ask nothing.
    let asked: Vec<&str> = clauses[first..]
        .iter()
        .enumerate()
        .filter(|(at, clause)| *at == 0 || !(conditional(clause) || is_courtesy(clause)))
        .map(|(_, clause)| *clause)
        .collect();
    let mut text = without_markers(&asked.join(" ")).to_owned();
    while let Some(rest) = introduced(&text) {
        text = rest;
    }
    if let Some(named) = named {
        text = format!("{}, {text}", clauses[named]);
    }
    let refers = named.is_none()
        && !context.is_empty()
        && plain_words(&text).iter().any(|word| REFERENCES.contains(&word.as_str()));
    Bare { text, context, refers }
}

/// Splits at commas, semicolons and dashes with spaces. A comma within a number does not split.
fn clauses(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let spaced = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let dash = matches!(c, '-' | '–' | '—') && text[..at].ends_with(char::is_whitespace);
        if (matches!(c, ',' | ';' | ':' | '!') || dash) && spaced {
            out.push(text[from..at].trim());
            from = at + c.len_utf8();
        }
    }
    out.push(text[from..].trim());
    out.retain(|clause| clause.chars().any(char::is_alphanumeric));
    out
}

/// Whether a clause is a noun phrase: it has a noun and neither a verb nor a person who acts.
fn is_noun_phrase(clause: &str) -> bool {
    let words = plain_words(without_markers(clause));
    let acts = |word: &String| {
        matches!(word.as_str(), "i" | "we" | "you" | "he" | "she" | "they" | "it" | "im" | "thats")
            || FRAMING.auxiliaries.contains(word)
            || super::weight::is_verb(word)
    };
    let says = |word: &String| !MARKERS.contains(&word.as_str()) && !crate::words::is_stop_word(word);
    words.iter().any(says) && !words.iter().any(acts)
}

/// Returns the lower-case words of a text up to an apostrophe: "I'd" is "i".
fn plain_words(text: &str) -> Vec<String> {
    text.split_whitespace().map(plain).collect()
}

fn plain(piece: &str) -> String {
    let piece = piece.to_lowercase().replace('’', "'");
    let piece = piece.replace("n't", "nt");
    let word = piece.split('\'').next().unwrap_or_default();
    let word: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    let full = word.strip_prefix('w').map(|rest| format!("wh{rest}"));
    full.filter(|full| FRAMING.asking.contains(full) && !FRAMING.auxiliaries.contains(&word)).unwrap_or(word)
}

fn without_markers(clause: &str) -> &str {
    let mut rest = clause.trim();
    while let Some((first, after)) = rest.split_once(char::is_whitespace) {
        if !MARKERS.contains(&plain(first).as_str()) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// Whether a clause begins with a question word, perhaps after a preposition, or with an auxiliary verb and
/// its subject.
fn asks(clause: &str) -> bool {
    let words = plain_words(without_markers(clause));
    let at = usize::from(words.len() > 1 && BEFORE.contains(&words[0].as_str()));
    let Some(first) = words.get(at) else { return false };
    FRAMING.asking.contains(first) || (at == 0 && words.len() > 1 && FRAMING.auxiliaries.contains(first))
}

/// Whether a clause only asks politely or addresses somebody.
fn is_courtesy(clause: &str) -> bool {
    plain_words(clause).iter().all(|word| {
        MARKERS.contains(&word.as_str())
            || super::super::vocabulary::VOCABULARY.is_light(word)
            || crate::words::is_stop_word(word)
            || matches!(word.as_str(), "love" | "sir" | "madam" | "dear" | "though" | "mate")
    })
}

/// Returns what follows an introduction such as "could you tell me", "I wonder", "is it true that".
fn introduced(text: &str) -> Option<String> {
    let pieces: Vec<&str> = text.split_whitespace().collect();
    let words: Vec<String> = pieces.iter().map(|piece| plain(piece)).collect();
    let from = |at: usize| pieces[at..].join(" ");
    let introduces = |word: &str| FRAMING.introductions.contains(word) || PERSONS.contains(&word);
    for at in 1..words.len() {
        let whether = matches!(words[at].as_str(), "if" | "whether");
        if !(whether || FRAMING.asking.contains(&words[at])) {
            continue;
        }
        // "… the day on which" and "the door that" specify a noun.
        let mut begins = at;
        while begins > 0 && BEFORE.contains(&words[begins - 1].as_str()) {
            begins -= 1;
        }
        let mut last = begins;
        while last > 0 && BETWEEN.contains(&words[last - 1].as_str()) {
            last -= 1;
        }
        if last > 0 && introduces(&words[last - 1]) {
            return Some(from(if whether { at } else { begins }));
        }
    }
    // "Would it be right to say that …": an introduction that asks for yes or no.
    let opens = words.first().is_some_and(|word| FRAMING.auxiliaries.contains(word));
    let that = (1..words.len()).find(|at| words[*at] == "that" && *at + 1 < words.len());
    if let Some(at) = that.filter(|at| opens && *at > 1) {
        let judged =
            matches!(words[at - 1].as_str(), "true" | "correct" | "right" | "case" | "fact" | "possible");
        if judged || FRAMING.introductions.contains(&words[at - 1]) {
            return Some(format!("whether {}", from(at + 1)));
        }
    }
    requested(&words).map(from)
}

/// Returns the position after a request for a thing: "please tell me", "let me know", "inform us of".
fn requested(words: &[String]) -> Option<usize> {
    /// Words of an introduction before its verb.
    const POLITE: usize = 10;
    let at = (0..words.len().min(POLITE)).find(|at| {
        FRAMING.telling.contains(&words[*at])
            && words.get(at + 1).is_some_and(|next| matches!(next.as_str(), "me" | "us"))
    })?;
    let mut next = at + 2;
    while words
        .get(next)
        .is_some_and(|word| matches!(word.as_str(), "know" | "of" | "about" | "please" | "have"))
    {
        next += 1;
    }
    let framing = words[..at].iter().all(|word| {
        crate::words::is_stop_word(word)
            || super::super::vocabulary::VOCABULARY.is_light(word)
            || FRAMING.auxiliaries.contains(word)
            || FRAMING.introductions.contains(word)
            || MARKERS.contains(&word.as_str())
    });
    (framing && next < words.len()).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn introductions_and_courtesies_are_left_out() {
        for (question, text) in [
            ("I was wondering if the sauna is open.", "if the sauna is open."),
            ("Do you happen to know at what time the ferry leaves?", "at what time the ferry leaves?"),
            ("Would you be so kind as to tell me whether the path is lit?", "whether the path is lit?"),
            ("Could you tell me if you know how deep the well is?", "how deep the well is?"),
            ("May I ask what you charge for a boat, if that is not rude?", "what you charge for a boat"),
            ("Is it true that the roof leaks?", "whether the roof leaks?"),
            ("Kindly let me know the number of the hut", "the number of the hut"),
            ("which is the day on which they come", "which is the day on which they come"),
            ("Is there a place where I can rest?", "Is there a place where I can rest?"),
            ("price of tea", "price of tea"),
        ] {
            assert_eq!(bare(question).text, text, "{question}");
        }
    }

    #[test]
    fn clauses_before_the_question_are_its_context() {
        let of = |question: &str| bare(question);
        let found = of("Hi, my boat needs a new rope, so how much is one?");
        assert_eq!((found.text.as_str(), found.refers), ("how much is one?", true));
        assert!(found.context.contains("boat needs a new rope"));
        let found = of("The boat with oars, what does it cost?");
        assert_eq!(found.text, "The boat with oars, what does it cost?");
        let found = of("we are five people - what does the hut cost?");
        assert_eq!((found.text.as_str(), found.refers), ("what does the hut cost?", false));
        let found = of("Is there a table, a bench and a lamp?");
        assert_eq!(found.text, "Is there a table a bench and a lamp?");
    }
}
