//! Payment methods to detach at the bank, stored as outbox entries. An entry is inserted when a
//! method is removed, so that neither a removal nor an erasure waits for the bank. It is deleted
//! once it is processed.

use domain::{AccountId, Mode, Timestamp, mode::Tenant};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    OutboxRow, PaymentMethodRow, Reader, Result, WriteTxn,
    outbox::{self, Kind},
};

/// A payment method to detach from its customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detachment {
    /// The account that owned it.
    pub account_id: AccountId,
    /// The mode of the bank account.
    pub mode: Mode,
    /// Customer id at the bank.
    pub customer: String,
    /// Payment method id at the bank.
    pub method: String,
}

impl Detachment {
    fn of(row: &PaymentMethodRow) -> Self {
        let (customer, method) = (row.customer.clone(), row.method.clone());
        Self {
            account_id: row.account_id.0.clone(),
            mode: Mode::from_livemode(row.livemode),
            customer,
            method,
        }
    }

    /// Returns the owning tenant.
    pub fn tenant(&self) -> Tenant {
        Tenant { account_id: self.account_id.clone(), mode: self.mode }
    }
}

/// Enqueues the detachment of a method. Each method has at most one entry, even if it is removed
/// several times before it is processed.
///
/// # Errors
/// Returns an error if the database fails.
pub(crate) async fn enqueue(txn: &WriteTxn, row: &PaymentMethodRow, now: Timestamp) -> Result<()> {
    let detachment = Detachment::of(row);
    let subject = subject(&detachment.tenant(), &detachment.method);
    outbox::enqueue(txn, Kind::MethodDetach, &subject, &serde_json::json!(detachment), now, now).await?;
    Ok(())
}

/// Parses an outbox entry. Returns `None` if it is of another kind.
pub fn parse(entry: &OutboxRow) -> Option<Detachment> {
    serde_json::from_value(entry.payload.0.0.clone()).ok()
}

/// Deletes the entry of a method that is set again. Returns `false` if the relay may already be
/// detaching the method, which must not be used then.
///
/// # Errors
/// Returns an error if the database fails.
pub(crate) async fn cancel(txn: &WriteTxn, tenant: &Tenant, method: &str) -> Result<bool> {
    let subject = subject(tenant, method);
    outbox::Entity::delete_many()
        .filter(outbox::Column::Kind.eq(Kind::MethodDetach.as_str()))
        .filter(outbox::Column::Subject.eq(subject.as_str()))
        .filter(outbox::Column::Attempts.eq(0))
        .exec(txn.conn())
        .await?;
    Ok(outbox::find(txn, Kind::MethodDetach, &subject).await?.is_none())
}

fn subject(tenant: &Tenant, method: &str) -> String {
    format!("{}:{}:{method}", tenant.account_id, tenant.mode.as_str())
}
