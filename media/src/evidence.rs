//! Signed URLs of evidence: `GET /v1/media/{key}?expires=…&signature=…`.
//!
//! A signed URL allows anyone who has it to read one object until it expires. The API signs URLs
//! when it returns a document and never stores them.

use std::time::Duration;

use domain::{RotatingSecret, Secret, Timestamp};
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Default lifetime of a signed URL.
pub const DEFAULT_TTL: Duration = Duration::from_secs(3600);

/// First line of the signed text. It names the purpose and the version, so that the same secret can
/// sign other things without their signatures being valid here.
const PURPOSE: &str = "scan-evidence-v1";
/// Characters that aren't percent-encoded in a path segment (RFC 3986, unreserved). A key is one
/// segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Reason why a signed URL is rejected. The API returns the same error for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The signature doesn't match the key and the time.
    #[error("the signature does not match")]
    Signature,
    /// The signature matches, but the URL has expired.
    #[error("the URL has expired")]
    Expired,
}

/// Returns the path of an object, with its key percent-encoded as one segment.
pub fn evidence_path(key: &str) -> String {
    format!("/v1/media/{}", utf8_percent_encode(key, SEGMENT))
}

/// Returns the query that makes [`evidence_path`] readable from `now` until `now + ttl`.
pub fn sign(secret: &Secret, key: &str, now: Timestamp, ttl: Duration) -> String {
    let expires = now.plus(ttl).as_seconds();
    format!("expires={expires}&signature={}", signature(secret, key, expires))
}

/// Verifies the decoded key and both query parameters of a request.
///
/// # Errors
/// Returns [`VerifyError`]. The time is compared only if the signature matches.
pub fn verify(
    secret: &Secret,
    key: &str,
    expires: i64,
    received: &str,
    now: Timestamp,
) -> Result<(), VerifyError> {
    // Compares the text: decoding would accept upper-case hex and so a second signature.
    if !bool::from(signature(secret, key, expires).as_bytes().ct_eq(received.as_bytes())) {
        return Err(VerifyError::Signature);
    }
    if now.as_seconds() >= expires {
        return Err(VerifyError::Expired);
    }
    Ok(())
}

/// Verifies as [`verify`] does, with the secret that signed the URL.
///
/// # Errors
/// Returns [`VerifyError`].
pub fn verify_any(
    secrets: &RotatingSecret,
    key: &str,
    expires: i64,
    received: &str,
    now: Timestamp,
) -> Result<(), VerifyError> {
    let mut verdicts = secrets.all().map(|secret| verify(secret, key, expires, received, now));
    verdicts.find(|verdict| *verdict != Err(VerifyError::Signature)).unwrap_or(Err(VerifyError::Signature))
}

/// Computes the hex HMAC-SHA256 of purpose, time and key, one on each line. The key comes last
/// because it may contain a line break.
fn signature(secret: &Secret, key: &str, expires: i64) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes())
        .unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
    mac.update(format!("{PURPOSE}\n{expires}\n{key}").as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_254_896_007);
    const KEY: &str = "scans/scn_1/frames/frm_00001.jpg";

    fn secret() -> Secret {
        Secret::new("a secret of this service")
    }

    /// Returns the parameters of a query made by [`sign`].
    fn parts(query: &str) -> (i64, String) {
        let (expires, signature) = query.split_once('&').unwrap();
        let expires = expires.strip_prefix("expires=").unwrap().parse().unwrap();
        (expires, signature.strip_prefix("signature=").unwrap().to_owned())
    }

    #[test]
    fn signed_url_is_valid_until_it_expires() {
        let (expires, signature) = parts(&sign(&secret(), KEY, NOW, DEFAULT_TTL));
        let at = |time| verify(&secret(), KEY, expires, &signature, time);
        assert_eq!(at(NOW), Ok(()));
        assert_eq!(at(NOW.plus(Duration::from_secs(3599))), Ok(()));
        assert_eq!(at(NOW.plus(Duration::from_secs(3600))), Err(VerifyError::Expired));
        assert_eq!(
            verify(&Secret::new("another"), KEY, expires, &signature, NOW),
            Err(VerifyError::Signature)
        );
        assert_eq!(verify(&secret(), KEY, expires, "", NOW), Err(VerifyError::Signature));
    }

    #[test]
    fn signature_format_is_stable() {
        // Computed with Python's hmac module. The test fails if the signed text changes.
        let expected = "608736b499580471cda8a00c974407bdef42b282348e8f8f7e82a22a72c558af";
        assert_eq!(signature(&secret(), KEY, 1_795_258_496), expected);
    }

    #[test]
    fn key_is_encoded_as_one_segment() {
        assert_eq!(evidence_path("scans/a b/ü?.jpg"), "/v1/media/scans%2Fa%20b%2F%C3%BC%3F.jpg");
    }

    proptest! {
        #[test]
        fn any_key_decodes_to_itself(key in any::<String>()) {
            let path = evidence_path(&key);
            let segment = path.strip_prefix("/v1/media/").unwrap();
            prop_assert!(segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~%".contains(&b)));
            let decoded = percent_encoding::percent_decode_str(segment).decode_utf8().unwrap();
            prop_assert_eq!(decoded, key);
        }

        #[test]
        fn rejects_any_flipped_bit(key in "[a-z0-9/_.]{1,40}", place in any::<prop::sample::Index>(), bit in 0_u8..7) {
            let query = sign(&secret(), &key, NOW, DEFAULT_TTL);
            let (expires, signature) = parts(&query);
            prop_assert_eq!(verify(&secret(), &key, expires, &signature, NOW), Ok(()));

            let flip = |text: &str| {
                let mut bytes = text.as_bytes().to_vec();
                bytes[place.index(text.len())] ^= 1 << bit;
                String::from_utf8(bytes).unwrap()
            };
            let mismatch = Err(VerifyError::Signature);
            prop_assert_eq!(verify(&secret(), &flip(&key), expires, &signature, NOW), mismatch);
            prop_assert_eq!(verify(&secret(), &key, expires, &flip(&signature), NOW), mismatch);
            let other = expires ^ (1 << place.index(62));
            prop_assert_eq!(verify(&secret(), &key, other, &signature, NOW), mismatch);
        }
    }
}
