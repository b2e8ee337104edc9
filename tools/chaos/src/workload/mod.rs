//! The clients: accounts that create, upload, start, cancel, repeat and abandon scans, and a record of
//! the expected status of each scan.

mod account;
mod caller;
mod media;
mod scan;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::task::JoinSet;

pub use self::{
    account::{Account, Funds},
    caller::{Caller, Request},
    media::{Media, Medium},
    scan::{Behaviour, Expectation, Record, run as run_scan},
};

/// Clients of each account: more than the scans that it may have in progress.
const CLIENTS: u64 = 5;

/// What the clients share.
#[derive(Debug)]
pub struct Workload {
    /// The accounts.
    pub accounts: Vec<Account>,
    /// The media.
    pub media: Media,
    records: Mutex<Vec<Record>>,
    complaints: Mutex<Vec<String>>,
    stop: AtomicBool,
    created: AtomicUsize,
    pause: Duration,
}

impl Workload {
    /// Creates a workload whose clients pause for about `pause` after each scan.
    pub fn new(accounts: Vec<Account>, media: Media, pause: Duration) -> Arc<Self> {
        Arc::new(Self {
            accounts,
            media,
            records: Mutex::default(),
            complaints: Mutex::default(),
            stop: AtomicBool::new(false),
            created: AtomicUsize::new(0),
            pause,
        })
    }

    /// Starts all clients. Each has its own random numbers, which follow from the seed.
    pub fn start(self: &Arc<Self>, seed: u64) -> JoinSet<()> {
        let mut clients = JoinSet::new();
        for account in 0..self.accounts.len() {
            for client in 0..CLIENTS {
                let numbers = seed.wrapping_mul(1_000_003) + account as u64 * CLIENTS + client;
                clients.spawn(self.clone().run_client(account, StdRng::seed_from_u64(numbers)));
            }
        }
        clients
    }

    async fn run_client(self: Arc<Self>, account: usize, mut rng: StdRng) {
        // The first scans of an account compete for its slots, so their behaviour is to be scanned.
        let mut behaviour = Behaviour::Scan;
        while !self.stop.load(Ordering::Relaxed) {
            let medium =
                if behaviour == Behaviour::Damaged { Medium::Damaged } else { Medium::any(&mut rng) };
            let repeats = rng.random_bool(0.3);
            scan::run(&self, account, behaviour, medium, repeats).await;
            behaviour = Behaviour::any(&mut rng);
            let until = tokio::time::Instant::now() + self.pause.mul_f64(rng.random_range(0.5..1.5));
            while tokio::time::Instant::now() < until && !self.stop.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }

    /// Lets each client end after its current scan.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the clients were told to end.
    pub fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the number of scans created so far.
    pub fn created(&self) -> usize {
        self.created.load(Ordering::Relaxed)
    }

    /// Returns the expected status of each scan.
    pub fn records(&self) -> Vec<Record> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns responses that no fault explains.
    pub fn complaints(&self) -> Vec<String> {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, record: Record) {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    fn complain(&self, complaint: String) {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).push(complaint);
    }
}
