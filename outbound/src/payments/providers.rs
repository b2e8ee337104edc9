//! Which bank a mode has.

use std::sync::Arc;

use domain::{Mode, Timestamp};
use http::HeaderMap;

use super::{
    Notification, NotificationError, PaymentProvider, PaymentSettings, PaymentSettingsError, ProviderKind,
    open, simulated,
};

/// The banks of both modes. That of test mode is simulated, whatever is configured.
#[derive(Clone)]
pub struct PaymentProviders {
    live: Arc<dyn PaymentProvider>,
    test: simulated::Bank,
}

impl PaymentProviders {
    /// The configured bank for live mode, a simulated one for test mode.
    ///
    /// # Errors
    /// When the configured bank cannot be set up.
    pub fn open(settings: &PaymentSettings) -> Result<Self, PaymentSettingsError> {
        let test = simulated::Bank::open(&settings.simulated)?.with_console(settings.console_url.clone());
        Ok(match settings.provider {
            ProviderKind::Simulated => Self::new(Arc::new(test.clone()), test),
            ProviderKind::Stripe => Self::new(open(settings)?, test),
        })
    }

    /// These banks.
    pub fn new(live: Arc<dyn PaymentProvider>, test: simulated::Bank) -> Self {
        Self { live, test }
    }

    /// Reads what a bank has sent to us, and says of which modes it may speak: those whose bank it is.
    ///
    /// # Errors
    /// When no bank signed it, or it cannot be read.
    pub fn parse_notification(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<(Notification, Vec<Mode>), NotificationError> {
        let mut read = None;
        let mut modes = Vec::new();
        let mut refusal = NotificationError::Unsigned;
        for mode in [Mode::Live, Mode::Test] {
            match self.of(mode).parse_notification(headers, body, now) {
                Ok(notification) => {
                    read = Some(notification);
                    modes.push(mode);
                }
                // Each bank has a header of its own: that one is missing says least.
                Err(NotificationError::Unsigned) => {}
                Err(error) => refusal = error,
            }
        }
        read.map(|notification| (notification, modes)).ok_or(refusal)
    }

    /// The simulated bank, which has no post of its own: whoever embeds it brings what it has to tell.
    pub fn simulated(&self) -> &simulated::Bank {
        &self.test
    }

    /// The bank of a mode.
    pub fn of(&self, mode: Mode) -> &dyn PaymentProvider {
        match mode {
            Mode::Live => self.live.as_ref(),
            Mode::Test => &self.test,
        }
    }
}
