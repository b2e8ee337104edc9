//! Examples for `openapi.json` and the reference: for every operation what a client may send and what it
//! is answered. A test holds each against its schema.

use serde_json::{Value, json};

/// The examples of one operation.
#[derive(Debug, Default)]
pub struct Examples {
    /// A JSON body that it takes.
    pub request: Option<Value>,
    /// A query string that it takes.
    pub query: Option<&'static str>,
    answers: Vec<(u16, Value)>,
}

impl Examples {
    /// What it answers with this status.
    pub fn answer(&self, status: u16) -> Option<&Value> {
        self.answers.iter().find(|(known, _)| *known == status).map(|(_, value)| value)
    }

    fn answers(values: impl IntoIterator<Item = (u16, Value)>) -> Self {
        Self { request: None, query: None, answers: values.into_iter().collect() }
    }

    fn asked(mut self, query: &'static str) -> Self {
        self.query = Some(query);
        self
    }

    fn takes(mut self, request: Value) -> Self {
        self.request = Some(request);
        self
    }
}

const SPACE: &str = "spc_01jd3x8q6v2f9m4r7t1w5y0z3k";
const SCAN: &str = "scn_01jd3xa1c8n5h2b6k9p3s7v0xe";
const EARLIER_SCAN: &str = "scn_01jd2m5r7t0c3f8h1k4n6q9w2y";
const EVENT: &str = "evt_scn_01jd3xa1c8n5h2b6k9p3s7v0xe_completed";
const WEBHOOK: &str = "whe_01jd3x0000000000000000000e";
const WEBHOOK_URL: &str = "https://hooks.example.com/scans";
const EXPORT: &str = "exp_01jd3x0000000000000000000e";
const FRAME_KEY: &str = "scans/scn_01jd3xa1c8n5h2b6k9p3s7v0xe/frames/frm_00001.jpg";
/// Of the form of a secret, and of no key: its checksum is wrong.
const KEY_SECRET: &str = "sc_test_Ab12example";
/// Of the form of what is mailed, and of no one.
const MAILED_TOKEN: &str = "3nXq8example0example0example0example0exampl";
const TOP_UP: &str = "pay_01jd3x0000000000000000000e";
const SHA256: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const CREATED: &str = "2026-03-02T09:15:04.218Z";
const STARTED: &str = "2026-03-02T09:16:40.007Z";
const FINISHED: &str = "2026-03-02T09:18:12.930Z";

/// A value of a parameter of a path, by the path's template and the parameter's name.
pub fn path_param(path: &str, name: &str) -> &'static str {
    match name {
        "index" => "0",
        "key" => FRAME_KEY,
        "scan_id" => SCAN,
        "month" => "2026-03",
        _ if path.starts_with("/billing/top-ups/") => TOP_UP,
        _ if path.starts_with("/auth/exports/") => EXPORT,
        _ if path.starts_with("/keys/") => "key_01jd3x0000000000000000000b",
        _ if path.starts_with("/webhook-endpoints/") => WEBHOOK,
        _ if path.starts_with("/spaces/") => SPACE,
        _ if path.starts_with("/events/") => EVENT,
        _ => SCAN,
    }
}

