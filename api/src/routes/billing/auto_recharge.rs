//! How a wallet tops itself up.

use domain::{Timestamp, money::Cents, payment::MIN_PAYMENT_CENTS};
use entities::{accounts, payment_methods, wallets};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{self, Json};

use super::{MAX_TOP_UP_CENTS, Refused, amount, note};
use crate::{
    App,
    console::Visitor,
    error::{ApiError, ApiResult},
    request::Request,
    routes::wallet,
};

/// Most that automatic top-ups may be allowed to take in 24 hours, in cents.
const MAX_DAILY_CENTS: Cents = 10 * MAX_TOP_UP_CENTS;

/// How a wallet is to top itself up.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAutoRecharge {
    /// Whether it does.
    pub enabled: bool,
    /// A scan that leaves less than this calls for a top-up, in cents; one that the wallet cannot pay always
    /// does.
    #[schema(value_type = i64, minimum = 0, maximum = 1_000_000)]
    pub threshold_cents: Cents,
    /// By how much, in cents; by more when a scan costs more.
    #[schema(value_type = i64, minimum = 50, maximum = 1_000_000)]
    pub amount_cents: Cents,
    /// The most that is taken in any 24 hours, in cents; not less than `amount_cents`.
    #[schema(value_type = i64, minimum = 50, maximum = 10_000_000)]
    pub daily_limit_cents: Cents,
}

impl NewAutoRecharge {
    fn validate(&self) -> ApiResult<()> {
        let least = self.amount_cents.clamp(MIN_PAYMENT_CENTS, MAX_TOP_UP_CENTS);
        ApiError::unless_well([
            amount("threshold_cents", self.threshold_cents, 0, MAX_TOP_UP_CENTS),
            amount("amount_cents", self.amount_cents, MIN_PAYMENT_CENTS, MAX_TOP_UP_CENTS),
            amount("daily_limit_cents", self.daily_limit_cents, least, MAX_DAILY_CENTS),
        ])
    }
}

pub(super) async fn get(app: App, visitor: Visitor, _: Request) -> ApiResult<Json> {
    Ok(reply::json(&wallet::of(&app, &visitor.tenant()).await?.auto_recharge))
}

pub(super) async fn set(app: App, visitor: Visitor, mut request: Request) -> ApiResult<Json> {
    let new: NewAutoRecharge = request.json().await?;
    new.validate()?;
    let (tenant, now) = (visitor.tenant(), Timestamp::now());
    let how = wallets::AutoRecharge {
        enabled: new.enabled,
        threshold_cents: new.threshold_cents,
        amount_cents: new.amount_cents,
        daily_limit_cents: new.daily_limit_cents,
    };
    let written: Result<(), Refused> = app
        .db()
        .write(async |txn| {
            accounts::require_open(&txn, &tenant.account_id).await?;
            wallets::lock(&txn, &tenant).await?;
            if how.enabled && payment_methods::find(&txn, &tenant).await?.is_none() {
                return Err(Refused::NoPaymentMethod);
            }
            wallets::set_auto_recharge(&txn, &tenant, Some(how.clone())).await?;
            Ok(note(&txn, &visitor, "auto_recharge.set", json!(how), now).await?)
        })
        .await;
    written?;
    get(app, visitor, request).await
}
