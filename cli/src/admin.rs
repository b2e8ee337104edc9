//! `scan admin …`: accounts, keys, endpoints and money, for operators. Prints JSON.
#![allow(clippy::print_stdout, reason = "this is what the commands are for")]

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::{
    AccountId, KeyId, Mode, Timestamp,
    event::EventType,
    key::KeySecret,
    money::{Cents, FREE_SCANS},
    scope::Scope,
};
use entities::{Db, Json, KeyRow, Tenant, Text, accounts, api_keys, bank_reports, users};
use media::ObjectStore;
use outbound::payments::Banks;
use serde_json::{Value, json};
use webhooks::{Actor, AddEndpoint, AddedEndpoint, Webhooks};

use crate::{config::Config, serve::up::embedded_config};

/// Accounts, keys, webhook endpoints and money.
#[derive(Debug, Args)]
pub struct AdminArgs {
    /// The data folder of `scan up`; without it, the configured database.
    #[arg(long, env = "SCAN_DATA")]
    data: Option<PathBuf>,
    /// Configuration file (TOML).
    #[arg(long, env = "SCAN_CONFIG")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: AdminCommand,
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Make an account with its first user and free scans.
    CreateAccount {
        /// E-mail address of the user.
        #[arg(long)]
        email: String,
        /// Name of the account.
        #[arg(long, default_value = "My account")]
        name: String,
    },
    /// Make an API key; its secret is shown once.
    CreateKey {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// `test` or `live`.
        #[arg(long, value_parser = mode_of)]
        mode: Mode,
        /// What it may do; everything without it.
        #[arg(long, value_delimiter = ',', value_parser = scope_of)]
        scopes: Vec<Scope>,
        /// Monthly cap, in cents.
        #[arg(long)]
        monthly_cap_cents: Option<Cents>,
        /// What to call it.
        #[arg(long, default_value = "made by scan admin")]
        name: String,
    },
    /// End an API key at once.
    RevokeKey {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// `test` or `live`.
        #[arg(long, value_parser = mode_of)]
        mode: Mode,
        /// The key.
        key: KeyId,
    },
    /// Add a webhook endpoint; its signing secret is shown once.
    CreateWebhook {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// `test` or `live`.
        #[arg(long, value_parser = mode_of)]
        mode: Mode,
        /// HTTPS address on a public host.
        #[arg(long)]
        url: String,
        /// Event types; every one without it.
        #[arg(long, value_delimiter = ',', value_parser = event_of)]
        events: Vec<EventType>,
    },
    /// Give an account money or free scans.
    Grant {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// `test` or `live`.
        #[arg(long, value_parser = mode_of)]
        mode: Mode,
        /// How many cents.
        #[arg(long, default_value_t = 0)]
        cents: Cents,
        /// How many free scans.
        #[arg(long, default_value_t = 0)]
        free_scans: u32,
        /// A name for this grant: the same name gives once.
        #[arg(long)]
        reference: String,
    },
    /// Set a wallet right, by a transaction of its own: what was wrong stays in the books.
    AdjustLedger {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// `test` or `live`.
        #[arg(long, value_parser = mode_of)]
        mode: Mode,
        /// How many cents: given, or taken with a minus.
        #[arg(long, allow_negative_numbers = true)]
        cents: Cents,
        /// Why; the audit log keeps it, and the account's owner can read it.
        #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
        reason: String,
        /// A name for this correction: the same name corrects once.
        #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
        reference: String,
        /// Let it leave the wallet with less than nothing.
        #[arg(long)]
        allow_negative: bool,
    },
    /// Set or take back `user.is_pro`.
    SetPro {
        /// E-mail address of the user.
        #[arg(long)]
        email: String,
        /// Whether they are a professional.
        #[arg(long, action = clap::ArgAction::Set)]
        pro: bool,
    },
    /// Make the rows by which spaces are found again, from their newest documents. The service may run meanwhile;
    /// that of `scan up` must, because storage is in it.
    Reindex,
    /// Check the whole ledger: every transaction sums to zero, every balance is the sum of its entries.
    VerifyLedger,
    /// Show the newest reports of the daily comparison of bank and ledger.
    BankReports {
        /// How many.
        #[arg(long, default_value_t = 30)]
        limit: u64,
    },
    /// Compare the payments at the bank with those here, credit what was missed, and report the rest.
    ReconcileBank {
        /// `test` or `live`.
        #[arg(long, value_parser = mode_of, default_value = "live")]
        mode: Mode,
        /// Payments of this many days.
        #[arg(long, default_value_t = 3)]
        days: u32,
    },
}

