//! `/billing/top-ups`: payments into the wallet.

use domain::{
    ApiErrorCode, PaymentId, Secret, Timestamp,
    money::Cents,
    payment::{MIN_PAYMENT_CENTS, PaymentKind, PaymentState},
};
use entities::{PaymentRow, payments};
use http::StatusCode;
use outbound::payments::{Lookup, PaymentResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{self, Json, Reply, Response, with_header, with_status};

use super::{MAX_TOP_UP_CENTS, amount, start_workflow};

use crate::{
    App,
    console::SessionUser,
    contract::examples::{CREATED, STARTED, TOP_UP},
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// A new top-up.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewTopUp)]
pub struct NewTopUp {
    /// Amount, in cents.
    #[schema(value_type = i64, minimum = 50, maximum = 1_000_000)]
    pub amount_cents: Cents,
}

/// A payment into the wallet.
#[derive(Serialize, ToSchema)]
pub struct TopUp {
    /// Always `top_up`.
    #[schema(pattern = "^top_up$")]
    pub object: &'static str,
    /// Prefix `pay_`.
    pub id: PaymentId,
    /// Whether it was requested or automatic.
    pub kind: PaymentKind,
    /// Status. `declined` and `needs_action` can still become `succeeded` if the bank reports so
    /// later.
    pub status: PaymentState,
    /// Amount, in cents.
    #[schema(value_type = i64)]
    pub amount_cents: Cents,
    /// The bank's code for why the payment failed; null if it did not.
    pub reason: Option<String>,
    /// While it `needs_action`: secret for the bank's form in the browser, if the bank has one.
    pub client_secret: Option<String>,
    /// While it `needs_action`: URL of the bank's confirmation page, if the bank has one. Anyone
    /// with the URL can confirm.
    pub confirm_url: Option<String>,
    /// Amount that the bank refunded, in cents.
    #[schema(value_type = i64)]
    pub refunded_cents: Cents,
    /// The bank's status of a dispute; null without a dispute.
    pub dispute: Option<String>,
    /// Whether it is real money.
    pub livemode: bool,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl From<PaymentRow> for TopUp {
    fn from(row: PaymentRow) -> Self {
        Self {
            object: "top_up",
            id: row.id.0,
            kind: row.kind.0,
            status: row.state.0,
            amount_cents: row.amount_cents,
            reason: row.reason,
            client_secret: None,
            confirm_url: None,
            refunded_cents: row.refunded_cents,
            dispute: row.dispute,
            livemode: row.livemode,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        }
    }
}

pub(super) async fn create(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Response> {
    const NAME: &str = "Idempotency-Key";
    let key = request.idempotency_key()?.ok_or_else(|| ApiError::field(NAME, "is required"))?;
    let NewTopUp { amount_cents } = request.json().await?;
    ApiError::reject_invalid([amount("amount_cents", amount_cents, MIN_PAYMENT_CENTS, MAX_TOP_UP_CENTS)])?;
    super::require_payments(&app, &session_user)?;
    let (tenant, now) = (session_user.tenant(), Timestamp::now());
    let requested_by = session_user.user.id.to_string();
    let new = ledger::NewTopUp { tenant: tenant.clone(), amount_cents, idempotency_key: key, requested_by };
    match ledger::begin_top_up(app.db(), &new, now).await? {
        ledger::TopUp::New(payment) => {
            start_workflow(&app, &payment).await;
            let payment = payments::find(app.db(), &tenant, &payment.id).await?.unwrap_or(payment);
            Ok(with_status(reply::json(&TopUp::from(payment)), StatusCode::ACCEPTED).into_response())
        }
        ledger::TopUp::Known(payment) => {
            Ok(with_header(reply::json(&TopUp::from(payment)), "Idempotent-Replayed", "true").into_response())
        }
        ledger::TopUp::KeyReused => Err(ApiError::new(ApiErrorCode::IdempotencyKeyReused)),
        ledger::TopUp::NoPaymentMethod => Err(ApiError::new(ApiErrorCode::NoPaymentMethod)),
    }
}

pub(super) async fn list(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let tenant = session_user.tenant();
    let page = app.cursors().request("top-ups", &tenant, &request.query)?;
    let rows = payments::list(app.db(), &tenant, &page).await?;
    Ok(reply::json(&app.cursors().list("top-ups", &tenant, rows.map(TopUp::from))))
}

pub(super) async fn get(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let id = request.id::<PaymentId>("id")?;
    let found = payments::find(app.db(), &session_user.tenant(), &id).await?;
    let row = found.ok_or_else(ApiError::not_found)?;
    let (client_secret, confirm_url) = confirmation_of(&app, &row).await;
    Ok(reply::json(&TopUp { client_secret, confirm_url, ..row.into() }))
}

/// Returns the bank's client secret and confirmation URL of a payment that needs action. They are
/// fetched from the bank each time and never stored. Returns `None` if the bank is unavailable.
async fn confirmation_of(app: &App, payment: &PaymentRow) -> (Option<String>, Option<String>) {
    let needs_action = payment.state.0 == PaymentState::NeedsAction;
    let Some(reference) = payment.reference.as_deref().filter(|_| needs_action) else { return (None, None) };
    let bank = app.banks().of(payment.tenant().mode);
    match bank.fetch(Lookup::Reference(reference)).await {
        Ok(found) => match found.map(|found| found.result) {
            Some(PaymentResult::NeedsAction { client_secret, confirm_url, .. }) => {
                let reveal = |secret: Secret| secret.reveal().to_owned();
                (client_secret.map(reveal), confirm_url.map(reveal))
            }
            _ => (None, None),
        },
        Err(error) => {
            tracing::warn!(payment = %payment.id.0, %error, "fetching the confirmation of a payment from the bank failed");
            (None, None)
        }
    }
}

/// Example of a top-up that succeeded.
pub(super) fn example() -> Value {
    json!({
        "object": "top_up", "id": TOP_UP, "kind": "top_up", "status": "succeeded", "amount_cents": 2000,
        "reason": null, "client_secret": null, "confirm_url": null, "refunded_cents": 0, "dispute": null, "livemode": false,
        "created_at": CREATED, "updated_at": STARTED,
    })
}
