//! Everything that moves money.

use domain::{event::EventType, money::Cents, payment::PaymentState};
use entities::{audit_log, ledger_transactions::TransactionKind, outbox::Kind, scans};
use tests::money::{CENTS, Deed, Town};

use crate::scene::{AUTO, Scene, at_every_line};

const VIDEO: Cents = 150;

/// All of a charge, or nothing of it.
async fn charged(scene: &Scene, deed: &Deed, before: (Cents, i64), after: (Cents, i64)) -> bool {
    let Deed::Start(scan) = deed else { panic!("{deed:?}") };
    let row = scans::find(&scene.town.db, &scene.tenant, scan).await.unwrap().unwrap();
    let done = row.started_at.is_some();
    assert_eq!(scene.money().await, if done { after } else { before });
    assert_eq!(scene.count(TransactionKind::Charge).await, usize::from(done));
    assert_eq!(scene.promised(Kind::ScanStart, scan.as_str()).await, done);
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 1_000, 0).await;
        let deed = Deed::Start(scene.scan().await.id.0);
        (scene, deed)
    };
    at_every_line(set, async |scene, deed| charged(scene, deed, (1_000, 0), (850, 0)).await, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_of_a_free_scan() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 0, 1).await;
        let deed = Deed::Start(scene.scan().await.id.0);
        (scene, deed)
    };
    at_every_line(set, async |scene, deed| charged(scene, deed, (0, 1), (0, 0)).await, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_that_calls_for_a_top_up() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, VIDEO, 0).await.with_card("pm_card_visa", 100).await;
        let deed = Deed::Start(scene.scan().await.id.0);
        (scene, deed)
    };
    let check = async |scene: &Scene, deed: &Deed| {
        let done = charged(scene, deed, (VIDEO, 0), (0, 0)).await;
        one_promised(scene, done).await;
        done
    };
    at_every_line(set, check, 12).await;
}

/// One automatic top-up is decided on and promised, or none.
async fn one_promised(scene: &Scene, done: bool) {
    let payments = scene.payments().await;
    assert_eq!(payments.len(), usize::from(done));
    for payment in &payments {
        assert_eq!((payment.state.0, payment.amount_cents), (PaymentState::Pending, AUTO));
        assert!(scene.promised(Kind::Payment, payment.id.as_str()).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_start_that_calls_for_a_top_up() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 100, 0).await.with_card("pm_card_visa", 0).await;
        let deed = Deed::Start(scene.scan().await.id.0);
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| {
        assert_eq!((scene.money().await, scene.count(TransactionKind::Charge).await), ((100, 0), 0));
        let done = !scene.payments().await.is_empty();
        one_promised(scene, done).await;
        done
    };
    at_every_line(set, check, 8).await;
}

/// A refund of a scan that was paid so.
async fn refund(cents: Cents, free_scans: u32) {
    let set = async |town: &Town| {
        let scene = Scene::new(town, cents, free_scans).await;
        let scan = scene.scan().await.id.0;
        town.perform(&Deed::Start(scan.clone())).await.unwrap();
        (scene, Deed::Fail(scan))
    };
    let before = if free_scans > 0 { (cents, i64::from(free_scans) - 1) } else { (cents - VIDEO, 0) };
    let check = async |scene: &Scene, deed: &Deed| {
        let Deed::Fail(scan) = deed else { panic!("{deed:?}") };
        let row = scans::find(&scene.town.db, &scene.tenant, scan).await.unwrap().unwrap();
        let done = row.refunded;
        assert_eq!(row.status.0 == domain::ScanStatus::Failed, done);
        assert_eq!(scene.money().await, if done { (cents, i64::from(free_scans)) } else { before });
        assert_eq!(scene.count(TransactionKind::Refund).await, usize::from(done));
        assert_eq!(scene.events(EventType::ScanFailed).await, usize::from(done));
        done
    };
    at_every_line(set, check, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund() {
    refund(1_000, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_a_free_scan() {
    refund(0, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_top_up_that_is_decided_on() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 0, 0).await.with_card("pm_card_visa", 0).await;
        let deed = Deed::TopUp(scene.tenant.clone());
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| {
        let payments = scene.payments().await;
        assert!(payments.len() <= 1);
        for payment in &payments {
            assert!(scene.promised(Kind::Payment, payment.id.as_str()).await, "its name is not stuck");
        }
        !payments.is_empty()
    };
    at_every_line(set, check, 5).await;
}

/// The bank is asked for a payment with this card.
async fn payment(card: &str, refused: bool) {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 0, 0).await.with_card(card, 0).await;
        let scan = scene.scan().await;
        town.perform(&Deed::Start(scan.id.0)).await.unwrap();
        let payment = scene.payments().await.remove(0);
        (scene, Deed::Pay(payment.id.0))
    };
    let check = async |scene: &Scene, _: &Deed| {
        let payment = scene.payments().await.remove(0);
        let done = payment.state.0 != PaymentState::Pending;
        let credited = if done && !refused { AUTO } else { 0 };
        assert_eq!(scene.money().await, (credited, 0));
        assert_eq!(scene.count(TransactionKind::Topup).await, usize::from(credited > 0));
        // Taken and not credited yet: the promise stands, so it will be.
        let taken = scene.taken().await;
        assert!(taken == credited || (taken == AUTO && !done && !refused), "the bank took {taken}");
        assert_eq!(scene.promised(Kind::Payment, payment.id.as_str()).await, !done);
        let told = done && refused;
        assert_eq!(scene.events(EventType::WalletAutoRechargeFailed).await, usize::from(told));
        assert_eq!(scene.promised(Kind::RechargeMail, payment.id.as_str()).await, told);
        let wallet = ledger::wallet(&scene.town.db, &scene.tenant).await.unwrap();
        assert_eq!(wallet.auto_recharge.unwrap().enabled, !told);
        done
    };
    at_every_line(set, check, 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_succeeds() {
    payment("pm_card_visa", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_is_declined() {
    payment("pm_card_visa_chargeDeclined", true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gift() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 0, 0).await;
        let deed = Deed::Grant(scene.tenant.clone());
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| {
        let money = scene.money().await;
        assert!([(0, 0), (CENTS, 1)].contains(&money), "{money:?}");
        money != (0, 0)
    };
    at_every_line(set, check, 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correction() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, CENTS, 0).await;
        let deed = Deed::Adjust(scene.tenant.clone());
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| {
        let (money, taken) = (scene.money().await, scene.count(TransactionKind::Adjustment).await);
        let log = audit_log::list(&scene.town.db, &scene.tenant.account_id, None, 9).await.unwrap();
        assert!([((CENTS, 0), 0, 0), ((0, 0), 1, 1)].contains(&(money, taken, log.len())), "{money:?}");
        taken > 0
    };
    at_every_line(set, check, 6).await;
}
