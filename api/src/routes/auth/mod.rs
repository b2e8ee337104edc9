//! `/auth/*`: sign-up, log-in, passwords, exports and deletion of accounts.

pub mod account;
pub mod audit;
pub mod changes;
pub mod confirm_email;
pub mod exports;
pub mod log_in;
pub mod mailed;
pub mod reset_password;
pub mod session;
pub mod sessions;
pub mod sign_up;

use domain::ApiErrorCode;
use entities::{UserRow, audit_log};
use http::Method;
use serde_json::{Value, json};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{CREATED, FINISHED, list_of},
        schema::SchemaRef,
    },
    http::{error::ApiResult, page::List, request::Trace},
    limits::{Limit, address_subject},
};

use session::Session;

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    [session_endpoints(), own_endpoints(), mail_endpoints(), account_endpoints()].concat()
}

fn session_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/auth/sign-up", "signUp", "Console")
            .about(
                "Sign up",
                "The response does not reveal whether the address already has an account; the e-mail to the address \
                 does. A new account has free scans. Log in to start a session.",
            )
            .json_body::<sign_up::NewUser>()
            .responds::<sign_up::SignUp>(202, "Accepted.")
            .request_example(example_credentials())
            .response_example(202, json!({ "object": "sign_up", "email": "kim@example.com" }))
            .own_pages(sign_up::sign_up),
        endpoint(Method::POST, "/auth/log-in", "logIn", "Console")
            .about(
                "Log in",
                "Starts a session in the cookie `scan_session`, behind TLS `__Host-scan_session`. Attempts are limited per IP \
                 address; failures also per IP address and e-mail address together, with growing delays.",
            )
            .json_body::<log_in::Credentials>()
            .responds::<Session>(200, "The session. Its secret is in `Set-Cookie` only.")
            .errors(&[ApiErrorCode::InvalidCredentials])
            .request_example(example_credentials())
            .response_example(200, session::example())
            .own_pages(log_in::log_in),
        endpoint(Method::POST, "/auth/log-out", "logOut", "Console")
            .about("Log out", "Ends the session and deletes the cookie.")
            .responds_empty(204, "Logged out.")
            .session(session::log_out),
        endpoint(Method::GET, "/auth/session", "getSession", "Console")
            .about("Get the current session", "")
            .responds::<Session>(200, "The session.")
            .response_example(200, session::example())
            .session(session::get),
    ]
}

/// Endpoints with which users manage their sessions, password and address.
fn own_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/auth/sessions", "listSessions", "Console")
            .about("List your sessions", "Those that are valid, newest first.")
            .responds::<List<sessions::OpenSession>>(200, "The sessions.")
            .response_example(200, list_of(sessions::example()))
            .session(sessions::list),
        endpoint(Method::DELETE, "/auth/sessions/{id}", "endSession", "Console")
            .about("End one of your sessions", "")
            .responds_empty(204, "Ended, now or by an earlier request.")
            .session(sessions::end),
        endpoint(Method::POST, "/auth/confirm-password", "confirmPassword", "Console")
            .about(
                "Enter the password again",
                "Sufficient for 15 minutes. Live keys and exports require it; a log-in counts.",
            )
            .json_body::<changes::PasswordConfirmation>()
            .responds_empty(204, "Confirmed.")
            .errors(&[ApiErrorCode::InvalidCredentials])
            .request_example(json!({ "password": "four unrelated plain words" }))
            .session(sessions::confirm_password),
        endpoint(Method::POST, "/auth/change-password", "changePassword", "Console")
            .about("Change the password", "Ends all your other sessions, and is reported by e-mail.")
            .json_body::<changes::PasswordChange>()
            .responds_empty(204, "Changed.")
            .errors(&[ApiErrorCode::InvalidCredentials])
            .request_example(json!({
                "password": "four unrelated plain words", "new_password": "four other plain words",
            }))
            .session(changes::password),
        endpoint(Method::POST, "/auth/change-email", "changeEmail", "Console")
            .about(
                "Change the e-mail address",
                "Mails a link to the new address, which is valid once and for an hour. The address changes when the link \
                 is opened and confirmed. The response does not reveal whether the address already has an account.",
            )
            .json_body::<changes::EmailChange>()
            .responds::<mailed::MailRequest>(202, "Accepted.")
            .errors(&[ApiErrorCode::InvalidCredentials])
            .request_example(example_credentials())
            .response_example(202, mailed::example())
            .session(changes::email),
        endpoint(Method::POST, "/auth/confirm-email-change", "confirmEmailChange", "Console")
            .about("Confirm a new e-mail address", "Requires the token of the mailed link. The old address is notified.")
            .json_body::<confirm_email::Confirmation>()
            .responds_empty(204, "Changed.")
            .errors(&[ApiErrorCode::InvalidToken])
            .request_example(json!({ "token": EXAMPLE_TOKEN }))
            .own_pages(changes::confirm_email_change),
    ]
}

