//! Runs `scan worker` processes against a Temporal server, storage and a database that outlive them.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use cli::serve::temporal::{DevServer, Running};
use domain::Secret;
use entities::{Db, Reader};
use media::embedded::{self, Credentials};
use migration::migrate;
use tempfile::TempDir;
use tokio::net::TcpListener;
use workflows::client::{Engine, Settings};

use crate::{WorkerProcess, ports, service::binary, wait};

/// Maximum time until Temporal accepts connections. It creates its database first.
const READY_TIMEOUT: Duration = Duration::from_secs(90);

/// The services that a fleet of workers shares.
pub struct Fleet {
    /// The database, in an SQLite file.
    pub db: Db,
    /// The engine.
    pub engine: Engine,
    config: PathBuf,
    workers: AtomicU32,
    _temporal: Running,
    _storage: embedded::Server,
    folder: TempDir,
}

impl Fleet {
    /// Starts the services, without a worker.
    ///
    /// # Errors
    /// Returns an error if one of them cannot be started.
    pub async fn start() -> anyhow::Result<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir()?;
        let [frontend, ui] = ports::free().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let temporal = DevServer { folder: folder.path().join("engine"), frontend, ui }.start()?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let credentials =
            Credentials { access_key_id: "test".into(), secret_access_key: Secret::new("test-secret") };
        let storage = embedded::serve(&folder.path().join("objects"), listener, credentials)?;
        let url = format!("sqlite://{}", folder.path().join("scan.db").display());
        let db = Db::connect(&entities::Settings::at(url.clone())).await?;
        migrate(db.conn()).await?;
        let settings = Settings { address: format!("http://{frontend}"), ..Settings::default() };
        let engine = Engine::new(settings.clone(), "test");
        wait::until("Temporal to start", READY_TIMEOUT, async || {
            engine.client().await.ok().map(|_client| ())
        })
        .await;
        let path = |name: &str| folder.path().join(name).display().to_string();
        let config = folder.path().join("scan.toml");
        let text = format!(
            "[database]\nurl = {url:?}\n\
             [engine]\naddress = {:?}\n\
             [storage]\nendpoint = {:?}\naccess_key_id = \"test\"\nsecret_access_key = \"test-secret\"\n\
             [outbound.mail]\nfolder = {:?}\n\
             [outbound.payments.simulated]\nfolder = {:?}\n\
             [secrets]\nsigning = {:?}\n\
             [[outbound.seal.keys]]\nid = \"k1\"\nkey = {:?}\n",
            settings.address,
            storage.endpoint(),
            path("mail"),
            path("bank"),
            "s".repeat(32),
            "5c".repeat(32),
        );
        std::fs::write(&config, text)?;
        let workers = AtomicU32::default();
        Ok(Self { db, engine, config, workers, _temporal: temporal, _storage: storage, folder })
    }

    /// Starts a `scan worker` for these queues. It is killed when dropped. `failpoints` has the syntax
    /// of the `fail` crate, and `settings` are `SECTION__NAME` and value.
    ///
    /// # Errors
    /// Returns an error if the worker cannot be started.
    pub fn worker(
        &self,
        queues: &str,
        failpoints: &str,
        settings: &[(&str, &str)],
    ) -> anyhow::Result<WorkerProcess> {
        let number = self.workers.fetch_add(1, Ordering::Relaxed);
        let name = |kind: &str| self.folder.path().join(format!("worker-{number}.{kind}"));
        let log = std::fs::File::create(name("log"))?;
        let mut command = Command::new(binary("scan")?);
        command.args(["worker", "--queues", queues, "--config"]).arg(&self.config);
        command.env("SCAN__SCRATCH", name("scratch")).env("FAILPOINTS", failpoints);
        command.envs(settings.iter().map(|(name, value)| (format!("SCAN__{name}"), *value)));
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(WorkerProcess::new(command.spawn()?))
    }

    /// Returns the logs of the workers, for error messages.
    pub fn logs(&self) -> String {
        let logs = (0..self.workers.load(Ordering::Relaxed)).map(|number| {
            let file = self.folder.path().join(format!("worker-{number}.log"));
            format!("--- worker {number}\n{}", std::fs::read_to_string(file).unwrap_or_default())
        });
        logs.collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
        }
    }
}
