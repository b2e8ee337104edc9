//! Manages webhook endpoints for the console's API and `scan admin`.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{
    EventId, Secret, Timestamp, WebhookEndpointId,
    event::{Event, EventData, EventType},
};
use entities::{
    Db, DeliveryRow, EndpointRow, Tenant, WriteTxn, audit_log, events,
    scans::Idempotency,
    webhook_deliveries,
    webhook_endpoints::{self, AddOutcome, Changes, NewEndpoint},
};
use outbound::{
    SettingsError,
    dial::Dialer,
    seal::Sealer,
    webhook::{self, Attempt, AttemptOutcome},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    delivery::signing_secrets,
    error::{Error, Result},
};

/// Adds and changes endpoints: vets URLs, generates and encrypts secrets, and sends test events.
/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Webhooks {
    dialer: Dialer,
    sealer: Arc<Sealer>,
}

/// The user or operator who manages endpoints, with the database and tenant to work on.
#[derive(Debug, Clone, Copy)]
pub struct Actor<'a> {
    /// Database with the endpoints.
    pub db: &'a Db,
    /// Tenant that owns the endpoints.
    pub tenant: &'a Tenant,
    /// Name in the audit log: the id of a user, or `operator`.
    pub name: &'a str,
    /// Time of the call.
    pub now: Timestamp,
}

/// Parameters of [`Webhooks::add`].
#[derive(Debug, Clone)]
pub struct AddEndpoint {
    /// URL that receives the events. [`Webhooks::add`] vets it.
    pub url: String,
    /// Free text of the owner.
    pub description: Option<String>,
    /// Types of events to deliver.
    pub events: Vec<EventType>,
    /// Idempotency key: calls with the same key and parameters add one endpoint.
    pub idempotency_key: Option<String>,
}

/// Result of [`Webhooks::add`].
#[derive(Debug)]
pub enum AddedEndpoint {
    /// The new endpoint and its signing secret. The secret cannot be read again.
    Created(EndpointRow, Secret),
    /// Endpoint that an earlier call with the same idempotency key added.
    Existing(EndpointRow),
}

impl Actor<'_> {
    async fn find(&self, id: &WebhookEndpointId) -> Result<EndpointRow> {
        webhook_endpoints::find(self.db, self.tenant, id).await?.ok_or(Error::NotFound)
    }

    async fn log(
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

    /// Enables an endpoint and resets its failure count, or disables it. Idempotent.
    ///
    /// # Errors
    /// Returns an error if the endpoint does not exist or the database is unavailable.
    pub async fn set_enabled(&self, id: &WebhookEndpointId, enabled: bool) -> Result<EndpointRow> {
        let changes = Changes { enabled: Some(enabled), ..Changes::default() };
        let action = if enabled { "webhook_endpoint.enabled" } else { "webhook_endpoint.disabled" };
        self.db
            .write(async |txn| {
                let row = webhook_endpoints::find(&txn, self.tenant, id).await?.ok_or(Error::NotFound)?;
                if row.enabled == enabled {
                    return Ok(row);
                }
                let row = webhook_endpoints::update(&txn, self.tenant, id, &changes, self.now).await?;
                self.log(&txn, action, id, json!({})).await?;
                row.ok_or(Error::NotFound)
            })
            .await
    }

    /// Deletes an endpoint and drops its pending deliveries.
    ///
    /// # Errors
    /// Returns an error if the endpoint does not exist or the database is unavailable.
    pub async fn delete(&self, id: &WebhookEndpointId) -> Result<()> {
        self.db
            .write(async |txn| {
                if !webhook_endpoints::delete(&txn, self.tenant, id, self.now).await? {
                    return Err(Error::NotFound);
                }
                Ok(self.log(&txn, "webhook_endpoint.deleted", id, json!({})).await?)
            })
            .await
    }

    /// Starts deliveries of these events, whether they were delivered before or not. Replays all of
    /// them or none.
    ///
    /// # Errors
    /// Returns an error if the endpoint does not exist or is disabled, if an event does not exist
    /// or is older than `oldest`, or if the database is unavailable.
    pub async fn replay(
        &self,
        id: &WebhookEndpointId,
        ids: &[EventId],
        oldest: Timestamp,
    ) -> Result<Vec<DeliveryRow>> {
        // Deliveries are locked in the order of event ids, so that two replays cannot deadlock.
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|position| ids[*position].as_str());
        self.db
            .write(async |txn| {
                let endpoint =
                    webhook_endpoints::find(&txn, self.tenant, id).await?.ok_or(Error::NotFound)?;
                if !endpoint.enabled {
                    return Err(Error::Disabled);
                }
                let mut deliveries = Vec::with_capacity(ids.len());
                for position in &order {
                    let event = events::find(&txn, self.tenant, &ids[*position]).await?;
                    let event = event.filter(|event| event.created_at.0 >= oldest);
                    let event = event.ok_or(Error::UnknownEvent(*position))?;
                    deliveries.push(webhook_deliveries::replay(&txn, &event, &endpoint, self.now).await?);
                }
                let detail = json!({ "events": ids.iter().map(EventId::as_str).collect::<Vec<_>>() });
                self.log(&txn, "webhook_endpoint.replayed", id, detail).await?;
                Ok(deliveries)
            })
            .await
    }
}

