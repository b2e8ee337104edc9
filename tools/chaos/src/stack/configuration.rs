//! The configuration of the service: a file as an operator would write it, and a few variables.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use harness::{Receiver, receiver};

use super::storage;

/// Temporal namespace of the service.
pub const NAMESPACE: &str = "scan";
/// Bucket of the service.
pub const BUCKET: &str = "scan";

/// Addresses of what the service depends on.
pub(super) struct Addresses<'a> {
    pub(super) api: SocketAddr,
    pub(super) database: String,
    pub(super) engine: SocketAddr,
    pub(super) storage: SocketAddr,
    pub(super) redis: SocketAddr,
    pub(super) receiver: Option<(&'a Receiver, SocketAddr)>,
}

/// Files and variables of the configuration.
#[derive(Debug, Clone)]
pub struct Configuration {
    folder: PathBuf,
    file: PathBuf,
    storage: SocketAddr,
    variables: Vec<(String, String)>,
}

impl Configuration {
    pub(super) fn write(
        folder: &Path,
        addresses: &Addresses<'_>,
        settings: &[(String, String)],
    ) -> anyhow::Result<Self> {
        let file = folder.join("scan.toml");
        fs::write(&file, text(folder, addresses)?)?;
        // A password belongs into the environment.
        let mut variables = vec![
            ("SCAN_CONFIG".to_owned(), file.display().to_string()),
            ("SCAN__DATABASE__URL".to_owned(), addresses.database.clone()),
            ("SCAN__STORAGE__SECRET_ACCESS_KEY".to_owned(), storage::KEY.to_owned()),
        ];
        variables.extend(settings.iter().map(|(name, value)| (format!("SCAN__{name}"), value.clone())));
        Ok(Self { folder: folder.to_owned(), file, storage: addresses.storage, variables })
    }

    /// Returns the folder of the stack.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the configuration file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the variables of each process of the service.
    pub fn environment(&self) -> Vec<(String, String)> {
        self.variables.clone()
    }

    /// Returns the settings of the object storage.
    pub fn storage(&self) -> media::objects::Settings {
        media::objects::Settings {
            endpoint: format!("http://{}", self.storage),
            bucket: BUCKET.to_owned(),
            access_key_id: storage::KEY.to_owned(),
            secret_access_key: domain::Secret::new(storage::KEY),
            ..media::objects::Settings::default()
        }
    }

    /// Returns the folder of the simulated bank.
    pub fn bank(&self) -> PathBuf {
        self.folder.join("bank")
    }
}

fn text(folder: &Path, addresses: &Addresses<'_>) -> anyhow::Result<String> {
    let Addresses { api, engine, storage, redis, receiver, .. } = addresses;
    let path = |name: &str| format!("{:?}", folder.join(name).display().to_string());
    let master = outbound::seal::MasterKey::generate("k1");
    let mut text = format!(
        r#"[server]
public_url = "http://{api}"

[server.limits]
redis_url = "redis://{redis}/0"
# The clients of a test share a few keys and one address.
per_key = {{ requests = 100000, window_seconds = 60 }}
per_address = {{ requests = 100000, window_seconds = 60 }}
test_scans_daily = {{ requests = 100000, window_seconds = 86400 }}

[engine]
address = "http://{engine}"
namespace = "{NAMESPACE}"

[storage]
endpoint = "http://{storage}"
bucket = "{BUCKET}"
access_key_id = "{key}"

[secrets]
signing = "signs the URLs and cursors of the stack on loopback"

[[outbound.seal.keys]]
id = "{id}"
key = "{master_key}"

[outbound.mail]
folder = {mail}

[outbound.payments.simulated]
folder = {bank}
"#,
        key = storage::KEY,
        id = master.id,
        master_key = master.key.reveal(),
        mail = path("mail"),
        bank = path("bank"),
    );
    if let Some((receiver, address)) = receiver {
        let authority = folder.join("receiver-ca.pem");
        fs::write(&authority, receiver.authority_pem())?;
        text += &format!(
            "\n[outbound.webhooks]\ntest_ca_file = {:?}\n\n[outbound.webhooks.dial_map]\n\"{}\" = \"{address}\"\n",
            authority.display().to_string(),
            receiver::HOST,
        );
    }
    Ok(text)
}
