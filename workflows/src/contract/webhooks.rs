//! Activities that deliver events to webhook endpoints.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use domain::{EventId, WebhookEndpointId};
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of `emit_event`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EmitInput {
    /// The event. Its row is in the database.
    pub event_id: EventId,
}

/// Output of `emit_event`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EmitOutput {
    /// Number of deliveries, one for each subscribed endpoint.
    pub deliveries: u32,
}

/// Input of `deliver`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeliverInput {
    /// Event to send.
    pub event_id: EventId,
    /// Endpoint to send it to.
    pub endpoint_id: WebhookEndpointId,
    /// Number of times that the endpoint's owner has requested a redelivery. Zero is the first
    /// round.
    #[serde(default, skip_serializing_if = "is_first")]
    pub round: i64,
    /// Number of the attempt in this round, starting at 1.
    pub attempt: u32,
    /// Whether this is the last attempt of the round.
    pub last: bool,
}

/// Returns whether a round is the first. It is left out in JSON: histories from before redelivery
/// existed don't have the field.
pub(crate) fn is_first(round: &i64) -> bool {
    *round == 0
}

/// Outcome of one attempt.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum DeliverOutput {
    /// The endpoint responded with a 2xx status.
    Delivered {
        /// HTTP status.
        status: u16,
    },
    /// The endpoint responded with another status, timed out, or could not be reached.
    Failed {
        /// HTTP status, if there was a response.
        status: Option<u16>,
        /// Error message for operators.
        error: String,
    },
    /// The endpoint was deleted or disabled, or the round has ended. There are no further attempts.
    Dropped,
}

/// Marker of the webhook activities.
#[derive(Debug)]
pub struct Webhooks;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Webhooks {
    /// Records one delivery for each subscribed endpoint, and starts the workflows of the
    /// deliveries.
    #[activity(name = "emit_event")]
    pub fn emit_event(_input: EmitInput) -> Result<EmitOutput, ActivityError> {
        unimplemented!()
    }

    /// Signs and sends the event once, and records the attempt.
    #[activity(name = "deliver")]
    pub fn deliver(_input: DeliverInput) -> Result<DeliverOutput, ActivityError> {
        unimplemented!()
    }
}

pub use webhooks::{Deliver, EmitEvent};