fn mode_of(text: &str) -> Result<Mode, String> {
    match text {
        "test" => Ok(Mode::Test),
        "live" => Ok(Mode::Live),
        _ => Err("test or live".into()),
    }
}

fn scope_of(text: &str) -> Result<Scope, String> {
    Scope::parse(text).ok_or_else(|| {
        format!("one of {}", Scope::ALL.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(", "))
    })
}

fn event_of(text: &str) -> Result<EventType, String> {
    EventType::parse(text).ok_or_else(|| {
        format!("one of {}", EventType::ALL.iter().map(|t| t.as_str()).collect::<Vec<_>>().join(", "))
    })
}

/// Runs the command.
///
/// # Errors
/// When the database cannot be reached, or a rule refuses.
pub async fn run(args: AdminArgs) -> anyhow::Result<()> {
    let config = match &args.data {
        Some(folder) => {
            let folder = folder.canonicalize().with_context(|| format!("{}", folder.display()))?;
            embedded_config(&folder, args.config.as_deref())?
        }
        None => Config::load("", args.config.as_deref())?,
    };
    let db = Db::connect(&config.database).await.context("the database cannot be reached")?;
    let printed = match args.command {
        AdminCommand::CreateAccount { email, name } => create_account(&db, &email, &name).await?,
        AdminCommand::CreateKey { account, mode, scopes, monthly_cap_cents, name } => {
            let scopes = if scopes.is_empty() { Scope::ALL.to_vec() } else { scopes };
            create_key(&db, &Tenant { account_id: account, mode }, scopes, monthly_cap_cents, &name).await?
        }
        AdminCommand::RevokeKey { account, mode, key } => {
            let tenant = Tenant { account_id: account, mode };
            let revoked =
                db.write(async |txn| api_keys::revoke(&txn, &tenant, &key, Timestamp::now()).await).await?;
            if !revoked {
                bail!("the account has no key {key} in this mode");
            }
            json!({ "key_id": key, "revoked": true })
        }
        AdminCommand::CreateWebhook { account, mode, url, events } => {
            let events = if events.is_empty() { EventType::ALL.to_vec() } else { events };
            create_webhook(&config, &db, &Tenant { account_id: account, mode }, &url, events).await?
        }
        AdminCommand::Grant { account, mode, cents, free_scans, reference } => {
            let gift =
                ledger::Credit { tenant: Tenant { account_id: account, mode }, cents, free_scans, reference };
            let credited = ledger::grant(&db, &gift, Timestamp::now()).await?;
            json!({ "new": credited.new, "balance_cents": credited.balance_cents, "free_scans": credited.free_scans })
        }
        AdminCommand::AdjustLedger { account, mode, cents, reason, reference, allow_negative } => {
            let tenant = Tenant { account_id: account, mode };
            let wanted =
                ledger::Adjustment { tenant, cents, reason, reference, may_overdraw: allow_negative };
            match ledger::adjust(&db, &wanted, Timestamp::now()).await? {
                ledger::Adjusted::Done(done) => {
                    json!({ "new": done.new, "balance_cents": done.balance_cents })
                }
                ledger::Adjusted::WouldOverdraw { balance_cents } => {
                    bail!("the wallet has {balance_cents} cents; --allow-negative takes more")
                }
            }
        }
        AdminCommand::SetPro { email, pro } => {
            let user = users::find_by_email(&db, &email).await?.context("there is no such user")?;
            db.write(async |txn| users::set_pro(&txn, &user.id, pro).await).await?;
            json!({ "user_id": user.id.0, "is_pro": pro })
        }
        AdminCommand::Reindex => {
            let embedder = crate::serve::endpoint(&config)?.and_then(|endpoint| endpoint.embedder());
            let store = ObjectStore::new(&config.storage)?;
            let report = activities::reindex(&db, &store, embedder.as_ref()).await?;
            println!("{}", json!(report));
            if !report.failed.is_empty() {
                bail!("some documents cannot be read");
            }
            return Ok(());
        }
        AdminCommand::VerifyLedger => {
            let defects = ledger::verify(&db).await?.defects;
            if !defects.is_empty() {
                bail!("the books are not right:\n{}", defects.join("\n"));
            }
            json!({ "sound": true })
        }
        AdminCommand::BankReports { limit } => {
            let reports = bank_reports::newest(&db, limit).await?;
            json!(reports.into_iter().map(report_of_day).collect::<Vec<_>>())
        }
        AdminCommand::ReconcileBank { mode, days } => {
            let (banks, now) = (Banks::open(&config.outbound.payments)?, Timestamp::now());
            let since = now.minus(Duration::from_secs(u64::from(days) * 24 * 60 * 60));
            let report = activities::reconcile_bank(&db, &banks, mode, since, now).await?;
            println!("{}", json!(report));
            if !report.defects.is_empty() {
                bail!("bank and ledger do not agree");
            }
            return Ok(());
        }
    };
    println!("{printed}");
    Ok(())
}

