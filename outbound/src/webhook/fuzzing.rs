//! Fuzz target of the parser of signature headers. It returns the kind of its outcome.

use domain::{Secret, Timestamp};

use super::{SIGNATURE_TOLERANCE, verify};

/// Time at which the header of the corpus is valid.
const NOW: Timestamp = Timestamp::from_millis(1_795_254_896_000);
/// Body that the header of the corpus signs.
const BODY: &[u8] = b"{}";

/// Verifies a signature header.
#[must_use]
pub fn signature(header: &[u8]) -> String {
    let header = String::from_utf8_lossy(header);
    let secret = Secret::new("whsec_of_the_fuzz_target");
    let verdict = verify(&secret, &header, BODY, NOW, SIGNATURE_TOLERANCE);
    format!("{verdict:?} {}", header.matches("v1=").count().min(20))
}
