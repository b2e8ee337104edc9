//! `scan scans`: scans, their progress and their results.
#![allow(clippy::print_stdout, reason = "the commands print their results")]

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use domain::{ScanId, document::SpaceDocument};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    api::{Api, Call},
    connection::Connection,
    output::{fields, show, table},
    run::{ended, follow},
    save,
    spaces::{rows, segment},
};

/// Manage scans.
#[derive(Debug, Args)]
pub struct ScansArgs {
    #[command(flatten)]
    connection: Connection,
    #[command(subcommand)]
    command: ScansCommand,
}

#[derive(Debug, Subcommand)]
enum ScansCommand {
    /// List the scans of a space, newest first.
    List {
        /// The space.
        space_id: String,
        /// Maximum number of scans.
        #[arg(long, default_value_t = 100)]
        limit: usize,
    },
    /// Show a scan.
    Get {
        /// The scan.
        scan_id: String,
    },
    /// Wait until a scan ends, and show its progress.
    Wait {
        /// The scan.
        scan_id: ScanId,
    },
    /// Save the document of a complete scan, and its frames.
    Download {
        /// The scan.
        scan_id: ScanId,
        /// Folder for the document and its frames.
        #[arg(long, default_value = "scan-result")]
        out: PathBuf,
    },
    /// Cancel a scan that is not started or not complete.
    Cancel {
        /// The scan.
        scan_id: String,
    },
    /// Retry a scan that failed because of the service, with the same media.
    Retry {
        /// The failed scan.
        scan_id: String,
    },
}

const COLUMNS: &[(&str, &str)] = &[
    ("ID", "id"),
    ("STATUS", "status"),
    ("STAGE", "stage"),
    ("KIND", "input.kind"),
    ("ERROR", "error.code"),
    ("CREATED", "created_at"),
];
const FIELDS: &[(&str, &str)] = &[
    ("id", "id"),
    ("space", "space_id"),
    ("status", "status"),
    ("stage", "stage"),
    ("waits for", "waiting.cause"),
    ("error", "error.code"),
    ("reason", "error.message"),
    ("created", "created_at"),
    ("started", "started_at"),
    ("finished", "finished_at"),
];

/// Runs the command.
///
/// # Errors
/// Returns an error if the API refuses the request or cannot be reached, or if a scan that was waited for
/// has not completed.
pub async fn run(args: ScansArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    match args.command {
        ScansCommand::List { space_id, limit } => {
            let path = format!("/spaces/{}/scans", segment(&space_id));
            let scans = api.list(Call::to(&path), limit).await?;
            show(as_json, &scans, |page| table(rows(page), COLUMNS));
        }
        ScansCommand::Get { scan_id } => print(&api.get(Call::to(&path(&scan_id))).await?, as_json),
        ScansCommand::Wait { scan_id } => {
            let api = api.patient();
            let scan = follow(&api, api.scan(&scan_id).await?).await?;
            print(&serde_json::to_value(&scan)?, as_json);
            ended(&scan)?;
        }
        ScansCommand::Download { scan_id, out } => {
            let scan = api.scan(&scan_id).await?;
            ended(&scan)?;
            let path = format!("/spaces/{}/scans/{scan_id}", scan.space_id);
            let mut found = api.get(Call::to(&path)).await?;
            let document: SpaceDocument =
                serde_json::from_value(found["document"].take()).context("the scan has no document")?;
            let saved = save::save(&api, &document, &out).await?;
            show(as_json, &json!({ "document": saved.document, "frames": saved.frames }), |saved| {
                fields(saved, &[("document", "document"), ("frames", "frames")]);
            });
        }
        ScansCommand::Cancel { scan_id } => {
            api.send(Method::DELETE, Call::to(&path(&scan_id))).await?;
            show(as_json, &json!({ "cancelled": scan_id }), |_| println!("cancelled {scan_id}"));
        }
        ScansCommand::Retry { scan_id } => {
            let call = format!("{}/retry", path(&scan_id));
            print(&api.send(Method::POST, Call::to(&call).body(json!({}))).await?, as_json);
        }
    }
    Ok(())
}

fn path(scan_id: &str) -> String {
    format!("/scans/{}", segment(scan_id))
}

/// Prints a scan.
pub fn print(scan: &Value, as_json: bool) {
    show(as_json, scan, |scan| fields(scan, FIELDS));
}
