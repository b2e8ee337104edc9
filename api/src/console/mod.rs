//! People: who is logged in, what proves it, and what protects them from pages of others.

pub mod cookie;
pub mod credentials;
pub mod origin;
pub(crate) mod pages;
pub mod passwords;
pub mod settings;
pub mod visitor;

pub use settings::ConsoleSettings;
pub use visitor::Visitor;