/// The examples of an operation, by its id.
pub fn of(operation: &str) -> Examples {
    let one = |value| Examples::answers([(200, value)]);
    match operation {
        "getMe" => one(json!({
            "user": { "id": "usr_01jd3x0000000000000000000a", "email": "kim@example.com", "is_pro": false },
            "key": { "id": "key_01jd3x0000000000000000000b", "mode": "test",
                "scopes": ["spaces:read", "spaces:write", "scans:read", "scans:write"] },
        })),
        "getWallet" => one(json!({
            "object": "wallet", "balance_cents": 4850, "free_scans": 2, "currency": "usd", "livemode": false,
            "auto_recharge": auto_recharge(),
        })),
        "listSpaces" => one(list(space())),
        "createSpace" => Examples::answers([(201, space())]).takes(json!({
            "name": "Unit 4B", "space_type": "apartment", "external_id": "listing-8831",
        })),
        "getSpace" => {
            one(with(space(), json!({ "document": document(), "document_revision": 1, "scan_id": SCAN })))
        }
        "listScans" => one(list(complete())),
        "createScan" => {
            Examples::answers([(201, awaiting()), (200, awaiting())]).takes(json!({ "input": input() }))
        }
        "getScanOfSpace" => one(with(complete(), json!({ "document": document() }))),
        "getScan" => one(complete()),
        "startScan" => Examples::answers([(202, queued()), (200, complete())]).takes(json!({})),
        "getSkill" => one(json!({
            "object": "skill", "name": "unit-4b", "scan_id": SCAN,
            "files": [{ "path": "SKILL.md", "content": "---\nname: unit-4b\n---\n" }],
        })),
        "askSpace" => one(json!({
            "object": "answer", "scan_id": SCAN, "status": "answered",
            "answer": "A sign reads “MEETING ROOM 2”.", "worded_by": null, "confidence": 0.94, "reason": null,
            "citations": [{ "claim_id": "clm_1", "value": "MEETING ROOM 2", "basis": "read", "confidence": 0.94,
                "evidence": [with(evidence(), json!({ "url": frame_url() }))] }],
        }))
        .takes(json!({ "question": "What does the sign say?" })),
        "diffSpace" => one(json!({
            "object": "diff", "space_id": SPACE,
            "from": { "scan_id": EARLIER_SCAN, "document_revision": 1 },
            "to": { "scan_id": SCAN, "document_revision": 2 },
            "zones": [{ "from_zone_id": "zon_1", "to_zone_id": "zon_1", "score": 0.91 }],
            "changes": [{
                "kind": "changed", "subject": "text", "name": "MEETING ROOM 1", "confidence": 0.86, "reason": null,
                "before": { "id": "txt_1", "value": "MEETING ROOM 1", "zone_id": "zon_1", "zone": "Meeting room",
                    "confidence": 0.95, "evidence": [evidence()] },
                "after": { "id": "txt_1", "value": "MEETING ROOM 2", "zone_id": "zon_1", "zone": "Meeting room",
                    "confidence": 0.94, "evidence": [with(evidence(), json!({ "url": frame_url() }))] },
            }],
        })),
        "search" => one(list(json!({
            "object": "search_hit", "space": space(), "scan_id": SCAN, "score": 7.31,
            "matches": [{ "kind": "text", "id": "txt_1", "text": "MEETING ROOM 2", "zone_id": "zon_1",
                "frame_id": "frm_00001", "t_ms": 1200, "ordinal": null, "url": frame_url() }],
        })))
        .asked("q=apartment"),
        "signUp" => Examples::answers([(202, json!({ "object": "sign_up", "email": "kim@example.com" }))])
            .takes(credentials()),
        "sendConfirmation" => Examples::answers([(202, mail_request())]),
        "confirmEmail" => Examples::default().takes(json!({ "token": MAILED_TOKEN })),
        "forgotPassword" => {
            Examples::answers([(202, mail_request())]).takes(json!({ "email": "kim@example.com" }))
        }
        "resetPassword" => Examples::default()
            .takes(json!({ "token": MAILED_TOKEN, "password": "four unrelated plain words" })),
        "createExport" => Examples::answers([(202, export("pending", json!({})))]),
        "getExport" => one(export(
            "ready",
            json!({
                "url": format!("https://api.example.com/v1/auth/exports/{EXPORT}/archive"),
                "bytes": 48_217_330, "expires_at": "2026-03-09T09:18:12.930Z",
            }),
        )),
        "deleteAccount" => Examples::answers([(202, json!({
            "object": "closed_account", "id": "acc_01jd3x0000000000000000000d", "closed_at": FINISHED,
        }))])
        .takes(json!({ "password": "four unrelated plain words" })),
        "logIn" => one(session()).takes(credentials()),
        "getSession" => one(session()),
        "listAuditLog" => one(list(json!({
            "object": "audit_entry", "action": "key.created", "actor": "usr_01jd3x0000000000000000000a",
            "subject": "key_01jd3x0000000000000000000b", "at": CREATED, "detail": {},
        }))),
        "listKeys" => one(list(key())),
        "createKey" => Examples::answers([(201, with(key(), json!({ "secret": KEY_SECRET })))]).takes(json!({
            "name": "Server", "scopes": ["spaces:read", "scans:read", "scans:write"], "monthly_cap_cents": 5000,
        })),
        "getKey" => one(key()),
        "updateKey" => one(key()).takes(json!({ "monthly_cap_cents": 5000 })),
        "rollKey" => Examples::answers([(201, with(key(), json!({ "secret": KEY_SECRET })))])
            .takes(json!({ "overlap_hours": 24 })),
        "getPaymentMethod" => one(payment_method()),
        "setPaymentMethod" => one(payment_method()).takes(json!({ "payment_method": "pm_card_visa" })),
        "getAutoRecharge" => one(auto_recharge()),
        "setAutoRecharge" => one(auto_recharge()).takes(json!({
            "enabled": true, "threshold_cents": 500, "amount_cents": 2000, "daily_limit_cents": 10_000,
        })),
        "createTopUp" => {
            let pending = with(top_up(), json!({ "status": "pending", "updated_at": CREATED }));
            Examples::answers([(202, pending), (200, top_up())]).takes(json!({ "amount_cents": 2000 }))
        }
        "listTopUps" => one(list(top_up())),
        "getTopUp" => one(top_up()),
        "listBillingEntries" => one(list(json!({
            "object": "billing_entry", "id": "txn_01jd3x0000000000000000000f", "kind": "topup",
            "amount_cents": 2000, "free_scans": 0, "scan_id": null, "key_id": null, "top_up_id": TOP_UP,
            "created_at": CREATED,
        }))),
        "getBillingStatement" => one(json!({
            "object": "billing_statement", "month": "2026-03", "currency": "usd", "livemode": false,
            "opening": { "balance_cents": 3000, "free_scans": 3 },
            "totals": [{ "kind": "charge", "amount_cents": -150, "free_scans": -1 },
                { "kind": "topup", "amount_cents": 2000, "free_scans": 0 }],
            "closing": { "balance_cents": 4850, "free_scans": 2 },
        })),
        "receiveBankWebhook" => Examples::answers([]).takes(json!({
            "id": "evt_1Q0", "type": "payment_intent.succeeded", "created": 1_772_442_904,
            "data": { "object": { "id": "pi_1Q0", "amount": 2000, "status": "succeeded", "created": 1_772_442_900 } },
        })),
        "listWebhookEndpoints" => one(list(webhook())),
        "createWebhookEndpoint" => {
            let replayed = with(webhook(), json!({ "signing_secret": null }));
            Examples::answers([(201, with(webhook(), signing_secret())), (200, replayed)])
                .takes(json!({ "url": WEBHOOK_URL, "events": ["scan.completed", "scan.failed"] }))
        }
        "getWebhookEndpoint" | "enableWebhookEndpoint" => one(webhook()),
        "updateWebhookEndpoint" => one(webhook()).takes(json!({ "events": ["scan.completed", "scan.failed"] })),
        "disableWebhookEndpoint" => one(with(webhook(), json!({ "enabled": false }))),
        "rotateWebhookSecret" => one(with(with(webhook(), signing_secret()), json!({
            "old_secret_signs_until": "2026-03-03T09:16:40.007Z",
        })))
        .takes(json!({ "overlap_hours": 24 })),
        "testWebhookEndpoint" => one(json!({
            "object": "webhook_test", "delivered": false, "status": 500,
            "error": { "code": "not_accepted", "message": "the endpoint answered 500" },
            "response": "no such route", "response_truncated": false, "duration_ms": 84,
            "event": { "id": "evt_test_req_01jd3x0000000000000000000f", "object": "event",
                "type": "scan.completed", "livemode": false, "created_at": STARTED, "data": { "test": true } },
        }))
        .takes(json!({ "type": "scan.completed" })),
        "listWebhookDeliveries" => one(list(delivery())),
        "replayEvents" => Examples::answers([(202, list(with(delivery(), json!({
            "status": "pending", "replays": 1, "next_attempt_at": FINISHED, "finished_at": null,
        }))))])
        .takes(json!({ "event_ids": [EVENT] })),
        "listEvents" => one(list(event())).asked("type=scan.completed"),
        "getEvent" => one(event()),
        "streamEvents" => one(Value::from(format!(
            "retry: 2000\n\nevent: scan.completed\nid: {EVENT}\ndata: {}\n\n",
            event()
        ))),
        "getOpenapi" => one(json!({ "openapi": "3.1.0", "info": { "title": "Scan Service" } })),
        _ => Examples::default(),
    }
}

