//! WordPiece tokens of BERT's uncased vocabulary (Wu et al., 2016; Devlin et al., 2019).

use std::collections::HashMap;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Maximum length of a word in characters; longer ones are unknown.
const MAX_WORD: usize = 100;

/// Splits texts into tokens.
pub(super) struct Tokenizer {
    vocabulary: HashMap<String, i32>,
    /// Ids of the tokens for the start, the end, and unknown words.
    start: i32,
    end: i32,
    unknown: i32,
}

impl Tokenizer {
    /// Reads a vocabulary with one token a line, or returns `None` if a special token is missing.
    pub(super) fn new(vocabulary: &str) -> Option<Tokenizer> {
        let ids = vocabulary.lines().zip(0..).map(|(token, id)| (token.to_owned(), id));
        let vocabulary: HashMap<String, i32> = ids.collect();
        let special = |token: &str| vocabulary.get(token).copied();
        let (start, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        Some(Tokenizer { vocabulary, start, end, unknown })
    }

    /// Returns the ids of at most `most` tokens, including those for the start and the end.
    pub(super) fn tokens(&self, text: &str, most: usize) -> Vec<i32> {
        let mut out = vec![self.start];
        out.extend(words(text).iter().flat_map(|word| self.pieces(word)).take(most.saturating_sub(2)));
        out.push(self.end);
        out
    }

    /// Returns the longest known pieces of a word from left to right.
    fn pieces(&self, word: &str) -> Vec<i32> {
        let chars: Vec<char> = word.chars().collect();
        if chars.len() > MAX_WORD {
            return vec![self.unknown];
        }
        let mut out = Vec::new();
        let mut from = 0;
        while from < chars.len() {
            let prefix = if from > 0 { "##" } else { "" };
            let piece = (from + 1..=chars.len()).rev().find_map(|to| {
                let piece: String = prefix.chars().chain(chars[from..to].iter().copied()).collect();
                Some((to, *self.vocabulary.get(&piece)?))
            });
            let Some((to, id)) = piece else { return vec![self.unknown] };
            out.push(id);
            from = to;
        }
        out
    }
}

/// Returns the words in lower case without accents. Each punctuation mark and each ideograph is a
/// word.
fn words(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let plain = text.to_lowercase();
    for c in plain.nfd().filter(|c| !is_combining_mark(*c)) {
        let skipped = c.is_whitespace() || c.is_control() || c == '\u{fffd}';
        if !skipped && c.is_alphanumeric() && !is_ideograph(c) {
            if let Some(word) = out.last_mut() {
                word.push(c);
            }
        } else if skipped && !c.is_whitespace() {
            // Control characters are removed, and part no word.
        } else {
            out.extend((!skipped).then(|| c.to_string()));
            out.push(String::new());
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Whether a character is a Chinese, Japanese or Korean ideograph.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x4e00..=0x9fff | 0x3400..=0x4dbf | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_into_known_pieces() {
        let tokenizer =
            Tokenizer::new("[PAD]\n[UNK]\n[CLS]\n[SEP]\nroom\n##s\nbed\n##room\n!\ncafe\n##fe").unwrap();
        assert_eq!(tokenizer.tokens("Bedrooms!", 16), [2, 6, 7, 5, 8, 3]);
        assert_eq!(tokenizer.tokens("Café", 16), [2, 9, 3]);
        assert_eq!(tokenizer.tokens("xyz room", 16), [2, 1, 4, 3]);
        assert_eq!(tokenizer.tokens("room room room", 4), [2, 4, 4, 3]);
        assert_eq!(tokenizer.tokens("", 4), [2, 3]);
        assert!(Tokenizer::new("room").is_none());
    }

    #[test]
    fn marks_and_ideographs_are_words() {
        assert_eq!(words("It's 2.5 m"), ["it", "'", "s", "2", ".", "5", "m"]);
        assert_eq!(words("厨房a"), ["厨", "房", "a"]);
        assert_eq!(words("a\u{0}b"), ["ab"]);
    }
}
