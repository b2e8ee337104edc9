//! Splits a text into words, numbers and symbols.

use std::ops::Range;

/// A word, a number in digits, or a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::enrich) struct Token {
    /// The token in lower case.
    pub(in crate::enrich) text: String,
    /// Its bytes in the text.
    pub(in crate::enrich) range: Range<usize>,
}

impl Token {
    /// Returns true for a number in digits.
    pub(in crate::enrich) fn is_digits(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Returns true for a word.
    pub(in crate::enrich) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || is_degree(c))
    }

    /// Returns true if the token is one of these.
    pub(in crate::enrich) fn is(&self, texts: &[&str]) -> bool {
        texts.contains(&self.text.as_str())
    }
}

/// Splits a text. Digits keep separators between them ("1.200,5"), words keep apostrophes and
/// digits ("don't", "m2"); any other character is a token of its own.
pub(in crate::enrich) fn tokenize(text: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let end_of = |at: usize| chars.get(at).map_or(text.len(), |(byte, _)| *byte);
    let char_at = |at: usize| chars.get(at).map(|(_, c)| *c);
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let (start, first) = chars[at];
        let mut end = at + 1;
        if first.is_whitespace() {
            at = end;
            continue;
        }
        if first.is_ascii_digit() {
            while let Some(c) = char_at(end) {
                let separates = matches!(c, '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{202f}')
                    && char_at(end + 1).is_some_and(|next| next.is_ascii_digit());
                if !c.is_ascii_digit() && !separates {
                    break;
                }
                end += 1;
            }
        } else if first.is_alphabetic() || is_degree(first) {
            while let Some(c) = char_at(end) {
                let inner = matches!(c, '\'' | '’') && char_at(end + 1).is_some_and(char::is_alphabetic);
                if !(c.is_alphabetic() || c.is_ascii_digit() || matches!(c, '²' | '³') || inner) {
                    break;
                }
                end += 1;
            }
        }
        let range = start..end_of(end);
        out.push(Token { text: text[range.clone()].to_lowercase().replace('’', "'"), range });
        at = end;
    }
    out
}

fn is_degree(c: char) -> bool {
    matches!(c, '°' | 'º')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_numbers_and_symbols() {
        let split = |text: &str| tokenize(text).into_iter().map(|token| token.text).collect::<Vec<_>>();
        assert_eq!(split("12' x 10'"), ["12", "'", "x", "10", "'"]);
        assert_eq!(split("€1.200,50/Monat"), ["€", "1.200,50", "/", "monat"]);
        assert_eq!(split("Don’t: 2.4m², 55°C."), ["don't", ":", "2.4", "m²", ",", "55", "°c", "."]);
        assert_eq!(split("9-18 wi-fi"), ["9", "-", "18", "wi", "-", "fi"]);
        assert!(split(" \u{a0} ").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn tokens_are_parts_of_the_text_in_order(text in "\\PC{0,60}") {
            let mut end = 0;
            for token in tokenize(&text) {
                proptest::prop_assert!(token.range.start >= end && token.range.end > token.range.start);
                end = token.range.end;
                proptest::prop_assert!(text.get(token.range).is_some());
            }
        }
    }
}
