//! Removed payment methods are detached at the bank.

use std::time::Duration;

use domain::{Mode, payment::PaymentState};
use entities::{
    OutboxRow, Reader, erasure,
    outbox::{self, Kind},
    payment_methods::{self, NewMethod, SetOutcome},
    testing::on_each_database,
};
use outbound::payments::{PaymentProvider, PaymentProviders};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::payment_fixture::{PaymentFixture, on_card, unreachable_stripe};

impl PaymentFixture {
    async fn remove_method(&self) {
        let removed: entities::Result<bool> =
            self.db.write(async |txn| payment_methods::remove(&txn, &self.tenant, self.now()).await).await;
        assert!(removed.unwrap());
    }

    async fn pending_detachments(&self) -> Vec<OutboxRow> {
        let rows = outbox::Entity::find().filter(outbox::Column::Kind.eq(Kind::MethodDetach.as_str()));
        let rows = rows.all(self.db.conn()).await.unwrap();
        let own = |row: &OutboxRow| row.subject.starts_with(self.tenant.account_id.as_str());
        rows.into_iter().filter(own).collect()
    }

    /// Returns whether the bank would still charge the card.
    async fn can_be_charged(&self, customer: &str, method: &str) -> bool {
        let request = outbound::payments::PaymentRequest {
            idempotency_key: domain::PaymentId::new().to_string(),
            account: self.tenant.account_id.clone(),
            customer: customer.into(),
            payment_method: method.into(),
            amount_cents: 50,
            off_session: true,
        };
        self.bank.create_payment(&request).await.is_ok()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_method_is_detached_once_no_payment_needs_it() {
    on_card("pm_sim_slow", async |fixture, payment| {
        let (customer, method) = (payment.customer.as_str(), payment.method.as_str());
        assert_eq!(fixture.process(&payment).await, PaymentState::Pending);
        fixture.remove_method().await;
        let [entry] = &fixture.pending_detachments().await[..] else { panic!("one outbox entry") };
        let detach = async || activities::detach_method(&fixture.db, &fixture.banks, entry).await;
        // The payment was created before the removal, so it continues, and the card stays attached.
        assert_eq!(detach().await.unwrap(), activities::DetachOutcome::PaymentPending);
        assert!(fixture.can_be_charged(customer, method).await);
        fixture.wait_for_the_bank();
        assert_eq!(fixture.process(&payment).await, PaymentState::Succeeded);
        assert_eq!(fixture.balance().await, 1000);

        // Repeats the detachment, as after a crash before its outbox entry was deleted.
        for _ in 0..2 {
            assert_eq!(detach().await.unwrap(), activities::DetachOutcome::Done);
            assert_eq!(fixture.pending_detachments().await, vec![]);
            assert!(!fixture.can_be_charged(customer, method).await);
        }
        fixture.assert_ledger_balances().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_bank_delays_neither_removal_nor_erasure() {
    let unreachable = unreachable_stripe();
    on_each_database(async |db| {
        let fixture = PaymentFixture::new(&db, Mode::Live, "pm_card_visa").await;
        let known = payment_methods::find(&db, &fixture.tenant).await.unwrap().unwrap();
        let (customer, method) = (known.customer.as_str(), known.method.as_str());
        let detach_with = async |banks: &PaymentProviders| {
            let [entry] = &fixture.pending_detachments().await[..] else { panic!("one outbox entry") };
            activities::detach_method(&db, banks, entry).await
        };
        fixture.remove_method().await;
        assert!(detach_with(&unreachable).await.is_err());
        assert_eq!(payment_methods::find(&db, &fixture.tenant).await.unwrap(), None);
        detach_with(&fixture.banks).await.unwrap();
        assert!(!fixture.can_be_charged(customer, method).await);

        fixture.set_up("pm_card_visa").await;
        assert!(fixture.can_be_charged(customer, method).await, "the method was saved again");
        let (account, now) = (&fixture.tenant.account_id, fixture.now());
        let erased: entities::Result<bool> = db
            .write(async |txn| {
                assert!(erasure::close(&txn, account, now).await?);
                assert_eq!(erasure::settle(&txn, account, now).await?, 0);
                erasure::erase(&txn, account, now).await
            })
            .await;
        assert!(erased.unwrap());
        assert!(detach_with(&unreachable).await.is_err());
        detach_with(&fixture.banks).await.unwrap();
        assert!(!fixture.can_be_charged(customer, method).await);
        assert_eq!(fixture.pending_detachments().await, vec![]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn method_can_be_set_again_unless_it_is_being_detached() {
    on_each_database(async |db| {
        let fixture = PaymentFixture::new(&db, Mode::Live, "pm_card_visa").await;
        let known = payment_methods::find(&db, &fixture.tenant).await.unwrap().unwrap();
        let new = NewMethod {
            customer: known.customer.clone(),
            method: known.method.clone(),
            brand: known.brand.clone(),
            last4: known.last4.clone(),
        };
        let set = async |method: &str| {
            let new = NewMethod { method: method.into(), ..new.clone() };
            let set: entities::Result<SetOutcome> = db
                .write(async |txn| payment_methods::set(&txn, &fixture.tenant, &new, fixture.now()).await)
                .await;
            set.unwrap() == SetOutcome::Set
        };
        fixture.remove_method().await;
        assert!(set(&known.method).await);
        assert_eq!(fixture.pending_detachments().await, vec![], "the detachment had not begun");
        // Setting another method has the same effect.
        assert!(set("pm_sim_slow").await);
        let claimed = outbox::claim_due(&db, Kind::MethodDetach, 10, fixture.now(), Duration::from_secs(60))
            .await
            .unwrap();
        let [entry] = &claimed[..] else { panic!("{claimed:?}") };
        assert!(!set(&known.method).await, "the method is being detached");
        activities::detach_method(&db, &fixture.banks, entry).await.unwrap();
        assert!(!fixture.can_be_charged(&known.customer, &known.method).await);
        assert!(set(&known.method).await);
        // A late detachment of a method that is in use changes nothing.
        fixture.bank.save_method(&known.customer, &known.method).await.unwrap();
        activities::detach_method(&db, &fixture.banks, entry).await.unwrap();
        assert!(fixture.can_be_charged(&known.customer, &known.method).await);
    })
    .await;
}
