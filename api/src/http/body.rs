//! Request bodies: size-limited JSON and forms, and streams for uploads.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Buf, Bytes, BytesMut};
use domain::ApiErrorCode;
use futures::{Stream, StreamExt};
use http::{HeaderMap, header};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::http::{
    error::{ApiError, ApiResult},
    integers,
};

/// Maximum size of a JSON body, in bytes.
pub const MAX_JSON_BYTES: usize = 1024 * 1024;

/// Timeout for receiving a JSON body.
const JSON_READ_TIMEOUT: Duration = Duration::from_secs(15);

/// Time for which an unread body is drained, so that a client that is still sending receives the
/// response instead of a broken connection.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Error of an incomplete body: the client disconnected or sent malformed chunks.
#[derive(Debug, thiserror::Error)]
#[error("the request body is incomplete: {0}")]
pub struct IncompleteBody(pub String);

type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, IncompleteBody>> + Send + Sync>>;

/// A request body as a stream of bytes. If it is dropped before its end, the rest is drained for a
/// short time.
pub struct Body {
    stream: ByteStream,
    ended: bool,
    declared: Option<u64>,
}

impl Body {
    /// Wraps the stream of [`warp::body::stream`].
    pub(crate) fn new<S, B>(stream: S, headers: &HeaderMap) -> Self
    where
        S: Stream<Item = Result<B, warp::Error>> + Send + Sync + 'static,
        B: Buf,
    {
        let declared = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok());
        // Without these headers an HTTP/1 request has no body. HTTP/2 needs no draining.
        let none = declared.unwrap_or(0) == 0 && !headers.contains_key(header::TRANSFER_ENCODING);
        let stream = stream.map(|chunk| match chunk {
            Ok(mut buf) => Ok(buf.copy_to_bytes(buf.remaining())),
            Err(error) => Err(IncompleteBody(error.to_string())),
        });
        Self { stream: Box::pin(stream), ended: none, declared }
    }

    /// Returns the declared `Content-Length`.
    pub fn declared(&self) -> Option<u64> {
        self.declared
    }

    /// Reads the whole body.
    ///
    /// # Errors
    /// Returns `PAYLOAD_TOO_LARGE` as soon as more than `limit` bytes are declared or received.
    pub async fn read(&mut self, limit: usize) -> ApiResult<Bytes> {
        if self.declared.is_some_and(|declared| declared > limit as u64) {
            return Err(too_large(limit as u64));
        }
        let mut bytes = BytesMut::new();
        while let Some(chunk) = self.next().await {
            let chunk = chunk.map_err(incomplete_body)?;
            if bytes.len() + chunk.len() > limit {
                return Err(too_large(limit as u64));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    }
}

impl Stream for Body {
    type Item = Result<Bytes, IncompleteBody>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = self.stream.poll_next_unpin(context);
        if let Poll::Ready(None | Some(Err(_))) = &item {
            self.ended = true;
        }
        item
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let empty: ByteStream = Box::pin(futures::stream::empty());
        let mut rest = std::mem::replace(&mut self.stream, empty);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tokio::time::timeout(DRAIN_TIMEOUT, async move {
                while let Some(Ok(_)) = rest.next().await {}
            }));
        }
    }
}

/// Returns `PAYLOAD_TOO_LARGE` with the limit.
pub fn too_large(limit: u64) -> ApiError {
    ApiError::new(ApiErrorCode::PayloadTooLarge)
        .message(format!("The body exceeds the limit of {limit} bytes."))
        .with("max_bytes", limit)
}

/// Returns the error for an incomplete body. Its sender has most likely disconnected.
pub fn incomplete_body(cause: IncompleteBody) -> ApiError {
    ApiError::field("body", "is incomplete").caused_by(cause)
}

/// Returns the media type of a request in lower case, without parameters.
pub fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Reads a JSON body. The types refuse unknown fields (`deny_unknown_fields`); `serde_json` refuses
/// nesting deeper than 128.
///
/// # Errors
/// Returns `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`, or `VALIDATION_FAILED`
/// with the invalid field.
pub async fn json<T: DeserializeOwned + Serialize>(headers: &HeaderMap, body: &mut Body) -> ApiResult<T> {
    require_json(headers)?;
    parse(&read_with_timeout(body).await?)
}

