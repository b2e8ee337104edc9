//! `scan api` and `scan worker` on a database, a storage and an engine that a test can cut off or stop.

use std::{
    fs::File,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use cli::serve::temporal::{DevServer, Running};
use domain::{Secret, Timestamp};
use entities::{
    Db,
    testing::{self, TestDatabase},
};
use media::embedded::{self, Credentials};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use temporary_postgres::{Durability, Postgres};
use tokio::net::TcpListener;

use crate::{ApiClient, Failpoints, Network, Proxy, failpoints, ports, service::binary, wait};

/// Maximum time until a process of the stack is ready.
const READY_TIMEOUT: Duration = Duration::from_secs(90);
/// Number of free scans of each account.
const FREE_SCANS: u32 = 100;

/// A part of the stack that the product depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependency {
    /// PostgreSQL.
    Database,
    /// The S3 server.
    Storage,
    /// Temporal.
    Engine,
}

/// How a dependency goes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// Its process is killed: connections break, and new ones are refused.
    Killed,
    /// Its process is stopped: connections hang.
    Stopped,
}

/// A running stack. When dropped, its processes are killed.
pub struct Stack {
    // Declared first and so dropped first: the processes end before their dependencies.
    api: Process,
    worker: Process,
    temporal: Running,
    dev_server: DevServer,
    database: TestDatabase,
    postgres: Postgres,
    storage: Proxy,
    failpoints: Failpoints,
    api_port: u16,
    /// URL of the readiness of the API.
    ready: String,
    environment: Vec<(String, String)>,
    _storage_server: embedded::Server,
    folder: tempfile::TempDir,
}

impl Stack {
    /// Starts a stack with these settings (`SECTION__NAME` and value) on a PostgreSQL server of its own.
    ///
    /// Call this from the test's own task: the kernel kills the engine and the database when the thread
    /// that started them ends.
    ///
    /// # Errors
    /// Returns an error if a part does not start.
    pub async fn start(settings: &[(&str, &str)]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let postgres = Postgres::start(folder.path(), None, Durability::OfCommits)?;
        let database = TestDatabase::on_server(postgres.url().to_owned()).await;
        let failpoints = Failpoints::open(&folder.path().join("failpoints"))?;

        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let storage = Proxy::start(listener.local_addr()?).await?;
        let storage_server = embedded::serve(&folder.path().join("objects"), listener, credentials())?;
        let [engine_port, ui_port, api_port, admin_port] = ports::free();
        let loopback = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let dev_server = DevServer {
            folder: folder.path().join("engine"),
            frontend: loopback(engine_port),
            ui: loopback(ui_port),
        };
        let temporal = dev_server.start()?;

        let config = folder.path().join("scan.toml");
        std::fs::write(&config, secrets(folder.path()))?;
        let mut environment = vec![
            ("SCAN_CONFIG".to_owned(), config.display().to_string()),
            (failpoints::VARIABLE.to_owned(), failpoints.folder().display().to_string()),
        ];
        let own = [
            ("DATABASE__URL", database.settings().url.reveal().to_owned()),
            ("STORAGE__ENDPOINT", format!("http://{}", storage.address())),
            ("STORAGE__ACCESS_KEY_ID", credentials().access_key_id),
            ("STORAGE__SECRET_ACCESS_KEY", credentials().secret_access_key.reveal().to_owned()),
            ("ENGINE__ADDRESS", format!("http://{}", dev_server.frontend)),
            ("SERVER__LISTEN", format!("127.0.0.1:{api_port}")),
            ("SERVER__ADMIN_LISTEN", format!("127.0.0.1:{admin_port}")),
            ("SERVER__PUBLIC_URL", format!("http://127.0.0.1:{api_port}")),
            ("SERVER__LIMITS__PER_KEY__REQUESTS", "100000".to_owned()),
            ("SERVER__LIMITS__PER_ADDRESS__REQUESTS", "100000".to_owned()),
            ("SCANS__MAX_IN_PROGRESS", "100".to_owned()),
            // The outages are tested, not the models.
            ("PERCEPTION__MODELS__TEXT", "false".to_owned()),
            ("PERCEPTION__MODELS__SPEECH", "false".to_owned()),
            ("PERCEPTION__MODELS__OBJECTS", "false".to_owned()),
            // Scans that a test holds keep their slots.
            ("WORKERS__MEDIA_SLOTS", "8".to_owned()),
            ("WORKERS__VISION_SLOTS", "8".to_owned()),
            ("WORKERS__FUSION_SLOTS", "16".to_owned()),
        ];
        let changed = settings.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let settings = own.into_iter().chain(changed);
        environment.extend(settings.map(|(name, value)| (format!("SCAN__{name}"), value)));
        let api = Process::start("api", folder.path(), &environment)?;
        let worker = Process::start("worker", folder.path(), &environment)?;
        let ready = format!("http://127.0.0.1:{admin_port}/readyz");
        let stack = Self {
            api,
            worker,
            temporal,
            dev_server,
            database,
            postgres,
            storage,
            failpoints,
            api_port,
            ready,
            environment,
            _storage_server: storage_server,
            folder,
        };
        stack.await_ready().await;
        Ok(stack)
    }

    /// Waits until the API is ready.
    ///
    /// # Panics
    /// Panics if it is not ready in time.
    pub async fn await_ready(&self) {
        let http = crate::http_client();
        wait::until("the stack to be ready", READY_TIMEOUT, async || {
            let response = http.get(&self.ready).send().await.ok()?;
            response.status().is_success().then_some(())
        })
        .await;
    }

