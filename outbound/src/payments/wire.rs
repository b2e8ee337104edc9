//! The parts of Stripe's JSON that this service uses. The simulated bank writes the same JSON, so
//! both share one parser.

use std::collections::BTreeMap;

use domain::{AccountId, Secret, Timestamp, money::Cents};
use http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::types::{
    DeclineReason, Notification, NotificationError, NotificationKind, Payment, PaymentResult,
};
use crate::webhook::{SIGNATURE_TOLERANCE, SignatureError, verify};

/// Metadata keys with which payments carry this service's ids.
pub(super) const ACCOUNT: &str = "account_id";
pub(super) const KEY: &str = "idempotency_key";

/// A payment intent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Intent {
    pub(super) id: String,
    pub(super) amount: Cents,
    pub(super) status: String,
    /// Unix seconds.
    pub(super) created: i64,
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) last_payment_error: Option<IntentError>,
    #[serde(default, skip_serializing)]
    pub(super) client_secret: Option<Secret>,
    #[serde(default, skip_serializing)]
    pub(super) next_action: Option<NextAction>,
    /// The id of the charge, or the charge itself if it was expanded.
    #[serde(default)]
    pub(super) latest_charge: Option<Value>,
}

/// The action that the customer must take.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct NextAction {
    #[serde(default)]
    redirect_to_url: Option<Redirect>,
}

#[derive(Debug, Clone, Deserialize)]
struct Redirect {
    url: Secret,
}

impl NextAction {
    pub(super) fn redirect(url: String) -> Self {
        Self { redirect_to_url: Some(Redirect { url: Secret::new(url) }) }
    }
}

/// Reason why a payment intent failed; also the `error` of a response.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct IntentError {
    #[serde(default, rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) code: Option<String>,
    #[serde(default)]
    pub(super) decline_code: Option<String>,
    #[serde(default)]
    pub(super) message: Option<String>,
    #[serde(default)]
    pub(super) payment_intent: Option<Box<Intent>>,
}

impl IntentError {
    pub(super) fn reason(&self) -> DeclineReason {
        let code = self.decline_code.as_ref().or(self.code.as_ref());
        DeclineReason {
            code: code.cloned().unwrap_or_else(|| "card_declined".into()),
            message: self.message.clone().unwrap_or_else(|| "The card was declined.".into()),
        }
    }

    /// Returns whether the customer must authenticate, which is not possible off session.
    pub(super) fn requires_authentication(&self) -> bool {
        [&self.code, &self.decline_code].into_iter().flatten().any(|code| code == "authentication_required")
    }
}

impl Intent {
    pub(super) fn result(&self) -> PaymentResult {
        let reference = self.id.clone();
        let needs_action = || PaymentResult::NeedsAction {
            reference: reference.clone(),
            client_secret: self.client_secret.clone(),
            confirm_url: self.confirm_url(),
        };
        let declined = |reason| PaymentResult::Declined { reference: Some(reference.clone()), reason };
        match (self.status.as_str(), &self.last_payment_error) {
            ("succeeded", _) => PaymentResult::Succeeded { reference },
            ("requires_action", _) => needs_action(),
            ("requires_payment_method", Some(error)) if error.requires_authentication() => needs_action(),
            ("requires_payment_method", Some(error)) => declined(error.reason()),
            ("canceled", error) => declined(error.as_ref().map_or_else(
                || DeclineReason { code: "canceled".into(), message: "The payment was cancelled.".into() },
                IntentError::reason,
            )),
            _ => PaymentResult::Pending { reference },
        }
    }

    fn confirm_url(&self) -> Option<Secret> {
        Some(self.next_action.as_ref()?.redirect_to_url.as_ref()?.url.clone())
    }

    pub(super) fn payment(&self) -> Payment {
        let charge = self.latest_charge.as_ref();
        let of_charge = |field: &str| charge.and_then(|charge| charge.get(field));
        Payment {
            reference: self.id.clone(),
            idempotency_key: self.metadata.get(KEY).cloned(),
            account: self.metadata.get(ACCOUNT).and_then(|text| text.parse::<AccountId>().ok()),
            amount_cents: self.amount,
            result: self.result(),
            refunded_cents: of_charge("amount_refunded").and_then(Value::as_i64).unwrap_or(0),
            disputed: of_charge("disputed").and_then(Value::as_bool).unwrap_or(false),
            created_at: Timestamp::from_millis(self.created.saturating_mul(1000)),
        }
    }
}

/// A webhook event.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Event {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) event_type: String,
    /// Unix seconds.
    pub(super) created: i64,
    pub(super) data: EventData,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EventData {
    pub(super) object: Value,
}

/// The object of `charge.refunded`.
#[derive(Deserialize)]
struct Charge {
    payment_intent: Option<String>,
    amount_refunded: Cents,
}

/// The object of `charge.dispute.*`.
#[derive(Deserialize)]
struct Dispute {
    payment_intent: Option<String>,
    amount: Cents,
    status: String,
}

/// Verifies and parses a notification. Any of the secrets may have signed it.
pub(super) fn read_notification(
    header: &str,
    headers: &HeaderMap,
    secrets: &[Secret],
    body: &[u8],
    now: Timestamp,
) -> Result<Notification, NotificationError> {
    let mut values = headers.get_all(header).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(NotificationError::Unsigned);
    };
    let signature = value.to_str().map_err(|_| SignatureError::Malformed)?;
    // With several secrets, the error of the matching secret is the most specific one.
    let mut refusal = SignatureError::Mismatch;
    let verified = secrets.iter().any(|secret| {
        verify(secret, signature, body, now, SIGNATURE_TOLERANCE)
            .inspect_err(|error| {
                if *error != SignatureError::Mismatch {
                    refusal = *error;
                }
            })
            .is_ok()
    });
    if !verified {
        return Err(refusal.into());
    }
    let event: Event = parse_event(body)?;
    Ok(Notification {
        at: Timestamp::from_millis(event.created.saturating_mul(1000)),
        kind: kind(&event)?,
        id: event.id,
    })
}

fn kind(event: &Event) -> Result<NotificationKind, NotificationError> {
    let object = &event.data.object;
    let other = || NotificationKind::Other { event_type: event.event_type.clone() };
    Ok(match event.event_type.as_str() {
        name if name.starts_with("payment_intent.") => {
            NotificationKind::Payment(parse_value::<Intent>(object)?.payment())
        }
        "charge.refunded" => {
            let charge: Charge = parse_value(object)?;
            // This service didn't create charges without a payment intent.
            charge.payment_intent.map_or_else(other, |reference| NotificationKind::Refunded {
                reference,
                refunded_cents: charge.amount_refunded,
            })
        }
        name if name.starts_with("charge.dispute.") => {
            let dispute: Dispute = parse_value(object)?;
            dispute.payment_intent.map_or_else(other, |reference| NotificationKind::Disputed {
                reference,
                amount_cents: dispute.amount,
                status: dispute.status,
            })
        }
        _ => other(),
    })
}

fn parse_value<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, NotificationError> {
    T::deserialize(value).map_err(|error| NotificationError::Unreadable(error.to_string()))
}

fn parse_event(body: &[u8]) -> Result<Event, NotificationError> {
    serde_json::from_slice(body).map_err(|error| NotificationError::Unreadable(error.to_string()))
}
