//! `GET /wallet`: balance and free scans.

use domain::{
    mode::Tenant,
    money::{CURRENCY, Cents},
    scope::Scope,
};
use entities::{payments, wallets};
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{Json, json};

use crate::{
    App,
    contract::endpoint::{Endpoint, endpoint},
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// The wallet of the account in the key's mode.
#[derive(Debug, Serialize, ToSchema)]
pub struct Wallet {
    /// Always `wallet`.
    #[schema(pattern = "^wallet$")]
    pub object: &'static str,
    /// The balance, in cents.
    #[schema(value_type = i64)]
    pub balance_cents: Cents,
    /// Remaining free scans. They are used before the balance.
    pub free_scans: i64,
    /// Currency of the balance; always `usd`.
    pub currency: &'static str,
    /// Whether the wallet holds real money.
    pub livemode: bool,
    /// Whether the wallet can be topped up. False in live mode if this installation has no payment
    /// provider.
    pub payments_enabled: bool,
    /// Settings of automatic top-ups.
    pub auto_recharge: AutoRecharge,
}

/// Settings of automatic top-ups.
#[derive(Debug, Serialize, ToSchema)]
pub struct AutoRecharge {
    /// Whether automatic top-ups are enabled.
    pub enabled: bool,
    /// Balance in cents below which a scan triggers a top-up; null if never set. A start that is
    /// refused with `INSUFFICIENT_FUNDS` always triggers one.
    #[schema(value_type = Option<i64>)]
    pub threshold_cents: Option<Cents>,
    /// Amount of a top-up in cents, or more if a scan costs more; null if never set.
    #[schema(value_type = Option<i64>)]
    pub amount_cents: Option<Cents>,
    /// Maximum total of automatic top-ups in any 24 hours, in cents; null if never set.
    #[schema(value_type = Option<i64>)]
    pub daily_limit_cents: Option<Cents>,
    /// Whether an automatic top-up is in progress.
    pub in_progress: bool,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/wallet", "getWallet", "Account")
            .about("Get the balance and the free scans", "")
            .responds::<Wallet>(200, "The wallet.")
            .response_example(200, json!({
                "object": "wallet", "balance_cents": 4850, "free_scans": 2, "currency": "usd", "livemode": false,
                "payments_enabled": true, "auto_recharge": example_auto_recharge(),
            }))
            .key(Scope::WalletRead, get),
    ]
}

async fn get(app: App, caller: Caller, _: Request) -> ApiResult<Json> {
    Ok(json(&find(&app, &caller.tenant).await?))
}

/// Returns the wallet of a tenant.
pub(super) async fn find(app: &App, tenant: &Tenant) -> ApiResult<Wallet> {
    // Read before the balance: a top-up that is no longer in progress must be in the balance.
    let in_flight = payments::recharge_in_flight(app.db(), tenant).await?;
    let found = wallets::find(app.db(), tenant).await?;
    let wallet = found.ok_or_else(|| ApiError::internal("the account has no wallet"))?;
    let auto = wallet.auto_recharge.as_ref();
    Ok(Wallet {
        object: "wallet",
        balance_cents: wallet.balance_cents,
        free_scans: wallet.free_scans,
        currency: CURRENCY,
        livemode: wallet.livemode,
        payments_enabled: app.banks().takes_payments(tenant.mode),
        auto_recharge: AutoRecharge {
            enabled: auto.is_some_and(|auto| auto.enabled),
            threshold_cents: auto.map(|auto| auto.threshold_cents),
            amount_cents: auto.map(|auto| auto.amount_cents),
            daily_limit_cents: auto.map(|auto| auto.daily_limit_cents),
            in_progress: in_flight.is_some(),
        },
    })
}

/// Example of an enabled automatic top-up.
pub(super) fn example_auto_recharge() -> Value {
    json!({ "enabled": true, "in_progress": false, "threshold_cents": 500, "amount_cents": 2000,
        "daily_limit_cents": 10_000 })
}
