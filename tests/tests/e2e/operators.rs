//! What operators do: start it twice, stop it, look at it, cancel and terminate scans.

use std::time::Duration;

use domain::ScanId;
use temporalio_client::WorkflowTerminateOptions;
use tests::{Service, ServiceOptions, caller::id, media::Clip, service::binary};
use workflows::{
    ScanWorkflow,
    client::{Engine, Settings},
    scan_workflow_id,
};

use crate::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn a_second_instance_and_a_busy_port_get_a_clear_message() {
    let mut service = Service::start(ServiceOptions::default(), None).await.unwrap();
    let second = std::process::Command::new(binary("scan").unwrap())
        .args(["up", "--data"])
        .arg(service.folder())
        .output()
        .unwrap();
    assert!(!second.status.success());
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains("another instance"), "{said}");

    let elsewhere = tempfile::tempdir().unwrap();
    let busy = service.api_url().replace("http://", "").replace("/v1", "");
    let blocked = std::process::Command::new(binary("scan").unwrap())
        .args(["up", "--data"])
        .arg(elsewhere.path())
        .env("SCAN__SERVER__LISTEN", &busy)
        .output()
        .unwrap();
    assert!(!blocked.status.success());
    let said = String::from_utf8_lossy(&blocked.stderr).into_owned();
    assert!(said.contains(&busy) && said.contains("server.listen"), "{said}");

    assert!(service.stop().await.success(), "asked to stop, it ends well");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_or_terminated_by_an_operator_a_scan_is_refunded() {
    let options =
        ServiceOptions { failpoints: Some("secure_media=pause".into()), ..ServiceOptions::default() };
    let service = Service::start(options, None).await.unwrap();
    let engine = service.engine();
    let caller = service.caller(&service.account().unwrap());
    let clip = Clip::moving(2);
    let cancelled = caller.uploaded(&clip).await;
    let terminated = caller.uploaded(&clip).await;
    for scan in [&cancelled, &terminated] {
        caller.start(scan).await.expect(202);
    }
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 1);
    let scan: ScanId = id(&cancelled).parse().unwrap();
    engine.cancel_as_operator(&scan).await.unwrap();
    let failed = caller.await_status(&cancelled, "failed", PATIENCE).await;
    assert_eq!(failed["error"]["code"], "CANCELLED_BY_OPERATOR");
    assert_eq!(failed["charge"]["refunded"], true);

    // Terminated, the workflow can compensate nothing: the reconciler does.
    let scan: ScanId = id(&terminated).parse().unwrap();
    let handle = engine.client().await.unwrap().get_workflow_handle::<ScanWorkflow>(scan_workflow_id(&scan));
    handle.terminate(WorkflowTerminateOptions::default()).await.unwrap();
    let failed = caller.await_status(&terminated, "failed", Duration::from_secs(200)).await;
    assert_eq!(failed["charge"]["refunded"], true);
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 3);
    service.admin(&["verify-ledger"]).unwrap();
}

trait EngineOf {
    fn engine(&self) -> Engine;
}

impl EngineOf for Service {
    fn engine(&self) -> Engine {
        Engine::new(Settings { address: self.engine_url(), ..Settings::default() }, "test")
    }
}
