//! Tests of top-ups and grants.

use domain::{Mode, mode::Tenant, page::PageRequest};
use entities::{
    audit_log,
    client::{self, Client},
    ledger_transactions::TransactionKind,
    testing::{self, NOON},
};
use ledger::{Credit, Error, Movement};
use tokio::task::JoinSet;

use crate::fixture::{Owner, on_each_database};

fn credit_of(tenant: &Tenant, cents: i64, reference: &str) -> Credit {
    Credit { tenant: tenant.clone(), cents, free_scans: 0, reference: reference.into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn account_opens_once_with_free_scans_in_both_modes() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        assert!(ledger::wallet(&db, &tenant).await.is_err(), "the wallet is not open yet");
        for _ in 0..2 {
            db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, 3, NOON).await)
                .await
                .unwrap();
        }
        for mode in [Mode::Test, Mode::Live] {
            let tenant = Tenant { account_id: tenant.account_id.clone(), mode };
            let wallet = ledger::wallet(&db, &tenant).await.unwrap();
            assert_eq!((wallet.balance_cents, wallet.free_scans), (0, 3));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_reports_credit_a_top_up_once() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 0, 0).await;
        let mut reports = JoinSet::new();
        for _ in 0..16 {
            let (db, topup) = (db.clone(), credit_of(&owner.tenant, 2500, "ch_1"));
            reports.spawn(async move { ledger::credit(&db, &topup, NOON).await.unwrap() });
        }
        let outcomes = reports.join_all().await;
        assert_eq!(outcomes.iter().filter(|credited| credited.new).count(), 1);
        assert!(outcomes.iter().all(|credited| credited.balance_cents == 2500));
        assert!(ledger::credit(&db, &credit_of(&owner.tenant, 2500, "ch_2"), NOON).await.unwrap().new);
        assert_eq!(owner.money().await, (5000, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_shared_references_and_negative_credits() {
    on_each_database(async |db| {
        let (owner, stranger) = (Owner::new(&db, 0, 0).await, Owner::new(&db, 0, 0).await);
        ledger::credit(&db, &credit_of(&owner.tenant, 2500, "ch_1"), NOON).await.unwrap();
        for taken in [credit_of(&stranger.tenant, 2500, "ch_1"), credit_of(&owner.tenant, 9999, "ch_1")] {
            let refused = ledger::credit(&db, &taken, NOON).await;
            assert!(matches!(refused, Err(Error::ReferenceTaken(_))), "{refused:?}");
        }
        for cents in [0, -1, i64::MIN] {
            let refused = ledger::credit(&db, &credit_of(&owner.tenant, cents, "ch_3"), NOON).await;
            assert!(matches!(refused, Err(Error::Amount(_))));
        }
        let nothing = credit_of(&owner.tenant, 0, "grant");
        assert!(matches!(ledger::grant(&db, &nothing, NOON).await, Err(Error::Amount(0))));
        assert_eq!((owner.money().await, stranger.money().await), ((2500, 0), (0, 0)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn statement_lists_the_effect_of_each_transaction() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 1).await;
        let grant = Credit { free_scans: 2, ..credit_of(&owner.tenant, 50, "gift-1") };
        for new in [true, false] {
            assert_eq!(ledger::grant(&db, &grant, NOON).await.unwrap().new, new);
        }
        let scans = [owner.ready_video().await, owner.ready_video().await];
        for scan in &scans {
            owner.start(scan).await;
        }
        owner.fail(&scans[0]).await;

        let mut lines = Vec::new();
        let mut request = PageRequest { limit: 2, after: None };
        loop {
            let page = ledger::statement(&db, &owner.tenant, &request).await.unwrap();
            lines.extend(page.rows);
            if page.next.is_none() {
                break;
            }
            request.after = page.next;
        }
        let mut movements: Vec<_> = lines
            .iter()
            .map(|line| (line.transaction.kind.as_str(), line.movement.cents, line.movement.free_scans))
            .collect();
        movements.sort_unstable();
        let expected = [
            ("charge", 0, -1),
            ("charge", 0, -1),
            ("grant", 0, 1),
            ("grant", 50, 2),
            ("refund", 0, 1),
            ("topup", 1000, 0),
        ];
        assert_eq!(movements, expected);
        let sum = lines.iter().fold(Movement::default(), |sum, line| Movement {
            cents: sum.cents + line.movement.cents,
            free_scans: sum.free_scans + line.movement.free_scans,
        });
        assert_eq!((sum.cents, sum.free_scans), owner.money().await);
        assert!(lines.iter().all(|line| TransactionKind::ALL.contains(&line.transaction.kind)));
        let other = testing::other_mode(&owner.tenant);
        let theirs = ledger::statement(&db, &other, &PageRequest::default()).await.unwrap();
        assert_eq!(theirs.rows.len(), 1, "the other mode has its own sign-up grant and no more");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_is_in_the_audit_log_once_and_a_top_up_is_not() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 0, 0).await;
        let operator = Client::new(None, Some("scan admin"));
        let granting = async {
            for _ in 0..2 {
                ledger::grant(&db, &credit_of(&owner.tenant, 50, "gift"), NOON).await.unwrap();
            }
            ledger::credit(&db, &credit_of(&owner.tenant, 70, "ch_9"), NOON).await.unwrap();
        };
        client::acting_for(operator, granting).await;
        let log = audit_log::list(&db, &owner.tenant.account_id, None, 10).await.unwrap();
        let [entry] = &log[..] else { panic!("{log:?}") };
        assert_eq!((entry.actor.as_str(), entry.action.as_str()), ("operator", "wallet.granted"));
        assert_eq!(
            (entry.detail["cents"].as_i64(), entry.user_agent.as_deref()),
            (Some(50), Some("scan admin"))
        );
        assert_eq!(entry.client_address, None);
    })
    .await;
}
