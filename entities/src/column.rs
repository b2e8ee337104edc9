//! Column types for the types of `domain`: ids and enums are stored as TEXT, times as milliseconds,
//! structures as JSON text. Each wrapper dereferences to the value it holds.

use std::ops::Deref;

use domain::{
    EventId, ScanStatus, Stage, Timestamp,
    event::EventType,
    media::UploadSlot,
    money::ChargeKind,
    payment::{PaymentKind, PaymentState},
    search::EntryKind,
};
use sea_orm::{
    ActiveValue, ColIdx, ColumnType, DbErr, IntoActiveValue, QueryResult, TryFromU64, TryGetError,
    TryGetable, Value,
    sea_query::{ArrayType, Nullable, ValueType, ValueTypeErr},
};
use serde::{Serialize, de::DeserializeOwned};

/// A value that is stored as text.
pub trait TextColumn: Sized {
    /// Returns the stored text.
    fn to_text(&self) -> String;
    /// Parses the stored text. Returns `None` if it is invalid.
    fn from_text(text: String) -> Option<Self>;
}

/// A value stored as TEXT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<T>(pub T);

/// A time stored as BIGINT, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub Timestamp);

/// A structure stored as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<T>(pub T);

macro_rules! text_by_id {
    ($($name:ty),*) => {$(
        impl TextColumn for $name {
            fn to_text(&self) -> String {
                self.as_str().to_owned()
            }
            fn from_text(text: String) -> Option<Self> {
                Some(Self::trusted(text))
            }
        }
    )*};
}

macro_rules! text_by_name {
    ($($name:ty),*) => {$(
        impl TextColumn for $name {
            fn to_text(&self) -> String {
                self.as_str().to_owned()
            }
            fn from_text(text: String) -> Option<Self> {
                Self::parse(&text)
            }
        }
    )*};
}

text_by_id!(
    domain::AccountId,
    domain::CorrectionId,
    domain::ExportId,
    domain::KeyId,
    domain::PaymentId,
    domain::ScanId,
    domain::SessionId,
    domain::ShareId,
    domain::SpaceId,
    domain::TransactionId,
    domain::UserId,
    domain::WebhookEndpointId,
    EventId
);
text_by_name!(
    ScanStatus,
    Stage,
    domain::scan::WaitCause,
    ChargeKind,
    EventType,
    PaymentKind,
    PaymentState,
    domain::ExportState,
    domain::document::CorrectedField,
    domain::TokenPurpose,
    EntryKind,
    crate::outbox::kind::Kind,
    crate::webhook_deliveries::DeliveryStatus,
    crate::ledger_transactions::TransactionKind,
    crate::ledger_entries::Commodity
);

impl TextColumn for UploadSlot {
    fn to_text(&self) -> String {
        match self {
            UploadSlot::Video => "video".into(),
            UploadSlot::Frame(index) => format!("frame:{index:05}"),
        }
    }

    fn from_text(text: String) -> Option<Self> {
        match text.as_str() {
            "video" => Some(UploadSlot::Video),
            other => other.strip_prefix("frame:")?.parse().ok().map(UploadSlot::Frame),
        }
    }
}

impl<T> Deref for Text<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Deref for Json<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl Deref for Millis {
    type Target = Timestamp;
    fn deref(&self) -> &Timestamp {
        &self.0
    }
}

impl<T> From<T> for Text<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: Clone> From<&T> for Text<T> {
    fn from(value: &T) -> Self {
        Self(value.clone())
    }
}

impl From<Timestamp> for Millis {
    fn from(value: Timestamp) -> Self {
        Self(value)
    }
}

impl<T: TextColumn> From<Text<T>> for Value {
    fn from(text: Text<T>) -> Value {
        text.0.to_text().into()
    }
}

impl From<Millis> for Value {
    fn from(millis: Millis) -> Value {
        millis.0.as_millis().into()
    }
}

impl<T: Serialize> From<Json<T>> for Value {
    fn from(json: Json<T>) -> Value {
        // Stored values consist of structs, maps with string keys and numbers, so serialization
        // cannot fail.
        serde_json::to_string(&json.0).unwrap_or_else(|_| "null".into()).into()
    }
}

