//! Schemas of bodies and parameters, for `openapi.json`.

use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ArrayBuilder, KnownFormat, ObjectBuilder, Ref, RefOr, SchemaFormat,
        schema::{Schema, SchemaType, Type},
    },
};

/// Component schemas by name, in the order in which they were collected.
pub type Named = Vec<(String, RefOr<Schema>)>;

/// Returns the schema of a non-empty array of distinct `T`.
pub(crate) fn nonempty_set<T: ToSchema>() -> Schema {
    distinct::<T>(Type::Array.into())
}

/// Returns the schema of a non-empty array of distinct `T`, or null.
pub(crate) fn nonempty_set_or_null<T: ToSchema>() -> Schema {
    distinct::<T>(SchemaType::from_iter([Type::Array, Type::Null]))
}

fn distinct<T: ToSchema>(kind: SchemaType) -> Schema {
    let items = Ref::from_schema_name(T::name());
    ArrayBuilder::new().schema_type(kind).items(items).min_items(Some(1)).unique_items(true).build().into()
}

/// Returns the schema of an e-mail address in a request.
pub(crate) fn email() -> Schema {
    const PATTERN: &str = "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*\
                           @([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+\
                           [A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$";
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("ASCII only; case-insensitive."))
        .max_length(Some(254))
        .pattern(Some(PATTERN))
        .into()
}

/// A schema, and the component schemas that it refers to.
#[derive(Debug, Clone, Copy)]
pub struct SchemaRef {
    make: fn() -> RefOr<Schema>,
    collect: fn(&mut Named),
}

impl SchemaRef {
    /// Returns a reference to the component schema of a type.
    pub fn of<T: ToSchema>() -> Self {
        Self {
            make: || Ref::from_schema_name(T::name()).into(),
            collect: |named| {
                named.push((T::name().into_owned(), T::schema()));
                T::schemas(named);
            },
        }
    }

    /// Returns the schema of a type, inlined.
    pub fn inline<T: PartialSchema>() -> Self {
        Self { make: T::schema, collect: |_| {} }
    }

    /// Returns the schema of text without NUL.
    pub fn text() -> Self {
        Self {
            make: || ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[^\\x00]*$")).into(),
            collect: |_| {},
        }
    }

    /// Returns the schema of a search query.
    pub fn search_text() -> Self {
        Self {
            make: || {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .min_length(Some(1))
                    .max_length(Some(search::MAX_QUERY_CHARS))
                    .pattern(Some("^[^\\x00]*\\S[^\\x00]*$"))
                    .into()
            },
            collect: |_| {},
        }
    }

    /// Returns the schema of a Unix time in seconds, as digits.
    pub fn seconds() -> Self {
        Self {
            make: || {
                ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[1-9][0-9]{0,17}$")).into()
            },
            collect: |_| {},
        }
    }

    /// Returns the schema of an HMAC-SHA256 in hex.
    pub fn signature() -> Self {
        Self {
            make: || ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[0-9a-f]{64}$")).into(),
            collect: |_| {},
        }
    }

    /// Returns the schema of any object.
    pub fn object() -> Self {
        Self { make: || ObjectBuilder::new().schema_type(Type::Object).into(), collect: |_| {} }
    }

    /// Returns the schema of raw bytes.
    pub fn bytes() -> Self {
        Self {
            make: || {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
                    .into()
            },
            collect: |_| {},
        }
    }

    /// Returns the schema of an index, counted from 0.
    pub fn index() -> Self {
        Self {
            make: || ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).into(),
            collect: |_| {},
        }
    }

    /// Returns the schema of the `limit` of a list.
    pub fn limit() -> Self {
        Self {
            make: || {
                ObjectBuilder::new()
                    .schema_type(Type::Integer)
                    .minimum(Some(1))
                    .maximum(Some(domain::page::MAX_LIMIT as i32))
                    .default(Some(domain::page::DEFAULT_LIMIT.into()))
                    .into()
            },
            collect: |_| {},
        }
    }

    /// Returns the schema of the `Idempotency-Key` header.
    pub fn idempotency_key() -> Self {
        Self {
            make: || {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .pattern(Some("^[A-Za-z0-9_-]{8,64}$"))
                    .examples(["order-4711-first-try"])
                    .into()
            },
            collect: |_| {},
        }
    }

    /// Converts a text to a value of this schema: a number if the schema is an integer, else the text.
    pub fn value(&self, text: &str) -> Value {
        let integer = match self.schema() {
            RefOr::T(Schema::Object(object)) => object.schema_type == SchemaType::Type(Type::Integer),
            _ => false,
        };
        let number = text.parse::<i64>().ok().filter(|_| integer);
        number.map_or_else(|| text.into(), Value::from)
    }

    /// Returns the schema for the document.
    pub fn schema(&self) -> RefOr<Schema> {
        (self.make)()
    }

    /// Adds the component schemas that it refers to.
    pub fn collect(&self, named: &mut Named) {
        (self.collect)(named);
    }
}