    /// Kills the processes of the product and starts them again, without waiting for them.
    ///
    /// # Errors
    /// Returns an error if they cannot be started.
    pub fn restart(&mut self) -> anyhow::Result<()> {
        for process in [&mut self.api, &mut self.worker] {
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
        self.api = Process::start("api", self.folder.path(), &self.environment)?;
        self.worker = Process::start("worker", self.folder.path(), &self.environment)?;
        Ok(())
    }

    /// Returns the logs of the processes of the product.
    pub fn logs(&self) -> String {
        format!("{}\n{}", self.api.log(), self.worker.log())
    }

    /// Creates an account with many free scans, and returns a client with its key.
    ///
    /// # Panics
    /// Panics if the database refuses.
    pub async fn client(&self) -> ApiClient {
        let (db, now) = (self.db(), Timestamp::now());
        let tenant = testing::account(db).await;
        let opened =
            db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, FREE_SCANS, now).await);
        opened.await.expect("wallets");
        let (_, secret) = testing::key(db, &tenant, None).await;
        ApiClient::new(format!("http://127.0.0.1:{}/v1", self.api_port), secret.reveal().to_owned())
    }

    /// Returns a connection to the database. It is of no use while the database is away.
    pub fn db(&self) -> &Db {
        self.database.db()
    }

    /// Returns the failpoints of the worker's activities.
    pub fn failpoints(&self) -> &Failpoints {
        &self.failpoints
    }

    /// Takes a dependency away. The processes of the engine and the database are killed (`SIGKILL`) or
    /// stopped (`SIGSTOP`); in front of the storage, a proxy breaks connections or makes them hang.
    ///
    /// # Panics
    /// Panics if the dependency does not run.
    pub fn take_away(&mut self, dependency: Dependency, outage: Outage) {
        match (dependency, outage) {
            (Dependency::Database, Outage::Killed) => self.postgres.kill().expect("a running database"),
            (Dependency::Database, Outage::Stopped) => self.postgres.stop().expect("a running database"),
            (Dependency::Storage, Outage::Killed) => self.storage.set(Network::Cut),
            (Dependency::Storage, Outage::Stopped) => self.storage.set(Network::Hanging),
            (Dependency::Engine, Outage::Killed) => self.signal_engine(Signal::SIGKILL),
            (Dependency::Engine, Outage::Stopped) => self.signal_engine(Signal::SIGSTOP),
        }
    }

    /// Brings a dependency back. Call this from the test's own task, like [`Stack::start`].
    ///
    /// # Panics
    /// Panics if the engine or the database does not start.
    pub fn bring_back(&mut self, dependency: Dependency) {
        match dependency {
            Dependency::Database => self.postgres.bring_back().expect("the database starts again"),
            Dependency::Storage => self.storage.set(Network::Up),
            Dependency::Engine if self.temporal.has_ended() => {
                self.temporal = self.dev_server.start().expect("the engine starts again");
            }
            Dependency::Engine => self.signal_engine(Signal::SIGCONT),
        }
    }

    fn signal_engine(&self, signal: Signal) {
        let pid = i32::try_from(self.temporal.pid()).expect("a process id");
        kill(Pid::from_raw(pid), signal).expect("the engine can be signalled");
    }

    /// Verifies the ledger, and deletes the database.
    ///
    /// # Panics
    /// Panics if a process ended, or the ledger does not balance.
    pub async fn finish(mut self) {
        for process in [&mut self.api, &mut self.worker] {
            assert!(process.is_running(), "{}", process.log());
        }
        let defects = ledger::verify(self.db()).await.expect("the ledger can be read").defects;
        assert_eq!(defects, Vec::<String>::new());
        let Self { api, worker, database, .. } = self;
        drop((api, worker));
        database.drop_database().await;
    }
}

/// A process of the product. Killed when dropped.
struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    fn start(role: &str, folder: &Path, environment: &[(String, String)]) -> anyhow::Result<Self> {
        let log = folder.join(format!("{role}.log"));
        let out = File::create(&log)?;
        let mut command = Command::new(binary("scan")?);
        command.arg(role).envs(environment.iter().cloned());
        command.env("SCAN__SCRATCH", folder.join(format!("scratch-{role}")));
        let child = command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out).spawn()?;
        Ok(Self { child, log })
    }

    fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Returns the end of the log.
    fn log(&self) -> String {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(60)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- {}\n{}", self.log.display(), self.log());
        }
    }
}

fn credentials() -> Credentials {
    Credentials { access_key_id: "test".into(), secret_access_key: Secret::new("test-secret") }
}

/// Returns the secrets and folders that both processes share, as TOML.
fn secrets(folder: &Path) -> String {
    let master = outbound::seal::MasterKey::generate("k1");
    let path = |name: &str| format!("{:?}", folder.join(name).display().to_string());
    format!(
        "[secrets]\nsigning = \"signs URLs and cursors in the tests of outages\"\n\
         [outbound.mail]\nfolder = {}\n\
         [outbound.payments.simulated]\nfolder = {}\n\
         [[outbound.seal.keys]]\nid = \"{}\"\nkey = \"{}\"\n",
        path("mail"),
        path("bank"),
        master.id,
        master.key.reveal(),
    )
}
