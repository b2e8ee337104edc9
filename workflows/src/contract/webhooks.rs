//! Webhooks: who is told of an event, and one attempt to tell them.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use domain::{EventId, WebhookEndpointId};
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of `emit_event`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EmitInput {
    /// The event, which is in the database already.
    pub event_id: EventId,
}

/// What `emit_event` started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EmitOutput {
    /// Endpoints that will be told.
    pub deliveries: u32,
}

/// Input of `deliver`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeliverInput {
    /// What to send.
    pub event_id: EventId,
    /// Where.
    pub endpoint_id: WebhookEndpointId,
    /// How often the delivery was asked for again before.
    #[serde(default, skip_serializing_if = "is_first")]
    pub round: i64,
    /// Which attempt of this round, starting at 1.
    pub attempt: u32,
    /// Whether no further attempt follows.
    pub last: bool,
}

/// Whether a round is the first, which histories do not mention.
pub(crate) fn is_first(round: &i64) -> bool {
    *round == 0
}

/// What came of one attempt.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum DeliverOutput {
    /// A 2xx answer.
    Delivered {
        /// The status.
        status: u16,
    },
    /// Any other answer, a time-out, or a network error.
    Failed {
        /// The status, where there was an answer.
        status: Option<u16>,
        /// What went wrong, for operators.
        error: String,
    },
    /// The endpoint was deleted or turned off meanwhile, or the round is over; nothing more is tried.
    Dropped,
}

/// Marker of the webhook activities.
#[derive(Debug)]
pub struct Webhooks;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Webhooks {
    /// Puts down one delivery for each endpoint that subscribed, and starts their workflows.
    #[activity(name = "emit_event")]
    pub fn emit_event(_input: EmitInput) -> Result<EmitOutput, ActivityError> {
        unimplemented!()
    }

    /// Signs and sends once, and records what came of it.
    #[activity(name = "deliver")]
    pub fn deliver(_input: DeliverInput) -> Result<DeliverOutput, ActivityError> {
        unimplemented!()
    }
}

pub use webhooks::{Deliver, EmitEvent};
