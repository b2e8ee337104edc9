//! Money: integer US cents, and what a scan costs.

use serde::{Deserialize, Serialize};

use crate::media::InputKind;

/// An amount in US cents. Negative amounts appear only inside ledger entries.
pub type Cents = i64;

/// The one currency of the service.
pub const CURRENCY: &str = "usd";

/// Free scans at sign-up, in each mode.
pub const FREE_SCANS: u32 = 3;

/// What a scan costs, by kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// A scan of a video, in cents.
    pub video_cents: Cents,
    /// A scan of photos, in cents.
    pub frames_cents: Cents,
}

impl Default for Prices {
    fn default() -> Self {
        Self { video_cents: 150, frames_cents: 100 }
    }
}

impl Prices {
    /// The price of one scan of this kind, in cents.
    pub const fn of(&self, kind: InputKind) -> Cents {
        match kind {
            InputKind::Video => self.video_cents,
            InputKind::Frames => self.frames_cents,
        }
    }
}

/// How a scan was paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChargeKind {
    /// One of the account's free scans.
    FreeScan,
    /// From the wallet balance.
    ScanCharge,
}

impl ChargeKind {
    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            ChargeKind::FreeScan => "free_scan",
            ChargeKind::ScanCharge => "scan_charge",
        }
    }

    /// Reads [`ChargeKind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "free_scan" => Some(ChargeKind::FreeScan),
            "scan_charge" => Some(ChargeKind::ScanCharge),
            _ => None,
        }
    }
}

/// The `charge` object of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Charge {
    /// How the scan was paid.
    pub kind: ChargeKind,
    /// What was taken from the wallet, in cents; 0 for a free scan.
    #[schema(value_type = i64)]
    pub price_cents: Cents,
    /// Whether it was given back.
    pub refunded: bool,
}
