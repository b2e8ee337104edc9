//! Every activity of every workflow fails: before its work, after its work, by a panic, and by a crash of
//! the process (signal 9) before and after its work. The end is the same as without faults.

use std::{collections::BTreeSet, time::Duration};

use domain::{
    AccountId, EventId, ExportId, ExportState, Mode, PaymentId, ScanId, Timestamp, mode::Tenant,
    page::PageRequest, payment::PaymentState,
};
use entities::{
    Db, account_exports, accounts, erasure, events,
    ledger_transactions::{self, TransactionKind},
    payments,
};
use harness::{
    Account, ApiClient, Failpoints, Receiver, Service, ServiceOptions, api_client::id, clips::Clip,
    create_paying_account, until,
};
use ledger::{NewTopUp, TopUp};
use serde_json::{Value, json};
use workflows::contract::UpkeepTask;

/// Maximum time of a workflow after all its faults. After a crash, a step restarts when its heartbeat
/// has been missing for 30 s.
const TIMEOUT: Duration = Duration::from_secs(300);
const TOP_UP_CENTS: i64 = 700;

/// The activities of a workflow that takes one of its ways, in order.
const COMPLETE_SCAN: [&str; 12] = [
    "verify_uploads",
    "charge",
    "secure_media",
    "ingest",
    "observe_frames",
    "listen",
    "fuse",
    "enrich",
    "save",
    "emit_event",
    "deliver",
    "discard_media",
];
const FAILED_SCAN: [&str; 1] = ["refund"];
const CANCELLED_SCAN: [&str; 1] = ["cancel_scan"];
const PAYMENT: [&str; 1] = ["pay"];
const EXPORT: [&str; 2] = ["export_account", "drop_export"];
const ERASURE: [&str; 3] = ["settle_account", "erase_objects", "erase_records"];

/// Rounds of the periodic tasks. `tests/tests/upkeep` kills a worker in a round.
const UPKEEP: [&str; 1] = ["run_upkeep"];

/// Local activities: an update waits for them, so they are held for a few seconds only.
const LOCAL: [&str; 3] = ["verify_uploads", "charge", "cancel_scan"];

#[test]
fn every_activity_of_the_contract_is_covered() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../workflows/src/contract");
    let sources = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text: String = sources.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let declared = text.split("#[activity(name = \"").skip(1);
    let declared: BTreeSet<_> = declared.map(|rest| rest.split('"').next().unwrap()).collect();
    let covered =
        [&COMPLETE_SCAN[..], &FAILED_SCAN, &CANCELLED_SCAN, &PAYMENT, &EXPORT, &ERASURE, &UPKEEP].concat();
    assert_eq!(declared, covered.into_iter().collect());
}

fn options() -> ServiceOptions {
    ServiceOptions::default()
        .set("SCANS__MAX_IN_PROGRESS", 100)
        .set("SCANS__KEEP_EXPORTS_HOURS", 0)
        // The faults are tested, not the models. Without a model, `listen` still runs.
        .set("PERCEPTION__MODELS__TEXT", false)
        .set("PERCEPTION__MODELS__SPEECH", false)
        .set("PERCEPTION__MODELS__OBJECTS", false)
        // Activities that a test holds keep their slots.
        .set("WORKERS__MEDIA_SLOTS", 20)
        .set("WORKERS__VISION_SLOTS", 20)
        .set("WORKERS__FUSION_SLOTS", 20)
}

/// A service, and the database behind it.
struct Fixture {
    service: Service,
    receiver: Receiver,
    db: Db,
    clip: Clip,
}

impl Fixture {
    async fn new(service: Service, receiver: Receiver) -> Self {
        let db = service.database().await.unwrap();
        let with_audio = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=5:duration=2"];
        let with_audio = [&with_audio[..], &["-f", "lavfi", "-i", "sine=duration=2"]].concat();
        Self { service, receiver, db, clip: Clip::from_inputs(&with_audio, &["-c:a", "aac"]) }
    }

    fn failpoints(&self) -> &Failpoints {
        self.service.failpoints()
    }

