//! Validation of request bodies, beyond what their types check.

use domain::{
    ApiErrorCode,
    media::{InputKind, MAX_PHOTOS, ScanInput, Transcript, VIDEO_TYPES, VideoInput},
};

use crate::http::error::{ApiError, ApiResult, FieldError};

/// Maximum length of a transcript's text, in characters.
pub const MAX_TRANSCRIPT_TEXT: usize = 200_000;
/// Maximum number of segments of a transcript.
pub const MAX_SEGMENTS: usize = 10_000;
/// Maximum length of a segment, in characters.
pub const MAX_SEGMENT_TEXT: usize = 2_000;
/// Latest time in any media, in milliseconds (one day).
pub const MAX_TIME_MS: u64 = 24 * 60 * 60 * 1000;
/// Maximum length of a language tag, in bytes (RFC 5646 §4.4.1 requires at least 35).
const MAX_LANGUAGE: usize = 64;

/// Checks the input of a scan; `max_video` is the maximum size of a video, in bytes.
///
/// # Errors
/// Returns `VALIDATION_FAILED` with all invalid fields, or `PAYLOAD_TOO_LARGE` if the declared size
/// of the video exceeds the maximum.
pub fn scan_input(input: &ScanInput, max_video: u64) -> ApiResult<()> {
    let mut errors = Vec::new();
    check_language(&input.language, &mut errors);
    match (input.kind, &input.video, &input.frames) {
        (InputKind::Video, None, _) => errors.push(field("video", "is required for kind `video`")),
        (InputKind::Frames, _, None) => errors.push(field("frames", "is required for kind `frames`")),
        (InputKind::Video, Some(_), Some(_)) => {
            errors.push(field("frames", "is allowed for kind `frames` only"))
        }
        (InputKind::Frames, Some(_), Some(_)) => {
            errors.push(field("video", "is allowed for kind `video` only"))
        }
        (InputKind::Video, Some(video), None) => check_video(video, &mut errors),
        (InputKind::Frames, None, Some(frames)) => {
            if frames.is_empty() || frames.len() > MAX_PHOTOS {
                errors.push(field("frames", format!("must list 1 to {MAX_PHOTOS} photos")));
            }
            let times = frames.iter().enumerate().filter_map(|(i, frame)| Some((i, frame.timestamp_ms?)));
            check_order(times, |i| format!("frames[{i}].timestamp_ms"), &mut errors);
        }
    }
    if let Some(transcript) = &input.transcript {
        check_transcript(transcript, &mut errors);
    }
    if !errors.is_empty() {
        return Err(ApiError::validation(errors));
    }
    match &input.video {
        Some(video) if video.content_length > max_video => Err(ApiError::new(ApiErrorCode::PayloadTooLarge)
            .message(format!("The maximum size of a video is {max_video} bytes."))
            .with("max_bytes", max_video)),
        _ => Ok(()),
    }
}

/// Checks that a list has at least one item and no duplicates.
pub fn nonempty_set<T: PartialEq>(field: &str, noun: &str, items: &[T]) -> Option<FieldError> {
    let repeated = items.iter().enumerate().any(|(i, item)| items[..i].contains(item));
    (items.is_empty() || repeated)
        .then(|| FieldError::new(field, format!("must list at least one {noun}, without duplicates")))
}

/// Returns whether a text has no match for `\S` in a JSON Schema (ECMA-262 §12.2). There, unlike in
/// Rust, a byte order mark is white space and U+0085 is not.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}

/// Checks that a tag is well-formed BCP 47. Unsupported languages are reported in the document's
/// `quality`.
fn check_language(tag: &str, errors: &mut Vec<FieldError>) {
    if tag.len() > MAX_LANGUAGE || oxilangtag::LanguageTag::parse(tag).is_err() {
        errors.push(field("language", "must be a BCP 47 language tag, for example `en` or `pt-BR`"));
    }
}

fn check_video(video: &VideoInput, errors: &mut Vec<FieldError>) {
    if !VIDEO_TYPES.contains(&video.content_type.as_str()) {
        errors.push(field("video.content_type", format!("must be one of {}", VIDEO_TYPES.join(", "))));
    }
    if video.content_length == 0 {
        errors.push(field("video.content_length", "must be at least 1"));
    }
}

