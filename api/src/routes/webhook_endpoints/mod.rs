//! `/webhook-endpoints`: where an account wants to be told of events, as its people see and change it.

mod deliveries;
pub mod shapes;
mod write;

use domain::{ApiErrorCode as C, Timestamp, WebhookEndpointId};
use entities::webhook_endpoints;
use http::Method;
use shapes::{
    Delivery, EndpointChanges, EndpointWithSecret, NewEndpoint, Replay, RotateSecret, TestResult, TestSend,
    WebhookEndpoint,
};
use warp::reply::{Json, json};

use crate::{
    App,
    console::Visitor,
    contract::{
        endpoint::{Endpoint, endpoint},
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
            .answers::<List<WebhookEndpoint>>(200, "A page of endpoints.")
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
            .answers::<EndpointWithSecret>(201, "The endpoint and its signing secret.")
            .answers::<EndpointWithSecret>(
                200,
                "The endpoint that an earlier request with the same `Idempotency-Key` added, without its secret.",
            )
            .errors(&[C::IdempotencyKeyReused, C::WebhookEndpointLimit])
            .session(write::create),
        endpoint(Method::GET, "/webhook-endpoints/{id}", "getWebhookEndpoint", "Webhooks")
            .about("Get a webhook endpoint", "")
            .in_mode()
            .answers::<WebhookEndpoint>(200, "The endpoint.")
            .session(get),
        endpoint(Method::PATCH, "/webhook-endpoints/{id}", "updateWebhookEndpoint", "Webhooks")
            .about("Change a webhook endpoint", "What is left out stays. Events on their way go to the new URL.")
            .in_mode()
            .json_body::<EndpointChanges>()
            .answers::<WebhookEndpoint>(200, "The endpoint.")
            .session(write::update),
        endpoint(Method::DELETE, "/webhook-endpoints/{id}", "deleteWebhookEndpoint", "Webhooks")
            .about("Delete a webhook endpoint", "What is still on its way to it is dropped.")
            .in_mode()
            .answers_nothing(204, "Deleted.")
            .session(write::delete),
        endpoint(Method::POST, "/webhook-endpoints/{id}/enable", "enableWebhookEndpoint", "Webhooks")
            .about(
                "Turn a webhook endpoint on",
                "Its failures are forgotten. Events of the time when it was off are not sent by themselves: replay them.",
            )
            .in_mode()
            .answers::<WebhookEndpoint>(200, "The endpoint, which is on.")
            .session(write::enable),
        endpoint(Method::POST, "/webhook-endpoints/{id}/disable", "disableWebhookEndpoint", "Webhooks")
            .about("Turn a webhook endpoint off", "What is still on its way to it is dropped.")
            .in_mode()
            .answers::<WebhookEndpoint>(200, "The endpoint, which is off.")
            .session(write::disable),
        endpoint(Method::POST, "/webhook-endpoints/{id}/rotate-secret", "rotateWebhookSecret", "Webhooks")
            .about(
                "Replace the signing secret",
                "The new one is in this answer and never again. Requests are signed with both until the overlap \
                 ends. Rotated again before that, the secret in between is the one that goes on.",
            )
            .in_mode()
            .optional_json_body::<RotateSecret>()
            .answers::<EndpointWithSecret>(200, "The endpoint and its new signing secret.")
            .session(write::rotate),
        endpoint(Method::POST, "/webhook-endpoints/{id}/test", "testWebhookEndpoint", "Webhooks")
            .about(
                "Send a test event",
                "One request, signed as any other, with `data` `{\"test\": true}`; the answer shows what came back. \
                 Also to an endpoint that is off. Not recorded, not repeated, not counted against the endpoint.",
            )
            .in_mode()
            .optional_json_body::<TestSend>()
            .answers::<TestResult>(200, "What came back, or why nothing did.")
            .session(deliveries::test),
        endpoint(Method::GET, "/webhook-endpoints/{id}/deliveries", "listWebhookDeliveries", "Webhooks")
            .about("List deliveries to a webhook endpoint", "Newest first, with how each stands and the last answer.")
            .paged()
            .in_mode()
            .answers::<List<Delivery>>(200, "A page of deliveries.")
            .session(deliveries::list),
        endpoint(Method::POST, "/webhook-endpoints/{id}/replay", "replayEvents", "Webhooks")
            .about(
                "Deliver events again",
                "Chosen events of the last 30 days, of whatever type, delivered before or not: all of them or none. \
                 The same bytes under the same id, signed anew. One that is still on its way is left to that.",
            )
            .in_mode()
            .json_body::<Replay>()
            .answers::<List<Delivery>>(202, "The deliveries, by event id.")
            .errors(&[C::WebhookEndpointOff])
            .session(deliveries::replay),
    ]
}

async fn list(app: App, visitor: Visitor, request: Request) -> ApiResult<Json> {
    let tenant = visitor.tenant();
    let page = app.cursors().request("webhook-endpoints", &tenant, &request.query)?;
    let now = Timestamp::now();
    let rows = webhook_endpoints::list(app.db(), &tenant, &page).await?;
    let rows = rows.map(|row| WebhookEndpoint::new(row, now));
    Ok(json(&app.cursors().list("webhook-endpoints", &tenant, rows)))
}

async fn get(app: App, visitor: Visitor, request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let row = webhook_endpoints::find(app.db(), &visitor.tenant(), &id).await?;
    Ok(json(&WebhookEndpoint::new(row.ok_or_else(ApiError::not_found)?, Timestamp::now())))
}
