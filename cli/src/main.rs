//! `scan`: the service and its client, in one command.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::{CommandFactory, Parser, Subcommand};
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
    /// Print JSON: results on standard output, errors on standard error.
    #[arg(long, global = true)]
    json: bool,
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
    /// Store an API key for the commands below.
    Login(client::account::login::LoginArgs),
    /// Forget the stored keys and sessions.
    Logout(client::account::login::LogoutArgs),
    /// Scan a video or photos of a place, and save the document.
    Run(client::run::RunArgs),
    /// List, create, show and delete spaces.
    Spaces(client::spaces::SpacesArgs),
    /// List, show, follow, download, cancel and retry scans.
    Scans(client::scans::ScansArgs),
    /// Show a scan as JSON.
    #[command(hide = true)]
    Get(client::get::GetArgs),
    /// Ask a question about a space.
    Ask(client::ask::AskArgs),
    /// Compare two scans of a space.
    Diff(client::ask::DiffArgs),
    /// Search spaces by words.
    Search(client::search::SearchArgs),
    /// Show the balance and the free scans.
    Wallet(client::account::wallet::WalletArgs),
    /// Manage API keys.
    Keys(client::account::keys::KeysArgs),
    /// Manage webhook endpoints.
    Webhooks(client::account::webhooks::WebhooksArgs),
    /// List events.
    Events(client::events::EventsArgs),
    /// Forward events to a URL on this machine.
    Listen(client::listen::ListenArgs),
    /// Send a test event to a webhook endpoint.
    Trigger(client::account::webhooks::TriggerArgs),
    /// Open the console, a space, a scan or the reference in a browser.
    Open(client::open::OpenArgs),
    /// Serve an agent over MCP on standard input and output.
    Mcp(client::mcp::McpArgs),
    /// Print completions for a shell.
    Completions(client::shell::CompletionsArgs),
    /// Write the manual pages.
    #[command(hide = true)]
    Man(client::shell::ManArgs),
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
    let Cli { json, command } = Cli::parse();
    match run(command, json).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", client::exit::describe(&error, json));
            client::exit::code(&error)
        }
    }
}

async fn run(command: Command, json: bool) -> anyhow::Result<()> {
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
            traces::finish(exporter).await;
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
            traces::finish(exporter).await;
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
        command => {
            telemetry::start(&Log::quiet());
            run_client(command, json).await
        }
    }
}

/// Runs a command that uses only the public API.
async fn run_client(command: Command, json: bool) -> anyhow::Result<()> {
    match command {
        Command::Login(args) => client::account::login::login(args, json).await,
        Command::Logout(args) => client::account::login::logout(args, json).await,
        Command::Run(args) => client::run::run(args, json).await.map(|_| ()),
        Command::Spaces(args) => client::spaces::run(args, json).await,
        Command::Scans(args) => client::scans::run(args, json).await,
        Command::Get(args) => client::get::run(args).await,
        Command::Ask(args) => client::ask::ask(args, json).await,
        Command::Diff(args) => client::ask::diff(args, json).await,
        Command::Search(args) => client::search::run(args, json).await,
        Command::Wallet(args) => client::account::wallet::run(args, json).await,
        Command::Keys(args) => client::account::keys::run(args, json).await,
        Command::Webhooks(args) => client::account::webhooks::run(args, json).await,
        Command::Events(args) => client::events::run(args, json).await,
        Command::Listen(args) => client::listen::run(args, json).await,
        Command::Trigger(args) => client::account::webhooks::trigger(args, json).await,
        Command::Open(args) => client::open::run(args, json),
        Command::Mcp(args) => client::mcp::run(args).await,
        Command::Completions(args) => client::shell::completions(&args, Cli::command()),
        Command::Man(args) => client::shell::man(&args, Cli::command()),
        Command::Up(_)
        | Command::Api(_)
        | Command::Worker { .. }
        | Command::Migrate(_)
        | Command::Admin(_)
        | Command::Doctor(_) => anyhow::bail!("not a client command"),
    }
}
