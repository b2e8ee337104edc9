//! Sending events to endpoints, and proving that we sent them.
//!
//! [`send`] is the one path of a delivery, a test send and a replay alike.

mod send;
mod signature;

pub use send::{Attempt, AttemptError, AttemptErrorCode, AttemptOutcome, send};
pub use signature::{SIGNATURE_TOLERANCE, SignatureError, SigningSecrets, generate_secret, sign, verify};

/// Header that equals the `id` in the body.
pub const EVENT_ID_HEADER: &str = "scan-event-id";
/// Header that carries the signature.
pub const SIGNATURE_HEADER: &str = "scan-signature";
/// Who says it is calling.
pub const USER_AGENT: &str = "Scan-Webhooks/1";
