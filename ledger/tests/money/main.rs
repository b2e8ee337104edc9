//! Money, on every kind of database it is kept in. Every test ends by checking the books.

mod adjust;
mod books;
mod credit;
mod fail;
mod fixture;
mod model;
mod recharge;
mod start;
