//! `/auth/*`: how people get in and out of the console.

pub mod account;
pub mod audit;
pub mod confirm_email;
pub mod exports;
pub mod log_in;
pub mod mailed;
pub mod reset_password;
pub mod session;
pub mod sign_up;

use domain::ApiErrorCode;
use entities::{UserRow, audit_log};
use http::Method;

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        schema::SchemaRef,
    },
    http::{error::ApiResult, page::List, request::Trace},
    limits::{Limit, address_subject},
};

use session::Session;

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/auth/sign-up", "signUp", "Console")
            .about(
                "Make an account",
                "Answers the same whether the address is free or taken; what is mailed to it tells. Free scans come with the \
                 account. Log in next.",
            )
            .json_body::<sign_up::NewUser>()
            .answers::<sign_up::SignUp>(202, "Taken in.")
            .own_pages(sign_up::sign_up),
        endpoint(Method::POST, "/auth/log-in", "logIn", "Console")
            .about(
                "Log in",
                "Begins a session, carried by the cookie `scan_session`. Throttled by IP address and by e-mail address.",
            )
            .json_body::<log_in::Credentials>()
            .answers::<Session>(200, "The session; its secret is in `Set-Cookie` only.")
            .errors(&[ApiErrorCode::InvalidCredentials])
            .own_pages(log_in::log_in),
        endpoint(Method::POST, "/auth/log-out", "logOut", "Console")
            .about("Log out", "Ends the session and takes the cookie back.")
            .answers_nothing(204, "Logged out.")
            .session(session::log_out),
        endpoint(Method::GET, "/auth/session", "getSession", "Console")
            .about("Get who is logged in", "")
            .answers::<Session>(200, "The session.")
            .session(session::get),
        endpoint(Method::POST, "/auth/send-confirmation", "sendConfirmation", "Console")
            .about("Have the address confirmed", "Mails a link to who is logged in, unless it was confirmed before.")
            .answers::<mailed::MailRequest>(202, "It will be mailed.")
            .session(confirm_email::send),
        endpoint(Method::POST, "/auth/confirm-email", "confirmEmail", "Console")
            .about("Confirm an address", "By the token of the link that was mailed; good once, for 3 days.")
            .json_body::<confirm_email::Confirmation>()
            .answers_nothing(204, "Confirmed.")
            .errors(&[ApiErrorCode::InvalidToken])
            .own_pages(confirm_email::confirm),
        endpoint(Method::POST, "/auth/forgot-password", "forgotPassword", "Console")
            .about(
                "Ask for another password",
                "Mails a link to the address if it has an account; answers the same if not. Throttled by IP address \
                 and by e-mail address.",
            )
            .json_body::<reset_password::Forgotten>()
            .answers::<mailed::MailRequest>(202, "Taken in.")
            .own_pages(reset_password::forgot),
        endpoint(Method::POST, "/auth/reset-password", "resetPassword", "Console")
            .about(
                "Choose another password",
                "By the token of the link that was mailed; good once, for an hour. Ends every session of the user. \
                 Log in next.",
            )
            .json_body::<reset_password::Reset>()
            .answers_nothing(204, "It is the password now.")
            .errors(&[ApiErrorCode::InvalidToken])
            .own_pages(reset_password::reset),
        endpoint(Method::POST, "/auth/exports", "createExport", "Console")
            .about(
                "Export the account",
                "Makes a zip of everything that the account has in both modes: records as JSON, documents, frames and \
                 media. One at a time; five a day. Kept for a week.",
            )
            .answers::<exports::AccountExport>(202, "It is being made.")
            .session(exports::create),
        endpoint(Method::GET, "/auth/exports/{id}", "getExport", "Console")
            .about("Get an export", "")
            .answers::<exports::AccountExport>(200, "The export.")
            .session(exports::get),
        endpoint(Method::GET, "/auth/exports/{id}/archive", "downloadExport", "Console")
            .about("Download an export", "")
            .answers_with(200, "The archive.", "application/zip", SchemaRef::bytes())
            .errors(&[ApiErrorCode::ExportNotReady])
            .session(exports::download),
        endpoint(Method::DELETE, "/auth/account", "deleteAccount", "Console")
            .about(
                "End the account",
                "For good, in both modes. Sessions, keys, webhook endpoints and automatic top-up end at once, and the \
                 address is free again. What is under way ends first; then spaces, scans, media, documents, events and \
                 records about people are deleted. The ledger is kept, with nothing in it about anyone; what is left \
                 in the wallets is not paid back.",
            )
            .json_body::<account::Farewell>()
            .answers::<account::ClosedAccount>(202, "Closed; what it had is being deleted.")
            .errors(&[ApiErrorCode::InvalidCredentials])
            .session(account::delete),
        endpoint(Method::GET, "/auth/audit-log", "listAuditLog", "Console")
            .about("List what was done", "Log-ins, keys and the like, in both modes; newest first.")
            .paged()
            .answers::<List<audit::AuditEntry>>(200, "A page of entries.")
            .session(audit::list),
    ]
}

/// Counts an attempt of the address that the request came from.
async fn throttle_address(app: &App, trace: &Trace, name: &'static str, limit: Limit) -> ApiResult<()> {
    app.throttle(name, &address_subject(trace.client), limit).await
}

/// The record of what a user did to themselves.
fn own_action<'a>(user: &'a UserRow, action: &'a str) -> audit_log::NewEntry<'a> {
    let (account_id, actor) = (&user.account_id.0, user.id.as_str());
    audit_log::NewEntry { account_id, actor, action, subject: actor, detail: serde_json::json!({}) }
}
