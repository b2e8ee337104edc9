//! Money, on every kind of database it is kept in. Every test ends by checking the books.

mod adjust;
mod credit;
mod fail;
mod fixture;
mod ledger_invariants;
mod recharge;
mod reference_model;
mod start;
