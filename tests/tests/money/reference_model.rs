//! Reference model of payments, without database, ledger entries and locks. The bank is a list.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;

pub(crate) const PRICE_CENTS: i64 = 150;
pub(crate) const AUTO_CENTS: i64 = 400;
pub(crate) const THRESHOLD_CENTS: i64 = 100;
pub(crate) const DAILY_CENTS: i64 = 1_000;
pub(crate) const MAX_SCANS_IN_PROGRESS: usize = 3;
const HOUR_SECONDS: i64 = 3_600;

/// A random step.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sets another card.
    Card(Card),
    /// Turns automatic top-ups on or off.
    Auto(bool),
    /// Requests a top-up, with one of few idempotency keys. The process may crash.
    TopUp { name: u8, large: bool, crash: CrashPoint },
    /// The relay processes the outbox. It may crash after its requests to the bank.
    Relay { crash: bool },
    /// The bank delivers its notifications, in any order and some repeatedly.
    Notify { seed: u64 },
    /// The customer confirms or refuses an authentication request.
    Confirm { approve: bool },
    /// A minute or a day passes.
    Wait { long: bool },
    /// Creates a scan and uploads its media.
    Create,
    /// Starts a scan, perhaps again.
    Start(usize),
    /// Fails a scan, perhaps again, and refunds it.
    Fail(usize),
    /// Completes a scan.
    Complete(usize),
    /// Cancels a scan.
    Cancel(usize),
}

/// Where the process crashes while it creates a payment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CrashPoint {
    None,
    BeforeBank,
    AfterBank,
}

/// Behaviour of a card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Card {
    Good,
    Declined,
    RequiresAuthentication,
    Slow,
    SilentThenGood,
    SilentThenDeclined,
}

impl Card {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Card::Good => "pm_card_visa",
            Card::Declined => "pm_card_visa_chargeDeclined",
            Card::RequiresAuthentication => "pm_card_authenticationRequired",
            Card::Slow => "pm_sim_slow",
            Card::SilentThenGood => "pm_sim_silent_then_success",
            Card::SilentThenDeclined => "pm_sim_silent_then_decline",
        }
    }
}

/// State of a payment, in the service or at the bank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum State {
    Pending,
    Succeeded,
    Declined,
    NeedsAction,
}

/// A payment, as known to the service and to the bank.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    pub(crate) cents: i64,
    pub(crate) auto: bool,
    pub(crate) card: Card,
    pub(crate) created_at: i64,
    /// State in the service.
    pub(crate) state: State,
    /// Time of the first request to the bank.
    pub(crate) requested_at: Option<i64>,
    /// The customer's decision on the authentication request.
    pub(crate) confirmed: Option<bool>,
    /// Whether the payment turned automatic top-ups off, which sends an event and a mail.
    pub(crate) turned_off: bool,
}

/// Time after which payments with slow cards are decided, in seconds.
pub(crate) const SETTLE_SECONDS: i64 = 60;

impl Payment {
    /// Returns the state at the bank.
    pub(crate) fn at_bank(&self, now: i64) -> Option<State> {
        let requested = self.requested_at?;
        let later = |state| if now >= requested + SETTLE_SECONDS { state } else { State::Pending };
        Some(match (self.card, self.confirmed) {
            (Card::Good, _) | (Card::RequiresAuthentication, Some(true)) => State::Succeeded,
            (Card::Declined, _) | (Card::RequiresAuthentication, Some(false)) => State::Declined,
            (Card::RequiresAuthentication, None) => State::NeedsAction,
            (Card::Slow | Card::SilentThenGood, _) => later(State::Succeeded),
            (Card::SilentThenDeclined, _) => later(State::Declined),
        })
    }
}

/// State of a scan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scan {
    Waiting,
    Running { paid: i64 },
    Done { paid: i64 },
    Failed { paid: i64 },
    Cancelled,
}

/// Result of a start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Started {
    Now,
    Before,
    Cancelled,
    TooMany,
    NoFunds(i64),
}

