//! Test and live: two worlds that never see each other.

use serde::{Deserialize, Serialize};

/// The world a key, space, scan, wallet or event belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Pretend money; never reaches a bank.
    Test,
    /// Real money.
    Live,
}

impl Mode {
    /// The `livemode` flag of resources.
    pub const fn livemode(self) -> bool {
        matches!(self, Mode::Live)
    }

    /// The mode a stored `livemode` flag stands for.
    pub const fn from_livemode(livemode: bool) -> Self {
        if livemode { Mode::Live } else { Mode::Test }
    }

    /// `test` or `live`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Test => "test",
            Mode::Live => "live",
        }
    }
}

/// The tenant and the world that a query is allowed to see. Every finder asks for one, so that a
/// row of another account or of the other mode cannot be reached by forgetting a filter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tenant {
    /// The owning account.
    pub account_id: crate::AccountId,
    /// Test or live.
    pub mode: Mode,
}
