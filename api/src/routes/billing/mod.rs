//! `/billing`: payment methods, top-ups, entries and statements.

pub mod auto_recharge;
pub mod entries;
pub mod payment_method;
pub mod top_ups;

use domain::{ApiErrorCode as C, Timestamp, money::Cents};
use entities::{Transient, WriteTxn, audit_log};
use http::Method;
use serde_json::{Value, json};

use crate::{
    App,
    console::SessionUser,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{CREATED, TOP_UP, list_of, with},
        schema::SchemaRef,
    },
    http::{
        error::{ApiError, ApiResult, FieldError},
        page::List,
    },
    routes::wallet::{AutoRecharge, example_auto_recharge},
};

use auto_recharge::NewAutoRecharge;
use entries::{Entry, Statement};
use payment_method::{CardForm, CompletedCardForm, NewPaymentMethod, PaymentMethod};
use top_ups::{NewTopUp, TopUp};

/// Maximum amount of a top-up, in cents.
pub const MAX_TOP_UP_CENTS: Cents = 1_000_000;

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    [payment_settings(), top_up_endpoints(), statement_endpoints()].concat()
}

fn payment_settings() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/billing/payment-method", "getPaymentMethod", "Console")
            .about("Get the payment method", "Returns 404 if the account has none.")
            .in_mode()
            .responds::<PaymentMethod>(200, "The payment method.")
            .errors(&[C::NotFound])
            .response_example(200, payment_method::example())
            .session(payment_method::get),
        endpoint(Method::PUT, "/billing/payment-method", "setPaymentMethod", "Console")
            .about(
                "Set the payment method",
                "Send the bank's id of a payment method (`pm_…`), which the bank's own form returns; card numbers never \
                 reach this API. In test mode, the test cards have ids such as `pm_card_visa`.",
            )
            .in_mode()
            .json_body::<NewPaymentMethod>()
            .responds::<PaymentMethod>(200, "The payment method.")
            .errors(&[C::PaymentMethodRefused, C::LivePaymentsOff, C::BankUnavailable])
            .request_example(json!({ "payment_method": "pm_card_visa" }))
            .response_example(200, payment_method::example())
            .session(payment_method::set),
        endpoint(Method::POST, "/billing/card-forms", "openCardForm", "Console")
            .about(
                "Open the bank's page for a card",
                "Send the customer to `url`. The bank sends the customer back to `/console/billing?card_form=…`; complete \
                 the form with `completeCardForm`. With Stripe, it is a page of Checkout.",
            )
            .in_mode()
            .responds::<CardForm>(201, "The page.")
            .errors(&[C::LivePaymentsOff, C::BankUnavailable, C::PaymentMethodRefused])
            .response_example(201, json!({ "object": "card_form", "url": "https://checkout.stripe.com/c/pay/cs_live_a1" }))
            .session(payment_method::open_form),
        endpoint(Method::POST, "/billing/card-forms/complete", "completeCardForm", "Console")
            .about("Set the payment method of a completed form", "Idempotent. The account's earlier method is replaced.")
            .in_mode()
            .json_body::<CompletedCardForm>()
            .responds::<PaymentMethod>(200, "The payment method.")
            .errors(&[C::PaymentMethodRefused, C::LivePaymentsOff, C::BankUnavailable])
            .request_example(json!({ "card_form": "cs_sim_visa" }))
            .response_example(200, payment_method::example())
            .session(payment_method::complete_form),
        endpoint(Method::DELETE, "/billing/payment-method", "removePaymentMethod", "Console")
            .about("Remove the payment method", "Also disables automatic top-ups. Idempotent.")
            .in_mode()
            .responds_empty(204, "Removed.")
            .session(payment_method::remove),
        endpoint(Method::GET, "/billing/auto-recharge", "getAutoRecharge", "Console")
            .about("Get the settings of automatic top-ups", "")
            .in_mode()
            .responds::<AutoRecharge>(200, "The settings.")
            .response_example(200, example_auto_recharge())
            .session(auto_recharge::get),
        endpoint(Method::PUT, "/billing/auto-recharge", "setAutoRecharge", "Console")
            .about("Set the settings of automatic top-ups", "Enabling them requires a payment method.")
            .in_mode()
            .json_body::<NewAutoRecharge>()
            .responds::<AutoRecharge>(200, "The new settings.")
            .errors(&[C::NoPaymentMethod, C::LivePaymentsOff])
            .request_example(json!({
                "enabled": true, "threshold_cents": 500, "amount_cents": 2000, "daily_limit_cents": 10_000,
            }))
            .response_example(200, example_auto_recharge())
            .session(auto_recharge::set),
    ]
}

