//! Names of the ledger accounts. Test and live mode never share an account.

use domain::mode::Tenant;

/// Balance of a tenant, in cents.
pub(crate) fn wallet(tenant: &Tenant) -> String {
    format!("wallet:{}:{}", tenant.account_id, tenant.mode.as_str())
}

/// Remaining free scans of a tenant.
pub(crate) fn free(tenant: &Tenant) -> String {
    format!("free:{}:{}", tenant.account_id, tenant.mode.as_str())
}

/// Revenue from scans.
pub(crate) fn revenue(tenant: &Tenant) -> String {
    format!("revenue:{}", tenant.mode.as_str())
}

/// Payments received from the bank.
pub(crate) fn bank(tenant: &Tenant) -> String {
    format!("bank:{}", tenant.mode.as_str())
}

/// Money granted by the service.
pub(crate) fn grants(tenant: &Tenant) -> String {
    format!("grants:{}", tenant.mode.as_str())
}

/// Corrections by operators.
pub(crate) fn adjustments(tenant: &Tenant) -> String {
    format!("adjustments:{}", tenant.mode.as_str())
}

/// Source of free scans.
pub(crate) fn free_granted(tenant: &Tenant) -> String {
    format!("free_granted:{}", tenant.mode.as_str())
}

/// Used free scans.
pub(crate) fn free_used(tenant: &Tenant) -> String {
    format!("free_used:{}", tenant.mode.as_str())
}
