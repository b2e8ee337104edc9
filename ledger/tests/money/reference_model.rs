//! Compares random sequences of operations with a reference model: outcomes, balances and a
//! consistent ledger.

use std::collections::BTreeMap;

use domain::{
    KeyId, ScanId, Timestamp,
    money::{Charge, ChargeKind},
    scan::StartOutcome,
};
use entities::testing::{self, TestDatabase, frames_input, video_input};
use ledger::{Credit, FailOutcome, StartRequest};
use proptest::{collection::vec, prelude::*};

use crate::fixture::{Owner, check_invariants, failure};

const CAP: i64 = 400;
const LIMIT: u32 = 3;

#[derive(Debug, Clone)]
enum Step {
    /// Credits a top-up. There are few references, so some repeat.
    Credit {
        reference: u8,
    },
    /// Grants free scans and money. There are few references, so some repeat.
    Grant {
        reference: u8,
    },
    /// Creates a scan, with or without its uploads.
    Create {
        video: bool,
        uploaded: bool,
    },
    /// Starts a scan, with the capped key or without a key.
    Start {
        scan: usize,
        capped: bool,
    },
    Fail {
        scan: usize,
    },
    Complete {
        scan: usize,
    },
    Cancel {
        scan: usize,
    },
    /// Advances to the next calendar month.
    NextMonth,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let scan = 0..6_usize;
    let step = prop_oneof![
        2 => (0..3_u8).prop_map(|reference| Step::Credit { reference }),
        1 => (0..2_u8).prop_map(|reference| Step::Grant { reference }),
        5 => (any::<bool>(), prop::bool::weighted(0.9)).prop_map(|(video, uploaded)| Step::Create { video, uploaded }),
        8 => (scan.clone(), any::<bool>()).prop_map(|(scan, capped)| Step::Start { scan, capped }),
        3 => scan.clone().prop_map(|scan| Step::Fail { scan }),
        3 => scan.clone().prop_map(|scan| Step::Complete { scan }),
        1 => scan.prop_map(|scan| Step::Cancel { scan }),
        1 => Just(Step::NextMonth),
    ];
    vec(step, 1..50)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Running,
    Done,
    Failed,
    Cancelled,
}

#[derive(Debug)]
struct ModelScan {
    id: ScanId,
    price: i64,
    uploaded: bool,
    state: State,
    charge: Option<Charge>,
    /// Month in which its charge counts against the cap; `None` without the capped key.
    capped_in: Option<usize>,
}

/// The expected behaviour of the ledger, without database, entries or locks.
#[derive(Debug, Default)]
struct Model {
    cents: i64,
    free: i64,
    credited: Vec<u8>,
    granted: Vec<u8>,
    scans: Vec<ModelScan>,
    month: usize,
    spent: BTreeMap<usize, i64>,
}

impl Model {
    fn start(&mut self, index: usize, capped: bool) -> StartOutcome {
        let running = self.scans.iter().filter(|scan| scan.state == State::Running).count();
        let (cents, free, month) = (self.cents, self.free, self.month);
        let spent = self.spent.get(&month).copied().unwrap_or(0);
        let scan = &mut self.scans[index];
        match scan.state {
            State::Cancelled => return StartOutcome::Cancelled,
            State::Waiting if !scan.uploaded => return StartOutcome::UploadIncomplete { missing: 1 },
            State::Waiting => {}
            _ => return StartOutcome::AlreadyStarted { charge: scan.charge.unwrap() },
        }
        if running >= LIMIT as usize {
            return StartOutcome::ScansInProgress { limit: LIMIT };
        }
        let price_cents = if free > 0 { 0 } else { scan.price };
        if free == 0 && capped && spent + price_cents > CAP {
            return StartOutcome::SpendingCapReached;
        }
        if free == 0 && cents < price_cents {
            return StartOutcome::InsufficientFunds { balance_cents: cents, price_cents };
        }
        let kind = if free > 0 { ChargeKind::FreeScan } else { ChargeKind::ScanCharge };
        let charge = Charge { kind, price_cents, refunded: false };
        scan.state = State::Running;
        scan.charge = Some(charge);
        scan.capped_in = capped.then_some(month);
        self.cents -= price_cents;
        self.free -= i64::from(free > 0);
        if capped {
            *self.spent.entry(month).or_default() += price_cents;
        }
        StartOutcome::Started { charge }
    }

    /// Fails a scan. Returns whether this call failed it.
    fn fail(&mut self, index: usize) -> bool {
        let scan = &mut self.scans[index];
        if scan.state != State::Running {
            return false;
        }
        scan.state = State::Failed;
        let charge = scan.charge.as_mut().unwrap();
        charge.refunded = true;
        self.cents += charge.price_cents;
        self.free += i64::from(charge.kind == ChargeKind::FreeScan);
        if let Some(month) = scan.capped_in {
            *self.spent.get_mut(&month).unwrap() -= charge.price_cents;
        }
        true
    }
}

