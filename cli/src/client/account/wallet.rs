//! `scan wallet`: balance and free scans.
#![allow(clippy::print_stdout, reason = "the command prints its result")]

use clap::Args;

use crate::client::{
    api::{Api, Call},
    connection::Connection,
    output::{money, show},
};

/// Show the balance and the free scans.
#[derive(Debug, Args)]
pub struct WalletArgs {
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the API refuses the request, or cannot be reached.
pub async fn run(args: WalletArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    let wallet = api.get(Call::to("/wallet")).await?;
    show(as_json, &wallet, |wallet| {
        let mode = if wallet["livemode"] == true { "live" } else { "test" };
        let top_ups = if wallet["auto_recharge"]["enabled"] == true { "on" } else { "off" };
        println!("balance            {} ({mode} mode)", money(&wallet["balance_cents"]));
        println!("free scans         {}", wallet["free_scans"]);
        println!("automatic top-ups  {top_ups}");
        println!("top up at          {}", api.access().console("/billing"));
    });
    Ok(())
}
