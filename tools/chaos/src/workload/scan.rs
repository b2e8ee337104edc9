//! One scan by a client, from its space to its end or to the point at which the client leaves it.

use std::{sync::atomic::Ordering, time::Duration};

use harness::ApiResponse;
use rand::Rng;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Account, Funds, Medium, Request, Workload};

/// Maximum time in which a client looks at its scan, or asks for a charge that the bank may still cover.
const WATCH_TIME: Duration = Duration::from_secs(60);
/// Time between two looks at a scan.
const POLL: Duration = Duration::from_secs(1);

/// What a client does with a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Uploads and starts it.
    Scan,
    /// Uploads a damaged file and starts it.
    Damaged,
    /// Cancels it after the upload.
    Cancel,
    /// Leaves it without an upload.
    AbandonEarly,
    /// Leaves it after the upload.
    AbandonUploaded,
}

impl Behaviour {
    /// Returns any behaviour; most scans are started.
    pub fn any(rng: &mut impl Rng) -> Self {
        match rng.random_range(0..10) {
            0 => Self::Damaged,
            1 => Self::Cancel,
            2 => Self::AbandonEarly,
            3 => Self::AbandonUploaded,
            _ => Self::Scan,
        }
    }
}

/// The expected status of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expectation {
    /// `complete`.
    Complete,
    /// `failed`, because of its media.
    Failed,
    /// `cancelled`.
    Cancelled,
    /// `awaiting_upload`.
    Waiting,
    /// As it was started, or `awaiting_upload`: the account may be unable to pay, and the client gave up.
    MayWait {
        /// Whether its media are damaged.
        is_damaged: bool,
    },
}

impl Expectation {
    /// Returns whether a scan may end with this status.
    pub fn allows(self, status: &str) -> bool {
        match self {
            Expectation::Complete => status == "complete",
            Expectation::Failed => status == "failed",
            Expectation::Cancelled => status == "cancelled",
            Expectation::Waiting => status == "awaiting_upload",
            Expectation::MayWait { is_damaged: true } => matches!(status, "failed" | "awaiting_upload"),
            Expectation::MayWait { is_damaged: false } => matches!(status, "complete" | "awaiting_upload"),
        }
    }
}

/// A scan that a client created, and its expected status.
#[derive(Debug, Clone)]
pub struct Record {
    /// Position of its account.
    pub account: usize,
    /// Its id.
    pub scan: String,
    /// The id of its space, which has no other scan.
    pub space: String,
    /// Its media.
    pub medium: Medium,
    /// Its expected status.
    pub expectation: Expectation,
}

/// Runs one scan. Every request is repeated until the service processes it.
pub async fn run(workload: &Workload, account: usize, behaviour: Behaviour, medium: Medium, repeats: bool) {
    let client = Client { workload, account: &workload.accounts[account] };
    let Some((space, scan)) = client.create(medium, repeats).await else { return };
    let id = scan["id"].as_str().unwrap_or_default().to_owned();
    let expectation = client.carry_out(&scan, behaviour, medium, repeats).await;
    workload.record(Record { account, scan: id.clone(), space, medium, expectation });
    if matches!(expectation, Expectation::Complete | Expectation::Failed) {
        client.watch(&id).await;
    }
}

struct Client<'a> {
    workload: &'a Workload,
    account: &'a Account,
}

