//! A request as handlers see it: identified, its path and query decoded, its body not yet read.

use std::{net::IpAddr, str::FromStr, sync::Arc, sync::OnceLock};

use domain::{AccountId, KeyId, RequestId};
use http::HeaderMap;
use percent_encoding::percent_decode_str;
use serde::{Serialize, de::DeserializeOwned};

use crate::http::{
    body::{self, Body},
    error::{ApiError, ApiResult},
    path::PathParams,
};

/// What is known of a request from its first byte to its log line. The outermost layer makes it, the
/// route fills in what it learns, and the log and the metrics read it, whatever became of the request.
#[derive(Debug)]
pub struct Trace {
    /// Ours, never the client's.
    pub id: RequestId,
    /// The address the request came from, behind trusted proxies the one they name.
    pub client: IpAddr,
    /// The operation that took the request.
    pub operation: OnceLock<&'static str>,
    /// The key it was authenticated with.
    pub key: OnceLock<KeyId>,
    /// The account it acts for.
    pub account: OnceLock<AccountId>,
}

impl Trace {
    /// A fresh request from an address.
    pub fn new(client: IpAddr) -> Self {
        Self {
            id: RequestId::new(),
            client,
            operation: OnceLock::new(),
            key: OnceLock::new(),
            account: OnceLock::new(),
        }
    }
}

/// Query parameters, decoded, each at most once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Decodes a query string; `known` are the parameters that the endpoint takes.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a parameter that is unknown, repeated, not UTF-8, or holds a NUL.
    pub fn parse(text: &str, known: &[&str]) -> ApiResult<Self> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).ok_or_else(|| ApiError::field("query", "is not UTF-8"))?;
            if !known.contains(&name.as_str()) {
                return Err(ApiError::field(name, "is not a known query parameter"));
            }
            if pairs.iter().any(|(other, _)| *other == name) {
                return Err(ApiError::field(name, "is given more than once"));
            }
            let value = decode(value)
                .filter(|value| !value.contains('\0'))
                .ok_or_else(|| ApiError::field(name.as_str(), "is not text"))?;
            pairs.push((name, value));
        }
        Ok(Self(pairs))
    }

    /// The value of a parameter, if it was given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

fn decode(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8().ok().map(Into::into)
}

/// One request, as its handler sees it.
pub struct Request {
    /// Who sent it, and what to quote to support.
    pub trace: Arc<Trace>,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its query parameters; only ones that the endpoint declares.
    pub query: Query,
    /// Its body.
    pub body: Body,
    pub(crate) params: PathParams,
}

impl Request {
    /// A part of the path, decoded; empty when the template has no such part.
    pub fn param(&self, name: &str) -> &str {
        self.params.get(name).unwrap_or_default()
    }

    /// A part of the path as an id.
    ///
    /// # Errors
    /// `NOT_FOUND` for what cannot be such an id: nothing has it.
    pub fn id<T: FromStr>(&self, name: &str) -> ApiResult<T> {
        self.param(name).parse().map_err(|_| ApiError::not_found())
    }

    /// A header's value, if it is there and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The `Idempotency-Key`, if there is one: 8 to 64 letters, digits, `-` or `_`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for one that is not so, and for several.
    pub fn idempotency_key(&self) -> ApiResult<Option<String>> {
        const NAME: &str = "Idempotency-Key";
        let mut values = self.headers.get_all(NAME).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let allowed = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        let bytes = value.as_bytes();
        if values.next().is_some() || !(8..=64).contains(&bytes.len()) || !bytes.iter().all(allowed) {
            return Err(ApiError::field(NAME, "must be 8 to 64 letters, digits, `-` or `_`"));
        }
        Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// See [`body::json`].
    pub async fn json<T: DeserializeOwned + Serialize>(&mut self) -> ApiResult<T> {
        body::json(&self.headers, &mut self.body).await
    }

    /// The body as JSON; a body that is not there stands for `{}`.
    ///
    /// # Errors
    /// See [`body::json`].
    pub async fn json_or_nothing<T: DeserializeOwned + Serialize + Default>(&mut self) -> ApiResult<T> {
        body::json_or_nothing(&self.headers, &mut self.body).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_decoded_and_strict() {
        let query =
            Query::parse("limit=5&external_id=a+b%2Fc%C3%A9&cursor=", &["limit", "external_id", "cursor"]);
        let query = query.unwrap();
        assert_eq!(query.get("limit"), Some("5"));
        assert_eq!(query.get("external_id"), Some("a b/cé"));
        assert_eq!(query.get("cursor"), Some(""));
        assert_eq!(query.get("space_type"), None);
        for bad in ["limt=5", "limit=1&limit=2", "limit=%ff", "limit=%00", "%ff=1"] {
            assert!(Query::parse(bad, &["limit"]).is_err(), "{bad} was taken");
        }
    }
}
