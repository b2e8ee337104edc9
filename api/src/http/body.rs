//! Request bodies: JSON with a cap, and streams for uploads.

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

/// Most bytes of a JSON body.
pub const MAX_JSON_BYTES: usize = 1024 * 1024;

/// How long a JSON body may take to arrive.
const JSON_PATIENCE: Duration = Duration::from_secs(15);

/// How long a body that its handler did not want is still read (and thrown away), so that the client
/// sees the answer instead of a connection that breaks while it sends.
const LINGER: Duration = Duration::from_secs(2);

/// The client went away, or sent a body that HTTP does not allow.
#[derive(Debug, thiserror::Error)]
#[error("the request body broke off: {0}")]
pub struct BodyBroken(pub String);

type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, BodyBroken>> + Send + Sync>>;

/// A request body, as a stream of its bytes. Dropped before its end, it is drained for a moment.
pub struct Body {
    stream: ByteStream,
    ended: bool,
    declared: Option<u64>,
}

impl Body {
    /// Takes what [`warp::body::stream`] gives.
    pub(crate) fn new<S, B>(stream: S, headers: &HeaderMap) -> Self
    where
        S: Stream<Item = Result<B, warp::Error>> + Send + Sync + 'static,
        B: Buf,
    {
        let declared = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok());
        // HTTP/1 has no body without one of these; HTTP/2 ends streams one by one, so nothing breaks.
        let none = declared.unwrap_or(0) == 0 && !headers.contains_key(header::TRANSFER_ENCODING);
        let stream = stream.map(|chunk| match chunk {
            Ok(mut buf) => Ok(buf.copy_to_bytes(buf.remaining())),
            Err(error) => Err(BodyBroken(error.to_string())),
        });
        Self { stream: Box::pin(stream), ended: none, declared }
    }

    /// The declared `Content-Length`, if there is one.
    pub fn declared(&self) -> Option<u64> {
        self.declared
    }

    /// Reads the whole body.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` as soon as more than `limit` bytes are declared or arrive.
    pub async fn read(&mut self, limit: usize) -> ApiResult<Bytes> {
        if self.declared.is_some_and(|declared| declared > limit as u64) {
            return Err(too_large(limit as u64));
        }
        let mut whole = BytesMut::new();
        while let Some(chunk) = self.next().await {
            let chunk = chunk.map_err(broken)?;
            if whole.len() + chunk.len() > limit {
                return Err(too_large(limit as u64));
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }
}

impl Stream for Body {
    type Item = Result<Bytes, BodyBroken>;

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
        let nothing: ByteStream = Box::pin(futures::stream::empty());
        let mut rest = std::mem::replace(&mut self.stream, nothing);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tokio::time::timeout(LINGER, async move {
                while let Some(Ok(_)) = rest.next().await {}
            }));
        }
    }
}

/// `PAYLOAD_TOO_LARGE`, saying how much would have been taken.
pub fn too_large(limit: u64) -> ApiError {
    ApiError::new(ApiErrorCode::PayloadTooLarge)
        .message(format!("The body is larger than the {limit} bytes that this endpoint takes."))
        .with("max_bytes", limit)
}

/// The answer to a body that broke off; its sender is most likely gone.
pub fn broken(cause: BodyBroken) -> ApiError {
    ApiError::field("body", "broke off before its end").caused_by(cause)
}

/// The media type of a request in lower case, without its parameters.
pub fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Reads a JSON body. Fields that the type does not know are refused by the types themselves
/// (`deny_unknown_fields`); nesting deeper than 128 is refused by `serde_json`.
///
/// # Errors
/// `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`, or `VALIDATION_FAILED` that names
/// the field.
pub async fn json<T: DeserializeOwned + Serialize>(headers: &HeaderMap, body: &mut Body) -> ApiResult<T> {
    require_json(headers)?;
    parse(&read_promptly(body).await?)
}

/// As [`json`], but a body that is not there at all stands for `{}`, and needs no `Content-Type`.
///
/// # Errors
/// As [`json`].
pub async fn json_or_nothing<T>(headers: &HeaderMap, body: &mut Body) -> ApiResult<T>
where
    T: DeserializeOwned + Serialize + Default,
{
    let bytes = read_promptly(body).await?;
    if bytes.is_empty() {
        return Ok(T::default());
    }
    require_json(headers)?;
    parse(&bytes)
}

/// What a form of a page sends, still encoded.
///
/// # Errors
/// `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`, or `VALIDATION_FAILED` for what is not text.
pub(crate) async fn form(headers: &HeaderMap, body: &mut Body) -> ApiResult<String> {
    if media_type(headers).as_deref() != Some("application/x-www-form-urlencoded") {
        return Err(ApiError::new(ApiErrorCode::UnsupportedMediaType));
    }
    let bytes = read_promptly(body).await?;
    String::from_utf8(bytes.into()).map_err(|_| ApiError::field("body", "is not UTF-8"))
}

