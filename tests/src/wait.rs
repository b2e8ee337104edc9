//! Waits for conditions instead of fixed times.

use std::time::{Duration, Instant};

/// Polls `ask` until it returns a value. `what` describes the awaited condition.
///
/// # Panics
/// Panics if there is no value within `limit`.
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
