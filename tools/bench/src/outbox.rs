//! `bench outbox`: measures how fast one process sends the mail of the outbox, and how fast the handler
//! alone sends the same mail with as many slots.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use activities::send_account_mail;
use anyhow::Context;
use clap::Args;
use domain::Timestamp;
use entities::{
    Db, OutboxRow,
    account_mail::{self, MailKind},
    outbox::{self, Kind},
    testing::{self, TestDatabase},
    users,
};
use futures::{StreamExt, stream};
use harness::{Mailbox, Service, ServiceOptions, until};
use outbound::mail::Mailer;
use serde::Serialize;
use serde_json::json;

/// Number of messages of each measurement.
const MESSAGES: usize = 2_000;
/// Number of messages that the relay sends at a time (`slots` in `activities/src/background/relay`).
const SLOTS: usize = 8;
/// Maximum time of a measurement.
const TIMEOUT: Duration = Duration::from_secs(300);

#[derive(Args)]
pub(crate) struct Arguments {
    /// Print one line of JSON instead of indented JSON.
    #[arg(long)]
    json: bool,
}

/// Messages per second.
#[derive(Serialize)]
struct Rates {
    database: String,
    ratio: f64,
    outbox: f64,
    handler: f64,
}

#[tokio::main]
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    // Installs the TLS provider of the mailer.
    let _ = harness::http_client();
    let mut all = Vec::new();
    for database in testing::databases().await {
        // The handler is measured before and after, so that other load on the machine slows both.
        let before = handler_alone(database.db()).await?;
        let outbox = through_the_outbox(&database).await?;
        let handler = f64::midpoint(before, handler_alone(database.db()).await?);
        let name = format!("{:?}", database.db().backend());
        all.push(Rates { database: name, ratio: outbox / handler, outbox, handler });
        database.drop_database().await;
    }
    let line = json!({
        "outbox_ratio_to_handler": all.iter().map(|rates| rates.ratio).fold(f64::INFINITY, f64::min),
        "messages_per_second": all,
        "slots": SLOTS,
        "cores": std::thread::available_parallelism()?.get(),
        "optimized": !cfg!(debug_assertions),
    });
    crate::print_results(&line, arguments.json)
}

/// Enqueues messages to a user, who is created, in one transaction.
async fn enqueue(db: &Db) -> anyhow::Result<()> {
    let tenant = testing::account(db).await;
    let user = users::of_account(db, &tenant.account_id).await?.into_iter().next().context("a user")?;
    let now = Timestamp::now();
    let enqueued: entities::Result<()> = db
        .write(async |txn| {
            for _ in 0..MESSAGES {
                account_mail::enqueue(&txn, MailKind::ResetPassword, &user.email, now).await?;
            }
            Ok(())
        })
        .await;
    Ok(enqueued?)
}

/// Returns the rate at which the relay of a service sends messages, from its first to its last.
async fn through_the_outbox(database: &TestDatabase) -> anyhow::Result<f64> {
    let mailbox = Mailbox::start().await?;
    let options = mailbox
        .configure(ServiceOptions::default())
        .set("DATABASE__URL", database.settings().url.reveal())
        .set("LOG__FILTER", "warn");
    let mut service = Service::start(options, None).await?;
    enqueue(database.db()).await?;
    let sent = async || mailbox.messages().len();
    let (first, counted) = until("the first messages", TIMEOUT, async || {
        Some((Instant::now(), sent().await)).filter(|(_, n)| *n > 0)
    })
    .await;
    until("all messages", TIMEOUT, async || (sent().await >= MESSAGES).then_some(())).await;
    let rate = (MESSAGES - counted) as f64 / first.elapsed().as_secs_f64();
    service.stop().await;
    Ok(rate)
}

/// Returns the rate at which the handler sends messages that are already claimed.
async fn handler_alone(db: &Db) -> anyhow::Result<f64> {
    let mailbox = Mailbox::start().await?;
    let mailer = Arc::new(Mailer::new(&mailbox.settings())?);
    enqueue(db).await?;
    let now = Timestamp::now();
    let claimed = outbox::claim_due(db, Kind::AccountMail, MESSAGES as u64, now, TIMEOUT).await?;
    anyhow::ensure!(claimed.len() == MESSAGES, "{} messages were claimed", claimed.len());
    let send = |entry: OutboxRow| {
        let (db, mailer) = (db.clone(), mailer.clone());
        tokio::spawn(async move {
            send_account_mail(&db, &mailer, "http://127.0.0.1/console", &entry, Timestamp::now()).await
        })
    };
    let began = Instant::now();
    let mut sending = stream::iter(claimed).map(send).buffer_unordered(SLOTS);
    while let Some(sent) = sending.next().await {
        sent??;
    }
    Ok(MESSAGES as f64 / began.elapsed().as_secs_f64())
}
