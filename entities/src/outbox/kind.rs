//! The kinds of outbox entries.

/// Kind of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Start the workflow of a created scan. Subject: the scan.
    ScanWorkflow,
    /// Send the update `start` to the workflow of a charged scan. Subject: the scan.
    ScanStart,
    /// Deliver an event. Subject: the event.
    Event,
    /// Deliver an event to one endpoint again, on request. Subject: the round
    /// ([`crate::webhook_deliveries::Round::subject`]).
    Delivery,
    /// Mail an owner that an endpoint was disabled. Subject: the round that disabled it.
    EndpointMail,
    /// Request a payment from the bank until it is decided. Subject: the payment.
    Payment,
    /// Detach a payment method at the bank. Subject: the method, with its tenant.
    MethodDetach,
    /// Mail an owner that a top-up failed. Subject: the payment.
    RechargeMail,
    /// Send a mail about an account. Subject: the message.
    AccountMail,
    /// Create an archive of an account. Subject: the export.
    Export,
    /// Erase a closed account. Subject: the account.
    Erasure,
    /// Delete objects. Subject: the prefix of their keys.
    Purge,
    /// Delete objects again after all upload URLs have expired. Subject: the prefix of their keys.
    PurgeAgain,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 13] = [
        Kind::ScanWorkflow,
        Kind::ScanStart,
        Kind::Event,
        Kind::Delivery,
        Kind::EndpointMail,
        Kind::Payment,
        Kind::MethodDetach,
        Kind::RechargeMail,
        Kind::AccountMail,
        Kind::Export,
        Kind::Erasure,
        Kind::Purge,
        Kind::PurgeAgain,
    ];

    /// Returns the name used in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::ScanWorkflow => "scan_workflow",
            Kind::ScanStart => "scan_start",
            Kind::Event => "event",
            Kind::Delivery => "delivery",
            Kind::EndpointMail => "endpoint_mail",
            Kind::Payment => "payment",
            Kind::MethodDetach => "method_detach",
            Kind::RechargeMail => "recharge_mail",
            Kind::AccountMail => "account_mail",
            Kind::Export => "export",
            Kind::Erasure => "erasure",
            Kind::Purge => "purge",
            Kind::PurgeAgain => "purge_again",
        }
    }

    /// Parses the result of [`Kind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Returns whether an entry of this kind is parked when it keeps failing. The others are tried
    /// again for ever, every 5 minutes, and each failure is reported as an error.
    pub const fn may_park(self) -> bool {
        match self {
            // A scan or a payment depends on it, or the law demands it.
            Kind::ScanWorkflow | Kind::ScanStart | Kind::Payment | Kind::Export | Kind::Erasure => false,
            // Holds an address, which a parked entry would keep. It is dropped after 3 days.
            Kind::AccountMail => false,
            Kind::Event
            | Kind::Delivery
            | Kind::EndpointMail
            | Kind::MethodDetach
            | Kind::RechargeMail
            | Kind::Purge
            | Kind::PurgeAgain => true,
        }
    }
}
