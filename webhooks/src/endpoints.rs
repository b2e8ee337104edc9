//! Webhook endpoints: added, changed, tried out, told again. The one place for it: the console's API and
//! `scan admin` both come here, so a target is vetted and an action logged whoever asks.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{
    EventId, Secret, Timestamp, WebhookEndpointId,
    event::{Event, EventData, EventType},
};
use entities::{
    Db, DeliveryRow, EndpointRow, Tenant, Transient, WriteTxn, audit_log, events,
    scans::Idempotency,
    webhook_deliveries,
    webhook_endpoints::{self, AddOutcome, Changes, NewEndpoint},
};
use outbound::{
    SettingsError,
    dial::Dialer,
    seal::{SealError, Sealer},
    target::Refusal,
    webhook::{self, Attempt, AttemptOutcome, SigningSecrets},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Vets targets, makes and opens their secrets, and sends. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Webhooks {
    dialer: Dialer,
    sealer: Arc<Sealer>,
}

/// Who acts, for which account and mode, on which database.
#[derive(Debug, Clone, Copy)]
pub struct Actor<'a> {
    /// The database.
    pub db: &'a Db,
    /// Whose endpoints.
    pub tenant: &'a Tenant,
    /// The name for the audit log: a user's id, or `operator`.
    pub name: &'a str,
    /// When.
    pub now: Timestamp,
}

/// An endpoint to be added.
#[derive(Debug, Clone)]
pub struct Addition {
    /// Where requests are to go. Vetted here.
    pub url: String,
    /// What it is for.
    pub description: Option<String>,
    /// The types of event it is told of.
    pub events: Vec<EventType>,
    /// With the same key and the same endpoint, one is added once.
    pub idempotency_key: Option<String>,
}

/// What came of adding an endpoint.
#[derive(Debug)]
pub enum Added {
    /// Made now, with this secret, which nobody is told again.
    Now(EndpointRow, Secret),
    /// Made by an earlier request with the same idempotency key.
    Before(EndpointRow),
}

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The database did not do what was asked.
    #[error(transparent)]
    Store(#[from] entities::Error),
    /// Nothing may be sent to this URL.
    #[error("nothing can be sent to this URL: {0}")]
    Target(#[from] Refusal),
    /// The endpoint's secret does not open: a master key is missing.
    #[error(transparent)]
    Sealed(#[from] SealError),
    /// The account has as many endpoints as it may.
    #[error("the account has as many endpoints as it may")]
    Full,
    /// The idempotency key came with something else before.
    #[error("the idempotency key was used for something else")]
    KeyReused,
    /// No such endpoint in this account and mode.
    #[error("there is no such endpoint")]
    NotFound,
    /// The endpoint is turned off.
    #[error("the endpoint is turned off")]
    Off,
    /// One of the events, by its place among those asked for, is not there or too old.
    #[error("event {0} of those asked for is not there")]
    NoEvent(usize),
}

impl Transient for Refused {
    fn is_transient(&self) -> bool {
        matches!(self, Refused::Store(error) if error.is_transient())
    }
}

impl Actor<'_> {
    async fn find(&self, id: &WebhookEndpointId) -> Result<EndpointRow, Refused> {
        webhook_endpoints::find(self.db, self.tenant, id).await?.ok_or(Refused::NotFound)
    }

    async fn note(
        &self,
        txn: &WriteTxn,
        action: &str,
        id: &WebhookEndpointId,
        detail: Value,
    ) -> entities::Result<()> {
        let (account_id, actor, subject) = (&self.tenant.account_id, self.name, id.as_str());
        audit_log::append(txn, audit_log::NewEntry { account_id, actor, action, subject, detail }, self.now)
            .await
    }

    /// Turns an endpoint on (and forgets its failures) or off.
    ///
    /// # Errors
    /// [`Refused`].
    pub async fn turn(&self, id: &WebhookEndpointId, on: bool) -> Result<EndpointRow, Refused> {
        let changes = Changes { enabled: Some(on), ..Changes::default() };
        let action = if on { "webhook_endpoint.enabled" } else { "webhook_endpoint.disabled" };
        self.db
            .write(async |txn| {
                let row = webhook_endpoints::find(&txn, self.tenant, id).await?.ok_or(Refused::NotFound)?;
                if row.enabled == on {
                    return Ok(row);
                }
                let row = webhook_endpoints::update(&txn, self.tenant, id, &changes, self.now).await?;
                self.note(&txn, action, id, json!({})).await?;
                row.ok_or(Refused::NotFound)
            })
            .await
    }

    /// Deletes an endpoint. What is still owed to it is dropped.
    ///
    /// # Errors
    /// [`Refused`].
    pub async fn delete(&self, id: &WebhookEndpointId) -> Result<(), Refused> {
        self.db
            .write(async |txn| {
                if !webhook_endpoints::delete(&txn, self.tenant, id, self.now).await? {
                    return Err(Refused::NotFound);
                }
                Ok(self.note(&txn, "webhook_endpoint.deleted", id, json!({})).await?)
            })
            .await
    }

    /// Asks for events to be delivered (again), none of them older than `oldest`. All of them or none.
    ///
    /// # Errors
    /// [`Refused`].
    pub async fn replay(
        &self,
        id: &WebhookEndpointId,
        ids: &[EventId],
        oldest: Timestamp,
    ) -> Result<Vec<DeliveryRow>, Refused> {
        // In one order, so that two who ask for the same events never wait for each other.
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|place| ids[*place].as_str());
        self.db
            .write(async |txn| {
                let endpoint =
                    webhook_endpoints::find(&txn, self.tenant, id).await?.ok_or(Refused::NotFound)?;
                if !endpoint.enabled {
                    return Err(Refused::Off);
                }
                let mut deliveries = Vec::with_capacity(ids.len());
                for place in &order {
                    let event = events::find(&txn, self.tenant, &ids[*place]).await?;
                    let event = event.filter(|event| event.created_at.0 >= oldest);
                    let event = event.ok_or(Refused::NoEvent(*place))?;
                    deliveries.push(webhook_deliveries::replay(&txn, &event, &endpoint, self.now).await?);
                }
                let detail = json!({ "events": ids.iter().map(EventId::as_str).collect::<Vec<_>>() });
                self.note(&txn, "webhook_endpoint.replayed", id, detail).await?;
                Ok(deliveries)
            })
            .await
    }
}

