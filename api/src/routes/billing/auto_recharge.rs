//! `/billing/auto-recharge`: settings of automatic top-ups.

use domain::{Timestamp, money::Cents, payment::MIN_PAYMENT_CENTS};
use entities::{accounts, payment_methods, wallets};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{self, Json};

use super::{ChangeError, MAX_TOP_UP_CENTS, amount, append_audit_entry};
use crate::{
    App,
    console::SessionUser,
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
    routes::wallet,
};

/// Highest daily limit that can be set, in cents.
const MAX_DAILY_CENTS: Cents = 10 * MAX_TOP_UP_CENTS;

/// New settings of automatic top-ups.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAutoRecharge {
    /// Whether automatic top-ups are enabled.
    pub enabled: bool,
    /// Balance in cents below which a scan triggers a top-up. A scan that the wallet cannot pay
    /// always triggers one.
    #[schema(value_type = i64, minimum = 0, maximum = 1_000_000)]
    pub threshold_cents: Cents,
    /// Amount of a top-up in cents, or more if a scan costs more.
    #[schema(value_type = i64, minimum = 50, maximum = 1_000_000)]
    pub amount_cents: Cents,
    /// Maximum total of automatic top-ups in any 24 hours, in cents; at least `amount_cents`.
    #[schema(value_type = i64, minimum = 50, maximum = 10_000_000)]
    pub daily_limit_cents: Cents,
}

impl NewAutoRecharge {
    fn validate(&self) -> ApiResult<()> {
        let min_daily = self.amount_cents.clamp(MIN_PAYMENT_CENTS, MAX_TOP_UP_CENTS);
        ApiError::reject_invalid([
            amount("threshold_cents", self.threshold_cents, 0, MAX_TOP_UP_CENTS),
            amount("amount_cents", self.amount_cents, MIN_PAYMENT_CENTS, MAX_TOP_UP_CENTS),
            amount("daily_limit_cents", self.daily_limit_cents, min_daily, MAX_DAILY_CENTS),
        ])
    }
}

pub(super) async fn get(app: App, session_user: SessionUser, _: Request) -> ApiResult<Json> {
    Ok(reply::json(&wallet::find(&app, &session_user.tenant()).await?.auto_recharge))
}

pub(super) async fn set(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Json> {
    let new: NewAutoRecharge = request.json().await?;
    new.validate()?;
    if new.enabled {
        super::require_payments(&app, &session_user)?;
    }
    let (tenant, now) = (session_user.tenant(), Timestamp::now());
    let settings = wallets::AutoRecharge {
        enabled: new.enabled,
        threshold_cents: new.threshold_cents,
        amount_cents: new.amount_cents,
        daily_limit_cents: new.daily_limit_cents,
    };
    let written: Result<(), ChangeError> = app
        .db()
        .write(async |txn| {
            accounts::require_open(&txn, &tenant.account_id).await?;
            wallets::lock(&txn, &tenant).await?;
            if settings.enabled && payment_methods::find(&txn, &tenant).await?.is_none() {
                return Err(ChangeError::NoPaymentMethod);
            }
            wallets::set_auto_recharge(&txn, &tenant, Some(settings.clone())).await?;
            Ok(append_audit_entry(&txn, &session_user, "auto_recharge.set", json!(settings), now).await?)
        })
        .await;
    written?;
    get(app, session_user, request).await
}
