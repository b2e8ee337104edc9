//! Pagination: `limit`, tamper-proof opaque cursors, and the body of a list.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    RotatingSecret, Secret,
    mode::Tenant,
    page::{DEFAULT_LIMIT, Keyset, MAX_LIMIT, Page, PageRequest},
};
use hmac::{Hmac, Mac};
use serde::Serialize;
use sha2::Sha256;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ArrayBuilder, ObjectBuilder, Ref, RefOr,
        schema::{Schema, SchemaType, Type},
    },
};

use crate::http::{
    error::{ApiError, ApiResult},
    request::Query,
};

/// Length of the MAC in a cursor, in bytes.
const TAG_BYTES: usize = 16;

/// Body of a response with one page of a list.
#[derive(Debug, Serialize)]
pub struct List<T> {
    /// Always `list`.
    pub object: &'static str,
    /// The items, newest first.
    pub data: Vec<T>,
    /// Send it as `cursor` to get the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// The name of the schema is derived from that of the item, so that every list has its own schema.
impl<T: ToSchema> ToSchema for List<T> {
    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

impl<T: ToSchema> PartialSchema for List<T> {
    fn schema() -> RefOr<Schema> {
        let text = |nullable: bool| {
            let kinds = if nullable { vec![Type::String, Type::Null] } else { vec![Type::String] };
            ObjectBuilder::new().schema_type(SchemaType::from_iter(kinds))
        };
        ObjectBuilder::new()
            .property("object", text(false).pattern(Some("^list$")).description(Some("Always `list`.")))
            .property("data", ArrayBuilder::new().items(Ref::from_schema_name(T::name())))
            .property(
                "next_cursor",
                text(true)
                    .description(Some("Send it as `cursor` to get the next page; null on the last page.")),
            )
            .required("object")
            .required("data")
            .required("next_cursor")
            .into()
    }
}

/// Signs and verifies cursors. A cursor is valid for one list, account and mode.
#[derive(Clone)]
pub struct Cursors {
    current: Hmac<Sha256>,
    /// Of earlier secrets, whose cursors stay valid.
    previous: Vec<Hmac<Sha256>>,
}

impl Cursors {
    /// Derives the keys of the cursors from the service's signing secrets.
    pub fn new(secrets: &RotatingSecret) -> Self {
        let derive = |secret: &Secret| {
            let mut mac = keyed(secret.reveal().as_bytes());
            mac.update(b"cursor");
            keyed(&mac.finalize().into_bytes())
        };
        let previous = secrets.all().skip(1).map(derive).collect();
        Self { current: derive(secrets.current()), previous }
    }

    /// Parses `limit` and `cursor` of a query.
    ///
    /// # Errors
    /// Returns `VALIDATION_FAILED` if `limit` is not 1 to 100 or `cursor` was not issued by this
    /// list.
    pub fn request(&self, list: &str, tenant: &Tenant, query: &Query) -> ApiResult<PageRequest> {
        let limit = match query.get("limit") {
            None => DEFAULT_LIMIT,
            Some(text) => {
                text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit)).ok_or_else(|| {
                    ApiError::field("limit", format!("must be an integer from 1 to {MAX_LIMIT}"))
                })?
            }
        };
        let after = match query.get("cursor") {
            None => None,
            Some(text) => Some(self.open(list, tenant, text).ok_or_else(|| {
                ApiError::field("cursor", "is not a cursor of this list; start again without a cursor")
            })?),
        };
        Ok(PageRequest { limit, after })
    }

    /// Builds the body for a page.
    pub fn list<T>(&self, list: &str, tenant: &Tenant, page: Page<T>) -> List<T> {
        let next_cursor = page.next.map(|keyset| self.seal(list, tenant, &keyset));
        List { object: "list", data: page.rows, next_cursor }
    }

    fn seal(&self, list: &str, tenant: &Tenant, keyset: &Keyset) -> String {
        let mut bytes = format!("{}:{}", keyset.created_at, keyset.id).into_bytes();
        let tag = tag(&self.current, list, tenant, &bytes);
        bytes.extend_from_slice(&tag);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn open(&self, list: &str, tenant: &Tenant, text: &str) -> Option<Keyset> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (body, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
        let is_ours = std::iter::once(&self.current).chain(&self.previous).any(|key| {
            let expected = self::tag(key, list, tenant, body);
            bool::from(subtle::ConstantTimeEq::ct_eq(expected.as_slice(), tag))
        });
        if !is_ours {
            return None;
        }
        let (created_at, id) = std::str::from_utf8(body).ok()?.split_once(':')?;
        Some(Keyset { created_at: created_at.parse().ok()?, id: id.to_owned() })
    }
}

/// Authenticates the body of a cursor of one list, account and mode.
fn tag(key: &Hmac<Sha256>, list: &str, tenant: &Tenant, body: &[u8]) -> Vec<u8> {
    let mut mac = key.clone();
    for part in [list, tenant.account_id.as_str(), tenant.mode.as_str()] {
        mac.update(part.as_bytes());
        mac.update(b"\0");
    }
    mac.update(body);
    mac.finalize().into_bytes()[..TAG_BYTES].to_vec()
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    // Cannot fail: HMAC accepts keys of any length.
    Hmac::new_from_slice(key).expect("HMAC takes any key")
}

#[cfg(test)]
mod tests {
    use domain::{AccountId, Mode};
    use proptest::prelude::*;

    use super::*;

    fn tenant(mode: Mode) -> Tenant {
        Tenant { account_id: AccountId::trusted("acc_1"), mode }
    }

    #[test]
    fn a_cursor_is_valid_for_its_list_account_and_mode_only() {
        let cursors = Cursors::new(&Secret::new("s").into());
        let keyset = Keyset { created_at: 12, id: "spc_1".into() };
        let text = cursors.seal("spaces", &tenant(Mode::Test), &keyset);
        assert_eq!(cursors.open("spaces", &tenant(Mode::Test), &text), Some(keyset));
        assert_eq!(cursors.open("scans", &tenant(Mode::Test), &text), None);
        assert_eq!(cursors.open("spaces", &tenant(Mode::Live), &text), None);
        let other = Tenant { account_id: AccountId::trusted("acc_2"), mode: Mode::Test };
        assert_eq!(cursors.open("spaces", &other, &text), None);
        assert_eq!(Cursors::new(&Secret::new("t").into()).open("spaces", &tenant(Mode::Test), &text), None);
    }

    proptest! {
        #[test]
        fn refuses_any_changed_bit(id in "[a-z0-9_]{1,40}", at in 0i64..i64::MAX, index: prop::sample::Index, bit in 0u8..8) {
            let cursors = Cursors::new(&Secret::new("s").into());
            let text = cursors.seal("l", &tenant(Mode::Live), &Keyset { created_at: at, id });
            let mut bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
            let index = index.index(bytes.len());
            bytes[index] ^= 1 << bit;
            prop_assert_eq!(cursors.open("l", &tenant(Mode::Live), &URL_SAFE_NO_PAD.encode(bytes)), None);
        }

        #[test]
        fn never_panics_on_arbitrary_text(text in ".*") {
            prop_assert_eq!(Cursors::new(&Secret::new("s").into()).open("l", &tenant(Mode::Live), &text), None);
        }
    }
}
