//! Addresses of evidence: `GET /v1/media/{key}?expires=…&signature=…`.
//!
//! Whoever has the address may read that one object until it expires. Addresses are made when a document
//! is read and never stored.

use std::time::Duration;

use domain::{Secret, Timestamp};
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// How long an address is good for unless told otherwise.
pub const DEFAULT_TTL: Duration = Duration::from_secs(3600);

/// First line of what is signed: another use of the same secret, or another version, signs otherwise.
const PURPOSE: &str = "scan-evidence-v1";
/// What a path segment carries as it is (RFC 3986 unreserved); a key is one segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Why an address is refused. Both are answered alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// Not made by us for this key and time.
    #[error("the signature does not fit")]
    Signature,
    /// Made by us, but its time is over.
    #[error("the address has expired")]
    Expired,
}

/// The path of an object, its key percent-encoded as one segment.
pub fn evidence_path(key: &str) -> String {
    format!("/v1/media/{}", utf8_percent_encode(key, SEGMENT))
}

/// The query that makes [`evidence_path`] readable from now until `ttl` from now.
pub fn sign(secret: &Secret, key: &str, now: Timestamp, ttl: Duration) -> String {
    let expires = now.plus(ttl).as_seconds();
    format!("expires={expires}&signature={}", signature(secret, key, expires))
}

/// Checks what came with a request: the decoded key, and both query parameters.
///
/// # Errors
/// [`VerifyError`]. The time is looked at only once the signature fits.
pub fn verify(
    secret: &Secret,
    key: &str,
    expires: i64,
    given: &str,
    now: Timestamp,
) -> Result<(), VerifyError> {
    // Compared as text: decoding would take upper case for lower and make two signatures of one.
    if !bool::from(signature(secret, key, expires).as_bytes().ct_eq(given.as_bytes())) {
        return Err(VerifyError::Signature);
    }
    if now.as_seconds() >= expires {
        return Err(VerifyError::Expired);
    }
    Ok(())
}

/// Hex HMAC-SHA256 over purpose, time and key, one a line. The key comes last: it alone may hold a
/// line's end.
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

    /// The parameters of a query made by [`sign`].
    fn parts(query: &str) -> (i64, String) {
        let (expires, signature) = query.split_once('&').unwrap();
        let expires = expires.strip_prefix("expires=").unwrap().parse().unwrap();
        (expires, signature.strip_prefix("signature=").unwrap().to_owned())
    }

    #[test]
    fn good_until_it_expires() {
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
    fn the_signature_stays_what_it_is() {
        // Computed with another implementation (Python's hmac), so that a change of the form is noticed.
        let expected = "608736b499580471cda8a00c974407bdef42b282348e8f8f7e82a22a72c558af";
        assert_eq!(signature(&secret(), KEY, 1_795_258_496), expected);
    }

    #[test]
    fn a_key_is_one_segment() {
        assert_eq!(evidence_path("scans/a b/ü?.jpg"), "/v1/media/scans%2Fa%20b%2F%C3%BC%3F.jpg");
    }

    proptest! {
        #[test]
        fn any_key_is_one_segment_that_decodes_to_itself(key in any::<String>()) {
            let path = evidence_path(&key);
            let segment = path.strip_prefix("/v1/media/").unwrap();
            prop_assert!(segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~%".contains(&b)));
            let decoded = percent_encoding::percent_decode_str(segment).decode_utf8().unwrap();
            prop_assert_eq!(decoded, key);
        }

        #[test]
        fn a_flipped_bit_is_refused(key in "[a-z0-9/_.]{1,40}", place in any::<prop::sample::Index>(), bit in 0_u8..7) {
            let query = sign(&secret(), &key, NOW, DEFAULT_TTL);
            let (expires, signature) = parts(&query);
            prop_assert_eq!(verify(&secret(), &key, expires, &signature, NOW), Ok(()));

            let flip = |text: &str| {
                let mut bytes = text.as_bytes().to_vec();
                bytes[place.index(text.len())] ^= 1 << bit;
                String::from_utf8(bytes).unwrap()
            };
            let refused = Err(VerifyError::Signature);
            prop_assert_eq!(verify(&secret(), &flip(&key), expires, &signature, NOW), refused);
            prop_assert_eq!(verify(&secret(), &key, expires, &flip(&signature), NOW), refused);
            let other = expires ^ (1 << place.index(62));
            prop_assert_eq!(verify(&secret(), &key, other, &signature, NOW), refused);
        }
    }
}
