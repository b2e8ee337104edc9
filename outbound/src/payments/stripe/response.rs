//! Interprets Stripe's responses.

use serde::{Deserialize, de::DeserializeOwned};

use super::super::{
    PaymentError, PaymentResult,
    wire::{Intent, IntentError},
};

/// A complete response.
pub(super) struct ApiResponse {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

#[derive(Deserialize)]
struct Failed {
    error: IntentError,
}

impl ApiResponse {
    /// Parses the requested object.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, PaymentError> {
        if !(200..300).contains(&self.status) {
            return Err(self.error());
        }
        serde_json::from_slice(&self.body)
            .map_err(|error| PaymentError::Unknown(format!("the response is malformed: {error}")))
    }

    /// Parses the requested object, or returns `None` if it doesn't exist.
    pub(super) fn read_if_found<T: DeserializeOwned>(&self) -> Result<Option<T>, PaymentError> {
        if self.status == 404 { Ok(None) } else { self.read().map(Some) }
    }

    /// Parses the result of a payment. Stripe returns 402 for a declined card, with the payment
    /// inside.
    pub(super) fn payment(&self) -> Result<PaymentResult, PaymentError> {
        if self.status != 402 {
            return self.read::<Intent>().map(|intent| intent.result());
        }
        let error = self.failed().ok_or_else(|| PaymentError::Unknown("402 without a reason".into()))?;
        let reference = error.payment_intent.as_ref().map(|intent| intent.id.clone());
        match (reference, error.requires_authentication()) {
            (Some(reference), true) => {
                let client_secret = error.payment_intent.and_then(|intent| intent.client_secret);
                Ok(PaymentResult::NeedsAction { reference, client_secret, confirm_url: None })
            }
            (reference, _) => Ok(PaymentResult::Declined { reference, reason: error.reason() }),
        }
    }

    fn failed(&self) -> Option<IntentError> {
        serde_json::from_slice::<Failed>(&self.body).ok().map(|failed| failed.error)
    }

    fn error(&self) -> PaymentError {
        let error = self.failed().unwrap_or_default();
        let text = error.message.clone().unwrap_or_else(|| format!("status {}", self.status));
        match (self.status, error.kind.as_str()) {
            (_, "idempotency_error") => PaymentError::KeyReused,
            (401 | 403, _) => PaymentError::Unauthorized,
            // Another call with the same key is in progress, or the rate limit was reached.
            (409 | 429, _) => PaymentError::Busy(text),
            (400..=499, _) => PaymentError::Invalid(text),
            _ => PaymentError::Unknown(text),
        }
    }
}
