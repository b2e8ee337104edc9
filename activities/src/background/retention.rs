//! How long everything is kept: the policies that the sweeper applies, and the tables that have
//! none. `docs/retention.md` shows both; a test compares it with this file.

use std::time::Duration;

use domain::{ScanStatus, Timestamp};
use entities::{
    Db, Result, account_exports,
    retention::{self, Rule},
    scans,
};

use crate::{RetentionSettings, ScanSettings};

/// Maximum number of rows that one transaction deletes.
pub const BATCH: u32 = 500;
/// Maximum number of scans whose media one transaction schedules for deletion.
const MEDIA_BATCH: u32 = 100;
/// Time in which the workflow of an export deletes its archive. The sweeper does it afterwards.
const WORKFLOW_GRACE: Duration = Duration::from_secs(60 * 60);
const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

/// All settings that a policy may depend on.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The section `[scans]`.
    pub scans: ScanSettings,
    /// The section `[retention]`.
    pub retention: RetentionSettings,
}

/// What a policy deletes.
#[derive(Debug, Clone, Copy)]
enum Action {
    /// Rows.
    Rows(Rule),
    /// Media and upload records of scans with this final status.
    Media(ScanStatus),
    /// Archives of accounts that no workflow has deleted.
    Archives,
}

/// How long one kind of data is kept.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// The data.
    pub what: &'static str,
    /// The setting.
    pub setting: &'static str,
    /// Returns the retention.
    keep: fn(&Settings) -> Duration,
    action: Action,
}

const fn days(days: u64) -> Duration {
    Duration::from_secs(days * DAY)
}

const fn rows(
    what: &'static str,
    setting: &'static str,
    keep: fn(&Settings) -> Duration,
    rule: Rule,
) -> Policy {
    Policy { what, setting, keep, action: Action::Rows(rule) }
}

/// All policies, in the order in which the sweeper applies them: children before parents.
pub const POLICIES: [Policy; 18] = [
    Policy {
        what: "media and upload records of complete scans",
        setting: "scans.keep_media_days",
        keep: |settings| days(settings.scans.keep_media_days),
        action: Action::Media(ScanStatus::Complete),
    },
    Policy {
        what: "media and upload records of scans that failed with `PIPELINE_ERROR`",
        setting: "scans.keep_failed_media_days",
        keep: |settings| days(settings.scans.keep_failed_media_days),
        action: Action::Media(ScanStatus::Failed),
    },
    Policy {
        what: "media and upload records of other scans that ended",
        setting: "–",
        keep: |_| Duration::ZERO,
        action: Action::Media(ScanStatus::Cancelled),
    },
    Policy {
        what: "archives of accounts",
        setting: "scans.keep_exports_hours",
        keep: |settings| Duration::from_secs(settings.scans.keep_exports_hours * HOUR),
        action: Action::Archives,
    },
    rows(
        "attempts of webhook deliveries",
        "retention.webhook_deliveries_days",
        |settings| days(settings.retention.webhook_deliveries_days),
        retention::WEBHOOK_ATTEMPTS,
    ),
    rows(
        "ended webhook deliveries",
        "retention.webhook_deliveries_days",
        |settings| days(settings.retention.webhook_deliveries_days),
        retention::WEBHOOK_DELIVERIES,
    ),
    rows(
        "events whose deliveries were deleted",
        "retention.events_days",
        |settings| days(settings.retention.events_days),
        retention::EVENTS,
    ),
    rows(
        "deleted webhook endpoints",
        "retention.webhook_endpoints_days",
        |settings| days(settings.retention.webhook_endpoints_days),
        retention::WEBHOOK_ENDPOINTS,
    ),
    rows(
        "completed outbox entries",
        "retention.outbox_days",
        |settings| days(settings.retention.outbox_days),
        retention::OUTBOX,
    ),
    rows(
        "idempotency keys of scans",
        "retention.idempotency_keys_days",
        |settings| days(settings.retention.idempotency_keys_days),
        retention::IDEMPOTENCY_KEYS,
    ),
    rows(
        "expired sessions",
        "retention.sessions_days",
        |settings| days(settings.retention.sessions_days),
        retention::SESSIONS,
    ),
    rows(
        "expired mailed tokens",
        "retention.sessions_days",
        |settings| days(settings.retention.sessions_days),
        retention::USER_TOKENS,
    ),
    rows(
        "expired changes of e-mail addresses",
        "retention.sessions_days",
        |settings| days(settings.retention.sessions_days),
        retention::EMAIL_CHANGES,
    ),
    rows(
        "expired share links",
        "retention.sessions_days",
        |settings| days(settings.retention.sessions_days),
        retention::SHARES,
    ),
    rows(
        "daily uses of API keys",
        "retention.audit_log_days",
        |settings| days(settings.retention.audit_log_days),
        retention::KEY_USES,
    ),
    rows(
        "records of expired account exports",
        "retention.exports_days",
        |settings| days(settings.retention.exports_days),
        retention::ACCOUNT_EXPORTS,
    ),
    rows(
        "reports of the bank",
        "retention.bank_reports_days",
        |settings| days(settings.retention.bank_reports_days),
        retention::BANK_REPORTS,
    ),
    rows(
        "audit log",
        "retention.audit_log_days",
        |settings| days(settings.retention.audit_log_days),
        retention::AUDIT_LOG,
    ),
];

