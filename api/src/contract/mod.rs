//! The contract of the API: descriptions of endpoints, and the documents derived from them.

pub mod endpoint;
pub mod examples;
pub mod openapi;
pub mod reference;
pub mod schema;
