//! Configuration: defaults, then a file, then the environment. It is validated before anything
//! starts.
//!
//! `SCAN__DATABASE__URL=…` sets `url` in the section `[database]`. Secrets are wrapped in
//! [`Secret`], which never prints its value.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use domain::{RotatingSecret, Secret};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::traces::Traces;

/// All settings, by section. See `docs/configuration.md`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The HTTP API.
    pub server: api::Settings,
    /// The database.
    pub database: entities::Settings,
    /// Temporal.
    pub engine: workflows::client::Settings,
    /// Object storage.
    pub storage: media::objects::Settings,
    /// Workers of this process.
    pub workers: worker::Settings,
    /// Prices, limits and retention of scans.
    pub scans: activities::ScanSettings,
    /// Retention of records.
    pub retention: activities::RetentionSettings,
    /// The stages and their models.
    pub perception: perception::Settings,
    /// Webhooks, payments, mail, and encryption of secrets.
    pub outbound: outbound::Settings,
    /// Schedule of webhook retries.
    pub retries: workflows::RetrySchedule,
    /// Comparison of database and engine.
    pub reconciler: activities::ReconcilerSettings,
    /// Intervals of the other periodic tasks.
    pub upkeep: activities::UpkeepSettings,
    /// Secrets of this installation.
    pub secrets: Secrets,
    /// Services that `scan up` embeds.
    pub embedded: Embedded,
    /// Folder for temporary files. Default: a folder in the system's temporary folder.
    pub scratch: Option<PathBuf>,
    /// Logs.
    pub log: Log,
    /// Traces.
    pub traces: Traces,
}

/// Services that `scan up` embeds, and their ports on loopback.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Embedded {
    /// Port of Temporal's gRPC API.
    pub engine_port: u16,
    /// Port of Temporal's Web UI.
    pub ui_port: u16,
    /// Whether object storage is embedded. If not, `[storage]` configures it.
    pub storage: bool,
    /// Port of the embedded object storage.
    pub storage_port: u16,
    /// Earlier credentials of the embedded object storage. Upload URLs that they signed stay valid.
    pub previous_storage_keys: Vec<StorageKey>,
}

/// Credentials of the embedded object storage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageKey {
    /// Access key id, as in `storage.access_key_id`. Each has another one.
    pub access_key_id: String,
    /// Secret access key.
    pub secret_access_key: Secret,
}

impl Default for Embedded {
    fn default() -> Self {
        Self {
            engine_port: 7233,
            ui_port: 8233,
            storage: true,
            storage_port: 9000,
            previous_storage_keys: Vec::new(),
        }
    }
}

/// Secrets of this installation. `scan up` generates them at its first start.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Secrets {
    /// Key that signs evidence URLs and page cursors, at least 32 characters. Changing it
    /// invalidates existing URLs and cursors, unless the earlier key is one of `signing_previous`.
    pub signing: Secret,
    /// Earlier keys. URLs and cursors that they signed stay valid. See `docs/rotation.md`.
    pub signing_previous: Vec<Secret>,
}

impl Secrets {
    /// Returns the keys that sign and verify evidence URLs and page cursors.
    pub fn signing(&self) -> RotatingSecret {
        RotatingSecret::new(self.signing.clone(), self.signing_previous.clone())
    }
}

/// Format and filter of logs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// Filter, in the syntax of `RUST_LOG`.
    pub filter: String,
    /// Whether to write one JSON object per line.
    pub json: bool,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            filter: "info,s3s=off,temporalio_sdk_core=warn,temporalio_client=warn,sqlx=warn".into(),
            json: false,
        }
    }
}

impl Log {
    /// Returns the settings for client commands: warnings and errors only.
    pub fn quiet() -> Self {
        Self { filter: "warn".into(), json: false }
    }
}

impl Config {
    /// Loads the configuration. `base` is TOML with the command's own defaults; the file overrides
    /// it, and the environment overrides both.
    ///
    /// # Errors
    /// Returns an error if the file is missing, or a setting is unknown or invalid.
    pub fn load(base: &str, file: Option<&Path>) -> anyhow::Result<Config> {
        let toml = config::FileFormat::Toml;
        let mut builder = config::Config::builder().add_source(config::File::from_str(base, toml));
        if let Some(file) = file {
            if !file.is_file() {
                bail!("the configuration file {} does not exist", file.display());
            }
            builder = builder.add_source(config::File::from(file).format(toml));
        }
        let environment =
            config::Environment::with_prefix("SCAN").prefix_separator("__").separator("__").try_parsing(true);
        let config = builder.add_source(environment).build()?.try_deserialize::<Config>();
        Ok(config.context("invalid configuration")?.deny_own_hosts())
    }

