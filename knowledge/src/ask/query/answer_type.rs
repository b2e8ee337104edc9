//! Types of answers.

use serde::Deserialize;

/// Dimension of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::ask) enum Dimension {
    Length,
    Width,
    Height,
    Depth,
    Area,
    Weight,
    Capacity,
    Other,
}

/// Type of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::ask) enum AnswerType {
    YesNo,
    Price,
    Number,
    Count,
    Year,
    Age,
    Time,
    Duration,
    Frequency,
    Code,
    Phone,
    Email,
    Website,
    Contact,
    Name,
    Place,
    /// A floor of a building.
    Floor,
    Size(Dimension),
    Temperature,
    List,
    /// Colour, light and other looks: answered from attributes of zones only.
    Appearance,
    Text,
}

impl AnswerType {
    /// Whether a person or a team answers or is reached: words for roles say little then.
    pub(super) fn is_personal(self) -> bool {
        matches!(self, Self::Name | Self::Phone | Self::Contact | Self::Email)
    }
}
