//! How the service talks to its workflows: one typed call for each thing that can be asked.

use std::{path::PathBuf, sync::Arc, time::Duration};

use domain::{
    EventId, KeyId, ScanId, Secret, WebhookEndpointId,
    money::Cents,
    scan::{CancelOutcome, StartOutcome},
};
use serde::{Deserialize, Serialize};
use temporalio_client::{
    Client, ClientOptions, ClientTlsOptions, Connection, ConnectionOptions, RpcOptions, TlsOptions,
    WorkflowCancelOptions, WorkflowDescribeOptions, WorkflowIdConflictPolicy, WorkflowIdReusePolicy,
    WorkflowStartOptions, WorkflowUpdateWithStartOptions,
    errors::{
        WorkflowInteractionError, WorkflowStartError, WorkflowUpdateError, WorkflowUpdateWithStartError,
    },
    tonic,
};
use temporalio_common::{
    protos::temporal::api::{
        enums::v1::{IndexedValueType, WorkflowExecutionStatus},
        operatorservice::v1::{AddSearchAttributesRequest, ListSearchAttributesRequest},
        workflowservice::v1::GetSystemInfoRequest,
    },
    search_attributes::SearchAttributes,
};
use tokio::sync::OnceCell;

use crate::{
    CancelInput, DeliveryInput, ErasureWorkflow, ExportInput, ExportWorkflow, RechargeInput,
    RechargeWorkflow, ScanSeed, ScanWorkflow, StartInput, WebhookDeliveryWorkflow, contract::ErasureInput,
    delivery_workflow_id, erasure_workflow_id, export_workflow_id, queues, scan_workflow_id, search,
};

/// Where the engine is. Embedded: the dev server of `scan up`. Production: a cluster or the cloud.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address of the frontend, `http://host:port` or `https://host:port`.
    pub address: String,
    /// Namespace.
    pub namespace: String,
    /// PEM file of the certificate authority that signed the server's certificate.
    pub tls_ca_file: Option<PathBuf>,
    /// PEM file of the client's certificate, for mTLS.
    pub tls_cert_file: Option<PathBuf>,
    /// PEM file of the client's key, for mTLS.
    pub tls_key_file: Option<PathBuf>,
    /// Name to verify the server's certificate against, where it is not the address's.
    pub tls_domain: Option<String>,
    /// API key, for the cloud.
    pub api_key: Option<Secret>,
    /// How long a caller of the API waits for a workflow's answer, in milliseconds.
    pub answer_within_ms: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            address: "http://127.0.0.1:7233".into(),
            namespace: "default".into(),
            tls_ca_file: None,
            tls_cert_file: None,
            tls_key_file: None,
            tls_domain: None,
            api_key: None,
            answer_within_ms: 5_000,
        }
    }
}

/// Why the engine did not answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It cannot be reached, or no worker answers in time. What was asked may have happened: ask again.
    #[error("the engine is unavailable: {0}")]
    Unavailable(String),
    /// The workflow has ended already: the database knows how.
    #[error("the workflow has ended")]
    Closed,
    /// Anything else: a bug, or a payload that does not parse.
    #[error("the engine failed: {0}")]
    Internal(String),
}

/// What the engine knows of a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkflowState {
    /// Running.
    Running,
    /// Ended by itself.
    Ended,
    /// Terminated (or timed out) from outside: its compensations never ran.
    Terminated,
    /// Unknown: never started, or forgotten after its retention.
    Missing,
}

/// Connects once; the connection mends itself afterwards.
///
/// # Errors
/// [`EngineError::Unavailable`] when nobody answers; [`EngineError::Internal`] for bad settings.
pub async fn connect(settings: &Settings, identity: &str) -> Result<Client, EngineError> {
    let internal = |e: String| EngineError::Internal(e);
    let target = url_of(&settings.address).map_err(internal)?;
    let options = ConnectionOptions::new(target)
        .identity(identity.to_owned())
        .connect_timeout(Duration::from_secs(5))
        .maybe_tls_options(tls(settings).map_err(internal)?)
        .maybe_api_key(settings.api_key.as_ref().map(|k| k.reveal().to_owned()))
        .dns_load_balancing(None)
        .build();
    let connection =
        Connection::connect(options).await.map_err(|e| EngineError::Unavailable(e.to_string()))?;
    Client::new(connection, ClientOptions::new(settings.namespace.clone()).build())
        .map_err(|e| EngineError::Internal(e.to_string()))
}

fn url_of(address: &str) -> Result<url::Url, String> {
    address.parse().map_err(|e| format!("engine address {address:?}: {e}"))
}

