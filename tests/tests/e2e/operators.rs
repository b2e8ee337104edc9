//! Operator actions: a second instance, a shutdown, and cancelled and terminated workflows.

use domain::{EventId, ScanId};
use entities::webhook_deliveries::{self, DeliveryStatus};
use harness::{Receiver, Service, ServiceOptions, api_client::id, clips::Clip, service::binary, until};
use hyper::StatusCode;
use temporalio_client::WorkflowTerminateOptions;
use workflows::{ScanWorkflow, client::Engine, delivery_workflow_id, scan_workflow_id};

use crate::SCAN_TIMEOUT;

#[tokio::test(flavor = "multi_thread")]
async fn second_instance_and_busy_port_fail_with_a_clear_message() {
    let mut service = Service::start(ServiceOptions::default(), None).await.unwrap();
    let second = std::process::Command::new(binary("scan").unwrap())
        .args(["up", "--data"])
        .arg(service.folder())
        .output()
        .unwrap();
    assert!(!second.status.success());
    let message = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(message.contains("another instance"), "{message}");

    let other_folder = tempfile::tempdir().unwrap();
    let busy_address = service.api_url().replace("http://", "").replace("/v1", "");
    let blocked = std::process::Command::new(binary("scan").unwrap())
        .args(["up", "--data"])
        .arg(other_folder.path())
        .env("SCAN__SERVER__LISTEN", &busy_address)
        .output()
        .unwrap();
    assert!(!blocked.status.success());
    let message = String::from_utf8_lossy(&blocked.stderr).into_owned();
    assert!(message.contains(&busy_address) && message.contains("server.listen"), "{message}");

    assert!(service.stop().await.success(), "the service stops successfully on request");
}

#[tokio::test(flavor = "multi_thread")]
async fn scan_cancelled_or_terminated_by_an_operator_is_refunded() {
    let receiver = Receiver::start().await.unwrap();
    let options =
        ServiceOptions { failpoints: Some("secure_media=pause".into()), ..ServiceOptions::default() }
            .set("RECONCILER__EVERY_SECONDS", 1)
            .set("RECONCILER__SETTLED_AFTER_SECONDS", 3);
    let service = Service::start(options, Some(&receiver)).await.unwrap();
    let engine = service.engine();
    let account = service.account().unwrap();
    let caller = service.client(&account);
    let (endpoint, _) = service.register_endpoint(&account, &receiver).unwrap();
    receiver.respond_next([StatusCode::SERVICE_UNAVAILABLE; 20]);
    let clip = Clip::moving(2);
    let cancelled = caller.create_uploaded_scan(&clip).await;
    let terminated = caller.create_uploaded_scan(&clip).await;
    for scan in [&cancelled, &terminated] {
        caller.start(scan).await.expect(202);
    }
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 1);
    let scan: ScanId = id(&cancelled).parse().unwrap();
    engine.cancel_as_operator(&scan).await.unwrap();
    let failed = caller.await_status(&cancelled, "failed", SCAN_TIMEOUT).await;
    assert_eq!(failed["error"]["code"], "CANCELLED_BY_OPERATOR");
    assert_eq!(failed["charge"]["refunded"], true);

    // A terminated workflow cannot compensate; the reconciler does.
    let scan: ScanId = id(&terminated).parse().unwrap();
    terminate(&engine, scan_workflow_id(&scan)).await;
    let failed = caller.await_status(&terminated, "failed", SCAN_TIMEOUT).await;
    assert_eq!(failed["charge"]["refunded"], true);
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 3);
    service.admin(&["verify-ledger"]).unwrap();

    // A terminated delivery that was waiting for its next attempt is abandoned.
    let refused = receiver.await_request(SCAN_TIMEOUT, |r| r.json()["type"] == "scan.failed").await;
    let db = service.database().await.unwrap();
    let (event, endpoint) = (EventId::trusted(&refused.event_id), endpoint.parse().unwrap());
    let delivery = async || {
        let found = webhook_deliveries::system::find(&db, &event, &endpoint).await.unwrap();
        found.filter(|delivery| delivery.attempts == 1)
    };
    let waiting = until("the attempt to be recorded", SCAN_TIMEOUT, delivery).await;
    assert_eq!(waiting.status.0, DeliveryStatus::Pending);
    terminate(&engine, delivery_workflow_id(&event, &endpoint)).await;
    let abandoned = until("the delivery to be abandoned", SCAN_TIMEOUT, async || {
        delivery().await.filter(|delivery| delivery.status.0 != DeliveryStatus::Pending)
    })
    .await;
    assert_eq!((abandoned.status.0, abandoned.attempts), (DeliveryStatus::Failed, 1));
}

async fn terminate(engine: &Engine, workflow: String) {
    // The type of the handle doesn't matter for a termination.
    let handle = engine.client().await.unwrap().get_workflow_handle::<ScanWorkflow>(workflow);
    handle.terminate(WorkflowTerminateOptions::default()).await.unwrap();
}
