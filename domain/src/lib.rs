//! The vocabulary of Scan Service: ids, time, money, states, errors, events and the Space Document.
//!
//! Nothing here does I/O. Every other crate speaks in these types, so a rule that several of them
//! share (what a legal transition is, which status an error answers with, where an object of a scan
//! lives in storage) has its one place here.

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
pub mod space;
pub mod time;
pub mod token;

pub use error::{ApiErrorCode, FailureCode};
pub use export::ExportState;
pub use id::*;
pub use mode::Mode;
pub use scan::{ScanStatus, Stage};
pub use secret::Secret;
pub use time::Timestamp;
pub use token::{Token, TokenPurpose};
