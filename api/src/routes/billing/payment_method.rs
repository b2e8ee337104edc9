//! `/billing/payment-method`: one payment method per account and mode, stored by the bank.

use domain::{ApiErrorCode, Timestamp};
use entities::{
    PaymentMethodRow,
    payment_methods::{self, NewMethod, SetOutcome},
    wallets::{self, AutoRecharge},
};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{self, Json, WithStatus};

use super::append_audit_entry;

use crate::{
    App,
    console::SessionUser,
    contract::examples::CREATED,
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// Maximum length of a bank's id of a payment method, in bytes.
const MAX_ID_BYTES: usize = 255;
/// Page of the console to which the bank sends customers back.
const BILLING_PAGE: &str = "/console/billing";

/// A new payment method.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPaymentMethod {
    /// The bank's id of the payment method.
    #[schema(pattern = "^pm_[A-Za-z0-9_]{1,252}$")]
    pub payment_method: String,
}

/// A page of the bank on which the customer enters a card.
#[derive(Debug, Serialize, ToSchema)]
pub struct CardForm {
    /// Always `card_form`.
    #[schema(pattern = "^card_form$")]
    pub object: &'static str,
    /// URL of the page. The bank sends the customer back to the console, with the id of the form as the
    /// parameter `card_form`.
    pub url: String,
}

/// A form that the customer has completed.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompletedCardForm {
    /// Id of the form, the parameter `card_form` of the page to which the bank returned.
    #[schema(pattern = "^cs_[A-Za-z0-9_]{1,252}$")]
    pub card_form: String,
}

/// The payment method of an account in a mode.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaymentMethod {
    /// Always `payment_method`.
    #[schema(pattern = "^payment_method$")]
    pub object: &'static str,
    /// Card brand, for example `visa`.
    pub brand: String,
    /// Last four digits of the card number.
    pub last4: String,
    /// Whether it is charged real money.
    pub livemode: bool,
    /// Time when it was set.
    pub updated_at: Timestamp,
}

impl From<PaymentMethodRow> for PaymentMethod {
    fn from(row: PaymentMethodRow) -> Self {
        Self {
            object: "payment_method",
            brand: row.brand,
            last4: row.last4,
            livemode: row.livemode,
            updated_at: row.updated_at.0,
        }
    }
}

pub(super) async fn get(app: App, session_user: SessionUser, _: Request) -> ApiResult<Json> {
    let found = payment_methods::find(app.db(), &session_user.tenant()).await?;
    let message = "The account has no payment method in this mode.";
    let row = found.ok_or_else(|| ApiError::not_found().message(message))?;
    Ok(reply::json(&PaymentMethod::from(row)))
}