/// Reads a JSON body like [`json`]; a missing body counts as `{}` and needs no `Content-Type`.
///
/// # Errors
/// Returns the errors of [`json`].
pub async fn json_or_default<T>(headers: &HeaderMap, body: &mut Body) -> ApiResult<T>
where
    T: DeserializeOwned + Serialize + Default,
{
    let bytes = read_with_timeout(body).await?;
    if bytes.is_empty() {
        return Ok(T::default());
    }
    require_json(headers)?;
    parse(&bytes)
}

/// Reads a URL-encoded form and returns it undecoded.
///
/// # Errors
/// Returns `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`, or `VALIDATION_FAILED`
/// if the form is not UTF-8.
pub(crate) async fn form(headers: &HeaderMap, body: &mut Body) -> ApiResult<String> {
    if media_type(headers).as_deref() != Some("application/x-www-form-urlencoded") {
        return Err(ApiError::new(ApiErrorCode::UnsupportedMediaType));
    }
    let bytes = read_with_timeout(body).await?;
    String::from_utf8(bytes.into()).map_err(|_| ApiError::field("body", "is not UTF-8"))
}

/// Deserializes a nullable field so that an explicit null (`Some(None)`) differs from a missing
/// field.
///
/// # Errors
/// Returns an error if the value does not deserialize.
pub(crate) fn explicit_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

fn require_json(headers: &HeaderMap) -> ApiResult<()> {
    let is_json =
        |t: &str| t == "application/json" || (t.starts_with("application/") && t.ends_with("+json"));
    if media_type(headers).as_deref().is_some_and(is_json) {
        return Ok(());
    }
    Err(ApiError::new(ApiErrorCode::UnsupportedMediaType)
        .message("Send the body as `Content-Type: application/json`."))
}

async fn read_with_timeout(body: &mut Body) -> ApiResult<Bytes> {
    tokio::time::timeout(JSON_READ_TIMEOUT, body.read(MAX_JSON_BYTES))
        .await
        .unwrap_or_else(|_| Err(ApiError::new(ApiErrorCode::RequestTimeout)))
}

/// Parses JSON; an error names the invalid field.
fn parse<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> ApiResult<T> {
    let bytes = &*integers::normalize(bytes);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { "" } else { path.as_str() };
        let (field, message) = locate(path, &error.inner().to_string());
        ApiError::field(field, message)
    })?;
    deserializer.end().map_err(|error| ApiError::field("body", error.to_string()))?;
    let (sent, parsed) = (serde_json::from_slice(bytes), serde_json::to_value(&value));
    if let (Ok(sent), Ok(parsed)) = (sent, parsed)
        && let Some(path) = find_array_for_object(&sent, &parsed, String::new())
    {
        return Err(ApiError::field(if path.is_empty() { "body" } else { &path }, "must be an object"));
    }
    Ok(value)
}

/// Returns the path of an array that serde accepted in place of an object. Derived types accept the
/// fields in order as an array, which is not part of the contract.
fn find_array_for_object(sent: &Value, parsed: &Value, path: String) -> Option<String> {
    match (sent, parsed) {
        (Value::Array(_), Value::Object(_)) => Some(path),
        (Value::Array(sent), Value::Array(parsed)) => {
            let pairs = sent.iter().zip(parsed).enumerate();
            pairs.into_iter().find_map(|(i, (s, t))| find_array_for_object(s, t, format!("{path}[{i}]")))
        }
        (Value::Object(sent), Value::Object(parsed)) => sent.iter().find_map(|(name, value)| {
            let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            find_array_for_object(value, parsed.get(name)?, inner)
        }),
        _ => None,
    }
}

