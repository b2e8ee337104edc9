//! `scan admin …`: commands for operators on accounts, keys, endpoints, money and the search index.
//!
//! Each command is one function, which returns the JSON to print.
#![allow(clippy::print_stdout, reason = "the commands print their result")]

mod accounts;
mod backup;
mod bank;
mod keys;
mod ledger;
pub mod login;
mod outbox;
mod scans;
mod search;
mod webhooks;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::{AccountId, KeyId, Mode, ScanId, event::EventType, money::Cents, scope::Scope};
use entities::{
    Db, Tenant, audit_log,
    client::{self, Client},
    outbox::Kind,
};
use serde_json::Value;

use crate::{config::Config, serve::up::embedded_config};

/// Manage accounts, API keys, webhook endpoints and money.
#[derive(Debug, Args)]
pub struct AdminArgs {
    /// Data folder of `scan up`. Without it, the configured database is used.
    #[arg(long, env = "SCAN_DATA")]
    data: Option<PathBuf>,
    /// Configuration file (TOML).
    #[arg(long, env = "SCAN_CONFIG")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: AdminCommand,
}

// An account and a mode. Not a doc comment, because clap would show it in the help of the commands.
#[derive(Debug, Args)]
struct TenantArgs {
    /// The account.
    #[arg(long)]
    account: AccountId,
    /// `test` or `live`.
    #[arg(long, value_parser = parse_mode)]
    mode: Mode,
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Create an account with its first user and free scans.
    CreateAccount {
        /// E-mail address of the user.
        #[arg(long)]
        email: String,
        /// Name of the account.
        #[arg(long, default_value = "My account")]
        name: String,
    },
    /// Create an API key. Its secret is shown once.
    CreateKey {
        #[command(flatten)]
        tenant: TenantArgs,
        /// Scopes of the key, separated by commas. Default: all.
        #[arg(long, value_delimiter = ',', value_parser = parse_scope)]
        scopes: Vec<Scope>,
        /// Monthly spending cap, in cents.
        #[arg(long)]
        monthly_cap_cents: Option<Cents>,
        /// Name of the key.
        #[arg(long, default_value = "made by scan admin")]
        name: String,
    },
    /// Revoke an API key at once.
    RevokeKey {
        #[command(flatten)]
        tenant: TenantArgs,
        /// The key.
        key: KeyId,
    },
    /// Add a webhook endpoint. Its signing secret is shown once.
    CreateWebhook {
        #[command(flatten)]
        tenant: TenantArgs,
        /// HTTPS URL on a public host.
        #[arg(long)]
        url: String,
        /// Event types, separated by commas. Default: all.
        #[arg(long, value_delimiter = ',', value_parser = parse_event_type)]
        events: Vec<EventType>,
    },
    /// Grant an account money or free scans.
    Grant {
        #[command(flatten)]
        tenant: TenantArgs,
        /// Amount, in cents.
        #[arg(long, default_value_t = 0)]
        cents: Cents,
        /// Number of free scans.
        #[arg(long, default_value_t = 0)]
        free_scans: u32,
        /// Unique name of this grant. Repeating the command with the same name has no effect.
        #[arg(long)]
        reference: String,
    },
    /// Correct a wallet's balance with an adjustment. Existing transactions stay unchanged.
    AdjustLedger {
        #[command(flatten)]
        tenant: TenantArgs,
        /// Amount, in cents. A negative amount reduces the balance.
        #[arg(long, allow_negative_numbers = true)]
        cents: Cents,
        /// Reason. It is kept in the audit log, where the account's owner can read it.
        #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
        reason: String,
        /// Unique name of this adjustment. Repeating the command with the same name has no effect.
        #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
        reference: String,
        /// Allow an adjustment that makes the balance negative.
        #[arg(long)]
        allow_negative: bool,
    },
    /// Set or clear the user's `is_pro` flag.
    SetPro {
        /// E-mail address of the user.
        #[arg(long)]
        email: String,
        /// Whether the user is a professional: `true` or `false`.
        #[arg(long, action = clap::ArgAction::Set)]
        pro: bool,
    },
    /// Show the outbox entries that are not done, oldest first.
    Outbox {
        /// Show only parked entries, which are not tried again without `retry-outbox`.
        #[arg(long)]
        parked: bool,
        /// Maximum number of entries.
        #[arg(long, default_value_t = 100)]
        limit: u64,
    },
    /// Try a parked outbox entry again.
    RetryOutbox {
        /// Kind of the entry.
        #[arg(value_parser = parse_outbox_kind)]
        kind: Kind,
        /// Subject of the entry.
        subject: String,
    },
    /// Retry a scan that failed with `PIPELINE_ERROR`: create a new scan from its media and start it.
    /// The service must be running. Repeating the command creates no second scan.
    RetryScan {
        /// The failed scan.
        scan: ScanId,
    },
    /// Rebuild the search index of every space from its newest document. The service may be
    /// running. With the embedded storage of `scan up`, it must be running.
    Reindex,
    /// Encrypt the signing secrets of all webhook endpoints with the first key of `outbound.seal.keys`.
    /// Afterwards the older keys can be removed. The service may be running.
    Reseal,
    /// Copy the SQLite database to a new file, while the service runs. For PostgreSQL use `pg_dump`.
    Backup {
        /// The file. It must not exist.
        file: PathBuf,
    },
    /// Verify the ledger: every transaction sums to zero, every balance is the sum of its entries.
    VerifyLedger,
    /// Show the newest reports of the daily comparison of bank and ledger.
    BankReports {
        /// Maximum number of reports.
        #[arg(long, default_value_t = 30)]
        limit: u64,
    },
    /// Compare the bank's payments with the ledger, credit missed payments, and report other
    /// differences.
    ReconcileBank {
        /// `test` or `live`.
        #[arg(long, value_parser = parse_mode, default_value = "live")]
        mode: Mode,
        /// Number of days to look back.
        #[arg(long, default_value_t = 3)]
        days: u32,
    },
}

