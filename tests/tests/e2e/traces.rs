//! Traces: one trace leads from a request through its workflow to the activities, and through the outbox
//! to the relay.

use std::{collections::HashMap, time::Duration};

use harness::{Collector, ConsoleClient, Service, ServiceOptions, clips::Clip, until};
use serde_json::json;

use crate::SCAN_TIMEOUT;

/// Maximum time until the exporters have sent their spans.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(30);

/// A span, as a test compares it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    name: String,
    trace: Vec<u8>,
    id: Vec<u8>,
    parent: Vec<u8>,
}

fn spans(collector: &Collector) -> Vec<Span> {
    let received = collector.spans().into_iter();
    received
        .map(|span| Span {
            name: span.name,
            trace: span.trace_id,
            id: span.span_id,
            parent: span.parent_span_id,
        })
        .collect()
}

/// Waits for a trace that has spans with all of these names, and returns its spans.
async fn await_trace(collector: &Collector, names: &[&str]) -> Vec<Span> {
    let found = until("the spans of a trace", EXPORT_TIMEOUT * 2, async || {
        let mut traces: HashMap<Vec<u8>, Vec<Span>> = HashMap::new();
        for span in spans(collector) {
            traces.entry(span.trace.clone()).or_default().push(span);
        }
        let has_all =
            |trace: &Vec<Span>| names.iter().all(|name| trace.iter().any(|span| span.name == *name));
        traces.into_values().find(has_all)
    });
    tokio::time::timeout(EXPORT_TIMEOUT, found).await.unwrap_or_else(|_| {
        let names: Vec<_> = spans(collector).into_iter().map(|span| span.name).collect();
        panic!("no trace has all of these spans; there are {names:?}")
    })
}

/// Returns the names from a span up to the root of its trace.
fn ancestors<'a>(trace: &'a [Span], name: &str) -> Vec<&'a str> {
    let mut at = trace.iter().find(|span| span.name == name);
    let mut names = Vec::new();
    while let Some(span) = at {
        names.push(span.name.as_str());
        at = trace.iter().find(|parent| parent.id == span.parent);
    }
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn one_trace_leads_from_the_request_through_the_workflow_to_its_activities() {
    let collector = Collector::start().await.unwrap();
    let options = ServiceOptions::default().without_models().set("TRACES__ENDPOINT", collector.url());
    let service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&Clip::moving(2)).await;
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;

    // The request that creates the scan starts its workflow.
    let stages = ["RunActivity:ingest", "RunActivity:observe_frames", "RunActivity:fuse", "RunActivity:save"];
    let mut names = vec!["POST createScan", "RunWorkflow:ScanWorkflow", "RunActivity:emit_event"];
    names.extend(stages);
    let trace = await_trace(&collector, &names).await;
    for stage in stages {
        let path = ancestors(&trace, stage);
        assert!(path.contains(&"RunWorkflow:ScanWorkflow"), "{path:?}");
        assert_eq!(path.last(), Some(&"POST createScan"), "{path:?}");
    }

    // The request that starts the scan sends an update to the workflow, which charges.
    let trace =
        await_trace(&collector, &["POST startScan", "HandleUpdate:start", "RunActivity:charge"]).await;
    let path = ancestors(&trace, "RunActivity:charge");
    assert!(path.contains(&"HandleUpdate:start"), "{path:?}");
    assert_eq!(path.last(), Some(&"POST startScan"), "{path:?}");

    // Mail is sent by the relay, to which the outbox hands the trace of the request.
    let console = ConsoleClient::new(&service);
    console.sign_up("owner@example.com", "a long password of nobody").await.expect(202);
    let trace = await_trace(&collector, &["POST signUp", "outbox account_mail"]).await;
    assert_eq!(ancestors(&trace, "outbox account_mail"), ["outbox account_mail", "POST signUp"]);

    // The log has the trace id of the request, so that one leads to the other.
    let trace_id: String = trace[0].trace.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(service.log_tail().contains(&trace_id), "{}", service.log_tail());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_disturbs_nothing() {
    // Nothing listens on this port.
    let options = ServiceOptions::default().without_models().set("TRACES__ENDPOINT", "http://127.0.0.1:9");
    let mut service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    caller.post("/spaces", json!({ "name": "Traced", "space_type": "office" })).await.expect(201);
    assert!(service.stop().await.success());
}
