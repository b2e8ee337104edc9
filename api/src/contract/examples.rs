//! Examples of requests and responses, for `openapi.json` and the reference pages.
//!
//! Each endpoint's description carries its own examples. This file holds the ids, times and
//! fragments that several of them share. A test validates every example against its schema.

use serde_json::{Value, json};

/// Examples of one operation.
#[derive(Debug, Clone, Default)]
pub struct Examples {
    /// A JSON request body.
    pub request: Option<Value>,
    /// A query string.
    pub query: Option<&'static str>,
    /// Response bodies by status.
    pub(crate) responses: Vec<(u16, Value)>,
}

impl Examples {
    /// Returns the example of the response with this status.
    pub fn response(&self, status: u16) -> Option<&Value> {
        self.responses.iter().find(|(known, _)| *known == status).map(|(_, value)| value)
    }
}

/// Id of the example space.
pub(crate) const SPACE: &str = "spc_01jd3x8q6v2f9m4r7t1w5y0z3k";
/// Id of the example scan.
pub(crate) const SCAN: &str = "scn_01jd3xa1c8n5h2b6k9p3s7v0xe";
/// Id of an earlier scan of the example space.
pub(crate) const EARLIER_SCAN: &str = "scn_01jd2m5r7t0c3f8h1k4n6q9w2y";
/// Id of the example event.
pub(crate) const EVENT: &str = "evt_scn_01jd3xa1c8n5h2b6k9p3s7v0xe_completed";
/// Id of the example webhook endpoint.
pub(crate) const WEBHOOK: &str = "whe_01jd3x0000000000000000000e";
/// Id of the example correction.
pub(crate) const CORRECTION: &str = "cor_01jd3x0000000000000000000e";
/// Id of the example share link.
pub(crate) const SHARE: &str = "shr_01jd3x0000000000000000000e";
/// Id of the example session.
pub(crate) const SESSION: &str = "ses_01jd3x0000000000000000000c";
/// Id of the example export.
pub(crate) const EXPORT: &str = "exp_01jd3x0000000000000000000e";
/// Object key of the example frame.
pub(crate) const FRAME_KEY: &str = "scans/scn_01jd3xa1c8n5h2b6k9p3s7v0xe/frames/frm_00001.jpg";
/// Id of the example top-up.
pub(crate) const TOP_UP: &str = "pay_01jd3x0000000000000000000e";
/// Time at which example resources are created.
pub(crate) const CREATED: &str = "2026-03-02T09:15:04.218Z";
/// Time at which the example scan is started.
pub(crate) const STARTED: &str = "2026-03-02T09:16:40.007Z";
/// Time at which the example scan ends.
pub(crate) const FINISHED: &str = "2026-03-02T09:18:12.930Z";

/// Returns an example value of a path parameter.
pub fn path_param(path: &str, name: &str) -> &'static str {
    match name {
        "index" => "0",
        "key" => FRAME_KEY,
        "scan_id" => SCAN,
        "month" => "2026-03",
        "event_id" => EVENT,
        "correction_id" => CORRECTION,
        "share_id" => SHARE,
        _ if path.starts_with("/billing/top-ups/") => TOP_UP,
        _ if path.starts_with("/auth/sessions/") => SESSION,
        _ if path.starts_with("/auth/exports/") => EXPORT,
        _ if path.starts_with("/keys/") => "key_01jd3x0000000000000000000b",
        _ if path.starts_with("/webhook-endpoints/") => WEBHOOK,
        _ if path.starts_with("/spaces/") => SPACE,
        _ if path.starts_with("/events/") => EVENT,
        _ => SCAN,
    }
}

/// Returns `object` with the fields of `more` added or replaced.
pub(crate) fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

/// Returns a list with one item.
pub(crate) fn list_of(item: Value) -> Value {
    json!({ "object": "list", "data": [item], "next_cursor": null })
}

/// Returns a signed URL of the example frame.
pub(crate) fn frame_url() -> String {
    format!("https://api.example.com/v1/media/{FRAME_KEY}?expires=1772446692&signature=5f0c")
}

/// Returns evidence in the example frame.
pub(crate) fn evidence() -> Value {
    json!({ "media_id": "med_video", "frame_id": "frm_00001", "t_ms": 1200,
        "bbox": { "x": 0.41, "y": 0.22, "w": 0.18, "h": 0.06 }, "score": 0.94 })
}

/// Returns [`evidence`] with the signed URL of its frame.
pub(crate) fn evidence_with_url() -> Value {
    with(evidence(), json!({ "url": frame_url() }))
}
