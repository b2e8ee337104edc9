//! `scan`: the service and its client, in one command.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::{Parser, Subcommand};
use cli::{
    admin, client,
    config::{Config, Log},
    serve, telemetry,
};
use worker::Queue;

/// What a request allocates is freed by another thread as often as not, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Scan Service: turns a video or photos of a place into a structured, evidence-backed document.
#[derive(Debug, Parser)]
#[command(name = "scan", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run everything on this machine: API, workers, engine, database and storage in one folder.
    Up(serve::up::UpArgs),
    /// Run the HTTP API against configured services.
    Api(Configured),
    /// Run workers against configured services, or beside a `scan up`.
    Worker {
        #[command(flatten)]
        configured: Configured,
        /// The data folder of a `scan up` on this machine, whose work is to be shared.
        #[arg(long)]
        data: Option<PathBuf>,
        /// Task queues to serve, of scans, media, vision, fusion, billing, webhooks. All without it.
        #[arg(long, value_delimiter = ',')]
        queues: Vec<Queue>,
    },
    /// Bring the configured database to this version's shape.
    Migrate(Configured),
    /// Accounts, keys, webhook endpoints and money, for operators.
    Admin(admin::AdminArgs),
    /// Scan a video or photos of a place, and save its document.
    Run(client::run::RunArgs),
    /// Show a scan.
    Get(client::get::GetArgs),
    /// Bring events to an address on this machine.
    Listen(client::listen::ListenArgs),
}

/// Where the configuration of a server command comes from.
#[derive(Debug, clap::Args)]
struct Configured {
    /// Configuration file (TOML); the environment (`SCAN__SECTION__NAME`) goes over it.
    #[arg(long, env = "SCAN_CONFIG")]
    config: Option<PathBuf>,
}

impl Configured {
    fn load(&self) -> anyhow::Result<Config> {
        let config = Config::load("", self.config.as_deref())?;
        telemetry::start(&config.log);
        Ok(config)
    }

    /// The configuration of the `scan up` over this folder, for another process.
    fn load_beside(&self, folder: &Path) -> anyhow::Result<Config> {
        let folder =
            folder.canonicalize().with_context(|| format!("the data folder {}", folder.display()))?;
        let config = serve::up::embedded_config(&folder, self.config.as_deref())?;
        telemetry::start(&config.log);
        // Working folders are of one process each.
        Ok(Config { scratch: None, ..config })
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    // One provider for all TLS of this process; a second installation is refused, and harmless.
    let _ = rustls::crypto::ring::default_provider().install_default();
    #[cfg(feature = "failpoints")]
    let _scenario = fail::FailScenario::setup();
    match run(Cli::parse().command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scan: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Up(args) => serve::up::run(args).await,
        Command::Api(configured) => {
            let config = configured.load()?;
            config.validate()?;
            let stop = serve::stop_on_signal()?;
            let listeners = serve::api_server::Listeners::bind(&config).await?;
            let base = serve::parts::Base::make(&config, "api").await?;
            serve::api_server::run(&config, &base, listeners, stop).await
        }
        Command::Worker { configured, data, queues } => {
            let config = match data {
                Some(folder) => configured.load_beside(&folder)?,
                None => configured.load()?,
            };
            config.validate()?;
            let stop = serve::stop_on_signal()?;
            let base = serve::parts::Base::make(&config, "worker").await?;
            let queues = if queues.is_empty() { Queue::ALL.to_vec() } else { queues };
            serve::workers::run(&config, &base, queues, stop).await
        }
        Command::Migrate(configured) => {
            let config = configured.load()?;
            let db =
                entities::Db::connect(&config.database).await.context("the database cannot be reached")?;
            Ok(migration::migrate(entities::Reader::conn(&db)).await?)
        }
        Command::Admin(args) => admin::run(args).await,
        Command::Run(args) => {
            telemetry::start(&Log::quiet());
            client::run::run(args).await.map(|_| ())
        }
        Command::Get(args) => client::get::run(args).await,
        Command::Listen(args) => {
            telemetry::start(&Log::quiet());
            client::listen::run(args).await
        }
    }
}