fn report_of_day(row: bank_reports::Model) -> Value {
    json!({ "day": row.day, "livemode": row.livemode, "at": row.created_at.0, "report": row.report.0 })
}

async fn create_account(db: &Db, email: &str, name: &str) -> anyhow::Result<Value> {
    let new = accounts::NewAccount {
        name: name.to_owned(),
        email: email.to_owned(),
        password_hash: None,
        email_confirmed_at: None,
    };
    let now = Timestamp::now();
    let made = db
        .write(async |txn| -> ledger::Result<_> {
            let Some((account, user)) = accounts::create(&txn, &new, now).await? else { return Ok(None) };
            ledger::open_wallets(&txn, &account.id, FREE_SCANS, now).await?;
            Ok(Some((account, user)))
        })
        .await?;
    let (account, user) = made.with_context(|| format!("{email} has an account already"))?;
    Ok(json!({ "account_id": account.id.0, "user_id": user.id.0 }))
}

async fn create_key(
    db: &Db,
    tenant: &Tenant,
    scopes: Vec<Scope>,
    monthly_cap_cents: Option<Cents>,
    name: &str,
) -> anyhow::Result<Value> {
    let owner = users::of_account(db, &tenant.account_id).await?;
    let owner = owner.first().context("there is no such account")?;
    let secret = KeySecret::generate(tenant.mode);
    let key = KeyRow {
        id: KeyId::new().into(),
        account_id: Text::from(&tenant.account_id),
        user_id: owner.id.clone(),
        livemode: tenant.mode.livemode(),
        name: name.to_owned(),
        hint: secret.hint().to_owned(),
        secret_hash: secret.hash(),
        scopes: Json(scopes),
        monthly_cap_cents,
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        created_at: Timestamp::now().into(),
    };
    db.write(async |txn| api_keys::insert(&txn, &key).await).await?;
    Ok(json!({ "key_id": key.id.0, "mode": tenant.mode, "secret": secret.reveal() }))
}

async fn create_webhook(
    config: &Config,
    db: &Db,
    tenant: &Tenant,
    url: &str,
    events: Vec<EventType>,
) -> anyhow::Result<Value> {
    let actor = Actor { db, tenant, name: "operator", now: Timestamp::now() };
    let new = AddEndpoint { url: url.to_owned(), description: None, events, idempotency_key: None };
    match Webhooks::open(&config.outbound)?.add(actor, new).await? {
        AddedEndpoint::Created(row, secret) => {
            Ok(json!({ "endpoint_id": row.id.0, "url": row.url, "signing_secret": secret.reveal() }))
        }
        AddedEndpoint::Existing(row) => bail!("the endpoint {} already exists", row.id.0),
    }
}
