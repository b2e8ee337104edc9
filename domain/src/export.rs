//! Archives of everything that an account has.

use serde::{Deserialize, Serialize};

/// How an export stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportState {
    /// It is being made.
    Pending,
    /// It can be downloaded.
    Ready,
    /// It is gone.
    Expired,
}

impl ExportState {
    /// Every state.
    pub const ALL: [ExportState; 3] = [Self::Pending, Self::Ready, Self::Expired];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            ExportState::Pending => "pending",
            ExportState::Ready => "ready",
            ExportState::Expired => "expired",
        }
    }

    /// Reads [`ExportState::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}