    /// Adds the service's own hosts to those that webhooks must not be sent to.
    fn deny_own_hosts(mut self) -> Self {
        let urls = std::iter::once(&self.server.public_url).chain(&self.storage.public_endpoint);
        let hosts = urls.filter_map(|url| match Url::parse(url).ok()?.host()? {
            Host::Domain(name) => Some(name.to_owned()),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        });
        self.outbound.webhooks.deny_hosts.extend(hosts.collect::<Vec<_>>());
        self
    }

    /// Sets the addresses of the engine and of storage to those of the embedded services.
    #[must_use]
    pub fn embed(mut self) -> Self {
        self.engine.address = format!("http://127.0.0.1:{}", self.embedded.engine_port);
        if self.embedded.storage {
            self.storage.endpoint = format!("http://127.0.0.1:{}", self.embedded.storage_port);
        }
        self
    }

    /// Returns the folder for temporary files.
    pub fn scratch_folder(&self) -> PathBuf {
        self.scratch.clone().unwrap_or_else(|| std::env::temp_dir().join("scan-scratch"))
    }

    /// Validates rules that the types don't express.
    ///
    /// # Errors
    /// Returns one error that lists every defect.
    pub fn validate(&self) -> anyhow::Result<()> {
        let mut defects: Vec<String> =
            self.server.defects().into_iter().map(|d| format!("server: {d}")).collect();
        defects.extend(self.retention.defects().into_iter().map(|d| format!("retention: {d}")));
        if let Err(e) = self.storage.validate() {
            defects.push(format!("storage: {e}"));
        }
        if let Err(e) = self.outbound.validate(self.outbound.payments.is_live()) {
            defects.push(format!("outbound: {e}"));
        }
        if let Err(e) = self.traces.validate() {
            defects.push(format!("traces: {e}"));
        }
        if let Err(e) = self.workers.validate() {
            defects.push(format!("workers: {e}"));
        }
        if self.secrets.signing().all().any(|key| key.reveal().len() < 32) {
            defects
                .push("secrets: signing and signing_previous must have at least 32 characters each".into());
        }
        if self.database.url.reveal().is_empty() {
            defects.push("database: url is not set".into());
        }
        if defects.is_empty() { Ok(()) } else { bail!("invalid configuration:\n  {}", defects.join("\n  ")) }
    }
}

/// Returns the folder for downloaded tools and model weights, shared by all checkouts.
pub fn cache_folder() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the cache folder is needed before the configuration")]
    let from = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    from("SCAN_CACHE")
        .or_else(|| from("XDG_CACHE_HOME").map(|c| c.join("scan-service")))
        .or_else(|| from("HOME").map(|h| h.join(".cache/scan-service")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_sources_override_and_unknown_names_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scan.toml");
        std::fs::write(&file, "[server]\npublic_url = \"https://scan.example.com\"\n").unwrap();
        let base = "[server]\npublic_url = \"http://base\"\nmax_connections = 7\n";
        let config = Config::load(base, Some(&file)).unwrap();
        assert_eq!(config.server.public_url, "https://scan.example.com");
        assert_eq!(config.server.max_connections, 7);
        assert_eq!(config.outbound.webhooks.deny_hosts, ["scan.example.com"]);
        std::fs::write(&file, "[server]\npublik_url = \"x\"\n").unwrap();
        let error = format!("{:#}", Config::load("", Some(&file)).unwrap_err());
        assert!(error.contains("publik_url"), "{error}");
    }

    #[test]
    fn a_build_id_is_no_number() {
        let load = |value: &str| Config::load(&format!("[workers]\nbuild_id = {value}\n"), None);
        assert_eq!(load("\"v12\"").unwrap().workers.build_id.as_deref(), Some("v12"));
        assert_eq!(Config::load("", None).unwrap().workers.build_id, None);
        let error = format!("{:#}", load("12").unwrap_err());
        assert!(error.contains("look like a number"), "{error}");
    }

    #[test]
    fn never_prints_secrets() {
        let config =
            Config::load("[secrets]\nsigning = \"hunter2-hunter2-hunter2-hunter2-hunter2\"", None).unwrap();
        let printed = format!("{config:?} {}", serde_json::to_string(&config).unwrap());
        assert!(!printed.contains("hunter2"));
    }
}