    /// Creates an account whose events go to the receiver.
    fn account(&self) -> (Account, ApiClient) {
        let account = self.service.account().unwrap();
        self.service.register(&account, &self.receiver).unwrap();
        let caller = self.service.client(&account);
        (account, caller)
    }

    /// Creates an uploaded scan of a space with this `external_id`.
    async fn scan(&self, caller: &ApiClient, external_id: &str) -> Value {
        let space = json!({ "name": "A space", "space_type": "other", "external_id": external_id });
        let space = caller.post("/spaces", space).await.expect(201).text("id");
        let scan = caller.post(&format!("/spaces/{space}/scans"), self.clip.declaration()).await;
        let scan = scan.expect(201).body;
        caller.upload(&scan, &self.clip).await.expect(204);
        scan
    }

    /// Begins a top-up while payments are held before they begin.
    async fn top_up(&self) -> (Tenant, PaymentId) {
        let account = create_paying_account(&self.service, "pm_card_visa").await.unwrap();
        let tenant = tenant(&account.id);
        let new = NewTopUp {
            tenant: tenant.clone(),
            amount_cents: TOP_UP_CENTS,
            idempotency_key: "once".into(),
            requested_by: "the test".into(),
        };
        match ledger::begin_top_up(&self.db, &new, Timestamp::now()).await.unwrap() {
            TopUp::New(payment) => (tenant, payment.id.0),
            other => panic!("{other:?}"),
        }
    }

    /// Begins an export after `prepare` has seen its id.
    async fn export(&self, prepare: impl Fn(&str)) -> ExportId {
        let account: AccountId = self.service.account().unwrap().id.parse().unwrap();
        let begun: entities::Result<_> = self
            .db
            .write(async |txn| {
                let export = account_exports::begin(&txn, &account, Timestamp::now()).await?;
                prepare(export.id.as_str());
                Ok(export.id.0)
            })
            .await;
        begun.unwrap()
    }

    async fn close(&self, account: &AccountId) {
        let closed = self.db.write(async |txn| erasure::close(&txn, account, Timestamp::now()).await).await;
        assert!(closed.unwrap());
    }

    /// Waits until a scan is complete, starting it again if necessary, and checks what it left.
    async fn assert_complete(&self, account: &Account, caller: &ApiClient, scan: &Value) {
        let condition = format!("scan {} to be complete", id(scan));
        let done = until(&condition, TIMEOUT, async || {
            let current = caller.scan(scan).await;
            match current["status"].as_str().unwrap() {
                // The service crashed in the middle of the first request.
                "awaiting_upload" => drop(caller.start(scan).await),
                "complete" => return Some(current),
                status => assert!(["queued", "processing"].contains(&status), "{current}"),
            }
            None
        })
        .await;
        assert_eq!((&done["document_revision"], &done["charge"]["refunded"]), (&json!(1), &json!(false)));
        let stages = done["timeline"].as_array().unwrap().iter().filter_map(|entry| entry["stage"].as_str());
        assert_eq!(stages.collect::<Vec<_>>(), ["ingesting", "observing", "fusing", "enriching", "saving"]);
        let scan: ScanId = id(scan).parse().unwrap();
        self.assert_delivered(account, &EventId::scan_completed(&scan)).await;
    }

    async fn assert_failed(&self, account: &Account, caller: &ApiClient, scan: &Value) {
        let failed = caller.await_status(scan, "failed", TIMEOUT).await;
        assert_eq!(failed["charge"]["refunded"], true);
        let scan: ScanId = id(scan).parse().unwrap();
        self.assert_delivered(account, &EventId::scan_failed(&scan)).await;
    }

    /// Checks that an event exists once, and that the receiver has it.
    async fn assert_delivered(&self, account: &Account, event: &EventId) {
        self.receiver.await_request(TIMEOUT, |request| request.event_id == event.as_str()).await;
        let listed = events::list(&self.db, &tenant(&account.id), None, &all()).await.unwrap().rows;
        assert_eq!(listed.iter().filter(|row| row.id.0 == *event).count(), 1);
    }

