//! What is sent and answered about webhook endpoints.

use domain::{
    EventId, Mode, Secret, Timestamp, WebhookEndpointId,
    event::{Event, EventType},
};
use entities::{DeliveryRow, EndpointRow, webhook_deliveries::DeliveryStatus};
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

/// Most characters of a description.
const MAX_DESCRIPTION: usize = 200;
/// Longest overlap of a rotated secret, in hours.
const MAX_OVERLAP_HOURS: u32 = 24;
/// Most events that are replayed at once.
const MAX_REPLAYED: usize = 100;

/// An endpoint to be added, in the mode that `Scan-Mode` names.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = NewWebhookEndpoint)]
#[serde(deny_unknown_fields)]
pub struct NewEndpoint {
    /// `https`, port 443, a public host.
    #[schema(max_length = 2048)]
    pub url: String,
    /// The types of event it is told of; at least one, each once.
    #[schema(schema_with = nonempty_set::<EventType>)]
    pub events: Vec<EventType>,
    /// What it is for.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub description: Option<String>,
}

/// What is to be changed of an endpoint.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = WebhookEndpointChanges)]
#[serde(deny_unknown_fields)]
pub struct EndpointChanges {
    /// Another address.
    #[schema(max_length = 2048)]
    pub url: Option<String>,
    /// Other types of event; at least one, each once.
    #[schema(schema_with = nonempty_set_or_null::<EventType>)]
    pub events: Option<Vec<EventType>>,
    /// Another description; null takes it away.
    #[serde(default, deserialize_with = "explicit_null", skip_serializing_if = "Option::is_none")]
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub description: Option<Option<String>>,
}

/// How a secret is replaced.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RotateSecret {
    /// How long requests are signed with the old secret, too.
    #[schema(maximum = 24)]
    pub overlap_hours: u32,
}

impl Default for RotateSecret {
    fn default() -> Self {
        Self { overlap_hours: MAX_OVERLAP_HOURS }
    }
}

/// What is sent as a test.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TestSend {
    /// The type that the test event has; the first that the endpoint is told of when left out.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub event_type: Option<EventType>,
}

/// Which events are to be delivered again.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// Their ids, each once.
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
    /// `test` or `live`: whose events it is told of.
    pub mode: Mode,
    /// Where requests go.
    pub url: String,
    /// What it is for.
    pub description: Option<String>,
    /// The types of event it is told of.
    pub events: Vec<EventType>,
    /// Whether it is told of anything.
    pub enabled: bool,
    /// Why the service turned it off; null when it is on, or its owner turned it off.
    pub disabled_reason: Option<String>,
    /// Deliveries that failed since the last that succeeded; 20 turn it off.
    pub consecutive_failures: i64,
    /// Until when requests are signed with the secret before the last rotation, too; null when they are not.
    pub old_secret_signs_until: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// An endpoint whose secret was just made.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointWithSecret)]
pub struct EndpointWithSecret {
    /// The endpoint.
    #[serde(flatten)]
    pub endpoint: WebhookEndpoint,
    /// Prefix `whsec_`; shown once. Null for an endpoint that an earlier request added.
    pub signing_secret: Option<String>,
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WebhookDeliveryStatus)]
pub enum Status {
    /// Attempts go on.
    Pending,
    /// The endpoint answered 2xx.
    Delivered,
    /// Every attempt failed, or the endpoint was turned off or deleted.
    Failed,
}

/// An event owed to an endpoint, and what became of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
pub struct Delivery {
    /// Always `webhook_delivery`.
    #[schema(pattern = "^webhook_delivery$")]
    pub object: &'static str,
    /// What is delivered.
    #[schema(value_type = String)]
    pub event_id: EventId,
    /// To where.
    pub endpoint_id: WebhookEndpointId,
    /// What became of it.
    pub status: Status,
    /// Requests made, those of replays among them.
    pub attempts: i64,
    /// How often it was asked for again.
    pub replays: i64,
    /// HTTP status of the last answer; null when there was none.
    pub last_status: Option<i64>,
    /// Why the last request failed; null when it did not.
    pub last_error: Option<String>,
    /// The beginning of the last answer's body, at most 20 kB.
    pub last_response: Option<String>,
    /// When the next request is made.
    pub next_attempt_at: Option<Timestamp>,
    /// When it became owed.
    pub created_at: Timestamp,
    /// When it was delivered or given up.
    pub finished_at: Option<Timestamp>,
}

/// What came of a test event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookTest)]
pub struct TestResult {
    /// Always `webhook_test`.
    #[schema(pattern = "^webhook_test$")]
    pub object: &'static str,
    /// Whether a 2xx arrived in time.
    pub delivered: bool,
    /// What was sent.
    pub event: Event,
    /// HTTP status of the answer; null when there was none.
    pub status: Option<u16>,
    /// Why it failed; null when it did not.
    pub error: Option<TestError>,
    /// The beginning of the answer's body, at most 20 kB.
    pub response: Option<String>,
    /// Whether there was more than `response` holds.
    pub response_truncated: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// Why a test event was not delivered.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookTestError)]
pub struct TestError {
    /// For programs: `target_refused`, `timed_out`, `connection_failed`, `tls_failed`, `http_failed`,
    /// `redirected` or `not_accepted`.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

impl WebhookEndpoint {
    pub(super) fn new(row: EndpointRow, now: Timestamp) -> Self {
        let overlaps = row.retiring_secret(now).is_some();
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
            old_secret_signs_until: row.previous_secret_expires_at.filter(|_| overlaps).map(|at| at.0),
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
        ApiError::reject_invalid([events(&self.events), self.description.as_deref().and_then(description)])
    }
}

impl EndpointChanges {
    pub(super) fn validate(&self) -> ApiResult<()> {
        let text = self.description.as_ref().and_then(Option::as_deref);
        ApiError::reject_invalid([self.events.as_deref().and_then(events), text.and_then(description)])
    }
}

impl RotateSecret {
    pub(super) fn validate(&self) -> ApiResult<()> {
        let long = self.overlap_hours > MAX_OVERLAP_HOURS;
        let message = || format!("must be at most {MAX_OVERLAP_HOURS}");
        ApiError::reject_invalid([long.then(|| FieldError::new("overlap_hours", message()))])
    }
}

impl Replay {
    /// The ids, if they can be ids of events.
    pub(super) fn ids(&self) -> ApiResult<Vec<EventId>> {
        let ids = &self.event_ids;
        let repeated = ids.iter().enumerate().any(|(i, id)| ids[..i].contains(id));
        if ids.is_empty() || ids.len() > MAX_REPLAYED || repeated {
            let message = format!("must name 1 to {MAX_REPLAYED} events, each once");
            return Err(ApiError::field("event_ids", message));
        }
        ids.iter().enumerate().map(|(place, id)| event_id(id).ok_or_else(|| unknown_event(place))).collect()
    }
}

/// One of the events that are to be replayed is not there.
pub(super) fn unknown_event(place: usize) -> ApiError {
    ApiError::field(format!("event_ids[{place}]"), "is no event of the last 30 days")
}

fn events(given: &[EventType]) -> Option<FieldError> {
    validate::nonempty_set("events", "type of event", given)
}

fn description(text: &str) -> Option<FieldError> {
    credentials::name("description", text, MAX_DESCRIPTION)
}
