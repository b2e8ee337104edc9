//! Tests that a notification is accepted only for the mode of the provider that signed it.

use std::sync::Arc;

use domain::{AccountId, Mode, Secret, Timestamp};
use http::HeaderMap;
use outbound::payments::{
    NotificationError, PaymentProvider, PaymentProviders, PaymentRequest, PaymentSettings, SimulatedSettings,
    simulated::Bank,
};

fn bank(secret: &str) -> Bank {
    let settings =
        SimulatedSettings { notification_secret: Secret::new(secret), ..SimulatedSettings::default() };
    Bank::open(&settings).unwrap()
}

async fn pay(bank: &Bank) {
    let request = PaymentRequest {
        idempotency_key: "pay_1".into(),
        account: AccountId::new(),
        customer: "cus_1".into(),
        payment_method: "pm_card_visa".into(),
        amount_cents: 500,
        off_session: false,
    };
    bank.create_payment(&request).await.unwrap();
}

#[tokio::test]
async fn notifications_are_accepted_only_for_the_mode_of_their_provider() {
    let (live, test) = (bank("whsec_of_the_live_bank"), bank("whsec_of_the_test_bank"));
    let banks = PaymentProviders::new(Arc::new(live.clone()), test.clone());
    for (sender, mode) in [(&live, Mode::Live), (&test, Mode::Test)] {
        pay(sender).await;
        let delivery = sender.due().await.unwrap().remove(0);
        let now = Timestamp::now();
        let (_, modes) = banks.parse_notification(&delivery.headers, &delivery.body, now).unwrap();
        assert_eq!(modes, [mode]);
        let unsigned = banks.parse_notification(&HeaderMap::new(), &delivery.body, now);
        assert_eq!(unsigned.unwrap_err(), NotificationError::Unsigned);
    }
    // One provider for both modes signs for both.
    let shared = PaymentProviders::new(Arc::new(test.clone()), test.clone());
    let delivery = test.due().await.unwrap().remove(0);
    let (_, modes) = shared.parse_notification(&delivery.headers, &delivery.body, Timestamp::now()).unwrap();
    assert_eq!(modes, [Mode::Live, Mode::Test]);

    let unknown_bank = bank("whsec_of_nobody");
    pay(&unknown_bank).await;
    let delivery = unknown_bank.due().await.unwrap().remove(0);
    let rejected = banks.parse_notification(&delivery.headers, &delivery.body, Timestamp::now()).unwrap_err();
    assert!(matches!(rejected, NotificationError::Signature(_)), "{rejected:?}");
}

#[tokio::test]
async fn live_mode_takes_no_payments_unless_a_provider_is_configured() {
    let banks = PaymentProviders::open(&PaymentSettings::default()).unwrap();
    assert!(banks.takes_payments(Mode::Test) && !banks.takes_payments(Mode::Live));
    let refused = banks.of(Mode::Live).create_customer(&AccountId::new(), "ann@example.com").await;
    assert!(refused.unwrap_err().retryable(), "a configured provider could take the payment later");
    banks.of(Mode::Test).create_customer(&AccountId::new(), "ann@example.com").await.unwrap();
}
