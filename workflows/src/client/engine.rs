//! The connection to the engine, and the generic requests that the typed calls are made of.

use std::{sync::Arc, time::Duration};

use temporalio_client::{
    Client, RpcOptions, WorkflowCancelOptions, WorkflowDescribeOptions, WorkflowExecutionDescription,
    WorkflowIdConflictPolicy, WorkflowIdReusePolicy, WorkflowStartOptions, WorkflowTerminateOptions,
    WorkflowUpdateWithStartOptions, errors::WorkflowInteractionError, tonic,
};
use temporalio_common::{
    HasWorkflowDefinition, UpdateDefinition, VersioningOverride,
    protos::temporal::api::{enums::v1::WorkflowExecutionStatus, workflowservice::v1::GetSystemInfoRequest},
};
use tokio::sync::OnceCell;

use super::{
    EngineError, SdkTelemetry, Settings, connect,
    error::{accept_already_started, from_status, from_update},
    prepare_namespace,
};
use crate::{ScanWorkflow, queues};

/// Maximum time of a health check.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);

/// State of a workflow, as the engine reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkflowState {
    /// The workflow is running.
    Running,
    /// The workflow completed, failed or was cancelled: its own code decided the end.
    Ended,
    /// The workflow was terminated or timed out: its compensations never ran.
    Terminated,
    /// The engine has no such workflow: it never started, or its retention period is over.
    Missing,
}

/// A handle on the engine. It connects when it is first used, so that the service starts without
/// the engine. Until a connection succeeds, every call returns [`EngineError::Unavailable`].
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Settings,
    identity: String,
    telemetry: Option<SdkTelemetry>,
    /// URL of the console, for links in the Web UI.
    console_url: Option<String>,
    client: OnceCell<Client>,
}

impl Engine {
    /// Creates a handle that isn't connected yet. The engine's Web UI shows `identity`.
    pub fn new(settings: Settings, identity: impl Into<String>) -> Self {
        Self::of_service(settings, identity, None, None)
    }

    /// Creates a handle like [`Engine::new`] for a server command: its client reports metrics and
    /// propagates traces, and the Web UI links scans to the console at `console_url`.
    pub fn of_service(
        settings: Settings,
        identity: impl Into<String>,
        telemetry: Option<SdkTelemetry>,
        console_url: Option<String>,
    ) -> Self {
        let (identity, client) = (identity.into(), OnceCell::new());
        Self { inner: Arc::new(Inner { settings, identity, telemetry, console_url, client }) }
    }

    /// Returns the URL of the console.
    pub(super) fn console_url(&self) -> Option<&str> {
        self.inner.console_url.as_deref()
    }

    /// Returns the client, and connects it on the first call.
    ///
    /// # Errors
    /// Returns [`EngineError::Unavailable`] if the engine cannot be reached.
    pub async fn client(&self) -> Result<&Client, EngineError> {
        self.inner
            .client
            .get_or_try_init(|| async {
                let Inner { settings, identity, telemetry, .. } = self.inner.as_ref();
                let client = connect(settings, identity, telemetry.as_ref()).await?;
                prepare_namespace(&client, &settings.namespace).await?;
                Ok(client)
            })
            .await
    }

    /// Returns whether the engine responds within two seconds.
    pub async fn healthy(&self) -> bool {
        let ping = async {
            let client = self.client().await.ok()?;
            client
                .connection()
                .workflow_service()
                .get_system_info(tonic::Request::new(GetSystemInfoRequest {}))
                .await
                .ok()
        };
        matches!(tokio::time::timeout(HEALTH_TIMEOUT, ping).await, Ok(Some(_)))
    }

    /// Starts a workflow. Succeeds too if the workflow has been started before.
    pub(super) async fn start<W>(
        &self,
        workflow: W,
        input: W::Input,
        options: WorkflowStartOptions,
    ) -> Result<(), EngineError>
    where
        W: HasWorkflowDefinition,
        W::Input: Send,
    {
        self.with_deadline(async {
            accept_already_started(self.client().await?.start_workflow(workflow, input, options).await)
        })
        .await
    }

    /// Sends an update to a scan's workflow, which is started first if necessary, and waits for the
    /// outcome of the update.
    pub(super) async fn update_with_start<W, U>(
        &self,
        (workflow, workflow_input): (W, W::Input),
        (update, update_input): (U, U::Input),
        options: WorkflowUpdateWithStartOptions,
    ) -> Result<U::Output, EngineError>
    where
        W: HasWorkflowDefinition,
        W::Input: Send,
        U: UpdateDefinition<Workflow = W::Run>,
        U::Input: Send,
    {
        self.with_deadline(async {
            self.client()
                .await?
                .execute_update_with_start_workflow(workflow, workflow_input, update, update_input, options)
                .await
                .map_err(from_update)
        })
        .await
    }

