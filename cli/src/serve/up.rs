//! `scan up`: the whole service in one process tree.
//!
//! API, workers and object storage run in this process, and Temporal's dev server is a child
//! process. All state is in one folder. After a crash, the next start continues where the last one
//! stopped.

use std::{
    fs::{File, TryLockError},
    io::Write,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};
use clap::Args;
use domain::RequestId;
use media::embedded::{self, Credentials};
use tokio_util::sync::CancellationToken;

use super::{
    api_server::{self, Listeners},
    bank_webhooks,
    ports::bind,
    prerequisites,
    services::{Schema, Services},
    stop_on_signal,
    temporal::{DevServer, Running},
    workers,
};
use crate::{browser, config::Config, telemetry, traces};

/// Run the whole service on this machine.
#[derive(Debug, Args)]
pub struct UpArgs {
    /// Folder for all state: database, objects, engine, secrets.
    #[arg(long, env = "SCAN_DATA", default_value = "scan-data")]
    pub data: PathBuf,
    /// Configuration file (TOML), over the embedded defaults.
    #[arg(long, env = "SCAN_CONFIG")]
    pub config: Option<PathBuf>,
    /// Open the console in the browser.
    #[arg(long)]
    pub open: bool,
}

/// The data folder, locked: only one instance may use it.
struct DataFolder {
    path: PathBuf,
    _lock: File,
}

/// Runs the command until SIGINT or SIGTERM.
///
/// # Errors
/// Returns an error if another instance uses the folder, a port is in use, the configuration is
/// invalid, or a service fails.
pub async fn run(args: UpArgs) -> anyhow::Result<()> {
    let folder = DataFolder::open(&args.data)?;
    let config = embedded_config(&folder.path, args.config.as_deref())?;
    telemetry::start(&config.log);
    config.validate()?;
    // Its parts call each other over plain HTTP on loopback.
    if config.server.tls.is_some() {
        bail!("server.tls: `scan up` does not support TLS; use `scan api`, or a proxy in front of it");
    }
    prerequisites::check(&config)?;
    let stop = stop_on_signal()?;

    let listeners = Listeners::bind(&config).await?;
    for (port, setting) in
        [(config.embedded.engine_port, "embedded.engine_port"), (config.embedded.ui_port, "embedded.ui_port")]
    {
        drop(bind(loopback(port), setting).await?);
    }
    let storage = embedded_storage(&config, &folder.path).await?;
    let dev_server = DevServer {
        folder: folder.path.join("engine"),
        frontend: loopback(config.embedded.engine_port),
        ui: loopback(config.embedded.ui_port),
    };
    // On the main thread, because the child dies with the thread that started it.
    let mut engine = dev_server.start()?;
    let exporter = traces::start(&config.traces, "up")?;
    let served = serve(&config, &dev_server, &mut engine, listeners, args.open, &stop).await;
    stop.cancel();
    if let Some(storage) = storage {
        storage.stop(Duration::from_secs(5)).await;
    }
    traces::finish(exporter).await;
    tokio::task::spawn_blocking(move || engine.stop()).await?;
    served
}

/// Starts the embedded object storage, unless it is turned off.
async fn embedded_storage(config: &Config, folder: &Path) -> anyhow::Result<Option<embedded::Server>> {
    if !config.embedded.storage {
        return Ok(None);
    }
    let listener = bind(loopback(config.embedded.storage_port), "embedded.storage_port").await?;
    let credentials = Credentials {
        access_key_id: config.storage.access_key_id.clone(),
        secret_access_key: config.storage.secret_access_key.clone(),
    };
    let previous = config.embedded.previous_storage_keys.iter().map(|key| Credentials {
        access_key_id: key.access_key_id.clone(),
        secret_access_key: key.secret_access_key.clone(),
    });
    let objects = folder.join("objects");
    Ok(Some(embedded::serve_rotating(&objects, listener, credentials, previous.collect())?))
}

