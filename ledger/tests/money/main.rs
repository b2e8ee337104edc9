//! Tests of the ledger on each kind of database. Every test ends by verifying the ledger.

mod adjust;
mod credit;
mod fail;
mod fixture;
mod ledger_invariants;
mod recharge;
mod reference_model;
mod start;