fn tls(settings: &Settings) -> Result<Option<TlsOptions>, String> {
    let read = |path: &PathBuf| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    let client = match (&settings.tls_cert_file, &settings.tls_key_file) {
        (Some(cert), Some(key)) => {
            Some(ClientTlsOptions::builder().client_cert(read(cert)?).client_private_key(read(key)?).build())
        }
        (None, None) => None,
        _ => return Err("tls_cert_file and tls_key_file go together".into()),
    };
    if client.is_none() && settings.tls_ca_file.is_none() && !settings.address.starts_with("https://") {
        return Ok(None);
    }
    Ok(Some(
        TlsOptions::builder()
            .maybe_server_root_ca_cert(settings.tls_ca_file.as_ref().map(read).transpose()?)
            .maybe_domain(settings.tls_domain.clone())
            .maybe_client_tls_options(client)
            .build(),
    ))
}

/// Makes the namespace ready for us: the search attributes exist. Harmless when they do already.
///
/// # Errors
/// [`EngineError`] when the operator API refuses or is away.
pub async fn prepare_namespace(client: &Client, namespace: &str) -> Result<(), EngineError> {
    let mut operator = client.connection().operator_service();
    let listed = operator
        .list_search_attributes(tonic::Request::new(ListSearchAttributesRequest {
            namespace: namespace.to_owned(),
        }))
        .await
        .map_err(|s| EngineError::Unavailable(s.to_string()))?
        .into_inner();
    let wanted = [
        (search::SCAN_STATUS.name(), IndexedValueType::Keyword),
        (search::SCAN_STAGE.name(), IndexedValueType::Keyword),
        (search::ACCOUNT_ID.name(), IndexedValueType::Keyword),
        (search::SPACE_ID.name(), IndexedValueType::Keyword),
        (search::LIVEMODE.name(), IndexedValueType::Bool),
    ];
    let missing: Vec<(String, i32)> = wanted
        .into_iter()
        .filter(|(name, _)| !listed.custom_attributes.contains_key(*name))
        .map(|(name, kind)| (name.to_owned(), kind as i32))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let request = AddSearchAttributesRequest {
        search_attributes: missing.into_iter().collect(),
        namespace: namespace.to_owned(),
    };
    match operator.add_search_attributes(tonic::Request::new(request)).await {
        Ok(_) => Ok(()),
        Err(s) if s.code() == tonic::Code::AlreadyExists => Ok(()),
        Err(s) => Err(EngineError::Internal(s.to_string())),
    }
}

/// A handle on the engine that never blocks anybody's start: it connects when it is first needed, and
/// says `Unavailable` until that works.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Settings,
    identity: String,
    client: OnceCell<Client>,
}

impl Engine {
    /// A handle that is not connected yet.
    pub fn new(settings: Settings, identity: impl Into<String>) -> Self {
        Self { inner: Arc::new(Inner { settings, identity: identity.into(), client: OnceCell::new() }) }
    }

    /// The client, connected now if it was not.
    ///
    /// # Errors
    /// [`EngineError::Unavailable`] when nobody answers.
    pub async fn client(&self) -> Result<&Client, EngineError> {
        self.inner
            .client
            .get_or_try_init(|| async {
                let client = connect(&self.inner.settings, &self.inner.identity).await?;
                prepare_namespace(&client, &self.inner.settings.namespace).await?;
                Ok(client)
            })
            .await
    }

    /// Whether the engine answers just now.
    pub async fn healthy(&self) -> bool {
        let asked = async {
            let client = self.client().await.ok()?;
            client
                .connection()
                .workflow_service()
                .get_system_info(tonic::Request::new(GetSystemInfoRequest {}))
                .await
                .ok()
        };
        matches!(tokio::time::timeout(Duration::from_secs(2), asked).await, Ok(Some(_)))
    }

    /// Makes sure that the scan's workflow runs (or has run).
    ///
    /// # Errors
    /// [`EngineError`]; a workflow that is there already is no error.
    pub async fn ensure_scan(&self, seed: &ScanSeed) -> Result<(), EngineError> {
        let options = WorkflowStartOptions::new(queues::SCANS, scan_workflow_id(&seed.scan_id))
            .id_reuse_policy(WorkflowIdReusePolicy::RejectDuplicate)
            .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
            .search_attributes(attributes(seed))
            .static_summary(summary(seed))
            .rpc_options(self.within())
            .build();
        self.timed(async {
            started(self.client().await?.start_workflow(ScanWorkflow::run, seed.clone(), options).await)
        })
        .await
    }

