//! Which bank a mode has.

use std::sync::Arc;

use domain::Mode;

use super::{PaymentSettings, PaymentSettingsError, Payments, Provider, open, simulated};

/// The banks of both modes. That of test mode is simulated, whatever is configured.
#[derive(Clone)]
pub struct Banks {
    live: Arc<dyn Payments>,
    test: simulated::Bank,
}

impl Banks {
    /// The configured bank for live mode, a simulated one for test mode.
    ///
    /// # Errors
    /// When the configured bank cannot be set up.
    pub fn open(settings: &PaymentSettings) -> Result<Self, PaymentSettingsError> {
        let test = simulated::Bank::open(&settings.simulated)?;
        Ok(match settings.provider {
            Provider::Simulated => Self::new(Arc::new(test.clone()), test),
            Provider::Stripe => Self::new(open(settings)?, test),
        })
    }

    /// These banks.
    pub fn new(live: Arc<dyn Payments>, test: simulated::Bank) -> Self {
        Self { live, test }
    }

    /// The bank of a mode.
    pub fn of(&self, mode: Mode) -> &dyn Payments {
        match mode {
            Mode::Live => self.live.as_ref(),
            Mode::Test => &self.test,
        }
    }
}
