//! Estimates the number of tokens of a text, without the vocabulary of a model.

/// Maximum number of tokens of a response's text.
pub const MAX_TOKENS: usize = 1_900;

/// Returns an estimate of the number of tokens of a text. It is meant to be too high rather than too
/// low: byte-pair vocabularies have one token for most short words, for up to three digits, and for
/// many pairs of punctuation, and characters outside ASCII take one token or more each.
pub fn estimate(text: &str) -> usize {
    let mut tokens = 0;
    let mut run = 0;
    let mut class = Class::Space;
    for character in text.chars() {
        let next = Class::of(character);
        if next != class {
            tokens += class.tokens(run);
            (class, run) = (next, 0);
        }
        run += 1;
    }
    tokens + class.tokens(run)
}

/// Characters that a vocabulary joins into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Letters,
    Digits,
    Punctuation,
    Other,
}

impl Class {
    fn of(character: char) -> Self {
        match character {
            ' ' => Self::Space,
            'a'..='z' | 'A'..='Z' => Self::Letters,
            '0'..='9' => Self::Digits,
            character if character.is_ascii() => Self::Punctuation,
            _ => Self::Other,
        }
    }

    /// Returns the tokens of a run of this many characters.
    fn tokens(self, run: usize) -> usize {
        match self {
            // A space joins the word that follows.
            Self::Space => run.saturating_sub(1).div_ceil(4),
            Self::Letters => run.div_ceil(5),
            Self::Digits => run.div_ceil(3),
            Self::Punctuation => run.div_ceil(2),
            Self::Other => run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_words_digits_and_other_scripts() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("The exit is here"), 4);
        assert_eq!(estimate("20261122"), 3);
        assert_eq!(estimate("出口"), 2);
        assert!(estimate(r#"{"id":"txt_8f3a19c2"}"#) >= 10);
    }
}
