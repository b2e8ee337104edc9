//! Fuzz tests: every input gets a response in time that follows the contract and is never a 500.

mod arbitrary;
mod corpus;
mod requests;
mod values;

use std::time::Duration;

use api::contract::endpoint::{Endpoint, TimeoutClass};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use requests::Case;

use crate::{
    app::{Answer, TestApp},
    contract_checks,
    path_fixtures::Owner,
};

/// Number of requests to each endpoint, the same ones in each run. `BAD_INPUT_CASES=1000` runs
/// more, with another seed each time.
const CASES: u32 = 24;
/// Seed of the short run.
const SEED: u64 = 1;
/// Maximum response time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn config() -> Config {
    let by_hand = std::env::var("BAD_INPUT_CASES").ok().and_then(|text| text.parse().ok());
    let (cases, rng_seed) = match by_hand {
        Some(cases) => (cases, RngSeed::Random),
        None => (CASES, RngSeed::Fixed(SEED)),
    };
    Config { cases, rng_seed, failure_persistence: None, ..Config::default() }
}

#[test]
fn no_input_breaks_an_endpoint() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let app = runtime.block_on(TestApp::start());
    for endpoint in api::routes::endpoints() {
        // Each endpoint gets its own resources, because one endpoint deletes what another one
        // needs.
        let owner = runtime.block_on(Owner::new(&app));
        let strategy = requests::to(&endpoint, &owner.resource_ids);
        let outcome = TestRunner::new(config()).run(&strategy, |case| {
            let answer = runtime.block_on(sent(&app, &owner, &endpoint, &case));
            judge(&endpoint, &case, &answer);
            Ok(())
        });
        if let Err(error) = outcome {
            panic!("{}: {error}", endpoint.operation);
        }
    }
    runtime.block_on(app.finish());
}

/// Sends a case. The response is checked against the contract, like all responses.
async fn sent(app: &TestApp, owner: &Owner, endpoint: &Endpoint, case: &Case) -> Answer {
    let call = case.call(app, owner, endpoint);
    let answer = async {
        if endpoint.timeout_class == TimeoutClass::Stream { call.begin().await } else { call.send().await }
    };
    tokio::time::timeout(PATIENCE, answer).await.expect("an answer in time")
}

/// Checks that apply to every response to invalid input, besides the contract.
fn judge(endpoint: &Endpoint, case: &Case, answer: &Answer) {
    assert!(answer.status < 500, "{} for {case:?}: {}", answer.status, answer.body);
    let taken = answer.status < 300;
    if !taken {
        return;
    }
    assert!(
        case.query_is_known(endpoint),
        "{} takes an unknown or repeated parameter: {case:?}",
        endpoint.operation
    );
    if let Some(sent) = case.json() {
        let operation = endpoint.path.as_str();
        let method = endpoint.method.as_str().to_lowercase();
        let schema = &contract_checks::document()["paths"][operation][method]["requestBody"]["content"]["application/json"]
            ["schema"];
        let wrong = contract_checks::defects(schema, &sent);
        assert!(
            wrong.is_empty(),
            "{} takes {sent}, which its schema does not: {wrong:?}",
            endpoint.operation
        );
    }
}