pub(super) async fn set(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Json> {
    let NewPaymentMethod { payment_method: name } = request.json().await?;
    if !is_bank_id("pm_", &name) {
        return Err(ApiError::field("payment_method", "must be the bank's id of a payment method, `pm_…`"));
    }
    super::require_payments(&app, &session_user)?;
    let customer = customer_of(&app, &session_user).await?;
    save(&app, &session_user, customer, &name).await
}

pub(super) async fn open_form(
    app: App,
    session_user: SessionUser,
    _: Request,
) -> ApiResult<WithStatus<Json>> {
    super::require_payments(&app, &session_user)?;
    let customer = customer_of(&app, &session_user).await?;
    let return_url = format!("{}{BILLING_PAGE}", app.settings().public_url);
    let url = app.banks().of(session_user.mode).open_card_form(&customer, &return_url).await?;
    Ok(reply::with_status(reply::json(&CardForm { object: "card_form", url }), StatusCode::CREATED))
}

pub(super) async fn complete_form(
    app: App,
    session_user: SessionUser,
    mut request: Request,
) -> ApiResult<Json> {
    let CompletedCardForm { card_form } = request.json().await?;
    if !is_bank_id("cs_", &card_form) {
        return Err(ApiError::field("card_form", "must be the bank's id of a form, `cs_…`"));
    }
    super::require_payments(&app, &session_user)?;
    let customer = customer_of(&app, &session_user).await?;
    let bank = app.banks().of(session_user.mode);
    let found = bank.method_of_card_form(&customer, &card_form).await?;
    let message = "The form is not complete, or it is not yours. Enter the card again.";
    let method = found.ok_or_else(|| ApiError::new(ApiErrorCode::PaymentMethodRefused).message(message))?;
    save(&app, &session_user, customer, &method).await
}

/// Returns the bank's customer of the account.
async fn customer_of(app: &App, session_user: &SessionUser) -> ApiResult<String> {
    let tenant = session_user.tenant();
    Ok(match payment_methods::find(app.db(), &tenant).await? {
        Some(method) => method.customer,
        // Repeated calls within a day return the same customer.
        None => {
            let bank = app.banks().of(session_user.mode);
            bank.create_customer(&tenant.account_id, &session_user.user.email).await?
        }
    })
}

/// Attaches a payment method to the customer, and stores it.
async fn save(app: &App, session_user: &SessionUser, customer: String, name: &str) -> ApiResult<Json> {
    let (tenant, bank) = (session_user.tenant(), app.banks().of(session_user.mode));
    let saved = bank.save_method(&customer, name).await?;
    let new = NewMethod { customer, method: saved.reference, brand: saved.brand, last4: saved.last4 };
    let now = Timestamp::now();
    let set: entities::Result<Result<PaymentMethodRow, SetOutcome>> = app
        .db()
        .write(async |txn| {
            let outcome = payment_methods::set(&txn, &tenant, &new, now).await?;
            if outcome != SetOutcome::Set {
                return Ok(Err(outcome));
            }
            let detail = json!({ "brand": new.brand, "last4": new.last4 });
            append_audit_entry(&txn, session_user, "payment_method.set", detail, now).await?;
            Ok(payment_methods::find(&txn, &tenant).await?.ok_or(outcome))
        })
        .await;
    let row = set?.map_err(|outcome| match outcome {
        SetOutcome::AccountClosed => entities::Error::AccountClosed.into(),
        SetOutcome::BeingDetached => {
            let message = "This payment method is being removed at the bank. Add it at the bank again.";
            ApiError::new(ApiErrorCode::PaymentMethodRefused).message(message)
        }
        SetOutcome::Set => ApiError::internal("the payment method was set, but it cannot be read"),
    })?;
    Ok(reply::json(&PaymentMethod::from(row)))
}

pub(super) async fn remove(app: App, session_user: SessionUser, _: Request) -> ApiResult<StatusCode> {
    let (tenant, now) = (session_user.tenant(), Timestamp::now());
    let removed: entities::Result<()> = app
        .db()
        .write(async |txn| {
            let wallet = wallets::lock(&txn, &tenant).await?;
            if !payment_methods::remove(&txn, &tenant, now).await? {
                return Ok(());
            }
            // Automatic top-ups need a payment method.
            let auto = wallet.and_then(|wallet| wallet.auto_recharge);
            let off = auto.map(|auto| AutoRecharge { enabled: false, ..auto.0 });
            wallets::set_auto_recharge(&txn, &tenant, off).await?;
            append_audit_entry(&txn, &session_user, "payment_method.removed", json!({}), now).await
        })
        .await;
    removed?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns whether a text looks like a bank's id. Anything else is never sent to a bank: it may be
/// a card number.
fn is_bank_id(prefix: &str, text: &str) -> bool {
    let rest = text.strip_prefix(prefix).unwrap_or_default();
    !rest.is_empty()
        && text.len() <= MAX_ID_BYTES
        && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Example of a payment method.
pub(super) fn example() -> Value {
    json!({ "object": "payment_method", "brand": "visa", "last4": "4242", "livemode": false, "updated_at": CREATED })
}
