//! An MCP server (Model Context Protocol) over the public HTTP API: agents list and search spaces, read
//! Space Documents in parts, look at frames, ask questions and compare scans.
//!
//! Text of a scan was written and spoken by strangers. Each response marks it as untrusted data
//! ([`untrusted`]), and is limited in size ([`tokens::MAX_TOKENS`]).

mod api;
mod arguments;
mod document;
mod http;
mod local;
mod remote;
mod resources;
pub mod tokens;
mod tools;
pub mod untrusted;

use std::sync::Arc;

pub use api::{Api, ApiFailure, Transport, Unreachable};
pub use http::HttpServer;
pub use local::{LocalScan, LocalScans};
pub use remote::Remote;
use rmcp::ServiceExt;
pub use tools::SpaceTools;

/// Serves one client on standard input and output until it disconnects.
///
/// # Errors
/// Returns an error if the client breaks the protocol.
pub async fn serve_stdio(
    api: Api,
    local: Arc<dyn LocalScans>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let service = SpaceTools::with_key(api, local).serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}
