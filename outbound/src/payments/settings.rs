//! Settings of the bank.

use std::path::PathBuf;

use domain::Secret;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// Which bank, and how to reach it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PaymentSettings {
    /// Whom the money comes through.
    pub provider: ProviderKind,
    /// Of the simulated bank.
    pub simulated: SimulatedSettings,
    /// Of Stripe.
    pub stripe: StripeSettings,
    /// Where the console's pages are, on which owners confirm payments or to which they come back; of the
    /// server's public address when it is left out.
    pub console_url: Option<String>,
}

/// The banks there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Pretend money, with Stripe's test cards.
    #[default]
    Simulated,
    /// Stripe.
    Stripe,
}

/// Settings of the simulated bank.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SimulatedSettings {
    /// Where it keeps its books; without one it forgets them when the process ends.
    pub folder: Option<PathBuf>,
    /// What it signs its notifications with; when empty, a random one that it keeps in its books.
    pub notification_secret: Secret,
    /// How long its slow cards take, in seconds.
    pub settle_seconds: u64,
}

impl Default for SimulatedSettings {
    fn default() -> Self {
        Self { folder: None, notification_secret: Secret::default(), settle_seconds: 3 }
    }
}

/// Settings of Stripe.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StripeSettings {
    /// `sk_live_…`, or `sk_test_…` for Stripe's own test mode.
    pub secret_key: Secret,
    /// What Stripe signs its notifications with; two while the secret is rotated.
    pub webhook_secrets: Vec<Secret>,
    /// Where Stripe is. Plain HTTP only on loopback (stripe-mock).
    pub base_url: String,
    /// For one call. A payment can take its bank half a minute.
    pub timeout_seconds: u64,
}

impl Default for StripeSettings {
    fn default() -> Self {
        Self {
            secret_key: Secret::default(),
            webhook_secrets: Vec::new(),
            base_url: "https://api.stripe.com".into(),
            timeout_seconds: 60,
        }
    }
}

/// The bank cannot be set up as the settings say.
#[derive(Debug, thiserror::Error)]
pub enum PaymentSettingsError {
    /// A secret that the provider needs is missing.
    #[error("{0} is not set")]
    Missing(&'static str),
    /// `base_url` is not an https address (nor http on loopback).
    #[error("stripe.base_url must be https, or http on loopback")]
    BaseUrl,
    /// A limit of zero would let nothing through.
    #[error("stripe.timeout_seconds must be from 1 to 300")]
    Timeout,
    /// The simulated bank's folder cannot be used.
    #[error("simulated.folder {folder}: {source}")]
    Folder {
        /// The folder named.
        folder: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}

impl PaymentSettings {
    /// Whether real money moves. Stripe's test keys move none.
    pub fn is_live(&self) -> bool {
        let key = self.stripe.secret_key.reveal();
        self.provider == ProviderKind::Stripe && !key.starts_with("sk_test_") && !key.starts_with("rk_test_")
    }

    /// Where customers come back to from the bank's own page.
    pub(super) fn return_url(&self) -> Option<String> {
        Some(format!("{}/payment-returned", self.console_url.as_ref()?))
    }

    /// Checks the settings of the provider in use.
    pub fn validate(&self) -> Result<(), PaymentSettingsError> {
        match self.provider {
            ProviderKind::Simulated => Ok(()),
            ProviderKind::Stripe => self.stripe.validate(),
        }
    }
}

impl StripeSettings {
    fn validate(&self) -> Result<(), PaymentSettingsError> {
        if self.secret_key.reveal().is_empty() {
            return Err(PaymentSettingsError::Missing("stripe.secret_key"));
        }
        if self.webhook_secrets.is_empty() || self.webhook_secrets.iter().any(|s| s.reveal().is_empty()) {
            return Err(PaymentSettingsError::Missing("stripe.webhook_secrets"));
        }
        if !(1..=300).contains(&self.timeout_seconds) {
            return Err(PaymentSettingsError::Timeout);
        }
        self.base().map(|_| ())
    }

    /// The base address, with a path that others can be joined to.
    pub(super) fn base(&self) -> Result<Url, PaymentSettingsError> {
        let url = Url::parse(&self.base_url).map_err(|_| PaymentSettingsError::BaseUrl)?;
        let on_loopback = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        let secure = url.scheme() == "https" || (url.scheme() == "http" && on_loopback);
        if secure && url.path() == "/" && url.query().is_none() {
            Ok(url)
        } else {
            Err(PaymentSettingsError::BaseUrl)
        }
    }
}
