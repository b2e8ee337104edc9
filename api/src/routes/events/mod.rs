//! `/events`: lists, reads and streams events. Bodies are byte-identical to those of webhooks.

pub(crate) mod hub;
mod stream;

use std::time::Duration;

use domain::{
    ApiErrorCode, EventId, Timestamp,
    event::{Event, EventType},
    page::Page,
    scope::Scope,
};
use entities::{EventRow, events};
use http::Method;
use serde_json::{Value, json, value::RawValue};
use warp::reply::{Json, json};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{EVENT, FINISHED, list_of},
        schema::SchemaRef,
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
    routes::scans,
};

/// Time for which events can be listed, read and resumed from.
pub const RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/events/stream", "streamEvents", "Events")
            .about(
                "Stream events",
                "Sends server-sent events: `event` is the type, `id` the id, and `data` the body that webhook endpoints \
                 receive. Starts after `Last-Event-ID`, or with new events without it. The stream ends after some \
                 minutes, and when the key is revoked; reconnect with the last id.",
            )
            .header("Last-Event-ID", "Id of the last received event.", SchemaRef::text())
            .responds_with(200, "The stream.", "text/event-stream", SchemaRef::text())
            .errors(&[ApiErrorCode::EventStreamLimit])
            .streams()
            .response_example(200, example_stream())
            .key(Scope::EventsRead, stream::stream),
        endpoint(Method::GET, "/events", "listEvents", "Events")
            .about("List the events of the last 30 days", "Newest first.")
            .paged()
            .query("type", "Only events of this type.", SchemaRef::inline::<EventType>())
            .responds::<List<Event>>(200, "A page of events.")
            .query_example("type=scan.completed")
            .response_example(200, list_of(example()))
            .key(Scope::EventsRead, list),
        endpoint(Method::GET, "/events/{id}", "getEvent", "Events")
            .about("Get an event of the last 30 days", "")
            .responds::<Event>(200, "The event.")
            .errors(&[ApiErrorCode::NotFound])
            .response_example(200, example())
            .key(Scope::EventsRead, get),
    ]
}

async fn list(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let page = app.cursors().request("events", &caller.tenant, &request.query)?;
    let of_type = match request.query.get("type") {
        None => None,
        Some(name) => {
            let event_type = EventType::parse(name);
            Some(event_type.ok_or_else(|| ApiError::field("type", "is not an event type"))?)
        }
    };
    let Page { mut rows, mut next } = events::list(app.db(), &caller.tenant, of_type, &page).await?;
    // Newest first: all rows after the first expired one are expired.
    let oldest = Timestamp::now().minus(RETENTION);
    if let Some(end) = rows.iter().position(|row| row.created_at.0 < oldest) {
        rows.truncate(end);
        next = None;
    }
    let bodies = rows.iter().map(body).collect::<ApiResult<Vec<_>>>()?;
    Ok(json(&app.cursors().list("events", &caller.tenant, Page { rows: bodies, next })))
}

async fn get(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let row = find(&app, &caller, request.param("id")).await?.ok_or_else(ApiError::not_found)?;
    Ok(json(&body(&row)?))
}

/// Parses an event id. Other characters must not reach the database; PostgreSQL refuses NUL, for
/// example.
pub(crate) fn event_id(text: &str) -> Option<EventId> {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_').then(|| EventId::trusted(text))
}

/// Returns the event with this id, unless it is older than [`RETENTION`].
async fn find(app: &App, caller: &Caller, id: &str) -> ApiResult<Option<EventRow>> {
    let Some(id) = event_id(id) else { return Ok(None) };
    let row = events::find(app.db(), &caller.tenant, &id).await?;
    let oldest = Timestamp::now().minus(RETENTION);
    Ok(row.filter(|row| row.created_at.0 >= oldest))
}

/// Returns the stored body.
fn body(row: &EventRow) -> ApiResult<&RawValue> {
    serde_json::from_str(&row.body).map_err(ApiError::internal)
}

/// Example of an event.
fn example() -> Value {
    json!({
        "id": EVENT, "object": "event", "type": "scan.completed", "livemode": false,
        "created_at": FINISHED, "data": { "scan": scans::examples::complete() },
    })
}

/// Example of what a stream sends.
fn example_stream() -> Value {
    let event = example();
    format!("retry: 2000\n\nevent: scan.completed\nid: {EVENT}\ndata: {event}\n\n").into()
}
