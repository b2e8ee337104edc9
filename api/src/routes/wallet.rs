//! `GET /wallet`: what scans can be paid from.

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
    /// Free scans left; they are used first.
    pub free_scans: i64,
    /// Of the balance; always `usd`.
    pub currency: &'static str,
    /// Test wallets hold pretend money.
    pub livemode: bool,
    /// Whether and by how much the wallet tops itself up.
    pub auto_recharge: AutoRecharge,
}

/// How a wallet tops itself up.
#[derive(Debug, Serialize, ToSchema)]
pub struct AutoRecharge {
    /// Whether it does.
    pub enabled: bool,
    /// A scan that leaves less than this calls for a top-up, in cents; null when it was never set up. A
    /// start that is refused with `INSUFFICIENT_FUNDS` always does.
    #[schema(value_type = Option<i64>)]
    pub threshold_cents: Option<Cents>,
    /// By how much, in cents (by more when a scan costs more); null when it was never set up.
    #[schema(value_type = Option<i64>)]
    pub amount_cents: Option<Cents>,
    /// The most that is taken in any 24 hours, in cents; null when it was never set up.
    #[schema(value_type = Option<i64>)]
    pub daily_limit_cents: Option<Cents>,
    /// Whether an automatic top-up is under way.
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
                "auto_recharge": example_auto_recharge(),
            }))
            .key(Scope::WalletRead, get),
    ]
}

async fn get(app: App, caller: Caller, _: Request) -> ApiResult<Json> {
    Ok(json(&of(&app, &caller.tenant).await?))
}

/// The wallet of a tenant.
pub(super) async fn of(app: &App, tenant: &Tenant) -> ApiResult<Wallet> {
    // In this order: when a top-up is said to be over, what it brought is in the balance.
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
