//! Tests of tenant isolation: calls every finder as the owner, as another account and in the other
//! mode.

use domain::{EventId, ScanStatus, Stage, WebhookEndpointId, event::EventType, page::PageRequest};
use entities::{
    Db, Tenant, api_keys, documents, events, idempotency_keys, ledger_transactions,
    ledger_transactions::TransactionKind,
    scans::{self, Completion, Idempotency},
    spaces,
    testing::{self, NOON, on_each_database, video_input},
    uploads, wallets, webhook_deliveries,
    webhook_deliveries::{NewAttempt, Round},
    webhook_endpoints::{self, AddOutcome, NewEndpoint},
};

/// Ids of one row of each table.
struct RowIds {
    key: domain::KeyId,
    space: domain::SpaceId,
    scan: domain::ScanId,
    event: EventId,
    endpoint: WebhookEndpointId,
}

async fn insert_one_of_each(db: &Db, tenant: &Tenant) -> RowIds {
    let (key, _) = testing::key(db, tenant, None).await;
    let space = testing::space(db, tenant).await.id.0;
    let mut new = testing::new_scan(tenant, &space, video_input());
    new.idempotency = Some(Idempotency { key: "idem-0001".into(), request_hash: "hash".into() });
    db.write(async |txn| scans::create(&txn, &new, NOON).await).await.unwrap();
    let scan =
        scans::list_of_space(db, tenant, &space, &PageRequest::default()).await.unwrap().rows.remove(0);
    testing::upload_all(db, &scan).await;
    let completion =
        Completion { scan_id: scan.id.0.clone(), object_key: "k".into(), sha256: "0".into(), bytes: 1 };
    let endpoint = NewEndpoint {
        id: WebhookEndpointId::new(),
        url: "https://example.com/".into(),
        description: None,
        events: EventType::ALL.to_vec(),
        secret_ciphertext: "c".into(),
        idempotency: Some(Idempotency { key: "idem-0002".into(), request_hash: "hash".into() }),
    };
    let attempt = NewAttempt {
        attempt: 1,
        at: NOON,
        status: Some(200),
        error: None,
        response: None,
        duration_ms: 1,
        next_attempt_at: None,
    };
    let event = EventId::scan_completed(&scan.id);
    db.write(async |txn| {
        wallets::open(&txn, tenant).await?;
        scans::transition(&txn, &scan.id, ScanStatus::Queued, None, NOON).await?;
        scans::begin_stage(&txn, &scan.id, Stage::Ingesting, NOON).await?;
        let charge = ledger_transactions::Model {
            id: domain::TransactionId::new().into(),
            account_id: scan.account_id.clone(),
            livemode: scan.livemode,
            kind: TransactionKind::Charge.into(),
            scan_id: Some(scan.id.clone()),
            key_id: Some(key.id.clone()),
            month: NOON.month(),
            amount_cents: 150,
            reference: None,
            created_at: NOON.into(),
        };
        assert!(ledger_transactions::insert_new(&txn, &charge).await?);
        assert!(!ledger_transactions::insert_new(&txn, &charge).await?);
        Ok::<_, entities::Error>(())
    })
    .await
    .unwrap();
    assert_eq!(scans::count_in_progress(db, tenant).await.unwrap(), 1);
    db.write(async |txn| {
        scans::complete(&txn, &completion, NOON).await?;
        let added = webhook_endpoints::insert(&txn, tenant, &endpoint, NOON).await?;
        let AddOutcome::Added(endpoint) = added else { panic!("{added:?}") };
        let row = events::system::find(&txn, &event).await?.unwrap();
        webhook_deliveries::create_pending(&txn, &row, &endpoint, NOON).await?;
        let round = Round { event: event.clone(), endpoint: endpoint.id.0.clone(), number: 0 };
        webhook_deliveries::system::record_attempt(&txn, &round, &attempt).await
    })
    .await
    .unwrap();
    RowIds { key: key.id.0, space, scan: scan.id.0, event, endpoint: endpoint.id }
}

