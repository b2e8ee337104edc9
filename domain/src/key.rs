//! API key secrets: `sc_test_<32 letters and digits><6 of checksum>`.
//!
//! The checksum lets the service and secret scanners reject a mistyped key without a lookup. Only
//! the SHA-256 of a secret is stored. The secret has 190 bits of randomness, so a slow hash would
//! add nothing.

use rand::Rng;
use sha2::{Digest, Sha256};

use crate::Mode;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Number of random letters and digits of a secret.
const RANDOM_LENGTH: usize = 32;
/// Number of letters and digits of the checksum.
const CHECKSUM_LENGTH: usize = 6;

/// The secret of a key. `Debug` never shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct KeySecret(String);

impl std::fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}…", self.hint())
    }
}

impl KeySecret {
    /// Generates a secret for a key of this mode.
    pub fn generate(mode: Mode) -> Self {
        let body = format!("{}{}", prefix(mode), random_text(RANDOM_LENGTH));
        let check = checksum(&body);
        Self(format!("{body}{check}"))
    }

    /// Parses a presented secret. Returns `None` if its form or checksum is wrong.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("sc_test_").or_else(|| text.strip_prefix("sc_live_"))?;
        if rest.len() != RANDOM_LENGTH + CHECKSUM_LENGTH || !rest.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
        let (body, check) = text.split_at(text.len() - CHECKSUM_LENGTH);
        (checksum(body) == check).then(|| Self(text.to_owned()))
    }

    /// Returns the mode, which the prefix states.
    pub fn mode(&self) -> Mode {
        if self.0.starts_with("sc_live_") { Mode::Live } else { Mode::Test }
    }

    /// Returns the SHA-256 hash in hex, which is stored and looked up.
    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0.as_bytes()))
    }

    /// Returns the first characters, to tell keys apart: `sc_test_Ab12`.
    pub fn hint(&self) -> &str {
        &self.0[..12]
    }

    /// Returns the secret itself, to show it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Generates random letters and digits, about 6 bits each, from the system's cryptographic source.
pub fn random_text(length: usize) -> String {
    let mut rng = rand::rng();
    (0..length).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect()
}

fn prefix(mode: Mode) -> &'static str {
    match mode {
        Mode::Test => "sc_test_",
        Mode::Live => "sc_live_",
    }
}

fn checksum(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    digest[..CHECKSUM_LENGTH].iter().map(|b| char::from(ALPHABET[usize::from(*b) % ALPHABET.len()])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_flipped_letter() {
        let key = KeySecret::generate(Mode::Test);
        assert_eq!(KeySecret::parse(key.reveal()), Some(key.clone()));
        let mut broken = key.reveal().to_owned();
        let last = broken.pop().unwrap();
        broken.push(if last == 'a' { 'b' } else { 'a' });
        assert_eq!(KeySecret::parse(&broken), None);
        assert!(!format!("{key:?}").contains(&key.reveal()[12..]));
    }
}
