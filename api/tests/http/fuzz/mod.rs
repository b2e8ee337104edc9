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
    app::{ApiResponse, TestApp},
    contract_checks,
    path_fixtures::Owner,
};

/// Number of requests to each endpoint, the same ones in each run. `BAD_INPUT_CASES=1000` runs
/// more, with another seed each time.
const CASES: u32 = 24;
/// Seed of the short run.
const SEED: u64 = 1;
/// Maximum time to a response on a busy machine.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

fn config() -> Config {
    let requested = std::env::var("BAD_INPUT_CASES").ok().and_then(|text| text.parse().ok());
    let (cases, rng_seed) = match requested {
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
        let strategy = requests::strategy(&endpoint, &owner.resource_ids);
        let outcome = TestRunner::new(config()).run(&strategy, |case| {
            let response = runtime.block_on(send(&app, &owner, &endpoint, &case));
            check_response(&endpoint, &case, &response);
            Ok(())
        });
        if let Err(error) = outcome {
            panic!("{}: {error}", endpoint.operation);
        }
    }
    runtime.block_on(app.finish());
}

/// Sends a case. The response is checked against the contract, like all responses.
async fn send(app: &TestApp, owner: &Owner, endpoint: &Endpoint, case: &Case) -> ApiResponse {
    let call = case.call(app, owner, endpoint);
    let response = async {
        if endpoint.timeout_class == TimeoutClass::Stream {
            call.send_streaming().await
        } else {
            call.send().await
        }
    };
    tokio::time::timeout(RESPONSE_TIMEOUT, response).await.expect("a response in time")
}

/// Checks that the response is no server error, and that accepted input matches the contract.
fn check_response(endpoint: &Endpoint, case: &Case, response: &ApiResponse) {
    assert!(response.status < 500, "{} for {case:?}: {}", response.status, response.body);
    if response.status >= 300 {
        return;
    }
    assert!(
        case.query_is_known(endpoint),
        "{} accepts an unknown or repeated parameter: {case:?}",
        endpoint.operation
    );
    if let Some(body) = case.json() {
        let path = endpoint.path.as_str();
        let method = endpoint.method.as_str().to_lowercase();
        let schema = &contract_checks::document()["paths"][path][method]["requestBody"]["content"]["application/json"]
            ["schema"];
        let violations = contract_checks::violations(schema, &body);
        assert!(
            violations.is_empty(),
            "{} accepts {body}, which violates its schema: {violations:?}",
            endpoint.operation
        );
    }
}
