//! `bench api`: measures the API and a minimal server for the same requests.
//!
//! The API and its baseline take turns, so that other load on the machine slows both.

mod bare_engine;
mod bare_route;
mod list;
mod load;
mod scan;
mod upload;

use std::path::PathBuf;

use clap::Args;
use harness::{Service, ServiceOptions};
use serde_json::json;

pub(crate) use bare_route::{Arguments as BareArguments, run as bare};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Print one line of JSON instead of indented JSON.
    #[arg(long)]
    json: bool,
}

/// Rate limits that the benchmark must not reach.
const LIMITS: &[&str] = &["SERVER__LIMITS__PER_KEY__REQUESTS", "SERVER__LIMITS__PER_ADDRESS__REQUESTS"];

#[tokio::main]
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut options =
        ServiceOptions::default().set("SCANS__MAX_IN_PROGRESS", 1000).set("LOG__FILTER", "warn");
    for limit in LIMITS {
        options = options.set(limit, 100_000_000);
    }
    let mut service = Service::start(options, None).await?;
    let reads = scan::reads(&service).await?;
    let pages = list::pages(&service).await?;
    let engine = scan::against_the_engine(&service).await?;
    let upload = upload::through_the_api(&service).await?;
    service.stop().await;

    let line = json!({
        "get_scan_ratio_to_bare": reads.ratio,
        "get_scan_p99_ratio_to_bare": reads.p99_ratio,
        "create_ratio_to_bare_start": engine.create,
        "start_ratio_to_bare_update": engine.start,
        "page_1000_ratio_to_page_1": pages.ratio,
        "upload_ratio_to_direct": upload.ratio,
        "upload_added_mb": upload.added_mb,
        "get_scan": reads,
        "engine": engine,
        "pages": pages,
        "upload": upload,
        "cores": std::thread::available_parallelism()?.get(),
        "optimized": !cfg!(debug_assertions),
    });
    crate::print_results(&line, arguments.json)
}

/// Returns the database file of a service that `scan up` runs.
fn database_of(service: &Service) -> PathBuf {
    service.folder().join("scan.db")
}