impl Webhooks {
    /// As the settings say.
    ///
    /// # Errors
    /// When targets cannot be vetted, or no secret sealed, with these settings.
    pub fn open(settings: &outbound::Settings) -> Result<Self, SettingsError> {
        let (dialer, sealer) = (Dialer::new(&settings.webhooks)?, Arc::new(Sealer::new(&settings.seal)?));
        Ok(Self { dialer, sealer })
    }

    /// Adds an endpoint.
    ///
    /// # Errors
    /// [`Refused`].
    pub async fn add(&self, actor: Actor<'_>, new: Addition) -> Result<Added, Refused> {
        let request_hash = new.hash();
        let idempotency = new.idempotency_key.map(|key| Idempotency { key, request_hash });
        // Before the look-up: what was added is answered even if its host is away now.
        if let Some(given) = &idempotency
            && let Some(earlier) = webhook_endpoints::made_before(actor.db, actor.tenant, given).await?
        {
            return added(earlier, None);
        }
        let url = self.vetted(&new.url).await?;
        let id = WebhookEndpointId::new();
        let (secret, secret_ciphertext) = self.fresh_secret(&id);
        let (description, events) = (new.description, new.events);
        let row = NewEndpoint { id, url, description, events, secret_ciphertext, idempotency };
        let outcome: Result<AddOutcome, Refused> = actor
            .db
            .write(async |txn| {
                let outcome = webhook_endpoints::insert(&txn, actor.tenant, &row, actor.now).await?;
                if let AddOutcome::Added(made) = &outcome {
                    actor.note(&txn, "webhook_endpoint.created", &made.id, told(made)).await?;
                }
                Ok(outcome)
            })
            .await;
        added(outcome?, Some(secret))
    }

    /// Changes URL, description or events of an endpoint.
    ///
    /// # Errors
    /// [`Refused`].
    pub async fn change(
        &self,
        actor: Actor<'_>,
        id: &WebhookEndpointId,
        mut changes: Changes,
    ) -> Result<EndpointRow, Refused> {
        if let Some(url) = &changes.url {
            actor.find(id).await?; // Nothing is looked up for what is not there.
            changes.url = Some(self.vetted(url).await?);
        }
        actor
            .db
            .write(async |txn| {
                let row = webhook_endpoints::update(&txn, actor.tenant, id, &changes, actor.now).await?;
                let row = row.ok_or(Refused::NotFound)?;
                actor.note(&txn, "webhook_endpoint.changed", id, told(&row)).await?;
                Ok(row)
            })
            .await
    }

