//! The contract of the API: descriptions of endpoints, and the documents derived from them. Nothing
//! here depends on `routes`.

pub mod document_schema;
pub mod endpoint;
pub mod examples;
pub mod openapi;
pub mod reference;
pub mod schema;
pub(crate) mod site;
