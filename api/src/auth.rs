//! Principals: who is asking, and what they may do.

use domain::{ApiErrorCode, Timestamp, key::KeySecret, mode::Tenant, scope::Scope};
use entities::{KeyRow, api_keys};
use http::{HeaderMap, header};

use crate::{
    App,
    error::{ApiError, ApiResult},
};

/// Who sent a request, authenticated by an API key.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The account and mode that the request may see and change.
    pub tenant: Tenant,
    /// The key it was sent with.
    pub key: KeyRow,
}

impl Caller {
    /// Goes on only when the key has the scope.
    ///
    /// # Errors
    /// `INSUFFICIENT_SCOPE`, naming the scope.
    pub fn require(&self, scope: Scope) -> ApiResult<()> {
        if self.key.allows(scope) {
            return Ok(());
        }
        Err(ApiError::new(ApiErrorCode::InsufficientScope)
            .message(format!("The API key lacks the scope `{}`.", scope.as_str()))
            .with("required_scope", scope.as_str()))
    }
}

/// Finds out who is asking. A key that cannot be one of ours (form, checksum) costs no look-up.
///
/// # Errors
/// `UNAUTHENTICATED` without a bearer token, `INVALID_API_KEY` when it is no active key of ours: which
/// of malformed, unknown, revoked and expired it is, only the owner sees, in the console.
pub async fn authenticate(app: &App, headers: &HeaderMap) -> ApiResult<Caller> {
    let token = bearer(headers).ok_or_else(|| ApiError::new(ApiErrorCode::Unauthenticated))?;
    let refused = || ApiError::new(ApiErrorCode::InvalidApiKey);
    let secret = KeySecret::parse(token).ok_or_else(refused)?;
    let now = Timestamp::now();
    let found = app.lookups().keys.get(secret.hash()).await?;
    let key = found.filter(|key| key.is_active(now)).ok_or_else(refused)?;
    let tenant = key.tenant();
    if tenant.mode != secret.mode() {
        return Err(refused());
    }
    touch(app, &key, now);
    Ok(Caller { tenant, key })
}

/// The token of `Authorization: Bearer …`; the scheme may be in any case (RFC 9110 §11.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Records the use of the key, beside the request: the answer does not wait for it, and does not fail
/// with it.
fn touch(app: &App, key: &KeyRow, now: Timestamp) {
    if !key.needs_use_recorded(now) {
        return;
    }
    let (db, key) = (app.db().clone(), key.clone());
    tokio::spawn(async move {
        if let Err(error) = api_keys::touch_last_used(&db, &key, now).await {
            tracing::warn!(%error, key = %key.id.as_str(), "the use of a key was not recorded");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_bearer_tokens_only() {
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
