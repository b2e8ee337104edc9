//! Accounts without free scans that pay by card.

use anyhow::Context;
use domain::{AccountId, Mode, Timestamp, mode::Tenant};
use entities::{
    Db,
    accounts::{self, NewAccount},
    payment_methods::{self, NewMethod},
    wallets::{self, AutoRecharge},
};
use outbound::payments::{PaymentProvider, SimulatedSettings, simulated::Bank};

use crate::{Account, Service};

/// Amount of each automatic top-up of such an account, in cents.
pub const TOP_UP_CENTS: i64 = 1_000;

/// Creates an account without free scans. Its test wallet is empty, with automatic top-ups from
/// this card of the simulated bank.
///
/// # Errors
/// Returns an error if the database is unavailable or the bank has no such card.
pub async fn create_paying_account(service: &Service, card: &str) -> anyhow::Result<Account> {
    let db = service.database().await?;
    let account = insert_paying_account(&db, card).await?;
    db.close().await?;
    service.account_with_key(account.as_str())
}

/// Creates such an account in a database, without a key, and returns its id.
///
/// # Errors
/// Returns an error if the database is unavailable or the bank has no such card.
pub async fn insert_paying_account(db: &Db, card: &str) -> anyhow::Result<AccountId> {
    let (now, email) = (Timestamp::now(), format!("{}@example.com", domain::RequestId::new()));
    let new = NewAccount { name: "Payer".into(), email, password_hash: None, email_confirmed_at: Some(now) };
    let created: ledger::Result<_> = db
        .write(async |txn| {
            let Some((account, _)) = accounts::create(&txn, &new, now).await? else { return Ok(None) };
            ledger::open_wallets(&txn, &account.id, 0, now).await?;
            Ok(Some(account.id.0))
        })
        .await;
    let account_id = created?.context("the address is taken")?;
    let tenant = Tenant { account_id, mode: Mode::Test };

    let bank = Bank::open(&SimulatedSettings::default())?;
    let customer = bank.create_customer(&tenant.account_id, &new.email).await?;
    let saved = bank.save_method(&customer, card).await?;
    let method = NewMethod { customer, method: saved.reference, brand: saved.brand, last4: saved.last4 };
    let auto = AutoRecharge {
        enabled: true,
        threshold_cents: 0,
        amount_cents: TOP_UP_CENTS,
        daily_limit_cents: 5 * TOP_UP_CENTS,
    };
    let set: entities::Result<bool> = db
        .write(async |txn| {
            payment_methods::set(&txn, &tenant, &method, now).await?;
            wallets::set_auto_recharge(&txn, &tenant, Some(auto.clone())).await
        })
        .await;
    anyhow::ensure!(set?, "the account has no wallet");
    Ok(tenant.account_id)
}
