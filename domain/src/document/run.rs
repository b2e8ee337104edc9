//! Runs of models and algorithms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Provider, Task};

/// One run of a model or an algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Run {
    /// `run_<task>`, or `run_endpoint_<task>` for an endpoint.
    pub id: String,
    /// Task, for example `frames`, `zones`, `text`, `speech`, `light` or `objects`.
    #[schema(value_type = String)]
    pub task: Task,
    /// `signal`, `packaged`, `endpoint` or `client`.
    #[schema(value_type = String)]
    pub provider: Provider,
    /// Name of the model or algorithm.
    pub model: String,
    /// Version of the model or algorithm.
    pub version: String,
    /// SHA-256 of the model's weights, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_sha256: Option<String>,
    /// Settings of the run.
    pub parameters: BTreeMap<String, String>,
    /// Classes that the run can detect, if they are a closed list. A class outside the list is
    /// unknown, not absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub can_know: Vec<String>,
}

impl Run {
    /// Builds a run with the id `run_<task>`, without weights, parameters or a list of classes.
    pub fn new(task: Task, provider: Provider, model: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            id: format!("run_{task}"),
            task,
            provider,
            model: model.into(),
            version: version.into(),
            weights_sha256: None,
            parameters: BTreeMap::new(),
            can_know: Vec::new(),
        }
    }
}
