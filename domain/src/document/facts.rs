//! Facts: statements in texts and narration that were parsed into values.

use serde::{Deserialize, Serialize};

use super::{Claim, FactKind, PrivacyKind};

/// A statement of a known kind, for example a price or what is included. Measurements are listed in
/// `measurements[]`.
///
/// | kind | `value` | `amount`, `unit` |
/// |---|---|---|
/// | `price` | as stated, for example `940 EUR` | the amount and, if known, the currency as an ISO 4217 code |
/// | `date` | ISO 8601, as far as known: `2021`, `2021-03`, `2021-03-12`; without a year `--03` or `--03-12` | – |
/// | `time` | 24 hours, for example `22:00` | – |
/// | `opening_hours` | in the syntax of OpenStreetMap's `opening_hours`, for example `Mo-Fr 09:00-17:00` | – |
/// | `phone` | digits, with a leading `+` if it has one | – |
/// | `email`, `url` | lower case, without a trailing `/` | – |
/// | `inclusion` | the thing that comes with the space, or does not if `negated` | – |
/// | `condition` | the state, for example `renovated` | – |
/// | `amenity` | the amenity, for example `parking` | – |
/// | `rule` | the thing that is allowed, or is not if `negated`, for example `smoking` | – |
/// | `code` | a number or code that names something, for example a room or a tax band | – |
/// | `credential` | the secret | – |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Fact {
    /// `fct_<number>`.
    pub id: String,
    /// Kind of the fact.
    #[schema(value_type = String)]
    pub kind: FactKind,
    /// The subject in the words of the source, lower case and without articles, for example `rent`
    /// or `boiler`. Absent if the source names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The normalised value; the table above gives its form.
    pub value: String,
    /// The number in the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<f64>,
    /// Unit of the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Period that a price covers: `hour`, `day`, `night`, `week`, `month` or `year`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
    /// True if the source denies it ("the bed does not stay").
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
    /// The zone it is about, an id of `zones[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// The board that it stands on, an id of `boards[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board_id: Option<String>,
    /// The words that state it, as a claim.
    pub claim: Claim,
}

/// A reason to handle frames or texts with care.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PrivacyFlag {
    /// `prv_<number>`.
    pub id: String,
    /// `person` or `credential`.
    #[schema(value_type = String)]
    pub kind: PrivacyKind,
    /// The claim. Its evidence lists the frames and boxes that show it. Its value never contains
    /// the secret.
    pub claim: Claim,
}
