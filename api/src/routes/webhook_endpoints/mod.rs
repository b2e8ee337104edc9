//! `/webhook-endpoints`: endpoints that receive events, and deliveries to them.

mod deliveries;
mod examples;
pub mod shapes;
mod write;

use domain::{ApiErrorCode as C, Timestamp, WebhookEndpointId};
use entities::webhook_endpoints;
use http::Method;
use serde_json::json;
use shapes::{
    Delivery, DeliveryAttempt, EndpointChanges, EndpointWithSecret, NewEndpoint, Replay, RotateSecret,
    TestResult, TestSend, WebhookEndpoint,
};
use warp::reply::{Json, json};

use crate::{
    App,
    console::SessionUser,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{EVENT, list_of},
        schema::SchemaRef,
    },
    http::{
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
};

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    [settings_endpoints(), state_endpoints(), delivery_endpoints()].concat()
}

fn settings_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/webhook-endpoints", "listWebhookEndpoints", "Webhooks")
            .about("List webhook endpoints", "Newest first, including disabled endpoints.")
            .paged()
            .in_mode()
            .responds::<List<WebhookEndpoint>>(200, "A page of endpoints.")
            .response_example(200, list_of(examples::endpoint()))
            .session(list),
        endpoint(Method::POST, "/webhook-endpoints", "createWebhookEndpoint", "Webhooks")
            .about(
                "Create a webhook endpoint",
                "Only this response contains the signing secret. An account can have at most 10 endpoints, counting both \
                 modes. If the URL is refused, `refusal` in the error is a code for the reason.",
            )
            .in_mode()
            .header("Idempotency-Key", "Makes retries safe.", SchemaRef::idempotency_key())
            .json_body::<NewEndpoint>()
            .responds::<EndpointWithSecret>(201, "The endpoint and its signing secret.")
            .responds::<EndpointWithSecret>(
                200,
                "The endpoint that an earlier request with the same `Idempotency-Key` created, without its secret.",
            )
            .errors(&[C::IdempotencyKeyReused, C::WebhookEndpointLimit, C::EmailNotConfirmed])
            .request_example(json!({ "url": examples::URL, "events": ["scan.completed", "scan.failed"] }))
            .response_example(201, examples::endpoint_with_secret())
            .response_example(200, examples::replayed_endpoint())
            .session(write::create),
        endpoint(Method::GET, "/webhook-endpoints/{id}", "getWebhookEndpoint", "Webhooks")
            .about("Get a webhook endpoint", "")
            .in_mode()
            .responds::<WebhookEndpoint>(200, "The endpoint.")
            .response_example(200, examples::endpoint())
            .session(get),
        endpoint(Method::PATCH, "/webhook-endpoints/{id}", "updateWebhookEndpoint", "Webhooks")
            .about(
                "Update a webhook endpoint",
                "Omitted fields are unchanged. A new URL applies to pending deliveries too.",
            )
            .in_mode()
            .json_body::<EndpointChanges>()
            .responds::<WebhookEndpoint>(200, "The endpoint.")
            .request_example(json!({ "events": ["scan.completed", "scan.failed"] }))
            .response_example(200, examples::endpoint())
            .session(write::update),
        endpoint(Method::DELETE, "/webhook-endpoints/{id}", "deleteWebhookEndpoint", "Webhooks")
            .about("Delete a webhook endpoint", "Pending deliveries are dropped.")
            .in_mode()
            .responds_empty(204, "Deleted.")
            .session(write::delete),
    ]
}

