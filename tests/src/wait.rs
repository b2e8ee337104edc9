//! Waiting for a condition, not for a time.

use std::time::{Duration, Instant};

/// Asks again and again until there is an answer, and panics with `what` when there is none in time.
///
/// # Panics
/// When `limit` is over.
pub async fn until<T>(what: &str, limit: Duration, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(started.elapsed() < limit, "waited {limit:?} for {what}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
