//! Payment providers, behind one trait.
//!
//! [`stripe::Client`] is Stripe. [`simulated::Bank`] behaves like Stripe's test cards and needs no
//! other service. Test mode always uses the simulated bank ([`PaymentProviders`]). The code calls
//! either of them the bank.
//!
//! Callers follow three rules:
//!
//! - A payment has an idempotency key before it is created, so repeating a call never charges
//!   twice.
//! - [`PaymentError::Unknown`] is not a failure: the payment may exist. Repeat the call with the
//!   same key, or [`PaymentProvider::fetch`] the payment.
//! - Notifications arrive late, repeatedly and out of order. Use them as a reason to check, and
//!   never let one change a finished payment.

mod absent;
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

/// A payment provider that can charge saved cards.
#[async_trait]
pub trait PaymentProvider: Send + Sync + 'static {
    /// Creates the bank's customer for an account and returns its id. Store the id: banks keep
    /// idempotency keys only for a day.
    async fn create_customer(&self, account: &AccountId, email: &str) -> Result<String, PaymentError>;

    /// Opens a page of the bank on which a customer enters a card, and returns its URL. The bank sends the
    /// customer back to `return_url`, afterwards with the id of the form as the parameter `card_form`.
    async fn open_card_form(&self, customer: &str, return_url: &str) -> Result<String, PaymentError>;

    /// Returns the payment method that a customer entered in a form. Returns `None` if the form is not
    /// complete, is another customer's or doesn't exist.
    async fn method_of_card_form(&self, customer: &str, form: &str) -> Result<Option<String>, PaymentError>;

    /// Attaches a payment method to a customer for later payments.
    async fn save_method(&self, customer: &str, method: &str) -> Result<SavedMethod, PaymentError>;

    /// Detaches a payment method, so that it cannot be charged again. Succeeds if the bank doesn't
    /// have it.
    async fn detach_method(&self, customer: &str, method: &str) -> Result<(), PaymentError>;

    /// Creates a payment. Repeated calls with the same idempotency key return the same payment.
    async fn create_payment(&self, request: &PaymentRequest) -> Result<PaymentResult, PaymentError>;

    /// Returns the payment as the bank has it now, or `None` if it doesn't exist there.
    async fn fetch(&self, lookup: Lookup<'_>) -> Result<Option<Payment>, PaymentError>;

    /// Lists the payments created since `since`, for reconciliation. The first page has no cursor.
    async fn list(&self, since: Timestamp, cursor: Option<&str>) -> Result<PaymentPage, PaymentError>;

    /// Verifies the signature of a notification and parses it.
    fn parse_notification(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Notification, NotificationError>;
}

/// Opens the configured payment provider, or returns `None` if there is none.
pub fn open(settings: &PaymentSettings) -> Result<Option<Arc<dyn PaymentProvider>>, PaymentSettingsError> {
    settings.validate()?;
    Ok(match settings.provider {
        ProviderKind::None => None,
        ProviderKind::Simulated => {
            let bank = simulated::Bank::open(&settings.simulated)?;
            Some(Arc::new(bank.with_console(settings.console_url.clone())))
        }
        ProviderKind::Stripe => {
            Some(Arc::new(stripe::Client::new(&settings.stripe)?.returning_to(settings.return_url())))
        }
    })
}