fn mail_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/auth/send-confirmation", "sendConfirmation", "Console")
            .about("Send a confirmation link", "Mails a link to the user, unless the address is already confirmed.")
            .responds::<mailed::MailRequest>(202, "The e-mail is queued.")
            .response_example(202, mailed::example())
            .session(confirm_email::send),
        endpoint(Method::POST, "/auth/confirm-email", "confirmEmail", "Console")
            .about("Confirm an e-mail address", "Requires the token of the mailed link, which is valid once and for 3 days.")
            .json_body::<confirm_email::Confirmation>()
            .responds_empty(204, "Confirmed.")
            .errors(&[ApiErrorCode::InvalidToken])
            .request_example(json!({ "token": EXAMPLE_TOKEN }))
            .own_pages(confirm_email::confirm),
        endpoint(Method::POST, "/auth/forgot-password", "forgotPassword", "Console")
            .about(
                "Request a password reset",
                "Mails a link to the address if it has an account. The response is the same if not. Rate-limited per IP \
                 address and per e-mail address.",
            )
            .json_body::<reset_password::ResetRequest>()
            .responds::<mailed::MailRequest>(202, "Accepted.")
            .request_example(json!({ "email": "kim@example.com" }))
            .response_example(202, mailed::example())
            .own_pages(reset_password::forgot),
        endpoint(Method::POST, "/auth/reset-password", "resetPassword", "Console")
            .about(
                "Reset a password",
                "Requires the token of the mailed link, which is valid once and for an hour. Ends every session of the \
                 user and starts a new one in the cookie.",
            )
            .json_body::<reset_password::PasswordReset>()
            .responds_empty(204, "The password is changed.")
            .errors(&[ApiErrorCode::InvalidToken])
            .request_example(json!({ "token": EXAMPLE_TOKEN, "password": "four unrelated plain words" }))
            .own_pages(reset_password::reset),
    ]
}

fn account_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/auth/exports", "createExport", "Console")
            .about(
                "Export the account",
                "Creates a zip of all data of the account in both modes: records as JSON, documents, frames and media. \
                 One export at a time, at most five a day. The archive is kept for a week.",
            )
            .responds::<exports::AccountExport>(202, "The pending export.")
            .response_example(202, exports::pending_example())
            .errors(&[ApiErrorCode::ReauthenticationRequired])
            .session(exports::create),
        endpoint(Method::GET, "/auth/exports/{id}", "getExport", "Console")
            .about("Get an export", "")
            .responds::<exports::AccountExport>(200, "The export.")
            .response_example(200, exports::ready_example())
            .session(exports::get),
        endpoint(Method::GET, "/auth/exports/{id}/archive", "downloadExport", "Console")
            .about("Download an export", "")
            .header("Range", "Asks for a part of the archive.", SchemaRef::text())
            .responds_with(200, "The archive.", "application/zip", SchemaRef::bytes())
            .responds_with(206, "The part of the archive.", "application/zip", SchemaRef::bytes())
            .errors(&[ApiErrorCode::ExportNotReady, ApiErrorCode::RangeNotSatisfiable])
            .session(exports::download),
        endpoint(Method::DELETE, "/auth/account", "deleteAccount", "Console")
            .about(
                "Delete the account",
                "Permanent, in both modes. Sessions, keys, webhook endpoints and automatic top-ups end at once, and the \
                 e-mail address is free again. Scans in progress finish first; then spaces, scans, media, documents, \
                 events and personal data are deleted. The ledger is kept without personal data. The balance is \
                 not refunded.",
            )
            .json_body::<account::AccountDeletion>()
            .responds::<account::ClosedAccount>(202, "The account is closed; its data is being deleted.")
            .errors(&[ApiErrorCode::InvalidCredentials])
            .request_example(json!({ "password": "four unrelated plain words" }))
            .response_example(202, json!({
                "object": "closed_account", "id": "acc_01jd3x0000000000000000000d", "closed_at": FINISHED,
            }))
            .session(account::delete),
        endpoint(Method::GET, "/auth/audit-log", "listAuditLog", "Console")
            .about("List the audit log", "Log-ins, changes of API keys and other actions, in both modes, newest first.")
            .paged()
            .responds::<List<audit::AuditEntry>>(200, "A page of entries.")
            .response_example(200, list_of(json!({
                "object": "audit_entry", "action": "key.created", "actor": "usr_01jd3x0000000000000000000a",
                "subject": "key_01jd3x0000000000000000000b", "at": CREATED, "detail": {},
                "client_address": "203.0.113.7", "user_agent": "Mozilla/5.0",
            })))
            .session(audit::list),
    ]
}

/// Counts an attempt from the client's IP address.
async fn throttle_address(app: &App, trace: &Trace, name: &'static str, limit: Limit) -> ApiResult<()> {
    app.throttle(name, &address_subject(trace.client), limit).await
}

/// Returns the audit entry of a user's action on their own user.
fn own_action<'a>(user: &'a UserRow, action: &'a str) -> audit_log::NewEntry<'a> {
    let (account_id, actor) = (&user.account_id.0, user.id.as_str());
    audit_log::NewEntry { account_id, actor, action, subject: actor, detail: serde_json::json!({}) }
}

/// A well-formed mailed token that was never issued.
const EXAMPLE_TOKEN: &str = "3nXq8example0example0example0example0exampl";

fn example_credentials() -> Value {
    json!({ "email": "kim@example.com", "password": "four unrelated plain words" })
}
