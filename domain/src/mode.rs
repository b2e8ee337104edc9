//! Test and live mode. The two modes share no data.

use serde::{Deserialize, Serialize};

/// The mode of a key, space, scan, wallet or event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Simulated money; never reaches a bank.
    Test,
    /// Real money.
    Live,
}

impl Mode {
    /// Returns the `livemode` flag of resources.
    pub const fn livemode(self) -> bool {
        matches!(self, Mode::Live)
    }

    /// Returns the mode of a stored `livemode` flag.
    pub const fn from_livemode(livemode: bool) -> Self {
        if livemode { Mode::Live } else { Mode::Test }
    }

    /// Returns `test` or `live`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Test => "test",
            Mode::Live => "live",
        }
    }
}

/// The account and mode whose rows a query may see. Every finder takes one, so that a query cannot
/// reach rows of another account or mode because of a forgotten filter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tenant {
    /// The owning account.
    pub account_id: crate::AccountId,
    /// Test or live.
    pub mode: Mode,
}
