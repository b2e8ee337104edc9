//! Request and response bodies of API keys.

use domain::{KeyId, Mode, Timestamp, key::KeySecret, money::Cents, scope::Scope};
use entities::{KeyRow, key_uses};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    console::credentials,
    contract::{
        examples::{CREATED, STARTED, with},
        schema::{nonempty_set, nonempty_set_or_null},
    },
    http::{
        body::explicit_null,
        error::{ApiError, ApiResult, FieldError},
    },
    routes::validate,
};

/// Maximum length of a key's name, in characters.
pub const MAX_NAME: usize = 100;
/// Maximum overlap of a rolled key, in hours.
pub const MAX_OVERLAP_HOURS: u32 = 168;

/// A new key, in the mode of `Scan-Mode`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// Name of the key.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub name: String,
    /// Its scopes; at least one.
    #[schema(schema_with = nonempty_set::<Scope>)]
    pub scopes: Vec<Scope>,
    /// Maximum cost of scans started with it per calendar month (UTC); no cap if omitted.
    #[schema(value_type = Option<i64>, minimum = 0)]
    pub monthly_cap_cents: Option<Cents>,
    /// Time when it expires; never if omitted.
    pub expires_at: Option<Timestamp>,
}

/// Requests of a key on one day.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyUse {
    /// Always `key_use`.
    #[schema(pattern = "^key_use$")]
    pub object: &'static str,
    /// The day in UTC, for example `2026-11-22`.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    pub day: String,
    /// Number of requests, accurate to some seconds.
    pub requests: i64,
}

impl From<key_uses::Model> for KeyUse {
    fn from(row: key_uses::Model) -> Self {
        Self { object: "key_use", day: row.day, requests: row.requests }
    }
}

/// Changes to a key.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyChanges {
    /// New name.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub name: Option<String>,
    /// New scopes; at least one.
    #[schema(schema_with = nonempty_set_or_null::<Scope>)]
    pub scopes: Option<Vec<Scope>>,
    /// New cap; null removes it.
    #[serde(default, deserialize_with = "explicit_null", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 0)]
    pub monthly_cap_cents: Option<Option<Cents>>,
}

/// Options for replacing a key.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Roll {
    /// Hours for which the old key stays valid.
    #[schema(maximum = 168)]
    pub overlap_hours: u32,
}

impl Default for Roll {
    fn default() -> Self {
        Self { overlap_hours: 24 }
    }
}

/// An API key, without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub struct Key {
    /// Always `key`.
    #[schema(pattern = "^key$")]
    pub object: &'static str,
    /// Prefix `key_`.
    pub id: KeyId,
    /// `test` or `live`.
    pub mode: Mode,
    /// Name of the key.
    pub name: String,
    /// First characters of its secret.
    pub hint: String,
    /// Whether it is neither revoked nor expired.
    pub active: bool,
    /// Its scopes.
    pub scopes: Vec<Scope>,
    /// Maximum cost of scans started with it per calendar month (UTC); null without a cap.
    #[schema(value_type = Option<i64>)]
    pub monthly_cap_cents: Option<Cents>,
    /// Cost of scans started with it this month (UTC), less refunds.
    #[schema(value_type = i64)]
    pub spent_this_month_cents: Cents,
    /// Time of its last use, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// Time when it expires; null if never.
    pub expires_at: Option<Timestamp>,
    /// Time when it was revoked; null if it was not.
    pub revoked_at: Option<Timestamp>,
    /// Creation time.
    pub created_at: Timestamp,
}

/// A new key with its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = NewApiKey)]
pub struct NewKeySecret {
    /// The key.
    #[serde(flatten)]
    pub key: Key,
    /// The secret, which is shown only once: the service stores its hash.
    pub secret: String,
}

impl NewKeySecret {
    pub(super) fn new(key: Key, secret: &KeySecret) -> Self {
        Self { key, secret: secret.reveal().to_owned() }
    }
}

impl Key {
    pub(super) fn new(row: KeyRow, spent_this_month_cents: Cents, now: Timestamp) -> Self {
        Self {
            object: "key",
            active: row.is_active(now),
            mode: row.tenant().mode,
            id: row.id.0,
            name: row.name,
            hint: row.hint,
            scopes: row.scopes.0,
            monthly_cap_cents: row.monthly_cap_cents,
            spent_this_month_cents,
            last_used_at: row.last_used_at.map(|at| at.0),
            expires_at: row.expires_at.map(|at| at.0),
            revoked_at: row.revoked_at.map(|at| at.0),
            created_at: row.created_at.0,
        }
    }
}

impl NewKey {
    pub(super) fn validate(&self, now: Timestamp) -> ApiResult<()> {
        let past = self.expires_at.filter(|end| *end <= now);
        ApiError::reject_invalid([
            credentials::name("name", &self.name, MAX_NAME),
            check_scopes(&self.scopes),
            self.monthly_cap_cents.and_then(check_cap),
            past.map(|_| FieldError::new("expires_at", "must be in the future")),
        ])
    }
}

impl KeyChanges {
    pub(super) fn validate(&self) -> ApiResult<()> {
        ApiError::reject_invalid([
            self.name.as_deref().and_then(|name| credentials::name("name", name, MAX_NAME)),
            self.scopes.as_deref().and_then(check_scopes),
            self.monthly_cap_cents.flatten().and_then(check_cap),
        ])
    }
}

impl Roll {
    pub(super) fn validate(&self) -> ApiResult<()> {
        let too_long = self.overlap_hours > MAX_OVERLAP_HOURS;
        let message = || format!("must be at most {MAX_OVERLAP_HOURS}");
        ApiError::reject_invalid([too_long.then(|| FieldError::new("overlap_hours", message()))])
    }
}

fn check_scopes(scopes: &[Scope]) -> Option<FieldError> {
    validate::nonempty_set("scopes", "scope", scopes)
}

fn check_cap(cents: Cents) -> Option<FieldError> {
    (cents < 0).then(|| FieldError::new("monthly_cap_cents", "must not be negative"))
}

/// Example of a key.
pub(super) fn example() -> Value {
    json!({
        "object": "key", "id": "key_01jd3x0000000000000000000b", "mode": "test", "name": "Server",
        "hint": "sc_test_Ab12", "active": true, "scopes": ["spaces:read", "scans:read", "scans:write"],
        "monthly_cap_cents": 5000, "spent_this_month_cents": 450, "last_used_at": STARTED,
        "expires_at": null, "revoked_at": null, "created_at": CREATED,
    })
}

/// Example of a key with its secret, which has the form of a secret and a wrong checksum.
pub(super) fn example_with_secret() -> Value {
    with(example(), json!({ "secret": "sc_test_Ab12example" }))
}
