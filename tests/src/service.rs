//! Runs the real service as a child process in its own folder.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail};
use entities::Db;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;
use tempfile::TempDir;
use workflows::client::{Engine, Settings};

use crate::{ApiClient, Failpoints, Receiver, failpoints, ports, receiver, wait};

/// Maximum time from start to ready. The Temporal dev server creates its database first.
const READY_TIMEOUT: Duration = Duration::from_secs(90);

/// Options of `scan up`.
#[derive(Default)]
pub struct ServiceOptions {
    /// Additional settings: `SECTION__NAME` and value.
    pub settings: Vec<(String, String)>,
    /// Failpoints, in the syntax of the `fail` crate.
    pub failpoints: Option<String>,
    /// Folder of the state, instead of a temporary one.
    pub folder: Option<PathBuf>,
    /// Whether the log is shown instead of written to a file.
    pub show_log: bool,
    /// Whether the default ports are used instead of free ones.
    pub default_ports: bool,
}

impl ServiceOptions {
    /// Adds a setting.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl ToString) -> Self {
        self.settings.push((name.to_owned(), value.to_string()));
        self
    }

    /// Turns off all packaged models, which take seconds and memory.
    #[must_use]
    pub fn without_models(self) -> Self {
        let models = ["TEXT", "SPEECH", "OBJECTS", "SENTENCES"];
        models.iter().fold(self, |options, model| options.set(&format!("PERCEPTION__MODELS__{model}"), false))
    }
}

/// A running `scan up`. When dropped, it is killed with all its children, and the ledger is
/// verified.
pub struct Service {
    child: Option<Child>,
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
    failpoints: Failpoints,
    api_port: u16,
    admin_port: u16,
    engine_port: u16,
    ui_port: u16,
    storage_port: u16,
    show_log: bool,
    was_ready: bool,
    _temporary: Option<TempDir>,
}

/// An account with a test key.
#[derive(Debug, Clone)]
pub struct Account {
    /// The id.
    pub id: String,
    /// The id of the key.
    pub key_id: String,
    /// The secret of the key.
    pub key: String,
}

impl Service {
    /// Starts the service and waits until it is ready. Webhooks to the receiver's host go to the
    /// receiver.
    ///
    /// # Errors
    /// Returns an error if the binary is missing or the service doesn't become ready.
    pub async fn start(options: ServiceOptions, receiver: Option<&Receiver>) -> anyhow::Result<Self> {
        let temporary = if options.folder.is_none() { Some(tempfile::tempdir()?) } else { None };
        let folder = match (&options.folder, &temporary) {
            (Some(folder), _) => folder.clone(),
            (None, Some(temporary)) => temporary.path().join("data"),
            (None, None) => bail!("no folder"),
        };
        std::fs::create_dir_all(&folder)?;
        let [api_port, admin_port, engine_port, ui_port, storage_port] =
            if options.default_ports { [8080, 8081, 7233, 8233, 9000] } else { ports::free() };
        let mut settings = default_settings([api_port, admin_port, engine_port, ui_port, storage_port]);
        settings.extend(options.settings);
        let mut environment: Vec<(OsString, OsString)> = settings
            .into_iter()
            .map(|(name, value)| (format!("SCAN__{name}").into(), value.into()))
            .collect();
        if let Some(receiver) = receiver {
            environment.push(("SCAN_CONFIG".into(), webhook_config(&folder, receiver)?.into()));
        }
        let failpoints = Failpoints::open(&folder.join("failpoints"))?;
        environment.push((failpoints::VARIABLE.into(), failpoints.folder().into()));
        if let Some(failpoints) = options.failpoints {
            environment.push(("FAILPOINTS".into(), failpoints.into()));
        }
        let mut service = Self {
            child: None,
            folder,
            environment,
            failpoints,
            api_port,
            admin_port,
            engine_port,
            ui_port,
            storage_port,
            show_log: options.show_log,
            was_ready: false,
            _temporary: temporary,
        };
        service.launch().await?;
        Ok(service)
    }

    /// Starts the process again on the same folder, after [`Service::kill`]. Disables failpoints.
    ///
    /// # Errors
    /// Returns an error if the service doesn't become ready.
    pub async fn restart(&mut self) -> anyhow::Result<()> {
        self.environment.retain(|(name, _)| name != "FAILPOINTS");
        self.launch().await
    }

    /// Restarts like [`Service::restart`], with other failpoints.
    ///
    /// # Errors
    /// Returns an error if the service doesn't become ready.
    pub async fn restart_with_failpoints(&mut self, failpoints: &str) -> anyhow::Result<()> {
        self.environment.retain(|(name, _)| name != "FAILPOINTS");
        self.environment.push(("FAILPOINTS".into(), failpoints.into()));
        self.launch().await
    }

