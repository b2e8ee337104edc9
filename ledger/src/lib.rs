//! Money: an append-only ledger in double entry, over the tables of `entities`.
//!
//! Every movement is one transaction of the database that locks the tenant's wallet first, writes a ledger
//! transaction whose entries sum to zero for each commodity (US cents, free scans), and moves the wallet's
//! running balance by exactly what those entries say. Everything here may be called twice: the second call
//! moves nothing and answers what the first one did. [`verify`] checks all of it.

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
