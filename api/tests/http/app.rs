//! The API under test on its own port, and clients for it.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use api::{App, AppDependencies, Settings, limits::RateLimiter, metrics::Metrics};
use domain::{
    RotatingSecret, Secret, Timestamp, Token, key::KeySecret, language::LanguageModels, mode::Tenant,
    money::Cents, scope::Scope,
};
use entities::{
    Db, Json, KeyRow, api_keys, sessions,
    testing::{self, TestDatabase},
    users,
};
use media::{ObjectStore, embedded, objects, scratch::ScratchRoot};
use outbound::payments::{PaymentProviders, SimulatedSettings, simulated::Bank};
use reqwest::{
    Method, RequestBuilder,
    header::{HeaderMap, HeaderValue},
};
use serde_json::Value;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{contract_checks, in_process_engine::InProcessEngine, webhook_receivers::Receivers};

/// Signs cursors and evidence URLs.
pub(crate) const SECRET: &str = "signs cursors and evidence in tests";

/// The statuses that each operation has returned.
pub(crate) type ReturnedStatuses = BTreeSet<(&'static str, u16)>;

/// A running API.
pub(crate) struct TestApp {
    pub(crate) app: App,
    pub(crate) address: SocketAddr,
    pub(crate) engine: Arc<InProcessEngine>,
    /// The simulated bank of both modes.
    pub(crate) bank: Bank,
    pub(crate) receivers: Receivers,
    pub(crate) client: reqwest::Client,
    returned_statuses: Arc<Mutex<ReturnedStatuses>>,
    database: Option<TestDatabase>,
    finished: bool,
    _storage: embedded::Server,
    _folder: tempfile::TempDir,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
}

/// What differs between the installations that tests start.
struct Installation {
    /// Whether clients can reach storage.
    public_storage: bool,
    /// Whether live mode has a payment provider.
    live_payments: bool,
    language: LanguageModels,
    signing_secrets: RotatingSecret,
}

impl Default for Installation {
    fn default() -> Self {
        Self {
            public_storage: false,
            live_payments: true,
            language: LanguageModels::default(),
            signing_secrets: Secret::new(SECRET).into(),
        }
    }
}

/// An account with an API key.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) tenant: Tenant,
    pub(crate) key: KeyRow,
    pub(crate) secret: String,
}

/// A user who is logged in to the console.
#[derive(Clone)]
pub(crate) struct ConsoleUser {
    pub(crate) tenant: Tenant,
    pub(crate) email: String,
    pub(crate) secret: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
    pub(crate) body: Value,
}

impl ApiResponse {
    /// Asserts the status and returns the response.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.bytes));
        self
    }

    /// Asserts the error code and returns the response.
    #[track_caller]
    pub(crate) fn expect_error(self, status: u16, code: &str) -> Self {
        let this = self.expect(status);
        assert_eq!(this.body["error"]["code"], code, "{}", this.body);
        this
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap_or("not text"))
    }

    /// Returns the names of the fields that a `VALIDATION_FAILED` error reports.
    pub(crate) fn invalid_fields(&self) -> Vec<&str> {
        let fields = self.body["error"]["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
        fields.iter().filter_map(|field| field["field"].as_str()).collect()
    }
}

/// A request builder.
pub(crate) struct Call {
    method: Method,
    path: String,
    origin: String,
    request: RequestBuilder,
    returned_statuses: Arc<Mutex<ReturnedStatuses>>,
}

impl Call {
    pub(crate) fn key(self, client: &Client) -> Self {
        self.header("authorization", &format!("Bearer {}", client.secret))
    }

    /// Sets the session cookie and the origin, like the console's pages.
    pub(crate) fn session(self, user: &ConsoleUser) -> Self {
        self.header("cookie", &format!("scan_session={}", user.secret)).same_origin()
    }

