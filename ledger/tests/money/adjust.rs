//! Tests of corrections by an operator.

use domain::{Timestamp, mode::Tenant, money::Cents, page::PageRequest};
use entities::{
    Db, audit_log,
    ledger_transactions::{self, TransactionKind},
    testing::{NOON, on_each_database},
};
use ledger::{Adjusted, Adjustment, Credited, Error};
use tokio::task::JoinSet;

use crate::fixture::Owner;

fn correction(tenant: &Tenant, cents: Cents, reference: &str) -> Adjustment {
    let (reason, reference) = ("dispute lost".to_owned(), reference.to_owned());
    Adjustment { tenant: tenant.clone(), cents, reason, reference, may_overdraw: false }
}

async fn adjust(db: &Db, adjustment: &Adjustment) -> Adjusted {
    ledger::adjust(db, adjustment, NOON).await.unwrap()
}

async fn adjust_concurrently(db: &Db, adjustments: impl IntoIterator<Item = Adjustment>) -> Vec<Adjusted> {
    let mut tasks = JoinSet::new();
    for adjustment in adjustments {
        let db = db.clone();
        tasks.spawn(async move { adjust(&db, &adjustment).await });
    }
    tasks.join_all().await
}

fn done(new: bool, balance_cents: Cents) -> Adjusted {
    Adjusted::Done(Credited { new, balance_cents, free_scans: 0 })
}

async fn assert_corrections(db: &Db, tenant: &Tenant, corrections: usize) {
    assert_eq!(ledger::verify(db).await.unwrap().defects, Vec::<String>::new());
    let rows = ledger_transactions::list(db, tenant, &PageRequest::default()).await.unwrap().rows;
    assert_eq!(rows.iter().filter(|row| row.kind.0 == TransactionKind::Adjustment).count(), corrections);
    let log = audit_log::list(db, &tenant.account_id, None, 99).await.unwrap();
    assert_eq!(log.iter().filter(|entry| entry.action == "wallet.adjusted").count(), corrections);
}

#[tokio::test(flavor = "multi_thread")]
async fn corrections_apply_once_and_keep_the_reason() {
    on_each_database(async |db| {
        let Owner { tenant, .. } = Owner::new(&db, 1_000, 0).await;
        assert_eq!(adjust(&db, &correction(&tenant, 250, "a")).await, done(true, 1_250));
        assert_eq!(adjust(&db, &correction(&tenant, -1_100, "b")).await, done(true, 150));
        for (cents, reference) in [(250, "a"), (-1_100, "b")] {
            assert_eq!(adjust(&db, &correction(&tenant, cents, reference)).await, done(false, 150));
        }
        assert_corrections(&db, &tenant, 2).await;
        let log = audit_log::list(&db, &tenant.account_id, None, 9).await.unwrap();
        let entry =
            log.iter().find(|entry| entry.action == "wallet.adjusted").expect("an entry of the correction");
        let detail = serde_json::json!({ "cents": -1_100, "reason": "dispute lost", "reference": "b" });
        assert_eq!((entry.actor.as_str(), &entry.detail.0), ("operator", &detail));

        // The month's statement lists corrections separately.
        let month = Timestamp::month_span("2026-11").unwrap();
        let statement = ledger::monthly_statement(&db, &tenant, month).await.unwrap();
        assert_eq!(statement.movements["adjustment"].cents, -850);
        assert_eq!(statement.closing.cents, 150);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reference_belongs_to_one_correction() {
    on_each_database(async |db| {
        let (owner, other) = (Owner::new(&db, 1_000, 0).await, Owner::new(&db, 1_000, 0).await);
        adjust(&db, &correction(&owner.tenant, 100, "a")).await;
        for wrong in [
            correction(&owner.tenant, 101, "a"),
            correction(&owner.tenant, -100, "a"),
            correction(&other.tenant, 100, "a"),
        ] {
            let refused = ledger::adjust(&db, &wrong, NOON).await;
            assert!(matches!(refused, Err(Error::ReferenceTaken(_))), "{refused:?}");
        }
        for cents in [0, i64::MIN, i64::MAX] {
            let refused = ledger::adjust(&db, &correction(&owner.tenant, cents, "c"), NOON).await;
            assert!(matches!(refused, Err(Error::Amount(_))), "{refused:?}");
        }
        assert_corrections(&db, &owner.tenant, 1).await;
        assert_corrections(&db, &other.tenant, 0).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn negative_balance_requires_permission() {
    on_each_database(async |db| {
        let Owner { tenant, .. } = Owner::new(&db, 100, 0).await;
        let overdraft = correction(&tenant, -101, "a");
        assert_eq!(adjust(&db, &overdraft).await, Adjusted::WouldOverdraw { balance_cents: 100 });
        assert_corrections(&db, &tenant, 0).await;
        let permitted = Adjustment { may_overdraw: true, ..overdraft };
        assert_eq!(adjust(&db, &permitted).await, done(true, -1));
        // A repeated correction needs no second permission, and a correction towards zero is always
        // allowed.
        assert_eq!(adjust(&db, &correction(&tenant, -101, "a")).await, done(false, -1));
        assert_eq!(adjust(&db, &correction(&tenant, 1, "b")).await, done(true, 0));
        assert_corrections(&db, &tenant, 2).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_corrections_never_overdraw() {
    on_each_database(async |db| {
        let Owner { tenant, .. } = Owner::new(&db, 1_000, 0).await;
        let outcomes = adjust_concurrently(&db, vec![correction(&tenant, -100, "same"); 8]).await;
        let new = |outcome: &&Adjusted| matches!(outcome, Adjusted::Done(Credited { new: true, .. }));
        assert_eq!(outcomes.iter().filter(new).count(), 1);
        let outcomes =
            adjust_concurrently(&db, (0..12).map(|n| correction(&tenant, -100, &format!("{n}")))).await;
        assert_eq!(outcomes.iter().filter(new).count(), 9);
        let refused = |o: &&Adjusted| **o == Adjusted::WouldOverdraw { balance_cents: 0 };
        assert_eq!(outcomes.iter().filter(refused).count(), 3);
        assert_corrections(&db, &tenant, 10).await;
    })
    .await;
}
