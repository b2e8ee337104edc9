//! Generates requests to an endpoint, most of them invalid.

use api::contract::endpoint::{Access, Endpoint};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::{option, prelude::*};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::{arbitrary, values};
use crate::{
    app::{Call, TestApp},
    path_fixtures::{Owner, ResourceIds},
};

/// A generated request.
#[derive(Debug, Clone)]
pub(super) struct Case {
    path: String,
    /// The query string, without the `?`.
    query: String,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: Option<Body>,
}

#[derive(Debug, Clone)]
struct Body {
    media_type: Option<String>,
    bytes: Vec<u8>,
}

impl Case {
    /// Builds the request, as the owner of the resources in its path.
    pub(super) fn call(&self, app: &TestApp, owner: &Owner, endpoint: &Endpoint) -> Call {
        let query = if self.query.is_empty() { String::new() } else { format!("?{}", self.query) };
        let mut call = app.call(endpoint.method.clone(), &format!("{}{query}", self.path));
        call = match endpoint.access {
            Access::Key(_) => call.key(&owner.client),
            Access::Session => call.session(&owner.user),
            Access::OwnPages => call.same_origin(),
            Access::Public | Access::Signed => call,
        };
        for (name, value) in &self.headers {
            if let Ok(value) = HeaderValue::from_bytes(value) {
                call = call.raw_header(name, value);
            }
        }
        if let Some(Body { media_type, bytes }) = &self.body {
            if let Some(media_type) = media_type {
                call = call.header("content-type", media_type);
            }
            call = call.body(bytes.clone());
        }
        call
    }

    /// Returns whether every query parameter is known and occurs once.
    pub(super) fn query_is_known(&self, endpoint: &Endpoint) -> bool {
        let names: Vec<_> = self.query.split('&').filter_map(|pair| pair.split('=').next()).collect();
        let names: Vec<_> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let is_unique = |name: &&str| names.iter().filter(|other| *other == name).count() == 1;
        let is_known = |name: &&str| endpoint.query.iter().any(|param| param.name == *name);
        names.iter().all(|name| is_unique(name) && is_known(name))
    }

    /// Returns the body, if it is JSON.
    pub(super) fn json(&self) -> Option<Value> {
        let body = self.body.as_ref()?;
        serde_json::from_slice(&body.bytes)
            .ok()
            .filter(|_| body.media_type.as_deref() == Some("application/json"))
    }
}

/// Generates requests to an endpoint, for these resources and others.
pub(super) fn strategy(endpoint: &Endpoint, ids: &ResourceIds) -> BoxedStrategy<Case> {
    (path(endpoint, ids), query(endpoint), headers(endpoint), body(endpoint))
        .prop_map(|(path, query, headers, body)| Case { path, query, headers, body })
        .boxed()
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Generates the path, mostly of existing resources, sometimes with one arbitrary segment.
fn path(endpoint: &Endpoint, ids: &ResourceIds) -> BoxedStrategy<String> {
    let (template, valid) = (endpoint.path.as_str().to_owned(), ids.path(endpoint));
    let params: Vec<String> = endpoint.path.params().map(|name| format!("{{{name}}}")).collect();
    if params.is_empty() {
        return Just(valid).boxed();
    }
    // A segment of dots would be normalised by the client.
    let segment = arbitrary::text().prop_map(|text| encoded(&format!("x{text}")));
    let segment = prop_oneof![segment, Just("%ff".to_owned()), Just("%2F%2e%2e".to_owned()), "[0-9]{1,30}"];
    let invalid = prop::collection::vec(segment, params.len()).prop_map(move |values| {
        let filled = params.iter().zip(values);
        format!(
            "/v1{}",
            filled.fold(template.clone(), |path, (name, value)| path.replacen(name.as_str(), &value, 1))
        )
    });
    prop_oneof![5 => Just(valid), 1 => invalid].boxed()
}

/// Generates query strings: known parameters with valid and invalid values, unknown ones, repeated
/// ones.
fn query(endpoint: &Endpoint) -> BoxedStrategy<String> {
    let known = endpoint.query.iter().map(|param| {
        let schema = serde_json::to_value(param.schema.schema()).unwrap();
        let matching = values::matching(&schema).prop_map(|value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        });
        let name = param.name;
        let value = prop_oneof![2 => matching, 1 => arbitrary::text()];
        let pair = value.prop_map(move |value| format!("{name}={}", encoded(&value)));
        prop_oneof![4 => pair, 1 => Just(format!("{name}=%ff")), 1 => Just(name.to_owned())].boxed()
    });
    let mut pairs: Vec<_> = known.map(|pair| option::weighted(0.4, pair).boxed()).collect();
    let unknown = (arbitrary::text(), arbitrary::text())
        .prop_map(|(name, value)| format!("x{}={}", encoded(&name), encoded(&value)));
    pairs.push(option::weighted(0.1, unknown).boxed());
    (pairs, prop::bool::weighted(0.05))
        .prop_map(|(pairs, repeat)| {
            let mut pairs: Vec<String> = pairs.into_iter().flatten().collect();
            if let (true, Some(first)) = (repeat, pairs.first().cloned()) {
                pairs.push(first);
            }
            pairs.join("&")
        })
        .boxed()
}

