//! Request and response bodies of webhook endpoints.

use domain::{
    EventId, Mode, Secret, Timestamp, WebhookEndpointId,
    event::{Event, EventType},
};
use entities::{AttemptRow, DeliveryRow, EndpointRow, webhook_deliveries::DeliveryStatus};
use outbound::webhook::AttemptOutcome;
use serde::{Deserialize, Serialize};
use utoipa::{
    ToSchema,
    openapi::{
        ArrayBuilder, ObjectBuilder,
        schema::{Schema, Type},
    },
};

use crate::{
    console::credentials,
    contract::schema::{nonempty_set, nonempty_set_or_null},
    http::{
        body::explicit_null,
        error::{ApiError, ApiResult, FieldError},
    },
    routes::{events::event_id, validate},
};

/// Maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 200;
/// Maximum overlap of a rotated secret, in hours.
const MAX_OVERLAP_HOURS: u32 = 24;
/// Maximum number of events per replay.
const MAX_REPLAYED: usize = 100;

/// A new webhook endpoint, in the mode of `Scan-Mode`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = NewWebhookEndpoint)]
#[serde(deny_unknown_fields)]
pub struct NewEndpoint {
    /// URL that receives the events: `https`, port 443, a public host.
    #[schema(max_length = 2048)]
    pub url: String,
    /// Types of events to deliver; at least one, without duplicates.
    #[schema(schema_with = nonempty_set::<EventType>)]
    pub events: Vec<EventType>,
    /// Your description of the endpoint.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub description: Option<String>,
}

/// Changes to a webhook endpoint.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = WebhookEndpointChanges)]
#[serde(deny_unknown_fields)]
pub struct EndpointChanges {
    /// New URL.
    #[schema(max_length = 2048)]
    pub url: Option<String>,
    /// New types of events to deliver; at least one, without duplicates.
    #[schema(schema_with = nonempty_set_or_null::<EventType>)]
    pub events: Option<Vec<EventType>>,
    /// New description; null removes it.
    #[serde(default, deserialize_with = "explicit_null", skip_serializing_if = "Option::is_none")]
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub description: Option<Option<String>>,
}

/// Options for rotating a signing secret.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RotateSecret {
    /// Hours for which requests are also signed with the old secret.
    #[schema(maximum = 24)]
    pub overlap_hours: u32,
}

impl Default for RotateSecret {
    fn default() -> Self {
        Self { overlap_hours: MAX_OVERLAP_HOURS }
    }
}

/// Options for a test event.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TestSend {
    /// Type of the test event; the first type in `events` of the endpoint if omitted.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub event_type: Option<EventType>,
}

/// Events to replay.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// Ids of the events, without duplicates.
    #[schema(schema_with = event_ids)]
    pub event_ids: Vec<String>,
}

fn event_ids() -> Schema {
    let ids = ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String));
    ids.min_items(Some(1)).max_items(Some(MAX_REPLAYED)).unique_items(true).build().into()
}

/// A webhook endpoint, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookEndpoint {
    /// Always `webhook_endpoint`.
    #[schema(pattern = "^webhook_endpoint$")]
    pub object: &'static str,
    /// Prefix `whe_`.
    pub id: WebhookEndpointId,
    /// `test` or `live`: the mode of the events that it receives.
    pub mode: Mode,
    /// URL that receives the events.
    pub url: String,
    /// Your description of the endpoint.
    pub description: Option<String>,
    /// Types of events to deliver.
    pub events: Vec<EventType>,
    /// Whether events are delivered to it.
    pub enabled: bool,
    /// Why the service disabled it; null if it is enabled, or if you disabled it.
    pub disabled_reason: Option<String>,
    /// Failed deliveries since the last successful one. At 20, the service disables the endpoint.
    pub consecutive_failures: i64,
    /// Time until which requests are also signed with the previous secret; null without an overlap.
    pub old_secret_signs_until: Option<Timestamp>,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// A webhook endpoint with its new signing secret.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointWithSecret)]
