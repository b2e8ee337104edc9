//! Settings of payments.

use std::path::PathBuf;

use domain::Secret;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// Settings of payments.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PaymentSettings {
    /// Payment provider of live mode: `none`, `simulated` or `stripe`. Test mode is always simulated.
    /// `scan up` sets `simulated`.
    pub provider: ProviderKind,
    /// Settings of the simulated bank.
    pub simulated: SimulatedSettings,
    /// Settings of Stripe.
    pub stripe: StripeSettings,
    /// URL of the console, on whose pages owners confirm payments or to which they return from the
    /// bank. Defaults to the public URL of the server.
    pub console_url: Option<String>,
}

/// The payment providers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Live mode takes no payments: wallets cannot be topped up.
    #[default]
    None,
    /// Simulated money, with Stripe's test cards.
    Simulated,
    /// Stripe.
    Stripe,
}

/// Settings of the simulated bank.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SimulatedSettings {
    /// Folder for the state of the simulated bank. If not set, the state is lost when the process
    /// ends.
    pub folder: Option<PathBuf>,
    /// Secret that signs the notifications of the simulated bank. If empty, the bank generates one
    /// and stores it with its state.
    pub notification_secret: Secret,
    /// Time after which payments with slow test cards are decided, in seconds.
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
    /// Secret key, `sk_live_…` or `rk_live_…`. A test key is refused unless `base_url` is on loopback.
    pub secret_key: Secret,
    /// Signing secrets of Stripe's webhooks. Two during a rotation.
    pub webhook_secrets: Vec<Secret>,
    /// Base URL of Stripe's API. Plain HTTP is allowed only on loopback (stripe-mock).
    pub base_url: String,
    /// Maximum time of a call in seconds; 1 to 300. A payment can take half a minute.
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

/// Error of invalid payment settings.
#[derive(Debug, thiserror::Error)]
pub enum PaymentSettingsError {
    /// A secret that the provider needs is missing.
    #[error("{0} is not set")]
    Missing(&'static str),
    /// The secret key belongs to Stripe's test mode, whose payments move no money.
    #[error("stripe.secret_key is a test key, but live mode credits real money")]
    TestKey,
    /// `base_url` is neither an https URL nor http on loopback.
    #[error("stripe.base_url must be https, or http on loopback")]
    BaseUrl,
    /// The timeout is out of range.
    #[error("stripe.timeout_seconds must be from 1 to 300")]
    Timeout,
    /// The folder of the simulated bank cannot be used.
    #[error("simulated.folder {folder}: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}

impl PaymentSettings {
    /// Returns whether real money moves. Stripe's test keys move none.
    pub fn is_live(&self) -> bool {
        self.provider == ProviderKind::Stripe && !self.stripe.has_test_key()
    }

    /// Returns the URL to which customers return from the bank's page.
    pub(super) fn return_url(&self) -> Option<String> {
        Some(format!("{}/payment-returned", self.console_url.as_ref()?))
    }

    /// Validates the settings of the selected provider.
    pub fn validate(&self) -> Result<(), PaymentSettingsError> {
        match self.provider {
            ProviderKind::None | ProviderKind::Simulated => Ok(()),
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
        let base = self.base()?;
        if self.has_test_key() && !is_on_loopback(&base) {
            return Err(PaymentSettingsError::TestKey);
        }
        Ok(())
    }

    fn has_test_key(&self) -> bool {
        let key = self.secret_key.reveal();
        key.starts_with("sk_test_") || key.starts_with("rk_test_")
    }

    /// Returns the base URL, to which paths can be joined.
    pub(super) fn base(&self) -> Result<Url, PaymentSettingsError> {
        let url = Url::parse(&self.base_url).map_err(|_| PaymentSettingsError::BaseUrl)?;
        let secure = url.scheme() == "https" || (url.scheme() == "http" && is_on_loopback(&url));
        if secure && url.path() == "/" && url.query().is_none() {
            Ok(url)
        } else {
            Err(PaymentSettingsError::BaseUrl)
        }
    }
}

fn is_on_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}