    /// Asks the scan's workflow to start it. Every try is a fresh update: the charge is what makes
    /// repeats harmless, not the update's id.
    ///
    /// # Errors
    /// [`EngineError`]; whatever a rule decides is an `Ok`.
    pub async fn start_scan(
        &self,
        seed: &ScanSeed,
        key_id: Option<KeyId>,
    ) -> Result<StartOutcome, EngineError> {
        let input = StartInput { key_id };
        self.timed(async {
            self.client()
                .await?
                .execute_update_with_start_workflow(
                    ScanWorkflow::run,
                    seed.clone(),
                    ScanWorkflow::start,
                    input,
                    self.update_options(seed),
                )
                .await
                .map_err(of_update)
        })
        .await
    }

    /// Asks the scan's workflow to cancel it.
    ///
    /// # Errors
    /// [`EngineError`]; whatever a rule decides is an `Ok`.
    pub async fn cancel_scan(&self, seed: &ScanSeed) -> Result<CancelOutcome, EngineError> {
        self.timed(async {
            self.client()
                .await?
                .execute_update_with_start_workflow(
                    ScanWorkflow::run,
                    seed.clone(),
                    ScanWorkflow::cancel,
                    CancelInput {},
                    self.update_options(seed),
                )
                .await
                .map_err(of_update)
        })
        .await
    }

    /// Starts one delivery, unless it was started before.
    ///
    /// # Errors
    /// [`EngineError`]; a delivery that is there already is no error.
    pub async fn start_delivery(&self, input: DeliveryInput, summary: String) -> Result<(), EngineError> {
        let options = WorkflowStartOptions::new(queues::SCANS, input.workflow_id())
            .id_reuse_policy(WorkflowIdReusePolicy::RejectDuplicate)
            .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
            .static_summary(summary)
            .rpc_options(self.within())
            .build();
        self.timed(async {
            started(self.client().await?.start_workflow(WebhookDeliveryWorkflow::run, input, options).await)
        })
        .await
    }

    /// Sees to it that a payment is brought to its end. Another one of the same workflow id that is still
    /// under way is left to end first: ask again until the payment is settled.
    ///
    /// # Errors
    /// [`EngineError`]; a workflow that runs already is no error.
    pub async fn start_payment(&self, input: RechargeInput, cents: Cents) -> Result<(), EngineError> {
        let summary = format!("{} of {cents} cents", input.kind.as_str());
        let options = WorkflowStartOptions::new(queues::SCANS, input.workflow_id())
            .id_reuse_policy(WorkflowIdReusePolicy::AllowDuplicate)
            .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
            .static_summary(summary)
            .rpc_options(self.within())
            .build();
        self.timed(async {
            started(self.client().await?.start_workflow(RechargeWorkflow::run, input, options).await)
        })
        .await
    }

    /// Sees to it that a closed account is erased.
    ///
    /// # Errors
    /// [`EngineError`]; an erasure that runs already is no error.
    pub async fn start_erasure(&self, input: ErasureInput) -> Result<(), EngineError> {
        let options = WorkflowStartOptions::new(queues::SCANS, erasure_workflow_id(&input.account_id))
            .id_reuse_policy(WorkflowIdReusePolicy::AllowDuplicate)
            .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
            .static_summary("erasure of an account".to_owned())
            .rpc_options(self.within())
            .build();
        self.timed(async {
            started(self.client().await?.start_workflow(ErasureWorkflow::run, input, options).await)
        })
        .await
    }

    /// Sees to it that an archive of an account is made.
    ///
    /// # Errors
    /// [`EngineError`]; an export that runs already is no error.
    pub async fn start_export(&self, input: ExportInput) -> Result<(), EngineError> {
        let options = WorkflowStartOptions::new(queues::SCANS, export_workflow_id(&input.export_id))
            .id_reuse_policy(WorkflowIdReusePolicy::AllowDuplicate)
            .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
            .static_summary("export of an account".to_owned())
            .rpc_options(self.within())
            .build();
        self.timed(async {
            started(self.client().await?.start_workflow(ExportWorkflow::run, input, options).await)
        })
        .await
    }

    /// What the engine knows of a scan's workflow.
    ///
    /// # Errors
    /// [`EngineError`] when it cannot be asked.
    pub async fn scan_state(&self, scan: &ScanId) -> Result<WorkflowState, EngineError> {
        self.state_of(scan_workflow_id(scan)).await
    }

    /// What the engine knows of a delivery's workflow.
    ///
    /// # Errors
    /// [`EngineError`] when it cannot be asked.
    pub async fn delivery_state(
        &self,
        event: &EventId,
        endpoint: &WebhookEndpointId,
    ) -> Result<WorkflowState, EngineError> {
        self.state_of(delivery_workflow_id(event, endpoint)).await
    }

