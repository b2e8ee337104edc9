//! A simulated bank with Stripe's test cards and signed notifications.
//!
//! It replaces the bank where the service runs without one, and in tests of everything that a bank
//! can do: decline, require authentication, respond late or never, and deliver notifications twice
//! or in the wrong order. Its state consists of facts that are each written once ([`store`]). The
//! state of a payment follows from its facts and the time, so a crash at any line leaves it
//! consistent.
//!
//! Unlike Stripe, it attaches cards that it will decline, so that failing automatic top-ups can be
//! tested.

mod cards;
mod notifications;
mod record;
mod store;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{AccountId, Secret, Timestamp, money::Cents};
use http::HeaderMap;
use sha2::{Digest, Sha256};

pub use self::notifications::{Delivery, SIGNATURE_HEADER};
use self::{
    record::{Confirmation, Outcome, Record},
    store::Store,
};
use super::{
    Lookup, Notification, NotificationError, Payment, PaymentError, PaymentPage, PaymentProvider,
    PaymentRequest, PaymentResult, PaymentSettingsError, SavedMethod, SimulatedSettings, wire,
};
use crate::webhook::generate_secret;

/// Returns the current time. Tests replace it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Stripe's limits of an amount in US dollars, in cents.
const AMOUNT_RANGE_CENTS: std::ops::RangeInclusive<Cents> = 50..=99_999_999;
/// Stripe's limit of an idempotency key, in bytes.
const MAX_IDEMPOTENCY_KEY_BYTES: usize = 255;
/// Number of payments in a page of [`PaymentProvider::list`].
const PAGE_SIZE: usize = 100;

/// The simulated bank. Clones share its state.
#[derive(Clone)]
pub struct Bank {
    store: Store,
    secret: Secret,
    settle: Duration,
    clock: Clock,
    console_url: Option<String>,
}

impl Bank {
    /// Opens the bank. Creates its folder if it doesn't exist.
    pub fn open(settings: &SimulatedSettings) -> Result<Self, PaymentSettingsError> {
        let unusable = |source| {
            let folder = settings.folder.clone().unwrap_or_default();
            PaymentSettingsError::Folder { folder, source }
        };
        let store = match &settings.folder {
            None => Store::in_memory(),
            Some(folder) => Store::in_folder(folder).map_err(unusable)?,
        };
        let secret = match settings.notification_secret.reveal() {
            "" => load_or_create_secret(&store).map_err(unusable)?,
            configured => Secret::new(configured),
        };
        Ok(Self {
            store,
            secret,
            settle: Duration::from_secs(settings.settle_seconds),
            clock: Arc::new(Timestamp::now),
            console_url: None,
        })
    }

    /// Sets the URL of the console, where customers confirm payments.
    #[must_use]
    pub fn with_console(self, console_url: Option<String>) -> Self {
        Self { console_url, ..self }
    }

    /// Replaces the clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Records whether the customer approves an authentication request. Only the first decision
    /// counts. Returns `false` if the payment needs no authentication.
    pub async fn confirm(&self, reference: &str, approve: bool) -> Result<bool, PaymentError> {
        let reference = reference.to_owned();
        self.run_blocking(move |bank| {
            let Some(record) = bank.record(&reference)? else { return Ok(false) };
            if record.outcome != Outcome::NeedsAction {
                return Ok(false);
            }
            let confirmation = Confirmation { approve, at: (bank.clock)() };
            bank.store.put_new("confirmations", &reference, &confirmation).map_err(store_error)?;
            if approve {
                let name = record.method_name();
                bank.store.put_new("authenticated", &name, &confirmation.at).map_err(store_error)?;
            }
            Ok(true)
        })
        .await
    }

    /// Refunds a succeeded payment completely, like the bank's dashboard.
    pub async fn refund(&self, reference: &str) -> Result<bool, PaymentError> {
        self.add_fact("refunds", reference).await
    }

    /// Disputes a succeeded payment.
    pub async fn dispute(&self, reference: &str) -> Result<bool, PaymentError> {
        self.add_fact("disputes", reference).await
    }

