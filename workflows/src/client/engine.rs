//! How the service talks to its workflows: one typed call for each thing that can be asked.

mod connection;
mod error;

use std::{sync::Arc, time::Duration};

use domain::{
    KeyId, ScanId,
    money::Cents,
    scan::{CancelOutcome, StartOutcome},
};
use temporalio_client::{
    Client, RpcOptions, WorkflowCancelOptions, WorkflowDescribeOptions, WorkflowIdConflictPolicy,
    WorkflowIdReusePolicy, WorkflowStartOptions, WorkflowUpdateWithStartOptions,
    errors::WorkflowInteractionError, tonic,
};
use temporalio_common::{
    protos::temporal::api::{enums::v1::WorkflowExecutionStatus, workflowservice::v1::GetSystemInfoRequest},
    search_attributes::SearchAttributes,
};
use tokio::sync::OnceCell;

use crate::{
    CancelInput, DeliveryInput, ErasureWorkflow, ExportInput, ExportWorkflow, RechargeInput,
    RechargeWorkflow, ScanSeed, ScanWorkflow, StartInput, WebhookDeliveryWorkflow, contract::ErasureInput,
    erasure_workflow_id, export_workflow_id, queues, scan_workflow_id, search,
};

pub use connection::{Settings, connect, prepare_namespace};
pub use error::EngineError;
use error::{of_status, of_update, started};

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
        let options =
            self.start_options(input.workflow_id(), WorkflowIdReusePolicy::RejectDuplicate, summary);
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
        let options = self.start_options(input.workflow_id(), WorkflowIdReusePolicy::AllowDuplicate, summary);
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
        let options = self.start_options(
            erasure_workflow_id(&input.account_id),
            WorkflowIdReusePolicy::AllowDuplicate,
            "erasure of an account".to_owned(),
        );
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
        let options = self.start_options(
            export_workflow_id(&input.export_id),
            WorkflowIdReusePolicy::AllowDuplicate,
            "export of an account".to_owned(),
        );
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
    pub async fn delivery_state(&self, input: &DeliveryInput) -> Result<WorkflowState, EngineError> {
        self.state_of(input.workflow_id()).await
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

    /// How a workflow is started of which one may run at a time.
    fn start_options(
        &self,
        workflow_id: String,
        again: WorkflowIdReusePolicy,
        summary: String,
    ) -> WorkflowStartOptions {
        WorkflowStartOptions::new(queues::SCANS, workflow_id)
            .id_reuse_policy(again)
            .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
            .static_summary(summary)
            .rpc_options(self.within())
            .build()
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
