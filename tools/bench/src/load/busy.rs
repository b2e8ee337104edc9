//! One account that always starts as many scans as it may and whose webhook endpoint never responds, and what others
//! notice of it.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use chaos::{stack::Stack, workload::Account};
use entities::Reader;
use futures::stream::{StreamExt, TryStreamExt};
use harness::until;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::clients::Clients;

/// Number of scans of others whose median is taken.
const SCANS_OF_OTHERS: usize = 11;
/// Maximum time until all scans of the busy account have ended.
const SCANS_TIMEOUT: Duration = Duration::from_secs(1_800);

/// What others notice.
pub(super) struct Beside {
    /// Median time of a lone scan beside the busy account, relative to the time alone.
    pub(super) scan_delay_ratio: f64,
    /// 95th percentile of the delay of webhooks beside the endpoint that hangs.
    pub(super) webhook_p95_ms: f64,
}

/// Measures scans of others alone, while the busy account's scans are in progress, and while the events of
/// all of them wait for its endpoint.
pub(super) async fn measure(
    stack: &Stack,
    clients: &Clients,
    busy_scans: usize,
    scans: usize,
    concurrency: usize,
) -> anyhow::Result<Beside> {
    let alone = clients.median_scan(SCANS_OF_OTHERS).await?;
    let busy = Account::with_hanging_endpoint(stack, &clients.receiver).await?;
    let starts = (0..busy_scans).map(|_| clients.start(&busy));
    let starts = futures::stream::iter(starts).buffer_unordered(concurrency).try_collect::<Vec<_>>();
    let (beside, last_start) = tokio::try_join!(
        async { Ok::<_, anyhow::Error>((clients.median_scan(SCANS_OF_OTHERS).await?, Instant::now())) },
        async { starts.await.map(|_| Instant::now()) },
    )?;
    let (beside, measured) = beside;
    ensure!(measured < last_start, "the busy account was done before the others; give it more scans");

    until("the scans of the busy account", SCANS_TIMEOUT, async || {
        matches!(unfinished(stack, &busy).await, Ok(0)).then_some(())
    })
    .await;
    let measured = clients.scan_many(scans, concurrency).await?;
    let waiting = waiting_deliveries(stack, &busy).await?;
    ensure!(waiting > busy_scans as i64 / 2, "only {waiting} deliveries wait for the endpoint that hangs");
    Ok(Beside {
        scan_delay_ratio: beside.as_secs_f64() / alone.as_secs_f64(),
        webhook_p95_ms: clients.webhook_p95_ms(&measured)?,
    })
}

/// Returns how many scans of an account have not ended.
async fn unfinished(stack: &Stack, account: &Account) -> anyhow::Result<i64> {
    count(
        stack,
        "SELECT count(*) FROM scans WHERE account_id = $1 AND status IN ('queued', 'processing')",
        account,
    )
    .await
}

/// Returns how many deliveries to the endpoint of an account are pending.
async fn waiting_deliveries(stack: &Stack, account: &Account) -> anyhow::Result<i64> {
    count(
        stack,
        "SELECT count(*) FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id \
         WHERE e.account_id = $1 AND d.status = 'pending'",
        account,
    )
    .await
}

async fn count(stack: &Stack, sql: &str, account: &Account) -> anyhow::Result<i64> {
    let db = stack.database().await?;
    let statement = Statement::from_sql_and_values(DbBackend::Postgres, sql, [account.id.as_str().into()]);
    let row = db.conn().query_one_raw(statement).await?.context("no count")?;
    let count = row.try_get_by_index(0)?;
    db.close().await?;
    Ok(count)
}
