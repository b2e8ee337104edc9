//! Crashes in operations that move money.

use domain::{event::EventType, money::Cents, payment::PaymentState};
use entities::{audit_log, ledger_transactions::TransactionKind, outbox::Kind, scans};
use harness::{Operation, TestBackend, operations::CENTS};

use crate::crash_fixture::{AUTO_RECHARGE_CENTS, CrashFixture, at_every_line};

/// Price of a video scan.
const PRICE: Cents = 150;

/// Checks that a charge is complete or absent.
async fn check_charge(
    fixture: &CrashFixture,
    operation: &Operation,
    before: (Cents, i64),
    after: (Cents, i64),
) -> bool {
    let Operation::Start(scan) = operation else { panic!("{operation:?}") };
    let row = scans::find(&fixture.backend.db, &fixture.tenant, scan).await.unwrap().unwrap();
    let done = row.started_at.is_some();
    assert_eq!(fixture.balance().await, if done { after } else { before });
    assert_eq!(fixture.count_transactions(TransactionKind::Charge).await, usize::from(done));
    assert_eq!(fixture.has_outbox_entry(Kind::ScanStart, scan.as_str()).await, done);
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn charge_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 1_000, 0).await;
        let operation = Operation::Start(fixture.create_scan().await.id.0);
        (fixture, operation)
    };
    at_every_line(
        set_up,
        async |fixture, operation| check_charge(fixture, operation, (1_000, 0), (850, 0)).await,
        10,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn free_scan_charge_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 0, 1).await;
        let operation = Operation::Start(fixture.create_scan().await.id.0);
        (fixture, operation)
    };
    at_every_line(
        set_up,
        async |fixture, operation| check_charge(fixture, operation, (0, 1), (0, 0)).await,
        10,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn charge_with_a_top_up_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, PRICE, 0).await.with_card("pm_card_visa", 100).await;
        let operation = Operation::Start(fixture.create_scan().await.id.0);
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let done = check_charge(fixture, operation, (PRICE, 0), (0, 0)).await;
        check_top_up(fixture, done).await;
        done
    };
    at_every_line(set_up, check, 12).await;
}

