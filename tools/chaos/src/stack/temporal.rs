//! Temporal's server on PostgreSQL, with its Web UI.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use cli::serve::temporal::find_command;
use harness::ports;
use temporary_postgres::Postgres;

use super::{
    Process, ProgramLine, Programs,
    postgres::{address_of, administrator},
};

/// Databases of the server, and the folder of the schema of each in the schema tool.
const DATABASES: [(&str, &str); 2] =
    [("temporal", "postgresql/v12/temporal"), ("temporal_visibility", "postgresql/v12/visibility")];
/// Maximum time until the server responds.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// Retention of closed workflows.
const RETENTION: &str = "720h";

/// Addresses and files of the server.
#[derive(Debug)]
pub(super) struct Temporal {
    /// Address of the gRPC API.
    pub(super) frontend: SocketAddr,
    /// Address of the Web UI.
    pub(super) ui: SocketAddr,
    folder: PathBuf,
}

impl Temporal {
    /// Creates the databases and the configuration of the server.
    pub(super) fn prepare(programs: &Programs, server: &Postgres, folder: &Path) -> anyhow::Result<Self> {
        for (database, schema) in DATABASES {
            let tool = |arguments: &[&str]| run_tool(programs, server, database, arguments);
            tool(&["create-database"])?;
            tool(&["setup-schema", "-v", "0.0"])?;
            tool(&["update-schema", "--schema-name", schema])?;
        }
        let [frontend, ui] = ports::free().map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        let folder = folder.to_owned();
        let configuration = folder.join("temporal");
        fs::create_dir_all(&configuration)?;
        fs::write(configuration.join("stack.yaml"), configuration_text(server, frontend)?)?;
        fs::write(configuration.join("stack-ui.yaml"), ui_text(frontend, ui))?;
        Ok(Self { frontend, ui, folder })
    }

    /// Starts the server: all four roles in one process.
    pub(super) fn server(&self, programs: &Programs) -> anyhow::Result<Process> {
        let mut line = ProgramLine::new(super::TEMPORAL, programs.temporal_server.clone(), &self.folder);
        line.arguments = self.arguments("stack");
        line.arguments.insert(line.arguments.len() - 1, "--allow-no-auth".to_owned());
        Process::start(line)
    }

    /// Starts the Web UI.
    pub(super) fn web_ui(&self, programs: &Programs) -> anyhow::Result<Process> {
        let mut line = ProgramLine::new("temporal-ui", programs.temporal_ui.clone(), &self.folder);
        line.arguments = self.arguments("stack-ui");
        Process::start(line)
    }

    fn arguments(&self, environment: &str) -> Vec<String> {
        let root = self.folder.display().to_string();
        let arguments = ["--root", &root, "--config", "temporal", "--env", environment, "start"];
        arguments.iter().map(|&argument| argument.to_owned()).collect()
    }

    /// Waits for the server, and creates the namespace.
    pub(super) async fn create_namespace(&self, namespace: &str) -> anyhow::Result<()> {
        let (command, address) = (find_command()?, self.frontend.to_string());
        let started = Instant::now();
        loop {
            let mut create = tokio::process::Command::new(&command);
            create.args(["operator", "namespace", "create", "--namespace", namespace]);
            create.args(["--retention", RETENTION, "--address", &address]);
            let output = create.output().await?;
            if output.status.success() {
                return Ok(());
            }
            if started.elapsed() > START_TIMEOUT {
                let log = fs::read_to_string(self.folder.join("log/temporal.log")).unwrap_or_default();
                bail!("{}\n{log}", String::from_utf8_lossy(&output.stderr));
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }
}

/// Runs the schema tool.
fn run_tool(
    programs: &Programs,
    server: &Postgres,
    database: &str,
    arguments: &[&str],
) -> anyhow::Result<()> {
    let (user, password) = administrator(server)?;
    let port = address_of(server)?.port().to_string();
    let mut tool = Command::new(&programs.temporal_sql_tool);
    tool.args(["--plugin", "postgres12", "--endpoint", "127.0.0.1", "--port", &port]);
    tool.args(["--user", &user, "--database", database]).args(arguments).env("SQL_PASSWORD", password);
    let output = tool.output().context("the schema tool could not be started")?;
    ensure!(
        output.status.success(),
        "the schema tool failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// Returns the server's static configuration. Its membership ports lie below 32768: it stores them in a
/// column of two bytes.
fn configuration_text(server: &Postgres, frontend: SocketAddr) -> anyhow::Result<String> {
    let (user, password) = administrator(server)?;
    let database = address_of(server)?;
    let store = |name: &str, connections: u32| {
        format!(
            "      sql: {{ pluginName: postgres12, databaseName: {name}, connectAddr: \"{database}\",\n\
             \x20       connectProtocol: tcp, user: {user}, password: \"{password}\",\n\
             \x20       maxConns: {connections}, maxIdleConns: {connections}, maxConnLifetime: 1h }}\n"
        )
    };
    let [frontend_member, http, matching, matching_member, history, history_member, worker, worker_member] =
        ports::free();
    let grpc = frontend.port();
    let role = |name: &str, port: u16, member: u16, more: String| {
        format!(
            "  {name}: {{ rpc: {{ grpcPort: {port}, membershipPort: {member}, bindOnLocalHost: true{more} }} }}\n"
        )
    };
    Ok([
        "log: { stdout: true, level: warn }\n".to_owned(),
        "persistence:\n  defaultStore: main\n  visibilityStore: visibility\n  numHistoryShards: 16\n"
            .to_owned(),
        "  datastores:\n    main:\n".to_owned(),
        store("temporal", 20),
        "    visibility:\n".to_owned(),
        store("temporal_visibility", 10),
        "global: { membership: { maxJoinDuration: 30s, broadcastAddress: 127.0.0.1 } }\n".to_owned(),
        "services:\n".to_owned(),
        role("frontend", grpc, frontend_member, format!(", httpPort: {http}")),
        role("matching", matching, matching_member, String::new()),
        role("history", history, history_member, String::new()),
        role("worker", worker, worker_member, String::new()),
        "clusterMetadata:\n  enableGlobalNamespace: false\n  failoverVersionIncrement: 10\n".to_owned(),
        "  masterClusterName: active\n  currentClusterName: active\n  clusterInformation:\n".to_owned(),
        "    active: { enabled: true, initialFailoverVersion: 1, rpcName: frontend, ".to_owned(),
        format!("rpcAddress: \"{frontend}\" }}\n"),
        "dcRedirectionPolicy: { policy: noop }\n".to_owned(),
        format!("dynamicConfigClient: {{ filepath: \"{}\", pollInterval: 10s }}\n", dynamic_configuration()),
    ]
    .concat())
}

/// Returns the file that an operator gives to the server (`docs/operating.md`).
fn dynamic_configuration() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = here.ancestors().nth(2).unwrap_or(here);
    workspace.join("temporal-dynamic-config.yaml").display().to_string()
}

fn ui_text(frontend: SocketAddr, ui: SocketAddr) -> String {
    format!(
        "temporalGrpcAddress: {frontend}\nhost: {}\nport: {}\nenableUi: true\n\
         cors: {{ allowOrigins: [\"http://{ui}\"] }}\ndefaultNamespace: {}\n",
        ui.ip(),
        ui.port(),
        super::NAMESPACE
    )
}
