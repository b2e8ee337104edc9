//! Reads which process ran the tasks of a workflow.

use std::collections::BTreeMap;

use serde_json::Value;
use temporalio_client::WorkflowFetchHistoryOptions;
use workflows::{
    ScanWorkflow,
    client::{Engine, Settings},
};

/// The events of one workflow.
pub(crate) struct History(Vec<Value>);

impl History {
    /// Reads the history of a workflow, of any type.
    pub(crate) async fn read(engine_url: &str, workflow: &str) -> Self {
        let engine = Engine::new(Settings { address: engine_url.into(), ..Settings::default() }, "reader");
        let handle = engine.client().await.unwrap().get_workflow_handle::<ScanWorkflow>(workflow.to_owned());
        let history = handle.fetch_history(WorkflowFetchHistoryOptions::default());
        let history: Value = serde_json::from_slice(&history.to_json().await.unwrap()).unwrap();
        Self(history["events"].as_array().unwrap().clone())
    }

    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().map(move |event| &event["attributes"][kind]).filter(|found| found.is_object())
    }

    /// Returns the process ids of the workers that completed the workflow tasks, in order.
    pub(crate) fn workflow_workers(&self) -> Vec<String> {
        self.of_kind("WorkflowTaskCompletedEventAttributes").map(process_of).collect()
    }

    /// Returns the process ids of the workers that ran the ordinary activities, in order.
    pub(crate) fn activity_workers(&self) -> Vec<String> {
        self.of_kind("ActivityTaskStartedEventAttributes").map(process_of).collect()
    }

    /// Returns the number of attempts of each ordinary activity that completed, by its type.
    pub(crate) fn attempts(&self) -> BTreeMap<String, Vec<u64>> {
        let mut types = BTreeMap::new();
        for event in &self.0 {
            let scheduled = &event["attributes"]["ActivityTaskScheduledEventAttributes"];
            if let Some(name) = scheduled["activity_type"]["name"].as_str() {
                types.insert(event["event_id"].to_string(), name.to_owned());
            }
        }
        let mut attempts: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for started in self.of_kind("ActivityTaskStartedEventAttributes") {
            let name = types[&started["scheduled_event_id"].to_string()].clone();
            attempts.entry(name).or_default().push(started["attempt"].as_u64().unwrap());
        }
        attempts
    }

    /// Returns the failures that earlier attempts of activities reported, as JSON.
    pub(crate) fn earlier_failures(&self) -> Vec<String> {
        self.of_kind("ActivityTaskStartedEventAttributes")
            .filter(|started| started["last_failure"].is_object())
            .map(|started| started["last_failure"].to_string())
            .collect()
    }

    /// Returns whether the history has an event with these attributes.
    pub(crate) fn has(&self, kind: &str) -> bool {
        self.of_kind(kind).next().is_some()
    }
}

/// Returns the process id in the identity of a worker.
fn process_of(attributes: &Value) -> String {
    let identity = attributes["identity"].as_str().unwrap();
    identity.split_once('@').map_or(identity, |(_, process)| process).to_owned()
}
