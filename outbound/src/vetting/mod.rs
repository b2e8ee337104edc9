//! Which URLs a webhook may be sent to.
//!
//! Two questions, always asked in this order: may the URL be named at all ([`Policy::vet`], no
//! I/O), and does its host stand for public addresses only ([`resolve`])? The answers are types
//! ([`VettedUrl`], [`VettedTarget`]) that only this module can make, so a connection cannot be
//! opened by forgetting to ask.

mod address;
mod host;
mod policy;
mod refusal;
mod resolve;

pub use address::{AddressClass, Network, class_of};
pub use policy::{Policy, PolicyError, VettedUrl};
pub use refusal::{Refusal, RefusalCode};
pub use resolve::{Resolver, SystemResolver, VettedTarget, resolve};

pub(crate) use resolve::mapped;
