//! No object without an owner, and none missing: each scan has the objects that a calm scan of the same
//! media has.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use entities::Db;
use media::ObjectStore;

use super::{documents::Baseline, lines, scans::Outcome};
use crate::{stack::Stack, workload::Medium};

/// Folder of the objects of scans.
const SCANS: &str = "scans/";

pub(super) async fn check(
    stack: &Stack,
    db: &Db,
    outcomes: &[Outcome],
    baseline: &BTreeMap<Medium, Baseline>,
    violations: &mut Vec<String>,
) -> anyhow::Result<usize> {
    let store = ObjectStore::new(&stack.configuration().storage())?;
    let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let objects = store.list("").await?;
    for object in &objects {
        let rest = object.key.strip_prefix(SCANS).unwrap_or_default();
        match rest.split_once('/') {
            Some((scan, _)) => folders.entry(scan.to_owned()).or_default().push(object.key.clone()),
            None => violations.push(format!("object {} belongs to nothing", object.key)),
        }
    }
    let scans: BTreeSet<String> = lines(db, "SELECT id AS line FROM scans").await?.into_iter().collect();
    for (scan, keys) in &folders {
        if !scans.contains(scan) {
            violations.push(format!("objects of no scan: {keys:?}"));
        }
    }
    for outcome in outcomes {
        let record = &outcome.record;
        let calm = baseline.get(&record.medium).context("a medium without a calm run")?;
        let keys = folders.get(&record.scan).map_or(&[][..], Vec::as_slice);
        let prefix = format!("{SCANS}{}/", record.scan);
        let found = shapes_of(&prefix, keys.iter().map(String::as_str));
        let expected = match outcome.status() {
            "complete" | "failed" => &calm.objects,
            "cancelled" => &BTreeSet::new(),
            // The uploads of a scan that waits belong to it, also those that were repeated.
            _ => continue,
        };
        if found != *expected {
            let missing: Vec<_> = expected.difference(&found).collect();
            let additional: Vec<_> = found.difference(expected).collect();
            violations.push(format!(
                "scan {} ({}, {}) lacks objects {missing:?} and has objects {additional:?} too many",
                record.scan,
                record.medium,
                outcome.status()
            ));
        }
    }
    Ok(objects.len())
}

/// Returns the keys of a scan's objects below its prefix.
pub(super) fn shapes_of<'a>(prefix: &str, keys: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    keys.map(|key| key.strip_prefix(prefix).unwrap_or(key).to_owned()).collect()
}
