//! Tests of the ledger's invariants: entries cannot be changed, and violations are found.

use entities::{Db, Reader, testing};
use sea_orm::ConnectionTrait;

use crate::fixture::{Owner, check_invariants, on_each_database};

async fn run(db: &Db, statement: &str) -> Result<u64, sea_orm::DbErr> {
    Ok(db.conn().execute_unprepared(statement).await?.rows_affected())
}

#[tokio::test(flavor = "multi_thread")]
async fn database_refuses_to_change_or_delete_entries() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 1).await;
        let scan = owner.ready_video().await;
        owner.start(&scan).await;
        let mut statements = vec![
            "UPDATE ledger_transactions SET amount_cents = 1",
            "UPDATE ledger_entries SET amount = amount * 2",
            "UPDATE ledger_entries SET ledger_account = 'mine'",
            "DELETE FROM ledger_entries",
            "DELETE FROM ledger_transactions",
        ];
        if db.backend() == sea_orm::DbBackend::Postgres {
            statements.extend(["TRUNCATE ledger_entries", "TRUNCATE ledger_transactions CASCADE"]);
        }
        for statement in statements {
            let refused = run(&db, statement).await.expect_err(statement).to_string();
            assert!(refused.contains("append-only"), "{statement}: {refused}");
        }
        assert_eq!(owner.money().await, (1000, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_every_kind_of_violation() {
    testing::on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 0).await;
        let (running, failed) = (owner.ready_video().await, owner.ready_video().await);
        owner.start(&running).await;
        owner.start(&failed).await;
        owner.fail(&failed).await;
        check_invariants(&db).await;

        let account = &owner.tenant.account_id;
        let insert = |id: &str, kind: &str, cents: i64, scan: &str| {
            format!(
                "INSERT INTO ledger_transactions \
                 (id, account_id, livemode, kind, scan_id, month, amount_cents, created_at) \
                 VALUES ('{id}', '{account}', FALSE, '{kind}', {scan}, '2026-11', {cents}, 0)"
            )
        };
        let waiting = owner.ready_video().await;
        // Appended violations stay, so each is identified by its description.
        let violations = [
            ("UPDATE wallets SET balance_cents = balance_cents + 1".to_owned(), "balance"),
            ("UPDATE wallets SET free_scans = free_scans + 1".to_owned(), "free scans"),
            (format!("UPDATE scans SET price_cents = 1 WHERE id = '{running}'"), "a charge of another price"),
            (format!("UPDATE scans SET refunded = FALSE WHERE id = '{failed}'"), "refund flag contradicts"),
            (insert("txn_a", "topup", 5, "NULL"), "without entries"),
            (insert("txn_b", "refund", 5, &format!("'{waiting}'")), "refund that differs from its charge"),
            (
                format!(
                    "INSERT INTO payments (id, account_id, livemode, kind, state, amount_cents, customer, method, \
                     created_at, updated_at) VALUES ('pay_a', '{account}', FALSE, 'top_up', 'succeeded', 5, 'c', 'm', 0, 0)"
                ),
                "paid without a credit",
            ),
            (
                "INSERT INTO ledger_entries (transaction_id, ledger_account, commodity, amount) \
                 VALUES ('txn_a', 'bank:test', 'usd_cents', 5)"
                    .to_owned(),
                "do not sum to zero",
            ),
        ];
        for (statement, description) in violations {
            let found = async || {
                let audit = ledger::verify(&db).await.unwrap();
                audit.defects.iter().any(|defect| defect.contains(description))
            };
            assert!(!found().await, "{description} before {statement}");
            assert!(run(&db, &statement).await.unwrap() > 0);
            assert!(found().await, "{description} after {statement}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn database_refuses_second_charge_or_refund_and_negative_free_scans() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 0).await;
        let scan = owner.ready_video().await;
        owner.start(&scan).await;
        let account = &owner.tenant.account_id;
        let second_charge = format!(
            "INSERT INTO ledger_transactions \
             (id, account_id, livemode, kind, scan_id, month, amount_cents, created_at) \
             VALUES ('txn_x', '{account}', FALSE, 'charge', '{scan}', '2026-11', 150, 0)"
        );
        assert!(run(&db, &second_charge).await.is_err());
        assert!(run(&db, "UPDATE wallets SET free_scans = -1").await.is_err());
    })
    .await;
}

/// Checks [`on_each_database`] itself: a test that leaves the ledger inconsistent fails.
#[tokio::test(flavor = "multi_thread")]
#[should_panic(expected = "wallet whose balance is not the sum of its entries")]
async fn test_with_an_inconsistent_ledger_fails() {
    on_each_database(async |db| {
        Owner::new(&db, 1000, 0).await;
        assert!(run(&db, "UPDATE wallets SET balance_cents = balance_cents + 1").await.unwrap() > 0);
    })
    .await;
}
