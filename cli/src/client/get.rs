//! `scan get SCAN`: a scan as it is now.
#![allow(clippy::print_stdout, reason = "this is what the command is for")]

use clap::Args;
use domain::ScanId;

use super::{Connection, api::Api};

/// Show a scan.
#[derive(Debug, Args)]
pub struct GetArgs {
    #[command(flatten)]
    connection: Connection,
    /// The scan.
    scan: ScanId,
}

/// Runs the command.
///
/// # Errors
/// What the API or the network say.
pub async fn run(args: GetArgs) -> anyhow::Result<()> {
    let scan = Api::new(&args.connection)?.scan(&args.scan).await?;
    println!("{}", serde_json::to_string_pretty(&scan)?);
    Ok(())
}
