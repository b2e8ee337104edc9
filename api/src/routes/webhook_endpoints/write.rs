//! Endpoints are added, changed, turned on and off, deleted, and given new secrets.

use std::time::Duration;

use domain::{ApiErrorCode, Timestamp, WebhookEndpointId};
use entities::{Tenant, webhook_endpoints::Changes};
use http::StatusCode;
use warp::reply::{Json, Reply, Response, json, with_header, with_status};

use super::shapes::{
    EndpointChanges, EndpointWithSecret, NewEndpoint, RotateSecret, WebhookEndpoint, no_event,
};
use crate::{
    App,
    console::SessionUser,
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
    webhooks::{Actor, Added, Addition, Refused},
};

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Store(error) => error.into(),
            Refused::Target(refusal) => {
                ApiError::field("url", refusal.reason).with("refusal", refusal.code.as_str())
            }
            Refused::Sealed(error) => ApiError::internal(error),
            Refused::Full => ApiError::new(ApiErrorCode::WebhookEndpointLimit),
            Refused::KeyReused => ApiError::new(ApiErrorCode::IdempotencyKeyReused),
            Refused::NotFound => ApiError::not_found(),
            Refused::Off => ApiError::new(ApiErrorCode::WebhookEndpointOff),
            Refused::NoEvent(place) => no_event(place),
        }
    }
}

/// The visitor as who acts in the mode that the console shows.
pub(super) fn actor<'a>(app: &'a App, visitor: &'a SessionUser, tenant: &'a Tenant) -> Actor<'a> {
    Actor { db: app.db(), tenant, name: visitor.user.id.as_str(), now: Timestamp::now() }
}

pub(super) async fn create(app: App, visitor: SessionUser, mut request: Request) -> ApiResult<Response> {
    let idempotency_key = request.idempotency_key()?;
    let new: NewEndpoint = request.json().await?;
    new.validate()?;
    let (tenant, description) = (visitor.tenant(), new.description.map(|text| text.trim().to_owned()));
    let addition = Addition { url: new.url, description, events: new.events, idempotency_key };
    let actor = actor(&app, &visitor, &tenant);
    match app.webhooks().add(actor, addition).await? {
        Added::Now(row, secret) => {
            let made = json(&EndpointWithSecret::new(row, Some(&secret), actor.now));
            Ok(with_status(made, StatusCode::CREATED).into_response())
        }
        Added::Before(row) => {
            let made = json(&EndpointWithSecret::new(row, None, actor.now));
            Ok(with_header(made, "Idempotent-Replayed", "true").into_response())
        }
    }
}

pub(super) async fn update(app: App, visitor: SessionUser, mut request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let changes: EndpointChanges = request.json().await?;
    changes.validate()?;
    let description = changes.description.map(|text| text.map(|text| text.trim().to_owned()));
    let changes = Changes { url: changes.url, description, events: changes.events, enabled: None };
    let tenant = visitor.tenant();
    let actor = actor(&app, &visitor, &tenant);
    let row = app.webhooks().change(actor, &id, changes).await?;
    Ok(json(&WebhookEndpoint::new(row, actor.now)))
}

pub(super) async fn enable(app: App, visitor: SessionUser, request: Request) -> ApiResult<Json> {
    turn(app, visitor, request, true).await
}

pub(super) async fn disable(app: App, visitor: SessionUser, request: Request) -> ApiResult<Json> {
    turn(app, visitor, request, false).await
}

async fn turn(app: App, visitor: SessionUser, request: Request, on: bool) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let tenant = visitor.tenant();
    let actor = actor(&app, &visitor, &tenant);
    Ok(json(&WebhookEndpoint::new(actor.turn(&id, on).await?, actor.now)))
}

pub(super) async fn delete(app: App, visitor: SessionUser, request: Request) -> ApiResult<StatusCode> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let tenant = visitor.tenant();
    actor(&app, &visitor, &tenant).delete(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn rotate(app: App, visitor: SessionUser, mut request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let rotate: RotateSecret = request.json_or_default().await?;
    rotate.validate()?;
    let overlap = Duration::from_secs(u64::from(rotate.overlap_hours) * 3_600);
    let tenant = visitor.tenant();
    let actor = actor(&app, &visitor, &tenant);
    let (row, secret) = app.webhooks().rotate(actor, &id, overlap).await?;
    Ok(json(&EndpointWithSecret::new(row, Some(&secret), actor.now)))
}
