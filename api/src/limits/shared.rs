//! Counting in a Redis that several API processes share: the same windows, one script a request.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use domain::{RequestId, Secret};
use redis::{
    AsyncCommands, Client, ConnectionAddr, RedisError, Script,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

use super::{Limit, SlidingWindows, Ticket, Verdict, window};

/// Why there is no shared counting.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    /// The address is none of a Redis on plain TCP or a socket.
    #[error("it is not an address such as redis://:password@host:6379/0")]
    Address,
    /// The client cannot be made.
    #[error("{0}")]
    Client(#[from] RedisError),
}

/// After a failure, so long this process counts alone before it asks again, so that a Redis that hangs
/// does not slow every request down.
const ALONE_MILLISECONDS: u64 = 1000;

/// The same rule as in [`SlidingWindows::check`]. Times are the Redis's own, so that the clocks of the
/// processes do not matter. KEYS: the window. ARGV: requests, window in ms, a name for this request, and
/// (in tests) the time. Answers: allowed, remaining, ms until reset.
static CHECK: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        r"
        local most, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
        if not now then
            local time = redis.call('TIME')
            now = time[1] * 1000 + math.floor(time[2] / 1000)
        end
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
        local count = redis.call('ZCARD', KEYS[1])
        if count >= most then
            local free = redis.call('ZRANGE', KEYS[1], count - most, count - most, 'WITHSCORES')
            return {0, 0, free[2] + window - now}
        end
        redis.call('ZADD', KEYS[1], now, ARGV[3])
        redis.call('PEXPIRE', KEYS[1], window)
        return {1, most - count - 1, window}
        ",
    )
});

/// Windows in a Redis, and those of this process for when it cannot be asked: a Redis that is gone refuses
/// nobody and opens nothing for good.
pub struct SharedWindows {
    connection: ConnectionManager,
    timeout: Duration,
    instance: String,
    last_number: AtomicU64,
    alone: SlidingWindows,
    alone_until: AtomicU64,
    failures: AtomicU64,
}

impl SharedWindows {
    /// Windows in the Redis at this address, which is connected to when it is first asked.
    ///
    /// # Errors
    /// When it is no such address.
    pub fn new(url: &Secret, timeout: Duration) -> Result<Self, SharedError> {
        // The client's own complaint might show the password.
        let client = Client::open(url.reveal()).map_err(|_| SharedError::Address)?;
        if matches!(client.get_connection_info().addr(), ConnectionAddr::TcpTls { .. }) {
            return Err(SharedError::Address);
        }
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(timeout))
            .set_response_timeout(Some(timeout))
            .set_number_of_retries(0);
        Ok(Self {
            connection: ConnectionManager::new_lazy_with_config(client, config)?,
            timeout,
            instance: RequestId::new().to_string(),
            last_number: AtomicU64::new(0),
            alone: SlidingWindows::default(),
            alone_until: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// Counts one request, at a moment in milliseconds or now.
    ///
    /// # Errors
    /// When the Redis cannot be asked; it may have counted the request or not.
    pub async fn check(
        &self,
        name: &'static str,
        subject: &str,
        limit: Limit,
        now: Option<u64>,
    ) -> Result<(Verdict, Option<Ticket>), SharedError> {
        let ticket = Ticket {
            name,
            subject: subject.to_owned(),
            number: self.last_number.fetch_add(1, Ordering::Relaxed),
        };
        let mut connection = self.connection.clone();
        let mut asked = CHECK.key(key(&ticket));
        asked
            .arg(limit.requests)
            .arg(u64::from(limit.window_seconds) * 1000)
            .arg(self.member(&ticket))
            .arg(now.map_or(String::new(), |now| now.to_string()));
        let asked = asked.invoke_async::<(bool, u32, u64)>(&mut connection);
        let (allowed, remaining, reset) =
            tokio::time::timeout(self.timeout, asked).await.map_err(|_| timed_out())??;
        let reset = Duration::from_millis(reset);
        Ok((Verdict { name, limit, remaining, reset, allowed }, allowed.then_some(ticket)))
    }

    /// Counts one request now; alone, while the Redis cannot be asked.
    pub(super) async fn check_or_fall_back(
        &self,
        name: &'static str,
        subject: &str,
        limit: Limit,
    ) -> (Verdict, Option<Ticket>) {
        if self.alone_until.load(Ordering::Relaxed) <= window::now() {
            match self.check(name, subject, limit, None).await {
                Ok(counted) => return counted,
                Err(error) => self.failed(&error),
            }
        }
        // Without a ticket: while alone, what is given back counts until it leaves the window.
        (self.alone.check(name, subject, limit, window::now()).0, None)
    }

    /// Takes a request back; when the Redis cannot be asked, it counts until it leaves the window.
    pub async fn give_back(&self, ticket: &Ticket) {
        let mut connection = self.connection.clone();
        let removed = connection.zrem::<_, _, ()>(key(ticket), self.member(ticket));
        match tokio::time::timeout(self.timeout, removed).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.failed(&error.into()),
            Err(_) => self.failed(&timed_out().into()),
        }
    }

    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    fn failed(&self, error: &SharedError) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.alone_until.store(window::now() + ALONE_MILLISECONDS, Ordering::Relaxed);
        tracing::warn!(%error, "requests are counted by this process alone: the shared limits cannot be asked");
    }

    fn member(&self, ticket: &Ticket) -> String {
        format!("{}-{}", self.instance, ticket.number)
    }
}

fn key(ticket: &Ticket) -> String {
    format!("scan:limit:{}:{}", ticket.name, ticket.subject)
}

fn timed_out() -> RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}
