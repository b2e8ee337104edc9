//! Events: facts that webhook endpoints and the event stream are told of.

use serde::{Deserialize, Serialize};

use crate::{EventId, Mode, PaymentId, Timestamp, money::Cents, scan::Scan};

/// The kinds of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub enum EventType {
    /// A scan finished.
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
    /// Every type an endpoint can subscribe to.
    pub const ALL: [EventType; 3] =
        [EventType::ScanCompleted, EventType::ScanFailed, EventType::WalletAutoRechargeFailed];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            EventType::ScanCompleted => "scan.completed",
            EventType::ScanFailed => "scan.failed",
            EventType::WalletAutoRechargeFailed => "wallet.auto_recharge_failed",
        }
    }

    /// Reads [`EventType::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.as_str() == text)
    }
}

/// The body that is sent to endpoints. It is written once; every delivery sends the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Event {
    /// Id; the same fact always has the same id.
    #[schema(value_type = String)]
    pub id: EventId,
    /// Always `event`.
    #[schema(pattern = "^event$")]
    pub object: String,
    /// See [`EventType`].
    #[serde(rename = "type")]
    pub event_type: EventType,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// Time of recording.
    pub created_at: Timestamp,
    /// By type.
    #[schema(value_type = Object)]
    pub data: EventData,
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventData {
    /// Of `scan.completed` and `scan.failed`.
    Scan {
        /// The scan as it was then.
        scan: Box<Scan>,
    },
    /// Of `wallet.auto_recharge_failed`.
    AutoRecharge {
        /// What the bank said.
        reason: String,
        /// What should have been topped up.
        amount_cents: Cents,
        /// Always false: automatic top-up is off now.
        auto_recharge_enabled: bool,
    },
    /// Of a test send.
    Test {
        /// Always true.
        test: bool,
    },
}

impl Event {
    /// The event that a finished scan (complete or failed) gives rise to.
    ///
    /// # Panics
    /// When the scan is neither complete nor failed: the caller has just made it so.
    pub fn of_scan(scan: Scan, at: Timestamp) -> Self {
        let (id, event_type) = match scan.status {
            crate::ScanStatus::Complete => (EventId::scan_completed(&scan.id), EventType::ScanCompleted),
            crate::ScanStatus::Failed => (EventId::scan_failed(&scan.id), EventType::ScanFailed),
            other => panic!("a scan that is {other} gives rise to no event"),
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

    /// The event that an automatic top-up gives rise to which the bank did not pay.
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

    /// The mode the event belongs to.
    pub const fn mode(&self) -> Mode {
        Mode::from_livemode(self.livemode)
    }
}
