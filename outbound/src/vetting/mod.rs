//! Decides which URLs webhooks may be sent to.
//!
//! Vetting has two steps, always in this order. [`Policy::vet`] checks the form of a URL without
//! I/O. [`resolve()`] looks the host up and checks that all its addresses are public. Only this
//! module can build the results ([`VettedUrl`], [`VettedTarget`]), so code cannot connect without
//! vetting.

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
