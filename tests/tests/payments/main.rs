//! Payments against the simulated bank: top-ups, what the bank tells of them, and what it must forget.

mod cards;
mod detach;
mod payment_fixture;
