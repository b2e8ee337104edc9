//! The production-like stack: a real Temporal server, PostgreSQL, S3, Redis, and several processes of the
//! service, all on loopback.

mod balancer;
mod commands;
mod configuration;
mod links;
mod postgres;
mod process;
mod programs;
mod redis;
mod storage;
mod temporal;

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::Context;
use entities::Db;
use harness::{Failpoints, Proxy, Receiver, SmallDisk, failpoints, ports, service::binary};
use serde_json::{Value, json};
use tempfile::TempDir;

use self::{balancer::Balancer, temporal::Temporal};
pub use self::{
    configuration::{BUCKET, Configuration, NAMESPACE},
    links::Links,
    postgres::Databases,
    process::{Process, ProgramLine},
    programs::Programs,
};

/// Queues of the service, each served by processes of its own.
pub const QUEUES: [&str; 6] = ["scans", "media", "vision", "fusion", "billing", "webhooks"];
/// Name of the process of Temporal's server.
pub const TEMPORAL: &str = "temporal";
/// Processes of each queue, and of the API.
const COPIES: usize = 2;
/// Size of a small disk: enough for the tiny media of a run.
const SMALL_DISK: &str = "64m";
/// Maximum time until the API is ready.
const READY_TIMEOUT: Duration = Duration::from_secs(180);

/// Options of the stack.
#[derive(Debug, Default)]
pub struct Options {
    /// Additional settings: `SECTION__NAME` and value.
    pub settings: Vec<(String, String)>,
    /// Processes whose scratch folder is a small disk, which a fault can fill.
    pub small_disks: Vec<String>,
    /// Folder for all state, instead of a temporary one. It must be empty.
    pub folder: Option<PathBuf>,
}

/// The running stack. When dropped, its processes are killed and its folder is deleted.
///
/// The kernel kills the processes when the thread that started them ends, so the stack is started, and
/// its processes are started again, on the main thread.
pub struct Stack {
    // Declared first and so dropped first: the service ends before its dependencies.
    processes: BTreeMap<String, Process>,
    links: Links,
    /// PostgreSQL of the service, and that of Temporal.
    pub databases: Databases,
    configuration: Configuration,
    api: Balancer,
    api_addresses: Vec<SocketAddr>,
    admin_addresses: Vec<SocketAddr>,
    temporal: Temporal,
    small_disks: BTreeMap<String, SmallDisk>,
    temporary: Option<TempDir>,
}

impl Stack {
    /// Starts everything. Webhooks to the receiver's host go to the receiver.
    ///
    /// # Errors
    /// Returns an error if a part cannot be started. The message has the end of its log.
    pub async fn start(
        programs: &Programs,
        options: &Options,
        receiver: Option<&Receiver>,
    ) -> anyhow::Result<Self> {
        let temporary = if options.folder.is_none() { Some(tempfile::tempdir()?) } else { None };
        let folder = match (&options.folder, &temporary) {
            (Some(folder), _) => folder.clone(),
            (None, Some(temporary)) => temporary.path().to_owned(),
            (None, None) => anyhow::bail!("no folder"),
        };
        std::fs::create_dir_all(&folder)?;
        let databases = Databases::start(&folder)?;
        let temporal = Temporal::prepare(programs, &databases.temporal, &folder)?;
        let mut processes = BTreeMap::new();
        let mut add = |process: Process| processes.insert(process.name().to_owned(), process);
        add(temporal.server(programs)?);
        add(temporal.web_ui(programs)?);
        let (redis, redis_address) = redis::start(&folder)?;
        add(redis);
        let (storage, storage_address) = storage::start(programs, &folder)?;
        add(storage);
        temporal.create_namespace(NAMESPACE).await?;
        let links =
            Links::start(databases.service_address()?, storage_address, temporal.frontend, receiver).await?;

        let api_addresses = loopback(ports::free::<COPIES>());
        let admin_addresses = loopback(ports::free::<COPIES>());
        let api = Balancer::start(api_addresses.clone()).await?;
        let configuration = Configuration::write(
            &folder,
            &configuration::Addresses {
                api: api.address(),
                database: databases.service_url_through(links.database.address())?,
                engine: links.engine.address(),
                storage: links.storage.address(),
                redis: redis_address,
                receiver: receiver.zip(links.receiver.as_ref().map(Proxy::address)),
            },
            &options.settings,
        )?;
        let mut stack = Self {
            processes,
            links,
            databases,
            configuration,
            api,
            api_addresses,
            admin_addresses,
            temporal,
            small_disks: BTreeMap::new(),
            temporary,
        };
        stack.mount_small_disks(&options.small_disks);
        stack.start_service().await
    }

    /// Mounts the small disks before their processes open their scratch folders.
    fn mount_small_disks(&mut self, names: &[String]) {
        for name in names {
            if let Some(disk) = SmallDisk::mount(&self.scratch(name), SMALL_DISK) {
                self.small_disks.insert(name.clone(), disk);
            }
        }
    }

    /// Migrates the database, and starts the processes of the service.
    async fn start_service(mut self) -> anyhow::Result<Self> {
        self.scan(&["migrate"]).await?;
        for (number, (api, admin)) in self.api_addresses.iter().zip(&self.admin_addresses).enumerate() {
            let mut line = self.service_line(&format!("api-{}", number + 1), &["api"])?;
            line.set("SCAN__SERVER__LISTEN", api);
            line.set("SCAN__SERVER__ADMIN_LISTEN", admin);
            self.processes.insert(line.name.clone(), Process::start(line)?);
        }
        for queue in QUEUES {
            for number in 1..=COPIES {
                let name = worker_name(queue, number);
                let line = self.service_line(&name, &["worker", "--queues", queue])?;
                self.processes.insert(name, Process::start(line)?);
            }
        }
        self.await_ready().await?;
        Ok(self)
    }

