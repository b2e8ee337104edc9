//! The real service as a child process, in a folder of its own.

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

use crate::{ApiClient, Receiver, ports, receiver, wait};

/// How long the service may take from start to ready. The dev server makes its database first.
const READY: Duration = Duration::from_secs(90);

/// What differs from a plain `scan up`.
#[derive(Default)]
pub struct ServiceOptions {
    /// More configuration: `SECTION__NAME` and value.
    pub settings: Vec<(String, String)>,
    /// Where the process stops, in the syntax of failpoints.
    pub failpoints: Option<String>,
    /// Keep state here instead of in a temporary folder.
    pub folder: Option<PathBuf>,
    /// Show the log instead of writing it to a file.
    pub show_log: bool,
    /// Use the usual ports instead of free ones.
    pub usual_ports: bool,
}

impl ServiceOptions {
    /// Adds a setting.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl ToString) -> Self {
        self.settings.push((name.to_owned(), value.to_string()));
        self
    }
}

/// A running `scan up`. When dropped it is killed, with all its children, and its books are checked.
pub struct Service {
    child: Option<Child>,
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
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
    /// Its id.
    pub id: String,
    /// The id of its key.
    pub key_id: String,
    /// The secret of its key.
    pub key: String,
}

impl Service {
    /// Starts the service and waits until it is ready. Webhooks for the receiver's name lead to it.
    ///
    /// # Errors
    /// When the binary is missing, or the service does not become ready.
    pub async fn start(options: ServiceOptions, receiver: Option<&Receiver>) -> anyhow::Result<Self> {
        let temporary = if options.folder.is_none() { Some(tempfile::tempdir()?) } else { None };
        let folder = match (&options.folder, &temporary) {
            (Some(folder), _) => folder.clone(),
            (None, Some(temporary)) => temporary.path().join("data"),
            (None, None) => bail!("no folder"),
        };
        std::fs::create_dir_all(&folder)?;
        let [api_port, admin_port, engine_port, ui_port, storage_port] =
            if options.usual_ports { [8080, 8081, 7233, 8233, 9000] } else { ports::free() };
        let mut settings = vec![
            ("SERVER__LISTEN".to_owned(), format!("127.0.0.1:{api_port}")),
            ("SERVER__ADMIN_LISTEN".to_owned(), format!("127.0.0.1:{admin_port}")),
            ("SERVER__PUBLIC_URL".to_owned(), format!("http://127.0.0.1:{api_port}")),
            ("EMBEDDED__ENGINE_PORT".to_owned(), engine_port.to_string()),
            ("EMBEDDED__UI_PORT".to_owned(), ui_port.to_string()),
            ("EMBEDDED__STORAGE_PORT".to_owned(), storage_port.to_string()),
            // Tests ask often; the limits are tested where they live.
            ("SERVER__LIMITS__PER_KEY__REQUESTS".to_owned(), "100000".to_owned()),
            ("SERVER__LIMITS__PER_KEY__WINDOW_SECONDS".to_owned(), "60".to_owned()),
            ("SERVER__LIMITS__PER_ADDRESS__REQUESTS".to_owned(), "100000".to_owned()),
            ("SERVER__LIMITS__PER_ADDRESS__WINDOW_SECONDS".to_owned(), "60".to_owned()),
        ];
        settings.extend(options.settings);
        let mut environment: Vec<(OsString, OsString)> = settings
            .into_iter()
            .map(|(name, value)| (format!("SCAN__{name}").into(), value.into()))
            .collect();
        if let Some(receiver) = receiver {
            environment.push(("SCAN_CONFIG".into(), webhook_config(&folder, receiver)?.into()));
        }
        if let Some(failpoints) = options.failpoints {
            environment.push(("FAILPOINTS".into(), failpoints.into()));
        }
        let mut service = Self {
            child: None,
            folder,
            environment,
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

    /// Starts the process again over the same folder, after [`Service::kill`]. Failpoints are off then.
    ///
    /// # Errors
    /// When it does not become ready.
    pub async fn restart(&mut self) -> anyhow::Result<()> {
        self.environment.retain(|(name, _)| name != "FAILPOINTS");
        self.launch().await
    }

    /// As [`Service::restart`], with other places where the process stops.
    ///
    /// # Errors
    /// When it does not become ready.
    pub async fn restart_until(&mut self, failpoints: &str) -> anyhow::Result<()> {
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
        while started.elapsed() < READY {
            if let Some(status) = self.child.as_mut().and_then(|c| c.try_wait().ok().flatten()) {
                bail!("the service ended with {status}:\n{}", self.log_tail());
            }
            if http.get(&ready).send().await.is_ok_and(|r| r.status().is_success()) {
                self.was_ready = true;
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        bail!("the service was not ready in {READY:?}:\n{}", self.log_tail())
    }

    /// Kills the process as a crash would (signal 9).
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Dead already is as good.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Asks the process to stop, and says how it ended.
    ///
    /// # Panics
    /// When it is not running, or does not stop.
    pub async fn stop(&mut self) -> std::process::ExitStatus {
        let mut child = self.child.take().expect("a running service");
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
        kill(pid, Signal::SIGTERM).expect("the service takes signals");
        wait::until("the service to stop", Duration::from_secs(60), async || child.try_wait().ok().flatten())
            .await
    }

    /// The process id, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// The address of the API, with its version.
    pub fn api_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.api_port)
    }

    /// The address of the admin port.
    pub fn admin_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.admin_port)
    }

