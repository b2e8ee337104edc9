//! Settings of outgoing connections.

use serde::{Deserialize, Serialize};

use crate::{
    dial::{DialSettings, DialSettingsError},
    mail::{MailSettings, MailSettingsError},
    payments::{PaymentSettings, PaymentSettingsError},
    seal::{SealSettings, SealSettingsError, Sealer},
};

/// Settings of outgoing connections.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Webhook requests.
    pub webhooks: DialSettings,
    /// Encryption of stored secrets.
    pub seal: SealSettings,
    /// Payments.
    pub payments: PaymentSettings,
    /// Outgoing mail.
    pub mail: MailSettings,
}

/// Error of an invalid section.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The section `webhooks` is invalid.
    #[error("webhooks: {0}")]
    Webhooks(#[from] DialSettingsError),
    /// The section `seal` is invalid.
    #[error("seal: {0}")]
    Seal(#[from] SealSettingsError),
    /// The section `payments` is invalid.
    #[error("payments: {0}")]
    Payments(#[from] PaymentSettingsError),
    /// The section `mail` is invalid.
    #[error("mail: {0}")]
    Mail(#[from] MailSettingsError),
}

impl Settings {
    /// Validates everything that can be checked without a call or a file. `live_payments` says
    /// whether real money moves ([`PaymentSettings::is_live`]); settings for tests and the demo are
    /// rejected then.
    pub fn validate(&self, live_payments: bool) -> Result<(), SettingsError> {
        self.webhooks.validate(live_payments)?;
        Sealer::new(&self.seal)?;
        self.payments.validate()?;
        self.mail.validate()?;
        Ok(())
    }
}