/// Checks that there is one automatic top-up with its outbox entry, or none.
async fn check_top_up(fixture: &CrashFixture, done: bool) {
    let payments = fixture.payments().await;
    assert_eq!(payments.len(), usize::from(done));
    for payment in &payments {
        assert_eq!((payment.state.0, payment.amount_cents), (PaymentState::Pending, AUTO_RECHARGE_CENTS));
        assert!(fixture.has_outbox_entry(Kind::Payment, payment.id.as_str()).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_start_with_a_top_up_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 100, 0).await.with_card("pm_card_visa", 0).await;
        let operation = Operation::Start(fixture.create_scan().await.id.0);
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, _: &Operation| {
        assert_eq!(
            (fixture.balance().await, fixture.count_transactions(TransactionKind::Charge).await),
            ((100, 0), 0)
        );
        let done = !fixture.payments().await.is_empty();
        check_top_up(fixture, done).await;
        done
    };
    at_every_line(set_up, check, 8).await;
}

/// Crashes during the refund of a scan that was paid from this balance.
async fn assert_refund_survives_crashes(cents: Cents, free_scans: u32) {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, cents, free_scans).await;
        let scan = fixture.create_scan().await.id.0;
        Operation::Start(scan.clone()).run(backend).await.unwrap();
        (fixture, Operation::Fail(scan))
    };
    let before = if free_scans > 0 { (cents, i64::from(free_scans) - 1) } else { (cents - PRICE, 0) };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let Operation::Fail(scan) = operation else { panic!("{operation:?}") };
        let row = scans::find(&fixture.backend.db, &fixture.tenant, scan).await.unwrap().unwrap();
        let done = row.refunded;
        assert_eq!(row.status.0 == domain::ScanStatus::Failed, done);
        assert_eq!(fixture.balance().await, if done { (cents, i64::from(free_scans)) } else { before });
        assert_eq!(fixture.count_transactions(TransactionKind::Refund).await, usize::from(done));
        assert_eq!(fixture.count_events(EventType::ScanFailed).await, usize::from(done));
        done
    };
    at_every_line(set_up, check, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refund_survives_crashes() {
    assert_refund_survives_crashes(1_000, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn free_scan_refund_survives_crashes() {
    assert_refund_survives_crashes(0, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn creating_a_top_up_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 0, 0).await.with_card("pm_card_visa", 0).await;
        let operation = Operation::TopUp(fixture.tenant.clone());
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, _: &Operation| {
        let payments = fixture.payments().await;
        assert!(payments.len() <= 1);
        for payment in &payments {
            assert!(
                fixture.has_outbox_entry(Kind::Payment, payment.id.as_str()).await,
                "the top-up can still be processed"
            );
        }
        !payments.is_empty()
    };
    at_every_line(set_up, check, 5).await;
}

/// Crashes during a payment with this card.
async fn assert_payment_survives_crashes(card: &str, refused: bool) {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 0, 0).await.with_card(card, 0).await;
        let scan = fixture.create_scan().await;
        Operation::Start(scan.id.0).run(backend).await.unwrap();
        let payment = fixture.payments().await.remove(0);
        (fixture, Operation::Pay(payment.id.0))
    };
    let check = async |fixture: &CrashFixture, _: &Operation| {
        let payment = fixture.payments().await.remove(0);
        let done = payment.state.0 != PaymentState::Pending;
        let credited = if done && !refused { AUTO_RECHARGE_CENTS } else { 0 };
        assert_eq!(fixture.balance().await, (credited, 0));
        assert_eq!(fixture.count_transactions(TransactionKind::Topup).await, usize::from(credited > 0));
        // Charged, but not credited yet: the outbox entry exists, so it will be.
        let charged = fixture.charged_by_bank().await;
        assert!(
            charged == credited || (charged == AUTO_RECHARGE_CENTS && !done && !refused),
            "the bank charged {charged}"
        );
        assert_eq!(fixture.has_outbox_entry(Kind::Payment, payment.id.as_str()).await, !done);
        let notified = done && refused;
        assert_eq!(fixture.count_events(EventType::WalletAutoRechargeFailed).await, usize::from(notified));
        assert_eq!(fixture.has_outbox_entry(Kind::RechargeMail, payment.id.as_str()).await, notified);
        let wallet = ledger::wallet(&fixture.backend.db, &fixture.tenant).await.unwrap();
        assert_eq!(wallet.auto_recharge.unwrap().enabled, !notified);
        done
    };
    at_every_line(set_up, check, 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn succeeding_payment_survives_crashes() {
    assert_payment_survives_crashes("pm_card_visa", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn declined_payment_survives_crashes() {
    assert_payment_survives_crashes("pm_card_visa_chargeDeclined", true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn grant_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 0, 0).await;
        let operation = Operation::Grant(fixture.tenant.clone());
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, _: &Operation| {
        let money = fixture.balance().await;
        assert!([(0, 0), (CENTS, 1)].contains(&money), "{money:?}");
        money != (0, 0)
    };
    at_every_line(set_up, check, 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn adjustment_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, CENTS, 0).await;
        let operation = Operation::Adjust(fixture.tenant.clone());
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, _: &Operation| {
        let (money, adjustments) =
            (fixture.balance().await, fixture.count_transactions(TransactionKind::Adjustment).await);
        let log = audit_log::list(&fixture.backend.db, &fixture.tenant.account_id, None, 9).await.unwrap();
        assert!([((CENTS, 0), 0, 0), ((0, 0), 1, 1)].contains(&(money, adjustments, log.len())), "{money:?}");
        adjustments > 0
    };
    at_every_line(set_up, check, 6).await;
}
