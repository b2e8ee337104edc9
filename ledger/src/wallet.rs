//! Opens and reads wallets.

use domain::{AccountId, Mode, Timestamp, mode::Tenant};
use entities::{Reader, WalletRow, WriteTxn, ledger_transactions::TransactionKind, wallets};

use crate::{
    Error, Result, names,
    posting::{Posting, post},
};

/// Opens the wallets of a new account, one for each mode, with `free_scans` each. Call it in the
/// transaction of the sign-up.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn open_wallets(
    txn: &WriteTxn,
    account: &AccountId,
    free_scans: u32,
    now: Timestamp,
) -> Result<()> {
    for mode in [Mode::Test, Mode::Live] {
        let tenant = Tenant { account_id: account.clone(), mode };
        wallets::open(txn, &tenant).await?;
        if free_scans == 0 {
            continue;
        }
        let mut grant = Posting::new(&tenant, TransactionKind::Grant, now).free_scans(
            names::free_granted(&tenant),
            names::free(&tenant),
            i64::from(free_scans),
        );
        grant.reference = Some(format!("sign-up:{account}:{}", mode.as_str()));
        post(txn, &grant).await?;
    }
    Ok(())
}

/// Returns the wallet of a tenant.
///
/// # Errors
/// Returns an error if the database fails or the account has no wallets.
pub async fn wallet(reader: &impl Reader, tenant: &Tenant) -> Result<WalletRow> {
    wallets::find(reader, tenant).await?.ok_or_else(|| no_wallet(tenant))
}

/// Returns the wallet of a tenant and locks it until the transaction ends.
pub(crate) async fn lock(txn: &WriteTxn, tenant: &Tenant) -> Result<WalletRow> {
    wallets::lock(txn, tenant).await?.ok_or_else(|| no_wallet(tenant))
}

fn no_wallet(tenant: &Tenant) -> Error {
    Error::corrupt(format!("{} has no {} wallet", tenant.account_id, tenant.mode.as_str()))
}