/// The object with more fields.
fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

fn list(item: Value) -> Value {
    json!({ "object": "list", "data": [item], "next_cursor": null })
}

fn space() -> Value {
    json!({
        "object": "space", "id": SPACE, "source": "api", "livemode": false, "name": "Unit 4B",
        "space_type": "apartment", "description": null, "external_id": "listing-8831",
        "created_at": CREATED, "updated_at": CREATED,
    })
}

fn key() -> Value {
    json!({
        "object": "key", "id": "key_01jd3x0000000000000000000b", "mode": "test", "name": "Server",
        "hint": "sc_test_Ab12", "active": true, "scopes": ["spaces:read", "scans:read", "scans:write"],
        "monthly_cap_cents": 5000, "spent_this_month_cents": 450, "last_used_at": STARTED,
        "expires_at": null, "revoked_at": null, "created_at": CREATED,
    })
}

fn payment_method() -> Value {
    json!({ "object": "payment_method", "brand": "visa", "last4": "4242", "livemode": false, "updated_at": CREATED })
}

fn auto_recharge() -> Value {
    json!({ "enabled": true, "in_progress": false, "threshold_cents": 500, "amount_cents": 2000,
        "daily_limit_cents": 10_000 })
}

fn top_up() -> Value {
    json!({
        "object": "top_up", "id": TOP_UP, "kind": "top_up", "status": "succeeded", "amount_cents": 2000,
        "reason": null, "client_secret": null, "confirm_url": null, "refunded_cents": 0, "dispute": null, "livemode": false,
        "created_at": CREATED, "updated_at": STARTED,
    })
}

