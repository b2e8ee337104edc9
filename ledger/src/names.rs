//! The named accounts of the ledger. Test and live money never share one.

use domain::mode::Tenant;

/// What the service owes a tenant, in cents.
pub(crate) fn wallet(tenant: &Tenant) -> String {
    format!("wallet:{}:{}", tenant.account_id, tenant.mode.as_str())
}

/// The free scans a tenant has left.
pub(crate) fn free(tenant: &Tenant) -> String {
    format!("free:{}:{}", tenant.account_id, tenant.mode.as_str())
}

/// What was earned with scans.
pub(crate) fn revenue(tenant: &Tenant) -> String {
    format!("revenue:{}", tenant.mode.as_str())
}

/// What came in from the bank.
pub(crate) fn bank(tenant: &Tenant) -> String {
    format!("bank:{}", tenant.mode.as_str())
}

/// Money given by the service.
pub(crate) fn grants(tenant: &Tenant) -> String {
    format!("grants:{}", tenant.mode.as_str())
}

/// What operators set right.
pub(crate) fn adjustments(tenant: &Tenant) -> String {
    format!("adjustments:{}", tenant.mode.as_str())
}

/// Where free scans come from.
pub(crate) fn free_granted(tenant: &Tenant) -> String {
    format!("free_granted:{}", tenant.mode.as_str())
}

/// Where free scans go.
pub(crate) fn free_used(tenant: &Tenant) -> String {
    format!("free_used:{}", tenant.mode.as_str())
}