/// Tables without a policy, each with what ends its rows.
pub const KEPT: [(&str, &str); 23] = [
    ("accounts", "kept; emptied when the account is erased"),
    ("users", "kept; emptied when the account is closed"),
    ("api_keys", "kept, because charges name their key; emptied when the account is erased"),
    ("wallets", "kept as long as the ledger"),
    ("ledger_transactions", "kept, because the law requires the records of money"),
    ("ledger_entries", "kept, because the law requires the records of money"),
    ("payments", "kept as long as the ledger; emptied when the account is erased"),
    ("payment_methods", "deleted when the owner removes the method or closes the account"),
    ("spaces", "kept, because scans and charges name them; emptied when the account is erased"),
    ("scans", "kept, because charges name them; emptied when the account is erased"),
    ("scan_transitions", "kept as long as the scan, whose `timeline` they are"),
    ("uploads", "deleted together with the scan's media"),
    ("documents", "kept as long as the account"),
    ("corrections", "kept as long as the document; deleted with the space"),
    ("search_entries", "deleted with the space; replaced by its next document"),
    ("search_terms", "deleted with the space; replaced by its next document"),
    ("search_vectors", "deleted with the space; replaced by its next document"),
    ("search_sketches", "deleted with the space; replaced by its next document"),
    ("search_spellings", "deleted with the last space that has the term"),
    ("search_frequencies", "deleted with the last space that has the term"),
    ("checks", "kept; one row for each periodic check, which the next one replaces"),
    ("seaql_migrations", "kept; one row for each migration"),
    ("schema_requirements", "kept; one row for each migration that programs must know"),
];

impl Policy {
    /// Returns the affected table.
    pub const fn table(&self) -> &'static str {
        match self.action {
            Action::Rows(rule) => rule.table,
            Action::Media(_) => "scans",
            Action::Archives => "account_exports",
        }
    }

    /// Returns the index that finds what has expired.
    pub const fn index(&self) -> &'static str {
        match self.action {
            Action::Rows(rule) => rule.index,
            Action::Media(_) => "scans_media",
            Action::Archives => "account_exports_ended",
        }
    }

    /// Returns the retention.
    pub fn keep(&self, settings: &Settings) -> Duration {
        (self.keep)(settings)
    }

    /// Deletes everything whose retention has ended, in transactions of bounded size. Returns the
    /// number of rows, scans or archives.
    ///
    /// # Errors
    /// Returns an error if the database fails. Earlier batches stay deleted.
    pub(super) async fn apply(&self, db: &Db, settings: &Settings, now: Timestamp) -> Result<u64> {
        let mut total = 0;
        loop {
            let deleted = self.delete_batch(db, settings, now).await?;
            total += deleted;
            if deleted < u64::from(self.batch()) {
                return Ok(total);
            }
        }
    }

    const fn batch(&self) -> u32 {
        match self.action {
            Action::Rows(_) => BATCH,
            Action::Media(_) | Action::Archives => MEDIA_BATCH,
        }
    }

    async fn delete_batch(&self, db: &Db, settings: &Settings, now: Timestamp) -> Result<u64> {
        let before = now.minus(self.keep(settings));
        let batch = self.batch();
        db.write(async |txn| match self.action {
            Action::Rows(rule) => rule.delete_batch(&txn, before, batch).await,
            Action::Media(status) => {
                scans::delete_expired_media(&txn, status, before, batch.into(), now).await
            }
            Action::Archives => {
                // An archive has the time of its end, which already contains its retention.
                let before = now.minus(WORKFLOW_GRACE);
                account_exports::system::expire_overdue(&txn, before, batch.into(), now).await
            }
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/retention.md");

    /// Returns the lines of the table after a marker.
    fn table_after(marker: &str) -> Vec<&'static str> {
        let (_, rest) = PAGE.split_once(marker).expect("the page has the marker");
        rest.lines()
            .skip_while(|line| !line.starts_with('|'))
            .take_while(|line| line.starts_with('|'))
            .collect()
    }

    fn readable(keep: Duration) -> String {
        match keep.as_secs() {
            0 => "not at all".to_owned(),
            seconds if seconds.is_multiple_of(DAY) => format!("{} days", seconds / DAY),
            seconds => format!("{} hours", seconds / HOUR),
        }
    }

    fn setting(name: &str) -> String {
        if name == "–" { name.to_owned() } else { format!("`{name}`") }
    }

    #[test]
    fn documented_policies_are_those_of_the_sweeper() {
        let settings = Settings::default();
        let mut expected = vec![
            "| what | table | kept for | setting | index |".to_owned(),
            "|---|---|---|---|---|".to_owned(),
        ];
        expected.extend(POLICIES.iter().map(|policy| {
            let keep = readable(policy.keep(&settings));
            let setting = setting(policy.setting);
            format!("| {} | `{}` | {keep} | {setting} | `{}` |", policy.what, policy.table(), policy.index())
        }));
        assert_eq!(table_after("## Deleted by the sweeper"), expected, "{}", expected.join("\n"));
    }

    #[test]
    fn documented_exceptions_are_the_tables_without_a_policy() {
        let mut expected = vec!["| table | rows |".to_owned(), "|---|---|".to_owned()];
        expected.extend(KEPT.iter().map(|(table, rows)| format!("| `{table}` | {rows} |")));
        assert_eq!(table_after("## Without a retention of their own"), expected, "{}", expected.join("\n"));
    }

    #[test]
    fn settings_shorter_than_the_contract_are_defects() {
        assert_eq!(RetentionSettings::default().defects(), Vec::<String>::new());
        let short = RetentionSettings { idempotency_keys_days: 0, events_days: 29, ..Default::default() };
        assert_eq!(
            short.defects(),
            ["idempotency_keys_days must be at least 1", "events_days must be at least 30"]
        );
    }
}
