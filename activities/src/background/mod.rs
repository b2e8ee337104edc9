//! Background tasks. ARCHITECTURE.md has a table of them.
//!
//! Two are loops in each process that serves the queue `scans`:
//!
//! - [`Relay`] processes the entries of the outbox. Each entry is claimed by one process.
//! - [`UpkeepSchedules`] keeps the schedules of the periodic tasks in the engine.
//!
//! The others are periodic tasks. The engine's schedules run each round once for all processes, as an
//! activity ([`crate::UpkeepActivities`]):
//!
//! - [`Reconciler`] compares scans and deliveries with their workflows, and repairs differences.
//! - [`DailyReconciliation`] compares the bank's payments with the ledger once a day.
//! - [`Sweeper`] applies the policies of [`retention`].

mod daily_reconciliation;
mod reconciler;
mod relay;
pub mod retention;
mod sweeper;
mod upkeep_schedules;

use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

pub use daily_reconciliation::{DailyReconciliation, check_ledger, record_bank_check, verify_ledger};
pub use reconciler::{
    Defect, DeliveryDefect, ReconcileError, Reconciler, ReconcilerSettings, Repair, ScanDefect, Walk,
};
pub use relay::{DetachError, DetachOutcome, MailFailed, Relay, detach_method, send_account_mail};
pub use sweeper::Sweeper;
pub use upkeep_schedules::{UpkeepSchedules, UpkeepSettings};

/// The rhythm of a background task: one tick per period until the task is stopped.
struct Schedule {
    interval: Interval,
    stop: CancellationToken,
}

impl Schedule {
    /// Starts a schedule whose first tick is immediate.
    fn every(period: Duration, stop: CancellationToken) -> Self {
        let mut interval = interval(period);
        // A run that took longer than the period is followed by a whole period of rest.
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { interval, stop }
    }

    /// Waits for the next tick. Returns `false` as soon as the task is to stop.
    async fn tick(&mut self) -> bool {
        tokio::select! {
            () = self.stop.cancelled() => false,
            _ = self.interval.tick() => true,
        }
    }
}
