//! Notifications of the simulated bank.
//!
//! As with Stripe, notifications are signed, delivered at least once and not always in order. The
//! bank sends nothing itself: its host calls [`Bank::due`], delivers the notifications to the
//! service's own webhook endpoint and calls [`Bank::acknowledge`].

use domain::Timestamp;
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::{
    Bank, PaymentError,
    record::{Facts, NotificationBehaviour, Outcome, Record},
    store_error,
};
use crate::{
    payments::wire::{Event, EventData},
    webhook::sign,
};

/// Header with the simulated bank's signature.
pub const SIGNATURE_HEADER: &str = "bank-signature";

/// Number of deliveries of a duplicated notification.
const DUPLICATE_DELIVERIES: usize = 5;

/// A due delivery of a notification.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Id of the notification; the same for repeated deliveries.
    pub id: String,
    /// Headers of the request.
    pub headers: HeaderMap,
    /// Body of the request.
    pub body: Vec<u8>,
    /// Name under which the acknowledgement of this delivery is stored.
    copy: String,
}

/// A notification that becomes due at a point in time.
struct ScheduledNotification {
    event_type: &'static str,
    at: Timestamp,
    object: Value,
}

impl Bank {
    /// Returns all due deliveries that aren't acknowledged, in the order in which the bank sends
    /// them.
    pub async fn due(&self) -> Result<Vec<Delivery>, PaymentError> {
        self.run_blocking(|bank| {
            let now = (bank.clock)();
            let mut due = Vec::new();
            for reference in bank.store.names("open").map_err(store_error)? {
                // The bank crashed after it marked the payment as open and before it stored it.
                let Some(record) = bank.record(&reference)? else { continue };
                let facts = bank.facts(&record)?;
                let before = due.len();
                let notifications = notifications(&record, &facts);
                for notification in notifications.iter().filter(|notification| notification.at <= now) {
                    bank.push_unacknowledged(&record, notification, now, &mut due)?;
                }
                let all_delivered =
                    due.len() == before && notifications.iter().all(|notification| notification.at <= now);
                if all_delivered && record.decided_at(&facts).is_some() {
                    bank.store.remove("open", &reference).map_err(store_error)?;
                }
            }
            Ok(due)
        })
        .await
    }

    /// Records that the service accepted the delivery, so that it isn't repeated.
    pub async fn acknowledge(&self, delivery: &Delivery) -> Result<(), PaymentError> {
        let copy = delivery.copy.clone();
        self.run_blocking(move |bank| {
            bank.store.put_new("told", &copy, &(bank.clock)()).map_err(store_error)?;
            Ok(())
        })
        .await
    }

    /// Marks a payment as one that has, or will have, notifications.
    pub(super) fn mark_open(&self, reference: &str) -> Result<(), PaymentError> {
        self.store.put_new("open", reference, &()).map_err(store_error)?;
        Ok(())
    }

    fn push_unacknowledged(
        &self,
        record: &Record,
        notification: &ScheduledNotification,
        now: Timestamp,
        due: &mut Vec<Delivery>,
    ) -> Result<(), PaymentError> {
        let id = format!("evt_{}_{}", record.reference, notification.event_type.replace('.', "_"));
        let event = Event {
            id: id.clone(),
            event_type: notification.event_type.into(),
            created: notification.at.as_seconds(),
            data: EventData { object: notification.object.clone() },
        };
        let body = serde_json::to_vec(&event).map_err(|error| store_error(error.into()))?;
        let signature = sign(&self.secret.clone().into(), now.as_seconds(), &body);
        let signature = HeaderValue::from_str(&signature)
            .map_err(|_| PaymentError::Unknown("the signature is not a valid header".into()))?;
        let copies = if record.notification_behaviour == NotificationBehaviour::FiveTimes {
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

/// Returns all notifications of a payment with these facts, in the order of delivery.
fn notifications(record: &Record, facts: &Facts) -> Vec<ScheduledNotification> {
    let intent_at = |at: Timestamp| record.intent(facts, at);
    let intent_notification =
        |event_type, at| ScheduledNotification { event_type, at, object: json!(intent_at(at)) };
    let mut notifications = Vec::new();
    // Uses the outcome, not the clock: a customer may decide in the same millisecond.
    let first = match (&record.outcome, record.notification_behaviour) {
        (Outcome::NeedsAction, _) => Some(("payment_intent.requires_action", "requires_action")),
        (Outcome::Later { .. }, _) | (_, NotificationBehaviour::Reordered) => {
            Some(("payment_intent.processing", "processing"))
        }
        _ => None,
    };
    if let Some((event_type, status)) = first {
        let mut intent = record.intent(&Facts::default(), record.created_at);
        intent.status = status.into();
        notifications.push(ScheduledNotification {
            event_type,
            at: record.created_at,
            object: json!(intent),
        });
    }
    if let Some(at) = record.decided_at(facts) {
        let paid = intent_at(at).status == "succeeded";
        notifications.push(intent_notification(
            if paid { "payment_intent.succeeded" } else { "payment_intent.payment_failed" },
            at,
        ));
    }
    if record.notification_behaviour == NotificationBehaviour::Reordered {
        notifications.reverse();
    }
    let intent = intent_at(record.created_at);
    if let Some(at) = facts.refunded_at {
        let object = json!({ "payment_intent": intent.id, "amount_refunded": intent.amount });
        notifications.push(ScheduledNotification { event_type: "charge.refunded", at, object });
    }
    if let Some(at) = record.disputed_at(facts) {
        let object =
            json!({ "payment_intent": intent.id, "amount": intent.amount, "status": "needs_response" });
        notifications.push(ScheduledNotification { event_type: "charge.dispute.created", at, object });
    }
    notifications
}
