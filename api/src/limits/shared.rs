//! Sliding windows in a Redis that several API processes share, with one script call per request.

use std::{
    path::{Path, PathBuf},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use domain::{RequestId, Secret};
use redis::{
    AsyncCommands, Client, ConnectionAddr, RedisError, Script, TlsCertificates,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

use super::{Limit, SlidingWindows, Ticket, Verdict, window};

/// Error of the shared windows.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    /// The URL is not of a Redis on TCP, TLS or a Unix socket, or the authority is not a PEM file.
    #[error("not a URL such as redis://:password@host:6379/0 or rediss://:password@host:6380/0")]
    Address,
    /// The file of the authority cannot be read.
    #[error("cannot read the certificate of the authority {}: {source}", path.display())]
    Authority {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Redis failed.
    #[error("{0}")]
    Client(#[from] RedisError),
}

/// Time for which this process counts alone after a failure, so that a hanging Redis does not slow
/// down every request.
const FALLBACK_MILLISECONDS: u64 = 1000;

/// Implements [`SlidingWindows::check`] with the clock of Redis. KEYS: the window. ARGV: requests,
/// window in ms, id of this request, and (in tests) the time. Returns: allowed, remaining, ms until
/// reset.
static CHECK: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        r"
        local max, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
        if not now then
            local time = redis.call('TIME')
            now = time[1] * 1000 + math.floor(time[2] / 1000)
        end
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
        local count = redis.call('ZCARD', KEYS[1])
        if count >= max then
            local free = redis.call('ZRANGE', KEYS[1], count - max, count - max, 'WITHSCORES')
            return {0, 0, free[2] + window - now}
        end
        redis.call('ZADD', KEYS[1], now, ARGV[3])
        redis.call('PEXPIRE', KEYS[1], window)
        return {1, max - count - 1, window}
        ",
    )
});

/// Windows in a Redis, with windows of this process as the fallback. An unavailable Redis neither
/// refuses requests nor lifts the limits.
pub struct SharedWindows {
    connection: ConnectionManager,
    timeout: Duration,
    instance: String,
    last_number: AtomicU64,
    fallback: SlidingWindows,
    fallback_until: AtomicU64,
    failures: AtomicU64,
}

impl SharedWindows {
    /// Creates windows in the Redis at this URL. Connects on first use. The server's certificate (of a
    /// `rediss://` URL) must be signed by `authority`, a PEM file, or by an authority of the system.
    ///
    /// # Errors
    /// Returns an error if the URL or the authority is invalid.
    pub fn new(url: &Secret, authority: Option<&Path>, timeout: Duration) -> Result<Self, SharedError> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|source| SharedError::Authority { path: path.to_owned(), source })
        };
        // The client's own error may contain the password.
        let client = match authority {
            None => Client::open(url.reveal()),
            Some(path) => {
                let root_cert = Some(read(path)?);
                Client::build_with_tls(url.reveal(), TlsCertificates { client_tls: None, root_cert })
            }
        };
        let client = client.map_err(|_| SharedError::Address)?;
        // `#insecure` in the URL would accept every certificate.
        if matches!(client.get_connection_info().addr(), ConnectionAddr::TcpTls { insecure: true, .. }) {
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
            fallback: SlidingWindows::default(),
            fallback_until: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// Counts one request, now or at a time in milliseconds.
    ///
    /// # Errors
    /// Returns an error if Redis fails; the request may or may not have been counted.
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
        let mut call = CHECK.key(key(&ticket));
        call.arg(limit.requests)
            .arg(u64::from(limit.window_seconds) * 1000)
            .arg(self.member(&ticket))
            .arg(now.map_or(String::new(), |now| now.to_string()));
        let call = call.invoke_async::<(bool, u32, u64)>(&mut connection);
        let (allowed, remaining, reset) =
            tokio::time::timeout(self.timeout, call).await.map_err(|_| timed_out())??;
        let reset = Duration::from_millis(reset);
        Ok((Verdict { name, limit, remaining, reset, allowed }, allowed.then_some(ticket)))
    }

    /// Counts one request now. While Redis is unavailable, counts it in this process.
    pub(super) async fn check_or_fall_back(
        &self,
        name: &'static str,
        subject: &str,
        limit: Limit,
    ) -> (Verdict, Option<Ticket>) {
        if self.fallback_until.load(Ordering::Relaxed) <= window::now() {
            match self.check(name, subject, limit, None).await {
                Ok(counted) => return counted,
                Err(error) => self.record_failure(&error),
            }
        }
        // No ticket: requests counted by the fallback cannot be given back.
        (self.fallback.check(name, subject, limit, window::now()).0, None)
    }

    /// Removes a request from its window. If Redis fails, the request counts until it leaves the
    /// window.
    pub async fn give_back(&self, ticket: &Ticket) {
        let mut connection = self.connection.clone();
        let removed = connection.zrem::<_, _, ()>(key(ticket), self.member(ticket));
        match tokio::time::timeout(self.timeout, removed).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.record_failure(&error.into()),
            Err(_) => self.record_failure(&timed_out().into()),
        }
    }

    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    fn record_failure(&self, error: &SharedError) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.fallback_until.store(window::now() + FALLBACK_MILLISECONDS, Ordering::Relaxed);
        tracing::warn!(%error, "Redis of the rate limits failed; this process counts alone");
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
