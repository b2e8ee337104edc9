//! The page of each error code, and their index.

use domain::{ApiErrorCode, FailureCode};
use maud::{Markup, html};

use super::{layout, markdown};
use crate::http::error::{REFERENCE_PATH as PATH, error_path};

/// Renders the page of a code; `text` is its file in `docs/errors`.
pub(super) fn page(code: &str, text: &str) -> Markup {
    let body = html! {
        p.facts { a href=(PATH) { "Reference" } " · " a href={ (PATH) "/errors" } { "Errors" } }
        (markdown::block(text))
    };
    layout::page(code, None, body)
}

/// Renders the table of all codes.
pub(super) fn index() -> Markup {
    let mut responses = ApiErrorCode::ALL.to_vec();
    responses.sort_by_key(|code| (code.status(), code.as_str()));
    let mut failures = FailureCode::ALL.to_vec();
    failures.sort_by_key(|code| code.as_str());
    let retry = |yes: bool| if yes { "yes" } else { "no" };
    let body = html! {
        p.facts { a href=(PATH) { "Reference" } }
        h1 { "Errors" }
        p {
            "Every error response is " code { "{\"error\": {\"code\", \"message\", \"request_id\", …}}" }
            ". Its header " code { "Link: <…>; rel=\"help\"" } " links to the page of the error. Branch on "
            code { "code" } "; " code { "message" } " may change; quote " code { "request_id" }
            " to support. New codes may be added: treat unknown codes by their HTTP status."
        }
        h2 { "Error codes of the API" }
        table {
            thead { tr { th { "Code" } th { "HTTP" } th { "Retry" } } }
            tbody { @for code in responses { tr {
                td { a href=(error_path(code.as_str())) { (code.as_str()) } }
                td { (code.status()) }
                td { (retry(code.retryable())) }
            } } }
        }
        h2 { "Failures of scans" }
        p { "A failed scan has " code { "error.code" } "; its charge was refunded." }
        table {
            thead { tr { th { "Code" } th { "Meaning" } th { "Retry" } } }
            tbody { @for code in failures { tr {
                td { a href=(error_path(code.as_str())) { (code.as_str()) } }
                td { (code.message()) }
                td { (retry(code.retryable())) }
            } } }
        }
    };
    layout::page("Errors", None, body)
}
