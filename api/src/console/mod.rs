//! People: who is logged in, what proves it, and what protects them from pages of others.

pub mod cookie;
pub mod credentials;
pub mod origin;
pub(crate) mod pages;
pub mod passwords;
pub mod session_user;
pub mod settings;

pub use session_user::SessionUser;
pub use settings::ConsoleSettings;
