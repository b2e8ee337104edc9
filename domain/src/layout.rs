//! Storage keys of the objects of a scan. Keys are deterministic, so that an activity that runs
//! twice writes the same objects.

use ulid::Ulid;

use crate::{AccountId, ExportId, ScanId, media::UploadSlot};

/// Maximum size of a Space Document, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the prefix of all keys of a scan.
pub fn scan_prefix(scan: &ScanId) -> String {
    format!("scans/{scan}/")
}

/// Returns the key of an upload through a signed URL, before the scan starts.
pub fn upload(scan: &ScanId, slot: UploadSlot) -> String {
    match slot {
        UploadSlot::Video => format!("scans/{scan}/upload/video"),
        UploadSlot::Frame(index) => format!("scans/{scan}/upload/frames/{index:05}"),
    }
}

/// Returns the key of one upload through the API. Each attempt has a separate key, so that of two
/// concurrent uploads the recorded one is the stored one.
pub fn upload_attempt(scan: &ScanId, slot: UploadSlot, attempt: &Ulid) -> String {
    format!("{}.{attempt}", upload(scan, slot))
}

/// Returns the prefix of all uploads of a scan.
pub fn upload_prefix(scan: &ScanId) -> String {
    format!("scans/{scan}/upload/")
}

/// Returns the key of the immutable copy that is created at start and that the pipeline reads.
pub fn source(scan: &ScanId, slot: UploadSlot) -> String {
    match slot {
        UploadSlot::Video => format!("scans/{scan}/source/video"),
        UploadSlot::Frame(index) => format!("scans/{scan}/source/frames/{index:05}"),
    }
}

/// Returns the key of the transcript that the client sent with a scan, as JSON. It is kept as long as
/// the media.
pub fn transcript(scan: &ScanId) -> String {
    format!("scans/{scan}/source/transcript.json")
}

/// Returns the key of a kept frame, a JPEG file.
pub fn frame(scan: &ScanId, frame_id: &str) -> String {
    format!("scans/{scan}/frames/{frame_id}.jpg")
}

/// Returns the key of the audio: a WAV file with 16 kHz, mono, signed 16-bit samples.
pub fn audio(scan: &ScanId) -> String {
    format!("scans/{scan}/audio.wav")
}

/// Returns the key of an intermediate result of a stage, as JSON. `name` is for example `ingest`.
pub fn artifact(scan: &ScanId, name: &str) -> String {
    format!("scans/{scan}/work/{name}.json")
}

/// Returns the key of the usage of model endpoints by a scan (requests, tokens, cost), as JSON.
pub fn usage(scan: &ScanId) -> String {
    format!("scans/{scan}/usage.json")
}

/// Returns the key of the Space Document, as canonical JSON.
pub fn document(scan: &ScanId) -> String {
    format!("scans/{scan}/document.json")
}

/// Maximum size of the stored views of a scan, in bytes.
pub const MAX_VIEWS_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the key of the views of a scan (features and detections of its kept frames), as compressed
/// JSON. They are kept as long as the document.
pub fn views(scan: &ScanId) -> String {
    format!("scans/{scan}/views.json.gz")
}

/// Returns the prefix of all immutable copies of a scan's media.
pub fn source_prefix(scan: &ScanId) -> String {
    format!("scans/{scan}/source/")
}

/// Returns the prefix of all intermediate results of a scan.
pub fn work_prefix(scan: &ScanId) -> String {
    format!("scans/{scan}/work/")
}

/// Maximum size of a client's transcript, in bytes. It is part of a request of at most 1 MiB, and JSON
/// may be longer than the text it was parsed from.
pub const MAX_TRANSCRIPT_BYTES: u64 = 8 * 1024 * 1024;

/// Returns the key of an account export.
pub fn account_export(account: &AccountId, export: &ExportId) -> String {
    format!("exports/{account}/{export}.zip")
}

/// Returns the prefix of all exports of an account.
pub fn account_export_prefix(account: &AccountId) -> String {
    format!("exports/{account}/")
}
