//! `scan mcp`: an MCP server for agents on this machine, over the public API.

use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;

use super::{connection::Connection, local_scans::FilesOfThisMachine};

/// Serve an agent over MCP on standard input and output.
#[derive(Debug, Args)]
pub struct McpArgs {
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command until the client disconnects.
///
/// # Errors
/// Returns an error if there is no key, or the client breaks the protocol.
pub async fn run(args: McpArgs) -> anyhow::Result<()> {
    let access = args.connection.access()?;
    let transport = mcp::Remote::new(&access.base)?;
    let api = mcp::Api::new(Arc::new(transport)).with_key(access.require_key()?)?;
    let local = FilesOfThisMachine::new(args.connection);
    mcp::serve_stdio(api, Arc::new(local)).await.map_err(|error| anyhow!(error))
}