impl Client<'_> {
    /// Creates a space with a scan, twice with the same key if `repeats`.
    async fn create(&self, medium: Medium, repeats: bool) -> Option<(String, Value)> {
        let space = json!({ "name": "A space", "space_type": "apartment" });
        let space = self.expect(&Request::post("/spaces", space), &[201]).await?.body;
        let space = space["id"].as_str()?.to_owned();
        let declaration = self.workload.media.declaration(medium);
        let key = format!("chaos-{space}");
        let request = Request::post(&format!("/spaces/{space}/scans"), declaration).with_key(&key);
        // An earlier attempt may have created it although its response was lost.
        let scan = self.expect(&request, &[200, 201]).await?.body;
        self.workload.created.fetch_add(1, Ordering::Relaxed);
        if repeats {
            let again = self.expect(&request, &[200]).await?.body;
            if again["id"] != scan["id"] {
                self.workload.complain(format!("{} was created again as {}", scan["id"], again["id"]));
            }
        }
        Some((space, scan))
    }

    async fn carry_out(
        &self,
        scan: &Value,
        behaviour: Behaviour,
        medium: Medium,
        repeats: bool,
    ) -> Expectation {
        if behaviour == Behaviour::AbandonEarly {
            return Expectation::Waiting;
        }
        for (url, content_type, bytes) in self.workload.media.uploads(medium, scan) {
            if self.expect(&Request::put(&url, content_type, bytes), &[204]).await.is_none() {
                return Expectation::Waiting;
            }
        }
        let path = format!("/scans/{}", scan["id"].as_str().unwrap_or_default());
        match behaviour {
            Behaviour::AbandonEarly | Behaviour::AbandonUploaded => Expectation::Waiting,
            Behaviour::Cancel => {
                // An earlier attempt may have cancelled it although its response was lost.
                self.expect(&Request::delete(&path), &[204, 409]).await;
                Expectation::Cancelled
            }
            Behaviour::Scan | Behaviour::Damaged => {
                self.start(&format!("{path}/start"), behaviour == Behaviour::Damaged, repeats).await
            }
        }
    }

    /// Starts a scan, twice at once if `repeats`.
    async fn start(&self, path: &str, is_damaged: bool, repeats: bool) -> Expectation {
        let request = Request::post(path, json!({}));
        let began = Instant::now();
        loop {
            let response = if repeats {
                let (first, second) = tokio::join!(self.call(&request), self.call(&request));
                first.or(second)
            } else {
                self.call(&request).await
            };
            let Some(response) = response else { return Expectation::MayWait { is_damaged } };
            match (response.status.as_u16(), response.code()) {
                (200 | 202, _) => break,
                // Only an account with a card may be unable to pay; a top-up may be under way.
                (402, _) if matches!(self.account.funds, Funds::Card(_)) => {
                    if began.elapsed() > WATCH_TIME || self.workload.is_stopping() {
                        return Expectation::MayWait { is_damaged };
                    }
                    tokio::time::sleep(POLL).await;
                }
                // The other scans of the account wait for the end of an outage, so this one was not started.
                (429, "SCANS_IN_PROGRESS") => return Expectation::MayWait { is_damaged },
                _ => {
                    self.complain(&request, &response);
                    return Expectation::MayWait { is_damaged };
                }
            }
        }
        if is_damaged { Expectation::Failed } else { Expectation::Complete }
    }

    /// Looks at a scan until it ends.
    async fn watch(&self, scan: &str) {
        let began = Instant::now();
        let request = Request::get(&format!("/scans/{scan}"));
        while began.elapsed() < WATCH_TIME && !self.workload.is_stopping() {
            let Some(response) = self.expect(&request, &[200]).await else { return };
            if matches!(response.body["status"].as_str(), Some("complete" | "failed" | "cancelled")) {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Sends a request until it is processed. Complains about a response with another status.
    async fn expect(&self, request: &Request, statuses: &[u16]) -> Option<ApiResponse> {
        let response = self.call(request).await?;
        if statuses.contains(&response.status.as_u16()) {
            return Some(response);
        }
        self.complain(request, &response);
        None
    }

    async fn call(&self, request: &Request) -> Option<ApiResponse> {
        let response = self.account.caller.insist(request).await;
        if response.is_none() {
            self.workload.complain(format!("no response to {}", request.describe()));
        }
        response
    }

    fn complain(&self, request: &Request, response: &ApiResponse) {
        self.workload.complain(format!(
            "{}: {} {}",
            request.describe(),
            response.status.as_u16(),
            response.body
        ));
    }
}
