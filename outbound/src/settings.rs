//! Settings of everything that calls the outside.

use serde::{Deserialize, Serialize};

use crate::{
    dial::{DialSettings, DialSettingsError},
    mail::{MailSettings, MailSettingsError},
    payments::{PaymentSettings, PaymentSettingsError},
    seal::{SealSettings, SealSettingsError, Sealer},
};

/// The sections of the configuration that this crate reads.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where webhooks may go.
    pub webhooks: DialSettings,
    /// Master keys for secrets at rest.
    pub seal: SealSettings,
    /// The bank.
    pub payments: PaymentSettings,
    /// Where mail goes.
    pub mail: MailSettings,
}

/// A section cannot be used as it is.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// `webhooks`.
    #[error("webhooks: {0}")]
    Webhooks(#[from] DialSettingsError),
    /// `seal`.
    #[error("seal: {0}")]
    Seal(#[from] SealSettingsError),
    /// `payments`.
    #[error("payments: {0}")]
    Payments(#[from] PaymentSettingsError),
    /// `mail`.
    #[error("mail: {0}")]
    Mail(#[from] MailSettingsError),
}

impl Settings {
    /// Checks everything that can be checked without a call or a file. `live_payments` says whether
    /// real money moves ([`PaymentSettings::is_live`]): then what only tests and the demo need is refused.
    pub fn validate(&self, live_payments: bool) -> Result<(), SettingsError> {
        self.webhooks.validate(live_payments)?;
        Sealer::new(&self.seal)?;
        self.payments.validate()?;
        self.mail.validate()?;
        Ok(())
    }
}