/// State of the model.
#[derive(Debug, Clone)]
pub(crate) struct ReferenceModel {
    pub(crate) now: i64,
    pub(crate) cents: i64,
    pub(crate) free: i64,
    pub(crate) card: Card,
    pub(crate) auto: bool,
    pub(crate) payments: Vec<Payment>,
    /// Index of the payment, by its idempotency key.
    pub(crate) names: BTreeMap<u8, usize>,
    pub(crate) scans: Vec<Scan>,
    /// Result of the last start.
    pub(crate) started: Option<Started>,
}

impl ReferenceModel {
    /// Returns the total amount that the bank has charged.
    pub(crate) fn charged_by_bank(&self) -> i64 {
        let paid = |p: &&Payment| p.at_bank(self.now) == Some(State::Succeeded);
        self.payments.iter().filter(paid).map(|p| p.cents).sum()
    }

    fn in_flight(&self) -> bool {
        self.payments.iter().any(|p| p.auto && p.state == State::Pending)
    }

    fn create_payment(&mut self, cents: i64, auto: bool) -> usize {
        self.payments.push(Payment {
            cents,
            auto,
            card: self.card,
            created_at: self.now,
            state: State::Pending,
            requested_at: None,
            confirmed: None,
            turned_off: false,
        });
        self.payments.len() - 1
    }

    fn recharge(&mut self, shortfall: i64) {
        let cents = AUTO_CENTS.max(shortfall);
        let since = self.now - 24 * HOUR_SECONDS;
        let counts = |p: &&Payment| p.auto && p.state != State::Declined && p.created_at > since;
        let today: i64 = self.payments.iter().filter(counts).map(|p| p.cents).sum();
        if self.auto && !self.in_flight() && today + cents <= DAILY_CENTS {
            self.create_payment(cents, true);
        }
    }

    /// Applies the bank's result of a payment.
    fn settle(&mut self, index: usize, result: State) {
        let payment = &mut self.payments[index];
        let before = payment.state;
        match (before, result) {
            (State::Succeeded, _) | (_, State::Pending) => return,
            (_, State::Succeeded) => {
                payment.state = result;
                self.cents += payment.cents;
            }
            (State::Pending | State::NeedsAction, State::Declined) | (State::Pending, State::NeedsAction) => {
                payment.state = result;
            }
            _ => return,
        }
        if payment.auto && before == State::Pending && result != State::Succeeded {
            payment.turned_off = true;
            self.auto = false;
        }
    }

    /// Requests a payment from the bank. The response is lost if the process crashes.
    fn process(&mut self, index: usize, crash: bool) {
        let (now, payment) = (self.now, &mut self.payments[index]);
        if payment.state != State::Pending {
            return;
        }
        if payment.requested_at.is_none() {
            if payment.created_at + 23 * HOUR_SECONDS <= now {
                return self.settle(index, State::Declined);
            }
            payment.requested_at = Some(now);
        }
        if !crash {
            let result = self.payments[index].at_bank(now).unwrap_or(State::Pending);
            self.settle(index, result);
        }
    }

    fn start(&mut self, index: usize) -> Started {
        let running = self.scans.iter().filter(|scan| matches!(scan, Scan::Running { .. })).count();
        match self.scans[index] {
            Scan::Cancelled => return Started::Cancelled,
            Scan::Waiting => {}
            _ => return Started::Before,
        }
        if running >= MAX_SCANS_IN_PROGRESS {
            return Started::TooMany;
        }
        if self.free > 0 {
            self.free -= 1;
            self.scans[index] = Scan::Running { paid: 0 };
            return Started::Now;
        }
        if self.cents < PRICE_CENTS {
            let balance = self.cents;
            self.recharge(PRICE_CENTS - balance);
            return Started::NoFunds(balance);
        }
        self.cents -= PRICE_CENTS;
        self.scans[index] = Scan::Running { paid: PRICE_CENTS };
        if self.cents < THRESHOLD_CENTS {
            self.recharge(0);
        }
        Started::Now
    }
}

impl ReferenceStateMachine for ReferenceModel {
    type State = Self;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Self> {
        let model = ReferenceModel {
            now: 0,
            cents: 0,
            free: 1,
            card: Card::Good,
            auto: true,
            payments: Vec::new(),
            names: BTreeMap::new(),
            scans: Vec::new(),
            started: None,
        };
        Just(model).boxed()
    }

