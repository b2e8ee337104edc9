//! Settings of the workers.

use std::net::SocketAddr;

use serde::{Deserialize, Deserializer, Serialize};

/// Number of activities that one process runs at a time, by kind of work, and the version of its
/// workers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Maximum number of videos decoded at a time. Each runs one ffmpeg.
    pub media_slots: usize,
    /// Maximum number of batches of frames, or of sounds, processed at a time. Each keeps a core
    /// busy.
    pub vision_slots: usize,
    /// Maximum number of documents fused, enriched or saved at a time.
    pub fusion_slots: usize,
    /// Maximum number of events sent at a time. Most of the time is waiting for receivers.
    pub webhook_slots: usize,
    /// Maximum number of short database transactions at a time.
    pub database_slots: usize,
    /// Time that running activities have to finish after SIGINT or SIGTERM, in seconds.
    pub grace_seconds: u64,
    /// Name of the Worker Deployment that these workers belong to. Together with `build_id` it turns
    /// Worker Versioning on; without both, the workers are unversioned.
    pub deployment_name: Option<String>,
    /// Version of these workers in their deployment, for example `v1.4.0`. Each release needs its
    /// own. Must not look like a number.
    #[serde(deserialize_with = "text")]
    pub build_id: Option<String>,
    /// Number of activities after which the worker of a queue is replaced by a new one, in the same
    /// process. The Temporal SDK keeps some memory of each activity until then.
    pub restart_after_activities: u64,
    /// Address of health, readiness and metrics of `scan worker`. Never expose it to the public. Not
    /// set, the process has none. `scan up` has them at `server.admin_listen`.
    pub admin_listen: Option<SocketAddr>,
}

/// Reads a text. Refuses a number, because `0012` in the environment would silently become 12.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text that does not look like a number is expected, for example v12")]
    enum Value {
        Text(String),
        Absent,
    }
    Ok(match Value::deserialize(deserializer)? {
        Value::Text(text) => Some(text),
        Value::Absent => None,
    })
}

impl Settings {
    /// Validates rules that the types don't express.
    ///
    /// # Errors
    /// Returns the defect.
    pub fn validate(&self) -> Result<(), &'static str> {
        if self.deployment_name.is_some() != self.build_id.is_some() {
            return Err("set both deployment_name and build_id, or neither");
        }
        if self.deployment_name.as_ref().is_some_and(|name| name.is_empty() || name.contains(['.', ':'])) {
            return Err("deployment_name must not be empty, and must not contain '.' or ':'");
        }
        if self.build_id.as_ref().is_some_and(String::is_empty) {
            return Err("build_id must not be empty");
        }
        if self.restart_after_activities == 0 {
            return Err("restart_after_activities must be at least 1");
        }
        Ok(())
    }
}

impl Default for Settings {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            media_slots: cores.div_ceil(2),
            vision_slots: cores,
            fusion_slots: 2,
            webhook_slots: 200,
            database_slots: 50,
            grace_seconds: 20,
            deployment_name: None,
            build_id: None,
            restart_after_activities: 25_000,
            admin_listen: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versioned(name: Option<&str>, build_id: Option<&str>) -> Settings {
        let (deployment_name, build_id) = (name.map(str::to_owned), build_id.map(str::to_owned));
        Settings { deployment_name, build_id, ..Settings::default() }
    }

    #[test]
    fn a_version_needs_a_name_and_a_build_id() {
        assert!(versioned(None, None).validate().is_ok());
        assert!(versioned(Some("scan"), Some("v1.4.0")).validate().is_ok());
        for (name, build_id) in
            [(Some("scan"), None), (None, Some("v1")), (Some("a.b"), Some("v1")), (Some("scan"), Some(""))]
        {
            assert!(versioned(name, build_id).validate().is_err(), "{name:?} {build_id:?}");
        }
        assert!(Settings { restart_after_activities: 0, ..Settings::default() }.validate().is_err());
    }
}