pub struct EndpointWithSecret {
    /// The endpoint.
    #[serde(flatten)]
    pub endpoint: WebhookEndpoint,
    /// Signing secret, prefix `whsec_`; shown only once. Null if an earlier request created the
    /// endpoint.
    pub signing_secret: Option<String>,
}

/// Status of a delivery.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WebhookDeliveryStatus)]
pub enum Status {
    /// More attempts follow.
    Pending,
    /// Your server responded with 2xx.
    Delivered,
    /// Every attempt failed, or the endpoint was disabled or deleted.
    Failed,
}

/// Delivery of an event to a webhook endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
pub struct Delivery {
    /// Always `webhook_delivery`.
    #[schema(pattern = "^webhook_delivery$")]
    pub object: &'static str,
    /// The event.
    #[schema(value_type = String)]
    pub event_id: EventId,
    /// The endpoint.
    pub endpoint_id: WebhookEndpointId,
    /// Status of the delivery.
    pub status: Status,
    /// Number of requests, including those of replays.
    pub attempts: i64,
    /// Number of replays.
    pub replays: i64,
    /// HTTP status of the last response; null without a response.
    pub last_status: Option<i64>,
    /// Why the last request failed; null if it succeeded.
    pub last_error: Option<String>,
    /// Beginning of the body of the last response, at most 20 kB.
    pub last_response: Option<String>,
    /// Time of the next request; null if none follows.
    pub next_attempt_at: Option<Timestamp>,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time when it succeeded or failed for good; null while it is pending.
    pub finished_at: Option<Timestamp>,
}

/// One request of a delivery.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookAttempt)]
pub struct DeliveryAttempt {
    /// Always `webhook_attempt`.
    #[schema(pattern = "^webhook_attempt$")]
    pub object: &'static str,
    /// Number of the request, counted from 1 over all replays.
    pub attempt: i64,
    /// Time of the request.
    pub at: Timestamp,
    /// HTTP status of the response; null without a response.
    pub status: Option<i64>,
    /// Why the request failed; null if it succeeded.
    pub error: Option<String>,
    /// Duration of the request in milliseconds.
    pub duration_ms: i64,
}

/// Outcome of a test event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookTest)]
pub struct TestResult {
    /// Always `webhook_test`.
    #[schema(pattern = "^webhook_test$")]
    pub object: &'static str,
    /// Whether your server responded with 2xx in time.
    pub delivered: bool,
    /// The event that was sent.
    pub event: Event,
    /// HTTP status of the response; null without a response.
    pub status: Option<u16>,
    /// Why the request failed; null if it succeeded.
    pub error: Option<TestError>,
    /// Beginning of the body of the response, at most 20 kB.
    pub response: Option<String>,
    /// Whether `response` is cut off.
    pub response_truncated: bool,
    /// Duration of the request, in milliseconds.
    pub duration_ms: u64,
}

/// Why a test event was not delivered.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookTestError)]
pub struct TestError {
    /// Stable code: `target_refused`, `timed_out`, `connection_failed`, `tls_failed`, `http_failed`,
    /// `redirected` or `not_accepted`.
    pub code: &'static str,
    /// Message for people; may change.
    pub message: String,
}

impl WebhookEndpoint {
    pub(super) fn new(row: EndpointRow, now: Timestamp) -> Self {
        let has_old_secret = row.retiring_secret(now).is_some();
        Self {
            object: "webhook_endpoint",
            mode: row.tenant().mode,
            id: row.id.0,
            url: row.url,
            description: row.description,
            events: row.events.0,
            enabled: row.enabled,
            disabled_reason: row.disabled_reason,
            consecutive_failures: row.consecutive_failures,
            old_secret_signs_until: row.previous_secret_expires_at.filter(|_| has_old_secret).map(|at| at.0),
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        }
    }
}

