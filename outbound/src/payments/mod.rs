//! The bank: what the service asks of it, whoever it is.
//!
//! [`simulated::Bank`] behaves as Stripe's test cards do and needs nothing; [`stripe::Client`] is Stripe.
//! Test mode never reaches a configured bank ([`PaymentProviders`]).
//!
//! Three rules for callers. A payment is named by its idempotency key before it is made, so repeating
//! a call never takes money twice. [`PaymentError::Unknown`] is not a failure: the payment may exist,
//! so ask again with the same key, or [`PaymentProvider::fetch`] it. Notifications come late, repeatedly and
//! out of order: take them as a reason to look, and never let one move a finished payment back.

mod providers;
mod settings;
pub mod simulated;
pub mod stripe;
mod types;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use domain::{AccountId, Timestamp};
use http::HeaderMap;

pub use providers::PaymentProviders;
pub use settings::{PaymentSettings, PaymentSettingsError, ProviderKind, SimulatedSettings, StripeSettings};
pub use types::{
    DeclineReason, Lookup, Notification, NotificationError, NotificationKind, Payment, PaymentError,
    PaymentPage, PaymentRequest, PaymentResult, SavedMethod,
};

/// A bank that can charge saved cards.
#[async_trait]
pub trait PaymentProvider: Send + Sync + 'static {
    /// The bank's customer that stands for an account. Keep the answer: a bank remembers for a day
    /// only that it was asked before.
    async fn create_customer(&self, account: &AccountId, email: &str) -> Result<String, PaymentError>;

    /// Saves a payment method with a customer, for payments to come.
    async fn save_method(&self, customer: &str, method: &str) -> Result<SavedMethod, PaymentError>;

    /// Forgets a payment method, so that it cannot be charged again. One that the bank does not have (any more)
    /// is forgotten.
    async fn detach_method(&self, customer: &str, method: &str) -> Result<(), PaymentError>;

    /// Takes money. The same idempotency key is the same payment, however often it is asked for.
    async fn create_payment(&self, request: &PaymentRequest) -> Result<PaymentResult, PaymentError>;

    /// The payment as the bank has it now; `None` when the bank has none by that name.
    async fn fetch(&self, lookup: Lookup<'_>) -> Result<Option<Payment>, PaymentError>;

    /// Every payment made since then, for reconciliation. Start without a cursor.
    async fn list(&self, since: Timestamp, cursor: Option<&str>) -> Result<PaymentPage, PaymentError>;

    /// Reads what the bank has sent to us, after verifying that it was the bank.
    fn parse_notification(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Notification, NotificationError>;
}

/// The bank that the settings name.
pub fn open(settings: &PaymentSettings) -> Result<Arc<dyn PaymentProvider>, PaymentSettingsError> {
    settings.validate()?;
    Ok(match settings.provider {
        ProviderKind::Simulated => {
            let bank = simulated::Bank::open(&settings.simulated)?;
            Arc::new(bank.with_console(settings.console_url.clone()))
        }
        ProviderKind::Stripe => {
            Arc::new(stripe::Client::new(&settings.stripe)?.returning_to(settings.return_url()))
        }
    })
}