    fn transitions(state: &Self) -> BoxedStrategy<Step> {
        use Card::*;
        let card = prop_oneof![
            4 => Just(Good), 1 => Just(Declined), 1 => Just(RequiresAuthentication), 1 => Just(Slow),
            1 => Just(SilentThenGood), 1 => Just(SilentThenDeclined),
        ];
        let crash = prop_oneof![2 => Just(CrashPoint::None), 1 => Just(CrashPoint::BeforeBank), 1 => Just(CrashPoint::AfterBank)];
        let top_up = (0..5_u8, any::<bool>(), crash).prop_map(|(name, large, crash)| Step::TopUp {
            name,
            large,
            crash,
        });
        let outside = prop_oneof![
            2 => card.prop_map(Step::Card),
            1 => any::<bool>().prop_map(Step::Auto),
            3 => top_up,
            4 => any::<bool>().prop_map(|crash| Step::Relay { crash }),
            4 => any::<u64>().prop_map(|seed| Step::Notify { seed }),
            1 => any::<bool>().prop_map(|approve| Step::Confirm { approve }),
            3 => prop::bool::weighted(0.15).prop_map(|long| Step::Wait { long }),
            4 => Just(Step::Create),
        ];
        if state.scans.is_empty() {
            return outside.boxed();
        }
        let scan = 0..state.scans.len();
        let inside = prop_oneof![
            6 => scan.clone().prop_map(Step::Start),
            2 => scan.clone().prop_map(Step::Fail),
            2 => scan.clone().prop_map(Step::Complete),
            1 => scan.prop_map(Step::Cancel),
        ];
        prop_oneof![2 => outside, 1 => inside].boxed()
    }

    fn preconditions(state: &Self, step: &Step) -> bool {
        match step {
            Step::Start(scan) | Step::Fail(scan) | Step::Complete(scan) | Step::Cancel(scan) => {
                *scan < state.scans.len()
            }
            _ => true,
        }
    }

    fn apply(mut state: Self, step: &Step) -> Self {
        state.started = None;
        match *step {
            Step::Card(card) => state.card = card,
            Step::Auto(on) => state.auto = on,
            Step::TopUp { name, large, crash } => {
                if !state.names.contains_key(&name) {
                    let index = state.create_payment(top_up_cents(large), false);
                    state.names.insert(name, index);
                    if crash != CrashPoint::BeforeBank {
                        state.process(index, crash == CrashPoint::AfterBank);
                    }
                }
            }
            Step::Relay { crash } => {
                for index in 0..state.payments.len() {
                    state.process(index, crash);
                }
            }
            Step::Notify { .. } => {
                for index in 0..state.payments.len() {
                    let result = state.payments[index].at_bank(state.now);
                    state.settle(index, result.unwrap_or(State::Pending));
                }
            }
            Step::Confirm { approve } => {
                let needs_action = |p: &&mut Payment| p.state == State::NeedsAction && p.confirmed.is_none();
                if let Some(payment) = state.payments.iter_mut().find(needs_action) {
                    payment.confirmed = Some(approve);
                }
            }
            Step::Wait { long } => state.now += if long { 25 * HOUR_SECONDS } else { SETTLE_SECONDS },
            Step::Create => state.scans.push(Scan::Waiting),
            Step::Start(scan) => state.started = Some(state.start(scan)),
            Step::Fail(scan) => {
                if let Scan::Running { paid } = state.scans[scan] {
                    state.scans[scan] = Scan::Failed { paid };
                    state.cents += paid;
                    state.free += i64::from(paid == 0);
                }
            }
            Step::Complete(scan) => {
                if let Scan::Running { paid } = state.scans[scan] {
                    state.scans[scan] = Scan::Done { paid };
                }
            }
            Step::Cancel(scan) => {
                if state.scans[scan] == Scan::Waiting {
                    state.scans[scan] = Scan::Cancelled;
                }
            }
        }
        state
    }
}

/// Returns the amount of a top-up.
pub(crate) const fn top_up_cents(large: bool) -> i64 {
    if large { 900 } else { 300 }
}
