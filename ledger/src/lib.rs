//! Money: an append-only double-entry ledger over the tables of `entities`.
//!
//! Every movement is one database transaction. It locks the tenant's wallet first, writes a ledger
//! transaction whose entries sum to zero for each commodity (US cents, free scans), and changes the
//! wallet's running balance by the sum of its entries. All functions are idempotent: a second call
//! moves nothing and returns the first outcome. [`verify()`] checks the invariants.

mod adjust;
mod credit;
mod error;
mod fail;
mod names;
mod payments;
mod posting;
mod recharge;
mod start;
mod statement;
mod verify;
mod wallet;

pub use adjust::{Adjusted, Adjustment, adjust};
pub use credit::{Credit, Credited, credit, grant};
pub use error::{Error, Result};
pub use fail::{FailOutcome, fail_scan};
pub use payments::{NewTopUp, Reversal, Settled, TopUp, begin_top_up, record_reversal, settle};
pub use start::{StartRequest, start_scan};
pub use statement::{MonthlyStatement, Movement, StatementLine, monthly_statement, spent_by_key, statement};
pub use verify::{Audit, verify};
pub use wallet::{open_wallets, wallet};
