//! A payment in the books, and how it stands at a point in time.

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

/// What was asked for and what will come of it. Never changed once written.
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
    pub(super) outcome: Outcome,
    pub(super) notification_behavior: NotificationBehavior,
}

/// What comes of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Outcome {
    Succeeds,
    Declines(Decline),
    NeedsAction,
    /// Decided at `at`; until then pending, or (`silent`) without any answer.
    Later {
        at: Timestamp,
        silent: bool,
        decline: Option<Decline>,
    },
}

/// Why a payment is declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Decline {
    code: String,
    decline_code: Option<String>,
    message: String,
}

/// How the bank tells of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum NotificationBehavior {
    Plain,
    FiveTimes,
    Reordered,
    WithDispute,
}

/// What the customer answered to the card's bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Confirmation {
    pub(super) approve: bool,
    pub(super) at: Timestamp,
}

/// What happened to a payment after it was made.
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
        let notification_behavior = match card.behaviour {
            Behaviour::Duplicate => NotificationBehavior::FiveTimes,
            Behaviour::Reordered => NotificationBehavior::Reordered,
            Behaviour::Disputed => NotificationBehavior::WithDispute,
            _ => NotificationBehavior::Plain,
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
            notification_behavior,
        }
    }

    /// Whether this is the payment that `request` asks for.
    pub(super) fn matches(&self, request: &PaymentRequest, card: &Card) -> bool {
        self.idempotency_key == request.idempotency_key
            && self.account == request.account
            && self.customer == request.customer
            && self.payment_method == card.name
            && self.amount_cents == request.amount_cents
            && self.off_session == request.off_session
    }

    /// A name for this customer's payment method.
    pub(super) fn method_name(&self) -> String {
        method_name(&self.customer, &self.payment_method)
    }

    /// Whether the bank gives no answer about it now.
    pub(super) fn is_silent(&self, now: Timestamp) -> bool {
        matches!(self.outcome, Outcome::Later { at, silent: true, .. } if now < at)
    }

    /// When it is decided whether it is paid; nothing while that depends on the customer.
    pub(super) fn decided_at(&self, facts: &Facts) -> Option<Timestamp> {
        match &self.outcome {
            Outcome::Succeeds | Outcome::Declines(_) => Some(self.created_at),
            Outcome::Later { at, .. } => Some(*at),
            Outcome::NeedsAction => facts.confirmation.as_ref().map(|confirmation| confirmation.at),
        }
    }

    /// When the card's owner disputed it, if so.
    pub(super) fn disputed_at(&self, facts: &Facts) -> Option<Timestamp> {
        let at_once =
            (self.notification_behavior == NotificationBehavior::WithDispute).then_some(self.created_at);
        at_once.or(facts.disputed_at)
    }

    /// The payment as it stood at `now`, in Stripe's words.
    pub(super) fn intent(&self, facts: &Facts, now: Timestamp) -> Intent {
        let decided = self.decided_at(facts).is_some_and(|at| at <= now);
        let refused = Decline {
            code: "payment_intent_authentication_failure".into(),
            decline_code: None,
            message: "The customer did not approve the payment.".into(),
        };
        let (status, decline) = match (&self.outcome, &facts.confirmation) {
            (Outcome::NeedsAction, Some(answer)) if decided && answer.approve => ("succeeded", None),
            (Outcome::NeedsAction, Some(_)) if decided => ("requires_payment_method", Some(&refused)),
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

/// A name for a customer's payment method.
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
