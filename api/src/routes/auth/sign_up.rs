//! `POST /auth/sign-up`.
//!
//! The response does not reveal whether the address is taken, and takes as long either way. The
//! e-mail reveals it to the owner of the address.

use domain::{Secret, Timestamp, money::FREE_SCANS};
use entities::{
    account_mail::{self, MailKind},
    accounts, audit_log, users,
};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{Json, WithStatus, with_status};

use crate::{
    App,
    console::credentials,
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// Default name of an account.
const DEFAULT_ACCOUNT_NAME: &str = "My account";

/// A new user.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewUser {
    /// ASCII only; stored in lower case.
    #[schema(schema_with = crate::contract::schema::email)]
    pub email: String,
    /// Password.
    #[schema(value_type = String, min_length = 10, max_length = 200)]
    pub password: Secret,
    /// Name of the account.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub account_name: Option<String>,
}

/// An accepted sign-up.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignUp {
    /// Always `sign_up`.
    #[schema(pattern = "^sign_up$")]
    pub object: &'static str,
    /// The normalized address.
    pub email: String,
}

pub(super) async fn sign_up(app: App, mut request: Request) -> ApiResult<WithStatus<Json>> {
    super::throttle_address(&app, &request.trace, "sign_up", app.settings().console.sign_up_per_address)
        .await?;
    let new: NewUser = request.json().await?;
    let email = users::normalize_email(&new.email);
    let name = new.account_name.unwrap_or_else(|| DEFAULT_ACCOUNT_NAME.to_owned());
    ApiError::reject_invalid([
        credentials::email(&email),
        credentials::password(new.password.reveal(), &email),
        credentials::name("account_name", &name, credentials::MAX_ACCOUNT_NAME),
    ])?;
    app.throttle("mail_email", &email, app.settings().console.mail_per_email).await?;
    let password_hash = app.passwords().hash(new.password).await?;
    let new = accounts::NewAccount {
        name,
        email: email.clone(),
        password_hash: Some(password_hash),
        email_confirmed_at: None,
    };
    open(&app, &new).await?;
    let body = SignUp { object: "sign_up", email };
    Ok(with_status(warp::reply::json(&body), StatusCode::ACCEPTED))
}

/// Creates account, user and wallets in one transaction. If the address is taken, queues a mail
/// that says so.
async fn open(app: &App, new: &accounts::NewAccount) -> ApiResult<()> {
    let now = Timestamp::now();
    let opened: ledger::Result<()> = app
        .db()
        .write(async |txn| {
            let Some((account, user)) = accounts::create(&txn, new, now).await? else {
                return Ok(account_mail::enqueue(&txn, MailKind::AlreadySignedUp, &new.email, now).await?);
            };
            account_mail::enqueue(&txn, MailKind::ConfirmEmail, &user.email, now).await?;
            ledger::open_wallets(&txn, &account.id, FREE_SCANS, now).await?;
            let entry = audit_log::NewEntry {
                account_id: &account.id,
                actor: user.id.as_str(),
                action: "user.signed_up",
                subject: user.id.as_str(),
                detail: json!({}),
            };
            Ok(audit_log::append(&txn, entry, now).await?)
        })
        .await;
    Ok(opened?)
}
