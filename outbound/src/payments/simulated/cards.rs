//! The test cards, with Stripe's numbers and names where Stripe has them
//! (<https://docs.stripe.com/testing>).

/// Behaviour of a card when it is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// Succeeds.
    Succeed,
    /// Is declined: error code, decline code, message for people.
    Decline(&'static str, Option<&'static str>, &'static str),
    /// Requires authentication until the customer has approved once.
    AuthenticateOnce,
    /// Requires authentication for each payment.
    AuthenticateAlways,
    /// Succeeds later; pending until then.
    Slow,
    /// Times out, and succeeds later.
    SilentThenSucceed,
    /// Times out, and is declined later.
    SilentThenDecline,
    /// Succeeds; the notification is delivered five times.
    Duplicate,
    /// Succeeds; the notifications are delivered in the wrong order.
    Reordered,
    /// Succeeds, and is disputed immediately.
    Disputed,
}

use Behaviour::*;

/// A test card.
#[derive(Debug)]
pub(super) struct Card {
    pub(super) number: &'static str,
    pub(super) name: &'static str,
    pub(super) behaviour: Behaviour,
}

const fn card(number: &'static str, name: &'static str, behaviour: Behaviour) -> Card {
    Card { number, name, behaviour }
}

const DECLINED: &str = "Your card was declined.";
pub(super) const GENERIC: Behaviour = Decline("card_declined", Some("generic_decline"), DECLINED);

/// Numbers that start with 4999 and names that start with `pm_sim_` exist only in the simulated
/// bank.
const CARDS: &[Card] = &[
    card("4242424242424242", "pm_card_visa", Succeed),
    card("4000000000000002", "pm_card_visa_chargeDeclined", GENERIC),
    card("4000000000000341", "pm_card_chargeCustomerFail", GENERIC),
    card(
        "4000000000009995",
        "pm_card_visa_chargeDeclinedInsufficientFunds",
        Decline("card_declined", Some("insufficient_funds"), "Your card has insufficient funds."),
    ),
    card(
        "4000000000009987",
        "pm_card_visa_chargeDeclinedLostCard",
        Decline("card_declined", Some("lost_card"), DECLINED),
    ),
    card(
        "4000000000000069",
        "pm_card_chargeDeclinedExpiredCard",
        Decline("expired_card", None, "Your card has expired."),
    ),
    card(
        "4000000000000127",
        "pm_card_chargeDeclinedIncorrectCvc",
        Decline("incorrect_cvc", None, "Your card's security code is incorrect."),
    ),
    card(
        "4000000000000119",
        "pm_card_chargeDeclinedProcessingError",
        Decline(
            "processing_error",
            None,
            "An error occurred while processing your card. Try again in a little bit.",
        ),
    ),
    card("4000002500003155", "pm_card_authenticationRequiredOnSetup", AuthenticateOnce),
    card("4000002760003184", "pm_card_authenticationRequired", AuthenticateAlways),
    card("4000000000000259", "pm_card_createDispute", Disputed),
    card("4999000000000001", "pm_sim_slow", Slow),
    card("4999000000000002", "pm_sim_silent_then_success", SilentThenSucceed),
    card("4999000000000003", "pm_sim_silent_then_decline", SilentThenDecline),
    card("4999000000000004", "pm_sim_duplicate_notifications", Duplicate),
    card("4999000000000005", "pm_sim_reordered_notifications", Reordered),
];

/// Finds a card by its number (ignoring spaces) or name.
pub(super) fn find(method: &str) -> Option<&'static Card> {
    let number: String = method.chars().filter(|c| *c != ' ').collect();
    CARDS.iter().find(|card| card.name == method || card.number == number)
}

impl Card {
    pub(super) fn last4(&self) -> &'static str {
        &self.number[self.number.len() - 4..]
    }

    pub(super) fn authenticates_once(&self) -> bool {
        self.behaviour == AuthenticateOnce
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        for (at, card) in CARDS.iter().enumerate() {
            assert_eq!(card.number.len(), 16);
            assert!(CARDS[..at].iter().all(|other| other.number != card.number && other.name != card.name));
        }
        assert_eq!(find("4242 4242 4242 4242").unwrap().name, "pm_card_visa");
        assert!(find("").is_none() && find("4242").is_none());
    }
}
