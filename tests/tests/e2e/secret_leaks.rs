//! No secret, card number or password appears in logs, errors, events, metrics, the database, the
//! engine's database or workflow histories.

use std::path::{Path, PathBuf};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::{RequestId, key::random_text};
use entities::{Db, Reader, testing::TestDatabase};
use futures::StreamExt;
use harness::{
    Account, ApiClient, ApiResponse, ConsoleClient, Mailbox, Receiver, Service, ServiceOptions,
    api_client::id, clips::Clip,
};
use reqwest::Method;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use temporalio_client::{WorkflowFetchHistoryOptions, WorkflowListOptions};
use workflows::ScanWorkflow;

use crate::SCAN_TIMEOUT;

const EMAIL: &str = "ann@example.com";
/// A well-formed card number.
const CARD: &str = "4000056655665556";

/// The secrets, with a description of each.
#[derive(Default)]
struct Secrets(Vec<(&'static str, String)>);

impl Secrets {
    fn add(&mut self, description: &'static str, secret: impl Into<String>) -> String {
        let secret = secret.into();
        assert!(secret.len() >= 16, "{description} is too short to be distinguished from other bytes");
        self.0.push((description, secret.clone()));
        secret
    }

    /// Generates a secret.
    fn generate(&mut self, description: &'static str) -> String {
        self.add(description, random_text(32))
    }

    /// Returns the descriptions of the secrets that these bytes contain.
    fn found_in(&self, bytes: &[u8]) -> Vec<&'static str> {
        let found = |secret: &str| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        self.0.iter().filter(|(_, secret)| found(secret)).map(|(description, _)| *description).collect()
    }
}

/// A user who does everything that involves secrets, correctly and incorrectly.
struct LeakScenario {
    service: Service,
    secrets: Secrets,
    /// Responses that must not contain secrets.
    outputs: Vec<String>,
}

impl LeakScenario {
    fn record(&mut self, response: ApiResponse) -> ApiResponse {
        self.outputs.push(format!("{:?} {}", response.headers, response.body));
        response
    }

    /// Signs up, confirms the address, resets the password and logs in. Returns the console client.
    async fn use_account(&mut self, mailbox: &Mailbox) -> ConsoleClient {
        let mut ann = ConsoleClient::new(&self.service);
        let old = self.secrets.generate("password");
        let new = self.secrets.generate("new password");
        self.record(ann.sign_up(EMAIL, &old).await.expect(202));
        let mail = mailbox.await_message(SCAN_TIMEOUT, EMAIL, "Confirm your e-mail address").await;
        let token = self.secrets.add("confirmation token", mail.token());
        self.record(ann.post("/auth/confirm-email", json!({ "token": token })).await.expect(204));
        self.record(ann.post("/auth/confirm-email", json!({ "token": token })).await.expect(400));

        let wrong = self.secrets.generate("wrong password");
        self.record(ann.log_in(EMAIL, &wrong).await.expect(401));
        let query = format!("/auth/log-in?password={old}");
        self.record(ann.post(&query, json!({})).await.expect(400));
        self.record(ann.post("/auth/log-in", json!({ "email": EMAIL, "password": [old] })).await.expect(400));
        self.record(ann.post("/auth/log-in", json!({ "email": EMAIL, "pasword": old })).await.expect(400));
        self.record(ann.post("/auth/log-in", json!(old)).await.expect(400));

        ann.log_in(EMAIL, &old).await.expect(200);
        self.secrets.add("session", ann.cookie().expect("a session"));
        self.record(ann.post("/auth/forgot-password", json!({ "email": EMAIL })).await.expect(202));
        let mail = mailbox.await_message(SCAN_TIMEOUT, EMAIL, "Choose another password").await;
        let token = self.secrets.add("reset token", mail.token());
        let reset = json!({ "token": token, "password": new });
        self.record(ann.post("/auth/reset-password", reset.clone()).await.expect(204));
        self.record(ann.post("/auth/reset-password", reset).await.expect(400));
        let session = ann.log_in(EMAIL, &new).await.expect(200);
        self.secrets.add("second session", ann.cookie().expect("a session"));
        self.outputs.push(session.body.to_string());
        ann
    }

    /// Creates a key and a webhook endpoint, and sends both secrets to places where they don't
    /// belong.
    async fn use_keys(&mut self, ann: &ConsoleClient, receiver: &Receiver) -> ApiClient {
        let new = json!({ "name": "Server", "scopes": ["spaces:read", "spaces:write", "shares:write", "scans:read", "scans:write",
            "events:read", "wallet:read"] });
        let key = ann.post("/keys", new).await.expect(201);
        let secret = self.secrets.add("API key", key.text("secret"));
        let session = ann.get("/auth/session").await.expect(200).body;
        let account = Account {
            id: session["account"]["id"].as_str().unwrap().to_owned(),
            key_id: key.text("id"),
            key: secret.clone(),
        };
        let signing = self.service.register(&account, receiver).unwrap();
        self.secrets.add("webhook secret", signing);
        let stranger = ApiClient::new(self.service.api_url(), self.secrets.generate("unknown key"));
        self.record(stranger.get("/me").await.expect(401));
        let caller = self.service.client(&account);
        self.record(caller.get(&format!("/spaces?api_key={secret}")).await.expect(400));
        self.record(caller.get(&format!("/spaces/{secret}")).await.expect(404));
        self.record(caller.get("/me").await.expect(200));
        caller
    }

    /// Sends a card number to every endpoint that a user may mistake for a card form.
    async fn send_card_number(&mut self, ann: &ConsoleClient) {
        let card = self.secrets.add("card number", CARD);
        let body = json!({ "card": { "number": card }, "payment_method": card, "amount_cents": 1000 });
        for (method, path) in [
            (Method::PUT, "/billing/payment-method"),
            (Method::POST, "/billing/top-ups"),
            (Method::POST, "/keys"),
            (Method::POST, "/auth/sign-up"),
        ] {
            let response = ann.call(method, path, Some(body.clone())).await;
            assert!(response.status.is_client_error(), "{path}: {}", response.status);
            self.record(response);
        }
        let as_number = json!({ "email": EMAIL, "password": card.parse::<u64>().unwrap() });
        self.record(ann.post("/auth/log-in", as_number).await.expect(400));
    }

    /// Runs a scan that completes and one that fails, with their events.
    async fn run_scans(&mut self, caller: &ApiClient, receiver: &Receiver) -> Vec<String> {
        let clip = Clip::moving(3);
        let half = Clip::raw(clip.bytes[..clip.bytes.len() / 2].to_vec());
        let mut scans = Vec::new();
        for (clip, status, event) in [(&clip, "complete", "completed"), (&half, "failed", "failed")] {
            let scan = caller.create_uploaded_scan(clip).await;
            caller.start(&scan).await.expect(202);
            let done = caller.await_status(&scan, status, SCAN_TIMEOUT).await;
            self.outputs.push(done.to_string());
            let event = format!("evt_{}_{event}", id(&scan));
            let sent = receiver.await_request(SCAN_TIMEOUT, |r| r.event_id == event).await;
            self.outputs.push(format!("{sent:?} {}", sent.json()));
            scans.push(id(&scan).to_owned());
        }
        scans
    }

    /// Shares the document of a complete scan, and reads it by the link.
    async fn share(&mut self, caller: &ApiClient, scan: &str) {
        let space = caller.get(&format!("/scans/{scan}")).await.expect(200).text("space_id");
        let shares = format!("/spaces/{space}/shares");
        let share = caller.post(&shares, json!({})).await.expect(201).text("url");
        let token = share.split_once('#').expect("a fragment").1.to_owned();
        let secret = token.split_once('.').expect("a signature").0;
        self.secrets.add("share link", secret);
        let read = harness::http_client().get(format!("{}/shared-document", self.service.api_url()));
        let read = read.header("scan-share", token).send().await.unwrap();
        assert_eq!(read.status(), 200);
        self.outputs.push(read.text().await.unwrap());
        self.record(caller.get(&shares).await.expect(200));
    }

    /// Requests everything that the user may read.
    async fn read_everything(&mut self, ann: &ConsoleClient, caller: &ApiClient) {
        for path in ["/auth/audit-log", "/auth/session", "/keys"] {
            self.record(ann.get(path).await.expect(200));
        }
        for path in ["/events", "/wallet", "/spaces", "/openapi.json"] {
            self.record(caller.get(path).await.expect(200));
        }
        let metrics = harness::http_client().get(format!("{}/metrics", self.service.admin_url()));
        self.outputs.push(metrics.send().await.unwrap().text().await.unwrap());
    }

    /// Returns all workflow histories, with decoded payloads.
    async fn histories(&self) -> String {
        let engine = self.service.engine();
        let client = engine.client().await.unwrap();
        let mut all = client.list_workflows("", WorkflowListOptions::default());
        let mut text = String::new();
        while let Some(workflow) = all.next().await {
            let workflow = workflow.unwrap();
            let handle = client.get_workflow_handle::<ScanWorkflow>(workflow.id());
            let history = handle.fetch_history(WorkflowFetchHistoryOptions::default());
            let json: Value = serde_json::from_slice(&history.to_json().await.unwrap()).unwrap();
            collect_texts(&json, &mut text);
        }
        text
    }
}

/// Collects all texts of a history, and decodes base64 ones.
fn collect_texts(json: &Value, into: &mut String) {
    match json {
        Value::String(text) => {
            *into += text;
            into.push('\n');
            if let Ok(bytes) = BASE64_STANDARD.decode(text) {
                *into += &String::from_utf8_lossy(&bytes);
                into.push('\n');
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, into)),
        Value::Object(fields) => fields.values().for_each(|value| collect_texts(value, into)),
        _ => {}
    }
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Adds the quoted values of `secrets.toml`.
fn add_installation_secrets(folder: &Path, secrets: &mut Secrets) {
    let text = std::fs::read_to_string(folder.join("secrets.toml")).unwrap();
    let long = text.split('"').skip(1).step_by(2).filter(|value| value.len() >= 16);
    long.for_each(|value| drop(secrets.add("secret of the installation", value)));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_leaks_anywhere() {
    let (mailbox, receiver) = (Mailbox::start().await.unwrap(), Receiver::start().await.unwrap());
    let mut secrets = Secrets::default();
    let options = mailbox
        .configure(ServiceOptions::default())
        .set("OUTBOUND__MAIL__SMTP__USERNAME", "scan")
        .set("OUTBOUND__MAIL__SMTP__PASSWORD", secrets.generate("password of the mail relay"))
        // More verbose than any log level of production.
        .set("LOG__FILTER", "debug");
    let service = Service::start(options, Some(&receiver)).await.unwrap();
    add_installation_secrets(service.folder(), &mut secrets);
    let mut scenario = LeakScenario { service, secrets, outputs: Vec::new() };
    let ann = scenario.use_account(&mailbox).await;
    let caller = scenario.use_keys(&ann, &receiver).await;
    scenario.send_card_number(&ann).await;
    let scans = scenario.run_scans(&caller, &receiver).await;
    scenario.share(&caller, &scans[0]).await;
    scenario.read_everything(&ann, &caller).await;

    let histories = scenario.histories().await;
    for scan in &scans {
        assert!(histories.contains(&format!("\"scan_id\":\"{scan}\"")), "the payloads of {scan} can be read");
    }
    assert_eq!(scenario.secrets.found_in(histories.as_bytes()), Vec::<&str>::new(), "in workflow histories");
    for output in &scenario.outputs {
        assert_eq!(scenario.secrets.found_in(output.as_bytes()), Vec::<&str>::new(), "in {output}");
    }
    scenario.service.stop().await;
    let mut checked_files = 0;
    for file in files(scenario.service.folder()) {
        if file.ends_with("secrets.toml") {
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        assert_eq!(scenario.secrets.found_in(&bytes), Vec::<&str>::new(), "in {}", file.display());
        checked_files += usize::from(
            ["scan.log", "scan.db", "temporal.db", "temporal.log"].iter().any(|n| file.ends_with(n)),
        );
    }
    assert_eq!(checked_files, 4, "logs and databases were checked");

    // The control: text that isn't secret is found in each of these places, so a secret would be
    // found too.
    let known = Secrets(vec![("scan", scans[0].clone())]);
    for place in ["scan.log", "scan.db", "engine/temporal.db"] {
        let bytes = read_with_wal(&scenario.service.folder().join(place));
        assert_eq!(known.found_in(&bytes), ["scan"], "the search misses {place}");
    }
}

/// Returns the contents of a file and of the database's write-ahead log beside it, which may
/// contain recent writes if the process was killed.
fn read_with_wal(path: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap();
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    bytes.extend(std::fs::read(log).unwrap_or_default());
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn database_password_is_not_logged_when_the_database_rejects_it() {
    let Some(database) = TestDatabase::postgres().await else { return };
    let mut secrets = Secrets::default();
    let (role, password) = (random_role(), secrets.generate("password of the database"));
    let admin = Db::connect(database.settings()).await.unwrap();
    let run =
        async |statement: String| admin.conn().execute_unprepared(&statement).await.expect("the admin may");
    run(format!("CREATE ROLE {role} LOGIN SUPERUSER PASSWORD '{password}'")).await;
    let url = database.settings().url.reveal();
    let (_, host) = url.rsplit_once('@').expect("a URL with a user");
    let options = ServiceOptions::default()
        .set("DATABASE__URL", format!("postgres://{role}:{password}@{host}"))
        .set("LOG__FILTER", "debug");
    let service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    caller.get("/me").await.expect(200);

    run(format!("ALTER ROLE {role} NOLOGIN")).await;
    let end = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'");
    run(end.clone()).await;
    let refused = harness::until("a refusal", SCAN_TIMEOUT, async || {
        let response = caller.get("/me").await;
        response.status.is_server_error().then_some(response)
    })
    .await;
    assert_eq!(secrets.found_in(refused.body.to_string().as_bytes()), Vec::<&str>::new());
    let admin_refused = service.account().expect_err("the command is refused, too").to_string();
    assert_eq!(secrets.found_in(admin_refused.as_bytes()), Vec::<&str>::new());
    let log = std::fs::read(service.folder().join("scan.log")).unwrap();
    let known = Secrets(vec![("refusal", format!("role \"{role}\" is not permitted to log in"))]);
    assert_eq!(known.found_in(&log), ["refusal"], "the rejection is logged");
    assert_eq!(secrets.found_in(&log), Vec::<&str>::new());

    // Allows the ledger to be verified and the database to be dropped.
    run(format!("ALTER ROLE {role} LOGIN")).await;
    drop(service);
    run(end).await;
    run(format!("REASSIGN OWNED BY {role} TO CURRENT_USER")).await;
    run(format!("DROP OWNED BY {role}")).await;
    run(format!("DROP ROLE {role}")).await;
    admin.close().await.unwrap();
    database.drop_database().await;
}

fn random_role() -> String {
    RequestId::new().to_string()
}
