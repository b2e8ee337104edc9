//! Typed, prefixed, sortable ids: `spc_01J…`. The part after the prefix is a ULID in lower case.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ulid::Ulid;

/// A string is not an id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {expected} id")]
pub struct InvalidId {
    /// The expected prefix, for example `spc_`.
    pub expected: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Prefix of every id of this kind.
            pub const PREFIX: &'static str = $prefix;

            /// Generates an id. Ids sort by creation time, with millisecond resolution.
            #[expect(clippy::new_without_default, reason = "each call returns another id")]
            pub fn new() -> Self {
                Self(format!("{}{}", Self::PREFIX, Ulid::new().to_string().to_ascii_lowercase()))
            }

            /// Returns the id as a string.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Wraps an id that this service wrote itself (a database column, a workflow input)
            /// without checking it. Use [`FromStr`] for input from outside.
            pub fn trusted(text: impl Into<String>) -> Self {
                Self(text.into())
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let invalid = InvalidId { expected: Self::PREFIX };
                let rest = text.strip_prefix(Self::PREFIX).ok_or(invalid.clone())?;
                // A ULID has 128 of the 130 bits of 26 base-32 digits: the first is at most 7.
                let canonical = rest.len() == 26
                    && rest.as_bytes()[0] <= b'7'
                    && rest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase())
                    && Ulid::from_string(rest).is_ok();
                if canonical { Ok(Self(text.to_owned())) } else { Err(invalid) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some(concat!("^", $prefix, "[0-7][0-9a-hjkmnp-tv-z]{25}$")))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )*};
}

ids! {
    /// A space: the physical place that is scanned.
    SpaceId = "spc_";
    /// One scan of a space.
    ScanId = "scn_";
    /// An API key (its public id, never the secret).
    KeyId = "key_";
    /// A webhook endpoint.
    WebhookEndpointId = "whe_";
    /// A person who can log in.
    UserId = "usr_";
    /// The tenant that owns spaces, keys and money.
    AccountId = "acc_";
    /// One request to the API. Customers quote it to support.
    RequestId = "req_";
    /// One ledger transaction.
    TransactionId = "txn_";
    /// One payment, successful or not; also its idempotency key at the bank.
    PaymentId = "pay_";
    /// A console session (its public id, never the cookie's secret).
    SessionId = "ses_";
    /// One mailed message; a resent message keeps its id.
    MessageId = "msg_";
    /// An archive of all data of an account.
    ExportId = "exp_";
    /// A correction of a document by its owner.
    CorrectionId = "cor_";
    /// A link that shows one document to anybody who has it.
    ShareId = "shr_";
}

/// Id of an event. The same fact always has the same id: the id of a scan's event derives from the
/// scan (`evt_<scan_id>_completed`). It is therefore not a ULID id like those above.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(String);

impl EventId {
    /// Returns the id of the event that a scan completed.
    pub fn scan_completed(scan: &ScanId) -> Self {
        Self(format!("evt_{scan}_completed"))
    }

    /// Returns the id of the event that a scan failed and was refunded.
    pub fn scan_failed(scan: &ScanId) -> Self {
        Self(format!("evt_{scan}_failed"))
    }

    /// Returns the id of the event that an automatic top-up failed.
    pub fn auto_recharge_failed(payment: &PaymentId) -> Self {
        Self(format!("evt_{payment}_failed"))
    }

    /// Returns the id of an event about another one-time fact, for example `test_<request id>`.
    pub fn of(fact: &str) -> Self {
        Self(format!("evt_{fact}"))
    }

    /// Returns the id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Wraps an event id that this service wrote itself, or one to look up that may not exist.
    pub fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_and_refuse_others() {
        let id = SpaceId::new();
        assert_eq!(id.as_str().parse::<SpaceId>().unwrap(), id);
        for bad in [
            "",
            "spc_",
            "scn_01arz3ndektsv4rrffq69g5fav",
            "spc_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "spc_01arz3ndektsv4rrffq69g5fa!",
            "spc_zzzzzzzzzzzzzzzzzzzzzzzzzz",
        ] {
            assert!(bad.parse::<SpaceId>().is_err(), "{bad} was accepted");
        }
    }

    #[test]
    fn event_ids_are_stable_for_the_same_fact() {
        let scan = ScanId::new();
        assert_eq!(EventId::scan_completed(&scan).as_str(), format!("evt_{scan}_completed"));
        assert_eq!(EventId::scan_completed(&scan), EventId::scan_completed(&scan));
    }
}
