//! Account exports: archives of all data of an account.

use serde::{Deserialize, Serialize};

/// State of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportState {
    /// The archive is being created.
    Pending,
    /// The archive can be downloaded.
    Ready,
    /// The archive was deleted.
    Expired,
}

impl ExportState {
    /// All states.
    pub const ALL: [ExportState; 3] = [Self::Pending, Self::Ready, Self::Expired];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            ExportState::Pending => "pending",
            ExportState::Ready => "ready",
            ExportState::Expired => "expired",
        }
    }

    /// Parses the result of [`ExportState::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}