fn invalid<T>(text: &str) -> DbErr {
    DbErr::Type(format!("{text:?} is not a valid {}", std::any::type_name::<T>()))
}

fn read_text<T: TextColumn>(text: String) -> Result<T, DbErr> {
    T::from_text(text.clone()).ok_or_else(|| invalid::<T>(&text))
}

fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, DbErr> {
    serde_json::from_str(text).map_err(|e| DbErr::Json(format!("{} as {}", e, std::any::type_name::<T>())))
}

/// Implements the traits that sea-orm requires of a column type, by delegating to the stored type.
macro_rules! column {
    ([$($generics:tt)*] $name:ty, stored as $stored:ty, read with $read:expr) => {
        impl<$($generics)*> TryGetable for $name {
            fn try_get_by<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
                let stored = <$stored>::try_get_by(row, index)?;
                Ok(Self($read(stored)?))
            }
        }
        impl<$($generics)*> ValueType for $name {
            fn try_from(value: Value) -> Result<Self, ValueTypeErr> {
                let stored = <$stored as ValueType>::try_from(value)?;
                $read(stored).map(Self).map_err(|_: DbErr| ValueTypeErr)
            }
            fn type_name() -> String {
                stringify!($name).into()
            }
            fn array_type() -> ArrayType {
                <$stored as ValueType>::array_type()
            }
            fn column_type() -> ColumnType {
                <$stored as ValueType>::column_type()
            }
        }
        impl<$($generics)*> Nullable for $name {
            fn null() -> Value {
                <$stored as Nullable>::null()
            }
        }
        impl<$($generics)*> TryFromU64 for $name {
            fn try_from_u64(_: u64) -> Result<Self, DbErr> {
                Err(DbErr::ConvertFromU64(stringify!($name)))
            }
        }
        impl<$($generics)*> IntoActiveValue<$name> for $name {
            fn into_active_value(self) -> ActiveValue<Self> {
                ActiveValue::Set(self)
            }
        }
    };
}

column!([T: TextColumn] Text<T>, stored as String, read with read_text);
column!([T: Serialize + DeserializeOwned] Json<T>, stored as String, read with |text: String| read_json(&text));
column!([] Millis, stored as i64, read with |millis| Ok::<_, DbErr>(Timestamp::from_millis(millis)));

/// JSON in a text column. Text that is not JSON is read as `null`, so that one broken row does not
/// hide the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LenientJson(pub serde_json::Value);

impl TextColumn for LenientJson {
    fn to_text(&self) -> String {
        self.0.to_string()
    }

    fn from_text(text: String) -> Option<Self> {
        Some(Self(serde_json::from_str(&text).unwrap_or_default()))
    }
}

impl Deref for LenientJson {
    type Target = serde_json::Value;
    fn deref(&self) -> &serde_json::Value {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_round_trip_and_sort_by_index() {
        for slot in [UploadSlot::Video, UploadSlot::Frame(0), UploadSlot::Frame(12), UploadSlot::Frame(499)] {
            assert_eq!(UploadSlot::from_text(slot.to_text()), Some(slot));
        }
        assert_eq!(UploadSlot::Frame(12).to_text(), "frame:00012");
        for invalid in ["", "frame:", "frame:x", "audio"] {
            assert_eq!(UploadSlot::from_text(invalid.into()), None, "{invalid}");
        }
    }

    #[test]
    fn unknown_stored_name_is_an_error() {
        assert!(read_text::<ScanStatus>("done".into()).is_err());
        assert!(<Text<Stage> as ValueType>::try_from("guessing".into()).is_err());
    }

    #[test]
    fn text_that_is_not_json_reads_as_null() {
        assert_eq!(LenientJson::from_text("{".into()), Some(LenientJson(serde_json::Value::Null)));
        let value = LenientJson(serde_json::json!({ "a": [1] }));
        assert_eq!(LenientJson::from_text(value.to_text()), Some(value));
    }
}