/// For fields that can be null: tells a null that was sent from a field that was not.
///
/// # Errors
/// Of the field's own type.
pub(crate) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
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

async fn read_promptly(body: &mut Body) -> ApiResult<Bytes> {
    tokio::time::timeout(JSON_PATIENCE, body.read(MAX_JSON_BYTES))
        .await
        .unwrap_or_else(|_| Err(ApiError::new(ApiErrorCode::RequestTimeout)))
}

/// Reads JSON and names the field that is wrong.
fn parse<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> ApiResult<T> {
    let bytes = &*integers::plain(bytes);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { "" } else { path.as_str() };
        let (field, message) = place(path, &error.inner().to_string());
        ApiError::field(field, message)
    })?;
    deserializer.end().map_err(|error| ApiError::field("body", error.to_string()))?;
    let (sent, taken) = (serde_json::from_slice(bytes), serde_json::to_value(&value));
    if let (Ok(sent), Ok(taken)) = (sent, taken)
        && let Some(path) = array_for_object(&sent, &taken, String::new())
    {
        return Err(ApiError::field(if path.is_empty() { "body" } else { &path }, "must be an object"));
    }
    Ok(value)
}

/// Where an array was sent and taken for an object: types read from both, field by field in order, which
/// is no part of the contract.
fn array_for_object(sent: &Value, taken: &Value, path: String) -> Option<String> {
    match (sent, taken) {
        (Value::Array(_), Value::Object(_)) => Some(path),
        (Value::Array(sent), Value::Array(taken)) => {
            let pairs = sent.iter().zip(taken).enumerate();
            pairs.into_iter().find_map(|(i, (s, t))| array_for_object(s, t, format!("{path}[{i}]")))
        }
        (Value::Object(sent), Value::Object(taken)) => sent.iter().find_map(|(name, value)| {
            let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            array_for_object(value, taken.get(name)?, inner)
        }),
        _ => None,
    }
}

/// Where an error of `serde_json` is, and what it says: a missing field is named by itself, not by
/// the object it is missing from, and positions in the text are left out.
fn place(path: &str, message: &str) -> (String, String) {
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

/// What was expected, without what came in its place: that may be a secret.
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

    fn wrong<T: DeserializeOwned + Serialize + std::fmt::Debug>(text: &str) -> (String, String) {
        let error = parse::<T>(text.as_bytes()).unwrap_err();
        let response = error.into_response(&domain::RequestId::new());
        let body = futures::executor::block_on(http_body_util::BodyExt::collect(response.into_body()));
        let value: serde_json::Value = serde_json::from_slice(&body.unwrap().to_bytes()).unwrap();
        let field = &value["error"]["fields"][0];
        (field["field"].as_str().unwrap().into(), field["message"].as_str().unwrap().into())
    }

    #[test]
    fn names_the_field_that_is_wrong() {
        assert_eq!(wrong::<NewSpace>("{}"), ("name".into(), "is required".into()));
        assert_eq!(
            wrong::<NewSpace>(r#"{"name":"a","space_type":"b","colour":1}"#),
            ("colour".into(), "is not a known field".into())
        );
        assert_eq!(wrong::<NewSpace>(r#"{"name":1}"#).0, "name");
        assert_eq!(wrong::<NewSpace>("[").0, "body");
        assert_eq!(wrong::<NewSpace>(r#"["a","b"]"#).0, "body");
        let array = r#"{"kind":"video","language":"en","video":["video/mp4",5]}"#;
        assert_eq!(wrong::<ScanInput>(array), ("video".into(), "must be an object".into()));
        assert_eq!(wrong::<NewSpace>(r#"{"name":"a","space_type":"b"} x"#).0, "body");
        let video =
            r#"{"kind":"video","language":"en","video":{"content_type":"video/mp4","content_length":-1}}"#;
        assert_eq!(wrong::<ScanInput>(video).0, "video.content_length");
        let frames = r#"{"kind":"frames","language":"en","frames":[{},{"timestamp":1}]}"#;
        assert_eq!(wrong::<ScanInput>(frames), ("frames[1].timestamp".into(), "is not a known field".into()));
    }

    #[test]
    fn what_came_is_not_said_again() {
        for (sent, expected) in [
            (r#""hunter2""#, "must be an object"),
            (r#"{"name":4111111111111111}"#, "must be a string"),
            (r#"{"name":["hunter2, expected hunter2"]}"#, "must be a string"),
            (r#"{"name":true}"#, "must be a string"),
        ] {
            assert_eq!(wrong::<NewSpace>(sent).1, expected, "{sent}");
        }
        let kind = r#"{"kind":"hunter2, expected hunter2","language":"en"}"#;
        assert_eq!(wrong::<ScanInput>(kind).1, "must be `video` or `frames`");
    }

    #[test]
    fn refuses_what_is_nested_too_deep() {
        let deep = "[".repeat(100_000);
        assert!(parse::<serde_json::Value>(deep.as_bytes()).is_err());
    }
}
