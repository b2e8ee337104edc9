//! Handlers that create, update, enable, disable and delete endpoints, and rotate their secrets.

use std::time::Duration;

use domain::{ApiErrorCode, Timestamp, WebhookEndpointId};
use entities::{Tenant, webhook_endpoints::Changes};
use http::StatusCode;
use warp::reply::{Json, Reply, Response, json, with_header, with_status};
use webhooks::{Actor, AddEndpoint, AddedEndpoint};

use super::shapes::{
    EndpointChanges, EndpointWithSecret, NewEndpoint, RotateSecret, WebhookEndpoint, unknown_event,
};
use crate::{
    App,
    console::SessionUser,
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
};

impl From<webhooks::Error> for ApiError {
    fn from(error: webhooks::Error) -> Self {
        use webhooks::Error;
        match error {
            Error::Store(error) => error.into(),
            Error::UrlRefused(refusal) => {
                ApiError::field("url", refusal.reason).with("refusal", refusal.code.as_str())
            }
            Error::Sealed(error) => ApiError::internal(error),
            Error::Mail(error) => ApiError::internal(error),
            Error::LimitReached => ApiError::new(ApiErrorCode::WebhookEndpointLimit),
            Error::IdempotencyKeyReused => ApiError::new(ApiErrorCode::IdempotencyKeyReused),
            Error::NotFound => ApiError::not_found(),
            Error::Disabled => ApiError::new(ApiErrorCode::WebhookEndpointOff),
            Error::UnknownEvent(position) => unknown_event(position),
        }
    }
}

/// Returns the user of the session as the actor, in the mode of `Scan-Mode`.
pub(super) fn actor<'a>(app: &'a App, session_user: &'a SessionUser, tenant: &'a Tenant) -> Actor<'a> {
    Actor { db: app.db(), tenant, name: session_user.user.id.as_str(), now: Timestamp::now() }
}

pub(super) async fn create(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Response> {
    let idempotency_key = request.idempotency_key()?;
    session_user.require_confirmed_for_live()?;
    let new: NewEndpoint = request.json().await?;
    new.validate()?;
    let (tenant, description) = (session_user.tenant(), new.description.map(|text| text.trim().to_owned()));
    let new = AddEndpoint { url: new.url, description, events: new.events, idempotency_key };
    let actor = actor(&app, &session_user, &tenant);
    match app.webhooks().add(actor, new).await? {
        AddedEndpoint::Created(row, secret) => {
            let body = json(&EndpointWithSecret::new(row, Some(&secret), actor.now));
            Ok(with_status(body, StatusCode::CREATED).into_response())
        }
        AddedEndpoint::Existing(row) => {
            let body = json(&EndpointWithSecret::new(row, None, actor.now));
            Ok(with_header(body, "Idempotent-Replayed", "true").into_response())
        }
    }
}

pub(super) async fn update(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let changes: EndpointChanges = request.json().await?;
    changes.validate()?;
    let description = changes.description.map(|text| text.map(|text| text.trim().to_owned()));
    let changes = Changes { url: changes.url, description, events: changes.events, enabled: None };
    let tenant = session_user.tenant();
    let actor = actor(&app, &session_user, &tenant);
    let row = app.webhooks().change(actor, &id, changes).await?;
    Ok(json(&WebhookEndpoint::new(row, actor.now)))
}

pub(super) async fn enable(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    set_enabled(app, session_user, request, true).await
}

pub(super) async fn disable(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    set_enabled(app, session_user, request, false).await
}

async fn set_enabled(
    app: App,
    session_user: SessionUser,
    request: Request,
    enabled: bool,
) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let tenant = session_user.tenant();
    let actor = actor(&app, &session_user, &tenant);
    Ok(json(&WebhookEndpoint::new(actor.set_enabled(&id, enabled).await?, actor.now)))
}

pub(super) async fn delete(app: App, session_user: SessionUser, request: Request) -> ApiResult<StatusCode> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let tenant = session_user.tenant();
    actor(&app, &session_user, &tenant).delete(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn rotate(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Json> {
    let id = request.id::<WebhookEndpointId>("id")?;
    let rotate: RotateSecret = request.json_or_default().await?;
    rotate.validate()?;
    let overlap = Duration::from_secs(u64::from(rotate.overlap_hours) * 3_600);
    let tenant = session_user.tenant();
    let actor = actor(&app, &session_user, &tenant);
    let (row, secret) = app.webhooks().rotate(actor, &id, overlap).await?;
    Ok(json(&EndpointWithSecret::new(row, Some(&secret), actor.now)))
}
