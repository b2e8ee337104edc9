//! Tokens of Whisper and the text that they spell.

use std::collections::HashMap;

use super::MODEL;
use super::network::VOCABULARY_SIZE;
use crate::models::ModelError;

/// Longest token that is tried when text is tokenised, in bytes.
const MAX_TOKEN_BYTES: usize = 24;

/// Text tokens and special tokens.
pub(super) struct Vocabulary {
    /// Bytes that each token spells.
    bytes: Vec<Vec<u8>>,
    /// End of text. All tokens before it are text.
    pub(super) end: usize,
    /// Start of the transcript.
    pub(super) start: usize,
    /// Start of the preceding context.
    pub(super) context_start: usize,
    /// No speech.
    pub(super) no_speech: usize,
    /// Requests text without times.
    pub(super) no_timestamps: usize,
    /// Time 0. The tokens after it count steps of 20 ms.
    pub(super) first_time: usize,
}

impl Vocabulary {
    /// Parses a file with one token per line.
    pub(super) fn parse(file: &[u8]) -> Result<Vocabulary, ModelError> {
        let file = std::str::from_utf8(file).map_err(|error| ModelError::malformed(MODEL, error))?;
        let lines: Vec<&str> = file.lines().collect();
        if lines.len() != VOCABULARY_SIZE {
            return Err(ModelError::malformed(MODEL, format!("{} tokens", lines.len())));
        }
        let find = |token: &str| {
            lines
                .iter()
                .position(|line| *line == token)
                .ok_or_else(|| ModelError::malformed(MODEL, format!("there is no token {token}")))
        };
        let letters = letters();
        Ok(Vocabulary {
            end: find("<|endoftext|>")?,
            start: find("<|startoftranscript|>")?,
            context_start: find("<|startofprev|>")?,
            no_speech: find("<|nocaptions|>")?,
            no_timestamps: find("<|notimestamps|>")?,
            first_time: find("<|0.00|>")?,
            bytes: lines
                .iter()
                .map(|line| line.chars().filter_map(|c| letters.get(&c).copied()).collect())
                .collect(),
        })
    }

    /// Returns a small vocabulary of these words.
    #[cfg(test)]
    pub(super) fn of_words(words: &[&[u8]]) -> Vocabulary {
        Vocabulary { bytes: words.iter().map(|word| word.to_vec()).collect(), ..Self::for_tests(words.len()) }
    }

    /// Returns a small vocabulary: `words` words, then end, start, no speech, no times, and times.
    #[cfg(test)]
    pub(super) fn for_tests(words: usize) -> Vocabulary {
        Vocabulary {
            bytes: Vec::new(),
            end: words,
            start: words + 1,
            context_start: words + 1,
            no_speech: words + 2,
            no_timestamps: words + 3,
            first_time: words + 4,
        }
    }

    /// Tokenises a text with the longest match at each position. The result may differ from
    /// byte-pair encoding, which is acceptable for a context.
    pub(super) fn tokens(&self, text: &str) -> Vec<usize> {
        let known: HashMap<&[u8], usize> =
            self.bytes.iter().take(self.end).enumerate().map(|(id, b)| (b.as_slice(), id)).collect();
        let (mut rest, mut tokens) = (text.as_bytes(), Vec::new());
        while !rest.is_empty() {
            let found =
                (1..=rest.len().min(MAX_TOKEN_BYTES)).rev().find_map(|n| Some((n, *known.get(&rest[..n])?)));
            // Every byte has a token in practice; unknown bytes are skipped.
            let (length, token) = found.map_or((1, None), |(n, token)| (n, Some(token)));
            tokens.extend(token);
            rest = &rest[length..];
        }
        tokens
    }

    /// Returns the bytes that a token spells.
    pub(super) fn token_bytes(&self, token: usize) -> &[u8] {
        self.bytes.get(token).map_or(&[], Vec::as_slice)
    }

    /// Returns the text that tokens spell, with normalised white space.
    pub(super) fn text(&self, tokens: impl Iterator<Item = usize>) -> String {
        let bytes: Vec<u8> = tokens.flat_map(|token| self.token_bytes(token)).copied().collect();
        String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Returns the byte that each character of the file stands for. As in GPT-2, byte-pair encoding
/// maps bytes that are not printable to characters from U+0100 on.
fn letters() -> HashMap<char, u8> {
    let visible = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let shown = (0..=255).filter(|&byte| visible(byte)).map(|byte| (char::from(byte), byte));
    let hidden =
        (0..=255).filter(|&byte| !visible(byte)).zip('\u{100}'..).map(|(byte, letter)| (letter, byte));
    shown.chain(hidden).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokenises_by_longest_match() {
        let vocabulary = Vocabulary::of_words(&[b"a", b"b", b" ", b" a", b"ab", b" ab"]);
        assert_eq!(vocabulary.tokens("ab aab a?"), [4, 3, 4, 3]);
        assert_eq!(vocabulary.text(vocabulary.tokens("ab aab").into_iter()), "ab aab");
    }

    #[test]
    fn letters_cover_all_bytes() {
        let letters = letters();
        assert_eq!(letters.len(), 256);
        assert_eq!(letters[&'a'], b'a');
        assert_eq!(letters[&'Ġ'], b' ');
        assert_eq!(letters[&'Ċ'], b'\n');
        assert_eq!(letters[&'ł'], 0xa0);
        assert_eq!(letters[&'Ń'], 0xad);
    }
}
