//! Payment pages: the confirmation page of the simulated bank, and the page that customers return
//! to from a bank's own page.

use domain::money::Cents;
use maud::{Markup, html};
use outbound::payments::{Lookup, PaymentProvider, PaymentResult};

use crate::{
    App,
    contract::reference::layout,
    http::{
        error::{ApiError, ApiResult},
        request::Query,
    },
};

/// Name of the page that customers return to.
pub(super) const RETURNED: &str = "payment-returned";
/// Form field with the customer's decision: [`APPROVE`]; any other value refuses the payment.
pub(super) const DECISION: &str = "answer";

const APPROVE: &str = "approve";
const FOLDER: &str = "test-bank/";
const TITLE: &str = "Confirm a payment";

/// The confirmation page of one simulated payment. Its URL is the secret, as with other banks.
pub(super) struct TestBank {
    reference: String,
}

impl TestBank {
    /// Parses the path of a confirmation page below `/console/`.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let reference = path.strip_prefix(FOLDER)?;
        let is_valid = reference.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        (!reference.is_empty() && is_valid).then(|| Self { reference: reference.to_owned() })
    }

    /// Renders the confirmation form of a payment that awaits confirmation.
    pub(super) async fn render_form(&self, app: &App) -> ApiResult<Markup> {
        let cents = self.pending_amount(app).await?;
        Ok(layout_page(html! {
            p { "Confirm a simulated payment of " strong { (dollars(cents)) } ". No real money moves." }
            form method="post" action=(self.reference) {
                button name=(DECISION) value=(APPROVE) { "Confirm" }
                button name=(DECISION) value="refuse" { "Refuse" }
            }
        }))
    }

    /// Passes the decision to the simulated bank, which reports the outcome by webhook.
    pub(super) async fn submit(&self, app: &App, form: &Query) -> ApiResult<Markup> {
        self.pending_amount(app).await?;
        let approved = form.get(DECISION) == Some(APPROVE);
        app.banks().simulated().confirm(&self.reference, approved).await?;
        Ok(render_returned())
    }

    /// Returns the amount of the payment, if it awaits confirmation.
    async fn pending_amount(&self, app: &App) -> ApiResult<Cents> {
        let payment = app.banks().simulated().fetch(Lookup::Reference(&self.reference)).await?;
        let pending = payment.filter(|payment| matches!(payment.result, PaymentResult::NeedsAction { .. }));
        let pending =
            pending.ok_or_else(|| ApiError::not_found().message("No payment awaits confirmation here."))?;
        Ok(pending.amount_cents)
    }
}

/// Renders the page after confirmation. The outcome arrives by webhook.
pub(super) fn render_returned() -> Markup {
    layout_page(
        html! { p role="status" { "Your bank has received your decision. Your account shows the status of the top-up." } },
    )
}

/// Renders an error.
pub(super) fn render_error(error: &ApiError) -> Markup {
    layout_page(html! { p.wrong role="alert" { (error.public_message()) } })
}

fn dollars(cents: Cents) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}

fn layout_page(body: Markup) -> Markup {
    layout::page(TITLE, None, html! { h1 { (TITLE) } (body) })
}
