//! `GET /events/stream`: server-sent events.

use std::{
    collections::VecDeque,
    convert::Infallible,
    time::{Duration, Instant},
};

use domain::mode::Tenant;
use entities::{EventRow, events};
use futures::Stream;
use warp::{Reply, reply::Response, sse};

use super::hub::{Credential, Subscription};
use crate::{
    App,
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
        sync_stream::SyncStream,
    },
};

/// Maximum number of events per query.
const BATCH: u64 = 100;
/// Time between two comments while there are no events, which keep proxies from closing the
/// connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Time that clients wait before they reconnect.
const RECONNECT: Duration = Duration::from_secs(2);

pub(super) async fn stream(app: App, caller: Caller, request: Request) -> ApiResult<Response> {
    let after = match request.header("last-event-id") {
        None | Some("") => events::last_seq(app.db(), &caller.tenant).await?,
        Some(id) => match super::find(&app, &caller, id).await? {
            Some(event) => event.seq,
            None => return Err(ApiError::field("Last-Event-ID", "is not an event of the last 30 days")),
        },
    };
    let follower = Follower {
        until: Instant::now() + Duration::from_secs(app.settings().stream_max_seconds),
        subscription: app.event_hub().subscribe(&caller.tenant, &Credential::of(&caller))?,
        unsent: VecDeque::new(),
        tenant: caller.tenant,
        seq: after,
        app,
    };
    let opening = sse::Event::default().comment(" stream").retry(RECONNECT);
    let stream = futures::StreamExt::chain(futures::stream::iter([Ok(opening)]), follower.events());
    let stream = sse::keep_alive().interval(KEEP_ALIVE).stream(SyncStream::new(stream));
    let mut response = sse::reply(stream).into_response();
    let headers = response.headers_mut();
    headers.insert("x-accel-buffering", http::HeaderValue::from_static("no"));
    Ok(response)
}

/// Follows the events of one tenant.
struct Follower {
    app: App,
    tenant: Tenant,
    /// Sequence number of the last event sent.
    seq: i64,
    /// Events that were read and not sent yet.
    unsent: VecDeque<EventRow>,
    subscription: Subscription,
    until: Instant,
}

impl Follower {
    fn events(self) -> impl Stream<Item = Result<sse::Event, Infallible>> + Send {
        futures::stream::unfold(self, |mut follower| async move {
            let row = follower.next().await?;
            let event =
                sse::Event::default().event(row.event_type.as_str()).id(row.id.as_str()).data(row.body);
            Some((Ok(event), follower))
        })
    }

    /// Returns the next event; `None` at the end of the stream.
    async fn next(&mut self) -> Option<EventRow> {
        loop {
            if let Some(row) = self.unsent.pop_front() {
                self.seq = row.seq;
                return Some(row);
            }
            tokio::select! {
                () = self.app.closing().cancelled() => return None,
                () = tokio::time::sleep_until(self.until.into()) => return None,
                has_event = self.subscription.wait_for_event_after(self.seq) => if !has_event {
                    return None;
                },
            }
            match events::after(self.app.db(), &self.tenant, self.seq, BATCH).await {
                // The newest event was deleted.
                Ok(rows) if rows.is_empty() => self.seq = self.seq.max(self.subscription.newest()),
                Ok(rows) => self.unsent.extend(rows),
                Err(error) => {
                    tracing::warn!(%error, "an event stream ends because its events cannot be read");
                    return None;
                }
            }
        }
    }
}