/// Result of a command: the JSON to print, and a failure to report after it.
struct Output {
    json: Value,
    failure: Option<&'static str>,
}

impl From<Value> for Output {
    fn from(json: Value) -> Self {
        Self { json, failure: None }
    }
}

impl From<TenantArgs> for Tenant {
    fn from(args: TenantArgs) -> Self {
        Self { account_id: args.account, mode: args.mode }
    }
}

fn parse_mode(text: &str) -> Result<Mode, String> {
    match text {
        "test" => Ok(Mode::Test),
        "live" => Ok(Mode::Live),
        _ => Err("must be test or live".into()),
    }
}

fn parse_scope(text: &str) -> Result<Scope, String> {
    Scope::parse(text).ok_or_else(|| must_be_one_of(Scope::ALL.iter().map(|scope| scope.as_str())))
}

fn parse_event_type(text: &str) -> Result<EventType, String> {
    EventType::parse(text).ok_or_else(|| must_be_one_of(EventType::ALL.iter().map(|kind| kind.as_str())))
}

fn parse_outbox_kind(text: &str) -> Result<Kind, String> {
    Kind::parse(text).ok_or_else(|| must_be_one_of(Kind::ALL.iter().map(|kind| kind.as_str())))
}

fn must_be_one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("must be one of {}", names.collect::<Vec<_>>().join(", "))
}

/// Runs the command and prints its result.
///
/// # Errors
/// Returns an error if the configuration is invalid, the database cannot be reached, or a rule
/// refuses the command.
pub async fn run(args: AdminArgs) -> anyhow::Result<()> {
    let config = load_config(args.data.as_deref(), args.config.as_deref())?;
    let db = Db::connect(&config.database).await.context("cannot connect to the database")?;
    // The audit log names this program, and the user of the machine who ran it.
    let operator = format!("scan admin {}, user {}", env!("CARGO_PKG_VERSION"), nix::unistd::getuid());
    let operator = Client::new(None, Some(&operator));
    let output = client::acting_for(operator, execute(args.command, &config, &db)).await?;
    println!("{}", output.json);
    match output.failure {
        None => Ok(()),
        Some(failure) => bail!(failure),
    }
}

/// Loads the configuration of a data folder, or the configured services without one.
///
/// # Errors
/// Returns an error if the folder does not exist, or the configuration is invalid.
pub(crate) fn load_config(data: Option<&Path>, file: Option<&Path>) -> anyhow::Result<Config> {
    match data {
        Some(folder) => {
            let folder =
                folder.canonicalize().with_context(|| format!("data folder {}", folder.display()))?;
            embedded_config(&folder, file)
        }
        None => Config::load("", file),
    }
}

async fn execute(command: AdminCommand, config: &Config, db: &Db) -> anyhow::Result<Output> {
    let output: Output = match command {
        AdminCommand::CreateAccount { email, name } => accounts::create(db, &email, &name).await?.into(),
        AdminCommand::SetPro { email, pro } => accounts::set_pro(db, &email, pro).await?.into(),
        AdminCommand::CreateKey { tenant, scopes, monthly_cap_cents, name } => {
            keys::create(db, &Tenant::from(tenant), scopes, monthly_cap_cents, &name).await?.into()
        }
        AdminCommand::RevokeKey { tenant, key } => keys::revoke(db, &Tenant::from(tenant), key).await?.into(),
        AdminCommand::CreateWebhook { tenant, url, events } => {
            webhooks::create(config, db, &Tenant::from(tenant), url, events).await?.into()
        }
        AdminCommand::Grant { tenant, cents, free_scans, reference } => {
            ledger::grant(db, Tenant::from(tenant), cents, free_scans, reference).await?.into()
        }
        AdminCommand::AdjustLedger { tenant, cents, reason, reference, allow_negative } => {
            let tenant = Tenant::from(tenant);
            let adjustment =
                ::ledger::Adjustment { tenant, cents, reason, reference, may_overdraw: allow_negative };
            ledger::adjust(db, &adjustment).await?.into()
        }
        AdminCommand::Backup { file } => backup::run(db, &file).await?.into(),
        AdminCommand::VerifyLedger => ledger::verify(db).await?.into(),
        AdminCommand::Outbox { parked, limit } => outbox::list(db, parked, limit).await?.into(),
        AdminCommand::RetryOutbox { kind, subject } => outbox::retry(db, kind, &subject).await?.into(),
        AdminCommand::RetryScan { scan } => scans::retry(config, db, &scan).await?,
        AdminCommand::Reseal => webhooks::reseal(config, db).await?.into(),
        AdminCommand::Reindex => search::reindex(config, db).await?,
        AdminCommand::BankReports { limit } => bank::reports(db, limit).await?.into(),
        AdminCommand::ReconcileBank { mode, days } => bank::reconcile(config, db, mode, days).await?,
    };
    Ok(output)
}

/// Returns the entry of an operator's action for the audit log.
fn operator_action<'a>(
    account_id: &'a AccountId,
    action: &'a str,
    subject: &'a str,
    detail: serde_json::Value,
) -> audit_log::NewEntry<'a> {
    audit_log::NewEntry { account_id, actor: "operator", action, subject, detail }
}
