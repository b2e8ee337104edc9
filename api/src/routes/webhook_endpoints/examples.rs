//! Examples of webhook endpoints and deliveries.

use serde_json::{Value, json};

use crate::contract::examples::{CREATED, EVENT, FINISHED, STARTED, WEBHOOK, list_of, with};

/// URL of the example endpoint.
pub(super) const URL: &str = "https://hooks.example.com/scans";

/// An endpoint.
pub(super) fn endpoint() -> Value {
    json!({
        "object": "webhook_endpoint", "id": WEBHOOK, "mode": "test", "url": URL,
        "description": "Listings", "events": ["scan.completed", "scan.failed"], "enabled": true,
        "disabled_reason": null, "consecutive_failures": 0, "old_secret_signs_until": null,
        "created_at": CREATED, "updated_at": CREATED,
    })
}

/// A disabled endpoint.
pub(super) fn disabled_endpoint() -> Value {
    with(endpoint(), json!({ "enabled": false }))
}

/// A new endpoint with its signing secret.
pub(super) fn endpoint_with_secret() -> Value {
    with(endpoint(), json!({ "signing_secret": "whsec_example" }))
}

/// The response to a repeated creation, which has no secret.
pub(super) fn replayed_endpoint() -> Value {
    with(endpoint(), json!({ "signing_secret": null }))
}

/// An endpoint with a new signing secret.
pub(super) fn endpoint_with_rotated_secret() -> Value {
    with(endpoint_with_secret(), json!({ "old_secret_signs_until": "2026-03-03T09:16:40.007Z" }))
}

/// A delivery.
pub(super) fn delivery() -> Value {
    json!({
        "object": "webhook_delivery", "event_id": EVENT, "endpoint_id": WEBHOOK, "status": "delivered",
        "attempts": 1, "replays": 0, "last_status": 200, "last_error": null, "last_response": "ok",
        "next_attempt_at": null, "created_at": FINISHED, "finished_at": FINISHED,
    })
}

/// An attempt of a delivery.
pub(super) fn attempt() -> Value {
    json!({
        "object": "webhook_attempt", "attempt": 1, "at": FINISHED, "status": 503,
        "error": "the endpoint responded with 503", "duration_ms": 84,
    })
}

/// A page with a delivery that is being replayed.
pub(super) fn replayed_deliveries() -> Value {
    list_of(with(
        delivery(),
        json!({ "status": "pending", "replays": 1, "next_attempt_at": FINISHED, "finished_at": null }),
    ))
}

/// The outcome of a test event.
pub(super) fn test_result() -> Value {
    json!({
        "object": "webhook_test", "delivered": false, "status": 500,
        "error": { "code": "not_accepted", "message": "the endpoint answered 500" },
        "response": "no such route", "response_truncated": false, "duration_ms": 84,
        "event": { "id": "evt_test_req_01jd3x0000000000000000000f", "object": "event",
            "type": "scan.completed", "livemode": false, "created_at": STARTED, "data": { "test": true } },
    })
}
