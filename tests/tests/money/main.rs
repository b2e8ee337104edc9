//! Compares the payment code with a reference model. After each random step, balance, payments,
//! charges, events, mails and outbox entries match the model, at every point where the process may
//! crash.

mod payment_fixture;
mod reference_model;

use std::sync::atomic::{AtomicUsize, Ordering};

use entities::testing::{self, TestDatabase};
use payment_fixture::PaymentFixture;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use proptest_state_machine::ReferenceStateMachine;
use reference_model::{ReferenceModel, Step};

/// Number of cases on each database.
const CASES: u32 = 24;
/// Maximum number of steps in a case.
const STEPS: usize = 60;

async fn run_case(
    database: &TestDatabase,
    mut model: ReferenceModel,
    steps: &[Step],
    seen: Option<&AtomicUsize>,
) {
    let mut fixture = PaymentFixture::new(database.db()).await;
    let relay = Step::Relay { crash: false };
    let end = [relay.clone(), Step::Wait { long: false }, Step::Notify { seed: 1 }, relay];
    for step in steps.iter().chain(&end) {
        if let Some(seen) = seen {
            seen.fetch_add(1, Ordering::SeqCst);
        }
        model = ReferenceModel::apply(model, step);
        fixture.apply(step).await;
        fixture.compare(&model).await;
    }
    fixture.assert_settled().await;
}

#[test]
fn payments_match_the_reference_model() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for database in runtime.block_on(testing::databases()) {
        let config = Config { cases: CASES, max_shrink_iters: 400, ..Config::default() };
        let steps_run = AtomicUsize::new(0);
        let result = TestRunner::new(config).run(
            &ReferenceModel::sequential_strategy(1..STEPS),
            |(model, steps, seen)| {
                let run = std::panic::AssertUnwindSafe(|| {
                    runtime.block_on(run_case(&database, model.clone(), &steps, seen.as_deref()));
                });
                steps_run.fetch_add(steps.len(), Ordering::SeqCst);
                std::panic::catch_unwind(run).map_err(|_| TestCaseError::fail("differs from the model"))
            },
        );
        let backend = database.db().backend();
        runtime.block_on(database.drop_database());
        eprintln!("{backend:?}: {CASES} cases, {} steps", steps_run.into_inner());
        if let Err(error) = result {
            panic!("on {backend:?}: {error}");
        }
    }
}
