//! `scan open`: opens the console, a space, a scan or the reference in a browser.
#![allow(clippy::print_stdout, reason = "the command prints its result")]

use clap::Args;
use serde_json::json;

use crate::browser;

use super::{connection::Connection, output::show, spaces::segment};

/// Open a page of the service in a browser.
#[derive(Debug, Args)]
pub struct OpenArgs {
    #[command(flatten)]
    connection: Connection,
    /// A space (`spc_…`), a scan (`scn_…`), `docs`, `keys`, `billing` or `webhooks`. Default: the
    /// console.
    page: Option<String>,
    /// Only print the address.
    #[arg(long)]
    print: bool,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the page is unknown.
pub fn run(args: OpenArgs, as_json: bool) -> anyhow::Result<()> {
    let access = args.connection.access()?;
    let url = match args.page.as_deref() {
        None => access.console(""),
        Some("docs") => format!("{}/docs", access.origin()),
        Some(page @ ("keys" | "billing" | "webhooks")) => access.console(&format!("/{page}")),
        Some(id) if id.starts_with("spc_") => access.console(&format!("/spaces/{}", segment(id))),
        Some(id) if id.starts_with("scn_") => access.console(&format!("/scans/{}", segment(id))),
        Some(other) => anyhow::bail!("`{other}` is no space, scan or page; see `scan open --help`"),
    };
    if !args.print {
        in_browser(&url);
    }
    show(as_json, &json!({ "url": url }), |_| println!("{url}"));
    Ok(())
}

/// Opens a URL in the user's browser, if there is one.
pub fn in_browser(url: &str) {
    if let Err(error) = browser::open(url) {
        tracing::debug!(%error, "cannot open a browser");
    }
}
