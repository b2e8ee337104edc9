//! References to the shapes of bodies and parameters, for `openapi.json`.

use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ArrayBuilder, KnownFormat, ObjectBuilder, Ref, RefOr, SchemaFormat,
        schema::{Schema, SchemaType, Type},
    },
};

/// Named schemas, in the order in which they were met.
pub type Named = Vec<(String, RefOr<Schema>)>;

/// At least one `T`, each once.
pub(crate) fn some_of<T: ToSchema>() -> Schema {
    distinct::<T>(Type::Array.into())
}

/// At least one `T`, each once, or null.
pub(crate) fn some_of_or_null<T: ToSchema>() -> Schema {
    distinct::<T>(SchemaType::from_iter([Type::Array, Type::Null]))
}

fn distinct<T: ToSchema>(kind: SchemaType) -> Schema {
    let items = Ref::from_schema_name(T::name());
    ArrayBuilder::new().schema_type(kind).items(items).min_items(Some(1)).unique_items(true).build().into()
}

/// An e-mail address, as it is taken.
pub(crate) fn email() -> Schema {
    const PATTERN: &str = "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*\
                           @([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+\
                           [A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$";
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("ASCII only; upper and lower case are one."))
        .max_length(Some(254))
        .pattern(Some(PATTERN))
        .into()
}

/// The shape of something, and the named shapes it needs.
#[derive(Debug, Clone, Copy)]
pub struct SchemaRef {
    make: fn() -> RefOr<Schema>,
    collect: fn(&mut Named),
}

impl SchemaRef {
    /// The schema of a type, kept under its name and referred to.
    pub fn of<T: ToSchema>() -> Self {
        Self {
            make: || Ref::from_schema_name(T::name()).into(),
            collect: |named| {
                named.push((T::name().into_owned(), T::schema()));
                T::schemas(named);
            },
        }
    }

    /// The schema of a type, written out in place.
    pub fn inline<T: PartialSchema>() -> Self {
        Self { make: T::schema, collect: |_| {} }
    }

    /// Any text but NUL.
    pub fn text() -> Self {
        Self {
            make: || ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[^\\x00]*$")).into(),
            collect: |_| {},
        }
    }

    /// What to look for in a search.
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

    /// Digits, of a time in seconds.
    pub fn seconds() -> Self {
        Self {
            make: || {
                ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[1-9][0-9]{0,17}$")).into()
            },
            collect: |_| {},
        }
    }

    /// An HMAC-SHA256 in hex.
    pub fn signature() -> Self {
        Self {
            make: || ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[0-9a-f]{64}$")).into(),
            collect: |_| {},
        }
    }

    /// Any object.
    pub fn object() -> Self {
        Self { make: || ObjectBuilder::new().schema_type(Type::Object).into(), collect: |_| {} }
    }

    /// Raw bytes.
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

    /// A place in an order.
    pub fn index() -> Self {
        Self {
            make: || ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).into(),
            collect: |_| {},
        }
    }

    /// The `limit` of a list.
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

    /// The `Idempotency-Key` header.
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

    /// The value that a text stands for where this is the schema: a number, or the text itself.
    pub fn value(&self, text: &str) -> Value {
        let integer = match self.schema() {
            RefOr::T(Schema::Object(object)) => object.schema_type == SchemaType::Type(Type::Integer),
            _ => false,
        };
        let number = text.parse::<i64>().ok().filter(|_| integer);
        number.map_or_else(|| text.into(), Value::from)
    }

    /// What stands in the document.
    pub fn schema(&self) -> RefOr<Schema> {
        (self.make)()
    }

    /// Adds the named schemas that it needs.
    pub fn collect(&self, named: &mut Named) {
        (self.collect)(named);
    }
}
