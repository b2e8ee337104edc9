//! `scan get SCAN`: prints a scan as JSON.
#![allow(clippy::print_stdout, reason = "the command prints its result")]

use clap::Args;
use domain::ScanId;

use super::{api::Api, connection::Connection};

/// Show a scan.
#[derive(Debug, Args)]
pub struct GetArgs {
    #[command(flatten)]
    connection: Connection,
    /// Id of the scan.
    scan: ScanId,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the API refuses, or cannot be reached.
pub async fn run(args: GetArgs) -> anyhow::Result<()> {
    let scan = Api::new(&args.connection)?.scan(&args.scan).await?;
    println!("{}", serde_json::to_string_pretty(&scan)?);
    Ok(())
}
