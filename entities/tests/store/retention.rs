//! Tests of deleting rows whose retention has ended.

use std::time::Duration;

use domain::{
    EventId, Timestamp, WebhookEndpointId,
    event::{Event, EventType},
    mode::Tenant,
};
use entities::{
    Db, Reader, events,
    outbox::{self, Kind},
    retention::{self, Rule},
    testing::{self, NOON, on_each_database},
    webhook_deliveries::{self, NewAttempt, Round, Verdict},
    webhook_endpoints::{self, NewEndpoint},
};
use sea_orm::{EntityTrait, PaginatorTrait};

use crate::query_plan::{assert_indexed, plan};

const RULES: [Rule; 11] = [
    retention::OUTBOX,
    retention::IDEMPOTENCY_KEYS,
    retention::WEBHOOK_ATTEMPTS,
    retention::WEBHOOK_DELIVERIES,
    retention::EVENTS,
    retention::WEBHOOK_ENDPOINTS,
    retention::SESSIONS,
    retention::USER_TOKENS,
    retention::ACCOUNT_EXPORTS,
    retention::BANK_REPORTS,
    retention::AUDIT_LOG,
];

async fn delete(db: &Db, rule: Rule, before: Timestamp) -> u64 {
    db.write(async |txn| rule.delete_batch(&txn, before, 10).await).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_rule_is_served_by_its_index() {
    on_each_database(async |db| {
        for rule in RULES {
            let query = rule.query().replace("$1", "1795262400000").replace("$2", "10");
            let plan = plan(&db, &query).await;
            assert!(plan.contains(rule.index), "{} is not served by {}:\n{plan}", rule.table, rule.index);
            assert_indexed(&db, &query).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_deleted_in_batches_and_newer_ones_stay() {
    on_each_database(async |db| {
        let written: entities::Result<()> = db
            .write(async |txn| {
                for n in 0..27 {
                    let (subject, payload) = (format!("scans/{n}/"), serde_json::json!({}));
                    outbox::enqueue(&txn, Kind::Purge, &subject, &payload, NOON, NOON).await?;
                    if n < 25 {
                        outbox::complete_in(&txn, Kind::Purge, &subject, NOON).await?;
                    }
                }
                let later = NOON.plus(Duration::from_secs(1));
                outbox::complete_in(&txn, Kind::Purge, "scans/26/", later).await?;
                Ok(())
            })
            .await;
        written.unwrap();
        let before = NOON.plus(Duration::from_millis(1));
        for expected in [10, 10, 5, 0] {
            assert_eq!(delete(&db, retention::OUTBOX, before).await, expected);
        }
        assert_eq!(outbox::Entity::find().count(db.conn()).await.unwrap(), 2);
        assert!(outbox::is_pending(&db, Kind::Purge, "scans/25/").await.unwrap(), "it is not done");
    })
    .await;
}

/// Creates an endpoint, an event, and its delivery with one attempt.
async fn deliver(db: &Db, tenant: &Tenant) -> Round {
    let id = EventId::of("a");
    let event = Event {
        id: id.clone(),
        object: "event".into(),
        event_type: EventType::WalletAutoRechargeFailed,
        livemode: false,
        created_at: NOON,
        data: domain::event::EventData::Test { test: true },
    };
    let new = NewEndpoint {
        id: WebhookEndpointId::new(),
        url: "https://example.com/hook".into(),
        description: None,
        events: vec![EventType::WalletAutoRechargeFailed],
        secret_ciphertext: "one".into(),
        idempotency: None,
    };
    let created: entities::Result<WebhookEndpointId> = db
        .write(async |txn| {
            events::publish(&txn, tenant, None, &event).await?;
            webhook_endpoints::insert(&txn, tenant, &new, NOON).await?;
            let event = events::find(&txn, tenant, &id).await?.expect("the event");
            let endpoint = webhook_endpoints::find(&txn, tenant, &new.id).await?.expect("the endpoint");
            webhook_deliveries::create_pending(&txn, &event, &endpoint, NOON).await?;
            Ok(new.id.clone())
        })
        .await;
    let round = Round { event: id, endpoint: created.unwrap(), number: 0 };
    let attempt = NewAttempt {
        attempt: 1,
        at: NOON,
        status: Some(500),
        error: None,
        response: None,
        duration_ms: 5,
        next_attempt_at: None,
    };
    db.write(async |txn| webhook_deliveries::system::record_attempt(&txn, &round, &attempt).await)
        .await
        .unwrap();
    round
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_kept_until_its_deliveries_are_deleted() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let round = deliver(&db, &tenant).await;
        let later = NOON.plus(Duration::from_secs(60));
        // The delivery is pending.
        for rule in [retention::WEBHOOK_DELIVERIES, retention::EVENTS, retention::WEBHOOK_ENDPOINTS] {
            assert_eq!(delete(&db, rule, later).await, 0, "{}", rule.table);
        }
        db.write(async |txn| {
            webhook_deliveries::system::finish(&txn, &round, Verdict::Delivered, NOON).await?;
            webhook_endpoints::delete(&txn, &tenant, &round.endpoint, NOON).await
        })
        .await
        .unwrap();
        // Parents are kept while they have children.
        for rule in [retention::WEBHOOK_DELIVERIES, retention::EVENTS, retention::WEBHOOK_ENDPOINTS] {
            assert_eq!(delete(&db, rule, later).await, 0, "{}", rule.table);
        }
        let in_order = [
            retention::WEBHOOK_ATTEMPTS,
            retention::WEBHOOK_DELIVERIES,
            retention::EVENTS,
            retention::WEBHOOK_ENDPOINTS,
        ];
        for rule in in_order {
            assert_eq!(delete(&db, rule, NOON).await, 0, "{}", rule.table);
            assert_eq!(delete(&db, rule, later).await, 1, "{}", rule.table);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn periodic_checks_are_served_by_indexes() {
    on_each_database(async |db| {
        for sql in [
            "SELECT id FROM scans WHERE status = 'failed' AND media_deleted_at IS NULL AND finished_at < 5 \
             ORDER BY finished_at LIMIT 9",
            "SELECT id FROM scans WHERE retry_of = 'scn_a'",
            "SELECT event_id FROM webhook_deliveries WHERE status = 'pending' AND created_at < 5 ORDER BY created_at",
            "SELECT id FROM outbox WHERE done_at IS NULL ORDER BY created_at, id LIMIT 9",
        ] {
            assert_indexed(&db, sql).await;
        }
        assert!(!has_index(&db, "outbox_pending").await, "`outbox_due` replaced it");
    })
    .await;
}

async fn has_index(db: &Db, name: &str) -> bool {
    use sea_orm::{ConnectionTrait, DbBackend, Statement};
    let sql = match db.backend() {
        DbBackend::Sqlite => format!("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = '{name}'"),
        _ => format!("SELECT 1 FROM pg_indexes WHERE indexname = '{name}'"),
    };
    db.conn().query_one_raw(Statement::from_string(db.backend(), sql)).await.unwrap().is_some()
}
