//! A client of Stripe's HTTP API.
//!
//! Calls that must not happen twice carry an `Idempotency-Key`. The account and the key are also
//! stored as metadata, because Stripe forgets idempotency keys after a day, but payments must be
//! found later too.

mod http;
mod response;

use ::http::HeaderMap;
use async_trait::async_trait;
use domain::{AccountId, Secret, Timestamp, money::CURRENCY};
use serde::Deserialize;

use self::http::Http;
use super::{
    Lookup, Notification, NotificationError, PaymentError, PaymentPage, PaymentProvider, PaymentRequest,
    PaymentResult, PaymentSettingsError, SavedMethod, StripeSettings,
    wire::{self, Intent},
};

/// Header with Stripe's signature of a notification.
pub const SIGNATURE_HEADER: &str = "stripe-signature";

/// Number of payments in a page: Stripe's maximum.
const PAGE_SIZE: &str = "100";

/// A client of Stripe.
pub struct Client {
    http: Http,
    webhook_secrets: Vec<Secret>,
    return_url: Option<String>,
}

/// Any object with an id.
#[derive(Deserialize)]
struct CreatedObject {
    id: String,
}

#[derive(Deserialize)]
struct Method {
    id: String,
    card: Option<Card>,
    #[serde(rename = "type")]
    kind: String,
    /// The customer that the method is attached to.
    customer: Option<String>,
}

/// A new session of Stripe's hosted page.
#[derive(Deserialize)]
struct CreatedForm {
    url: Option<String>,
}

/// A session of Stripe's hosted page, with its expanded setup intent.
#[derive(Deserialize)]
struct CheckoutSession {
    status: Option<String>,
    customer: Option<String>,
    setup_intent: Option<SetupIntent>,
}

#[derive(Deserialize)]
struct SetupIntent {
    payment_method: Option<String>,
}

#[derive(Deserialize)]
struct Card {
    brand: String,
    last4: String,
}

#[derive(Deserialize)]
struct List {
    data: Vec<Intent>,
    has_more: bool,
}

impl Client {
    /// Builds a client.
    pub fn new(settings: &StripeSettings) -> Result<Self, PaymentSettingsError> {
        let webhook_secrets = settings.webhook_secrets.clone();
        Ok(Self { http: Http::new(settings)?, webhook_secrets, return_url: None })
    }

    /// Sets the page to which customers return after they have confirmed a payment at Stripe.
    #[must_use]
    pub fn returning_to(self, return_url: Option<String>) -> Self {
        Self { return_url, ..self }
    }

    async fn intents(&self, query: &[(&str, &str)]) -> Result<List, PaymentError> {
        self.http.get("/v1/payment_intents", query).await?.read()
    }

    async fn find(&self, customer: &str, key: &str) -> Result<Option<Intent>, PaymentError> {
        let mut after: Option<String> = None;
        loop {
            let mut query = vec![("customer", customer), ("limit", PAGE_SIZE), EXPAND_LIST];
            query.extend(after.as_deref().map(|id| ("starting_after", id)));
            let page = self.intents(&query).await?;
            after = page.data.last().map(|intent| intent.id.clone());
            let has_key = |intent: &Intent| intent.metadata.get(wire::KEY).is_some_and(|found| found == key);
            if let Some(intent) = page.data.into_iter().find(has_key) {
                return Ok(Some(intent));
            }
            if !page.has_more || after.is_none() {
                return Ok(None);
            }
        }
    }
}

/// Expands the charge, which contains refunds and disputes.
const EXPAND: (&str, &str) = ("expand[]", "latest_charge");
const EXPAND_LIST: (&str, &str) = ("expand[]", "data.latest_charge");

#[async_trait]
impl PaymentProvider for Client {
    async fn create_customer(&self, account: &AccountId, email: &str) -> Result<String, PaymentError> {
        let form = [("email", email), ("metadata[account_id]", account.as_str())];
        let key = format!("customer-{account}");
        let response = self.http.post("/v1/customers", &form, Some(&key)).await?;
        Ok(response.read::<CreatedObject>()?.id)
    }

    async fn open_card_form(&self, customer: &str, return_url: &str) -> Result<String, PaymentError> {
        // Stripe replaces the name in braces.
        let success_url = format!("{return_url}?card_form={{CHECKOUT_SESSION_ID}}");
        let form = [
            ("mode", "setup"),
            ("customer", customer),
            ("payment_method_types[]", "card"),
            ("success_url", &success_url),
            ("cancel_url", return_url),
        ];
        // Sends no idempotency key: another form harms nobody.
        let session = self.http.post("/v1/checkout/sessions", &form, None).await?;
        session.read::<CreatedForm>()?.url.ok_or_else(|| PaymentError::Unknown("the form has no URL".into()))
    }

