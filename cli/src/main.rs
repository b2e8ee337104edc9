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
    doctor,
    serve::{
        self, schema,
        services::{Schema, Services},
    },
    telemetry, traces,
};
use worker::Queue;

/// The memory of a request is often freed by another thread, and the system's allocator is slow at
/// that.
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
    /// Run the whole service on this machine, with all data in one folder.
    Up(serve::up::UpArgs),
    /// Run the HTTP API with the configured database, storage and engine.
    Api(ConfigArgs),
    /// Run workers with the configured services, or with those of a running `scan up`.
    Worker {
        #[command(flatten)]
        config_args: ConfigArgs,
        /// Data folder of a running `scan up` on this machine, whose work these workers share.
        #[arg(long)]
        data: Option<PathBuf>,
        /// Task queues to serve, separated by commas: scans, media, vision, fusion, billing,
        /// webhooks, upkeep (always with scans). Default: all.
        #[arg(long, value_delimiter = ',')]
        queues: Vec<Queue>,
    },
    /// Apply pending migrations to the configured database, also while the service runs.
    Migrate(ConfigArgs),
    /// Manage accounts, API keys, webhook endpoints and money.
    Admin(admin::AdminArgs),
    /// Compare database, engine, storage and bank with each other, and repair differences.
    Doctor(doctor::DoctorArgs),
    /// Scan a video or photos of a place, and save the document.
    Run(client::run::RunArgs),
    /// Show a scan.
    Get(client::get::GetArgs),
    /// Forward events to a URL on this machine.
    Listen(client::listen::ListenArgs),
}

// Options of a command that reads the configuration. Not a doc comment, because clap would show it
// in the help of the commands.
#[derive(Debug, clap::Args)]
struct ConfigArgs {
    /// Configuration file (TOML). Environment variables (`SCAN__SECTION__NAME`) override it.
    #[arg(long, env = "SCAN_CONFIG")]
    config: Option<PathBuf>,
}

impl ConfigArgs {
    fn load(&self) -> anyhow::Result<Config> {
        let config = Config::load("", self.config.as_deref())?;
        telemetry::start(&config.log);
        Ok(config)
    }

    /// Loads the configuration of the `scan up` that uses this data folder, for another process.
    fn load_for_data_folder(&self, folder: &Path) -> anyhow::Result<Config> {
        let folder =
            folder.canonicalize().with_context(|| format!("the data folder {}", folder.display()))?;
        let config = serve::up::embedded_config(&folder, self.config.as_deref())?;
        telemetry::start(&config.log);
        // Each process needs its own temporary folder.
        Ok(Config { scratch: None, ..config })
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    // All TLS connections of the process use one crypto provider. Installing a second one fails,
    // which is harmless.
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

/// Exports the remaining spans.
async fn finish(exporter: Option<traces::Exporter>) {
    if let Some(exporter) = exporter {
        exporter.finish().await;
    }
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Up(args) => serve::up::run(args).await,
        Command::Api(config_args) => {
            let config = config_args.load()?;
            config.validate()?;
            let stop = serve::stop_on_signal()?;
            let listeners = serve::api_server::Listeners::bind(&config).await?;
            let exporter = traces::start(&config.traces, "api")?;
            let services = Services::connect(&config, "api", Schema::Refuse).await?;
            let served = serve::api_server::run(&config, &services, listeners, stop).await;
            finish(exporter).await;
            served
        }
        Command::Worker { config_args, data, queues } => {
            let config = match data {
                Some(folder) => config_args.load_for_data_folder(&folder)?,
                None => config_args.load()?,
            };
            config.validate()?;
            let stop = serve::stop_on_signal()?;
            let admin = match config.workers.admin_listen {
                Some(address) => Some(serve::ports::bind(address, "workers.admin_listen").await?),
                None => None,
            };
            let exporter = traces::start(&config.traces, "worker")?;
            let services = Services::connect(&config, "worker", Schema::Refuse).await?;
            let queues = if queues.is_empty() { Queue::ALL.to_vec() } else { queues };
            let served = serve::workers::run_with_admin(&config, &services, queues, admin, stop).await;
            finish(exporter).await;
            served
        }
        Command::Migrate(config_args) => {
            let config = config_args.load()?;
            let db =
                entities::Db::connect(&config.database).await.context("cannot connect to the database")?;
            schema::migrate(&db).await
        }
        Command::Admin(args) => admin::run(args).await,
        Command::Doctor(args) => {
            telemetry::start(&Log::quiet());
            doctor::run(args).await
        }
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