    /// Gives an endpoint a new secret; the one before it goes on signing for `overlap`, too.
    ///
    /// # Errors
    /// [`Refused`].
    pub async fn rotate(
        &self,
        actor: Actor<'_>,
        id: &WebhookEndpointId,
        overlap: Duration,
    ) -> Result<(EndpointRow, Secret), Refused> {
        let (secret, sealed) = self.fresh_secret(id);
        let until = actor.now.plus(overlap);
        let row: Result<EndpointRow, Refused> = actor
            .db
            .write(async |txn| {
                let (tenant, now) = (actor.tenant, actor.now);
                if !webhook_endpoints::rotate_secret(&txn, tenant, id, &sealed, until, now).await? {
                    return Err(Refused::NotFound);
                }
                let detail = json!({ "overlap_hours": overlap.as_secs() / 3_600 });
                actor.note(&txn, "webhook_endpoint.secret_rotated", id, detail).await?;
                webhook_endpoints::find(&txn, tenant, id).await?.ok_or(Refused::NotFound)
            })
            .await;
        Ok((row?, secret))
    }

    /// Sends a sample event once, also to an endpoint that is off, and says how it went. Nothing of it is
    /// recorded, nor counted against the endpoint.
    ///
    /// # Errors
    /// [`Refused`]; what goes wrong at the endpoint is in the outcome.
    pub async fn try_out(
        &self,
        actor: Actor<'_>,
        id: &WebhookEndpointId,
        of_type: Option<EventType>,
    ) -> Result<(Event, AttemptOutcome), Refused> {
        let endpoint = actor.find(id).await?;
        let event_type = of_type.or_else(|| endpoint.events.first().copied());
        let event = Event {
            id: EventId::of(&format!("test_{}", domain::RequestId::new())),
            object: "event".into(),
            event_type: event_type.unwrap_or(EventType::ScanCompleted),
            livemode: endpoint.livemode,
            created_at: actor.now,
            data: EventData::Test { test: true },
        };
        let body = serde_json::to_vec(&event)
            .map_err(|error| entities::Error::corrupt(format!("a sample event: {error}")))?;
        let (current, retiring) = (&endpoint.secret_ciphertext, endpoint.retiring_secret(actor.now));
        let attempt = Attempt {
            secrets: SigningSecrets::open(&self.sealer, id.as_str(), current, retiring)?,
            url: endpoint.url,
            event_id: event.id.clone(),
            body: Bytes::from(body),
            now: Timestamp::now(),
        };
        Ok((event, webhook::send(&self.dialer, attempt).await))
    }

    /// The URL as it is stored, if requests may go there now.
    async fn vetted(&self, url: &str) -> Result<String, Refused> {
        Ok(self.dialer.vet(url).await?.url().as_str().to_owned())
    }

    fn fresh_secret(&self, id: &WebhookEndpointId) -> (Secret, String) {
        let secret = webhook::generate_secret();
        let sealed = self.sealer.seal(&secret, id.as_str());
        (secret, sealed)
    }
}

impl Addition {
    /// The same for additions that say the same.
    fn hash(&self) -> String {
        let said = json!([self.url, self.description, self.events]);
        hex::encode(Sha256::digest(said.to_string()))
    }
}

fn added(outcome: AddOutcome, secret: Option<Secret>) -> Result<Added, Refused> {
    match (outcome, secret) {
        (AddOutcome::Added(row), Some(secret)) => Ok(Added::Now(row, secret)),
        (AddOutcome::Added(row) | AddOutcome::Replayed(row), _) => Ok(Added::Before(row)),
        (AddOutcome::KeyReused, _) => Err(Refused::KeyReused),
        (AddOutcome::Full, _) => Err(Refused::Full),
    }
}

/// What the audit log says of an endpoint: the host, not the path, which may hold a secret of its owner's.
fn told(row: &EndpointRow) -> Value {
    json!({ "host": row.url.split('/').nth(2), "events": row.events.0 })
}
