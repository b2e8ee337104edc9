//! Sends events to webhook endpoints and signs the requests.
//!
//! Deliveries, test events and replays all use [`send()`].

#[doc(hidden)]
pub mod fuzzing;
mod send;
mod signature;

pub use send::{Attempt, AttemptError, AttemptErrorCode, AttemptOutcome, send};
pub use signature::{SIGNATURE_TOLERANCE, SignatureError, SigningSecrets, generate_secret, sign, verify};

/// Header with the event id, the same as the `id` in the body.
pub const EVENT_ID_HEADER: &str = "scan-event-id";
/// Header with the signature.
pub const SIGNATURE_HEADER: &str = "scan-signature";
/// User agent of webhook requests.
pub const USER_AGENT: &str = "Scan-Webhooks/1";
