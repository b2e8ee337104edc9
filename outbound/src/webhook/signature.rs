//! Signs and verifies webhook requests: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw
//! body>">`.
//!
//! The key is the whole secret, including the `whsec_` prefix. During a rotation the header has one
//! `v1` for each secret, so receivers may use either. The scheme is Stripe's, so receivers can
//! verify with Stripe's libraries. The same code verifies Stripe's notifications.

use std::time::Duration;

use domain::{Secret, Timestamp};
use hmac::{Hmac, Mac};
use rand::{Rng, distr::Alphanumeric};
use sha2::Sha256;

use crate::seal::{SealError, Sealer};

/// Maximum difference between the time of a signature and the receiver's clock.
pub const SIGNATURE_TOLERANCE: Duration = Duration::from_secs(300);

/// Prefix of signing secrets.
const SECRET_PREFIX: &str = "whsec_";
/// Number of random letters and digits after the prefix: 238 bits.
const SECRET_RANDOM_CHARS: usize = 40;
/// Maximum number of header entries that are read, so that a long header costs no more than a short
/// one.
const MAX_ENTRIES: usize = 16;

/// Secrets with which the requests to an endpoint are signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningSecrets {
    /// The current secret.
    pub current: Secret,
    /// The previous secret, until the rotation ends.
    pub retiring: Option<Secret>,
}

impl SigningSecrets {
    /// Opens the sealed secrets of an endpoint. `retiring` is the previous secret during a
    /// rotation.
    pub fn open(
        sealer: &Sealer,
        endpoint: &str,
        current: &str,
        retiring: Option<&str>,
    ) -> Result<Self, SealError> {
        let retiring = retiring.map(|sealed| sealer.open(sealed, endpoint)).transpose()?;
        Ok(Self { current: sealer.open(current, endpoint)?, retiring })
    }
}

impl From<Secret> for SigningSecrets {
    fn from(current: Secret) -> Self {
        Self { current, retiring: None }
    }
}

/// Generates a signing secret from the operating system's randomness.
pub fn generate_secret() -> Secret {
    let random: String =
        rand::rng().sample_iter(Alphanumeric).take(SECRET_RANDOM_CHARS).map(char::from).collect();
    Secret::new(format!("{SECRET_PREFIX}{random}"))
}

/// Returns the signature header for `body` sent at `t` (unix seconds).
pub fn sign(secrets: &SigningSecrets, t: i64, body: &[u8]) -> String {
    let mut header = format!("t={t}");
    for secret in std::iter::once(&secrets.current).chain(&secrets.retiring) {
        header.push_str(",v1=");
        header.push_str(&hex::encode(mac(secret, &t.to_string(), body).finalize().into_bytes()));
    }
    header
}

/// Reason why a signature is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header is not `t=…,v1=…` with exactly one `t` of digits.
    #[error("the signature header is malformed")]
    Malformed,
    /// No `v1` of the header matches the body under this secret.
    #[error("the signature does not match the body")]
    Mismatch,
    /// The signature is too old or too far in the future.
    #[error("the time of the signature is outside of the tolerance")]
    OutsideTolerance,
}

/// Verifies a signature header as receivers do: over the raw body, in constant time, and only near
/// `now`.
pub fn verify(
    secret: &Secret,
    header: &str,
    body: &[u8],
    now: Timestamp,
    tolerance: Duration,
) -> Result<(), SignatureError> {
    let (mut time, mut candidates) = (None, Vec::new());
    for entry in header.split(',').take(MAX_ENTRIES) {
        match entry.trim().split_once('=') {
            Some(("t", digits)) if time.is_none() => time = Some(digits),
            Some(("t", _)) | None => return Err(SignatureError::Malformed),
            Some(("v1", mac)) => candidates.push(mac),
            // Ignores unknown schemes, which may be added later.
            Some(_) => {}
        }
    }
    let time = time.ok_or(SignatureError::Malformed)?;
    if candidates.is_empty() || time.is_empty() || !time.bytes().all(|b| b.is_ascii_digit()) {
        return Err(SignatureError::Malformed);
    }
    let seconds: i64 = time.parse().map_err(|_| SignatureError::Malformed)?;

    // Uses the digits as sent: `t=007` was not signed as `7`. Compares all candidates, each in
    // constant time.
    let expected = mac(secret, time, body);
    let matches = candidates.iter().fold(false, |found, candidate| {
        let equal = hex::decode(candidate).is_ok_and(|bytes| expected.clone().verify_slice(&bytes).is_ok());
        found | equal
    });
    if !matches {
        return Err(SignatureError::Mismatch);
    }
    if now.as_seconds().abs_diff(seconds) > tolerance.as_secs() {
        return Err(SignatureError::OutsideTolerance);
    }
    Ok(())
}

fn mac(secret: &Secret, time: &str, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()).expect("any length of key");
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    mac
}