    /// Sets the origin of the service's own pages.
    pub(crate) fn same_origin(self) -> Self {
        let origin = self.origin.clone();
        self.header("origin", &origin)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// Adds a header whose value may be any bytes.
    pub(crate) fn raw_header(mut self, name: &str, value: HeaderValue) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn json(mut self, body: Value) -> Self {
        self.request = self.request.json(&body);
        self
    }

    pub(crate) fn body(mut self, body: impl Into<reqwest::Body>) -> Self {
        self.request = self.request.body(body);
        self
    }

    /// Builds the request without sending it.
    pub(crate) fn build(self) -> reqwest::Request {
        self.request.build().expect("a valid request")
    }

    /// Sends the request and checks the response against the contract.
    pub(crate) async fn send(self) -> ApiResponse {
        let response = self.request.send().await.expect("a response");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.expect("a complete response").to_vec();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let response = ApiResponse { status, headers, bytes, body };
        contract_checks::check(self.method.as_str(), &self.path, &response);
        record_status(&self.returned_statuses, &self.method, &self.path, status);
        response
    }

    /// Sends a request whose response may be an endless stream. Reads the body of errors only.
    pub(crate) async fn send_streaming(self) -> ApiResponse {
        let (method, path) = (self.method.clone(), self.path.clone());
        let response = self.open().await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes =
            if response.status().is_success() { Default::default() } else { response.bytes().await.unwrap() };
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let response = ApiResponse { status, headers, bytes: bytes.to_vec(), body };
        contract_checks::check(method.as_str(), &path, &response);
        response
    }

    /// Sends the request and returns the response without reading its body.
    pub(crate) async fn open(self) -> reqwest::Response {
        let response = self.request.send().await.expect("a response");
        record_status(&self.returned_statuses, &self.method, &self.path, response.status().as_u16());
        response
    }
}

fn record_status(returned_statuses: &Mutex<ReturnedStatuses>, method: &Method, path: &str, status: u16) {
    if let Some(endpoint) = contract_checks::endpoint(method.as_str(), path) {
        returned_statuses.lock().unwrap().insert((endpoint.operation, status));
    }
}

impl TestApp {
    /// Starts the API on one database, with high rate limits.
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// Starts the API with other settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::start_on(TestDatabase::one().await, Installation::default(), change).await
    }

    /// Starts the API with storage that clients can reach.
    pub(crate) async fn with_public_storage() -> Self {
        let installation = Installation { public_storage: true, ..Installation::default() };
        Self::start_on(TestDatabase::one().await, installation, |_| {}).await
    }

    /// Starts the API without a payment provider for live mode.
    pub(crate) async fn without_live_payments() -> Self {
        let installation = Installation { live_payments: false, ..Installation::default() };
        Self::start_on(TestDatabase::one().await, installation, |_| {}).await
    }

    /// Runs a test on each available database.
    pub(crate) async fn on_each_database(test: impl AsyncFn(&TestApp)) {
        for database in testing::databases().await {
            let app = Self::start_on(database, Installation::default(), |_| {}).await;
            test(&app).await;
            app.finish().await;
        }
    }

    /// Starts the API with language models and other settings.
    pub(crate) async fn with_models(language: LanguageModels, change: impl FnOnce(&mut Settings)) -> Self {
        let installation = Installation { language, ..Installation::default() };
        Self::start_on(TestDatabase::one().await, installation, change).await
    }

    /// Starts an instance for each of these secrets. They share a database, and each has its own storage.
    /// The first one must finish last, because it drops the database.
    pub(crate) async fn with_secrets(all: Vec<RotatingSecret>) -> Vec<Self> {
        let mut database = Some(TestDatabase::one().await);
        let connection = database.as_ref().map(|database| database.settings().clone()).unwrap();
        let mut instances = Vec::new();
        for signing_secrets in all {
            let installation = Installation { signing_secrets, ..Installation::default() };
            let instance = match database.take() {
                Some(database) => Self::start_on(database, installation, |_| {}).await,
                None => {
                    let db = Db::connect(&connection).await.unwrap();
                    Self::start_with_db(db, None, installation, |_| {}).await
                }
            };
            instances.push(instance);
        }
        instances
    }