    async fn add_fact(&self, kind: &'static str, reference: &str) -> Result<bool, PaymentError> {
        let reference = reference.to_owned();
        self.run_blocking(move |bank| {
            let Some(payment) = bank.payment(&reference)? else { return Ok(false) };
            if !matches!(payment.result, PaymentResult::Succeeded { .. }) {
                return Ok(false);
            }
            // Marks the payment before, in case of a crash in between, and again after, in case the
            // mark was just deleted.
            bank.mark_open(&reference)?;
            let is_new = bank.store.put_new(kind, &reference, &(bank.clock)()).map_err(store_error)?;
            bank.mark_open(&reference)?;
            Ok(is_new)
        })
        .await
    }

    /// Runs blocking file access off the async threads.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Bank) -> Result<T, PaymentError> + Send + 'static,
    ) -> Result<T, PaymentError> {
        let bank = self.clone();
        let result = tokio::task::spawn_blocking(move || work(&bank)).await;
        result.map_err(|error| PaymentError::Unknown(error.to_string()))?
    }

    fn record(&self, reference: &str) -> Result<Option<Record>, PaymentError> {
        self.store.get("payments", reference).map_err(store_error)
    }

    /// Returns a payment with everything that happened to it so far.
    fn payment(&self, reference: &str) -> Result<Option<Payment>, PaymentError> {
        let Some(record) = self.record(reference)? else { return Ok(None) };
        Ok(Some(self.intent(&record, (self.clock)())?.payment()))
    }

    /// Returns the payment intent, with the page on which its customer can confirm it.
    fn intent(&self, record: &Record, now: Timestamp) -> Result<wire::Intent, PaymentError> {
        let mut intent = record.intent(&self.facts(record)?, now);
        if let Some(console) = self.console_url.as_ref().filter(|_| intent.status == "requires_action") {
            let page = format!("{console}/test-bank/{}", record.reference);
            intent.next_action = Some(wire::NextAction::redirect(page));
        }
        Ok(intent)
    }

    fn facts(&self, record: &Record) -> Result<record::Facts, PaymentError> {
        let name = &record.reference;
        Ok(record::Facts {
            confirmation: self.store.get("confirmations", name).map_err(store_error)?,
            refunded_at: self.store.get("refunds", name).map_err(store_error)?,
            disputed_at: self.store.get("disputes", name).map_err(store_error)?,
        })
    }

    fn create(&self, request: &PaymentRequest) -> Result<PaymentResult, PaymentError> {
        let invalid = |text: &str| PaymentError::Invalid(text.into());
        let key = &request.idempotency_key;
        if key.is_empty() || key.len() > MAX_IDEMPOTENCY_KEY_BYTES {
            return Err(invalid("an idempotency key has 1 to 255 characters"));
        }
        if !AMOUNT_RANGE_CENTS.contains(&request.amount_cents) {
            return Err(invalid("the amount must be from 50 to 99999999 cents"));
        }
        let card = cards::find(&request.payment_method).ok_or_else(|| invalid("no such payment method"))?;

        let reference = payment_reference(key);
        let detached = record::method_name(&request.customer, card.name);
        if self.store.has("detached", &detached).map_err(store_error)?
            && !self.store.has("payments", &reference).map_err(store_error)?
        {
            return Err(invalid("the payment method was detached from its customer"));
        }
        let mut record = Record::new(&reference, request, card, (self.clock)(), self.settle);
        if card.authenticates_once()
            && self.store.has("authenticated", &record.method_name()).map_err(store_error)?
        {
            record.outcome = Outcome::Succeeds;
        }
        // Marks the payment first: a mark without a payment is harmless.
        self.mark_open(&reference)?;
        if !self.store.put_new("payments", &reference, &record).map_err(store_error)? {
            let first = self.record(&reference)?.ok_or_else(|| missing_record("a payment is missing"))?;
            if !first.matches(request, card) {
                return Err(PaymentError::KeyReused);
            }
            record = first;
        }
        let now = (self.clock)();
        if record.is_silent(now) {
            return Err(PaymentError::Unknown("no response in time".into()));
        }
        Ok(self.intent(&record, now)?.result())
    }
}

/// Id of the form in which customers of the simulated bank enter a card.
const CARD_FORM: &str = "cs_sim_visa";
/// The card that they enter.
const FORM_CARD: &str = "pm_card_visa";

#[async_trait]
impl PaymentProvider for Bank {
    async fn create_customer(&self, account: &AccountId, _email: &str) -> Result<String, PaymentError> {
        Ok(format!("cus_sim_{}", short_hash(account.as_str())))
    }