/// Returns the number of rows that each finder returns to `tenant` for `all`.
async fn visible_rows(db: &Db, tenant: &Tenant, owner: &Tenant, all: &RowIds) -> Vec<(&'static str, usize)> {
    let page = PageRequest::default();
    let document = documents::find_by_scan(db, owner, &all.scan).await.unwrap().unwrap();
    let successor = documents::Model { revision: document.revision + 1, ..document };
    let count = |found: bool| usize::from(found);
    let idempotency = Idempotency { key: "idem-0002".into(), request_hash: "hash".into() };
    vec![
        ("key", count(api_keys::find(db, tenant, &all.key).await.unwrap().is_some())),
        ("keys", api_keys::list(db, tenant, &page).await.unwrap().rows.len()),
        ("space", count(spaces::find(db, tenant, &all.space).await.unwrap().is_some())),
        ("spaces", spaces::list(db, tenant, &Default::default(), &page).await.unwrap().rows.len()),
        ("scan", count(scans::find(db, tenant, &all.scan).await.unwrap().is_some())),
        ("scan view", scans::find_views(db, &[(tenant.clone(), all.scan.clone())]).await.unwrap().len()),
        (
            "scan of space",
            count(scans::find_in_space(db, tenant, &all.space, &all.scan).await.unwrap().is_some()),
        ),
        ("scans", scans::list_of_space(db, tenant, &all.space, &page).await.unwrap().rows.len()),
        ("uploads", uploads::list(db, tenant, &all.scan).await.unwrap().len()),
        ("idempotency key", count(idempotency_keys::find(db, tenant, "idem-0001").await.unwrap().is_some())),
        ("document", count(documents::find_by_scan(db, tenant, &all.scan).await.unwrap().is_some())),
        ("latest document", count(documents::latest(db, tenant, &all.space).await.unwrap().is_some())),
        ("newest documents", documents::newest(db, tenant, &all.space, 9).await.unwrap().len()),
        ("previous document", count(documents::previous(db, tenant, &successor).await.unwrap().is_some())),
        ("event", count(events::find(db, tenant, &all.event).await.unwrap().is_some())),
        ("events", events::list(db, tenant, None, &page).await.unwrap().rows.len()),
        ("stream", events::after(db, tenant, 0, 9).await.unwrap().len()),
        ("end of stream", count(events::last_seq(db, tenant).await.unwrap() > 0)),
        ("endpoint", count(webhook_endpoints::find(db, tenant, &all.endpoint).await.unwrap().is_some())),
        ("endpoints", webhook_endpoints::list(db, tenant, &page).await.unwrap().rows.len()),
        (
            "endpoint of an idempotency key",
            count(
                webhook_endpoints::find_by_idempotency_key(db, tenant, &idempotency).await.unwrap().is_some(),
            ),
        ),
        (
            "subscribed endpoints",
            webhook_endpoints::list_subscribed(db, tenant, EventType::ScanFailed).await.unwrap().len(),
        ),
        (
            "delivery",
            count(webhook_deliveries::find(db, tenant, &all.event, &all.endpoint).await.unwrap().is_some()),
        ),
        (
            "deliveries",
            webhook_deliveries::list_of_endpoint(db, tenant, &all.endpoint, &page).await.unwrap().rows.len(),
        ),
        (
            "attempts",
            count(
                webhook_deliveries::list_attempts(db, tenant, &all.event, &all.endpoint, 10)
                    .await
                    .unwrap()
                    .is_some(),
            ),
        ),
        ("wallet", count(wallets::find(db, tenant).await.unwrap().is_some())),
        ("transactions", ledger_transactions::list(db, tenant, &page).await.unwrap().rows.len()),
        (
            "charge",
            count(
                ledger_transactions::find_by_scan(db, tenant, TransactionKind::Charge, &all.scan)
                    .await
                    .unwrap()
                    .is_some(),
            ),
        ),
        (
            "spending",
            count(ledger_transactions::spent_by_key(db, tenant, &all.key, "2026-11").await.unwrap() == 150),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_another_account_or_the_other_mode() {
    on_each_database(async |db| {
        let owner = testing::account(&db).await;
        let all = insert_one_of_each(&db, &owner).await;
        for (row, count) in visible_rows(&db, &owner, &owner, &all).await {
            assert_eq!(count, 1, "its owner does not see the {row}");
        }
        for stranger in [testing::other_mode(&owner), testing::account(&db).await] {
            for (row, count) in visible_rows(&db, &stranger, &owner, &all).await {
                assert_eq!(count, 0, "a stranger sees the {row}");
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_changes_another_account_or_the_other_mode() {
    on_each_database(async |db| {
        let owner = testing::account(&db).await;
        let all = insert_one_of_each(&db, &owner).await;
        for stranger in [testing::other_mode(&owner), testing::account(&db).await] {
            db.write(async |txn| {
                let changes = webhook_endpoints::Changes { enabled: Some(false), ..Default::default() };
                let (key, endpoint) = (&all.key, &all.endpoint);
                assert!(!api_keys::revoke(&txn, &stranger, key, NOON).await?);
                assert!(!api_keys::expire_at(&txn, &stranger, key, NOON).await?);
                assert!(!api_keys::set_monthly_cap(&txn, &stranger, key, Some(1)).await?);
                assert!(
                    webhook_endpoints::update(&txn, &stranger, endpoint, &changes, NOON).await?.is_none()
                );
                assert!(!webhook_endpoints::delete(&txn, &stranger, endpoint, NOON).await?);
                assert!(
                    !webhook_endpoints::rotate_secret(&txn, &stranger, endpoint, "mine", NOON, NOON).await?
                );
                let deleted = spaces::delete(&txn, &stranger, &all.space, NOON).await?;
                assert_eq!(deleted, spaces::DeleteOutcome::NotFound);
                Ok::<_, entities::Error>(())
            })
            .await
            .unwrap();
        }
        let key = api_keys::find(&db, &owner, &all.key).await.unwrap().unwrap();
        assert!(key.is_active(NOON) && key.monthly_cap_cents.is_none());
        let endpoint = webhook_endpoints::find(&db, &owner, &all.endpoint).await.unwrap().unwrap();
        assert!(endpoint.enabled && endpoint.secret_ciphertext == "c");
        assert!(spaces::find(&db, &owner, &all.space).await.unwrap().is_some());
    })
    .await;
}
