//! Pages on the way to a bank and back: where a customer of the simulated bank, which has no pages of its own,
//! confirms a payment, and where those of other banks come back to.

use domain::money::Cents;
use maud::{Markup, html};
use outbound::payments::{Lookup, PaymentResult, Payments};

use crate::{
    App,
    contract::reference::layout,
    http::{
        error::{ApiError, ApiResult},
        request::Query,
    },
};

/// Where customers come back to.
pub(super) const RETURNED: &str = "payment-returned";
/// The field of the answer: [`APPROVE`], or anything else to refuse.
pub(super) const ANSWER: &str = "answer";

const APPROVE: &str = "approve";
const FOLDER: &str = "test-bank/";
const TITLE: &str = "Confirm a payment";

/// The simulated bank's question about one payment. Its address is the secret, as with other banks' pages.
pub(super) struct TestBank {
    reference: String,
}

impl TestBank {
    /// The question at this path below the console, if it has the form of one.
    pub(super) fn at(path: &str) -> Option<Self> {
        let reference = path.strip_prefix(FOLDER)?;
        let is_name = reference.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        (!reference.is_empty() && is_name).then(|| Self { reference: reference.to_owned() })
    }

    /// The question, while it waits for an answer.
    pub(super) async fn opened(&self, app: &App) -> ApiResult<Markup> {
        let cents = self.asked(app).await?;
        Ok(around(html! {
            p { "The test bank asks whether you agree to a payment of " strong { (dollars(cents)) } ". No money moves." }
            form method="post" action=(self.reference) {
                button name=(ANSWER) value=(APPROVE) { "Agree" }
                button name=(ANSWER) value="refuse" { "Refuse" }
            }
        }))
    }

    /// Gives the answer to the bank, which tells what came of it as it tells everything.
    pub(super) async fn submitted(&self, app: &App, sent: &Query) -> ApiResult<Markup> {
        self.asked(app).await?;
        let agrees = sent.get(ANSWER) == Some(APPROVE);
        app.banks().simulated().confirm(&self.reference, agrees).await?;
        Ok(returned())
    }

    /// The amount that is asked about.
    async fn asked(&self, app: &App) -> ApiResult<Cents> {
        let payment = app.banks().simulated().fetch(Lookup::Reference(&self.reference)).await?;
        let waits = payment.filter(|payment| matches!(payment.result, PaymentResult::NeedsAction { .. }));
        let waits =
            waits.ok_or_else(|| ApiError::not_found().message("No payment waits for an answer here."))?;
        Ok(waits.amount_cents)
    }
}

/// The bank has its answer; what follows is told by the bank, not by who comes back.
pub(super) fn returned() -> Markup {
    around(
        html! { p role="status" { "Your bank has your answer. The top-up in your account says what came of it." } },
    )
}

/// What went wrong.
pub(super) fn refused(error: &ApiError) -> Markup {
    around(html! { p.wrong role="alert" { (error.public_message()) } })
}

fn dollars(cents: Cents) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}

fn around(body: Markup) -> Markup {
    layout::page(TITLE, None, html! { h1 { (TITLE) } (body) })
}
