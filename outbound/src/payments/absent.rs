//! Live mode without a payment provider.

use async_trait::async_trait;
use domain::{AccountId, Timestamp};
use http::HeaderMap;

use super::{
    Lookup, Notification, NotificationError, Payment, PaymentError, PaymentPage, PaymentProvider,
    PaymentRequest, PaymentResult, SavedMethod,
};

/// Refuses every call without an effect. Calls may be repeated: a payment that was decided upon while a
/// provider was configured waits until there is one again.
#[derive(Debug)]
pub(super) struct Absent;

impl Absent {
    fn refuse<T>() -> Result<T, PaymentError> {
        Err(PaymentError::Busy("live mode has no payment provider".into()))
    }
}

#[async_trait]
impl PaymentProvider for Absent {
    async fn create_customer(&self, _: &AccountId, _: &str) -> Result<String, PaymentError> {
        Self::refuse()
    }

    async fn open_card_form(&self, _: &str, _: &str) -> Result<String, PaymentError> {
        Self::refuse()
    }

    async fn method_of_card_form(&self, _: &str, _: &str) -> Result<Option<String>, PaymentError> {
        Self::refuse()
    }

    async fn save_method(&self, _: &str, _: &str) -> Result<SavedMethod, PaymentError> {
        Self::refuse()
    }

    async fn detach_method(&self, _: &str, _: &str) -> Result<(), PaymentError> {
        Self::refuse()
    }

    async fn create_payment(&self, _: &PaymentRequest) -> Result<PaymentResult, PaymentError> {
        Self::refuse()
    }

    async fn fetch(&self, _: Lookup<'_>) -> Result<Option<Payment>, PaymentError> {
        Self::refuse()
    }

    async fn list(&self, _: Timestamp, _: Option<&str>) -> Result<PaymentPage, PaymentError> {
        Self::refuse()
    }

    fn parse_notification(
        &self,
        _: &HeaderMap,
        _: &[u8],
        _: Timestamp,
    ) -> Result<Notification, NotificationError> {
        Err(NotificationError::Unsigned)
    }
}