    async fn method_of_card_form(&self, customer: &str, form: &str) -> Result<Option<String>, PaymentError> {
        if !is_id(form) {
            return Ok(None);
        }
        let path = format!("/v1/checkout/sessions/{form}");
        let session = self.http.get(&path, &[("expand[]", "setup_intent")]).await?;
        let session: Option<CheckoutSession> = session.read_if_found()?;
        let complete = session.filter(|session| {
            session.customer.as_deref() == Some(customer) && session.status.as_deref() == Some("complete")
        });
        Ok(complete.and_then(|session| session.setup_intent).and_then(|intent| intent.payment_method))
    }

    async fn save_method(&self, customer: &str, method: &str) -> Result<SavedMethod, PaymentError> {
        if !is_id(method) {
            return Err(PaymentError::Invalid("not a payment method".into()));
        }
        let path = format!("/v1/payment_methods/{method}");
        // Sends no idempotency key: it would return the response of an earlier attachment that was
        // undone since.
        let response = self.http.post(&format!("{path}/attach"), &[("customer", customer)], None).await?;
        let method: Method = match response.read() {
            // It may be attached already, by a call whose response was lost.
            Err(refused @ PaymentError::Invalid(_)) => {
                let found: Option<Method> = self.http.get(&path, &[]).await?.read_if_found()?;
                found.filter(|method| method.customer.as_deref() == Some(customer)).ok_or(refused)?
            }
            result => result?,
        };
        let card = method.card.unwrap_or(Card { brand: method.kind, last4: String::new() });
        Ok(SavedMethod { reference: method.id, brand: card.brand, last4: card.last4 })
    }

    async fn detach_method(&self, customer: &str, method: &str) -> Result<(), PaymentError> {
        if !is_id(method) {
            return Ok(());
        }
        let path = format!("/v1/payment_methods/{method}");
        // Sends no idempotency key: repeating is harmless, and Stripe would return an earlier
        // failure for the same key.
        let response = self.http.post(&format!("{path}/detach"), &[], None).await?;
        match response.read_if_found::<CreatedObject>() {
            // Stripe rejects the request if the method is already detached, so the method itself
            // must be checked.
            Err(refused @ PaymentError::Invalid(_)) => {
                let found: Option<Method> = self.http.get(&path, &[]).await?.read_if_found()?;
                let attached = found.is_some_and(|method| method.customer.as_deref() == Some(customer));
                if attached { Err(refused) } else { Ok(()) }
            }
            Err(error) => Err(error),
            Ok(_) => Ok(()),
        }
    }

    async fn create_payment(&self, request: &PaymentRequest) -> Result<PaymentResult, PaymentError> {
        let amount = request.amount_cents.to_string();
        let off_session = request.off_session.to_string();
        let account_metadata = format!("metadata[{}]", wire::ACCOUNT);
        let key_metadata = format!("metadata[{}]", wire::KEY);
        let mut form = vec![
            ("amount", amount.as_str()),
            ("currency", CURRENCY),
            ("customer", &request.customer),
            ("payment_method", &request.payment_method),
            // Cards only: no redirect-based methods.
            ("payment_method_types[]", "card"),
            ("confirm", "true"),
            ("off_session", &off_session),
            (&account_metadata, request.account.as_str()),
            (&key_metadata, &request.idempotency_key),
        ];
        // A present customer can be redirected to their bank and back.
        form.extend(
            self.return_url.as_deref().filter(|_| !request.off_session).map(|url| ("return_url", url)),
        );
        let response = self.http.post("/v1/payment_intents", &form, Some(&request.idempotency_key)).await?;
        response.payment()
    }

    async fn fetch(&self, lookup: Lookup<'_>) -> Result<Option<super::Payment>, PaymentError> {
        let intent = match lookup {
            Lookup::Reference(id) if !is_id(id) => None,
            Lookup::Reference(id) => {
                let response = self.http.get(&format!("/v1/payment_intents/{id}"), &[EXPAND]).await?;
                response.read_if_found()?
            }
            Lookup::Key { customer, idempotency_key } => self.find(customer, idempotency_key).await?,
        };
        Ok(intent.map(|intent: Intent| intent.payment()))
    }

    async fn list(&self, since: Timestamp, cursor: Option<&str>) -> Result<PaymentPage, PaymentError> {
        let since = since.as_seconds().to_string();
        let mut query = vec![("created[gte]", since.as_str()), ("limit", PAGE_SIZE), EXPAND_LIST];
        query.extend(cursor.map(|id| ("starting_after", id)));
        let page = self.intents(&query).await?;
        let last = page.data.last().map(|intent| intent.id.clone());
        Ok(PaymentPage {
            payments: page.data.iter().map(Intent::payment).collect(),
            next_cursor: last.filter(|_| page.has_more),
        })
    }

    fn parse_notification(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Notification, NotificationError> {
        wire::read_notification(SIGNATURE_HEADER, headers, &self.webhook_secrets, body, now)
    }
}

/// Returns whether a text can be an id. Ids become part of paths.
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
