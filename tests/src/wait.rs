//! Waits for conditions instead of fixed times.

use std::time::{Duration, Instant};

/// Calls `poll` until it returns a value. `condition` describes what is awaited.
///
/// # Panics
/// Panics if there is no value within `limit`.
pub async fn until<T>(condition: &str, limit: Duration, mut poll: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = poll().await {
            return value;
        }
        assert!(started.elapsed() < limit, "waited {limit:?} for {condition}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
