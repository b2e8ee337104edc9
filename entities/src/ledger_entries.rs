//! Ledger entries: what each transaction took from or gave to each ledger account. Append-only.

use domain::TransactionId;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    QueryOrder,
    entity::prelude::*,
};

use crate::{Reader, Result, Text, WriteTxn};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Commodity {
    /// US cents.
    UsdCents,
    /// Free scans.
    FreeScan,
}

impl Commodity {
    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Commodity::UsdCents => "usd_cents",
            Commodity::FreeScan => "free_scan",
        }
    }

    /// Reads [`Commodity::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Commodity::UsdCents, Commodity::FreeScan].into_iter().find(|c| c.as_str() == text)
    }
}

/// One side of a transaction. The entries of a transaction sum to zero for each commodity.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ledger_entries")]
pub struct Model {
    /// In order of writing.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The transaction it is a side of.
    pub transaction_id: Text<TransactionId>,
    /// A named account of the ledger, for example `wallet:acc_…:live`.
    pub ledger_account: String,
    /// What is counted.
    pub commodity: Text<Commodity>,
    /// How much more (or less, when negative) the account holds; never 0.
    pub amount: i64,
}

no_relations!();

/// The entries of these transactions, in order of writing. The caller took the ids from transactions of
/// its tenant.
///
/// # Errors
/// Of the database.
pub async fn of_transactions(reader: &impl Reader, ids: &[TransactionId]) -> Result<Vec<Model>> {
    let rows = Entity::find().filter(Column::TransactionId.is_in(ids.iter().map(TransactionId::as_str)));
    Ok(rows.order_by_asc(Column::Id).all(reader.conn()).await?)
}

/// Writes an entry. Only the ledger calls this, with all entries of a transaction at once.
///
/// # Errors
/// Of the database.
pub async fn insert(
    txn: &WriteTxn,
    transaction: &TransactionId,
    ledger_account: &str,
    commodity: Commodity,
    amount: i64,
) -> Result<()> {
    let row = ActiveModel {
        id: NotSet,
        transaction_id: Set(Text::from(transaction)),
        ledger_account: Set(ledger_account.to_owned()),
        commodity: Set(Text(commodity)),
        amount: Set(amount),
    };
    Entity::insert(row).exec_without_returning(txn.conn()).await?;
    Ok(())
}
