//! Authentication of resource endpoints: by API key, or by the console's session.

use domain::{ApiErrorCode, KeyId, Timestamp, key::KeySecret, mode::Tenant, scope::Scope};
use entities::{KeyRow, api_keys};
use http::{HeaderMap, Method, header};

use crate::{
    App,
    console::{
        SessionUser,
        session_user::{self, SCAN_MODE},
    },
    http::error::{ApiError, ApiResult},
};

/// Caller of a resource endpoint.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Account and mode that the request may read and change.
    pub tenant: Tenant,
    /// What the caller authenticated with.
    pub principal: Principal,
}

/// What a caller authenticated with.
#[derive(Debug, Clone)]
pub enum Principal {
    /// An API key. Its scopes and its cap apply.
    Key(Box<KeyRow>),
    /// A console session. Its user has every scope and no cap.
    Session(Box<SessionUser>),
}

impl Caller {
    /// Returns the id of the API key, if the caller sent one.
    pub fn key_id(&self) -> Option<KeyId> {
        match &self.principal {
            Principal::Key(key) => Some(key.id.0.clone()),
            Principal::Session(_) => None,
        }
    }

    /// Returns the id of the key or of the user, for the audit log.
    pub fn actor(&self) -> &str {
        match &self.principal {
            Principal::Key(key) => key.id.as_str(),
            Principal::Session(session) => session.user.id.as_str(),
        }
    }

    /// Returns whether the caller has a scope.
    pub fn allows(&self, scope: Scope) -> bool {
        match &self.principal {
            Principal::Key(key) => key.allows(scope),
            Principal::Session(_) => true,
        }
    }

    /// Checks that the caller has a scope.
    ///
    /// # Errors
    /// Returns `INSUFFICIENT_SCOPE` with the scope if it is missing.
    pub fn require(&self, scope: Scope) -> ApiResult<()> {
        if self.allows(scope) {
            return Ok(());
        }
        Err(ApiError::new(ApiErrorCode::InsufficientScope)
            .message(format!("The API key lacks the scope `{}`.", scope.as_str()))
            .with("required_scope", scope.as_str()))
    }
}

/// Authenticates a request by its bearer token or, where `accepts_session`, by its session cookie.
/// The session counts only with the header `Scan-Mode`, which no other site's page can send, and
/// only without `Authorization`.
///
/// # Errors
/// Returns the errors of [`authenticate_key`] or of [`session_user::authenticate`], and
/// `EMAIL_NOT_CONFIRMED` for a change of live data by a user without a confirmed address, who could
/// have no live key either.
pub async fn authenticate(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
    accepts_session: bool,
) -> ApiResult<Caller> {
    let by_key = headers.contains_key(header::AUTHORIZATION) || !headers.contains_key(SCAN_MODE);
    if by_key || !accepts_session {
        return authenticate_key(app, headers).await;
    }
    // Boxed, because this future is much larger than that of a key, which most requests have.
    Box::pin(authenticate_session(app, method, headers)).await
}

/// Authenticates a request by its session cookie, with the rules of live mode.
async fn authenticate_session(app: &App, method: &Method, headers: &HeaderMap) -> ApiResult<Caller> {
    let session = session_user::authenticate(app, method, headers).await?;
    if !method.is_safe() {
        session.require_confirmed_for_live()?;
    }
    Ok(Caller { tenant: session.tenant(), principal: Principal::Session(Box::new(session)) })
}

/// Authenticates a request by its bearer token. A malformed key is refused without a query.
///
/// # Errors
/// Returns `UNAUTHENTICATED` without a bearer token, and `INVALID_API_KEY` if the key is malformed,
/// unknown, revoked or expired. The error does not tell these apart; the console does.
async fn authenticate_key(app: &App, headers: &HeaderMap) -> ApiResult<Caller> {
    let token = bearer(headers).ok_or_else(|| ApiError::new(ApiErrorCode::Unauthenticated))?;
    let refused = || ApiError::new(ApiErrorCode::InvalidApiKey);
    let secret = KeySecret::parse(token).ok_or_else(refused)?;
    let now = Timestamp::now();
    let found = app.loaders().keys.get(secret.hash()).await?;
    let key = found.filter(|key| key.is_active(now)).ok_or_else(refused)?;
    let tenant = key.tenant();
    if tenant.mode != secret.mode() {
        return Err(refused());
    }
    app.key_uses().count(&key.id, now);
    touch(app, &key, now);
    Ok(Caller { tenant, principal: Principal::Key(Box::new(key)) })
}

/// Returns the token of `Authorization: Bearer …`. The scheme is case-insensitive (RFC 9110 §11.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Records the use of the key in the background. A failure does not affect the response.
fn touch(app: &App, key: &KeyRow, now: Timestamp) {
    if !key.needs_use_recorded(now) {
        return;
    }
    let (db, key) = (app.db().clone(), key.clone());
    tokio::spawn(async move {
        if let Err(error) = api_keys::touch_last_used(&db, &key, now).await {
            tracing::warn!(%error, key = %key.id.as_str(), "recording the use of an API key failed");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_bearer_tokens_only() {
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().unwrap());
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(with("Bearer sc_test_x"), Some("sc_test_x".into()));
        assert_eq!(with("bearer  sc_test_x"), Some("sc_test_x".into()));
        assert_eq!(with("Basic abc"), None);
        assert_eq!(with("sc_test_x"), None);
        assert_eq!(bearer(&HeaderMap::new()), None);
    }
}
