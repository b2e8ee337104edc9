//! Each event was delivered at least once to the endpoint of its account, with a valid signature and with
//! the body that the API shows.

use std::collections::BTreeMap;

use harness::{Received, Receiver};

use crate::workload::{Account, Request, Workload};

/// Events of one page.
const PAGE: &str = "100";

pub(super) async fn check(
    workload: &Workload,
    receiver: &Receiver,
    violations: &mut Vec<String>,
) -> anyhow::Result<usize> {
    let mut examined = 0;
    let mut received: BTreeMap<(String, String), Vec<Received>> = BTreeMap::new();
    for request in receiver.received() {
        received.entry((request.path.clone(), request.event_id.clone())).or_default().push(request);
    }
    for account in &workload.accounts {
        for event in events(account).await? {
            examined += 1;
            let requests =
                received.get(&(account.path.clone(), event.clone())).map_or(&[][..], Vec::as_slice);
            // A request that was not answered with success counts as an attempt, not as a delivery.
            if !requests.iter().any(|r| r.responded.is_some_and(|status| status.is_success())) {
                violations.push(format!("event {event} was not delivered in {} attempts", requests.len()));
            }
            for request in requests {
                if !request.is_signed_with(&account.signing_secret) {
                    violations.push(format!("a delivery of {event} has a wrong signature"));
                }
            }
            if requests.iter().any(|request| request.body != requests[0].body) {
                violations.push(format!("deliveries of {event} have different bodies"));
            }
        }
    }
    Ok(examined)
}

/// Returns the ids of all events of an account.
async fn events(account: &Account) -> anyhow::Result<Vec<String>> {
    let (mut ids, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let more = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page =
            account.caller.send(&Request::get(&format!("/events?limit={PAGE}{more}"))).await?.expect(200);
        let events = page.body["data"].as_array().cloned().unwrap_or_default();
        ids.extend(events.iter().filter_map(|event| event["id"].as_str().map(str::to_owned)));
        cursor = page.body["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            return Ok(ids);
        }
    }
}