/// Name and value of a header. The value may be any bytes.
type Header = (&'static str, Vec<u8>);

/// Generates the headers that the endpoint reads, and some general ones.
fn headers(endpoint: &Endpoint) -> BoxedStrategy<Vec<Header>> {
    let mut all: Vec<BoxedStrategy<Option<Header>>> = Vec::new();
    for param in &endpoint.headers {
        let name: &'static str = param.name;
        let schema = serde_json::to_value(param.schema.schema()).unwrap();
        let matching = values::matching(&schema)
            .prop_map(|value| value.as_str().unwrap_or_default().as_bytes().to_vec());
        let value = prop_oneof![2 => matching, 1 => arbitrary::header()];
        all.push(option::weighted(0.5, value.prop_map(move |value| (name, value))).boxed());
    }
    for name in
        ["accept", "accept-language", "if-none-match", "range", "x-request-id", "x-forwarded-for", "referer"]
    {
        assert!(HeaderName::try_from(name).is_ok());
        all.push(option::weighted(0.05, arbitrary::header().prop_map(move |value| (name, value))).boxed());
    }
    all.prop_map(|all| all.into_iter().flatten().collect()).boxed()
}

fn body(endpoint: &Endpoint) -> BoxedStrategy<Option<Body>> {
    let Some(spec) = &endpoint.body else {
        // A body where none is expected.
        let bytes = prop::collection::vec(any::<u8>(), 0..50);
        return option::weighted(0.1, bytes.prop_map(|bytes| Body { media_type: None, bytes })).boxed();
    };
    let documented = spec.media_types[0];
    let other = prop_oneof![
        Just(None),
        Just(Some("text/plain".to_owned())),
        Just(Some("application/json; charset=utf-7".to_owned())),
        "[a-z]{1,9}/[a-z+.-]{1,20}(; ?[a-z]{1,5}=\"?[a-z]{0,9})?".prop_map(Some),
    ];
    let media_type = prop_oneof![9 => Just(Some(documented.to_owned())), 1 => other];
    let bytes = if documented == "application/json" {
        let schema = serde_json::to_value(spec.schema.schema()).unwrap();
        let text = |value: Value| value.to_string().into_bytes();
        prop_oneof![
            3 => values::matching(&schema).prop_map(text),
            4 => values::mutated(&schema).prop_map(text),
            1 => arbitrary::json().prop_map(text),
            1 => arbitrary::not_quite_json(),
        ]
        .boxed()
    } else {
        let file_starts: &[&[u8]] =
            &[b"", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"RIFF\0\0\0\0WEBP", b"\0\0\0\x20ftypisom"];
        (prop::sample::select(file_starts), prop::collection::vec(any::<u8>(), 0..300))
            .prop_map(|(head, rest)| [head, &rest].concat())
            .boxed()
    };
    let body = (media_type, bytes).prop_map(|(media_type, bytes)| Body { media_type, bytes });
    option::weighted(0.95, body).boxed()
}
