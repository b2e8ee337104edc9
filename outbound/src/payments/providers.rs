//! Selects the payment provider of a mode.

use std::sync::Arc;

use domain::{Mode, Timestamp};
use http::HeaderMap;

use super::{
    Notification, NotificationError, PaymentProvider, PaymentSettings, PaymentSettingsError, ProviderKind,
    absent::Absent, open, simulated,
};

/// The payment providers of both modes. Test mode always has the simulated bank.
#[derive(Clone)]
pub struct PaymentProviders {
    /// `None` if live mode takes no payments.
    live: Option<Arc<dyn PaymentProvider>>,
    test: simulated::Bank,
}

impl PaymentProviders {
    /// Opens the configured provider for live mode and the simulated bank for test mode.
    ///
    /// # Errors
    /// Returns an error if the configured provider cannot be set up.
    pub fn open(settings: &PaymentSettings) -> Result<Self, PaymentSettingsError> {
        let test = simulated::Bank::open(&settings.simulated)?.with_console(settings.console_url.clone());
        let live = match settings.provider {
            // One bank for both modes, so that their state is in one place.
            ProviderKind::Simulated => Some(Arc::new(test.clone()) as Arc<dyn PaymentProvider>),
            ProviderKind::None | ProviderKind::Stripe => open(settings)?,
        };
        Ok(Self { live, test })
    }

    /// Combines two providers.
    pub fn new(live: Arc<dyn PaymentProvider>, test: simulated::Bank) -> Self {
        Self { live: Some(live), test }
    }

    /// Returns providers whose live mode takes no payments.
    pub fn without_live(test: simulated::Bank) -> Self {
        Self { live: None, test }
    }

    /// Returns whether a mode takes payments. If not, every call to its provider fails.
    pub fn takes_payments(&self, mode: Mode) -> bool {
        mode == Mode::Test || self.live.is_some()
    }

    /// Verifies and parses a notification. Also returns the modes whose provider signed it.
    ///
    /// # Errors
    /// Returns an error if no provider signed the notification, or it is malformed.
    pub fn parse_notification(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<(Notification, Vec<Mode>), NotificationError> {
        let mut parsed = None;
        let mut modes = Vec::new();
        let mut rejection = NotificationError::Unsigned;
        for mode in [Mode::Live, Mode::Test] {
            match self.of(mode).parse_notification(headers, body, now) {
                Ok(notification) => {
                    parsed = Some(notification);
                    modes.push(mode);
                }
                // Each provider has its own signature header. A missing header is the least
                // specific error.
                Err(NotificationError::Unsigned) => {}
                Err(error) => rejection = error,
            }
        }
        parsed.map(|notification| (notification, modes)).ok_or(rejection)
    }

    /// Returns the simulated bank. Its host must deliver its notifications.
    pub fn simulated(&self) -> &simulated::Bank {
        &self.test
    }

    /// Returns the provider of a mode.
    pub fn of(&self, mode: Mode) -> &dyn PaymentProvider {
        match mode {
            Mode::Live => self.live.as_deref().unwrap_or(&Absent),
            Mode::Test => &self.test,
        }
    }
}
