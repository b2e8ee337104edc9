//! Zones of a space and the passages between them.

use serde::{Deserialize, Serialize};

use super::{AttributeName, Claim, Interval};

/// An area of the space, usually a room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Zone {
    /// `zon_<number in order of the first visit>`.
    pub id: String,
    /// Display name: the claimed room types, or `Zone 2`.
    pub label: String,
    /// Claimed room types; empty if unknown.
    pub types: Vec<Claim>,
    /// Visits. Several intervals mean that the zone was visited again.
    pub intervals: Vec<Interval>,
    /// The frame that shows it best.
    pub best_frame_id: String,
    /// Its frames, in order.
    pub frame_ids: Vec<String>,
    /// Light, colours and other attributes.
    pub attributes: Vec<Attribute>,
    /// Share of its time that usable frames cover, 0 to 1.
    pub coverage: f64,
}

/// An attribute of a zone, as a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Attribute {
    /// Name, for example `light` or `dominant_colours`.
    #[schema(value_type = String)]
    pub name: AttributeName,
    /// The claimed value.
    pub claim: Claim,
}

/// A passage from one zone to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Opening {
    /// `opn_<number>`.
    pub id: String,
    /// The zone that the walk left, an id of `zones[]`.
    pub from_zone_id: String,
    /// The zone that the walk entered, an id of `zones[]`.
    pub to_zone_id: String,
    /// The claim that the walk went from one to the other.
    pub claim: Claim,
}