    async fn state_of(&self, workflow_id: String) -> Result<WorkflowState, EngineError> {
        self.timed(async {
            let handle = self.client().await?.get_workflow_handle::<ScanWorkflow>(workflow_id);
            let described = match handle.describe(WorkflowDescribeOptions::default()).await {
                Ok(described) => described,
                Err(WorkflowInteractionError::NotFound(_)) => return Ok(WorkflowState::Missing),
                Err(WorkflowInteractionError::Rpc(status)) => return Err(of_status(&status)),
                Err(other) => return Err(EngineError::Internal(other.to_string())),
            };
            Ok(match described.raw().workflow_execution_info.as_ref().map(|i| i.status()) {
                Some(WorkflowExecutionStatus::Running | WorkflowExecutionStatus::ContinuedAsNew) => {
                    WorkflowState::Running
                }
                Some(WorkflowExecutionStatus::Terminated | WorkflowExecutionStatus::TimedOut) => {
                    WorkflowState::Terminated
                }
                _ => WorkflowState::Ended,
            })
        })
        .await
    }

    /// Asks for a scan's cancellation the way an operator does in the Web UI.
    ///
    /// # Errors
    /// [`EngineError`] when it cannot be asked.
    pub async fn cancel_as_operator(&self, scan: &ScanId) -> Result<(), EngineError> {
        self.timed(async {
            let handle = self.client().await?.get_workflow_handle::<ScanWorkflow>(scan_workflow_id(scan));
            handle
                .cancel(WorkflowCancelOptions::default())
                .await
                .map_err(|e| EngineError::Internal(e.to_string()))
        })
        .await
    }

    fn update_options(&self, seed: &ScanSeed) -> WorkflowUpdateWithStartOptions {
        WorkflowUpdateWithStartOptions::new(
            queues::SCANS,
            scan_workflow_id(&seed.scan_id),
            WorkflowIdConflictPolicy::UseExisting,
        )
        .id_reuse_policy(WorkflowIdReusePolicy::RejectDuplicate)
        .search_attributes(attributes(seed))
        .static_summary(summary(seed))
        .rpc_options(self.within())
        .build()
    }

    fn answer_within(&self) -> Duration {
        Duration::from_millis(self.inner.settings.answer_within_ms)
    }

    fn within(&self) -> RpcOptions {
        RpcOptions::builder().timeout(self.answer_within()).build()
    }

    /// No caller of the API waits longer than this, whatever the client's own retries do.
    async fn timed<T>(&self, asked: impl Future<Output = Result<T, EngineError>>) -> Result<T, EngineError> {
        match tokio::time::timeout(self.answer_within(), asked).await {
            Ok(answer) => answer,
            Err(_) => Err(EngineError::Unavailable("no answer in time".into())),
        }
    }
}

fn attributes(seed: &ScanSeed) -> SearchAttributes {
    SearchAttributes::new([
        search::SCAN_STATUS.value_set("awaiting_upload".to_owned()),
        search::ACCOUNT_ID.value_set(seed.account_id.to_string()),
        search::SPACE_ID.value_set(seed.space_id.to_string()),
        search::LIVEMODE.value_set(seed.mode.livemode()),
    ])
}

fn summary(seed: &ScanSeed) -> String {
    format!("{} {} scan of {}", seed.mode.as_str(), seed.kind.as_str(), seed.space_id)
}

/// A workflow that is there already is as good as one that was started now.
fn started<T>(outcome: Result<T, WorkflowStartError>) -> Result<(), EngineError> {
    match outcome {
        Ok(_) | Err(WorkflowStartError::AlreadyStarted { .. }) => Ok(()),
        Err(WorkflowStartError::Rpc(status)) => Err(of_status(&status)),
        Err(other) => Err(EngineError::Internal(other.to_string())),
    }
}

fn of_status(status: &tonic::Status) -> EngineError {
    use tonic::Code;
    match status.code() {
        Code::NotFound => EngineError::Closed,
        Code::InvalidArgument | Code::Unimplemented | Code::PermissionDenied | Code::Unauthenticated => {
            EngineError::Internal(status.to_string())
        }
        _ => EngineError::Unavailable(status.to_string()),
    }
}

fn of_update(error: WorkflowUpdateWithStartError) -> EngineError {
    match error {
        WorkflowUpdateWithStartError::Start(WorkflowStartError::AlreadyStarted { .. }) => EngineError::Closed,
        WorkflowUpdateWithStartError::Start(WorkflowStartError::Rpc(status))
        | WorkflowUpdateWithStartError::Update(
            WorkflowUpdateError::Rpc(status) | WorkflowUpdateError::NotFound(status),
        )
        | WorkflowUpdateWithStartError::Rpc(status) => of_status(&status),
        // The handler's activities could not reach the database: nothing was decided.
        WorkflowUpdateWithStartError::Update(WorkflowUpdateError::Failed(failure)) => {
            EngineError::Unavailable(failure.message)
        }
        other => EngineError::Internal(other.to_string()),
    }
}