fn webhook() -> Value {
    json!({
        "object": "webhook_endpoint", "id": WEBHOOK, "mode": "test", "url": WEBHOOK_URL,
        "description": "Listings", "events": ["scan.completed", "scan.failed"], "enabled": true,
        "disabled_reason": null, "consecutive_failures": 0, "old_secret_signs_until": null,
        "created_at": CREATED, "updated_at": CREATED,
    })
}

fn signing_secret() -> Value {
    json!({ "signing_secret": "whsec_example" })
}

fn delivery() -> Value {
    json!({
        "object": "webhook_delivery", "event_id": EVENT, "endpoint_id": WEBHOOK, "status": "delivered",
        "attempts": 1, "replays": 0, "last_status": 200, "last_error": null, "last_response": "ok",
        "next_attempt_at": null, "created_at": FINISHED, "finished_at": FINISHED,
    })
}

fn credentials() -> Value {
    json!({ "email": "kim@example.com", "password": "four unrelated plain words" })
}

fn export(state: &str, more: Value) -> Value {
    let export = json!({
        "object": "account_export", "id": EXPORT, "state": state, "url": null, "bytes": null,
        "created_at": CREATED, "expires_at": null,
    });
    with(export, more)
}

fn mail_request() -> Value {
    json!({ "object": "mail_request", "email": "kim@example.com" })
}

fn session() -> Value {
    json!({
        "object": "session", "id": "ses_01jd3x0000000000000000000c",
        "created_at": CREATED, "expires_at": "2026-03-16T09:15:04.218Z",
        "user": { "id": "usr_01jd3x0000000000000000000a", "email": "kim@example.com",
            "email_confirmed": false, "is_pro": false },
        "account": { "id": "acc_01jd3x0000000000000000000d", "name": "My account" },
    })
}

fn input() -> Value {
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

fn awaiting() -> Value {
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

fn queued() -> Value {
    let timeline = json!([
        { "status": "awaiting_upload", "at": CREATED },
        { "status": "queued", "at": STARTED },
    ]);
    scan("queued", json!({ "charge": charge(), "started_at": STARTED, "timeline": timeline }))
}

fn complete() -> Value {
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

fn event() -> Value {
    json!({
        "id": EVENT, "object": "event", "type": "scan.completed", "livemode": false,
        "created_at": FINISHED, "data": { "scan": complete() },
    })
}

fn frame_url() -> String {
    format!("https://api.example.com/v1/media/{FRAME_KEY}?expires=1772446692&signature=5f0c")
}

fn evidence() -> Value {
    json!({ "media_id": "med_video", "frame_id": "frm_00001", "t_ms": 1200,
        "bbox": { "x": 0.41, "y": 0.22, "w": 0.18, "h": 0.06 }, "score": 0.94 })
}

/// A small document: one frame, in which a sign was read.
fn document() -> Value {
    json!({
        "schema_version": "1.0", "kind": "video", "language": "en",
        "media": [{ "id": "med_video", "kind": "video", "sha256": SHA256, "bytes": 18_350_112,
            "width": 1920, "height": 1080, "duration_ms": 42_000, "fps": 30.0, "has_audio": true }],
        "frames": [{ "id": "frm_00001", "media_id": "med_video", "t_ms": 1200, "width": 1920, "height": 1080,
            "sharpness": 0.82, "exposure": 0.51, "hash": "c3d2e1f0a5b49687", "kept_because": "sharpest",
            "key": FRAME_KEY,
            "url": frame_url() }],
        "zones": [], "openings": [], "objects": [],
        "texts": [{ "id": "txt_1", "raw": "MEETING ROOM 2", "normalized": "meeting room 2", "kind": "sign",
            "claim": { "id": "clm_1", "value": "MEETING ROOM 2", "confidence": 0.94, "basis": "read",
                "run_id": "run_ocr",
                "evidence": [evidence()] } }],
        "narration": [], "measurements": [], "relations": [],
        "summary": [{ "text": "A sign reads “MEETING ROOM 2”.", "claim_ids": ["clm_1"] }],
        "quality": { "blurred": 0.04, "dark": 0.0, "uncovered": [], "warnings": [] },
        "runs": [{ "id": "run_ocr", "task": "ocr", "provider": "local", "model": "text-reader",
            "version": "1", "parameters": {} }],
    })
}
