//! Events that are sent to webhook endpoints and the event stream.

use serde::{Deserialize, Serialize};

use crate::{EventId, Mode, PaymentId, Timestamp, money::Cents, scan::Scan};

/// Types of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub enum EventType {
    /// A scan completed; its Space Document can be read.
    #[serde(rename = "scan.completed")]
    ScanCompleted,
    /// A scan failed and was refunded.
    #[serde(rename = "scan.failed")]
    ScanFailed,
    /// The bank declined an automatic top-up; automatic top-up is then turned off.
    #[serde(rename = "wallet.auto_recharge_failed")]
    WalletAutoRechargeFailed,
}

impl EventType {
    /// All types that an endpoint can subscribe to.
    pub const ALL: [EventType; 3] =
        [EventType::ScanCompleted, EventType::ScanFailed, EventType::WalletAutoRechargeFailed];

    /// Returns the name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            EventType::ScanCompleted => "scan.completed",
            EventType::ScanFailed => "scan.failed",
            EventType::WalletAutoRechargeFailed => "wallet.auto_recharge_failed",
        }
    }

    /// Parses the result of [`EventType::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.as_str() == text)
    }
}

/// The body that is sent to endpoints. It is written once, and every delivery sends the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Event {
    /// Id; the same fact always has the same id.
    #[schema(value_type = String)]
    pub id: EventId,
    /// Always `event`.
    #[schema(pattern = "^event$")]
    pub object: String,
    /// Type of the event.
    #[serde(rename = "type")]
    pub event_type: EventType,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// Time of recording.
    pub created_at: Timestamp,
    /// Payload, depending on the type.
    #[schema(value_type = Object)]
    pub data: EventData,
}

/// Payload of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventData {
    /// Payload of `scan.completed` and `scan.failed`.
    Scan {
        /// The scan at the time of the event.
        scan: Box<Scan>,
    },
    /// Payload of `wallet.auto_recharge_failed`.
    AutoRecharge {
        /// Reason given by the bank.
        reason: String,
        /// Amount of the failed top-up, in cents.
        amount_cents: Cents,
        /// Always false: automatic top-up was turned off.
        auto_recharge_enabled: bool,
    },
    /// Payload of a test event.
    Test {
        /// Always true.
        test: bool,
    },
}

impl Event {
    /// Builds the event of a complete or failed scan.
    ///
    /// # Panics
    /// Panics if the scan is neither complete nor failed.
    pub fn of_scan(scan: Scan, at: Timestamp) -> Self {
        let (id, event_type) = match scan.status {
            crate::ScanStatus::Complete => (EventId::scan_completed(&scan.id), EventType::ScanCompleted),
            crate::ScanStatus::Failed => (EventId::scan_failed(&scan.id), EventType::ScanFailed),
            other => panic!("a scan in status {other} has no event"),
        };
        Self {
            id,
            object: "event".into(),
            event_type,
            livemode: scan.livemode,
            created_at: at,
            data: EventData::Scan { scan: Box::new(scan) },
        }
    }

    /// Builds the event of an automatic top-up that failed.
    pub fn of_failed_recharge(
        payment: &PaymentId,
        mode: Mode,
        reason: &str,
        amount_cents: Cents,
        at: Timestamp,
    ) -> Self {
        Self {
            id: EventId::auto_recharge_failed(payment),
            object: "event".into(),
            event_type: EventType::WalletAutoRechargeFailed,
            livemode: mode.livemode(),
            created_at: at,
            data: EventData::AutoRecharge {
                reason: reason.to_owned(),
                amount_cents,
                auto_recharge_enabled: false,
            },
        }
    }

    /// Returns the mode of the event.
    pub const fn mode(&self) -> Mode {
        Mode::from_livemode(self.livemode)
    }
}
