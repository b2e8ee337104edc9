//! Users of the console: sessions, passwords, protection from cross-site requests, and pages.

pub(crate) mod assets;
pub(crate) mod attempts;
pub mod cookie;
pub mod credentials;
pub mod origin;
pub(crate) mod pages;
pub mod passwords;
pub mod session_user;
pub mod settings;

pub use session_user::SessionUser;
pub use settings::ConsoleSettings;
