//! Configuration: defaults, then a file, then the environment; checked before anything starts.
//!
//! `SCAN__DATABASE__URL=…` sets `url` of the section `[database]`. Secrets are wrapped in
//! [`Secret`], which never prints itself.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use domain::Secret;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// Everything that can be configured, by section. `docs/configuration.md` lists it.
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
    /// What a scan is and costs.
    pub scans: activities::ScanSettings,
    /// How media are looked at.
    pub perception: perception::Settings,
    /// Webhook targets, payments, mail, sealing.
    pub outbound: outbound::Settings,
    /// When a failed delivery is tried again.
    pub retries: workflows::RetrySchedule,
    /// When database and engine are compared.
    pub reconciler: activities::ReconcilerSettings,
    /// Secrets of this installation.
    pub secrets: Secrets,
    /// What `scan up` embeds.
    pub embedded: Embedded,
    /// Folder for work in progress; without it, one in the system's temporary folder.
    pub scratch: Option<PathBuf>,
    /// Logs.
    pub log: Log,
}

/// What `scan up` embeds, and on which ports of loopback.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Embedded {
    /// Temporal's gRPC port.
    pub engine_port: u16,
    /// Temporal's Web UI.
    pub ui_port: u16,
    /// Whether object storage is embedded; if not, the one that `[storage]` names is used.
    pub storage: bool,
    /// Object storage.
    pub storage_port: u16,
}

impl Default for Embedded {
    fn default() -> Self {
        Self { engine_port: 7233, ui_port: 8233, storage: true, storage_port: 9000 }
    }
}

/// Secrets of this installation. `scan up` makes them at its first start.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Secrets {
    /// Signs evidence URLs and page cursors; 32 characters or more. Changing it ends the life of those
    /// that are out.
    pub signing: Secret,
}

/// How logs are written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// A filter as `RUST_LOG` takes it.
    pub filter: String,
    /// One JSON object a line, for machines.
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
    /// For client commands, whose output is for people.
    pub fn quiet() -> Self {
        Self { filter: "warn".into(), json: false }
    }
}

impl Config {
    /// Reads `base` (TOML; what the command itself sets), then the file if one is named, then the
    /// environment.
    ///
    /// # Errors
    /// When a file is missing, or a name or value is not known; the message says which.
    pub fn load(base: &str, file: Option<&Path>) -> anyhow::Result<Config> {
        let toml = config::FileFormat::Toml;
        let mut builder = config::Config::builder().add_source(config::File::from_str(base, toml));
        if let Some(file) = file {
            if !file.is_file() {
                bail!("there is no configuration file {}", file.display());
            }
            builder = builder.add_source(config::File::from(file).format(toml));
        }
        let environment =
            config::Environment::with_prefix("SCAN").prefix_separator("__").separator("__").try_parsing(true);
        let config = builder.add_source(environment).build()?.try_deserialize::<Config>();
        Ok(config.context("the configuration is wrong")?.deny_own_hosts())
    }

    /// No webhook goes to the service's own hosts.
    fn deny_own_hosts(mut self) -> Self {
        let addresses = std::iter::once(&self.server.public_url).chain(&self.storage.public_endpoint);
        let hosts = addresses.filter_map(|address| match Url::parse(address).ok()?.host()? {
            Host::Domain(name) => Some(name.to_owned()),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        });
        self.outbound.webhooks.deny_hosts.extend(hosts.collect::<Vec<_>>());
        self
    }

    /// Makes the addresses of what is embedded follow its ports.
    #[must_use]
    pub fn embed(mut self) -> Self {
        self.engine.address = format!("http://127.0.0.1:{}", self.embedded.engine_port);
        if self.embedded.storage {
            self.storage.endpoint = format!("http://127.0.0.1:{}", self.embedded.storage_port);
        }
        self
    }

    /// Where work in progress lies.
    pub fn scratch_folder(&self) -> PathBuf {
        self.scratch.clone().unwrap_or_else(|| std::env::temp_dir().join("scan-scratch"))
    }

    /// Checks what types cannot.
    ///
    /// # Errors
    /// One message with every defect.
    pub fn validate(&self) -> anyhow::Result<()> {
        let mut defects: Vec<String> =
            self.server.defects().into_iter().map(|d| format!("server: {d}")).collect();
        if let Err(e) = self.storage.validate() {
            defects.push(format!("storage: {e}"));
        }
        if let Err(e) = self.outbound.validate(self.outbound.payments.is_live()) {
            defects.push(format!("outbound: {e}"));
        }
        if self.secrets.signing.reveal().len() < 32 {
            defects.push("secrets: signing must have 32 characters or more".into());
        }
        if self.database.url.reveal().is_empty() {
            defects.push("database: url is not set".into());
        }
        if defects.is_empty() {
            Ok(())
        } else {
            bail!("the configuration cannot be used:\n  {}", defects.join("\n  "))
        }
    }
}

/// The folder for tools and weights that are fetched once and shared by checkouts.
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
    fn layers_override_and_mistakes_are_named() {
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
    fn secrets_do_not_print() {
        let config =
            Config::load("[secrets]\nsigning = \"hunter2-hunter2-hunter2-hunter2-hunter2\"", None).unwrap();
        let printed = format!("{config:?} {}", serde_json::to_string(&config).unwrap());
        assert!(!printed.contains("hunter2"));
    }
}
