//! Examples of scans.

use serde_json::{Value, json};

use crate::contract::examples::{CREATED, EARLIER_SCAN, FINISHED, SCAN, SPACE, STARTED, with};

pub(super) fn input() -> Value {
    json!({ "kind": "video", "language": "en",
        "video": { "content_type": "video/mp4", "content_length": 18_350_112 } })
}

fn scan(status: &str, more: Value) -> Value {
    let scan = json!({
        "object": "scan", "id": SCAN, "space_id": SPACE, "status": status, "livemode": false,
        "input": input(), "created_at": CREATED,
    });
    with(scan, more)
}

/// A scan that awaits its upload.
pub(super) fn awaiting() -> Value {
    let upload = json!({
        "kind": "video", "method": "PUT", "url": format!("https://api.example.com/v1/scans/{SCAN}/video"),
        "headers": { "Content-Type": "video/mp4", "Content-Length": "18350112" },
        "expires_at": "2026-03-03T09:15:04.218Z",
    });
    let timeline = json!([{ "status": "awaiting_upload", "at": CREATED }]);
    scan("awaiting_upload", json!({ "upload": upload, "timeline": timeline }))
}

fn charge() -> Value {
    json!({ "kind": "scan_charge", "price_cents": 150, "refunded": false })
}

/// A scan that was started.
pub(super) fn queued() -> Value {
    let timeline = json!([
        { "status": "awaiting_upload", "at": CREATED },
        { "status": "queued", "at": STARTED },
    ]);
    scan("queued", json!({ "charge": charge(), "started_at": STARTED, "timeline": timeline }))
}

/// A scan that was started from the media of a failed one.
pub(super) fn retry() -> Value {
    with(queued(), json!({ "retry_of": EARLIER_SCAN }))
}

/// A complete scan.
pub(crate) fn complete() -> Value {
    let timeline = json!([
        { "status": "awaiting_upload", "at": CREATED },
        { "status": "queued", "at": STARTED },
        { "status": "processing", "stage": "ingesting", "at": "2026-03-02T09:16:40.310Z" },
        { "status": "processing", "stage": "saving", "at": "2026-03-02T09:18:12.700Z" },
        { "status": "complete", "at": FINISHED },
    ]);
    scan(
        "complete",
        json!({
            "charge": charge(), "document_revision": 1, "started_at": STARTED, "finished_at": FINISHED,
            "timeline": timeline,
        }),
    )
}
