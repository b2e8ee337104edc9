//! Controls: defects made on purpose, which the checks must find.

use anyhow::Context;
use clap::ValueEnum;
use entities::{Db, Reader};
use media::ObjectStore;
use sea_orm::ConnectionTrait;
use serde::Serialize;

use crate::stack::Stack;

/// Limit of scans in progress when the guard is off.
const NO_LIMIT: &str = "100";
/// Changes a scan that was neither failed nor refunded.
const FLAG_REFUND: &str = "UPDATE scans SET refunded = TRUE WHERE id = (
    SELECT id FROM scans WHERE status = 'complete' ORDER BY id LIMIT 1)";

/// What is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Sabotage {
    /// The service runs without its limit of scans in progress (`scans.max_in_progress`).
    Limit,
    /// Before the checks, a complete scan is marked as refunded, a frame is deleted, and an object of no scan is
    /// stored.
    Records,
}

impl Sabotage {
    /// Returns the changed settings of the service.
    pub fn settings(self) -> Vec<(String, String)> {
        match self {
            Sabotage::Limit => vec![("SCANS__MAX_IN_PROGRESS".to_owned(), NO_LIMIT.to_owned())],
            Sabotage::Records => Vec::new(),
        }
    }

    /// Changes database and bucket before the checks.
    ///
    /// # Errors
    /// Returns an error if one of them does not respond.
    pub async fn change_records(self, stack: &Stack, db: &Db) -> anyhow::Result<()> {
        if self != Sabotage::Records {
            return Ok(());
        }
        db.conn().execute_unprepared(FLAG_REFUND).await?;
        let store = ObjectStore::new(&stack.configuration().storage())?;
        let objects = store.list("scans/").await?;
        let evidence = objects.iter().find(|object| object.key.contains("/frames/frm_"));
        store.delete(&evidence.context("no scan has frames")?.key).await?;
        let nobody = domain::ScanId::new();
        let key = domain::layout::document(&nobody);
        store.put_bytes(&key, "application/json", "{}").await?;
        Ok(())
    }

    /// Returns a part of each violation that the checks must report.
    pub fn expected(self) -> &'static [&'static str] {
        match self {
            Sabotage::Limit => &["scans in progress"],
            Sabotage::Records => {
                &["refund flag contradicts the ledger", "lacks objects", "objects of no scan"]
            }
        }
    }
}