fn check_transcript(transcript: &Transcript, errors: &mut Vec<FieldError>) {
    if transcript.text.chars().count() > MAX_TRANSCRIPT_TEXT {
        let message = format!("must have at most {MAX_TRANSCRIPT_TEXT} characters");
        errors.push(field("transcript.text", message));
    }
    if transcript.segments.len() > MAX_SEGMENTS {
        errors.push(field("transcript.segments", format!("must have at most {MAX_SEGMENTS} items")));
        return;
    }
    for (i, segment) in transcript.segments.iter().enumerate() {
        if segment.end_ms < segment.start_ms {
            let at = format!("transcript.segments[{i}].end_ms");
            errors.push(field(at, "must not be before `start_ms`"));
        }
        if segment.end_ms > MAX_TIME_MS {
            let at = format!("transcript.segments[{i}].end_ms");
            errors.push(field(at, format!("must be at most {MAX_TIME_MS}")));
        }
        if segment.text.chars().count() > MAX_SEGMENT_TEXT {
            let at = format!("transcript.segments[{i}].text");
            errors.push(field(at, format!("must have at most {MAX_SEGMENT_TEXT} characters")));
        }
        if errors.len() > 20 {
            return;
        }
    }
    let starts = transcript.segments.iter().enumerate().map(|(i, segment)| (i, segment.start_ms));
    check_order(starts, |i| format!("transcript.segments[{i}].start_ms"), errors);
}

/// Checks that times do not decrease and do not exceed a day. Reports the first invalid time.
fn check_order(
    times: impl Iterator<Item = (usize, u64)>,
    name: impl Fn(usize) -> String,
    errors: &mut Vec<FieldError>,
) {
    let mut previous = 0;
    for (i, time) in times {
        if time > MAX_TIME_MS {
            errors.push(field(name(i), format!("must be at most {MAX_TIME_MS}")));
            return;
        }
        if time < previous {
            errors.push(field(name(i), "must not be before the previous one"));
            return;
        }
        previous = time;
    }
}

/// Creates an error for a field of `input`.
fn field(name: impl AsRef<str>, message: impl Into<String>) -> FieldError {
    FieldError::new(format!("input.{}", name.as_ref()), message)
}

#[cfg(test)]
mod tests {
    use domain::media::{FrameInput, TranscriptSegment};

    use super::*;

    #[test]
    fn blank_agrees_with_the_schema_pattern() {
        assert!(["", " \t\n", "\u{feff}", "\u{a0}\u{3000}\u{2028}"].into_iter().all(is_blank));
        assert!(["a", " a ", "\u{85}", "\u{200b}"].into_iter().all(|text| !is_blank(text)));
    }

    fn video_input(content_type: &str, content_length: u64) -> ScanInput {
        ScanInput {
            kind: InputKind::Video,
            language: "en".into(),
            video: Some(VideoInput { content_type: content_type.into(), content_length }),
            frames: None,
            transcript: None,
        }
    }

    fn photos_input(times: &[Option<u64>]) -> ScanInput {
        ScanInput {
            kind: InputKind::Frames,
            language: "pt-BR".into(),
            video: None,
            frames: Some(
                times.iter().map(|timestamp_ms| FrameInput { timestamp_ms: *timestamp_ms }).collect(),
            ),
            transcript: None,
        }
    }

    fn code(input: &ScanInput) -> Option<ApiErrorCode> {
        scan_input(input, 1000).err().map(|error| error.code())
    }

    #[test]
    fn accepts_valid_inputs() {
        assert_eq!(code(&video_input("video/mp4", 1000)), None);
        assert_eq!(code(&photos_input(&[None, Some(5), None, Some(5)])), None);
    }

    #[test]
    fn refuses_invalid_inputs() {
        let invalid = Some(ApiErrorCode::ValidationFailed);
        assert_eq!(code(&video_input("video/avi", 10)), invalid);
        assert_eq!(code(&video_input("video/mp4", 0)), invalid);
        assert_eq!(code(&video_input("video/mp4", 1001)), Some(ApiErrorCode::PayloadTooLarge));
        assert_eq!(code(&photos_input(&[])), invalid);
        assert_eq!(code(&photos_input(&[None; 501])), invalid);
        assert_eq!(code(&photos_input(&[Some(5), Some(4)])), invalid);
        let both = ScanInput { frames: Some(Vec::new()), ..video_input("video/mp4", 10) };
        assert_eq!(code(&both), invalid);
        let neither = ScanInput { video: None, ..video_input("video/mp4", 10) };
        assert_eq!(code(&neither), invalid);
        for language in ["", "e", "en_US", "english language", "en-", "x".repeat(65).as_str()] {
            let input = ScanInput { language: language.into(), ..video_input("video/mp4", 10) };
            assert_eq!(code(&input), invalid, "{language}");
        }
    }

    #[test]
    fn refuses_transcripts_out_of_order() {
        let with = |segments: &[(u64, u64)]| ScanInput {
            transcript: Some(Transcript {
                text: String::new(),
                segments: segments
                    .iter()
                    .map(|(start_ms, end_ms)| TranscriptSegment {
                        start_ms: *start_ms,
                        end_ms: *end_ms,
                        text: "a".into(),
                    })
                    .collect(),
            }),
            ..video_input("video/mp4", 10)
        };
        assert_eq!(code(&with(&[(0, 5), (3, 9), (9, 9)])), None);
        for bad in [&[(5, 4)][..], &[(5, 6), (4, 7)], &[(0, MAX_TIME_MS + 1)]] {
            assert_eq!(code(&with(bad)), Some(ApiErrorCode::ValidationFailed), "{bad:?}");
        }
    }
}
