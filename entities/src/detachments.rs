//! Payment methods that a bank is still to forget. They are promises in the outbox, written when a method is
//! removed, so that neither a removal nor an erasure waits for a bank; forgotten when they were kept.

use domain::{AccountId, Mode, Timestamp, mode::Tenant};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    OutboxRow, PaymentMethodRow, Result, WriteTxn,
    outbox::{self, Kind},
};

/// A method that is to be detached from its customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detachment {
    /// Whose it was.
    pub account_id: AccountId,
    /// The mode whose bank has it.
    pub mode: Mode,
    /// The bank's name of the account.
    pub customer: String,
    /// The bank's name of the method.
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

/// Promises that the bank will be asked to forget a method. One promise stands for a method, however often it is
/// removed before it is kept.
///
/// # Errors
/// Of the database.
pub(crate) async fn enqueue(txn: &WriteTxn, row: &PaymentMethodRow, now: Timestamp) -> Result<()> {
    let wanted = Detachment::of(row);
    let subject = subject(&wanted.tenant(), &wanted.method);
    outbox::enqueue(txn, Kind::MethodDetach, &subject, &serde_json::json!(wanted), now, now).await?;
    Ok(())
}

/// What was promised; `None` for what is no such promise.
pub fn read(promise: &OutboxRow) -> Option<Detachment> {
    serde_json::from_value(promise.payload.0.clone()).ok()
}

/// Takes a promise back, because the method is to pay again. Says whether the method is free for that: not
/// while someone may be at the bank with it.
///
/// # Errors
/// Of the database.
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
