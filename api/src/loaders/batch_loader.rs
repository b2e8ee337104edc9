//! Batches reads by key: requests that arrive while queries run share the next query. See ADR 12.
//!
//! A short query costs mostly its round trip, and a batch pays for one. A request is never served
//! by a query that began before it, so a revoked key is refused at once.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::future::BoxFuture;
use tokio::sync::oneshot;

/// Maximum number of concurrent queries. With two, a hanging query does not block all requests.
const MAX_QUERIES: usize = 2;
/// Maximum number of keys in a query.
const MAX_KEYS: usize = 32;
/// Number of times a new query yields, so that other ready requests can join its batch.
const YIELDS: usize = 2;

type Load<K, V, E> = dyn Fn(Vec<K>) -> BoxFuture<'static, Result<HashMap<K, V>, E>> + Send + Sync;

/// Loads values by key, in batches. Cheap to clone.
pub(crate) struct BatchLoader<K, V, E> {
    load: Arc<Load<K, V, E>>,
    state: Arc<Mutex<State<K, V, E>>>,
}

type Batch<K, V, E> = Vec<Waiting<K, V, E>>;

struct State<K, V, E> {
    waiting: Batch<K, V, E>,
    running: usize,
}

struct Waiting<K, V, E> {
    key: K,
    sender: oneshot::Sender<Result<Option<V>, E>>,
}

impl<K, V, E> Clone for BatchLoader<K, V, E> {
    fn clone(&self) -> Self {
        Self { load: self.load.clone(), state: self.state.clone() }
    }
}