impl Webhooks {
    /// Builds the service from the settings.
    ///
    /// # Errors
    /// Returns an error if the vetting rules or the master keys in the settings are invalid.
    pub fn open(settings: &outbound::Settings) -> Result<Self, SettingsError> {
        let (dialer, sealer) = (Dialer::new(&settings.webhooks)?, Arc::new(Sealer::new(&settings.seal)?));
        Ok(Self { dialer, sealer })
    }

    /// Adds an endpoint.
    ///
    /// # Errors
    /// Returns an error if the URL is refused, the account has the maximum number of endpoints, the
    /// idempotency key was used with other parameters, or the database is unavailable.
    pub async fn add(&self, actor: Actor<'_>, new: AddEndpoint) -> Result<AddedEndpoint> {
        let request_hash = new.hash();
        let idempotency = new.idempotency_key.map(|key| Idempotency { key, request_hash });
        // Before the DNS lookup, so that a repeated call succeeds even if the lookup would fail.
        if let Some(idempotency) = &idempotency
            && let Some(earlier) =
                webhook_endpoints::find_by_idempotency_key(actor.db, actor.tenant, idempotency).await?
        {
            return added_endpoint(earlier, None);
        }
        let url = self.vet_url(&new.url).await?;
        let id = WebhookEndpointId::new();
        let (secret, secret_ciphertext) = self.generate_secret(&id);
        let (description, events) = (new.description, new.events);
        let row = NewEndpoint { id, url, description, events, secret_ciphertext, idempotency };
        let outcome: Result<AddOutcome> = actor
            .db
            .write(async |txn| {
                let outcome = webhook_endpoints::insert(&txn, actor.tenant, &row, actor.now).await?;
                if let AddOutcome::Added(row) = &outcome {
                    actor.log(&txn, "webhook_endpoint.created", &row.id, audit_detail(row)).await?;
                }
                Ok(outcome)
            })
            .await;
        added_endpoint(outcome?, Some(secret))
    }

    /// Changes the URL, description or events of an endpoint.
    ///
    /// # Errors
    /// Returns an error if the endpoint does not exist, the URL is refused, or the database is
    /// unavailable.
    pub async fn change(
        &self,
        actor: Actor<'_>,
        id: &WebhookEndpointId,
        mut changes: Changes,
    ) -> Result<EndpointRow> {
        if let Some(url) = &changes.url {
            actor.find(id).await?; // No DNS lookup for an endpoint that does not exist.
            changes.url = Some(self.vet_url(url).await?);
        }
        actor
            .db
            .write(async |txn| {
                let row = webhook_endpoints::update(&txn, actor.tenant, id, &changes, actor.now).await?;
                let row = row.ok_or(Error::NotFound)?;
                actor.log(&txn, "webhook_endpoint.changed", id, audit_detail(&row)).await?;
                Ok(row)
            })
            .await
    }