    /// Returns the command line of a process of the service, with a scratch folder and failpoints of its
    /// own.
    fn service_line(&self, name: &str, arguments: &[&str]) -> anyhow::Result<ProgramLine> {
        let folder = self.configuration.folder();
        let mut line = ProgramLine::new(name, binary("scan")?, folder);
        line.arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        line.environment = self.configuration.environment();
        line.set("SCAN__SCRATCH", self.scratch(name).display());
        line.set(failpoints::VARIABLE, self.failpoints(name)?.folder().display());
        Ok(line)
    }

    /// Waits until each process of the API is ready.
    ///
    /// # Errors
    /// Returns an error if one is not ready in time.
    pub async fn await_ready(&mut self) -> anyhow::Result<()> {
        let http = harness::http_client();
        let started = std::time::Instant::now();
        for admin in self.admin_addresses.clone() {
            while !http
                .get(format!("http://{admin}/readyz"))
                .send()
                .await
                .is_ok_and(|r| r.status().is_success())
            {
                self.revive_temporal()?;
                for process in self.processes.values_mut() {
                    process.check_running()?;
                }
                anyhow::ensure!(started.elapsed() < READY_TIMEOUT, "the API is not ready");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        Ok(())
    }

    /// Starts Temporal's server again if it ended by itself, as a supervisor does. It ends if its database is
    /// too slow at its start.
    ///
    /// # Errors
    /// Returns an error if it cannot be started.
    pub fn revive_temporal(&mut self) -> anyhow::Result<()> {
        let process = self.process(TEMPORAL)?;
        if process.is_running() { Ok(()) } else { process.restart(&[]) }
    }

    /// Returns the URL of the API through the load balancer, including the version.
    pub fn api_url(&self) -> String {
        format!("http://{}/v1", self.api.address())
    }

    /// Returns the address of Temporal, without a proxy.
    pub fn engine_address(&self) -> String {
        self.temporal.frontend.to_string()
    }

    /// Returns the names of all processes that can be killed, without the databases.
    pub fn process_names(&self) -> Vec<String> {
        self.processes.keys().cloned().collect()
    }

    /// Returns the process ids by name, with the databases.
    pub fn pids(&self) -> Vec<(String, u32)> {
        let processes = self.processes.iter().map(|(name, process)| (name.clone(), process.pid()));
        let databases = [
            ("postgres-service".to_owned(), self.databases.service.pid()),
            ("postgres-temporal".to_owned(), self.databases.temporal.pid()),
        ];
        processes.chain(databases).collect()
    }

    /// Returns a process.
    ///
    /// # Errors
    /// Returns an error if no process has this name.
    pub fn process(&mut self, name: &str) -> anyhow::Result<&mut Process> {
        self.processes.get_mut(name).with_context(|| format!("no process {name}"))
    }

    /// Returns all processes except the databases.
    pub fn processes(&mut self) -> impl Iterator<Item = &mut Process> {
        self.processes.values_mut()
    }

    /// Returns the connections between the processes.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Returns the configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Returns the scratch folder of a process.
    pub fn scratch(&self, process: &str) -> PathBuf {
        self.configuration.folder().join("scratch").join(process)
    }

    /// Returns the failpoints of one process.
    ///
    /// # Errors
    /// Returns an error if their folder cannot be created.
    pub fn failpoints(&self, process: &str) -> anyhow::Result<Failpoints> {
        Ok(Failpoints::open(&self.configuration.folder().join("failpoints").join(process))?)
    }

    /// Connects to the service's database without the proxy, to observe it from outside.
    ///
    /// # Errors
    /// Returns an error if the database is unavailable.
    pub async fn database(&self) -> anyhow::Result<Db> {
        let url = domain::Secret::new(self.databases.service_url()?);
        let settings =
            entities::Settings { url, acquire_timeout_seconds: 5, ..entities::Settings::default() };
        Ok(Db::connect(&settings).await?)
    }

    /// Describes the addresses and process ids.
    pub fn description(&self) -> Value {
        let pids: serde_json::Map<_, _> =
            self.processes.iter().map(|(name, process)| (name.clone(), json!(process.pid()))).collect();
        json!({
            "api": self.api_url(),
            "api_processes": self.api_addresses,
            "admin": self.admin_addresses,
            "temporal": self.temporal.frontend,
            "namespace": NAMESPACE,
            "web_ui": format!("http://{}", self.temporal.ui),
            "storage": self.links.storage.address(),
            "configuration": self.configuration.file(),
            "folder": self.configuration.folder(),
            // With these variables, `scan admin` and `scan doctor` work on the stack.
            "environment": self.configuration.environment().into_iter().collect::<BTreeMap<_, _>>(),
            "pids": pids,
        })
    }

    /// Keeps the folder after the end, for an investigation, and returns it.
    pub fn keep_folder(&mut self) -> PathBuf {
        self.temporary.take().map_or_else(|| self.configuration.folder().to_owned(), TempDir::keep)
    }

    /// Returns the small disk of a process, if it has one.
    pub fn small_disk(&self, process: &str) -> Option<&SmallDisk> {
        self.small_disks.get(process)
    }
}

/// Returns the name of a worker process.
pub fn worker_name(queue: &str, number: usize) -> String {
    format!("worker-{queue}-{number}")
}

fn loopback<const N: usize>(ports: [u16; N]) -> Vec<SocketAddr> {
    ports.iter().map(|&port| SocketAddr::from(([127, 0, 0, 1], port))).collect()
}
