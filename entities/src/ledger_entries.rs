//! Ledger entries: the amount that each transaction moves to or from each ledger account.
//! Append-only.

use domain::{Timestamp, TransactionId};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    JoinType, QueryOrder, QuerySelect,
    entity::prelude::*,
};

use crate::{
    Error, Reader, Result, Text, WriteTxn,
    ledger_transactions::{self, TransactionKind},
};

/// A commodity that the ledger counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Commodity {
    /// US cents.
    UsdCents,
    /// Free scans.
    FreeScan,
}

impl Commodity {
    /// Returns the name used in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Commodity::UsdCents => "usd_cents",
            Commodity::FreeScan => "free_scan",
        }
    }

    /// Parses the result of [`Commodity::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Commodity::UsdCents, Commodity::FreeScan].into_iter().find(|c| c.as_str() == text)
    }
}

/// One entry of a transaction. The entries of a transaction sum to zero for each commodity.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ledger_entries")]
pub struct Model {
    /// Sequence number, in order of writing.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The transaction it belongs to.
    pub transaction_id: Text<TransactionId>,
    /// Name of the ledger account, for example `wallet:acc_…:live`.
    pub ledger_account: String,
    /// The commodity of the amount.
    pub commodity: Text<Commodity>,
    /// Change of the account's balance; never 0.
    pub amount: i64,
}

no_relations!();

/// Returns the entries of these transactions, in order of writing. The caller must have the ids
/// from transactions of its tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn of_transactions(reader: &impl Reader, ids: &[TransactionId]) -> Result<Vec<Model>> {
    let rows = Entity::find().filter(Column::TransactionId.is_in(ids.iter().map(TransactionId::as_str)));
    Ok(rows.order_by_asc(Column::Id).all(reader.conn()).await?)
}

/// Returns the change of these ledger accounts in a period, by kind of transaction and commodity.
///
/// # Errors
/// Returns an error if the database fails or holds an unknown kind or commodity.
pub async fn sums(
    reader: &impl Reader,
    ledger_accounts: [&str; 2],
    from: Timestamp,
    until: Timestamp,
) -> Result<Vec<(TransactionKind, Commodity, i64)>> {
    let transaction = Entity::belongs_to(ledger_transactions::Entity)
        .from(Column::TransactionId)
        .to(ledger_transactions::Column::Id);
    // PostgreSQL's SUM of BIGINT is NUMERIC, so the result is cast.
    let rows: Vec<(String, String, i64)> = Entity::find()
        .select_only()
        .column(ledger_transactions::Column::Kind)
        .column(Column::Commodity)
        .expr(Expr::cust("CAST(SUM(amount) AS BIGINT)"))
        .join(JoinType::InnerJoin, transaction.into())
        .filter(Column::LedgerAccount.is_in(ledger_accounts))
        .filter(ledger_transactions::Column::CreatedAt.gte(from.as_millis()))
        .filter(ledger_transactions::Column::CreatedAt.lt(until.as_millis()))
        .group_by(ledger_transactions::Column::Kind)
        .group_by(Column::Commodity)
        .into_tuple()
        .all(reader.conn())
        .await?;
    let parse = |(kind, commodity, amount): (String, String, i64)| {
        let (known_kind, known_commodity) = (TransactionKind::parse(&kind), Commodity::parse(&commodity));
        known_kind.zip(known_commodity).map(|(kind, commodity)| (kind, commodity, amount)).ok_or_else(|| {
            Error::corrupt(format!("unknown kind {kind:?} or commodity {commodity:?} in the ledger"))
        })
    };
    rows.into_iter().map(parse).collect()
}

/// Inserts an entry. Only the ledger calls this, with all entries of a transaction.
///
/// # Errors
/// Returns an error if the database fails.
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
