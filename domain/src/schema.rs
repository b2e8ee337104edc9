//! Schemas of enums whose names come from a table.

/// Implements the schema of an enum with `ALL` and `as_str`. The derive macro cannot be used: it
/// does not see names that another macro passes to it.
macro_rules! named {
    ($name:ident) => {
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some(Self::ALL.iter().map(|value| value.as_str())))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

pub(crate) use named;
