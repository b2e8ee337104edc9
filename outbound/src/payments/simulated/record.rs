//! A stored payment, and its state at a point in time.

use std::{collections::BTreeMap, time::Duration};

use domain::{AccountId, Secret, Timestamp, money::Cents};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    cards::{Behaviour, Card, GENERIC},
    short_hash,
};
use crate::payments::{
    PaymentRequest,
    wire::{self, Intent, IntentError},
};

/// A stored payment: the request and its predetermined outcome. Never changed once written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) reference: String,
    idempotency_key: String,
    account: AccountId,
    customer: String,
    payment_method: String,
    amount_cents: Cents,
    off_session: bool,
    pub(super) created_at: Timestamp,
    #[serde(rename = "fate")]
    pub(super) outcome: Outcome,
    #[serde(rename = "telling")]
    pub(super) notification_behaviour: NotificationBehaviour,
}

/// Predetermined outcome of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Outcome {
    Succeeds,
    Declines(Decline),
    NeedsAction,
    /// Decided at `at`. Pending until then, or without any response if `silent`.
    Later {
        at: Timestamp,
        silent: bool,
        decline: Option<Decline>,
    },
}

/// Reason why a payment is declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Decline {
    code: String,
    decline_code: Option<String>,
    message: String,
}

/// Delivery behaviour of the notifications of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum NotificationBehaviour {
    Plain,
    FiveTimes,
    Reordered,
    WithDispute,
}

/// The customer's decision on an authentication request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Confirmation {
    pub(super) approve: bool,
    pub(super) at: Timestamp,
}

/// Facts about a payment that were recorded after its creation.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) confirmation: Option<Confirmation>,
    pub(super) refunded_at: Option<Timestamp>,
    pub(super) disputed_at: Option<Timestamp>,
}

impl Record {
    pub(super) fn new(
        reference: &str,
        request: &PaymentRequest,
        card: &Card,
        now: Timestamp,
        settle: Duration,
    ) -> Self {
        let later = |silent, decline| Outcome::Later { at: now.plus(settle), silent, decline };
        let outcome = match card.behaviour {
            Behaviour::Succeed | Behaviour::Duplicate | Behaviour::Reordered | Behaviour::Disputed => {
                Outcome::Succeeds
            }
            Behaviour::Decline(..) => decline(card.behaviour).map_or(Outcome::Succeeds, Outcome::Declines),
            Behaviour::AuthenticateOnce | Behaviour::AuthenticateAlways => Outcome::NeedsAction,
            Behaviour::Slow => later(false, None),
            Behaviour::SilentThenSucceed => later(true, None),
            Behaviour::SilentThenDecline => later(true, decline(GENERIC)),
        };
        let notification_behaviour = match card.behaviour {
            Behaviour::Duplicate => NotificationBehaviour::FiveTimes,
            Behaviour::Reordered => NotificationBehaviour::Reordered,
            Behaviour::Disputed => NotificationBehaviour::WithDispute,
            _ => NotificationBehaviour::Plain,
        };
        Self {
            reference: reference.to_owned(),
            idempotency_key: request.idempotency_key.clone(),
            account: request.account.clone(),
            customer: request.customer.clone(),
            payment_method: card.name.to_owned(),
            amount_cents: request.amount_cents,
            off_session: request.off_session,
            created_at: now,
            outcome,
            notification_behaviour,
        }
    }

    /// Returns whether this payment matches the request.
    pub(super) fn matches(&self, request: &PaymentRequest, card: &Card) -> bool {
        self.idempotency_key == request.idempotency_key
            && self.account == request.account
            && self.customer == request.customer
            && self.payment_method == card.name
            && self.amount_cents == request.amount_cents
            && self.off_session == request.off_session
    }

    /// Returns the name under which this customer's payment method is stored.
    pub(super) fn method_name(&self) -> String {
        method_name(&self.customer, &self.payment_method)
    }

    /// Returns whether the bank doesn't respond to requests for the payment at this time.
    pub(super) fn is_silent(&self, now: Timestamp) -> bool {
        matches!(self.outcome, Outcome::Later { at, silent: true, .. } if now < at)
    }

    /// Returns when the payment is decided, or `None` while that depends on the customer.
    pub(super) fn decided_at(&self, facts: &Facts) -> Option<Timestamp> {
        match &self.outcome {
            Outcome::Succeeds | Outcome::Declines(_) => Some(self.created_at),
            Outcome::Later { at, .. } => Some(*at),
            Outcome::NeedsAction => facts.confirmation.as_ref().map(|confirmation| confirmation.at),
        }
    }

    /// Returns when the payment was disputed, if it was.
    pub(super) fn disputed_at(&self, facts: &Facts) -> Option<Timestamp> {
        let immediately =
            (self.notification_behaviour == NotificationBehaviour::WithDispute).then_some(self.created_at);
        immediately.or(facts.disputed_at)
    }

    /// Returns the payment as a payment intent at the time `now`.
    pub(super) fn intent(&self, facts: &Facts, now: Timestamp) -> Intent {
        let decided = self.decided_at(facts).is_some_and(|at| at <= now);
        let not_approved = Decline {
            code: "payment_intent_authentication_failure".into(),
            decline_code: None,
            message: "The customer did not approve the payment.".into(),
        };
        let (status, decline) = match (&self.outcome, &facts.confirmation) {
            (Outcome::NeedsAction, Some(confirmation)) if decided && confirmation.approve => {
                ("succeeded", None)
            }
            (Outcome::NeedsAction, Some(_)) if decided => ("requires_payment_method", Some(&not_approved)),
            (Outcome::NeedsAction, _) => ("requires_action", None),
            (Outcome::Succeeds, _) => ("succeeded", None),
            (Outcome::Declines(decline), _) => ("requires_payment_method", Some(decline)),
            (Outcome::Later { .. }, _) if !decided => ("processing", None),
            (Outcome::Later { decline: None, .. }, _) => ("succeeded", None),
            (Outcome::Later { decline: Some(decline), .. }, _) => ("requires_payment_method", Some(decline)),
        };
        let refunded = facts.refunded_at.is_some_and(|at| at <= now);
        let disputed = self.disputed_at(facts).is_some_and(|at| at <= now);
        Intent {
            id: self.reference.clone(),
            amount: self.amount_cents,
            status: status.into(),
            created: self.created_at.as_seconds(),
            metadata: BTreeMap::from([
                (wire::ACCOUNT.to_owned(), self.account.to_string()),
                (wire::KEY.to_owned(), self.idempotency_key.clone()),
            ]),
            last_payment_error: decline.map(|decline| IntentError {
                kind: "card_error".into(),
                code: Some(decline.code.clone()),
                decline_code: decline.decline_code.clone(),
                message: Some(decline.message.clone()),
                payment_intent: None,
            }),
            client_secret: (status == "requires_action")
                .then(|| Secret::new(format!("{}_secret_sim", self.reference))),
            next_action: None,
            latest_charge: Some(json!({
                "amount_refunded": if refunded { self.amount_cents } else { 0 },
                "disputed": disputed,
            })),
        }
    }
}

/// Returns the name under which a customer's payment method is stored.
pub(super) fn method_name(customer: &str, method: &str) -> String {
    short_hash(&format!("{customer}\n{method}"))
}

fn decline(behaviour: Behaviour) -> Option<Decline> {
    let Behaviour::Decline(code, decline_code, message) = behaviour else { return None };
    Some(Decline {
        code: code.into(),
        decline_code: decline_code.map(str::to_owned),
        message: message.into(),
    })
}
