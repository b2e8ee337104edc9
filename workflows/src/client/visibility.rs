//! Searches for workflows with the engine's visibility API, which answers for hundreds of workflows
//! in one request. Its index is updated about a second after a workflow changes.

use domain::{ScanId, Timestamp};
use temporalio_client::tonic;
use temporalio_common::{
    protos::temporal::api::{
        common::v1::WorkflowExecution,
        workflow::v1::WorkflowExecutionInfo,
        workflowservice::v1::{DeleteWorkflowExecutionRequest, ListWorkflowExecutionsRequest},
    },
    search_attributes::SearchAttributes,
};

use super::{Engine, EngineError, error::from_status};
use crate::{scan_workflow_id, search_attributes};

/// Number of workflows of one page.
const PAGE_SIZE: i32 = 500;

/// A workflow as the engine's index shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedWorkflow {
    /// Id of the workflow.
    pub id: String,
    /// Id of the run.
    pub run_id: String,
    /// Search attribute `ScanStatus`.
    pub scan_status: Option<String>,
}

/// One page of a search.
#[derive(Debug, Clone)]
pub struct WorkflowPage {
    /// The workflows.
    pub workflows: Vec<ListedWorkflow>,
    /// Position of the next page; `None` on the last page.
    pub next: Option<PageToken>,
}

/// Position of a page of a search.
#[derive(Debug, Clone)]
pub struct PageToken(Vec<u8>);

impl Engine {
    /// Returns those of the workflows that are running.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn list_running(&self, ids: &[String]) -> Result<Vec<ListedWorkflow>, EngineError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let query = format!("ExecutionStatus = 'Running' AND WorkflowId IN ({})", quoted(ids));
        self.list_all(query).await
    }

    /// Returns a page of the workflows of scans and deliveries that ended at `since` or later without
    /// success: by an operator, a time-out or a failure.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn list_broken_off(
        &self,
        since: Timestamp,
        page: Option<PageToken>,
    ) -> Result<WorkflowPage, EngineError> {
        let query = format!(
            "WorkflowType IN ('ScanWorkflow', 'WebhookDeliveryWorkflow') AND CloseTime >= '{since}' \
             AND ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled')"
        );
        self.list_page(query, page).await
    }

    /// Returns a page of the running workflows of scans that started before `before`.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn list_running_scans(
        &self,
        before: Timestamp,
        page: Option<PageToken>,
    ) -> Result<WorkflowPage, EngineError> {
        let query = format!(
            "WorkflowType = 'ScanWorkflow' AND ExecutionStatus = 'Running' AND StartTime < '{before}'"
        );
        self.list_page(query, page).await
    }

    /// Returns the first page of the finished rounds of periodic tasks that ended before `before`.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn list_finished_rounds(&self, before: Timestamp) -> Result<WorkflowPage, EngineError> {
        let query = format!(
            "WorkflowType = 'UpkeepWorkflow' AND ExecutionStatus = 'Completed' AND CloseTime < '{before}'"
        );
        self.list_page(query, None).await
    }

    /// Deletes the history of one run of a workflow. A running workflow is stopped. Idempotent.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn delete_run(&self, workflow: &ListedWorkflow) -> Result<(), EngineError> {
        self.delete(&workflow.id, &workflow.run_id).await
    }

    pub(super) async fn delete(&self, workflow_id: &str, run_id: &str) -> Result<(), EngineError> {
        self.with_deadline(async {
            let request = DeleteWorkflowExecutionRequest {
                namespace: self.namespace().to_owned(),
                workflow_execution: Some(WorkflowExecution {
                    workflow_id: workflow_id.to_owned(),
                    run_id: run_id.to_owned(),
                }),
            };
            let mut service = self.client().await?.connection().workflow_service();
            match service.delete_workflow_execution(tonic::Request::new(request)).await {
                Ok(_) => Ok(()),
                Err(status) if status.code() == tonic::Code::NotFound => Ok(()),
                Err(status) => Err(from_status(&status)),
            }
        })
        .await
    }

    async fn list_all(&self, query: String) -> Result<Vec<ListedWorkflow>, EngineError> {
        let (mut all, mut token) = (Vec::new(), None);
        loop {
            let page = self.list_page(query.clone(), token).await?;
            all.extend(page.workflows);
            token = page.next;
            if token.is_none() {
                return Ok(all);
            }
        }
    }

    async fn list_page(&self, query: String, page: Option<PageToken>) -> Result<WorkflowPage, EngineError> {
        self.with_deadline(async {
            let request = ListWorkflowExecutionsRequest {
                namespace: self.namespace().to_owned(),
                page_size: PAGE_SIZE,
                next_page_token: page.map(|token| token.0).unwrap_or_default(),
                query,
            };
            let mut service = self.client().await?.connection().workflow_service();
            let listed = service.list_workflow_executions(tonic::Request::new(request)).await;
            let listed = listed.map_err(|status| from_status(&status))?.into_inner();
            let next = Some(listed.next_page_token).filter(|token| !token.is_empty()).map(PageToken);
            let workflows = listed.executions.into_iter().filter_map(listed_workflow).collect();
            Ok(WorkflowPage { workflows, next })
        })
        .await
    }
}

impl ListedWorkflow {
    /// Returns the scan of a scan's workflow.
    pub fn scan(&self) -> Option<ScanId> {
        let scan: ScanId = self.id.strip_prefix("scan:")?.parse().ok()?;
        (scan_workflow_id(&scan) == self.id).then_some(scan)
    }
}

fn listed_workflow(info: WorkflowExecutionInfo) -> Option<ListedWorkflow> {
    let WorkflowExecution { workflow_id, run_id } = info.execution?;
    let attributes = info.search_attributes.as_ref().map(SearchAttributes::from_proto);
    let scan_status = attributes.and_then(|attributes| attributes.get(&search_attributes::SCAN_STATUS));
    Some(ListedWorkflow { id: workflow_id, run_id, scan_status })
}

/// Quotes texts as a list of literals of the query language.
fn quoted(texts: &[String]) -> String {
    let literals: Vec<_> = texts.iter().map(|text| format!("'{}'", text.replace('\'', "''"))).collect();
    literals.join(", ")
}
