//! A request of the generic calls of the API.

use serde_json::Value;

/// A request of the generic calls.
#[derive(Debug, Clone, Default)]
pub struct Call<'a> {
    /// Path below the URL of the API.
    pub path: &'a str,
    /// Parameters with a value are sent.
    pub query: &'a [(&'a str, Option<String>)],
    /// JSON body.
    pub body: Option<Value>,
    /// Whether to authenticate with the session instead of the key.
    pub session: bool,
}

impl<'a> Call<'a> {
    /// A call of a path with the key.
    pub fn to(path: &'a str) -> Self {
        Self { path, ..Self::default() }
    }

    /// A call of a path with the session.
    pub fn with_session(path: &'a str) -> Self {
        Self { path, session: true, ..Self::default() }
    }

    /// Adds query parameters.
    #[must_use]
    pub fn query(self, query: &'a [(&'a str, Option<String>)]) -> Self {
        Self { query, ..self }
    }

    /// Adds a JSON body.
    #[must_use]
    pub fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }
}
