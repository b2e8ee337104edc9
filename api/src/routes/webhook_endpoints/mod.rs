//! `/webhook-endpoints`: where an account wants to be told of events, as its people see and change it.

mod deliveries;
mod examples;
pub mod shapes;
mod write;

use domain::{ApiErrorCode as C, Timestamp, WebhookEndpointId};
use entities::webhook_endpoints;
use http::Method;
use serde_json::json;
use shapes::{
    Delivery, EndpointChanges, EndpointWithSecret, NewEndpoint, Replay, RotateSecret, TestResult, TestSend,
    WebhookEndpoint,
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
    vec![
        endpoint(Method::GET, "/webhook-endpoints", "listWebhookEndpoints", "Webhooks")
            .about("List webhook endpoints", "Newest first, those that are off among them.")
            .paged()
            .in_mode()
            .responds::<List<WebhookEndpoint>>(200, "A page of endpoints.")
            .response_example(200, list_of(examples::endpoint()))
            .session(list),
        endpoint(Method::POST, "/webhook-endpoints", "createWebhookEndpoint", "Webhooks")
            .about(
                "Add a webhook endpoint",
                "Its signing secret is in this answer and never again. At most 10 an account, both modes together. \
                 A URL that nothing can be sent to is refused: `refusal` says why.",
            )
            .in_mode()
            .header("Idempotency-Key", "Makes retries safe.", SchemaRef::idempotency_key())
            .json_body::<NewEndpoint>()
            .responds::<EndpointWithSecret>(201, "The endpoint and its signing secret.")
            .responds::<EndpointWithSecret>(
                200,
                "The endpoint that an earlier request with the same `Idempotency-Key` added, without its secret.",
            )
            .errors(&[C::IdempotencyKeyReused, C::WebhookEndpointLimit])
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
            .about("Change a webhook endpoint", "What is left out stays. Events on their way go to the new URL.")
            .in_mode()
            .json_body::<EndpointChanges>()
            .responds::<WebhookEndpoint>(200, "The endpoint.")
            .request_example(json!({ "events": ["scan.completed", "scan.failed"] }))
            .response_example(200, examples::endpoint())
            .session(write::update),
        endpoint(Method::DELETE, "/webhook-endpoints/{id}", "deleteWebhookEndpoint", "Webhooks")
            .about("Delete a webhook endpoint", "What is still on its way to it is dropped.")
            .in_mode()
            .responds_empty(204, "Deleted.")
            .session(write::delete),
        endpoint(Method::POST, "/webhook-endpoints/{id}/enable", "enableWebhookEndpoint", "Webhooks")
            .about(
                "Turn a webhook endpoint on",
                "Its failures are forgotten. Events of the time when it was off are not sent by themselves: replay them.",
            )
            .in_mode()
            .responds::<WebhookEndpoint>(200, "The endpoint, which is on.")
            .response_example(200, examples::endpoint())
            .session(write::enable),
        endpoint(Method::POST, "/webhook-endpoints/{id}/disable", "disableWebhookEndpoint", "Webhooks")
            .about("Turn a webhook endpoint off", "What is still on its way to it is dropped.")
            .in_mode()
            .responds::<WebhookEndpoint>(200, "The endpoint, which is off.")
            .response_example(200, examples::disabled_endpoint())
            .session(write::disable),
        endpoint(Method::POST, "/webhook-endpoints/{id}/rotate-secret", "rotateWebhookSecret", "Webhooks")
            .about(
                "Replace the signing secret",
                "The new one is in this answer and never again. Requests are signed with both until the overlap \
                 ends. Rotated again before that, the secret in between is the one that goes on.",
            )
            .in_mode()
            .optional_json_body::<RotateSecret>()
            .responds::<EndpointWithSecret>(200, "The endpoint and its new signing secret.")
            .request_example(json!({ "overlap_hours": 24 }))
            .response_example(200, examples::endpoint_with_rotated_secret())
            .session(write::rotate),
        endpoint(Method::POST, "/webhook-endpoints/{id}/test", "testWebhookEndpoint", "Webhooks")
            .about(
                "Send a test event",
                "One request, signed as any other, with `data` `{\"test\": true}`; the answer shows what came back. \
                 Also to an endpoint that is off. Not recorded, not repeated, not counted against the endpoint.",
            )
            .in_mode()
            .optional_json_body::<TestSend>()
            .responds::<TestResult>(200, "What came back, or why nothing did.")
            .request_example(json!({ "type": "scan.completed" }))
            .response_example(200, examples::test_result())
            .session(deliveries::test),
        endpoint(Method::GET, "/webhook-endpoints/{id}/deliveries", "listWebhookDeliveries", "Webhooks")
            .about("List deliveries to a webhook endpoint", "Newest first, with how each stands and the last answer.")
            .paged()
            .in_mode()
            .responds::<List<Delivery>>(200, "A page of deliveries.")
            .response_example(200, list_of(examples::delivery()))
            .session(deliveries::list),
        endpoint(Method::POST, "/webhook-endpoints/{id}/replay", "replayEvents", "Webhooks")
            .about(
                "Deliver events again",
                "Chosen events of the last 30 days, of whatever type, delivered before or not: all of them or none. \
                 The same bytes under the same id, signed anew. One that is still on its way is left to that.",
            )
            .in_mode()
            .json_body::<Replay>()
            .responds::<List<Delivery>>(202, "The deliveries, by event id.")
            .errors(&[C::WebhookEndpointOff])
            .request_example(json!({ "event_ids": [EVENT] }))
            .response_example(202, examples::replayed_deliveries())
            .session(deliveries::replay),
    ]
}

async fn list(app: App, visitor: SessionUser, request: Request) -> ApiResult<Json> {
    let tenant = visitor.tenant();
    let page = app.cursors().request("webhook-endpoints", &tenant, &request.query)?;
    let now = Timestamp::now();
    let rows = webhook_endpoints::list(app.db(), &tenant, &page).await?;
    let rows = rows.map(|row| WebhookEndpoint::new(row, now));
    Ok(json(&app.cursors().list("webhook-endpoints", &tenant, rows)))
}

async fn get(app: App, visitor: SessionUser, request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let row = webhook_endpoints::find(app.db(), &visitor.tenant(), &id).await?;
    Ok(json(&WebhookEndpoint::new(row.ok_or_else(ApiError::not_found)?, Timestamp::now())))
}