fn top_up_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/billing/top-ups", "createTopUp", "Console")
            .about(
                "Top up the wallet",
                "The payment is made in the background: poll the top-up until it is no longer `pending`. \
                 `Idempotency-Key` is required; a repeat with the same key returns the existing top-up.",
            )
            .in_mode()
            .required_header("Idempotency-Key", "Identifies this top-up.", SchemaRef::idempotency_key())
            .json_body::<NewTopUp>()
            .responds::<TopUp>(202, "The new top-up.")
            .responds::<TopUp>(
                200,
                "The top-up that an earlier request with the same `Idempotency-Key` created.",
            )
            .errors(&[C::NoPaymentMethod, C::LivePaymentsOff, C::IdempotencyKeyReused])
            .request_example(json!({ "amount_cents": 2000 }))
            .response_example(
                202,
                with(top_ups::example(), json!({ "status": "pending", "updated_at": CREATED })),
            )
            .response_example(200, top_ups::example())
            .session(top_ups::create),
        endpoint(Method::GET, "/billing/top-ups", "listTopUps", "Console")
            .about("List top-ups", "Newest first, including automatic top-ups.")
            .in_mode()
            .paged()
            .responds::<List<TopUp>>(200, "A page of top-ups.")
            .response_example(200, list_of(top_ups::example()))
            .session(top_ups::list),
        endpoint(Method::GET, "/billing/top-ups/{id}", "getTopUp", "Console")
            .about("Get a top-up", "")
            .in_mode()
            .responds::<TopUp>(200, "The top-up.")
            .response_example(200, top_ups::example())
            .session(top_ups::get),
    ]
}

fn statement_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/billing/entries", "listBillingEntries", "Console")
            .about("List billing entries", "Newest first.")
            .in_mode()
            .paged()
            .responds::<List<Entry>>(200, "A page of entries.")
            .response_example(200, list_of(json!({
                "object": "billing_entry", "id": "txn_01jd3x0000000000000000000f", "kind": "topup",
                "amount_cents": 2000, "free_scans": 0, "scan_id": null, "key_id": null, "top_up_id": TOP_UP,
                "created_at": CREATED,
            })))
            .session(entries::list),
        endpoint(Method::GET, "/billing/statements/{month}", "getBillingStatement", "Console")
            .about(
                "Get the statement of a month",
                "`month` is a calendar month in UTC, such as `2026-11`. The closing balance of a statement is the opening \
                 balance of the next.",
            )
            .in_mode()
            .responds::<Statement>(200, "The statement.")
            .response_example(200, json!({
                "object": "billing_statement", "month": "2026-03", "currency": "usd", "livemode": false,
                "opening": { "balance_cents": 3000, "free_scans": 3 },
                "totals": [{ "kind": "charge", "amount_cents": -150, "free_scans": -1 },
                    { "kind": "topup", "amount_cents": 2000, "free_scans": 0 }],
                "closing": { "balance_cents": 4850, "free_scans": 2 },
            }))
            .session(entries::statement),
    ]
}

/// Error of a change to the payment settings.
#[derive(Debug, thiserror::Error)]
enum ChangeError {
    #[error(transparent)]
    Store(#[from] entities::Error),
    #[error("the account has no payment method")]
    NoPaymentMethod,
}

impl Transient for ChangeError {
    fn is_transient(&self) -> bool {
        matches!(self, ChangeError::Store(error) if error.is_transient())
    }
}

impl From<ChangeError> for ApiError {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Store(error) => error.into(),
            ChangeError::NoPaymentMethod => ApiError::new(C::NoPaymentMethod),
        }
    }
}

/// Appends an entry to the audit log, with the mode as its subject.
async fn append_audit_entry(
    txn: &WriteTxn,
    session_user: &SessionUser,
    action: &str,
    detail: Value,
    now: Timestamp,
) -> entities::Result<()> {
    let entry = audit_log::NewEntry {
        account_id: &session_user.account.id.0,
        actor: session_user.user.id.as_str(),
        action,
        subject: session_user.mode.as_str(),
        detail,
    };
    audit_log::append(txn, entry, now).await
}

/// Refuses what only makes sense where payments are taken.
fn require_payments(app: &App, session_user: &SessionUser) -> ApiResult<()> {
    let taken = app.banks().takes_payments(session_user.mode);
    if taken { Ok(()) } else { Err(ApiError::new(C::LivePaymentsOff)) }
}

/// Checks that an amount, in cents, is within bounds.
fn amount(field: &'static str, cents: Cents, min: Cents, max: Cents) -> Option<FieldError> {
    let in_range = (min..=max).contains(&cents);
    (!in_range).then(|| FieldError::new(field, format!("must be from {min} to {max}")))
}

/// Starts the workflow of a payment. If the engine is unavailable, the relay starts it later.
async fn start_workflow(app: &App, payment: &entities::PaymentRow) {
    if let Err(error) = app.engine().start_payment(payment).await {
        tracing::warn!(payment = %payment.id.0, %error, "the engine is unavailable; the relay will start the workflow of the payment");
    }
}
