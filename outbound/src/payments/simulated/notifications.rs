//! What the bank tells of its own accord.
//!
//! As with Stripe: signed, at least once, not always in order. The host asks what is due, delivers it
//! to the service's own door, and says what was taken.

use domain::Timestamp;
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::{
    Bank, PaymentError,
    record::{Facts, NotificationBehavior, Outcome, Record},
    store_error,
};
use crate::{
    payments::wire::{Event, EventData},
    webhook::sign,
};

/// Header that carries the simulated bank's signature.
pub const SIGNATURE_HEADER: &str = "bank-signature";

/// How often a bank that tells twice tells.
const DUPLICATE_DELIVERIES: usize = 5;

/// A notification that is due.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The notification's id: repetitions have the same.
    pub id: String,
    /// What to deliver it with.
    pub headers: HeaderMap,
    /// What to deliver.
    pub body: Vec<u8>,
    /// Which repetition of which payment's notification this is.
    copy: String,
}

/// Something to tell, at a point in time.
struct ScheduledNotification {
    event_type: &'static str,
    at: Timestamp,
    object: Value,
}

impl Bank {
    /// Everything that is due and was not taken yet, in the order in which this bank sends it.
    pub async fn due(&self) -> Result<Vec<Delivery>, PaymentError> {
        self.run_blocking(|bank| {
            let now = (bank.clock)();
            let mut due = Vec::new();
            for reference in bank.store.names("open").map_err(store_error)? {
                // Noted, then the bank died before the payment was written.
                let Some(record) = bank.record(&reference)? else { continue };
                let facts = bank.facts(&record)?;
                let before = due.len();
                let notices = notices(&record, &facts);
                for notice in notices.iter().filter(|notice| notice.at <= now) {
                    bank.unsent_copies(&record, notice, now, &mut due)?;
                }
                let all_told = due.len() == before && notices.iter().all(|notice| notice.at <= now);
                if all_told && record.decided_at(&facts).is_some() {
                    bank.store.remove("open", &reference).map_err(store_error)?;
                }
            }
            Ok(due)
        })
        .await
    }

    /// The service took it: it is not sent again.
    pub async fn acknowledge(&self, delivery: &Delivery) -> Result<(), PaymentError> {
        let copy = delivery.copy.clone();
        self.run_blocking(move |bank| {
            bank.store.put_new("told", &copy, &(bank.clock)()).map_err(store_error)?;
            Ok(())
        })
        .await
    }

    /// Notes that there is, or will be, something to tell of a payment.
    pub(super) fn mark_open(&self, reference: &str) -> Result<(), PaymentError> {
        self.store.put_new("open", reference, &()).map_err(store_error)?;
        Ok(())
    }

    fn unsent_copies(
        &self,
        record: &Record,
        notice: &ScheduledNotification,
        now: Timestamp,
        due: &mut Vec<Delivery>,
    ) -> Result<(), PaymentError> {
        let id = format!("evt_{}_{}", record.reference, notice.event_type.replace('.', "_"));
        let event = Event {
            id: id.clone(),
            event_type: notice.event_type.into(),
            created: notice.at.as_seconds(),
            data: EventData { object: notice.object.clone() },
        };
        let body = serde_json::to_vec(&event).map_err(|error| store_error(error.into()))?;
        let signature = sign(&self.secret.clone().into(), now.as_seconds(), &body);
        let signature = HeaderValue::from_str(&signature)
            .map_err(|_| PaymentError::Unknown("a signature that is no header".into()))?;
        let copies = if record.notification_behavior == NotificationBehavior::FiveTimes {
            DUPLICATE_DELIVERIES
        } else {
            1
        };
        for copy in (1..=copies).map(|number| format!("{id}.{number}")) {
            if !self.store.has("told", &copy).map_err(store_error)? {
                let headers = HeaderMap::from_iter([(
                    http::HeaderName::from_static(SIGNATURE_HEADER),
                    signature.clone(),
                )]);
                due.push(Delivery { id: id.clone(), headers, body: body.clone(), copy });
            }
        }
        Ok(())
    }
}

/// All there ever is to tell of a payment with these facts, in the order in which it is told.
fn notices(record: &Record, facts: &Facts) -> Vec<ScheduledNotification> {
    let intent_at = |at: Timestamp| record.intent(facts, at);
    let told = |event_type, at| ScheduledNotification { event_type, at, object: json!(intent_at(at)) };
    let mut notices = Vec::new();
    // By its outcome, not by the clock: a customer may answer in the same millisecond.
    let first = match (&record.outcome, record.notification_behavior) {
        (Outcome::NeedsAction, _) => Some(("payment_intent.requires_action", "requires_action")),
        (Outcome::Later { .. }, _) | (_, NotificationBehavior::Reordered) => {
            Some(("payment_intent.processing", "processing"))
        }
        _ => None,
    };
    if let Some((event_type, status)) = first {
        let mut intent = record.intent(&Facts::default(), record.created_at);
        intent.status = status.into();
        notices.push(ScheduledNotification { event_type, at: record.created_at, object: json!(intent) });
    }
    if let Some(at) = record.decided_at(facts) {
        let paid = intent_at(at).status == "succeeded";
        notices
            .push(told(if paid { "payment_intent.succeeded" } else { "payment_intent.payment_failed" }, at));
    }
    if record.notification_behavior == NotificationBehavior::Reordered {
        notices.reverse();
    }
    let intent = intent_at(record.created_at);
    if let Some(at) = facts.refunded_at {
        let object = json!({ "payment_intent": intent.id, "amount_refunded": intent.amount });
        notices.push(ScheduledNotification { event_type: "charge.refunded", at, object });
    }
    if let Some(at) = record.disputed_at(facts) {
        let object =
            json!({ "payment_intent": intent.id, "amount": intent.amount, "status": "needs_response" });
        notices.push(ScheduledNotification { event_type: "charge.dispute.created", at, object });
    }
    notices
}