    /// Checks the number of transactions of each kind.
    async fn assert_transactions(&self, tenant: &Tenant, expected: &[(TransactionKind, usize)]) {
        let rows = ledger_transactions::list(&self.db, tenant, &all()).await.unwrap().rows;
        for (kind, count) in expected {
            assert_eq!(rows.iter().filter(|row| row.kind.0 == *kind).count(), *count, "{kind:?}");
        }
    }

    async fn assert_paid_once(&self, tenant: &Tenant, payment: &PaymentId) {
        let row = until("the payment", TIMEOUT, async || {
            let row = payments::system::find(&self.db, payment).await.unwrap().unwrap();
            (row.state.0 != PaymentState::Pending).then_some(row)
        })
        .await;
        assert_eq!(row.state.0, PaymentState::Succeeded);
        self.assert_transactions(tenant, &[(TransactionKind::Topup, 1)]).await;
        assert_eq!(ledger::wallet(&self.db, tenant).await.unwrap().balance_cents, TOP_UP_CENTS);
    }

    async fn assert_expired(&self, export: &ExportId) {
        until("the archive to be deleted", TIMEOUT, async || {
            let row = account_exports::system::find(&self.db, export).await.unwrap().unwrap();
            (row.state.0 == ExportState::Expired).then_some(())
        })
        .await;
    }

    async fn assert_erased(&self, account: &AccountId) {
        until("the erasure", TIMEOUT, async || {
            accounts::find(&self.db, account).await.unwrap().unwrap().erased_at
        })
        .await;
    }

    /// Checks that the bank charged each payment once, and that the ledger balances.
    async fn finish(self, payments: usize) {
        self.service.admin(&["verify-ledger"]).unwrap();
        let report = self.service.admin(&["reconcile-bank", "--mode", "test"]).unwrap();
        assert_eq!((&report["payments"], &report["defects"]), (&json!(payments), &json!([])));
        self.db.close().await.unwrap();
    }
}

fn tenant(account: &str) -> Tenant {
    Tenant { account_id: account.parse().unwrap(), mode: Mode::Test }
}

fn all() -> PageRequest {
    PageRequest { limit: 100, ..PageRequest::default() }
}

/// Returns the subject of an activity of a complete scan.
fn subject(activity: &str, scan: &Value) -> String {
    let scan: ScanId = id(scan).parse().unwrap();
    match activity {
        "emit_event" | "deliver" => EventId::scan_completed(&scan).to_string(),
        _ => scan.to_string(),
    }
}

/// A fault of an activity that happens once.
#[derive(Debug, Clone, Copy)]
enum Fault {
    FailsBefore,
    /// Its first result is lost.
    RunsTwice,
    PanicsAfter,
}

impl Fault {
    const ALL: [Self; 3] = [Self::FailsBefore, Self::RunsTwice, Self::PanicsAfter];