async fn serve(
    config: &Config,
    dev_server: &DevServer,
    engine: &mut Running,
    listeners: Listeners,
    opens_console: bool,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let services = Services::connect(config, "up", Schema::Migrate).await?;
    tokio::select! {
        ready = services.await_engine(stop) => drop(ready?),
        () = exited(engine) => bail!(engine_exited(dev_server)),
    }
    dev_server.raise_retention(&config.engine.namespace)?;
    tracing::info!(
        console = format!("{}/console", config.server.public_url),
        api = format!("{}/v1", config.server.public_url),
        reference = format!("{}/docs", config.server.public_url),
        engine_ui = format!("http://{}", dev_server.ui),
        "scan is up"
    );
    if opens_console {
        // The address is bound: the browser waits until the API accepts its connection.
        let url = format!("{}/console", config.server.public_url);
        if let Err(error) = browser::open(&url) {
            tracing::warn!(%url, %error, "no browser could be opened; open the address yourself");
        }
    }
    let (api, bank) = (listeners.api_address()?, services.banks.simulated().clone());
    let serving = async {
        tokio::try_join!(
            api_server::run(config, &services, listeners, stop.clone()),
            bank_webhooks::run(bank, api, stop.clone()),
            workers::run(config, &services, worker::Queue::ALL.to_vec(), stop.clone()),
        )
    };
    let served = tokio::select! {
        served = serving => served.map(|_| ()),
        () = exited(engine) => Err(anyhow::anyhow!(engine_exited(dev_server))),
    };
    // Closing the database makes SQLite merge its write-ahead log, so that the file can be copied.
    let _ = tokio::time::timeout(Duration::from_secs(5), services.db.clone().close()).await;
    served
}

/// Waits until the engine has exited.
async fn exited(engine: &mut Running) {
    while !engine.has_ended() {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

fn engine_exited(dev_server: &DevServer) -> String {
    format!("the engine has exited; its log is {}", dev_server.folder.join("temporal.log").display())
}

impl DataFolder {
    fn open(path: &Path) -> anyhow::Result<Self> {
        // Only the owner may read media, mail and secrets.
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .with_context(|| format!("cannot create the data folder {}", path.display()))?;
        let path = path.canonicalize()?;
        let lock = File::options().create(true).truncate(false).write(true).open(path.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "another instance of scan uses {}; stop it, or choose another folder with --data",
                    path.display()
                )
            }
            Err(TryLockError::Error(e)) => Err(e.into()),
        }
    }
}

/// Loads the configuration of the installation in a folder: embedded defaults, then the file, then
/// the environment. Generates the secrets at the first start.
///
/// # Errors
/// Returns an error if the secrets cannot be read or written, or the configuration is invalid.
pub fn embedded_config(folder: &Path, file: Option<&Path>) -> anyhow::Result<Config> {
    let secrets = secrets(folder)?;
    let path = |name: &str| toml::Value::String(folder.join(name).display().to_string());
    let defaults = format!(
        "scratch = {scratch}\n\
         [database]\nurl = {database}\n\
         [outbound.mail]\nfolder = {mail}\n\
         [server.limits.test_scans_daily]\nrequests = {no_limit}\n\
         [outbound.payments]\nprovider = \"simulated\"\n\
         [outbound.payments.simulated]\nfolder = {bank}\n\
         {secrets}",
        scratch = path("scratch"),
        database = toml::Value::String(format!("sqlite://{}", folder.join("scan.db").display())),
        mail = path("mail"),
        bank = path("bank"),
        no_limit = u32::MAX,
    );
    Ok(Config::load(&defaults, file)?.embed())
}

/// Reads or generates the secrets of an installation, as TOML. Only the owner can read the file.
fn secrets(folder: &Path) -> anyhow::Result<String> {
    let file = folder.join("secrets.toml");
    match std::fs::read_to_string(&file) {
        Ok(text) => return Ok(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        Err(e) => return Err(e).with_context(|| format!("{}", file.display())),
    }
    let master = outbound::seal::MasterKey::generate("k1");
    let text = format!(
        "[secrets]\nsigning = \"{}\"\n\
         [storage]\naccess_key_id = \"embedded\"\nsecret_access_key = \"{}\"\n\
         [[outbound.seal.keys]]\nid = \"{}\"\nkey = \"{}\"\n",
        random_secret(),
        random_secret(),
        master.id,
        master.key.reveal(),
    );
    // Written to a draft and renamed, so that a crash never leaves an incomplete file.
    let draft = folder.join(format!("secrets.{}", RequestId::new()));
    let mut out = File::options().create_new(true).write(true).mode(0o600).open(&draft)?;
    out.write_all(text.as_bytes())?;
    out.sync_all()?;
    std::fs::rename(&draft, &file)?;
    Ok(text)
}

fn random_secret() -> String {
    domain::key::random_text(48)
}

fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::DataFolder;

    #[test]
    fn data_folder_is_readable_by_its_owner_only() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("scan-data");
        let _open = DataFolder::open(&folder).unwrap();
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}
