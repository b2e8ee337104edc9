//! The pages that mail and banks lead to: a form each, written by the server, without scripts.
//!
//! Looking at a page changes nothing and uses up no token, because scanners of mail follow links. Only the
//! form, sent from the page itself, does; by the same code as the endpoint of its name.

mod bank;
mod serve;

use domain::{ApiErrorCode, Secret, Token};
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
        confirm_email::{self, Confirmation},
        reset_password::{self, Forgotten, Reset},
    },
};

pub(crate) use serve::pages;

/// A page, by what its form is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    ConfirmEmail,
    ForgotPassword,
    ResetPassword,
}

impl Page {
    const ALL: [Page; 3] = [Page::ConfirmEmail, Page::ForgotPassword, Page::ResetPassword];

    /// The last part of its path.
    const fn name(self) -> &'static str {
        match self {
            Page::ConfirmEmail => "confirm-email",
            Page::ForgotPassword => "forgot-password",
            Page::ResetPassword => "reset-password",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Page::ConfirmEmail => "Confirm your e-mail address",
            Page::ForgotPassword => "Ask for another password",
            Page::ResetPassword => "Choose another password",
        }
    }

    /// What its form sends.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Page::ConfirmEmail => &["token"],
            Page::ForgotPassword => &["email"],
            Page::ResetPassword => &["token", "password"],
        }
    }

    const fn wants_token(self) -> bool {
        !matches!(self, Page::ForgotPassword)
    }

    /// The page as a link opens it.
    fn opened(self, token: Option<&Token>) -> ApiResult<Markup> {
        if self.wants_token() && token.is_none() {
            return Err(ApiError::new(ApiErrorCode::InvalidToken));
        }
        Ok(self.around(self.form(token)))
    }

    /// Does what the form is for, and says so.
    async fn submitted(self, app: &App, trace: &Trace, sent: &Query) -> ApiResult<Markup> {
        let field = |name| sent.get(name).unwrap_or_default().to_owned();
        let token = || Secret::new(field("token"));
        let said = match self {
            Page::ConfirmEmail => {
                confirm_email::redeem(app, trace, Confirmation { token: token() }).await?;
                "Your e-mail address is confirmed."
            }
            Page::ForgotPassword => {
                reset_password::ask(app, trace, Forgotten { email: field("email") }).await?;
                "If the address has an account, a message with a link is on its way. The link is good for an hour."
            }
            Page::ResetPassword => {
                let password = Secret::new(field("password"));
                reset_password::redeem(app, trace, Reset { token: token(), password }).await?;
                "Log in with the new password from now on. Everyone who was logged in was logged out."
            }
        };
        Ok(self.around(html! { p role="status" { (said) } }))
    }

    /// The page of what went wrong, with the form to try again where that can help.
    fn refused(self, error: &ApiError, token: Option<&Token>) -> Markup {
        let link_is_dead = error.code() == ApiErrorCode::InvalidToken;
        self.around(html! {
            p.wrong role="alert" {
                @if link_is_dead {
                    "This link does not work: it was used already, it is too old, or a part of it is missing."
                } @else { (error.public_message()) }
            }
            @if !link_is_dead {
                (self.form(token))
            } @else if self == Page::ConfirmEmail {
                p { "If you confirmed your address before, it is confirmed. Otherwise log in and ask for a new message." }
            } @else {
                p { a href=(Page::ForgotPassword.name()) { "Ask for a new message" } "." }
            }
        })
    }

    fn form(self, token: Option<&Token>) -> Markup {
        // The action leaves out the query, and with it the token.
        html! {
            form method="post" action=(self.name()) {
                @if let Some(token) = token { input type="hidden" name="token" value=(token.reveal()); }
                @match self {
                    Page::ConfirmEmail => { button { "Confirm" } }
                    Page::ForgotPassword => {
                        label for="email" { "E-mail address" }
                        input #email type="email" name="email" autocomplete="email" required maxlength=(MAX_EMAIL);
                        button { "Send me a link" }
                    }
                    Page::ResetPassword => {
                        label for="password" { "New password, " (MIN_PASSWORD) " characters or more" }
                        input #password type="password" name="password" autocomplete="new-password" required
                            minlength=(MIN_PASSWORD) maxlength=(MAX_PASSWORD);
                        button { "Set the password" }
                    }
                }
            }
        }
    }

    fn around(self, body: Markup) -> Markup {
        layout::page(self.title(), None, html! { h1 { (self.title()) } (body) })
    }
}
