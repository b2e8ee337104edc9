//! Tells whether a connection does anything, so that idle ones can be closed.
//!
//! A connection is active while a handler works on a request, and each time the client has taken so
//! much of a response that its next part is requested. Neither PINGs of HTTP/2 nor a client that reads
//! nothing keep it open.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Buf;
use hyper::body::{Body, Frame, SizeHint};

/// Activity of one connection. Clones share it.
#[derive(Clone)]
pub(super) struct Activity(Arc<Inner>);

struct Inner {
    opened: Instant,
    /// Milliseconds from the opening to the last activity.
    last: AtomicU64,
    /// Number of requests that handlers work on.
    handling: AtomicUsize,
    /// Number of requests so far.
    requests: AtomicU64,
}

/// A request that a handler works on.
pub(super) struct Handling(Activity);

impl Activity {
    pub(super) fn new() -> Self {
        Self(Arc::new(Inner {
            opened: Instant::now(),
            last: AtomicU64::new(0),
            handling: AtomicUsize::new(0),
            requests: AtomicU64::new(0),
        }))
    }

    /// Records the beginning of a request.
    pub(super) fn begin(&self) -> Handling {
        self.0.handling.fetch_add(1, Ordering::Relaxed);
        self.0.requests.fetch_add(1, Ordering::Relaxed);
        self.touch();
        Handling(self.clone())
    }

    /// Returns the number of requests so far.
    pub(super) fn requests(&self) -> u64 {
        self.0.requests.load(Ordering::Relaxed)
    }

    fn touch(&self) {
        self.0.last.store(self.0.opened.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Returns after the connection was idle for `limit`.
    pub(super) async fn idle(&self, limit: Duration) {
        loop {
            let last = self.0.opened + Duration::from_millis(self.0.last.load(Ordering::Relaxed));
            let idle = last.elapsed();
            let is_handling = self.0.handling.load(Ordering::Relaxed) > 0;
            if !is_handling && idle >= limit {
                return;
            }
            let left = limit.saturating_sub(idle);
            // While a handler works, look again soon after it may have ended.
            tokio::time::sleep(if left.is_zero() { limit } else { left }).await;
        }
    }
}

impl Drop for Handling {
    fn drop(&mut self) {
        self.0.touch();
        self.0.0.handling.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The body of a response, whose reading is activity.
pub(super) struct TrackedBody<B> {
    body: B,
    activity: Activity,
}

impl<B> TrackedBody<B> {
    pub(super) fn new(body: B, activity: Activity) -> Self {
        Self { body, activity }
    }
}

impl<B> Body for TrackedBody<B>
where
    B: Body + Unpin,
    B::Data: Buf,
{
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if polled.is_ready() {
            self.activity.touch();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
