//! Methods that were removed, until the bank has forgotten them.

use std::time::Duration;

use domain::{Mode, payment::PaymentState};
use entities::{
    OutboxRow, Reader, erasure,
    outbox::{self, Kind},
    payment_methods::{self, NewMethod, SetOutcome},
    testing::on_each_database,
};
use outbound::payments::{Banks, Payments};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::town::{Town, on_card, stripe_away};

impl Town {
    async fn remove_method(&self) {
        let removed: entities::Result<bool> =
            self.db.write(async |txn| payment_methods::remove(&txn, &self.tenant, self.now()).await).await;
        assert!(removed.unwrap());
    }

    async fn to_detach(&self) -> Vec<OutboxRow> {
        let rows = outbox::Entity::find().filter(outbox::Column::Kind.eq(Kind::MethodDetach.as_str()));
        let rows = rows.all(self.db.conn()).await.unwrap();
        let own = |row: &OutboxRow| row.subject.starts_with(self.tenant.account_id.as_str());
        rows.into_iter().filter(own).collect()
    }

    /// Whether the bank would still take money from the card.
    async fn is_charged_for(&self, customer: &str, method: &str) -> bool {
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
async fn a_removed_method_is_detached_when_no_payment_awaits_it() {
    on_card("pm_sim_slow", async |town, payment| {
        let (customer, method) = (payment.customer.as_str(), payment.method.as_str());
        assert_eq!(town.ask(&payment).await, PaymentState::Pending);
        town.remove_method().await;
        let [promise] = &town.to_detach().await[..] else { panic!("one promise") };
        let keep = async || activities::detach_method(&town.db, &town.banks, promise).await;
        // The payment was decided on before, so it goes on, and the card with it.
        assert!(matches!(keep().await, Err(activities::DetachError::PaymentPending)));
        assert!(town.is_charged_for(customer, method).await);
        town.wait_for_the_bank();
        assert_eq!(town.ask(&payment).await, PaymentState::Succeeded);
        assert_eq!(town.balance().await, 1000);

        // As after a crash between detaching and forgetting: it may be kept again.
        for _ in 0..2 {
            keep().await.unwrap();
            assert_eq!(town.to_detach().await, vec![]);
            assert!(!town.is_charged_for(customer, method).await);
        }
        town.check_books().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bank_that_is_away_holds_up_neither_removal_nor_erasure() {
    let away = stripe_away();
    on_each_database(async |db| {
        let town = Town::new(&db, Mode::Live, "pm_card_visa").await;
        let known = payment_methods::find(&db, &town.tenant).await.unwrap().unwrap();
        let (customer, method) = (known.customer.as_str(), known.method.as_str());
        let at_the_bank = async |banks: &Banks| {
            let [promise] = &town.to_detach().await[..] else { panic!("one promise") };
            activities::detach_method(&db, banks, promise).await
        };
        town.remove_method().await;
        assert!(at_the_bank(&away).await.is_err());
        assert_eq!(payment_methods::find(&db, &town.tenant).await.unwrap(), None);
        at_the_bank(&town.banks).await.unwrap();
        assert!(!town.is_charged_for(customer, method).await);

        town.set_up("pm_card_visa").await;
        assert!(town.is_charged_for(customer, method).await, "it was saved again");
        let (account, now) = (&town.tenant.account_id, town.now());
        let erased: entities::Result<bool> = db
            .write(async |txn| {
                assert!(erasure::close(&txn, account, now).await?);
                assert_eq!(erasure::settle(&txn, account, now).await?, 0);
                erasure::erase(&txn, account, now).await
            })
            .await;
        assert!(erased.unwrap());
        assert!(at_the_bank(&away).await.is_err());
        at_the_bank(&town.banks).await.unwrap();
        assert!(!town.is_charged_for(customer, method).await);
        assert_eq!(town.to_detach().await, vec![]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_method_that_is_set_again_stays_unless_the_bank_may_be_forgetting_it() {
    on_each_database(async |db| {
        let town = Town::new(&db, Mode::Live, "pm_card_visa").await;
        let known = payment_methods::find(&db, &town.tenant).await.unwrap().unwrap();
        let new = NewMethod {
            customer: known.customer.clone(),
            method: known.method.clone(),
            brand: known.brand.clone(),
            last4: known.last4.clone(),
        };
        let set = async |method: &str| {
            let new = NewMethod { method: method.into(), ..new.clone() };
            let set: entities::Result<SetOutcome> =
                db.write(async |txn| payment_methods::set(&txn, &town.tenant, &new, town.now()).await).await;
            set.unwrap() == SetOutcome::Set
        };
        town.remove_method().await;
        assert!(set(&known.method).await);
        assert_eq!(town.to_detach().await, vec![], "nobody had begun");
        // Set in its place, another one does the same.
        assert!(set("pm_sim_slow").await);
        let claimed = outbox::claim_due(&db, 10, town.now(), Duration::from_secs(60)).await.unwrap();
        let [promise] = &claimed[..] else { panic!("{claimed:?}") };
        assert!(!set(&known.method).await, "someone is at the bank with it");
        activities::detach_method(&db, &town.banks, promise).await.unwrap();
        assert!(!town.is_charged_for(&known.customer, &known.method).await);
        assert!(set(&known.method).await);
        // What came too late for a method that is in use changes nothing.
        town.bank.save_method(&known.customer, &known.method).await.unwrap();
        activities::detach_method(&db, &town.banks, promise).await.unwrap();
        assert!(town.is_charged_for(&known.customer, &known.method).await);
    })
    .await;
}
