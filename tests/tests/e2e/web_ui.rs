//! What an operator sees of a scan in Temporal's Web UI, without opening code: the stage, the error with
//! its cause and file, the charge and its refund, and a link to the scan.

use domain::ScanId;
use harness::{Service, ServiceOptions, api_client::id, clips::Clip, until};
use serde_json::Value;
use temporalio_client::tonic::Request;
use temporalio_common::protos::temporal::api::{
    common::v1::{Payload, WorkflowExecution},
    query::v1::WorkflowQuery,
    sdk::v1::UserMetadata,
    workflow::v1::PendingActivityInfo,
    workflowservice::v1::{
        DescribeWorkflowExecutionRequest, DescribeWorkflowExecutionResponse, QueryWorkflowRequest,
    },
};
use workflows::{client::Engine, scan_workflow_id};

use crate::SCAN_TIMEOUT;

/// What the Web UI shows of a workflow.
struct Shown {
    summary: String,
    details: String,
    current_details: String,
    description: DescribeWorkflowExecutionResponse,
}

fn text(payload: Option<&Payload>) -> String {
    let payload = payload.unwrap_or_else(|| panic!("no payload"));
    serde_json::from_slice::<Value>(&payload.data).unwrap().as_str().unwrap().to_owned()
}

impl Shown {
    async fn read(engine: &Engine, scan: &Value) -> Self {
        let scan: ScanId = id(scan).parse().unwrap();
        let execution =
            Some(WorkflowExecution { workflow_id: scan_workflow_id(&scan), ..Default::default() });
        let mut service = engine.client().await.unwrap().connection().workflow_service();
        let namespace = "default".to_owned();
        let described =
            DescribeWorkflowExecutionRequest { namespace: namespace.clone(), execution: execution.clone() };
        let description = service.describe_workflow_execution(Request::new(described)).await.unwrap();
        let description = description.into_inner();
        let query =
            WorkflowQuery { query_type: "__temporal_workflow_metadata".to_owned(), ..Default::default() };
        let query = QueryWorkflowRequest { namespace, execution, query: Some(query), ..Default::default() };
        let result = service.query_workflow(Request::new(query)).await.unwrap().into_inner().query_result;
        let metadata: Value = serde_json::from_slice(&result.unwrap().payloads[0].data).unwrap();
        let user: &UserMetadata =
            description.execution_config.as_ref().unwrap().user_metadata.as_ref().unwrap();
        Self {
            summary: text(user.summary.as_ref()),
            details: text(user.details.as_ref()),
            current_details: metadata["currentDetails"].as_str().unwrap_or_default().to_owned(),
            description,
        }
    }

    /// Returns a search attribute.
    fn attribute(&self, name: &str) -> Option<String> {
        let info = self.description.workflow_execution_info.as_ref().unwrap();
        let fields = &info.search_attributes.as_ref().unwrap().indexed_fields;
        fields.get(name).map(|payload| text(Some(payload)))
    }

    /// Returns the pending activity of this type.
    fn pending(&self, activity: &str) -> Option<&PendingActivityInfo> {
        let is_of_type = |pending: &&PendingActivityInfo| {
            pending.activity_type.as_ref().is_some_and(|found| found.name == activity)
        };
        self.description.pending_activities.iter().find(is_of_type)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_waiting_and_running_scans_explain_themselves() {
    let options = ServiceOptions::default().without_models();
    let service = Service::start(options, None).await.unwrap();
    let engine = service.engine();
    let caller = service.client(&service.account().unwrap());
    let clip = Clip::moving(2);
    let running = caller.create_uploaded_scan(&clip).await;
    let waiting = caller.create_uploaded_scan(&clip).await;
    let cut_off = Clip::raw(clip.bytes[..clip.bytes.len() / 2].to_vec());
    let failed = caller.create_uploaded_scan(&cut_off).await;
    service.failpoints().hold("fuse", id(&running));
    service.failpoints().fail("enrich", id(&waiting));
    for scan in [&running, &waiting, &failed] {
        caller.start(scan).await.expect(202);
    }

    caller.await_status(&failed, "failed", SCAN_TIMEOUT).await;
    let shown = until("the workflow to fail", SCAN_TIMEOUT, async || {
        let shown = Shown::read(&engine, &failed).await;
        // The attributes are read before the details.
        let ended = shown.attribute("ScanStatus").as_deref() == Some("failed");
        (ended && shown.current_details.contains("refunded")).then_some(shown)
    })
    .await;
    let link = format!(
        "{}/console/spaces/{}/scans/{}",
        service.api_url().trim_end_matches("/v1"),
        failed["space_id"].as_str().unwrap(),
        id(&failed)
    );
    assert!(shown.summary.starts_with("test video scan of spc_"), "{}", shown.summary);
    assert!(shown.details.contains(&format!("({link})")), "{}", shown.details);
    for part in [
        "**failed, ingesting**",
        "charged: free_scan, 0 cents, refunded",
        "Error `MEDIA_UNREADABLE`",
        "Cause: video: ",
        &format!("GET /v1/scans/{}", id(&failed)),
    ] {
        assert!(shown.current_details.contains(part), "{part}: {}", shown.current_details);
    }
    for (name, value) in
        [("ScanStatus", "failed"), ("ScanStage", "ingesting"), ("ScanError", "MEDIA_UNREADABLE")]
    {
        assert_eq!(shown.attribute(name).as_deref(), Some(value), "{name}");
    }

    service.failpoints().await_held("fuse", id(&running)).await;
    let shown = until("the stage to be shown", SCAN_TIMEOUT, async || {
        let shown = Shown::read(&engine, &running).await;
        (shown.attribute("ScanStage").as_deref() == Some("fusing")).then_some(shown)
    })
    .await;
    assert!(shown.current_details.contains("**processing, fusing**"), "{}", shown.current_details);
    assert!(shown.current_details.contains("charged: free_scan, 0 cents"), "{}", shown.current_details);
    assert!(!shown.current_details.contains("refunded"), "{}", shown.current_details);
    assert_eq!(shown.attribute("ScanStage").as_deref(), Some("fusing"));
    assert_eq!(shown.attribute("ScanError"), None);
    assert!(shown.pending("fuse").is_some(), "{:?}", shown.description.pending_activities);

    // A step that is retried says why.
    let shown = until("the step to be retried", SCAN_TIMEOUT, async || {
        // Each attempt fails until the Web UI shows it.
        service.failpoints().fail("enrich", id(&waiting));
        let shown = Shown::read(&engine, &waiting).await;
        shown.pending("enrich").is_some_and(|pending| pending.last_failure.is_some()).then_some(shown)
    });
    let shown = shown.await;
    assert!(shown.current_details.contains("**processing, enriching**"), "{}", shown.current_details);
    let pending = shown.pending("enrich").unwrap();
    assert!(pending.attempt > 1 && pending.last_failure.is_some(), "{pending:?}");
    service.failpoints().release_all();
}