    /// The form is filled in at once, with the card that succeeds.
    async fn open_card_form(&self, _customer: &str, return_url: &str) -> Result<String, PaymentError> {
        Ok(format!("{return_url}?card_form={CARD_FORM}"))
    }

    async fn method_of_card_form(&self, _customer: &str, form: &str) -> Result<Option<String>, PaymentError> {
        Ok((form == CARD_FORM).then(|| FORM_CARD.to_owned()))
    }

    async fn save_method(&self, customer: &str, method: &str) -> Result<SavedMethod, PaymentError> {
        let card =
            cards::find(method).ok_or_else(|| PaymentError::Invalid("no such payment method".into()))?;
        let name = record::method_name(customer, card.name);
        self.run_blocking(move |bank| bank.store.remove("detached", &name).map_err(store_error)).await?;
        // Returns only the last four digits of a typed card number.
        Ok(SavedMethod { reference: card.name.into(), brand: "visa".into(), last4: card.last4().into() })
    }

    async fn detach_method(&self, customer: &str, method: &str) -> Result<(), PaymentError> {
        let Some(card) = cards::find(method) else { return Ok(()) };
        let name = record::method_name(customer, card.name);
        self.run_blocking(move |bank| {
            bank.store.put_new("detached", &name, &(bank.clock)()).map_err(store_error)
        })
        .await?;
        Ok(())
    }

    async fn create_payment(&self, request: &PaymentRequest) -> Result<PaymentResult, PaymentError> {
        let request = request.clone();
        self.run_blocking(move |bank| bank.create(&request)).await
    }

    async fn fetch(&self, lookup: Lookup<'_>) -> Result<Option<Payment>, PaymentError> {
        let reference = match lookup {
            Lookup::Reference(reference) => reference.to_owned(),
            Lookup::Key { idempotency_key, .. } => payment_reference(idempotency_key),
        };
        self.run_blocking(move |bank| bank.payment(&reference)).await
    }

    async fn list(&self, since: Timestamp, cursor: Option<&str>) -> Result<PaymentPage, PaymentError> {
        let cursor = cursor.map(str::to_owned);
        self.run_blocking(move |bank| {
            let mut payments = Vec::new();
            for name in bank.store.names("payments").map_err(store_error)? {
                // Compares whole seconds, as Stripe does.
                let in_time = |payment: &Payment| payment.created_at.as_seconds() >= since.as_seconds();
                payments.extend(bank.payment(&name)?.filter(in_time));
            }
            payments.sort_by(|a, b| (b.created_at, &b.reference).cmp(&(a.created_at, &a.reference)));
            let after = cursor.and_then(|last| payments.iter().position(|p| p.reference == last));
            let mut rest = payments.split_off(after.map_or(0, |at| at + 1));
            let more = rest.len() > PAGE_SIZE;
            rest.truncate(PAGE_SIZE);
            let next_cursor = rest.last().filter(|_| more).map(|payment| payment.reference.clone());
            Ok(PaymentPage { payments: rest, next_cursor })
        })
        .await
    }

    fn parse_notification(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Notification, NotificationError> {
        wire::read_notification(SIGNATURE_HEADER, headers, std::slice::from_ref(&self.secret), body, now)
    }
}

/// Returns the stored signing secret. Generates one at the first start.
fn load_or_create_secret(store: &Store) -> std::io::Result<Secret> {
    store.put_new("secrets", "notifications", &generate_secret().reveal())?;
    let kept: Option<String> = store.get("secrets", "notifications")?;
    kept.map(Secret::new).ok_or_else(|| std::io::ErrorKind::NotFound.into())
}

/// Derives the id of a payment from its key, so that concurrent calls with the same key create one
/// payment.
fn payment_reference(idempotency_key: &str) -> String {
    format!("pi_sim_{}", short_hash(idempotency_key))
}

/// Returns 128 bits of SHA-256 in hex, which is a valid file name.
fn short_hash(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes())[..16])
}

fn store_error(error: std::io::Error) -> PaymentError {
    PaymentError::Unknown(format!("the state of the simulated bank: {error}"))
}

fn missing_record(text: &str) -> PaymentError {
    store_error(std::io::Error::other(text.to_owned()))
}
