//! Authentication by API key.

use domain::{ApiErrorCode, Timestamp, key::KeySecret, mode::Tenant, scope::Scope};
use entities::{KeyRow, api_keys};
use http::{HeaderMap, header};

use crate::{
    App,
    http::error::{ApiError, ApiResult},
};

/// Caller that authenticated with an API key.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Account and mode that the request may read and change.
    pub tenant: Tenant,
    /// The key that it sent.
    pub key: KeyRow,
}

impl Caller {
    /// Checks that the key has a scope.
    ///
    /// # Errors
    /// Returns `INSUFFICIENT_SCOPE` with the scope if it is missing.
    pub fn require(&self, scope: Scope) -> ApiResult<()> {
        if self.key.allows(scope) {
            return Ok(());
        }
        Err(ApiError::new(ApiErrorCode::InsufficientScope)
            .message(format!("The API key lacks the scope `{}`.", scope.as_str()))
            .with("required_scope", scope.as_str()))
    }
}

/// Authenticates a request by its bearer token. A malformed key is refused without a query.
///
/// # Errors
/// Returns `UNAUTHENTICATED` without a bearer token, and `INVALID_API_KEY` if the key is malformed,
/// unknown, revoked or expired. The error does not tell these apart; the console does.
pub async fn authenticate(app: &App, headers: &HeaderMap) -> ApiResult<Caller> {
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
    Ok(Caller { tenant, key })
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
