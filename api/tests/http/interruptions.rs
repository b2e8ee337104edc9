//! Requests that are interrupted at any statement: each does everything or nothing. New endpoints are
//! covered automatically.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    sync::Once,
};

use api::contract::endpoint::{Access, Endpoint};

use crate::{
    app::TestApp,
    erasure::dump_database,
    path_fixtures::{Owner, send_call},
};

/// Operations that write the search index of the space after their transaction, because its vectors take
/// seconds. A repeated request writes it again.
const INDEX_AFTERWARDS: [&str; 2] = ["correctDocument", "deleteCorrection"];

thread_local! {
    /// Number of statements until the request is interrupted. A test, its server and its database pool
    /// share one thread, so tests that run at the same time aren't interrupted.
    static REMAINING: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Interrupts this thread's requests at the statement or commit with this number.
fn interrupt_at(line: usize) {
    static CONFIGURED: Once = Once::new();
    CONFIGURED.call_once(|| fail::cfg_callback("line", count_down).unwrap());
    REMAINING.set(Some(line));
}

fn count_down() {
    match REMAINING.get() {
        None => {}
        Some(0) => {
            REMAINING.set(None);
            panic!("interrupted by the test");
        }
        Some(more) => REMAINING.set(Some(more - 1)),
    }
}

/// Returns whether the request was interrupted.
fn was_interrupted() -> bool {
    REMAINING.take().is_none()
}

/// Number of rows that were removed from and added to each table. A row that was changed is both.
type Changes = BTreeMap<String, (usize, usize)>;

/// Table that the server writes from time to time, for all requests of the time before.
const WRITTEN_IN_BACKGROUND: &str = "key_uses ";
/// Number of times that a background task may be interrupted instead of the request.
const MAX_STRAY: usize = 3;

async fn rows(app: &TestApp) -> BTreeSet<String> {
    let dump = dump_database(app).await;
    dump.lines().filter(|row| !row.starts_with(WRITTEN_IN_BACKGROUND)).map(str::to_owned).collect()
}

fn changes(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Changes {
    let mut changes = Changes::new();
    let mut count = |row: &String, add: fn(&mut (usize, usize))| {
        let table = row.split(' ').next().unwrap_or_default().to_owned();
        add(changes.entry(table).or_default());
    };
    before.difference(after).for_each(|row| count(row, |(removed, _)| *removed += 1));
    after.difference(before).for_each(|row| count(row, |(_, added)| *added += 1));
    changes
}

/// Sends the request again and again, interrupted one statement later each time, until it is not
/// interrupted. Returns the changes of each request, the complete one last.
async fn interrupt_everywhere(app: &TestApp, endpoint: &Endpoint) -> Vec<Changes> {
    let (mut owner, mut seen, mut stray) = (None, Vec::new(), 0);
    loop {
        let current = match owner.take() {
            Some(owner) => owner,
            None => new_owner(app).await,
        };
        let before = rows(app).await;
        interrupt_at(seen.len());
        let response = send_call(current.call(app, endpoint), endpoint).await;
        let complete = !was_interrupted();
        if !complete && response.status != 500 {
            stray += 1;
            assert!(stray <= MAX_STRAY, "{} responds although interrupted", endpoint.operation);
            continue;
        }
        let changed = changes(&before, &rows(app).await);
        if changed.is_empty() {
            owner = Some(current);
        }
        seen.push(changed);
        if complete {
            return seen;
        }
    }
}

/// Creates an owner whose key and session were used a moment ago: their times of use are written at
/// most once a minute.
async fn new_owner(app: &TestApp) -> Owner {
    let owner = Owner::new(app).await;
    app.get("/v1/wallet").key(&owner.client).send().await.expect(200);
    app.get("/v1/auth/session").session(&owner.user).send().await.expect(200);
    owner
}

#[tokio::test]
async fn interrupted_requests_do_everything_or_nothing() {
    let interrupted = Cell::new(0);
    let changing = api::routes::endpoints().into_iter().filter(|endpoint| !endpoint.method.is_safe());
    for endpoint in changing.filter(|endpoint| endpoint.access != Access::Signed) {
        TestApp::on_each_database(async |app| {
            let seen = interrupt_everywhere(app, &endpoint).await;
            interrupted.set(interrupted.get() + seen.len() - 1);
            let done: BTreeSet<_> = seen.iter().filter(|changed| !changed.is_empty()).collect();
            let transactions = if INDEX_AFTERWARDS.contains(&endpoint.operation) { 2 } else { 1 };
            let is_whole = done.len() <= transactions;
            assert!(is_whole, "{} is not one transaction: {seen:?}", endpoint.operation);
        })
        .await;
    }
    let interrupted = interrupted.get();
    assert!(interrupted > 100, "only {interrupted} interruptions");
}
