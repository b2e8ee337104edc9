//! Types that all crates of Scan Service share: ids, time, money, states, errors, events and the
//! Space Document.
//!
//! This crate does no I/O. It is the single place for rules that several crates need: the legal
//! status changes, the HTTP status of an error, the storage keys of a scan.

pub mod document;
pub mod error;
pub mod event;
pub mod export;
pub mod forced;
pub mod id;
mod input;
pub mod key;
pub mod language;
pub mod layout;
pub mod media;
pub mod mode;
pub mod money;
pub mod numbers;
pub mod page;
pub mod payment;
pub mod scan;
mod schema;
pub mod scope;
pub mod search;
pub mod secret;
pub mod seed;
pub mod space;
pub mod time;
pub mod token;

pub use error::{ApiErrorCode, FailureCode};
pub use export::ExportState;
pub use id::*;
pub use mode::Mode;
pub use scan::{ScanStatus, Stage};
pub use secret::{RotatingSecret, Secret};
pub use seed::ScanSeed;
pub use time::Timestamp;
pub use token::{Token, TokenPurpose};
