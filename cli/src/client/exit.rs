//! Exit codes of the client commands, and how errors are shown.

use std::process::ExitCode;

use serde_json::json;

use super::failure::ApiFailure;

/// A scan that ended without a document.
#[derive(Debug, thiserror::Error)]
#[error("scan {scan} is {status}: {code}: {message}")]
pub struct ScanEnded {
    /// Id of the scan.
    pub scan: String,
    /// `failed` or `cancelled`.
    pub status: String,
    /// Why, as a stable code.
    pub code: String,
    /// Human-readable reason.
    pub message: String,
}

/// Returns the exit code of an error. 2 is clap's, for a command line that it cannot parse.
///
/// | code | meaning |
/// |---|---|
/// | 1 | any other error |
/// | 3 | the key or session is missing, refused, or may not do this |
/// | 4 | the object does not exist |
/// | 5 | the API refused the request for another reason |
/// | 6 | the service is busy, or cannot be reached |
/// | 7 | the scan failed or was cancelled |
pub fn code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(number(error))
}

fn number(error: &anyhow::Error) -> u8 {
    if let Some(failure) = find::<ApiFailure>(error) {
        return match failure.status {
            401 | 403 => 3,
            404 => 4,
            408 | 429 | 500.. => 6,
            _ => 5,
        };
    }
    if find::<ScanEnded>(error).is_some() {
        return 7;
    }
    if find::<reqwest::Error>(error).is_some_and(|error| error.is_connect() || error.is_timeout()) {
        return 6;
    }
    1
}

/// Returns whether the object does not exist.
pub fn is_missing(error: &anyhow::Error) -> bool {
    number(error) == 4
}

/// Returns whether the same request can succeed later: the service is busy, or the connection was lost.
pub fn is_transient(error: &anyhow::Error) -> bool {
    let lost = find::<reqwest::Error>(error).is_some_and(|error| !error.is_builder());
    lost || find::<ApiFailure>(error).is_some_and(|failure| matches!(failure.status, 408 | 429 | 500..))
}

fn find<E: std::error::Error + 'static>(error: &anyhow::Error) -> Option<&E> {
    error.chain().find_map(|cause| cause.downcast_ref::<E>())
}

/// Returns the lines that describe an error, as JSON if the output is JSON. An error of the API names
/// the page of its code.
pub fn describe(error: &anyhow::Error, as_json: bool) -> String {
    let page = find::<ApiFailure>(error).and_then(ApiFailure::page);
    if as_json {
        let failure = find::<ApiFailure>(error);
        let ended = find::<ScanEnded>(error);
        let code = failure.map(|failure| failure.code.clone()).or_else(|| Some(ended?.code.clone()));
        return json!({ "error": {
            "code": code, "message": format!("{error:#}"), "page": page,
            "request_id": failure.map(|failure| failure.request_id.clone()), "exit_code": number(error),
        } })
        .to_string();
    }
    let page = page.map(|page| format!("\n      see {page}")).unwrap_or_default();
    let hint = match number(error) {
        6 if find::<ApiFailure>(error).is_none() => {
            "\n      is the service running? `scan up` starts one on this machine"
        }
        _ => "",
    };
    format!("scan: {error:#}{page}{hint}")
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn exit_codes_follow_the_cause_through_its_contexts() {
        let failure = |status| ApiFailure::test(status, "NOT_FOUND");
        let wrapped = |status| Err::<(), _>(failure(status)).context("while doing this").unwrap_err();
        for (status, expected) in [(401, 3), (403, 3), (404, 4), (409, 5), (422, 5), (429, 6), (503, 6)] {
            assert_eq!(number(&wrapped(status)), expected, "{status}");
        }
        assert_eq!(number(&anyhow::anyhow!("other")), 1);
        let text = describe(&wrapped(404), false);
        assert!(text.contains("see http://127.0.0.1:8080/docs/errors/NOT_FOUND"), "{text}");
        let json: serde_json::Value = serde_json::from_str(&describe(&wrapped(404), true)).unwrap();
        assert_eq!((&json["error"]["code"], &json["error"]["exit_code"]), (&"NOT_FOUND".into(), &4.into()));
    }
}