/// Returns noon on the first day of a month, counted from October 2026.
fn noon_in(month: usize) -> Timestamp {
    let (year, month) = (2026 + (9 + month) / 12, (9 + month) % 12 + 1);
    format!("{year:04}-{month:02}-01T12:00:00.000Z").parse().unwrap()
}

async fn run(database: &TestDatabase, steps: &[Step]) {
    let db = database.db();
    let owner = Owner::new(db, 0, 1).await;
    let (key, _) = testing::key(db, &owner.tenant, Some(CAP)).await;
    let mut model = Model { free: 1, ..Default::default() };
    for step in steps {
        apply(&owner, &key.id, &mut model, step).await;
        assert_eq!(owner.money().await, (model.cents, model.free), "after {step:?}");
    }
    for (month, expected) in &model.spent {
        let spent = ledger::spent_by_key(db, &owner.tenant, &key.id, noon_in(*month)).await.unwrap();
        assert_eq!(spent, *expected, "in month {month}");
    }
    for scan in &model.scans {
        assert_eq!(owner.scan(&scan.id).await.charge(), scan.charge);
    }
    check_invariants(db).await;
}

/// Creates a scan in the database and in the model.
async fn create(owner: &Owner, model: &mut Model, video: bool, uploaded: bool) {
    let (input, price) = if video { (video_input(), 150) } else { (frames_input(1), 100) };
    let mut new = testing::new_scan(&owner.tenant, &owner.space, input);
    new.start_window = std::time::Duration::from_secs(400 * 86_400);
    let (db, now) = (&owner.db, noon_in(model.month));
    let outcome = db.write(async |txn| entities::scans::create(&txn, &new, now).await).await.unwrap();
    let entities::scans::CreateOutcome::Created(row) = outcome else { panic!("{outcome:?}") };
    if uploaded {
        testing::upload_all(db, &row).await;
    }
    let (id, state) = (row.id.0, State::Waiting);
    model.scans.push(ModelScan { id, price, uploaded, state, charge: None, capped_in: None });
}

async fn apply(owner: &Owner, key: &KeyId, model: &mut Model, step: &Step) {
    let (db, now) = (&owner.db, noon_in(model.month));
    let reference_of = |kind: &str, reference: u8| format!("{kind}-{}-{reference}", owner.tenant.account_id);
    let credit_of =
        |cents, free_scans, reference| Credit { tenant: owner.tenant.clone(), cents, free_scans, reference };
    match step {
        Step::Credit { reference } => {
            let topup = credit_of(310, 0, reference_of("bank", *reference));
            let new = !model.credited.contains(reference);
            assert_eq!(ledger::credit(db, &topup, now).await.unwrap().new, new);
            if new {
                model.credited.push(*reference);
                model.cents += 310;
            }
        }
        Step::Grant { reference } => {
            let grant = credit_of(20, 1, reference_of("gift", *reference));
            let new = !model.granted.contains(reference);
            assert_eq!(ledger::grant(db, &grant, now).await.unwrap().new, new);
            if new {
                model.granted.push(*reference);
                model.cents += 20;
                model.free += 1;
            }
        }
        Step::Create { video, uploaded } => create(owner, model, *video, *uploaded).await,
        Step::Start { scan, capped } if !model.scans.is_empty() => {
            let index = scan % model.scans.len();
            let request = StartRequest {
                now,
                max_in_progress: LIMIT,
                ..owner.request(&model.scans[index].id, capped.then_some(key))
            };
            let outcome = ledger::start_scan(db, &request).await.unwrap();
            assert_eq!(outcome, model.start(index, *capped));
        }
        Step::Fail { scan } if !model.scans.is_empty() => {
            let index = scan % model.scans.len();
            let outcome = ledger::fail_scan(db, &model.scans[index].id, &failure(), now).await.unwrap();
            assert_eq!(matches!(outcome, FailOutcome::Failed { .. }), model.fail(index), "{outcome:?}");
        }
        Step::Complete { scan } if !model.scans.is_empty() => {
            let index = scan % model.scans.len();
            owner.complete(&model.scans[index].id).await;
            if model.scans[index].state == State::Running {
                model.scans[index].state = State::Done;
            }
        }
        Step::Cancel { scan } if !model.scans.is_empty() => {
            let index = scan % model.scans.len();
            let id = &model.scans[index].id;
            db.write(async |txn| entities::scans::cancel(&txn, id, now).await).await.unwrap();
            if model.scans[index].state == State::Waiting {
                model.scans[index].state = State::Cancelled;
            }
        }
        Step::NextMonth => model.month += 1,
        _ => {}
    }
}

#[test]
fn any_sequence_matches_the_reference_model() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for database in runtime.block_on(testing::databases()) {
        let config = ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let result = runner.run(&steps(), |steps| {
            runtime.block_on(run(&database, &steps));
            Ok(())
        });
        let backend = database.db().backend();
        runtime.block_on(database.drop_database());
        if let Err(e) = result {
            panic!("on {backend:?}: {e}");
        }
    }
}
