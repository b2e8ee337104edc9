//! Follows events for all event streams of this process.
//!
//! One task polls the database: it asks for the newest events of all tenants with a stream, and which
//! of the streams' keys and sessions are still valid. Its cost does not depend on the number of streams of a tenant.
//! It runs only while there are streams.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{ApiErrorCode, KeyId, SessionId, Timestamp, mode::Tenant};
use entities::{Db, api_keys, events, sessions};
use tokio::sync::watch;

use crate::{
    http::{
        auth::{Caller, Principal},
        error::{ApiError, ApiResult},
    },
    settings::StreamLimits,
};

/// The event streams of this process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct EventHub(Arc<Inner>);

struct Inner {
    db: Db,
    limits: StreamLimits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    streams: HashMap<u64, Stream>,
    last_id: u64,
    is_polling: bool,
}

struct Stream {
    tenant: Tenant,
    credential: Credential,
    newest: watch::Sender<i64>,
}

/// What a stream was opened with. The stream ends with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Credential {
    /// An API key.
    Key(KeyId),
    /// A console session.
    Session(SessionId),
}

impl Credential {
    /// Returns the credential of a caller.
    pub(crate) fn of(caller: &Caller) -> Self {
        match &caller.principal {
            Principal::Key(key) => Self::Key(key.id.0.clone()),
            Principal::Session(session) => Self::Session(session.session.id.0.clone()),
        }
    }
}

/// A stream's subscription. Dropping it makes room for another stream.
pub(crate) struct Subscription {
    hub: EventHub,
    id: u64,
    newest: watch::Receiver<i64>,
}

impl Subscription {
    /// Waits until the tenant has an event after sequence number `seq`. Returns `false` if the stream
    /// must end, because its key or session is no longer valid or the database cannot be read.
    pub(crate) async fn wait_for_event_after(&mut self, seq: i64) -> bool {
        self.newest.wait_for(|newest| *newest > seq).await.is_ok()
    }
}

impl Subscription {
    /// Returns the sequence number of the tenant's newest event, as far as it is known.
    pub(crate) fn newest(&self) -> i64 {
        *self.newest.borrow()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.lock().streams.remove(&self.id);
    }
}

impl EventHub {
    pub(crate) fn new(db: Db, limits: StreamLimits) -> Self {
        Self(Arc::new(Inner { db, limits, state: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent between statements, so a poisoned lock is safe to use.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a stream of a tenant, opened with this key or session.
    ///
    /// # Errors
    /// Returns `EVENT_STREAM_LIMIT` if the key, the session or the account has as many as it may have.
    pub(crate) fn subscribe(&self, tenant: &Tenant, credential: &Credential) -> ApiResult<Subscription> {
        let StreamLimits { per_key, per_account, .. } = self.0.limits;
        let mut state = self.lock();
        let of_account = state.streams.values().filter(|stream| stream.tenant == *tenant);
        let (mut streams, mut of_credential) = (0, 0);
        for stream in of_account {
            streams += 1;
            of_credential += usize::from(stream.credential == *credential);
        }
        if of_credential >= per_key || streams >= per_account {
            return Err(ApiError::new(ApiErrorCode::EventStreamLimit).retry_after(RETRY_SECONDS));
        }
        state.last_id += 1;
        let (id, (sender, newest)) = (state.last_id, watch::channel(0));
        let stream = Stream { tenant: tenant.clone(), credential: credential.clone(), newest: sender };
        state.streams.insert(id, stream);
        if !state.is_polling {
            state.is_polling = true;
            tokio::spawn(self.clone().poll_while_streams());
        }
        Ok(Subscription { hub: self.clone(), id, newest })
    }

    /// Polls until there are no streams.
    async fn poll_while_streams(self) {
        loop {
            let (tenants, credentials) = {
                let mut state = self.lock();
                if state.streams.is_empty() {
                    state.is_polling = false;
                    return;
                }
                let mut tenants: Vec<Tenant> = state.streams.values().map(|s| s.tenant.clone()).collect();
                let credentials: HashSet<Credential> =
                    state.streams.values().map(|s| s.credential.clone()).collect();
                tenants.sort_unstable_by(|a, b| position(a).cmp(&position(b)));
                tenants.dedup();
                (tenants, credentials)
            };
            if let Err(error) = self.poll(&tenants, &credentials).await {
                tracing::warn!(%error, "the event streams end because events cannot be read");
                self.lock().streams.clear();
            }
            tokio::time::sleep(self.0.limits.poll).await;
        }
    }

    async fn poll(&self, tenants: &[Tenant], credentials: &HashSet<Credential>) -> entities::Result<()> {
        let active = self.active(credentials).await?;
        let newest = events::last_seqs(&self.0.db, tenants).await?;
        // Streams that were added meanwhile are in the next poll.
        self.lock().streams.retain(|_, stream| {
            !credentials.contains(&stream.credential) || active.contains(&stream.credential)
        });
        for stream in self.lock().streams.values() {
            if let Some(seq) = newest.get(&stream.tenant) {
                stream.newest.send_if_modified(|known| {
                    let is_newer = *seq > *known;
                    *known = (*known).max(*seq);
                    is_newer
                });
            }
        }
        Ok(())
    }

    /// Returns the credentials that are still valid.
    async fn active(&self, credentials: &HashSet<Credential>) -> entities::Result<HashSet<Credential>> {
        let (mut keys, mut open_sessions) = (Vec::new(), Vec::new());
        for credential in credentials {
            match credential {
                Credential::Key(key) => keys.push(key.clone()),
                Credential::Session(session) => open_sessions.push(session.clone()),
            }
        }
        let now = Timestamp::now();
        let keys = api_keys::list_active(&self.0.db, &keys, now).await?;
        let open_sessions = sessions::list_unexpired(&self.0.db, &open_sessions, now).await?;
        let open_sessions = open_sessions.into_iter().map(Credential::Session);
        Ok(keys.into_iter().map(Credential::Key).chain(open_sessions).collect())
    }
}

/// `Retry-After` of a refused stream, in seconds.
const RETRY_SECONDS: u64 = 5;

fn position(tenant: &Tenant) -> (&str, bool) {
    (tenant.account_id.as_str(), tenant.mode.livemode())
}