    async fn launch(&mut self) -> anyhow::Result<()> {
        let binary = binary("scan")?;
        let mut command = Command::new(&binary);
        command.arg("up").arg("--data").arg(&self.folder).envs(self.environment.iter().cloned());
        command.stdin(Stdio::null());
        if !self.show_log {
            let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log_path())?;
            command.stdout(log.try_clone()?).stderr(log);
        }
        self.child = Some(command.spawn().with_context(|| format!("starting {}", binary.display()))?);
        let ready = format!("http://127.0.0.1:{}/readyz", self.admin_port);
        let http = crate::http_client();
        let started = std::time::Instant::now();
        while started.elapsed() < READY_TIMEOUT {
            if let Some(status) = self.child.as_mut().and_then(|c| c.try_wait().ok().flatten()) {
                bail!("the service ended with {status}:\n{}", self.log_tail());
            }
            if http.get(&ready).send().await.is_ok_and(|r| r.status().is_success()) {
                self.was_ready = true;
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        bail!("the service was not ready within {READY_TIMEOUT:?}:\n{}", self.log_tail())
    }

    /// Kills the process like a crash (signal 9).
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // The process may have exited already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Stops the process gracefully and returns its exit status.
    ///
    /// # Panics
    /// Panics if the process isn't running or doesn't stop.
    pub async fn stop(&mut self) -> std::process::ExitStatus {
        let mut child = self.child.take().expect("a running service");
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
        kill(pid, Signal::SIGTERM).expect("the service can be signalled");
        wait::until("the service to stop", Duration::from_secs(60), async || child.try_wait().ok().flatten())
            .await
    }

    /// Returns the process id while the process runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Returns the URL of the API, including the version.
    pub fn api_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.api_port)
    }

    /// Returns the URL of the admin port.
    pub fn admin_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.admin_port)
    }

    /// Returns a handle on the engine for the test itself. It waits long, because a busy machine is no
    /// failure.
    pub fn engine(&self) -> Engine {
        let settings =
            Settings { address: self.engine_url(), answer_within_ms: 60_000, ..Settings::default() };
        Engine::new(settings, "test")
    }

    /// Returns the URL of Temporal.
    pub fn engine_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.engine_port)
    }

    /// Returns the URL of the object storage.
    pub fn storage_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.storage_port)
    }

    /// Returns the URL of a scan's workflow in Temporal's web UI.
    pub fn workflow_url(&self, scan: &str) -> String {
        format!("http://127.0.0.1:{}/namespaces/default/workflows/scan:{scan}", self.ui_port)
    }

    /// Returns the failpoints of the service's activities. Additional workers share them.
    pub fn failpoints(&self) -> &Failpoints {
        &self.failpoints
    }

    /// Returns the data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the stored objects whose keys start with a folder prefix. Empty folders are none: a
    /// process that dies while it deletes may leave them.
    pub fn objects_below(&self, prefix: &str) -> Vec<PathBuf> {
        files_below(&self.folder.join("objects").join("scan").join(prefix))
    }

    /// Runs `scan admin …` on the data of this service and parses its output.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub fn admin(&self, args: &[&str]) -> anyhow::Result<Value> {
        let output = Command::new(binary("scan")?)
            .args(["admin", "--data"])
            .arg(&self.folder)
            .args(args)
            .envs(self.environment.iter().filter(|(name, _)| name != "FAILPOINTS").cloned())
            .output()?;
        if !output.status.success() {
            bail!("scan admin {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Runs `scan doctor --json` on this service. Returns its findings, and whether it succeeded.
    ///
    /// # Errors
    /// Returns an error if its output is not JSON.
    pub fn doctor(&self, args: &[&str]) -> anyhow::Result<(Vec<Value>, bool)> {
        let output = Command::new(binary("scan")?)
            .args(["doctor", "--json", "--data"])
            .arg(&self.folder)
            .args(args)
            .envs(self.environment.iter().filter(|(name, _)| name != "FAILPOINTS").cloned())
            .output()?;
        let json: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        let findings = json["findings"].as_array().cloned().context("no findings in the output")?;
        Ok((findings, output.status.success()))
    }

    /// Starts an additional `scan worker` for these queues with its own settings. Failpoints are
    /// disabled in it, and it is killed when dropped.
    ///
    /// # Errors
    /// Returns an error if the worker cannot be started.
    pub fn worker(&self, queues: &str, settings: &[(&str, &str)]) -> anyhow::Result<WorkerProcess> {
        // Several workers may serve the same queues.
        let log = self.folder.join(format!("worker-{queues}.log"));
        let log = std::fs::OpenOptions::new().create(true).append(true).open(log)?;
        let mut command = Command::new(binary("scan")?);
        command.args(["worker", "--queues", queues, "--data"]).arg(&self.folder);
        command.envs(self.environment.iter().filter(|(name, _)| name != "FAILPOINTS").cloned());
        command.envs(settings.iter().map(|(name, value)| (format!("SCAN__{name}"), *value)));
        let child = command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?;
        Ok(WorkerProcess(child))
    }

    /// Creates an account with a test key that has all scopes.
    ///
    /// # Errors
    /// Returns an error if a command fails.
    pub fn account(&self) -> anyhow::Result<Account> {
        let email = format!("{}@example.com", domain::RequestId::new());
        let account = self.admin(&["create-account", "--email", &email])?;
        self.account_with_key(&text(&account, "account_id")?)
    }

    /// Creates a test key with all scopes for an existing account.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub fn account_with_key(&self, account: &str) -> anyhow::Result<Account> {
        let key = self.admin(&["create-key", "--account", account, "--mode", "test"])?;
        Ok(Account { id: account.to_owned(), key_id: text(&key, "key_id")?, key: text(&key, "secret")? })
    }

    /// Connects to the database of the service, for setup that no command offers and to check
    /// invariants.
    ///
    /// # Errors
    /// Returns an error if the database is unavailable.
    pub async fn database(&self) -> anyhow::Result<Db> {
        let configured = self.environment.iter().find(|(name, _)| name == "SCAN__DATABASE__URL");
        let url = match configured {
            Some((_, url)) => url.to_str().context("the database URL is not UTF-8")?.to_owned(),
            None => format!("sqlite://{}", self.folder.join("scan.db").display()),
        };
        let settings = entities::Settings { url: domain::Secret::new(url), ..entities::Settings::default() };
        Ok(Db::connect(&settings).await?)
    }

    /// Registers the receiver for an account's test events and returns the signing secret.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub fn register(&self, account: &Account, receiver: &Receiver) -> anyhow::Result<String> {
        Ok(self.register_endpoint(account, receiver)?.1)
    }

    /// Registers the receiver and returns the endpoint's id and its signing secret.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub fn register_endpoint(
        &self,
        account: &Account,
        receiver: &Receiver,
    ) -> anyhow::Result<(String, String)> {
        let created = self.admin(&[
            "create-webhook",
            "--account",
            &account.id,
            "--mode",
            "test",
            "--url",
            &receiver.url(),
        ])?;
        Ok((text(&created, "endpoint_id")?, text(&created, "signing_secret")?))
    }

    /// Builds a client with this account's key.
    pub fn client(&self, account: &Account) -> ApiClient {
        ApiClient::new(self.api_url(), account.key.clone())
    }

    fn log_path(&self) -> PathBuf {
        self.folder.join("scan.log")
    }

    /// Returns the end of the log, for error messages.
    pub fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(self.log_path()).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

