//! Secrets of people, such as the cookie of a session. Like those of keys they are random enough (256 bits)
//! that a fast hash is all that is stored of them.

use sha2::{Digest, Sha256};

use crate::key::random_text;

/// Letters and digits of a token, about 6 bits each.
const LENGTH: usize = 43;

/// A secret as its holder presents it. `Debug` never shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[token]")
    }
}

impl Token {
    /// A fresh one.
    pub fn generate() -> Self {
        Self(random_text(LENGTH))
    }

    /// Reads a presented one; `None` when it cannot be one of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let ours = text.len() == LENGTH && text.bytes().all(|b| b.is_ascii_alphanumeric());
        ours.then(|| Self(text.to_owned()))
    }

    /// What is stored and looked up: SHA-256, hex.
    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0.as_bytes()))
    }

    /// The secret itself, for the one who is to hold it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_back_and_never_shown() {
        let token = Token::generate();
        assert_eq!(Token::parse(token.reveal()), Some(token.clone()));
        assert_ne!(token, Token::generate());
        assert!(!format!("{token:?}").contains(token.reveal()));
        for bad in ["", "short", &"x".repeat(LENGTH + 1), &format!("{}-", "x".repeat(LENGTH - 1))] {
            assert_eq!(Token::parse(bad), None, "{bad}");
        }
    }
}
