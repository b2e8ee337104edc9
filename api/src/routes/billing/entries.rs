//! `/billing/entries` and `/billing/statements`.

use domain::{
    KeyId, PaymentId, ScanId, Timestamp, TransactionId,
    money::{CURRENCY, Cents},
};
use ledger::{Movement, StatementLine};
use serde::Serialize;
use utoipa::ToSchema;
use warp::reply::{self, Json};

use crate::{
    App,
    console::SessionUser,
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// A change of the balance or of the free scans.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BillingEntry)]
pub struct Entry {
    /// Always `billing_entry`.
    #[schema(pattern = "^billing_entry$")]
    pub object: &'static str,
    /// Prefix `txn_`.
    pub id: TransactionId,
    /// `grant`, `topup`, `charge`, `refund` or `adjustment`.
    #[schema(pattern = "^(grant|topup|charge|refund|adjustment)$")]
    pub kind: &'static str,
    /// Change of the balance, in cents.
    #[schema(value_type = i64)]
    pub amount_cents: Cents,
    /// Change of the free scans.
    pub free_scans: i64,
    /// The scan that was charged or refunded; null for other kinds.
    pub scan_id: Option<ScanId>,
    /// The key that started the scan; null for other kinds.
    pub key_id: Option<KeyId>,
    /// The top-up; null for other kinds.
    pub top_up_id: Option<PaymentId>,
    /// Time of the entry.
    pub created_at: Timestamp,
}

impl From<StatementLine> for Entry {
    fn from(line: StatementLine) -> Self {
        let StatementLine { transaction: row, movement } = line;
        Self {
            object: "billing_entry",
            id: row.id.0,
            kind: row.kind.as_str(),
            amount_cents: movement.cents,
            free_scans: movement.free_scans,
            scan_id: row.scan_id.map(|id| id.0),
            key_id: row.key_id.map(|id| id.0),
            top_up_id: row.reference.and_then(|reference| reference.parse().ok()),
            created_at: row.created_at.0,
        }
    }
}

/// Contents of a wallet.
#[derive(Debug, Serialize, ToSchema)]
pub struct Holding {
    /// Balance, in cents.
    #[schema(value_type = i64)]
    pub balance_cents: Cents,
    /// Free scans.
    pub free_scans: i64,
}

/// Total of all entries of a kind.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatementTotal {
    /// Kind of the entries.
    #[schema(pattern = "^(grant|topup|charge|refund|adjustment)$")]
    pub kind: &'static str,
    /// Change of the balance, in cents.
    #[schema(value_type = i64)]
    pub amount_cents: Cents,
    /// Change of the free scans.
    pub free_scans: i64,
}

/// Statement of a month: opening plus totals equals closing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BillingStatement)]
pub struct Statement {
    /// Always `billing_statement`.
    #[schema(pattern = "^billing_statement$")]
    pub object: &'static str,
    /// The calendar month in UTC.
    pub month: String,
    /// Always `usd`.
    pub currency: &'static str,
    /// Whether it is real money.
    pub livemode: bool,
    /// The wallet at the beginning of the month.
    pub opening: Holding,
    /// Totals by kind; kinds without entries are omitted.
    pub totals: Vec<StatementTotal>,
    /// The wallet at the end of the month, or now.
    pub closing: Holding,
}

impl From<Movement> for Holding {
    fn from(movement: Movement) -> Self {
        Self { balance_cents: movement.cents, free_scans: movement.free_scans }
    }
}

pub(super) async fn list(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let tenant = session_user.tenant();
    let page = app.cursors().request("billing-entries", &tenant, &request.query)?;
    let lines = ledger::statement(app.db(), &tenant, &page).await?;
    Ok(reply::json(&app.cursors().list("billing-entries", &tenant, lines.map(Entry::from))))
}

pub(super) async fn statement(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let month = request.param("month");
    let span = Timestamp::month_span(month).ok_or_else(ApiError::not_found)?;
    let found = ledger::monthly_statement(app.db(), &session_user.tenant(), span).await?;
    let total = |(kind, movement): (&'static str, Movement)| StatementTotal {
        kind,
        amount_cents: movement.cents,
        free_scans: movement.free_scans,
    };
    Ok(reply::json(&Statement {
        object: "billing_statement",
        month: month.to_owned(),
        currency: CURRENCY,
        livemode: session_user.mode.livemode(),
        opening: found.opening.into(),
        totals: found.movements.into_iter().map(total).collect(),
        closing: found.closing.into(),
    }))
}