    fn set(self, failpoints: &Failpoints, activity: &str, subject: &str) {
        match self {
            Fault::FailsBefore => failpoints.fail(&format!("before_{activity}"), subject),
            Fault::RunsTwice => failpoints.fail(activity, subject),
            Fault::PanicsAfter => failpoints.panic(activity, subject),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workflows_end_as_usual_if_every_activity_fails_once() {
    on_each_database_with_receiver(async |fixture| {
        fixture.failpoints().hold("before_pay", "any");
        let mut payments = Vec::new();
        for fault in Fault::ALL {
            let payment = fixture.top_up().await;
            fault.set(fixture.failpoints(), "pay", payment.1.as_str());
            payments.push(payment);
        }
        fixture.failpoints().release("before_pay", "any");
        // One after the other: a command of the operator blocks this task, so no transaction of this task
        // may be open meanwhile.
        for fault in Fault::ALL {
            fail_every_activity(&fixture, fault).await;
        }
        for (tenant, payment) in &payments {
            fixture.assert_paid_once(tenant, payment).await;
        }
        // A delivery is acknowledged after its request, so its faults happen last.
        until("all faults to happen", TIMEOUT, async || {
            fixture.failpoints().unspent().is_empty().then_some(())
        })
        .await;
        fixture.finish(payments.len()).await;
    })
    .await;
}

/// Lets every activity of one complete, one failed and one cancelled scan, of an export and of an erasure
/// fail once.
async fn fail_every_activity(fixture: &Fixture, fault: Fault) {
    let failpoints = fixture.failpoints();
    let (account, caller) = fixture.account();
    let complete = fixture.scan(&caller, "none").await;
    for activity in COMPLETE_SCAN {
        fault.set(failpoints, activity, &subject(activity, &complete));
    }
    let failed = fixture.scan(&caller, "test:fail:fusing").await;
    fault.set(failpoints, "refund", id(&failed));
    let cancelled = fixture.scan(&caller, "none").await;
    fault.set(failpoints, "cancel_scan", id(&cancelled));
    let export = fixture
        .export(|export| EXPORT.iter().for_each(|activity| fault.set(failpoints, activity, export)))
        .await;
    let erased: AccountId = fixture.service.account().unwrap().id.parse().unwrap();
    ERASURE.iter().for_each(|activity| fault.set(failpoints, activity, erased.as_str()));
    fixture.close(&erased).await;

    caller.start(&complete).await.expect(202);
    caller.start(&failed).await.expect(202);
    caller.delete(&format!("/scans/{}", id(&cancelled))).await.expect(204);
    fixture.assert_complete(&account, &caller, &complete).await;
    fixture.assert_failed(&account, &caller, &failed).await;
    assert_eq!(caller.scan(&cancelled).await["timeline"].as_array().unwrap().len(), 2);
    let moved = [(TransactionKind::Charge, 2), (TransactionKind::Refund, 1)];
    fixture.assert_transactions(&tenant(&account.id), &moved).await;
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 2);
    fixture.assert_expired(&export).await;
    fixture.assert_erased(&erased).await;
}

/// Runs a test on each database. Events go to a receiver.
async fn on_each_database_with_receiver(test: impl AsyncFn(Fixture)) {
    let receiver = Receiver::start().await.unwrap();
    let service = Service::start(options(), Some(&receiver)).await.unwrap();
    test(Fixture::new(service, receiver).await).await;
    let Some(database) = entities::testing::TestDatabase::postgres().await else { return };
    let receiver = Receiver::start().await.unwrap();
    let options = options().set("DATABASE__URL", database.settings().url.reveal());
    let service = Service::start(options, Some(&receiver)).await.unwrap();
    test(Fixture::new(service, receiver).await).await;
    database.drop_database().await;
}

/// Where a crash stops an activity.
fn points(activity: &str) -> [String; 2] {
    [format!("before_{activity}"), activity.to_owned()]
}

/// One crash stops every activity of every workflow before and after its work, each of another subject.
#[tokio::test(flavor = "multi_thread")]
async fn workflows_end_as_usual_if_the_process_crashes_between_any_two_activities() {
    on_each_database_with_receiver(async |mut fixture| {
        let failpoints = fixture.failpoints().clone();
        let (account, caller) = fixture.account();
        grant_scans(&fixture, &account).await;
        let mut held: Vec<(String, String)> = Vec::new();
        let mut hold = |point: &str, subject: &str| {
            failpoints.hold(point, subject);
            held.push((point.to_owned(), subject.to_owned()));
        };

        let (mut complete, mut failed, mut exports, mut erased) = (vec![], vec![], vec![], vec![]);
        for activity in COMPLETE_SCAN.iter().filter(|activity| !LOCAL.contains(activity)) {
            for point in points(activity) {
                let scan = fixture.scan(&caller, "none").await;
                hold(&point, &subject(activity, &scan));
                caller.start(&scan).await.expect(202);
                complete.push(scan);
            }
        }
        for point in points("refund") {
            let scan = fixture.scan(&caller, "test:fail:fusing").await;
            hold(&point, id(&scan));
            caller.start(&scan).await.expect(202);
            failed.push(scan);
        }
        for point in EXPORT.iter().flat_map(|activity| points(activity)) {
            let export = fixture.export(|export| failpoints.hold(&point, export)).await;
            hold(&point, export.as_str());
            exports.push(export);
        }
        for point in ERASURE.iter().flat_map(|activity| points(activity)) {
            let account: AccountId = fixture.service.account().unwrap().id.parse().unwrap();
            hold(&point, account.as_str());
            fixture.close(&account).await;
            erased.push(account);
        }
        failpoints.hold("before_pay", "any");
        let mut payments = Vec::new();
        for point in points("pay") {
            let payment = fixture.top_up().await;
            hold(&point, payment.1.as_str());
            payments.push(payment);
        }
        failpoints.release("before_pay", "any");
        for (point, subject) in &held {
            failpoints.await_held(point, subject).await;
        }
        let cancelled = hold_local_activities(&fixture, &caller, &mut complete).await;

        fixture.service.kill();
        failpoints.release_all();
        fixture.service.restart().await.unwrap();
        for scan in &complete {
            fixture.assert_complete(&account, &caller, scan).await;
        }
        for scan in &failed {
            fixture.assert_failed(&account, &caller, scan).await;
        }
        for scan in &cancelled {
            caller.delete(&format!("/scans/{}", id(scan))).await.expect(204);
            assert_eq!(caller.scan(scan).await["timeline"].as_array().unwrap().len(), 2);
        }
        let charged = complete.len() + failed.len();
        let moved = [(TransactionKind::Charge, charged), (TransactionKind::Refund, failed.len())];
        fixture.assert_transactions(&tenant(&account.id), &moved).await;
        for (tenant, payment) in &payments {
            fixture.assert_paid_once(tenant, payment).await;
        }
        for export in &exports {
            fixture.assert_expired(export).await;
        }
        for account in &erased {
            fixture.assert_erased(account).await;
        }
        fixture.finish(payments.len()).await;
    })
    .await;
}

/// Gives an account enough free scans for all activities.
async fn grant_scans(fixture: &Fixture, account: &Account) {
    let tenant = tenant(&account.id);
    let grant = ledger::Credit { tenant, cents: 0, free_scans: 100, reference: "the test".into() };
    ledger::grant(&fixture.db, &grant, Timestamp::now()).await.unwrap();
}

/// Holds the local activities of requests that wait for them. Adds the scans that are being started to
/// `complete`, and returns those that are being cancelled.
async fn hold_local_activities(
    fixture: &Fixture,
    caller: &ApiClient,
    complete: &mut Vec<Value>,
) -> Vec<Value> {
    let failpoints = fixture.failpoints();
    let (mut requests, mut cancelled) = (Vec::new(), Vec::new());
    for activity in LOCAL {
        for point in points(activity) {
            let scan = fixture.scan(caller, "none").await;
            failpoints.hold(&point, id(&scan));
            requests.push((point, activity, scan));
        }
    }
    for (_, activity, scan) in &requests {
        let (caller, scan, cancels) = (caller.clone(), scan.clone(), *activity == "cancel_scan");
        // The service is killed before it responds.
        tokio::spawn(async move {
            match cancels {
                true => caller.delete(&format!("/scans/{}", id(&scan))).await,
                false => caller.start(&scan).await,
            }
        });
    }
    for (point, activity, scan) in requests {
        failpoints.await_held(&point, id(&scan)).await;
        if activity == "cancel_scan" { cancelled.push(scan) } else { complete.push(scan) }
    }
    cancelled
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_of_a_periodic_task_do_their_work_after_faults() {
    let options = options().set("RECONCILER__EVERY_SECONDS", 1).set("RECONCILER__SETTLED_AFTER_SECONDS", 1);
    let service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let task = UpkeepTask::Reconcile.schedule_id();
    for fault in [Failpoints::fail, Failpoints::panic] {
        for point in ["before_run_upkeep", "run_upkeep"] {
            fault(service.failpoints(), point, task);
        }
        let scan = caller.create_uploaded_scan(&Clip::moving(2)).await;
        service.engine().terminate_scan(&id(&scan).parse().unwrap(), "a test").await.unwrap();
        caller.await_status(&scan, "cancelled", TIMEOUT).await;
        until("the faults", TIMEOUT, async || service.failpoints().unspent().is_empty().then_some(())).await;
    }
}
