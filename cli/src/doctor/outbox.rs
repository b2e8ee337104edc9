//! Checks that committed work is handed over.

use std::time::Duration;

use anyhow::anyhow;
use domain::Timestamp;
use entities::{
    OutboxRow,
    outbox::{self, Kind},
};

use super::{Examination, Finding, Problem};

/// Maximum number of entries of a kind that are shown.
const LIMIT: u64 = 1_000;

impl Examination<'_> {
    pub(super) async fn check_outbox(&mut self) -> anyhow::Result<()> {
        self.check_parked().await?;
        let timeout = Duration::from_secs(self.config.reconciler.stalled_after_seconds);
        let before = self.now.minus(timeout);
        for (kind, problem) in
            [(Kind::ScanStart, Problem::StartUnacknowledged), (Kind::Event, Problem::EventNotHandedOver)]
        {
            for entry in outbox::list_unfinished(&self.db, kind, before, LIMIT).await? {
                let mut finding = Finding::new(problem, entry.subject.clone(), detail(&entry, self.now));
                if self.fix {
                    finding = finding.repaired(self.repair_entry(&entry).await);
                }
                self.add(finding);
            }
        }
        Ok(())
    }

    async fn check_parked(&mut self) -> anyhow::Result<()> {
        for entry in outbox::list_pending(&self.db, true, LIMIT).await? {
            let subject = format!("{} {}", entry.kind, entry.subject);
            let detail = entry.last_error.clone().unwrap_or_default();
            let mut finding = Finding::new(Problem::OutboxEntryParked, subject, detail);
            if self.fix {
                finding = finding.repaired(self.retry_parked(&entry.kind, &entry.subject).await);
            }
            self.add(finding);
        }
        Ok(())
    }

    async fn retry_parked(&self, kind: &str, subject: &str) -> anyhow::Result<Option<String>> {
        let kind = Kind::parse(kind).ok_or_else(|| anyhow!("unknown kind"))?;
        let now = self.now;
        self.db.write(async |txn| outbox::retry_parked(&txn, kind, subject, now).await).await?;
        Ok(Some("is tried again".into()))
    }

    async fn repair_entry(&self, entry: &OutboxRow) -> anyhow::Result<Option<String>> {
        let (kind, now) = (entry.kind.0, self.now);
        let repair = if kind == Kind::ScanStart { self.send_start(&entry.subject).await? } else { None };
        // The relay also acknowledges the start of a scan that has ended.
        self.db.write(async |txn| outbox::retry_now(&txn, entry, now).await).await?;
        Ok(repair.or_else(|| Some("is tried again".into())))
    }
}

fn detail(entry: &OutboxRow, now: Timestamp) -> String {
    let seconds = now.since(entry.created_at.0).as_secs();
    let error = entry.last_error.as_deref().unwrap_or("none");
    format!("for {seconds} s, {} attempts, last error: {error}", entry.attempts)
}
