//! Scan input and its limits.

use serde::{Deserialize, Serialize};

/// Kind of the scan input: a video or ordered photos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// One video file.
    Video,
    /// Photos in order.
    Frames,
}

impl InputKind {
    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            InputKind::Video => "video",
            InputKind::Frames => "frames",
        }
    }
}

/// Accepted media types of a video.
pub const VIDEO_TYPES: [&str; 4] = ["video/mp4", "video/quicktime", "video/webm", "video/x-matroska"];
/// Accepted media types of a photo.
pub const PHOTO_TYPES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];
/// Maximum size of a video that is uploaded to storage directly, in bytes.
pub const MAX_VIDEO_BYTES: u64 = 5 * 1024 * 1024 * 1024;
/// Maximum size of a video that is uploaded through the API, in bytes ("up to 95 MB").
pub const MAX_API_VIDEO_BYTES: u64 = 95 * 1000 * 1000;
/// Maximum size of a photo, in bytes.
pub const MAX_PHOTO_BYTES: u64 = 20 * 1000 * 1000;
/// Maximum number of photos of a scan.
pub const MAX_PHOTOS: usize = 500;

/// The `input` of a scan, as the client declares it. Kind `video` requires `video`, and kind
/// `frames` requires `frames`; its schema (in `input.rs`) states this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanInput {
    /// Video or photos.
    pub kind: InputKind,
    /// BCP 47 language of the spoken or expected content, for example `en` or `pt-BR`.
    pub language: String,
    /// The video, for kind `video`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<VideoInput>,
    /// The photos in order, for kind `frames`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<Vec<FrameInput>>,
    /// Transcript, if the client has one. The audio is not transcribed then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
}

/// The declared video.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VideoInput {
    /// Media type, one of `video/mp4`, `video/quicktime`, `video/webm`, `video/x-matroska`.
    #[schema(pattern = "^video/(mp4|quicktime|webm|x-matroska)$")]
    pub content_type: String,
    /// Exact size in bytes, at most 5 GiB.
    #[schema(minimum = 1, maximum = 5_368_709_120_i64)]
    pub content_length: u64,
}

/// One declared photo.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameInput {
    /// Time since the first photo in milliseconds, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 86_400_000)]
    pub timestamp_ms: Option<u64>,
}

/// Transcript of the media, with times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Transcript {
    /// The whole text, at most 200 000 characters.
    #[schema(max_length = 200_000)]
    pub text: String,
    /// Timed segments, in order.
    #[serde(default)]
    #[schema(max_items = 10_000)]
    pub segments: Vec<TranscriptSegment>,
}

/// One timed segment of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TranscriptSegment {
    /// Start, in milliseconds from the beginning of the media.
    #[schema(maximum = 86_400_000)]
    pub start_ms: u64,
    /// End, in milliseconds; not before the start.
    #[schema(maximum = 86_400_000)]
    pub end_ms: u64,
    /// The text, at most 2000 characters.
    #[schema(max_length = 2000)]
    pub text: String,
}

/// One upload that a scan expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UploadSlot {
    /// The video of a video scan.
    Video,
    /// The photo at this index, starting at 0.
    Frame(u32),
}

impl ScanInput {
    /// Returns the uploads that the scan requires before it can start, in order.
    pub fn slots(&self) -> Vec<UploadSlot> {
        match self.kind {
            InputKind::Video => vec![UploadSlot::Video],
            InputKind::Frames => {
                let count = self.frames.as_ref().map_or(0, Vec::len);
                (0..u32::try_from(count).unwrap_or(u32::MAX)).map(UploadSlot::Frame).collect()
            }
        }
    }
}

/// Detects the media type from the first bytes of a file; 64 are enough. Returns `None` if the type
/// is not accepted.
///
/// ISO base media (`ftyp`): brand `qt  ` is QuickTime, any other is MP4. EBML: the DocType that
/// follows distinguishes WebM from Matroska. Sources: ISO/IEC 14496-12 §4.3, RFC 8794 §11, RFC
/// 2083, JPEG ISO/IEC 10918-1 (SOI + marker), WebP container specification.
pub fn sniff(head: &[u8]) -> Option<&'static str> {
    if head.len() >= 12 && &head[4..8] == b"ftyp" {
        return Some(if &head[8..12] == b"qt  " { "video/quicktime" } else { "video/mp4" });
    }
    if head.len() >= 8 && matches!(&head[4..8], b"moov" | b"mdat" | b"wide" | b"free" | b"skip") {
        return Some("video/quicktime");
    }
    if head.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]) {
        let has = |needle: &[u8]| head.windows(needle.len()).any(|w| w == needle);
        return if has(b"webm") {
            Some("video/webm")
        } else if has(b"matroska") {
            Some("video/x-matroska")
        } else {
            None
        };
    }
    if head.starts_with(&[0xff, 0xd8, 0xff]) {
        return Some("image/jpeg");
    }
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some("image/png");
    }
    if head.len() >= 12 && head.starts_with(b"RIFF") && &head[8..12] == b"WEBP" {
        return Some("image/webp");
    }
    None
}

/// Returns whether a file of the `sniffed` type may be uploaded under the `declared` media type.
/// MP4 and QuickTime are accepted for each other, because files are often mislabelled; all other
/// types must match.
pub fn agrees(declared: &str, sniffed: &str) -> bool {
    const ISO: [&str; 2] = ["video/mp4", "video/quicktime"];
    declared == sniffed || (ISO.contains(&declared) && ISO.contains(&sniffed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sniffs_accepted_types_only() {
        assert_eq!(sniff(b"\0\0\0\x20ftypisom\0\0\0\0"), Some("video/mp4"));
        assert_eq!(sniff(b"\0\0\0\x14ftypqt  \0\0\0\0"), Some("video/quicktime"));
        assert_eq!(sniff(&[0xff, 0xd8, 0xff, 0xe0]), Some("image/jpeg"));
        assert_eq!(sniff(b"PK\x03\x04 a zip called .mp4"), None);
        assert_eq!(sniff(b"#EXTM3U\n#EXT-X-VERSION:3"), None);
        assert_eq!(sniff(b""), None);
        assert!(agrees("video/mp4", "video/quicktime") && !agrees("video/mp4", "video/webm"));
    }
}