fn state_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/webhook-endpoints/{id}/enable", "enableWebhookEndpoint", "Webhooks")
            .about(
                "Enable a webhook endpoint",
                "Resets its failure count. Events that occurred while it was disabled are not delivered: replay them.",
            )
            .in_mode()
            .responds::<WebhookEndpoint>(200, "The enabled endpoint.")
            .response_example(200, examples::endpoint())
            .session(write::enable),
        endpoint(Method::POST, "/webhook-endpoints/{id}/disable", "disableWebhookEndpoint", "Webhooks")
            .about("Disable a webhook endpoint", "Pending deliveries are dropped.")
            .in_mode()
            .responds::<WebhookEndpoint>(200, "The disabled endpoint.")
            .response_example(200, examples::disabled_endpoint())
            .session(write::disable),
        endpoint(Method::POST, "/webhook-endpoints/{id}/rotate-secret", "rotateWebhookSecret", "Webhooks")
            .about(
                "Rotate the signing secret",
                "Only this response contains the new secret. Requests are signed with the old and the new secret until the \
                 overlap ends. A second rotation during the overlap drops the oldest secret.",
            )
            .in_mode()
            .optional_json_body::<RotateSecret>()
            .responds::<EndpointWithSecret>(200, "The endpoint and its new signing secret.")
            .request_example(json!({ "overlap_hours": 24 }))
            .response_example(200, examples::endpoint_with_rotated_secret())
            .session(write::rotate),
    ]
}

fn delivery_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/webhook-endpoints/{id}/test", "testWebhookEndpoint", "Webhooks")
            .about(
                "Send a test event",
                "Sends one signed request with `data` `{\"test\": true}` and returns the outcome. Works for disabled \
                 endpoints too. The request is not recorded, not retried and does not count as a failure.",
            )
            .in_mode()
            .optional_json_body::<TestSend>()
            .responds::<TestResult>(200, "The response of your server, or the reason why there is none.")
            .request_example(json!({ "type": "scan.completed" }))
            .response_example(200, examples::test_result())
            .session(deliveries::test),
        endpoint(Method::GET, "/webhook-endpoints/{id}/deliveries", "listWebhookDeliveries", "Webhooks")
            .about(
                "List deliveries to a webhook endpoint",
                "Newest first, each with its status and the last response of your server.",
            )
            .paged()
            .in_mode()
            .responds::<List<Delivery>>(200, "A page of deliveries.")
            .response_example(200, list_of(examples::delivery()))
            .session(deliveries::list),
        endpoint(
            Method::GET,
            "/webhook-endpoints/{id}/deliveries/{event_id}/attempts",
            "listWebhookAttempts",
            "Webhooks",
        )
        .about(
            "List the attempts of a delivery",
            "Every request that delivered an event to an endpoint, including those of replays: newest first, at most 100.",
        )
        .in_mode()
        .responds::<List<DeliveryAttempt>>(200, "The attempts.")
        .response_example(200, list_of(examples::attempt()))
        .session(deliveries::attempts),
        endpoint(Method::POST, "/webhook-endpoints/{id}/replay", "replayEvents", "Webhooks")
            .about(
                "Replay events",
                "Delivers events of the last 30 days again, of any type, whether they were delivered before or not. Either \
                 all are replayed or none. Requests have the same id and body as before, and a new signature. Deliveries \
                 that are still pending are left unchanged.",
            )
            .in_mode()
            .json_body::<Replay>()
            .responds::<List<Delivery>>(202, "The deliveries, sorted by event id.")
            .errors(&[C::WebhookEndpointOff])
            .request_example(json!({ "event_ids": [EVENT] }))
            .response_example(202, examples::replayed_deliveries())
            .session(deliveries::replay),
    ]
}

async fn list(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let tenant = session_user.tenant();
    let page = app.cursors().request("webhook-endpoints", &tenant, &request.query)?;
    let now = Timestamp::now();
    let rows = webhook_endpoints::list(app.db(), &tenant, &page).await?;
    let rows = rows.map(|row| WebhookEndpoint::new(row, now));
    Ok(json(&app.cursors().list("webhook-endpoints", &tenant, rows)))
}

async fn get(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let row = webhook_endpoints::find(app.db(), &session_user.tenant(), &id).await?;
    Ok(json(&WebhookEndpoint::new(row.ok_or_else(ApiError::not_found)?, Timestamp::now())))
}