    /// Runs a test on two instances of the API that share a database, on each available database.
    /// Each instance has its own connections and memory, like a process.
    pub(crate) async fn on_two_instances(test: impl AsyncFn(&[TestApp; 2])) {
        for database in testing::databases().await {
            let settings = database.settings().clone();
            let first = Self::start_on(database, Installation::default(), |_| {}).await;
            let other_db = Db::connect(&settings).await.unwrap();
            let second = Self::start_with_db(other_db, None, Installation::default(), |_| {}).await;
            let both = [first, second];
            test(&both).await;
            let [first, second] = both;
            second.finish().await;
            first.finish().await;
        }
    }

    async fn start_on(
        database: TestDatabase,
        installation: Installation,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        Self::start_with_db(database.db().clone(), Some(database), installation, change).await
    }

    /// Runs a test with language models on each available database.
    pub(crate) async fn on_each_database_with_models(language: LanguageModels, test: impl AsyncFn(&TestApp)) {
        for database in testing::databases().await {
            let installation = Installation { language: language.clone(), ..Installation::default() };
            let app = Self::start_on(database, installation, |_| {}).await;
            test(&app).await;
            app.finish().await;
        }
    }

    /// Starts the API on these connections. Drops `database`, if given, when the app finishes.
    async fn start_with_db(
        db: Db,
        database: Option<TestDatabase>,
        installation: Installation,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (storage, objects) = storage(folder.path(), installation.public_storage).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut settings = Settings { public_url: format!("http://{address}"), ..Settings::default() };
        settings.limits.per_key.requests = 100_000;
        settings.limits.per_address.requests = 100_000;
        settings.limits.webhook_sends.requests = 100_000;
        settings.limits.test_scans_daily.requests = 100_000;
        settings.console.sign_up_per_address.requests = 100_000;
        settings.console.log_in_per_address.requests = 100_000;
        settings.console.mail_per_address.requests = 100_000;
        change(&mut settings);
        assert_eq!(settings.defects(), Vec::<String>::new());
        let bank = Bank::open(&SimulatedSettings::default()).unwrap();
        let bank = bank.with_console(Some(format!("http://{address}/console")));
        let banks = if installation.live_payments {
            PaymentProviders::new(Arc::new(bank.clone()), bank.clone())
        } else {
            PaymentProviders::without_live(bank.clone())
        };
        let engine = Arc::new(InProcessEngine::new(db.clone(), banks.clone()));
        let receivers = Receivers::start().await;
        let app = App::new(AppDependencies {
            db,
            objects,
            engine: engine.clone(),
            signing_secrets: installation.signing_secrets,
            banks,
            scratch: ScratchRoot::open(&folder.path().join("scratch")).unwrap(),
            limiter: RateLimiter::new(&settings.limits).unwrap(),
            webhooks: receivers.webhooks(),
            language: installation.language,
            metrics: Metrics::new(prometheus::Registry::new()).unwrap(),
            settings,
        });
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(api::http::server::serve(listener, app.clone(), async {
            let _ = stopped.await;
        }));
        let client = reqwest::Client::builder().timeout(Duration::from_secs(60)).no_proxy().build().unwrap();
        Self {
            app,
            address,
            engine,
            bank,
            receivers,
            client,
            returned_statuses: Arc::default(),
            database,
            finished: false,
            _storage: storage,
            _folder: folder,
            stop: Some(stop),
            serving,
        }
    }

    pub(crate) fn db(&self) -> &Db {
        self.app.db()
    }

