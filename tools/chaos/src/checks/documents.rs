//! Documents equal those of a calm run, without ids of the scan and signed URLs.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde_json::Value;

use super::{objects::shapes_of, scans::Outcome};
use crate::{
    stack::Stack,
    workload::{Caller, Medium, Record, Request, Workload},
};

/// What a scan of a medium leaves behind when nothing fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// The document in canonical form; `null` if the scan fails.
    pub document: Value,
    /// The objects, as [`shapes_of`] describes them.
    pub objects: BTreeSet<String>,
}

impl Baseline {
    /// Reads what a scan left behind.
    ///
    /// # Errors
    /// Returns an error if the API or the storage does not respond.
    pub async fn of(stack: &Stack, caller: &Caller, record: &Record) -> anyhow::Result<Self> {
        let document = document(caller, &record.space, &record.scan).await?;
        let store = media::ObjectStore::new(&stack.configuration().storage())?;
        let prefix = format!("scans/{}/", record.scan);
        let keys = store.list(&prefix).await?;
        Ok(Self { document, objects: shapes_of(&prefix, keys.iter().map(|object| object.key.as_str())) })
    }
}

pub(super) async fn check(
    workload: &Workload,
    outcomes: &[Outcome],
    baseline: &BTreeMap<Medium, Baseline>,
    violations: &mut Vec<String>,
) -> anyhow::Result<usize> {
    let mut compared = 0;
    for Outcome { record, .. } in outcomes.iter().filter(|outcome| outcome.status() == "complete") {
        let calm = baseline.get(&record.medium).context("a medium without a calm run")?;
        let caller = &workload.accounts[record.account].caller;
        let found = document(caller, &record.space, &record.scan).await?;
        compared += 1;
        if found != calm.document {
            let path = first_difference(&calm.document, &found, String::new()).unwrap_or_default();
            violations.push(format!(
                "the document of {} ({}) differs from that of a calm run at {path}",
                record.scan, record.medium
            ));
        }
    }
    Ok(compared)
}

/// Returns the document of a space in canonical form, or the error that the API responds with.
async fn document(caller: &Caller, space: &str, scan: &str) -> anyhow::Result<Value> {
    let mut response = caller.send(&Request::get(&format!("/spaces/{space}"))).await?;
    if !response.status.is_success() {
        return Ok(response.body);
    }
    Ok(canonical(response.body["document"].take(), scan))
}

/// Removes the id of the scan and signed URLs, which have an expiry.
fn canonical(value: Value, scan: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(scan, "scan")),
        Value::Array(items) => items.into_iter().map(|item| canonical(item, scan)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, _)| name != "url")
            .map(|(name, value)| (name, canonical(value, scan)))
            .collect(),
        other => other,
    }
}

/// Returns the path of the first difference.
fn first_difference(expected: &Value, found: &Value, path: String) -> Option<String> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(name, value)| first_difference(value, &b[name], format!("{path}/{name}")))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(index, (a, b))| first_difference(a, b, format!("{path}/{index}"))),
        _ if expected == found => None,
        _ => Some(format!("{path}: {expected} became {found}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_of_two_scans_are_compared_without_ids_and_urls() {
        let document = |scan: &str, sharpness: f64| {
            let key = format!("scans/{scan}/frames/frm_1.jpg");
            let url = format!("https://api/{key}?expires={}", scan.len());
            canonical(json!({ "frames": [{ "key": key, "url": url, "sharpness": sharpness }] }), scan)
        };
        assert_eq!(document("scn_a", 0.5), document("scn_bcd", 0.5));
        let difference = first_difference(&document("scn_a", 0.5), &document("scn_a", 0.6), String::new());
        assert_eq!(difference.unwrap(), "/frames/0/sharpness: 0.5 became 0.6");
    }
}
