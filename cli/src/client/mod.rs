//! The client commands. They use only the public API.

pub mod api;
pub mod get;
pub mod input;
pub mod listen;
pub mod run;
pub mod save;
pub mod summary;

use clap::Args;

/// URL and key of the API.
#[derive(Debug, Clone, Args)]
pub struct Connection {
    /// URL of the API, with its version.
    #[arg(long, env = "SCAN_API_URL", default_value = "http://127.0.0.1:8080/v1")]
    pub api: String,
    /// API key.
    #[arg(long, env = "SCAN_API_KEY", hide_env_values = true)]
    pub key: String,
}