impl EndpointWithSecret {
    pub(super) fn new(row: EndpointRow, secret: Option<&Secret>, now: Timestamp) -> Self {
        let signing_secret = secret.map(|secret| secret.reveal().to_owned());
        Self { endpoint: WebhookEndpoint::new(row, now), signing_secret }
    }
}

impl From<DeliveryRow> for Delivery {
    fn from(row: DeliveryRow) -> Self {
        Self {
            object: "webhook_delivery",
            event_id: row.event_id.0,
            endpoint_id: row.endpoint_id.0,
            status: match row.status.0 {
                DeliveryStatus::Pending => Status::Pending,
                DeliveryStatus::Delivered => Status::Delivered,
                DeliveryStatus::Failed => Status::Failed,
            },
            attempts: row.attempts,
            replays: row.round,
            last_status: row.last_status,
            last_error: row.last_error,
            last_response: row.last_response,
            next_attempt_at: row.next_attempt_at.map(|at| at.0),
            created_at: row.created_at.0,
            finished_at: row.finished_at.map(|at| at.0),
        }
    }
}

impl From<AttemptRow> for DeliveryAttempt {
    fn from(row: AttemptRow) -> Self {
        Self {
            object: "webhook_attempt",
            attempt: row.attempt,
            at: row.at.0,
            status: row.status,
            error: row.error,
            duration_ms: row.duration_ms,
        }
    }
}

impl TestResult {
    pub(super) fn new(event: Event, outcome: AttemptOutcome) -> Self {
        let error = outcome.error.map(|e| TestError { code: e.code.as_str(), message: e.message });
        Self {
            object: "webhook_test",
            delivered: outcome.ok,
            event,
            status: outcome.status,
            error,
            response: outcome.response,
            response_truncated: outcome.response_truncated,
            duration_ms: outcome.duration_ms,
        }
    }
}

impl NewEndpoint {
    pub(super) fn validate(&self) -> ApiResult<()> {
        ApiError::reject_invalid([
            check_events(&self.events),
            self.description.as_deref().and_then(check_description),
        ])
    }
}

impl EndpointChanges {
    pub(super) fn validate(&self) -> ApiResult<()> {
        let text = self.description.as_ref().and_then(Option::as_deref);
        ApiError::reject_invalid([
            self.events.as_deref().and_then(check_events),
            text.and_then(check_description),
        ])
    }
}

impl RotateSecret {
    pub(super) fn validate(&self) -> ApiResult<()> {
        let too_long = self.overlap_hours > MAX_OVERLAP_HOURS;
        let message = || format!("must be at most {MAX_OVERLAP_HOURS}");
        ApiError::reject_invalid([too_long.then(|| FieldError::new("overlap_hours", message()))])
    }
}

impl Replay {
    /// Parses the event ids.
    pub(super) fn ids(&self) -> ApiResult<Vec<EventId>> {
        let ids = &self.event_ids;
        let repeated = ids.iter().enumerate().any(|(i, id)| ids[..i].contains(id));
        if ids.is_empty() || ids.len() > MAX_REPLAYED || repeated {
            let message = format!("must list 1 to {MAX_REPLAYED} event ids, without duplicates");
            return Err(ApiError::field("event_ids", message));
        }
        ids.iter().enumerate().map(|(i, id)| event_id(id).ok_or_else(|| unknown_event(i))).collect()
    }
}

/// Returns the error for an event that does not exist or is too old, by its position in the request.
pub(super) fn unknown_event(position: usize) -> ApiError {
    ApiError::field(format!("event_ids[{position}]"), "is not an event of the last 30 days")
}

fn check_events(events: &[EventType]) -> Option<FieldError> {
    validate::nonempty_set("events", "event type", events)
}

fn check_description(text: &str) -> Option<FieldError> {
    credentials::name("description", text, MAX_DESCRIPTION)
}