    /// Shuts down gracefully and verifies the ledger.
    pub(crate) async fn finish(mut self) {
        let stop = self.stop.take().unwrap();
        let _ = stop.send(());
        (&mut self.serving).await.expect("the server shuts down gracefully");
        let audit = ledger::verify(self.db()).await.unwrap();
        assert_eq!(audit.defects, Vec::<String>::new());
        match self.database.take() {
            Some(database) => database.drop_database().await,
            None => self.db().clone().close().await.unwrap(),
        }
        self.finished = true;
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> Call {
        let url =
            if path.starts_with("http") { path.to_owned() } else { format!("http://{}{path}", self.address) };
        let path = url.splitn(4, '/').nth(3).map_or("/".to_owned(), |rest| format!("/{rest}"));
        let origin = format!("http://{}", self.address);
        let request = self.client.request(method.clone(), url);
        Call { request, method, path, origin, returned_statuses: self.returned_statuses.clone() }
    }

    /// Returns the statuses that each operation has returned.
    pub(crate) fn returned_statuses(&self) -> ReturnedStatuses {
        self.returned_statuses.lock().unwrap().clone()
    }

    pub(crate) fn get(&self, path: &str) -> Call {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str) -> Call {
        self.call(Method::POST, path)
    }

    pub(crate) fn put(&self, path: &str) -> Call {
        self.call(Method::PUT, path)
    }

    pub(crate) fn delete(&self, path: &str) -> Call {
        self.call(Method::DELETE, path)
    }

    /// Creates an account with a test key with all scopes, and 3 free scans.
    pub(crate) async fn client(&self) -> Client {
        let tenant = testing::account(self.db()).await;
        let account = tenant.account_id.clone();
        let opened =
            self.db().write(async |txn| ledger::open_wallets(&txn, &account, 3, Timestamp::now()).await);
        opened.await.unwrap();
        self.create_key(&tenant).await
    }

    /// Creates a logged-in user with an account and 3 free scans. The tenant is in test mode.
    pub(crate) async fn console_user(&self) -> ConsoleUser {
        let tenant = self.client().await.tenant;
        let user = users::of_account(self.db(), &tenant.account_id).await.unwrap().remove(0);
        let (secret, day) = (Token::generate(), Duration::from_secs(86_400));
        let opened: entities::Result<_> = self
            .db()
            .write(async |txn| sessions::open(&txn, &user.id, &secret, day, Timestamp::now()).await)
            .await;
        opened.unwrap();
        ConsoleUser { tenant, email: user.email, secret: secret.reveal().to_owned() }
    }

    /// Creates another key of this account and mode, with all scopes.
    pub(crate) async fn create_key(&self, tenant: &Tenant) -> Client {
        self.create_capped_key(tenant, None).await
    }

    /// Creates a key with a monthly cap.
    pub(crate) async fn create_capped_key(&self, tenant: &Tenant, cap: Option<Cents>) -> Client {
        let (key, secret) = testing::key(self.db(), tenant, cap).await;
        Client { tenant: tenant.clone(), key, secret: secret.reveal().to_owned() }
    }

    /// Creates a key of this account with these scopes.
    pub(crate) async fn create_scoped_key(&self, client: &Client, scopes: &[Scope]) -> Client {
        let secret = KeySecret::generate(client.tenant.mode);
        let key = KeyRow {
            id: domain::KeyId::new().into(),
            hint: secret.hint().into(),
            secret_hash: secret.hash(),
            scopes: Json(scopes.to_vec()),
            ..client.key.clone()
        };
        let row = key.clone();
        let inserted: entities::Result<()> =
            self.db().write(async |txn| api_keys::insert(&txn, &row).await).await;
        inserted.unwrap();
        Client { tenant: client.tenant.clone(), key, secret: secret.reveal().to_owned() }
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        assert!(
            self.finished || std::thread::panicking(),
            "the test did not finish its app, so its ledger was not verified"
        );
    }
}

async fn storage(folder: &std::path::Path, public: bool) -> (embedded::Server, ObjectStore) {
    let credentials =
        embedded::Credentials { access_key_id: "test".into(), secret_access_key: Secret::new("secret") };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = embedded::serve(&folder.join("objects"), listener, credentials).unwrap();
    let settings = objects::Settings {
        endpoint: server.endpoint(),
        public_endpoint: public.then(|| server.endpoint()),
        access_key_id: "test".into(),
        secret_access_key: Secret::new("secret"),
        ..objects::Settings::default()
    };
    let objects = ObjectStore::new(&settings).unwrap();
    objects.ensure_bucket().await.unwrap();
    (server, objects)
}