/// Returns the field and the message of a `serde_json` error, without line and column. For a missing
/// field, returns the path of the field instead of the object's.
fn locate(path: &str, message: &str) -> (String, String) {
    let message = message.split(" at line ").next().unwrap_or(message);
    if let Some(name) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        let field = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        return (field, "is required".to_owned());
    }
    if message.starts_with("unknown field `") {
        let name = message.split('`').nth(1).unwrap_or_default();
        let inside = path == name || path.ends_with(&format!(".{name}"));
        let field = match (inside, path.is_empty()) {
            (true, _) => path.to_owned(),
            (false, true) => name.to_owned(),
            (false, false) => format!("{path}.{name}"),
        };
        return (field, "is not a known field".to_owned());
    }
    if let Some(name) = message.strip_prefix("duplicate field `").and_then(|rest| rest.strip_suffix('`')) {
        let field = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        return (field, "is given more than once".to_owned());
    }
    let field = if path.is_empty() { "body" } else { path };
    (field.to_owned(), expectation(message))
}

/// Returns a message with the expected type. The sent value is left out, because it may be a secret.
fn expectation(message: &str) -> String {
    match message.rsplit_once(", expected ") {
        Some((_, expected)) if expected.starts_with("struct ") => "must be an object".to_owned(),
        Some((_, expected)) => format!("must be {expected}"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{media::ScanInput, space::NewSpace};

    use super::*;

    fn invalid_field<T: DeserializeOwned + Serialize + std::fmt::Debug>(text: &str) -> (String, String) {
        let error = parse::<T>(text.as_bytes()).unwrap_err();
        let response = error.into_response(&domain::RequestId::new());
        let body = futures::executor::block_on(http_body_util::BodyExt::collect(response.into_body()));
        let value: serde_json::Value = serde_json::from_slice(&body.unwrap().to_bytes()).unwrap();
        let field = &value["error"]["fields"][0];
        (field["field"].as_str().unwrap().into(), field["message"].as_str().unwrap().into())
    }

    #[test]
    fn names_the_invalid_field() {
        assert_eq!(invalid_field::<NewSpace>("{}"), ("name".into(), "is required".into()));
        assert_eq!(
            invalid_field::<NewSpace>(r#"{"name":"a","space_type":"b","colour":1}"#),
            ("colour".into(), "is not a known field".into())
        );
        assert_eq!(invalid_field::<NewSpace>(r#"{"name":1}"#).0, "name");
        assert_eq!(invalid_field::<NewSpace>("[").0, "body");
        assert_eq!(invalid_field::<NewSpace>(r#"["a","b"]"#).0, "body");
        let array = r#"{"kind":"video","language":"en","video":["video/mp4",5]}"#;
        assert_eq!(invalid_field::<ScanInput>(array), ("video".into(), "must be an object".into()));
        assert_eq!(invalid_field::<NewSpace>(r#"{"name":"a","space_type":"b"} x"#).0, "body");
        let video =
            r#"{"kind":"video","language":"en","video":{"content_type":"video/mp4","content_length":-1}}"#;
        assert_eq!(invalid_field::<ScanInput>(video).0, "video.content_length");
        let frames = r#"{"kind":"frames","language":"en","frames":[{},{"timestamp":1}]}"#;
        assert_eq!(
            invalid_field::<ScanInput>(frames),
            ("frames[1].timestamp".into(), "is not a known field".into())
        );
    }

    #[test]
    fn never_repeats_the_value_that_was_sent() {
        for (sent, expected) in [
            (r#""hunter2""#, "must be an object"),
            (r#"{"name":4111111111111111}"#, "must be a string"),
            (r#"{"name":["hunter2, expected hunter2"]}"#, "must be a string"),
            (r#"{"name":true}"#, "must be a string"),
        ] {
            assert_eq!(invalid_field::<NewSpace>(sent).1, expected, "{sent}");
        }
        let kind = r#"{"kind":"hunter2, expected hunter2","language":"en"}"#;
        assert_eq!(invalid_field::<ScanInput>(kind).1, "must be `video` or `frames`");
    }

    #[test]
    fn refuses_deep_nesting() {
        let deep = "[".repeat(100_000);
        assert!(parse::<serde_json::Value>(deep.as_bytes()).is_err());
    }
}