    /// The address of the engine.
    pub fn engine_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.engine_port)
    }

    /// The address of the object storage.
    pub fn storage_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.storage_port)
    }

    /// The scan's page in Temporal's Web UI.
    pub fn workflow_url(&self, scan: &str) -> String {
        format!("http://127.0.0.1:{}/namespaces/default/workflows/scan:{scan}", self.ui_port)
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs `scan admin …` on this service's data and reads what it prints.
    ///
    /// # Errors
    /// When the command fails.
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

    /// Starts a `scan worker` beside it, that shares the work of these queues and has these settings of its own.
    /// Failpoints are off in it, and it is killed when dropped.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn worker(&self, queues: &str, settings: &[(&str, &str)]) -> anyhow::Result<Helper> {
        let log = std::fs::File::create(self.folder.join(format!("worker-{queues}.log")))?;
        let mut command = Command::new(binary("scan")?);
        command.args(["worker", "--queues", queues, "--data"]).arg(&self.folder);
        command.envs(self.environment.iter().filter(|(name, _)| name != "FAILPOINTS").cloned());
        command.envs(settings.iter().map(|(name, value)| (format!("SCAN__{name}"), *value)));
        let child = command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?;
        Ok(Helper(child))
    }

    /// Makes an account with a test key that may do everything.
    ///
    /// # Errors
    /// When a command fails.
    pub fn account(&self) -> anyhow::Result<Account> {
        let email = format!("{}@example.com", domain::RequestId::new());
        let account = self.admin(&["create-account", "--email", &email])?;
        self.account_with_key(&text(&account, "account_id")?)
    }

    /// Makes a test key that may do everything, for an account that is there.
    ///
    /// # Errors
    /// When the command fails.
    pub fn account_with_key(&self, account: &str) -> anyhow::Result<Account> {
        let key = self.admin(&["create-key", "--account", account, "--mode", "test"])?;
        Ok(Account { id: account.to_owned(), key_id: text(&key, "key_id")?, key: text(&key, "secret")? })
    }

    /// The service's database: for what no command sets up, and to check invariants.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn database(&self) -> anyhow::Result<Db> {
        let configured = self.environment.iter().find(|(name, _)| name == "SCAN__DATABASE__URL");
        let url = match configured {
            Some((_, url)) => url.to_str().context("the database's address is text")?.to_owned(),
            None => format!("sqlite://{}", self.folder.join("scan.db").display()),
        };
        let settings = entities::Settings { url: domain::Secret::new(url), ..entities::Settings::default() };
        Ok(Db::connect(&settings).await?)
    }

    /// Registers the receiver for an account's test events, and answers the signing secret.
    ///
    /// # Errors
    /// When the command fails.
    pub fn register(&self, account: &Account, receiver: &Receiver) -> anyhow::Result<String> {
        Ok(self.register_endpoint(account, receiver)?.1)
    }

    /// Registers the receiver, and answers the endpoint's id and its signing secret.
    ///
    /// # Errors
    /// When the command fails.
    pub fn register_endpoint(
        &self,
        account: &Account,
        receiver: &Receiver,
    ) -> anyhow::Result<(String, String)> {
        let made = self.admin(&[
            "create-webhook",
            "--account",
            &account.id,
            "--mode",
            "test",
            "--url",
            &receiver.url(),
        ])?;
        Ok((text(&made, "endpoint_id")?, text(&made, "signing_secret")?))
    }

    /// A caller with this account's key.
    pub fn client(&self, account: &Account) -> ApiClient {
        ApiClient::new(self.api_url(), account.key.clone())
    }

    fn log_path(&self) -> PathBuf {
        self.folder.join("scan.log")
    }

    /// The end of the log, for messages.
    pub fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(self.log_path()).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

/// A process beside the service, killed when dropped.
pub struct Helper(Child);

impl Helper {
    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // Dead already is as good.
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
            // However the process ended: what it wrote must add up.
            self.admin(&["verify-ledger"]).expect("books that are right");
        }
    }
}

fn text(value: &Value, field: &str) -> anyhow::Result<String> {
    value[field].as_str().map(str::to_owned).with_context(|| format!("no {field} in {value}"))
}

/// A program of this workspace, built beside this one.
///
/// # Errors
/// When it is not built.
pub fn binary(name: &str) -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let folders = here.ancestors().skip(1).take(2);
    folders
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .with_context(|| format!("`{name}` is not built: cargo build -p cli --features failpoints"))
}

/// Configuration that leads the receiver's name to it. Vetting is the real one: only the look-up and the
/// authority are replaced.
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
