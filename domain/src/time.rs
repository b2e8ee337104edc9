//! Timestamps: stored as milliseconds since the Unix epoch, written as ISO 8601 in UTC.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::{OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

/// A timestamp with millisecond resolution, written as `2026-11-21T09:37:00.000Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Returns the time of this machine's clock. Never call it from workflow code, which uses
    /// `workflow_time`.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    pub fn now() -> Self {
        Self::from(std::time::SystemTime::now())
    }

    /// Converts milliseconds since the Unix epoch, as stored in the database.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since the Unix epoch, rounded down.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Returns the time `duration` later.
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Returns the time `duration` earlier.
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Returns the duration since `earlier`, or zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Returns the calendar month in UTC, for example `2026-11`. Spending caps apply per month.
    pub fn month(self) -> String {
        let t = self.calendar();
        format!("{:04}-{:02}", t.year(), u8::from(t.month()))
    }

    /// Returns the calendar day in UTC, for example `2026-11-21`. Daily limits apply per day.
    pub fn day(self) -> String {
        let t = self.calendar();
        format!("{:04}-{:02}-{:02}", t.year(), u8::from(t.month()), t.day())
    }

    /// Returns the beginning of a calendar month (UTC), for example `2026-11`, and of the next one.
    pub fn month_span(month: &str) -> Option<(Self, Self)> {
        let first = |month: &str| format!("{month}-01T00:00:00.000Z").parse::<Self>().ok();
        let begins = first(month).filter(|begins| begins.month() == month)?;
        let next = begins.plus(Duration::from_secs(32 * 24 * 60 * 60)).month();
        Some((begins, first(&next)?))
    }

    fn calendar(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl From<std::time::SystemTime> for Timestamp {
    fn from(time: std::time::SystemTime) -> Self {
        let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format =
            format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
        f.write_str(&self.calendar().format(&format).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = time::error::Parse;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = OffsetDateTime::parse(text, &Rfc3339)?;
        Ok(Self((parsed.unix_timestamp_nanos() / 1_000_000) as i64))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl utoipa::PartialSchema for Timestamp {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(utoipa::openapi::KnownFormat::DateTime)))
            .into()
    }
}

impl utoipa::ToSchema for Timestamp {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_utc_with_milliseconds() {
        let t = Timestamp::from_millis(1_795_254_896_007);
        assert_eq!(t.to_string(), "2026-11-21T09:54:56.007Z");
        assert_eq!(t.to_string().parse::<Timestamp>().unwrap(), t);
        assert_eq!((t.month(), t.day()), ("2026-11".into(), "2026-11-21".into()));
    }

    #[test]
    fn months_follow_each_other() {
        let span = |month| Timestamp::month_span(month).map(|(from, to)| (from.to_string(), to.to_string()));
        let days =
            |from: &str, to: &str| Some((format!("{from}T00:00:00.000Z"), format!("{to}T00:00:00.000Z")));
        assert_eq!(span("2026-11"), days("2026-11-01", "2026-12-01"));
        assert_eq!(span("2026-12"), days("2026-12-01", "2027-01-01"));
        assert_eq!(span("2028-02"), days("2028-02-01", "2028-03-01"));
        for none in ["", "2026", "2026-13", "2026-1", "2026-11-01", "26-11", "2026-00", "+026-11"] {
            assert_eq!(span(none), None, "{none}");
        }
    }
}
