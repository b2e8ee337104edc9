//! Quality of the media.

use serde::{Deserialize, Serialize};

use super::Interval;

/// A warning that the document may lack content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Warning {
    /// Stable code, for example `TEXT_NOT_LOOKED_AT`, `LANGUAGE_NOT_HEARD`, `DARK` or `BLURRED`.
    pub code: String,
    /// Message for people.
    pub message: String,
}

/// Quality of the media, and the parts that couldn't be examined.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Quality {
    /// Share of the sampled frames that are too blurred to use, 0 to 1.
    pub blurred: f64,
    /// Share of the sampled frames that are too dark to use, 0 to 1.
    pub dark: f64,
    /// Stretches without a usable frame.
    pub uncovered: Vec<Interval>,
    /// Warnings about missing content.
    pub warnings: Vec<Warning>,
}
