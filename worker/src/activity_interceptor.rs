//! Counts the activities that a worker starts, and lets the process stop them.

use std::sync::atomic::{AtomicU64, Ordering};

use temporalio_sdk::interceptors::{
    ActivityInboundInterceptor, ExecuteActivityInput, ExecuteActivityOutput, Next,
};
use tokio_util::sync::CancellationToken;

/// Wraps every ordinary and local activity of one worker.
pub(crate) struct ActivityInterceptor {
    started: AtomicU64,
    limit: u64,
    full: CancellationToken,
    stop: CancellationToken,
}

impl ActivityInterceptor {
    /// Creates an interceptor that cancels `full` when the activity number `limit` starts. `stop`
    /// stops the activities.
    pub(crate) fn new(limit: u64, full: CancellationToken, stop: CancellationToken) -> Self {
        Self { started: AtomicU64::new(0), limit, full, stop }
    }
}

impl ActivityInboundInterceptor for ActivityInterceptor {
    fn execute_activity<'a>(
        &'a self,
        input: ExecuteActivityInput,
        next: Next<'a, ExecuteActivityInput, ExecuteActivityOutput<'a>>,
    ) -> ExecuteActivityOutput<'a> {
        if self.started.fetch_add(1, Ordering::Relaxed) + 1 >= self.limit {
            self.full.cancel();
        }
        Box::pin(activities::stoppable(self.stop.clone(), next.run(input)))
    }
}