/// A worker process beside the service, killed when dropped.
pub struct WorkerProcess(Child);

impl WorkerProcess {
    pub(crate) fn new(child: Child) -> Self {
        Self(child)
    }

    /// Returns the process id.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("--- log of the service\n{}", self.log_tail());
        } else if self.was_ready {
            // The ledger must be consistent however the process ended.
            self.admin(&["verify-ledger"]).expect("a consistent ledger");
        }
    }
}

/// Returns the files in a folder and its folders. A missing folder has none.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Returns the settings of every test service: its ports and high rate limits.
fn default_settings(
    [api_port, admin_port, engine_port, ui_port, storage_port]: [u16; 5],
) -> Vec<(String, String)> {
    let settings = [
        ("SERVER__LISTEN", format!("127.0.0.1:{api_port}")),
        ("SERVER__ADMIN_LISTEN", format!("127.0.0.1:{admin_port}")),
        ("SERVER__PUBLIC_URL", format!("http://127.0.0.1:{api_port}")),
        ("EMBEDDED__ENGINE_PORT", engine_port.to_string()),
        ("EMBEDDED__UI_PORT", ui_port.to_string()),
        ("EMBEDDED__STORAGE_PORT", storage_port.to_string()),
        // Tests send many requests. The limits have their own tests.
        ("SERVER__LIMITS__PER_KEY__REQUESTS", "100000".to_owned()),
        ("SERVER__LIMITS__PER_KEY__WINDOW_SECONDS", "60".to_owned()),
        ("SERVER__LIMITS__PER_ADDRESS__REQUESTS", "100000".to_owned()),
        ("SERVER__LIMITS__PER_ADDRESS__WINDOW_SECONDS", "60".to_owned()),
    ];
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn text(value: &Value, field: &str) -> anyhow::Result<String> {
    value[field].as_str().map(str::to_owned).with_context(|| format!("no {field} in {value}"))
}

/// Returns the path of a program of this workspace.
///
/// # Errors
/// Returns an error if the program isn't built.
pub fn binary(name: &str) -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let folders = here.ancestors().skip(1).take(2);
    folders
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .with_context(|| format!("`{name}` is not built: cargo build -p cli --features failpoints"))
}

/// Writes a configuration that maps the receiver's host to the receiver and trusts its authority.
/// Everything else about vetting stays as in production.
fn webhook_config(folder: &Path, receiver: &Receiver) -> anyhow::Result<PathBuf> {
    let authority = folder.join("receiver-ca.pem");
    std::fs::write(&authority, receiver.authority_pem())?;
    let file = folder.join("receiver.toml");
    let text = format!(
        "[outbound.webhooks]\ntest_ca_file = {:?}\n[outbound.webhooks.dial_map]\n\"{}\" = \"{}\"\n",
        authority.display().to_string(),
        receiver::HOST,
        receiver.address()
    );
    std::fs::write(&file, text)?;
    Ok(file)
}
