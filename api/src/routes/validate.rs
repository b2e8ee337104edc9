//! Validation of request bodies that types do not express.

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
    let mut wrong = Vec::new();
    language(&input.language, &mut wrong);
    match (input.kind, &input.video, &input.frames) {
        (InputKind::Video, None, _) => wrong.push(field("video", "is required for kind `video`")),
        (InputKind::Frames, _, None) => wrong.push(field("frames", "is required for kind `frames`")),
        (InputKind::Video, Some(_), Some(_)) => {
            wrong.push(field("frames", "is allowed for kind `frames` only"))
        }
        (InputKind::Frames, Some(_), Some(_)) => {
            wrong.push(field("video", "is allowed for kind `video` only"))
        }
        (InputKind::Video, Some(declared), None) => video(declared, &mut wrong),
        (InputKind::Frames, None, Some(frames)) => {
            if frames.is_empty() || frames.len() > MAX_PHOTOS {
                wrong.push(field("frames", format!("must list 1 to {MAX_PHOTOS} photos")));
            }
            let times = frames.iter().enumerate().filter_map(|(i, frame)| Some((i, frame.timestamp_ms?)));
            in_order(times, |i| format!("frames[{i}].timestamp_ms"), &mut wrong);
        }
    }
    if let Some(given) = &input.transcript {
        transcript(given, &mut wrong);
    }
    if !wrong.is_empty() {
        return Err(ApiError::validation(wrong));
    }
    match &input.video {
        Some(video) if video.content_length > max_video => Err(ApiError::new(ApiErrorCode::PayloadTooLarge)
            .message(format!("The maximum size of a video is {max_video} bytes."))
            .with("max_bytes", max_video)),
        _ => Ok(()),
    }
}

/// Checks that a list has at least one item, and none twice.
pub fn nonempty_set<T: PartialEq>(field: &str, noun: &str, items: &[T]) -> Option<FieldError> {
    let repeated = items.iter().enumerate().any(|(i, item)| items[..i].contains(item));
    (items.is_empty() || repeated)
        .then(|| FieldError::new(field, format!("must name at least one {noun}, each once")))
}

/// Returns whether a text has no match for `\S` in a JSON Schema (ECMA-262 §12.2). There, unlike in
/// Rust, a byte order mark is white space and U+0085 is not.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}

/// Checks that a tag is well-formed BCP 47. Unsupported languages are reported in the document's
/// `quality`.
fn language(tag: &str, wrong: &mut Vec<FieldError>) {
    if tag.len() > MAX_LANGUAGE || oxilangtag::LanguageTag::parse(tag).is_err() {
        wrong.push(field("language", "must be a BCP 47 language tag, for example `en` or `pt-BR`"));
    }
}

fn video(declared: &VideoInput, wrong: &mut Vec<FieldError>) {
    if !VIDEO_TYPES.contains(&declared.content_type.as_str()) {
        wrong.push(field("video.content_type", format!("must be one of {}", VIDEO_TYPES.join(", "))));
    }
    if declared.content_length == 0 {
        wrong.push(field("video.content_length", "must be at least 1"));
    }
}

fn transcript(given: &Transcript, wrong: &mut Vec<FieldError>) {
    if given.text.chars().count() > MAX_TRANSCRIPT_TEXT {
        let message = format!("must have at most {MAX_TRANSCRIPT_TEXT} characters");
        wrong.push(field("transcript.text", message));
    }
    if given.segments.len() > MAX_SEGMENTS {
        wrong.push(field("transcript.segments", format!("must have at most {MAX_SEGMENTS} items")));
        return;
    }
    for (i, segment) in given.segments.iter().enumerate() {
        if segment.end_ms < segment.start_ms {
            let at = format!("transcript.segments[{i}].end_ms");
            wrong.push(field(at, "must not be before `start_ms`"));
        }
        if segment.end_ms > MAX_TIME_MS {
            let at = format!("transcript.segments[{i}].end_ms");
            wrong.push(field(at, format!("must be at most {MAX_TIME_MS}")));
        }
        if segment.text.chars().count() > MAX_SEGMENT_TEXT {
            let at = format!("transcript.segments[{i}].text");
            wrong.push(field(at, format!("must have at most {MAX_SEGMENT_TEXT} characters")));
        }
        if wrong.len() > 20 {
            return;
        }
    }
    let starts = given.segments.iter().enumerate().map(|(i, segment)| (i, segment.start_ms));
    in_order(starts, |i| format!("transcript.segments[{i}].start_ms"), wrong);
}

/// Checks that times do not decrease and do not exceed a day. Reports the first one that does.
fn in_order(
    times: impl Iterator<Item = (usize, u64)>,
    name: impl Fn(usize) -> String,
    wrong: &mut Vec<FieldError>,
) {
    let mut before = 0;
    for (i, time) in times {
        if time > MAX_TIME_MS {
            wrong.push(field(name(i), format!("must be at most {MAX_TIME_MS}")));
            return;
        }
        if time < before {
            wrong.push(field(name(i), "must not be before the one that precedes it"));
            return;
        }
        before = time;
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

    fn of_video(content_type: &str, content_length: u64) -> ScanInput {
        ScanInput {
            kind: InputKind::Video,
            language: "en".into(),
            video: Some(VideoInput { content_type: content_type.into(), content_length }),
            frames: None,
            transcript: None,
        }
    }

    fn of_frames(times: &[Option<u64>]) -> ScanInput {
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
        assert_eq!(code(&of_video("video/mp4", 1000)), None);
        assert_eq!(code(&of_frames(&[None, Some(5), None, Some(5)])), None);
    }

    #[test]
    fn refuses_invalid_inputs() {
        let invalid = Some(ApiErrorCode::ValidationFailed);
        assert_eq!(code(&of_video("video/avi", 10)), invalid);
        assert_eq!(code(&of_video("video/mp4", 0)), invalid);
        assert_eq!(code(&of_video("video/mp4", 1001)), Some(ApiErrorCode::PayloadTooLarge));
        assert_eq!(code(&of_frames(&[])), invalid);
        assert_eq!(code(&of_frames(&[None; 501])), invalid);
        assert_eq!(code(&of_frames(&[Some(5), Some(4)])), invalid);
        let both = ScanInput { frames: Some(Vec::new()), ..of_video("video/mp4", 10) };
        assert_eq!(code(&both), invalid);
        let neither = ScanInput { video: None, ..of_video("video/mp4", 10) };
        assert_eq!(code(&neither), invalid);
        for language in ["", "e", "en_US", "english language", "en-", "x".repeat(65).as_str()] {
            let input = ScanInput { language: language.into(), ..of_video("video/mp4", 10) };
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
            ..of_video("video/mp4", 10)
        };
        assert_eq!(code(&with(&[(0, 5), (3, 9), (9, 9)])), None);
        for bad in [&[(5, 4)][..], &[(5, 6), (4, 7)], &[(0, MAX_TIME_MS + 1)]] {
            assert_eq!(code(&with(bad)), Some(ApiErrorCode::ValidationFailed), "{bad:?}");
        }
    }
}
