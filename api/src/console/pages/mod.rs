//! Pages that e-mails and banks link to. Each has one form, rendered by the server without scripts.
//!
//! Opening a page changes nothing and redeems no token, because mail scanners follow links. Only
//! submitting the form does; it runs the same code as the endpoint with the same name.

mod bank;
mod serve;

use domain::{ApiErrorCode, Secret, Token};
use http::HeaderValue;
use maud::{Markup, html};

use super::credentials::{MAX_EMAIL, MAX_PASSWORD, MIN_PASSWORD};
use crate::{
    App,
    contract::reference::layout,
    http::{
        error::{ApiError, ApiResult},
        request::{Query, Trace},
    },
    routes::auth::{
        changes,
        confirm_email::{self, Confirmation},
        reset_password::{self, PasswordReset, ResetRequest},
    },
};

pub(crate) use serve::pages;

/// The page after a form was processed.
struct Submitted {
    page: Markup,
    /// Cookie of a session that it started.
    cookie: Option<HeaderValue>,
}

impl From<Markup> for Submitted {
    fn from(page: Markup) -> Self {
        Self { page, cookie: None }
    }
}

/// A page that e-mails link to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    ConfirmEmail,
    ConfirmEmailChange,
    ForgotPassword,
    ResetPassword,
}

impl Page {
    const ALL: [Page; 4] =
        [Page::ConfirmEmail, Page::ConfirmEmailChange, Page::ForgotPassword, Page::ResetPassword];

    /// Returns the last segment of its path.
    const fn name(self) -> &'static str {
        match self {
            Page::ConfirmEmail => "confirm-email",
            Page::ConfirmEmailChange => "confirm-email-change",
            Page::ForgotPassword => "forgot-password",
            Page::ResetPassword => "reset-password",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Page::ConfirmEmail => "Confirm your e-mail address",
            Page::ConfirmEmailChange => "Confirm your new e-mail address",
            Page::ForgotPassword => "Reset your password",
            Page::ResetPassword => "Choose a new password",
        }
    }

    /// Returns the fields of its form.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Page::ConfirmEmail | Page::ConfirmEmailChange => &["token"],
            Page::ForgotPassword => &["email"],
            Page::ResetPassword => &["token", "password"],
        }
    }

    const fn requires_token(self) -> bool {
        !matches!(self, Page::ForgotPassword)
    }

    /// Renders the page with its form; `token` is the token of the link.
    fn render(self, token: Option<&Token>) -> ApiResult<Markup> {
        if self.requires_token() && token.is_none() {
            return Err(ApiError::new(ApiErrorCode::InvalidToken));
        }
        Ok(self.layout(self.form(token)))
    }

    /// Processes the form and renders the result.
    /// A reset also returns the cookie of a new session.
    async fn submit(self, app: &App, trace: &Trace, form: &Query) -> ApiResult<Submitted> {
        let mut cookie = None;
        let field = |name| form.get(name).unwrap_or_default().to_owned();
        let token = || Secret::new(field("token"));
        let message = match self {
            Page::ConfirmEmail => {
                confirm_email::redeem(app, trace, Confirmation { token: token() }).await?;
                "Your e-mail address is confirmed."
            }
            Page::ConfirmEmailChange => {
                changes::redeem(app, trace, Confirmation { token: token() }).await?;
                "Your e-mail address is changed."
            }
            Page::ForgotPassword => {
                reset_password::request_link(app, trace, ResetRequest { email: field("email") }).await?;
                "If the address has an account, a message with a link has been sent to it. The link is valid for one hour."
            }
            Page::ResetPassword => {
                let password = Secret::new(field("password"));
                cookie =
                    reset_password::redeem(app, trace, PasswordReset { token: token(), password }).await?;
                "Your password is changed, and you are logged in. All other sessions were logged out."
            }
        };
        Ok(Submitted { page: self.layout(html! { p role="status" { (message) } }), cookie })
    }

    /// Renders an error, with the form if trying again can help.
    fn render_error(self, error: &ApiError, token: Option<&Token>) -> Markup {
        let invalid_link = error.code() == ApiErrorCode::InvalidToken;
        self.layout(html! {
            p.wrong role="alert" {
                @if invalid_link {
                    "This link does not work: it was used already, it is too old, or a part of it is missing."
                } @else { (error.public_message()) }
            }
            @if !invalid_link {
                (self.form(token))
            } @else if self == Page::ConfirmEmailChange {
                p { "Log in and ask for the change again." }
            } @else if self == Page::ConfirmEmail {
                p { "If you already confirmed your address, you are done. Otherwise, log in and request a new message." }
            } @else {
                p { a href=(Page::ForgotPassword.name()) { "Request a new message" } "." }
            }
        })
    }

    fn form(self, token: Option<&Token>) -> Markup {
        // The action has no query, and so does not contain the token.
        html! {
            form method="post" action=(self.name()) {
                @if let Some(token) = token { input type="hidden" name="token" value=(token.reveal()); }
                @match self {
                    Page::ConfirmEmail | Page::ConfirmEmailChange => { button { "Confirm" } }
                    Page::ForgotPassword => {
                        label for="email" { "E-mail address" }
                        input #email type="email" name="email" autocomplete="email" required maxlength=(MAX_EMAIL);
                        button { "Send the link" }
                    }
                    Page::ResetPassword => {
                        label for="password" { "New password, at least " (MIN_PASSWORD) " characters" }
                        input #password type="password" name="password" autocomplete="new-password" required
                            minlength=(MIN_PASSWORD) maxlength=(MAX_PASSWORD);
                        button { "Set password" }
                    }
                }
            }
        }
    }

    fn layout(self, body: Markup) -> Markup {
        layout::page(self.title(), None, html! { h1 { (self.title()) } (body) })
    }
}
