//! Reads by key, in groups: while a query runs, whoever asks waits, and the next query answers all of them. ADR 12.
//!
//! What a short query costs is mostly the way to the database and back, and that is gone once for a group. Nobody is
//! answered by a query that began before they asked, so a key that was revoked is refused at once.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::future::BoxFuture;
use tokio::sync::oneshot;

/// Queries that run at once: one that hangs does not hold up all.
const LANES: usize = 2;
/// Most keys of one query.
const MOST: usize = 32;
/// How often a query that is to begin lets others go first.
const TURNS: usize = 2;

type Load<K, V, E> = dyn Fn(Vec<K>) -> BoxFuture<'static, Result<HashMap<K, V>, E>> + Send + Sync;

/// A way to read values by their keys. Cheap to clone.
pub(crate) struct BatchLoader<K, V, E> {
    load: Arc<Load<K, V, E>>,
    state: Arc<Mutex<State<K, V, E>>>,
}

type Group<K, V, E> = Vec<Waiting<K, V, E>>;

struct State<K, V, E> {
    waiting: Group<K, V, E>,
    running: usize,
}

struct Waiting<K, V, E> {
    key: K,
    tell: oneshot::Sender<Result<Option<V>, E>>,
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
    /// Reads with `load`, which is given each key once and leaves out what there is not.
    pub(crate) fn new<F>(load: impl Fn(Vec<K>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<HashMap<K, V>, E>> + Send + 'static,
    {
        let state = State { waiting: Vec::new(), running: 0 };
        Self { load: Arc::new(move |keys| Box::pin(load(keys))), state: Arc::new(Mutex::new(state)) }
    }

    /// The value of a key, if there is one.
    ///
    /// # Errors
    /// Of the query.
    pub(crate) async fn get(&self, key: K) -> Result<Option<V>, E> {
        let (tell, told) = oneshot::channel();
        let waiting = Waiting { key: key.clone(), tell };
        if lock(&self.state).join(waiting) {
            // On a task of its own: others of the group wait for it, also when this request is given up.
            tokio::spawn(self.clone().run());
        }
        match told.await {
            Ok(answer) => answer,
            // The query panicked; whose fault it was shows when each asks alone.
            Err(_) => Ok((self.load)(vec![key.clone()]).await?.remove(&key)),
        }
    }

    /// Answers those that wait, group after group, until nobody does.
    async fn run(self) {
        let mut lane = Lane { state: self.state, open: true };
        loop {
            // Whoever can be served at once joins first: when the machine is busy, that is a group; when it is not,
            // nobody, and no time.
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
            let Some(group) = lane.next_group() else { return };
            let mut keys: Vec<K> = Vec::with_capacity(group.len());
            for waiting in &group {
                if !keys.contains(&waiting.key) {
                    keys.push(waiting.key.clone());
                }
            }
            let found = (self.load)(keys).await;
            for Waiting { key, tell } in group {
                let answer = found.as_ref().map(|found| found.get(&key).cloned()).map_err(E::clone);
                // Who is gone needs no answer.
                let _ = tell.send(answer);
            }
        }
    }
}

impl<K, V, E> State<K, V, E> {
    /// Whether a lane is to be opened for it.
    fn join(&mut self, waiting: Waiting<K, V, E>) -> bool {
        self.waiting.push(waiting);
        let opens = self.running < LANES;
        self.running += usize::from(opens);
        opens
    }

    fn next_group(&mut self) -> Option<Group<K, V, E>> {
        let count = self.waiting.len().min(MOST);
        (count > 0).then(|| self.waiting.drain(..count).collect())
    }
}

/// One of the queries that may run at once.
struct Lane<K, V, E> {
    state: Arc<Mutex<State<K, V, E>>>,
    open: bool,
}

impl<K, V, E> Lane<K, V, E> {
    /// Those that came meanwhile; without any the lane is given back, before anyone else can come.
    fn next_group(&mut self) -> Option<Group<K, V, E>> {
        let mut state = lock(&self.state);
        let group = state.next_group();
        if group.is_none() {
            state.running -= 1;
            self.open = false;
        }
        group
    }
}

impl<K, V, E> Drop for Lane<K, V, E> {
    fn drop(&mut self) {
        if self.open {
            // The query panicked. Nobody may wait for a lane that is gone.
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

    /// Doubles even numbers; a query needs a permit to end. Counts queries and keys.
    fn doubles(
        gate: &Arc<Semaphore>,
        seen: &Arc<Mutex<Vec<Vec<u32>>>>,
    ) -> BatchLoader<u32, u32, &'static str> {
        let (gate, seen) = (gate.clone(), seen.clone());
        BatchLoader::new(move |keys: Vec<u32>| {
            let (gate, seen) = (gate.clone(), seen.clone());
            async move {
                lock(&seen).push(keys.clone());
                gate.acquire().await.map_err(|_| "closed")?.forget();
                if keys.contains(&13) {
                    return Err("unlucky");
                }
                Loaded::Ok(keys.into_iter().filter(|key| key % 2 == 0).map(|key| (key, key * 2)).collect())
            }
        })
    }

    #[tokio::test]
    async fn who_asks_during_a_query_is_answered_by_the_next_one() {
        let (gate, seen) = (Arc::new(Semaphore::new(0)), Arc::default());
        let doubles = doubles(&gate, &seen);
        let ask = |key| {
            tokio::spawn({
                let doubles = doubles.clone();
                async move { doubles.get(key).await }
            })
        };
        // One after the other, each as far as it gets without an answer.
        let mut asked = Vec::new();
        for key in [2, 4, 6, 7, 6, 8] {
            asked.push(ask(key));
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(*lock(&seen), [vec![2], vec![4]], "two queries at once, and no more");
        gate.add_permits(3);
        let mut answers = Vec::new();
        for answer in asked {
            answers.push(answer.await.unwrap().unwrap());
        }
        assert_eq!(answers, [Some(4), Some(8), Some(12), None, Some(12), Some(16)]);
        assert_eq!(*lock(&seen), [vec![2], vec![4], vec![6, 7, 8]], "each key once");
        gate.add_permits(1);
        assert_eq!(doubles.get(10).await, Ok(Some(20)), "lanes are free again");
    }

    #[tokio::test]
    async fn who_asks_at_once_is_answered_by_one_query() {
        let (gate, seen) = (Arc::new(Semaphore::new(9)), Arc::default());
        let doubles = doubles(&gate, &seen);
        let (two, four, three) = tokio::join!(doubles.get(2), doubles.get(4), doubles.get(3));
        assert_eq!((two, four, three), (Ok(Some(4)), Ok(Some(8)), Ok(None)));
        assert_eq!(*lock(&seen), [vec![2, 4, 3]]);
    }

    #[tokio::test]
    async fn a_query_that_fails_is_told_to_all_of_its_group_and_to_nobody_else() {
        let (gate, seen) = (Arc::new(Semaphore::new(9)), Arc::default());
        let doubles = doubles(&gate, &seen);
        assert_eq!(doubles.get(13).await, Err("unlucky"));
        assert_eq!(doubles.get(2).await, Ok(Some(4)));
    }

    #[tokio::test]
    async fn who_goes_away_holds_nobody_up() {
        let (gate, seen) = (Arc::new(Semaphore::new(0)), Arc::default());
        let doubles = doubles(&gate, &seen);
        for key in [2, 4] {
            let asked = tokio::time::timeout(std::time::Duration::ZERO, doubles.get(key)).await;
            assert!(asked.is_err(), "given up before the answer");
        }
        gate.add_permits(3);
        assert_eq!(doubles.get(6).await, Ok(Some(12)));
    }

    #[tokio::test]
    async fn after_a_panic_each_asks_alone() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let loader: BatchLoader<u32, u32, ()> = BatchLoader::new(move |keys: Vec<u32>| {
            let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
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