impl<K, V, E> BatchLoader<K, V, E>
where
    K: Clone + Eq + Hash + Send + 'static,
    V: Clone + Send + 'static,
    E: Clone + Send + 'static,
{
    /// Creates a loader. `load` receives each key once, and omits keys without a value.
    pub(crate) fn new<F>(load: impl Fn(Vec<K>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<HashMap<K, V>, E>> + Send + 'static,
    {
        let state = State { waiting: Vec::new(), running: 0 };
        Self { load: Arc::new(move |keys| Box::pin(load(keys))), state: Arc::new(Mutex::new(state)) }
    }

    /// Returns the value of a key, if there is one.
    ///
    /// # Errors
    /// Returns the error of the query.
    pub(crate) async fn get(&self, key: K) -> Result<Option<V>, E> {
        let (sender, receiver) = oneshot::channel();
        let waiting = Waiting { key: key.clone(), sender };
        if lock(&self.state).join(waiting) {
            // On its own task: the batch must complete even if this request is cancelled.
            tokio::spawn(self.clone().run());
        }
        match receiver.await {
            Ok(result) => result,
            // The query panicked. Querying each key alone limits the panic to the request that
            // caused it.
            Err(_) => Ok((self.load)(vec![key.clone()]).await?.remove(&key)),
        }
    }

    /// Runs batches until no request waits.
    async fn run(self) {
        let mut slot = Slot { state: self.state, occupied: true };
        loop {
            // Lets ready requests join the batch. On an idle machine there are none, and this costs
            // nothing.
            for _ in 0..YIELDS {
                tokio::task::yield_now().await;
            }
            let Some(batch) = slot.next_batch() else { return };
            let mut keys: Vec<K> = Vec::with_capacity(batch.len());
            for waiting in &batch {
                if !keys.contains(&waiting.key) {
                    keys.push(waiting.key.clone());
                }
            }
            let found = (self.load)(keys).await;
            for Waiting { key, sender } in batch {
                let result = found.as_ref().map(|found| found.get(&key).cloned()).map_err(E::clone);
                // Fails only if the request was cancelled.
                let _ = sender.send(result);
            }
        }
    }
}

impl<K, V, E> State<K, V, E> {
    /// Adds a request, and returns whether the caller must start a query.
    fn join(&mut self, waiting: Waiting<K, V, E>) -> bool {
        self.waiting.push(waiting);
        let starts_query = self.running < MAX_QUERIES;
        self.running += usize::from(starts_query);
        starts_query
    }

    fn next_batch(&mut self) -> Option<Batch<K, V, E>> {
        let count = self.waiting.len().min(MAX_KEYS);
        (count > 0).then(|| self.waiting.drain(..count).collect())
    }
}

/// A slot for one concurrent query.
struct Slot<K, V, E> {
    state: Arc<Mutex<State<K, V, E>>>,
    occupied: bool,
}

impl<K, V, E> Slot<K, V, E> {
    /// Returns the next batch. Without one, releases the slot under the same lock.
    fn next_batch(&mut self) -> Option<Batch<K, V, E>> {
        let mut state = lock(&self.state);
        let batch = state.next_batch();
        if batch.is_none() {
            state.running -= 1;
            self.occupied = false;
        }
        batch
    }
}

impl<K, V, E> Drop for Slot<K, V, E> {
    fn drop(&mut self) {
        if self.occupied {
            // The query panicked: release the slot and wake the waiting requests.
            let mut state = lock(&self.state);
            state.running -= 1;
            state.waiting.clear();
        }
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Semaphore;

    use super::*;

    type Loaded = Result<HashMap<u32, u32>, &'static str>;

    /// Returns a loader that doubles even numbers. Each query is recorded and needs a permit to end.
    fn doubling_loader(
        gate: &Arc<Semaphore>,
        queries: &Arc<Mutex<Vec<Vec<u32>>>>,
    ) -> BatchLoader<u32, u32, &'static str> {
        let (gate, queries) = (gate.clone(), queries.clone());
        BatchLoader::new(move |keys: Vec<u32>| {
            let (gate, queries) = (gate.clone(), queries.clone());
            async move {
                lock(&queries).push(keys.clone());
                gate.acquire().await.map_err(|_| "closed")?.forget();
                if keys.contains(&13) {
                    return Err("unlucky");
                }
                Loaded::Ok(keys.into_iter().filter(|key| key % 2 == 0).map(|key| (key, key * 2)).collect())
            }
        })
    }

    #[tokio::test]
    async fn requests_during_a_query_share_the_next_one() {
        let (gate, queries) = (Arc::new(Semaphore::new(0)), Arc::default());
        let doubling_loader = doubling_loader(&gate, &queries);
        let request = |key| {
            tokio::spawn({
                let doubling_loader = doubling_loader.clone();
                async move { doubling_loader.get(key).await }
            })
        };
        // One after the other: each request is queued before the next one starts.
        let mut requests = Vec::new();
        for key in [2, 4, 6, 7, 6, 8] {
            requests.push(request(key));
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(*lock(&queries), [vec![2], vec![4]], "at most two concurrent queries");
        gate.add_permits(3);
        let mut values = Vec::new();
        for request in requests {
            values.push(request.await.unwrap().unwrap());
        }
        assert_eq!(values, [Some(4), Some(8), Some(12), None, Some(12), Some(16)]);
        assert_eq!(*lock(&queries), [vec![2], vec![4], vec![6, 7, 8]], "each key once");
        gate.add_permits(1);
        assert_eq!(doubling_loader.get(10).await, Ok(Some(20)), "slots are free again");
    }

    #[tokio::test]
    async fn concurrent_requests_share_one_query() {
        let (gate, queries) = (Arc::new(Semaphore::new(9)), Arc::default());
        let doubling_loader = doubling_loader(&gate, &queries);
        let (two, four, three) =
            tokio::join!(doubling_loader.get(2), doubling_loader.get(4), doubling_loader.get(3));
        assert_eq!((two, four, three), (Ok(Some(4)), Ok(Some(8)), Ok(None)));
        assert_eq!(*lock(&queries), [vec![2, 4, 3]]);
    }

    #[tokio::test]
    async fn a_failed_query_affects_its_own_batch_only() {
        let (gate, queries) = (Arc::new(Semaphore::new(9)), Arc::default());
        let doubling_loader = doubling_loader(&gate, &queries);
        assert_eq!(doubling_loader.get(13).await, Err("unlucky"));
        assert_eq!(doubling_loader.get(2).await, Ok(Some(4)));
    }

    #[tokio::test]
    async fn a_cancelled_request_blocks_nobody() {
        let (gate, queries) = (Arc::new(Semaphore::new(0)), Arc::default());
        let doubling_loader = doubling_loader(&gate, &queries);
        for key in [2, 4] {
            let outcome = tokio::time::timeout(std::time::Duration::ZERO, doubling_loader.get(key)).await;
            assert!(outcome.is_err(), "cancelled before the query ended");
        }
        gate.add_permits(3);
        assert_eq!(doubling_loader.get(6).await, Ok(Some(12)));
    }

    #[tokio::test]
    async fn after_a_panic_each_key_is_queried_alone() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = calls.clone();
        let loader: BatchLoader<u32, u32, ()> = BatchLoader::new(move |keys: Vec<u32>| {
            let first = counter.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                assert!(!first, "the first query panics");
                Ok(keys.into_iter().map(|key| (key, key)).collect())
            }
        });
        assert_eq!(loader.get(1).await, Ok(Some(1)));
        assert_eq!(loader.get(2).await, Ok(Some(2)));
        assert_eq!(calls.load(Ordering::SeqCst), 3);
    }
}
