//! Splits a text into questions, and a question into parts.

use super::super::{passages::is_abbreviation, vocabulary::with_unit_apart};
use crate::words::tokens;

/// Words that begin a question.
const OPENERS: [&str; 42] = [
    "what", "whats", "which", "when", "whens", "where", "wheres", "who", "whos", "whose", "whom", "how",
    "hows", "why", "is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would",
    "should", "may", "has", "have", "had", "am", "any", "anyone", "whether", "if", "tell", "give", "list",
    "name", "show", "isnt", "arent",
];
/// Short questions about the subject of the part before.
const BACK: [&str; 6] = ["it", "they", "them", "that", "this", "one"];

/// Returns the parts of a text that ask something; the whole text if none is found.
pub(super) fn parts(text: &str) -> Vec<String> {
    let sentences = sentences(text);
    let several = sentences.len() > 1;
    let asks = |sentence: &String| {
        let words = words(sentence);
        let opens = words.first().is_some_and(|word| OPENERS.contains(&word.as_str()));
        sentence.trim_end().ends_with('?') || opens
    };
    let asked: Vec<String> = if several && sentences.iter().any(&asks) {
        sentences.into_iter().filter(asks).collect()
    } else {
        vec![text.to_owned()]
    };
    asked.iter().flat_map(|sentence| at_conjunctions(sentence)).collect()
}

/// Splits at the ends of sentences. A point within a number or an abbreviation does not split.
fn sentences(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let before = out.last().map(String::as_str).unwrap_or_default();
        let stops = chars.peek().is_none_or(|next| next.is_whitespace()) && !is_abbreviation(before);
        let ends = matches!(c, '?' | '!' | ';' | '\n') || (c == '.' && stops);
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
        if ends {
            out.push(String::new());
        }
    }
    out.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    out
}

/// Splits before "and" or "or" that is followed by a question word: "when is it, and where?"
fn at_conjunctions(sentence: &str) -> Vec<String> {
    const JOINTS: [&str; 4] = ["and", "also", "plus", "or"];
    const WH: [&str; 9] = ["what", "whats", "when", "where", "wheres", "who", "how", "which", "why"];
    const VERBS: [&str; 10] = ["is", "are", "does", "do", "can", "was", "were", "will", "did", "has"];
    let pieces: Vec<&str> = sentence.split_whitespace().collect();
    let plain = |piece: &str| tokens(piece).concat();
    let mut out: Vec<Vec<&str>> = vec![Vec::new()];
    for (at, piece) in pieces.iter().enumerate() {
        let next = pieces.get(at + 1).map(|next| plain(next)).unwrap_or_default();
        let joint = JOINTS.contains(&plain(piece).as_str());
        let asks = WH.contains(&next.as_str()) || (VERBS.contains(&next.as_str()) && plain(piece) != "or");
        let begun = out.last().is_some_and(|words| {
            words.len() > 1 || words.iter().any(|word| WH.contains(&plain(word).as_str()))
        });
        let asked = pieces[..at].iter().any(|word| WH.contains(&plain(word).as_str()));
        if joint && asks && begun && (asked || !is_introduction(&pieces[..at])) {
            out.push(Vec::new());
        } else if let Some(last) = out.last_mut() {
            last.push(piece);
        }
    }
    out.iter().map(|words| words.join(" ")).filter(|text| !text.is_empty()).collect()
}

/// Whether these words only introduce a question: "Could you tell me".
fn is_introduction(words: &[&str]) -> bool {
    words.iter().all(|word| crate::words::is_stop_word(&tokens(word).concat()))
}

/// Whether a part has no subject of its own, or only a pronoun.
pub(super) fn refers_back(text: &str) -> bool {
    let words = words(text);
    words.len() <= 3 || words.iter().any(|word| BACK.contains(&word.as_str()))
}

/// Returns the lower-case words of a question. Contractions of "is" become two words, negations one
/// ("isnt"), and possessives lose their ending.
pub(in crate::ask) fn words(text: &str) -> Vec<String> {
    let text = text.replace('’', "'").to_lowercase();
    let text =
        text.replace("n't", "nt").replace("'re", " are").replace("'ll", " will").replace("'d", " would");
    let mut text = text.replace("'ve", " have").replace("i'm", "i am");
    for word in ["what", "where", "who", "when", "how", "it", "that", "there", "here"] {
        text = text.replace(&format!("{word}'s"), &format!("{word} is"));
    }
    let words = tokens(&text.replace("'s", "")).into_iter().map(question_word);
    words.flat_map(|word| with_unit_apart(&word)).collect()
}

/// Returns a question word that was written without its "h" ("wich") in full, other words as they are.
fn question_word(word: String) -> String {
    let full = word.strip_prefix('w').map(|rest| format!("wh{rest}"));
    let asks = |full: &String| OPENERS.contains(&full.as_str());
    full.filter(|full| asks(full) && !OPENERS.contains(&word.as_str())).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_sentences_and_joined_question_words() {
        let of = |text: &str| parts(text);
        assert_eq!(of("When is it and where?"), ["When is it", "where?"]);
        assert_eq!(words("wich room, and were they there"), words("which room, and were they there"));
        assert_eq!(of("Hi! I am new here. Where do I pay?"), ["Where do I pay?"]);
        assert_eq!(of("Is there a couch and a bed?"), ["Is there a couch and a bed?"]);
        assert_eq!(of("price of 2.50 tea").len(), 1);
        assert_eq!(of("What does it cost, and is it open on Sunday?").len(), 2);
    }
}