    /// Reads the state of the newest run of a workflow, of any type.
    pub(super) async fn state_of(&self, workflow_id: String) -> Result<WorkflowState, EngineError> {
        let Some(description) = self.describe(workflow_id).await? else {
            return Ok(WorkflowState::Missing);
        };
        Ok(match description.raw().workflow_execution_info.as_ref().map(|info| info.status()) {
            Some(WorkflowExecutionStatus::Running | WorkflowExecutionStatus::ContinuedAsNew) => {
                WorkflowState::Running
            }
            Some(WorkflowExecutionStatus::Terminated | WorkflowExecutionStatus::TimedOut) => {
                WorkflowState::Terminated
            }
            _ => WorkflowState::Ended,
        })
    }

    /// Describes the newest run of a workflow, of any type. Returns `None` if the engine has no such
    /// workflow.
    pub(super) async fn describe(
        &self,
        workflow_id: String,
    ) -> Result<Option<WorkflowExecutionDescription>, EngineError> {
        self.with_deadline(async {
            let handle = self.client().await?.get_workflow_handle::<ScanWorkflow>(workflow_id);
            match handle.describe(WorkflowDescribeOptions::default()).await {
                Ok(description) => Ok(Some(description)),
                Err(WorkflowInteractionError::NotFound(_)) => Ok(None),
                Err(WorkflowInteractionError::Rpc(status)) => Err(from_status(&status)),
                Err(other) => Err(EngineError::Internal(other.to_string())),
            }
        })
        .await
    }

    /// Terminates a workflow: its code does not run any more. Idempotent.
    pub(super) async fn terminate(&self, workflow_id: String, reason: &str) -> Result<(), EngineError> {
        self.with_deadline(async {
            let handle = self.client().await?.get_workflow_handle::<ScanWorkflow>(workflow_id);
            let options = WorkflowTerminateOptions::builder().reason(reason.to_owned()).build();
            match handle.terminate(options).await {
                Ok(_) | Err(WorkflowInteractionError::NotFound(_)) => Ok(()),
                Err(WorkflowInteractionError::Rpc(status)) => Err(from_status(&status)),
                Err(other) => Err(EngineError::Internal(other.to_string())),
            }
        })
        .await
    }

    /// Requests the cancellation of a workflow.
    pub(super) async fn cancel(&self, workflow_id: String) -> Result<(), EngineError> {
        self.with_deadline(async {
            let handle = self.client().await?.get_workflow_handle::<ScanWorkflow>(workflow_id);
            handle
                .cancel(WorkflowCancelOptions::default())
                .await
                .map_err(|e| EngineError::Internal(e.to_string()))
        })
        .await
    }

    /// Options to start a workflow of which at most one run is open at a time. `reuse` says whether
    /// the same id may run again after it has ended.
    pub(super) fn start_options(
        &self,
        workflow_id: String,
        reuse: WorkflowIdReusePolicy,
        summary: String,
    ) -> WorkflowStartOptions {
        WorkflowStartOptions::new(queues::SCANS, workflow_id)
            .id_reuse_policy(reuse)
            .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
            .static_summary(summary)
            .rpc_options(self.rpc_options())
            .build()
    }

    /// Options like [`Self::start_options`] for a workflow that follows upgrades of the workers,
    /// because it may live for days. Scans stay on the version that they began on, which is the
    /// default of versioned workers.
    pub(super) fn upgradable_options(
        &self,
        workflow_id: String,
        reuse: WorkflowIdReusePolicy,
        summary: String,
    ) -> WorkflowStartOptions {
        let mut options = self.start_options(workflow_id, reuse, summary);
        options.versioning_override = Some(VersioningOverride::AutoUpgrade);
        options
    }

    /// Limits one RPC to the deadline of the whole call.
    pub(super) fn rpc_options(&self) -> RpcOptions {
        RpcOptions::builder().timeout(self.call_timeout()).build()
    }

    /// Returns the namespace of all workflows.
    pub(super) fn namespace(&self) -> &str {
        &self.inner.settings.namespace
    }

    fn call_timeout(&self) -> Duration {
        Duration::from_millis(self.inner.settings.answer_within_ms)
    }

    /// Puts a deadline on a whole call: connecting, and the retries inside the SDK's client,
    /// included.
    pub(super) async fn with_deadline<T>(
        &self,
        call: impl Future<Output = Result<T, EngineError>>,
    ) -> Result<T, EngineError> {
        match tokio::time::timeout(self.call_timeout(), call).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let timeout = self.call_timeout();
                Err(EngineError::Unavailable(format!("no response within {timeout:?}")))
            }
        }
    }
}
