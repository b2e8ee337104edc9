//! `GET /wallet`: what scans can be paid from.

use domain::{
    money::{CURRENCY, Cents},
    scope::Scope,
};
use entities::wallets;
use http::Method;
use serde::Serialize;
use utoipa::ToSchema;
use warp::reply::{Json, json};

use crate::{
    App,
    auth::Caller,
    endpoints::{Endpoint, endpoint},
    error::{ApiError, ApiResult},
    request::Request,
};

/// The wallet of the account in the key's mode.
#[derive(Debug, Serialize, ToSchema)]
pub struct Wallet {
    /// Always `wallet`.
    #[schema(pattern = "^wallet$")]
    pub object: &'static str,
    /// The balance, in cents.
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
    /// By how much, in cents; null when it was never set up.
    pub amount_cents: Option<Cents>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/wallet", "getWallet", "Account")
            .about("Get the balance and the free scans", "")
            .answers::<Wallet>(200, "The wallet.")
            .key(Scope::WalletRead, get),
    ]
}

async fn get(app: App, caller: Caller, _: Request) -> ApiResult<Json> {
    let found = wallets::find(app.db(), &caller.tenant).await?;
    let wallet = found.ok_or_else(|| ApiError::internal("the account has no wallet"))?;
    let auto = wallet.auto_recharge.as_ref();
    Ok(json(&Wallet {
        object: "wallet",
        balance_cents: wallet.balance_cents,
        free_scans: wallet.free_scans,
        currency: CURRENCY,
        livemode: wallet.livemode,
        auto_recharge: AutoRecharge {
            enabled: auto.is_some_and(|auto| auto.enabled),
            amount_cents: auto.map(|auto| auto.amount_cents),
        },
    }))
}
