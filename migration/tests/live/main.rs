//! Migrations of a database that other programs use: under load, interrupted, from several
//! processes, and by programs of other releases.

mod compatibility;
mod postgres;
mod steps;
