//! Handlers that list the deliveries to an endpoint, send test events and replay events.

use domain::WebhookEndpointId;
use entities::{Tenant, webhook_deliveries, webhook_endpoints};
use http::StatusCode;
use warp::reply::{Json, WithStatus, json, with_status};

use super::{
    shapes::{Delivery, DeliveryAttempt, Replay, TestResult, TestSend},
    write::actor,
};
use crate::{
    App,
    console::SessionUser,
    http::{
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
    routes::events::{RETENTION, event_id},
};

pub(super) async fn list(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let (tenant, name) = (session_user.tenant(), format!("webhook-deliveries:{id}"));
    let page = app.cursors().request(&name, &tenant, &request.query)?;
    webhook_endpoints::find(app.db(), &tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let rows = webhook_deliveries::list_of_endpoint(app.db(), &tenant, &id, &page).await?;
    Ok(json(&app.cursors().list(&name, &tenant, rows.map(Delivery::from))))
}

/// Maximum number of attempts that are listed.
const MAX_ATTEMPTS: u64 = 100;

pub(super) async fn attempts(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let endpoint = request.id::<WebhookEndpointId>("id")?;
    let event = event_id(request.param("event_id")).ok_or_else(ApiError::not_found)?;
    let tenant = session_user.tenant();
    let rows = webhook_deliveries::list_attempts(app.db(), &tenant, &event, &endpoint, MAX_ATTEMPTS).await?;
    let rows = rows.ok_or_else(ApiError::not_found)?;
    let data = rows.into_iter().map(DeliveryAttempt::from).collect();
    Ok(json(&List { object: "list", data, next_cursor: None }))
}

pub(super) async fn test(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let test: TestSend = request.json_or_default().await?;
    let tenant = session_user.tenant();
    admit_sending(&app, &tenant).await?;
    let actor = actor(&app, &session_user, &tenant);
    let (event, outcome) = app.webhooks().send_test_event(actor, &id, test.event_type).await?;
    Ok(json(&TestResult::new(event, outcome)))
}

pub(super) async fn replay(
    app: App,
    session_user: SessionUser,
    mut request: Request,
) -> ApiResult<WithStatus<Json>> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let replay: Replay = request.json().await?;
    let (ids, tenant) = (replay.ids()?, session_user.tenant());
    admit_sending(&app, &tenant).await?;
    let actor = actor(&app, &session_user, &tenant);
    let rows = actor.replay(&id, &ids, actor.now.minus(RETENTION)).await?;
    let data = rows.into_iter().map(Delivery::from).collect();
    let deliveries = List { object: "list", data, next_cursor: None };
    Ok(with_status(json(&deliveries), StatusCode::ACCEPTED))
}

/// Applies the rate limit for calls that send requests immediately, so that the service cannot be
/// used to flood other hosts.
async fn admit_sending(app: &App, tenant: &Tenant) -> ApiResult<()> {
    let subject = format!("{}:{}", tenant.account_id, tenant.mode.as_str());
    app.throttle("webhook_sends", &subject, app.settings().limits.webhook_sends).await
}
