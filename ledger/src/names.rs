//! Names of the ledger accounts. Test and live mode never share an account.

use domain::mode::Tenant;

/// Returns the account of a tenant's balance, in cents.
pub(crate) fn wallet(tenant: &Tenant) -> String {
    format!("wallet:{}:{}", tenant.account_id, tenant.mode.as_str())
}

/// Returns the account of a tenant's remaining free scans.
pub(crate) fn free(tenant: &Tenant) -> String {
    format!("free:{}:{}", tenant.account_id, tenant.mode.as_str())
}

/// Returns the account of revenue from scans.
pub(crate) fn revenue(tenant: &Tenant) -> String {
    format!("revenue:{}", tenant.mode.as_str())
}

/// Returns the account of payments received from the bank.
pub(crate) fn bank(tenant: &Tenant) -> String {
    format!("bank:{}", tenant.mode.as_str())
}

/// Returns the account of money granted by the service.
pub(crate) fn grants(tenant: &Tenant) -> String {
    format!("grants:{}", tenant.mode.as_str())
}

/// Returns the account of corrections by operators.
pub(crate) fn adjustments(tenant: &Tenant) -> String {
    format!("adjustments:{}", tenant.mode.as_str())
}

/// Returns the account that granted free scans come from.
pub(crate) fn free_granted(tenant: &Tenant) -> String {
    format!("free_granted:{}", tenant.mode.as_str())
}

/// Returns the account that used free scans go to.
pub(crate) fn free_used(tenant: &Tenant) -> String {
    format!("free_used:{}", tenant.mode.as_str())
}
