//! Encrypts secrets at rest that must be readable again, such as the signing secrets of webhook
//! endpoints.
//!
//! Sealed secrets use XChaCha20-Poly1305 and the format `v1.<key id>.<base64url of nonce and
//! ciphertext>`. Nonces are 24 random bytes, so no counter must survive a crash. The owner of the
//! secret (the id of the endpoint) is authenticated data: a sealed secret that is copied to another
//! row cannot be opened there. The first configured key seals and all configured keys open, so keys
//! can be rotated.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use domain::Secret;
use rand::RngCore;
use serde::{Deserialize, Serialize};

const VERSION: &str = "v1";
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;

/// Settings of the encryption of stored secrets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SealSettings {
    /// Master keys. The first key encrypts new secrets, all keys decrypt. To rotate, add a new key
    /// in front and remove the old one once no stored secret uses it.
    pub keys: Vec<MasterKey>,
}

/// A master key and its id.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MasterKey {
    /// Id that is stored with each secret: 1 to 32 letters, digits, `-` or `_`. Never reuse an id.
    pub id: String,
    /// Key: 32 random bytes in hex.
    pub key: Secret,
}

impl MasterKey {
    /// Generates a key with this id.
    pub fn generate(id: impl Into<String>) -> Self {
        let mut key = [0; KEY_BYTES];
        rand::rng().fill_bytes(&mut key);
        Self { id: id.into(), key: Secret::new(hex::encode(key)) }
    }
}

/// Error of invalid master keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealSettingsError {
    /// No key is configured.
    #[error("no master key is configured")]
    NoKey,
    /// The id of a key is invalid.
    #[error("master key id `{0}` is not 1 to 32 letters, digits, - or _")]
    KeyId(String),
    /// Two keys have the same id.
    #[error("master key id `{0}` is used twice")]
    Repeated(String),
    /// A key is not 64 hex digits.
    #[error("master key `{0}` is not 32 bytes in hex")]
    Key(String),
}

/// Reason why a sealed secret cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The text is not a sealed secret.
    #[error("the text is not a sealed secret")]
    Malformed,
    /// The key that sealed the secret is not configured.
    #[error("the secret was sealed with master key `{0}`, which is not configured")]
    UnknownKey(String),
    /// Another key has this id, the secret was sealed for another owner, or it was altered.
    #[error("the sealed secret cannot be opened: wrong key, wrong owner, or altered")]
    Rejected,
}

/// Seals and opens secrets.
#[derive(Clone)]
pub struct Sealer {
    current: Key,
    older: Vec<Key>,
}

#[derive(Clone)]
struct Key {
    id: String,
    cipher: XChaCha20Poly1305,
}

impl Sealer {
    /// Builds a sealer with the configured keys.
    pub fn new(settings: &SealSettings) -> Result<Self, SealSettingsError> {
        let mut keys: Vec<Key> = Vec::new();
        for master in &settings.keys {
            let key = Key::new(master)?;
            if keys.iter().any(|earlier| earlier.id == key.id) {
                return Err(SealSettingsError::Repeated(key.id));
            }
            keys.push(key);
        }
        let mut keys = keys.into_iter();
        let current = keys.next().ok_or(SealSettingsError::NoKey)?;
        Ok(Self { current, older: keys.collect() })
    }

    /// Seals a secret for its owner (an id). Sealing the same secret twice returns different texts.
    pub fn seal(&self, secret: &Secret, owner: &str) -> String {
        let mut nonce = [0; NONCE_BYTES];
        rand::rng().fill_bytes(&mut nonce);
        let header = header(&self.current.id);
        let payload = Payload { msg: secret.reveal().as_bytes(), aad: &associated(&header, owner) };
        let ciphertext = self
            .current
            .cipher
            .encrypt(XNonce::from_slice(&nonce), payload)
            .expect("a secret is far shorter than the cipher's limit of 256 GiB");
        let sealed = BASE64_URL_SAFE_NO_PAD.encode([&nonce[..], &ciphertext].concat());
        format!("{header}{sealed}")
    }

    /// Opens a secret that was sealed for this owner.
    pub fn open(&self, sealed: &str, owner: &str) -> Result<Secret, SealError> {
        let (id, data) = parts(sealed)?;
        let key = std::iter::once(&self.current)
            .chain(&self.older)
            .find(|key| key.id == id)
            .ok_or_else(|| SealError::UnknownKey(id.to_owned()))?;
        let data = BASE64_URL_SAFE_NO_PAD.decode(data).map_err(|_| SealError::Malformed)?;
        let (nonce, ciphertext) = data.split_at_checked(NONCE_BYTES).ok_or(SealError::Malformed)?;
        let payload = Payload { msg: ciphertext, aad: &associated(&header(id), owner) };
        let plain =
            key.cipher.decrypt(XNonce::from_slice(nonce), payload).map_err(|_| SealError::Rejected)?;
        String::from_utf8(plain).map(Secret::new).map_err(|_| SealError::Rejected)
    }

    /// Returns whether a secret was sealed with the current key. If not, seal it again before the
    /// old key is removed.
    pub fn is_current(&self, sealed: &str) -> bool {
        parts(sealed).is_ok_and(|(id, _)| id == self.current.id)
    }
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealer").field("current", &self.current.id).finish_non_exhaustive()
    }
}

impl Key {
    fn new(master: &MasterKey) -> Result<Self, SealSettingsError> {
        let id = &master.id;
        let is_name = (1..=32).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if !is_name {
            return Err(SealSettingsError::KeyId(id.clone()));
        }
        let mut bytes = [0; KEY_BYTES];
        hex::decode_to_slice(master.key.reveal(), &mut bytes)
            .map_err(|_| SealSettingsError::Key(id.clone()))?;
        Ok(Self { id: id.clone(), cipher: XChaCha20Poly1305::new(&bytes.into()) })
    }
}

fn header(key_id: &str) -> String {
    format!("{VERSION}.{key_id}.")
}

/// Builds the authenticated data. The header contains no line break, so no owner can be confused
/// with a part of it.
fn associated(header: &str, owner: &str) -> Vec<u8> {
    format!("{header}\n{owner}").into_bytes()
}

/// Splits a sealed secret into the key id and the data.
fn parts(sealed: &str) -> Result<(&str, &str), SealError> {
    let rest = sealed.strip_prefix(VERSION).and_then(|rest| rest.strip_prefix('.'));
    rest.and_then(|rest| rest.split_once('.')).ok_or(SealError::Malformed)
}
