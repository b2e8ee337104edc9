//! Commands on the user's own account: login, keys, wallet and webhook endpoints.

pub mod keys;
pub mod login;
pub mod prompt;
pub mod wallet;
pub mod webhooks;
