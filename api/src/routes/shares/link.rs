//! The token of a share link: a random secret and its signature, `<secret>.<signature>`.
//!
//! The signature refuses made-up tokens without a query. The token stands in the fragment of the
//! link, which browsers send to nobody: it is in no log and in no `Referer`.

use domain::{RotatingSecret, Secret, Token};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// First line of the signed text. It names the purpose and the version.
const PURPOSE: &str = "scan-share-v1";
/// Bytes of the signature: half of HMAC-SHA256, the shortest that RFC 2104 recommends.
const SIGNATURE_BYTES: usize = 16;

/// Returns the token of a link with this secret.
pub(super) fn seal(secrets: &RotatingSecret, secret: &Token) -> String {
    format!("{}.{}", secret.reveal(), signature(secrets.current(), secret))
}

/// Returns the secret of a token; `None` if the service did not sign it.
pub(super) fn open(secrets: &RotatingSecret, token: &str) -> Option<Token> {
    let (secret, received) = token.split_once('.')?;
    let secret = Token::parse(secret)?;
    let is_signed = |key: &Secret| bool::from(signature(key, &secret).as_bytes().ct_eq(received.as_bytes()));
    // All signatures are computed, so that the time does not tell which secret signed it.
    let signed = secrets.all().fold(false, |found, key| is_signed(key) | found);
    signed.then_some(secret)
}

fn signature(key: &Secret, secret: &Token) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.reveal().as_bytes())
        .unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
    mac.update(format!("{PURPOSE}\n{}", secret.reveal()).as_bytes());
    hex::encode(&mac.finalize().into_bytes()[..SIGNATURE_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(current: &str, previous: &[&str]) -> RotatingSecret {
        RotatingSecret::new(Secret::new(current), previous.iter().map(|text| Secret::new(*text)).collect())
    }

    #[test]
    fn only_signed_tokens_open() {
        let secret = Token::generate();
        let token = seal(&secrets("one", &[]), &secret);
        let open_with = |token: &str, keys| open(&keys, token).map(|opened| opened.reveal().to_owned());
        assert_eq!(open_with(&token, secrets("one", &[])).as_deref(), Some(secret.reveal()));
        assert_eq!(open_with(&token, secrets("two", &["one"])).as_deref(), Some(secret.reveal()), "rotated");
        assert_eq!(open_with(&token, secrets("two", &[])), None);
        let (text, signature) = token.split_once('.').unwrap();
        let other = Token::generate();
        for bad in [
            String::new(),
            text.to_owned(),
            format!("{text}."),
            format!("{text}.{}", signature.to_uppercase()),
            format!("{text}.{}", &signature[1..]),
            format!("{}.{signature}", other.reveal()),
            format!("{text}x.{signature}"),
        ] {
            assert_eq!(open_with(&bad, secrets("one", &[])), None, "{bad}");
        }
    }
}
