//! Secrets of users: session cookies and mailed tokens. They have 256 bits of randomness, so only a
//! fast hash of them is stored, as for API keys.

use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::key::random_text;

/// Number of letters and digits of a token, about 6 bits each.
const LENGTH: usize = 43;

/// A token. `Debug` never shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[token]")
    }
}

impl Token {
    /// Generates a token.
    pub fn generate() -> Self {
        Self(random_text(LENGTH))
    }

    /// Parses a presented token. Returns `None` if its form is wrong.
    pub fn parse(text: &str) -> Option<Self> {
        let well_formed = text.len() == LENGTH && text.bytes().all(|b| b.is_ascii_alphanumeric());
        well_formed.then(|| Self(text.to_owned()))
    }

    /// Returns the SHA-256 hash in hex, which is stored and looked up.
    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0.as_bytes()))
    }

    /// Returns the secret itself, for its user.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Purpose of a mailed token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPurpose {
    /// Confirms the mail address.
    ConfirmEmail,
    /// Resets the password.
    ResetPassword,
}

impl TokenPurpose {
    /// All purposes.
    pub const ALL: [TokenPurpose; 2] = [TokenPurpose::ConfirmEmail, TokenPurpose::ResetPassword];

    /// Returns the name used in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            TokenPurpose::ConfirmEmail => "confirm_email",
            TokenPurpose::ResetPassword => "reset_password",
        }
    }

    /// Parses the result of [`TokenPurpose::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == text)
    }

    /// Returns the lifetime of such a token. Tokens that grant more live shorter.
    pub const fn lifetime(self) -> Duration {
        match self {
            TokenPurpose::ConfirmEmail => Duration::from_secs(3 * 24 * 60 * 60),
            TokenPurpose::ResetPassword => Duration::from_secs(60 * 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_tokens_and_hides_them_in_debug() {
        let token = Token::generate();
        assert_eq!(Token::parse(token.reveal()), Some(token.clone()));
        assert_ne!(token, Token::generate());
        assert!(!format!("{token:?}").contains(token.reveal()));
        for bad in ["", "short", &"x".repeat(LENGTH + 1), &format!("{}-", "x".repeat(LENGTH - 1))] {
            assert_eq!(Token::parse(bad), None, "{bad}");
        }
    }
}
