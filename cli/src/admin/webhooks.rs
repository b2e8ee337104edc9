//! Commands on webhook endpoints.

use anyhow::bail;

use domain::{Timestamp, event::EventType};
use entities::{Db, Tenant};
use outbound::seal::Sealer;
use serde_json::{Value, json};
use webhooks::{Actor, AddEndpoint, AddedEndpoint, Webhooks};

use crate::config::Config;

/// Adds a webhook endpoint. No event types means all event types.
pub(super) async fn create(
    config: &Config,
    db: &Db,
    tenant: &Tenant,
    url: String,
    events: Vec<EventType>,
) -> anyhow::Result<Value> {
    let events = if events.is_empty() { EventType::ALL.to_vec() } else { events };
    let actor = Actor { db, tenant, name: "operator", now: Timestamp::now() };
    let new = AddEndpoint { url, description: None, events, idempotency_key: None };
    match Webhooks::open(&config.outbound)?.add(actor, new).await? {
        AddedEndpoint::Created(row, secret) => {
            Ok(json!({ "endpoint_id": row.id.0, "url": row.url, "signing_secret": secret.reveal() }))
        }
        AddedEndpoint::Existing(row) => bail!("the endpoint exists already: {}", row.id.0),
    }
}

/// Encrypts the signing secrets of all endpoints with the current master key.
pub(super) async fn reseal(config: &Config, db: &Db) -> anyhow::Result<Value> {
    let sealer = Sealer::new(&config.outbound.seal)?;
    Ok(json!(::webhooks::reseal(db, &sealer).await?))
}
