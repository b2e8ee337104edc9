//! Payments into the wallet.

use domain::{
    ApiErrorCode, PaymentId, Secret, Timestamp,
    money::Cents,
    payment::{MIN_PAYMENT_CENTS, PaymentKind, PaymentState},
};
use entities::{PaymentRow, payments};
use http::StatusCode;
use outbound::payments::{Lookup, PaymentResult};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use warp::reply::{self, Json, Reply, Response, with_header, with_status};

use super::{MAX_TOP_UP_CENTS, amount, pursue};
use crate::{
    App,
    console::Visitor,
    error::{ApiError, ApiResult},
    request::Request,
};

/// A top-up that is wanted.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewTopUp)]
pub struct NewTopUp {
    /// How much, in cents.
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
    /// Whether its owner or the wallet asked for it.
    pub kind: PaymentKind,
    /// How it stands. `declined` and `needs_action` may still succeed when the bank says so later.
    pub status: PaymentState,
    /// How much, in cents.
    #[schema(value_type = i64)]
    pub amount_cents: Cents,
    /// Why it was not paid, in the bank's code.
    pub reason: Option<String>,
    /// While it `needs_action`: what the bank's form in the browser confirms it with, where the bank has one.
    pub client_secret: Option<String>,
    /// While it `needs_action`: where its owner's browser is sent to confirm it, where the bank has a page for that.
    /// Whoever has the address can confirm.
    pub confirm_url: Option<String>,
    /// How much of it went back at the bank, in cents.
    #[schema(value_type = i64)]
    pub refunded_cents: Cents,
    /// The bank's word for how a dispute over it stands; null while nobody disputes it.
    pub dispute: Option<String>,
    /// Whether it is real money.
    pub livemode: bool,
    /// When it was decided on.
    pub created_at: Timestamp,
    /// When it last changed.
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

pub(super) async fn create(app: App, visitor: Visitor, mut request: Request) -> ApiResult<Response> {
    const NAME: &str = "Idempotency-Key";
    let key = request.idempotency_key()?.ok_or_else(|| ApiError::field(NAME, "is required"))?;
    let NewTopUp { amount_cents } = request.json().await?;
    ApiError::unless_well([amount("amount_cents", amount_cents, MIN_PAYMENT_CENTS, MAX_TOP_UP_CENTS)])?;
    let (tenant, now) = (visitor.tenant(), Timestamp::now());
    let asked_by = visitor.user.id.to_string();
    let new = ledger::NewTopUp { tenant: tenant.clone(), amount_cents, idempotency_key: key, asked_by };
    match ledger::begin_top_up(app.db(), &new, now).await? {
        ledger::TopUp::New(payment) => {
            pursue(&app, &payment).await;
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

pub(super) async fn list(app: App, visitor: Visitor, request: Request) -> ApiResult<Json> {
    let tenant = visitor.tenant();
    let page = app.cursors().request("top-ups", &tenant, &request.query)?;
    let rows = payments::list(app.db(), &tenant, &page).await?;
    Ok(reply::json(&app.cursors().list("top-ups", &tenant, rows.map(TopUp::from))))
}

pub(super) async fn get(app: App, visitor: Visitor, request: Request) -> ApiResult<Json> {
    let id = request.id::<PaymentId>("id")?;
    let found = payments::find(app.db(), &visitor.tenant(), &id).await?;
    let row = found.ok_or_else(ApiError::not_found)?;
    let (client_secret, confirm_url) = how_to_confirm(&app, &row).await;
    Ok(reply::json(&TopUp { client_secret, confirm_url, ..row.into() }))
}

/// The bank's secret and page for a payment that needs action. Asked of the bank each time, and kept nowhere;
/// without an answer they are left out.
async fn how_to_confirm(app: &App, payment: &PaymentRow) -> (Option<String>, Option<String>) {
    let waits = payment.state.0 == PaymentState::NeedsAction;
    let Some(reference) = payment.reference.as_deref().filter(|_| waits) else { return (None, None) };
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
            tracing::warn!(payment = %payment.id.0, %error, "the bank was asked for its question in vain");
            (None, None)
        }
    }
}
