//! Money in integer US cents, and the prices of scans.

use serde::{Deserialize, Serialize};

use crate::media::InputKind;

/// An amount in US cents. Negative amounts appear only inside ledger entries.
pub type Cents = i64;

/// The only currency of the service.
pub const CURRENCY: &str = "usd";

/// Free scans at sign-up, in each mode.
pub const FREE_SCANS: u32 = 3;

/// Price of a scan, by kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prices {
    /// Price of a video scan, in cents.
    pub video_cents: Cents,
    /// Price of a photo scan, in cents.
    pub frames_cents: Cents,
}

impl Default for Prices {
    fn default() -> Self {
        Self { video_cents: 150, frames_cents: 100 }
    }
}

impl Prices {
    /// Returns the price of a scan of this kind, in cents.
    pub const fn of(&self, kind: InputKind) -> Cents {
        match kind {
            InputKind::Video => self.video_cents,
            InputKind::Frames => self.frames_cents,
        }
    }
}

/// Method of payment of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChargeKind {
    /// One of the account's free scans.
    FreeScan,
    /// The wallet balance.
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

    /// Parses the result of [`ChargeKind::as_str`].
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
    /// Method of payment.
    pub kind: ChargeKind,
    /// Amount charged to the wallet, in cents; 0 for a free scan.
    #[schema(value_type = i64)]
    pub price_cents: Cents,
    /// Whether it was refunded.
    pub refunded: bool,
}