    /// Replaces the secret of an endpoint and returns the new one. Requests are signed with both
    /// secrets until `overlap` has passed.
    ///
    /// # Errors
    /// Returns an error if the endpoint does not exist or the database is unavailable.
    pub async fn rotate(
        &self,
        actor: Actor<'_>,
        id: &WebhookEndpointId,
        overlap: Duration,
    ) -> Result<(EndpointRow, Secret)> {
        let (secret, secret_ciphertext) = self.generate_secret(id);
        let until = actor.now.plus(overlap);
        let row: Result<EndpointRow> = actor
            .db
            .write(async |txn| {
                let (tenant, now) = (actor.tenant, actor.now);
                if !webhook_endpoints::rotate_secret(&txn, tenant, id, &secret_ciphertext, until, now).await?
                {
                    return Err(Error::NotFound);
                }
                let detail = json!({ "overlap_hours": overlap.as_secs() / 3_600 });
                actor.log(&txn, "webhook_endpoint.secret_rotated", id, detail).await?;
                webhook_endpoints::find(&txn, tenant, id).await?.ok_or(Error::NotFound)
            })
            .await;
        Ok((row?, secret))
    }

    /// Sends a sample event once and returns the outcome. The endpoint may be disabled. The attempt
    /// is not recorded and does not count as a failure.
    ///
    /// # Errors
    /// Returns an error if the endpoint does not exist, its secret cannot be decrypted, or the
    /// database is unavailable. A failed request is part of the outcome.
    pub async fn send_test_event(
        &self,
        actor: Actor<'_>,
        id: &WebhookEndpointId,
        event_type: Option<EventType>,
    ) -> Result<(Event, AttemptOutcome)> {
        let endpoint = actor.find(id).await?;
        let event_type = event_type.or_else(|| endpoint.events.first().copied());
        let event = Event {
            id: EventId::of(&format!("test_{}", domain::RequestId::new())),
            object: "event".into(),
            event_type: event_type.unwrap_or(EventType::ScanCompleted),
            livemode: endpoint.livemode,
            created_at: actor.now,
            data: EventData::Test { test: true },
        };
        let body = serde_json::to_vec(&event).map_err(|error| {
            entities::Error::corrupt(format!("cannot serialize the sample event: {error}"))
        })?;
        let attempt = Attempt {
            secrets: signing_secrets(&self.sealer, &endpoint, actor.now)?,
            url: endpoint.url,
            event_id: event.id.clone(),
            body: Bytes::from(body),
            now: Timestamp::now(),
        };
        Ok((event, webhook::send(&self.dialer, attempt).await))
    }

    /// Returns the canonical URL if the vetting rules allow requests to it.
    async fn vet_url(&self, url: &str) -> Result<String> {
        Ok(self.dialer.vet(url).await?.url().as_str().to_owned())
    }

    /// Generates a signing secret and encrypts it for the endpoint.
    fn generate_secret(&self, id: &WebhookEndpointId) -> (Secret, String) {
        let secret = webhook::generate_secret();
        let secret_ciphertext = self.sealer.seal(&secret, id.as_str());
        (secret, secret_ciphertext)
    }
}

impl AddEndpoint {
    /// Hashes the parameters, to detect a reused idempotency key.
    fn hash(&self) -> String {
        let parameters = json!([self.url, self.description, self.events]);
        hex::encode(Sha256::digest(parameters.to_string()))
    }
}

fn added_endpoint(outcome: AddOutcome, secret: Option<Secret>) -> Result<AddedEndpoint> {
    match (outcome, secret) {
        (AddOutcome::Added(row), Some(secret)) => Ok(AddedEndpoint::Created(row, secret)),
        (AddOutcome::Added(row) | AddOutcome::Replayed(row), _) => Ok(AddedEndpoint::Existing(row)),
        (AddOutcome::KeyReused, _) => Err(Error::IdempotencyKeyReused),
        (AddOutcome::Full, _) => Err(Error::LimitReached),
    }
}

/// Returns the endpoint's fields for the audit log. Leaves out the path of the URL, which may
/// contain a secret of the owner.
fn audit_detail(row: &EndpointRow) -> Value {
    json!({ "host": row.url.split('/').nth(2), "events": row.events.0 })
}
