//! Each scan ended or waits as it should, failed only because of its media, and was created once.

use serde_json::Value;

use crate::workload::{Record, Request, Workload};

/// A scan that ended or waits, as the API returns it.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) record: Record,
    pub(super) scan: Value,
}

impl Outcome {
    pub(super) fn status(&self) -> &str {
        self.scan["status"].as_str().unwrap_or_default()
    }
}

pub(super) async fn check(
    workload: &Workload,
    records: &[Record],
    violations: &mut Vec<String>,
) -> anyhow::Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for record in records {
        let caller = &workload.accounts[record.account].caller;
        let scan = caller.send(&Request::get(&format!("/scans/{}", record.scan))).await?.expect(200).body;
        let list = caller.send(&Request::get(&format!("/spaces/{}/scans", record.space))).await?.expect(200);
        let created = list.body["data"].as_array().map_or(0, Vec::len);
        let outcome = Outcome { record: record.clone(), scan };
        if created != 1 {
            violations.push(format!("space {} has {created} scans instead of one", record.space));
        }
        if !record.expectation.allows(outcome.status()) {
            violations.push(format!(
                "scan {} of {} is {} instead of {:?}: {}",
                record.scan,
                record.medium,
                outcome.status(),
                record.expectation,
                outcome.scan["error"]
            ));
        }
        check_failure(&outcome, violations);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// A failed scan failed because of its media, and is refunded; no other scan is.
fn check_failure(outcome: &Outcome, violations: &mut Vec<String>) {
    let (id, failed) = (&outcome.record.scan, outcome.status() == "failed");
    if failed && outcome.scan["error"]["code"] != "MEDIA_UNREADABLE" {
        violations.push(format!("scan {id} failed because of the service: {}", outcome.scan["error"]));
    }
    if failed != (outcome.scan["charge"]["refunded"] == true) {
        violations.push(format!(
            "scan {id} is {} and its charge is {}",
            outcome.status(),
            outcome.scan["charge"]
        ));
    }
}
