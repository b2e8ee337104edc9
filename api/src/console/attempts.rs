//! Throttles guesses of passwords.
//!
//! Only failures count, by IP address and e-mail address together, so that a stranger who guesses
//! cannot lock the user out. The delays grow with the number of failures. A new password starts
//! again, so a mailed link always lets its user in.

use std::net::IpAddr;

use domain::{ApiErrorCode, Secret};
use entities::UserRow;
use sha2::{Digest, Sha256};

use crate::{
    App,
    http::error::{ApiError, ApiResult},
    limits::{Limit, address_subject},
};

/// The windows: name, factor of the number of failures, and factor of the window's length.
const WINDOWS: [(&str, u32, u32); 3] =
    [("log_in_pair", 1, 1), ("log_in_pair_slower", 2, 15), ("log_in_pair_slowest", 4, 360)];

/// Checks the password of a user who may not exist, unless there were too many failures. The check
/// takes as long without a user.
///
/// # Errors
/// Returns `RATE_LIMIT_EXCEEDED` after too many failures, and the errors of the password hasher.
pub(crate) async fn check_password(
    app: &App,
    client: IpAddr,
    email: &str,
    user: Option<&UserRow>,
    password: Secret,
) -> ApiResult<bool> {
    let hash = user.and_then(|user| user.password_hash.clone());
    let subject = subject(client, email, hash.as_deref());
    let mut failures = Vec::with_capacity(WINDOWS.len());
    for (name, more, longer) in WINDOWS {
        let Limit { requests, window_seconds } = app.settings().console.log_in_per_address_and_email;
        let limit = Limit {
            requests: requests.saturating_mul(more),
            window_seconds: window_seconds.saturating_mul(longer),
        };
        failures.push(app.reserve(name, &subject, limit).await?);
    }
    let is_right = app.passwords().verify(password, hash).await?;
    for failure in failures {
        failure.settle(!is_right).await;
    }
    Ok(is_right)
}

/// Checks the password of a logged-in user.
///
/// # Errors
/// Returns `INVALID_CREDENTIALS` for a wrong password, and the errors of [`check_password`].
pub(crate) async fn require_password(
    app: &App,
    client: IpAddr,
    user: &UserRow,
    password: Secret,
) -> ApiResult<()> {
    if check_password(app, client, &user.email, Some(user), password).await? {
        return Ok(());
    }
    Err(wrong_password())
}

/// Returns the error for a wrong password of a logged-in user.
pub(crate) fn wrong_password() -> ApiError {
    ApiError::new(ApiErrorCode::InvalidCredentials).message("The password is wrong.")
}

/// Returns the subject that failures count for. It changes with the password, and reveals neither.
fn subject(client: IpAddr, email: &str, hash: Option<&str>) -> String {
    let mut digest = Sha256::new();
    for part in [&address_subject(client), email, hash.unwrap_or_default()] {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    hex::encode(digest.finalize())
}
