//! Payments at the simulated bank: top-ups, notifications, and detached payment methods.

mod cards;
mod detach;
mod payment_fixture;
