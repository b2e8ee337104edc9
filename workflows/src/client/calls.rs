//! The typed calls: one method for each request to a workflow.

use domain::{
    AccountId, KeyId, ScanId,
    money::Cents,
    scan::{CancelOutcome, StartOutcome},
};
use temporalio_client::{WorkflowIdConflictPolicy, WorkflowIdReusePolicy, WorkflowUpdateWithStartOptions};
use temporalio_common::search_attributes::SearchAttributes;

use super::{Engine, EngineError, WorkflowState};
use crate::{
    CancelInput, DeliveryInput, ErasureWorkflow, ExportInput, ExportWorkflow, RechargeInput,
    RechargeWorkflow, ScanSeed, ScanWorkflow, StartInput, WebhookDeliveryWorkflow, contract::ErasureInput,
    erasure_workflow_id, export_workflow_id, options::fair_to, queues, scan_workflow_id, search_attributes,
};

/// Scans and deliveries run once: an id that has ended is never started again.
const ONCE: WorkflowIdReusePolicy = WorkflowIdReusePolicy::RejectDuplicate;
/// Payments, erasures and exports run until the database says that they are done: the relay starts
/// an id again if its last run ended too early, for example because an operator terminated it.
const UNTIL_DONE: WorkflowIdReusePolicy = WorkflowIdReusePolicy::AllowDuplicate;

impl Engine {
    /// Starts the workflow of a scan, unless it has been started before.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn ensure_scan(&self, seed: &ScanSeed) -> Result<(), EngineError> {
        let mut options = self.start_options(scan_workflow_id(&seed.scan_id), ONCE, scan_summary(seed));
        options.static_details = self.scan_details(seed);
        options.search_attributes = Some(initial_attributes(seed));
        options.priority = fair_to(&seed.account_id);
        self.start(ScanWorkflow::run, seed.clone(), options).await
    }

    /// Sends the update `start` to a scan's workflow (Update-with-Start).
    ///
    /// Each call is a new update. Repeats are safe because the activity `charge` is idempotent;
    /// they don't depend on the update's id.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable, or the workflow has ended. A refusal by a
    /// rule (missing uploads, insufficient funds) is an `Ok`.
    pub async fn start_scan(
        &self,
        seed: &ScanSeed,
        key_id: Option<KeyId>,
    ) -> Result<StartOutcome, EngineError> {
        let update = (ScanWorkflow::start, StartInput { key_id });
        let workflow = (ScanWorkflow::run, seed.clone());
        self.update_with_start(workflow, update, self.scan_update_options(seed)).await
    }

    /// Sends the update `cancel` to a scan's workflow (Update-with-Start).
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable, or the workflow has ended. A refusal by a
    /// rule is an `Ok`.
    pub async fn cancel_scan(&self, seed: &ScanSeed) -> Result<CancelOutcome, EngineError> {
        let update = (ScanWorkflow::cancel, CancelInput {});
        let workflow = (ScanWorkflow::run, seed.clone());
        self.update_with_start(workflow, update, self.scan_update_options(seed)).await
    }

    /// Starts one delivery of an account, unless it has been started before.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn start_delivery(
        &self,
        input: DeliveryInput,
        account: &AccountId,
        summary: String,
    ) -> Result<(), EngineError> {
        let mut options = self.upgradable_options(input.workflow_id(), ONCE, summary);
        options.priority = fair_to(account);
        self.start(WebhookDeliveryWorkflow::run, input, options).await
    }

    /// Starts the workflow that settles a payment.
    ///
    /// Does nothing while another payment with the same workflow id is open: call again until the
    /// payment is settled.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn start_payment(&self, input: RechargeInput, cents: Cents) -> Result<(), EngineError> {
        let summary = format!("{} of {cents} cents", input.kind.as_str());
        let mut options = self.upgradable_options(input.workflow_id(), UNTIL_DONE, summary);
        options.priority = fair_to(&input.tenant.account_id);
        self.start(RechargeWorkflow::run, input, options).await
    }

    /// Starts the erasure of a closed account, unless one is running.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn start_erasure(&self, input: ErasureInput) -> Result<(), EngineError> {
        let id = erasure_workflow_id(&input.account_id);
        let mut options = self.upgradable_options(id, UNTIL_DONE, "erasure of an account".to_owned());
        options.priority = fair_to(&input.account_id);
        self.start(ErasureWorkflow::run, input, options).await
    }

    /// Starts the export of an account, unless it is running.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn start_export(&self, input: ExportInput) -> Result<(), EngineError> {
        let id = export_workflow_id(&input.export_id);
        let options = self.upgradable_options(id, UNTIL_DONE, "export of an account".to_owned());
        self.start(ExportWorkflow::run, input, options).await
    }

    /// Returns the state of a scan's workflow.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn scan_state(&self, scan: &ScanId) -> Result<WorkflowState, EngineError> {
        self.state_of(scan_workflow_id(scan)).await
    }

    /// Returns the state of a delivery's workflow.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn delivery_state(&self, input: &DeliveryInput) -> Result<WorkflowState, EngineError> {
        self.state_of(input.workflow_id()).await
    }

    /// Requests the cancellation of a scan's workflow, as an operator does in the Web UI.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn cancel_as_operator(&self, scan: &ScanId) -> Result<(), EngineError> {
        self.cancel(scan_workflow_id(scan)).await
    }

    /// Terminates a scan's workflow, whose code does not run any more. Idempotent.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn terminate_scan(&self, scan: &ScanId, reason: &str) -> Result<(), EngineError> {
        self.terminate(scan_workflow_id(scan), reason).await
    }

    /// Options of an update that goes to the open run if there is one, and starts the workflow if
    /// not.
    fn scan_update_options(&self, seed: &ScanSeed) -> WorkflowUpdateWithStartOptions {
        WorkflowUpdateWithStartOptions::new(
            queues::SCANS,
            scan_workflow_id(&seed.scan_id),
            WorkflowIdConflictPolicy::UseExisting,
        )
        .id_reuse_policy(ONCE)
        .search_attributes(initial_attributes(seed))
        .priority(fair_to(&seed.account_id))
        .static_summary(scan_summary(seed))
        .maybe_static_details(self.scan_details(seed))
        .rpc_options(self.rpc_options())
        .build()
    }

    /// Returns the link to a scan in the console, as Markdown for the Web UI.
    fn scan_details(&self, seed: &ScanSeed) -> Option<String> {
        let ScanSeed { space_id, scan_id, .. } = seed;
        self.console_url().map(|console| {
            format!("[Scan `{scan_id}` in the console]({console}/spaces/{space_id}/scans/{scan_id})")
        })
    }
}

/// Search attributes with which a scan's workflow starts. It updates the status and the stage
/// itself.
fn initial_attributes(seed: &ScanSeed) -> SearchAttributes {
    SearchAttributes::new([
        search_attributes::SCAN_STATUS.value_set("awaiting_upload".to_owned()),
        search_attributes::ACCOUNT_ID.value_set(seed.account_id.to_string()),
        search_attributes::SPACE_ID.value_set(seed.space_id.to_string()),
        search_attributes::LIVEMODE.value_set(seed.mode.livemode()),
    ])
}

/// Title of a scan's workflow in the Web UI.
fn scan_summary(seed: &ScanSeed) -> String {
    format!("{} {} scan of {}", seed.mode.as_str(), seed.kind.as_str(), seed.space_id)
}
