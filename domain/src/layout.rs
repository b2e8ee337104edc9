//! Where the objects of a scan live in storage. Keys are deterministic, so that an activity that
//! runs twice writes the same objects.

use ulid::Ulid;

use crate::{AccountId, ExportId, ScanId, media::UploadSlot};

/// Maximum size of a Space Document, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Everything of one scan starts with this.
pub fn scan_prefix(scan: &ScanId) -> String {
    format!("scans/{scan}/")
}

/// Where a signed link puts a client's upload, until the scan starts.
pub fn upload(scan: &ScanId, slot: UploadSlot) -> String {
    match slot {
        UploadSlot::Video => format!("scans/{scan}/upload/video"),
        UploadSlot::Frame(index) => format!("scans/{scan}/upload/frames/{index:05}"),
    }
}

/// Where one upload through the API lands: apart from every other of its slot, so that of two at once the
/// one that is recorded is the one that lies there.
pub fn upload_attempt(scan: &ScanId, slot: UploadSlot, attempt: &Ulid) -> String {
    format!("{}.{attempt}", upload(scan, slot))
}

/// Everything uploaded for one scan starts with this.
pub fn upload_prefix(scan: &ScanId) -> String {
    format!("scans/{scan}/upload/")
}

/// The immutable copy that is made at start and that the pipeline reads.
pub fn source(scan: &ScanId, slot: UploadSlot) -> String {
    match slot {
        UploadSlot::Video => format!("scans/{scan}/source/video"),
        UploadSlot::Frame(index) => format!("scans/{scan}/source/frames/{index:05}"),
    }
}

/// A frame that was kept, as JPEG.
pub fn frame(scan: &ScanId, frame_id: &str) -> String {
    format!("scans/{scan}/frames/{frame_id}.jpg")
}

/// The sound of the media: 16 kHz mono signed 16-bit WAV.
pub fn audio(scan: &ScanId) -> String {
    format!("scans/{scan}/audio.wav")
}

/// What one stage (or one part of it) found out, as JSON. `name` is for example `ingest`.
pub fn artifact(scan: &ScanId, name: &str) -> String {
    format!("scans/{scan}/work/{name}.json")
}

/// What models behind an address used for one scan (requests, tokens, cost), as JSON.
pub fn usage(scan: &ScanId) -> String {
    format!("scans/{scan}/usage.json")
}

/// The finished Space Document, as canonical JSON.
pub fn document(scan: &ScanId) -> String {
    format!("scans/{scan}/document.json")
}

/// Every immutable copy of one scan's media starts with this.
pub fn source_prefix(scan: &ScanId) -> String {
    format!("scans/{scan}/source/")
}

/// Everything that stages pass to each other starts with this.
pub fn work_prefix(scan: &ScanId) -> String {
    format!("scans/{scan}/work/")
}

/// An archive of everything that an account has.
pub fn account_export(account: &AccountId, export: &ExportId) -> String {
    format!("exports/{account}/{export}.zip")
}

/// Every archive of an account starts with this.
pub fn account_export_prefix(account: &AccountId) -> String {
    format!("exports/{account}/")
}
