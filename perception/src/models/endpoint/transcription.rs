//! Transcription: builds a multipart form with a WAV file and validates the response.

use super::{EndpointError, SPEECH_RUN, wire::Transcription};
use crate::observation::TranscriptSegment;

const SAMPLE_RATE_HZ: usize = 16_000;
/// Confidence of a segment for which the server gives no probability.
const DEFAULT_CONFIDENCE: f64 = 0.8;
/// Boundary between the fields of the form. It does not occur in a WAV file by chance.
const MULTIPART_BOUNDARY: &str = "scan-service-form-4b1f9a0c72d34be8";
/// Maximum time by which a segment may end after the sound, in seconds. Servers pad the sound.
const MAX_OVERRUN_SECONDS: f64 = 30.0;

/// Returns the content type and the body of the request.
pub(super) fn request(model: &str, language: &str, pcm16k: &[f32]) -> (String, Vec<u8>) {
    let mut body = Vec::with_capacity(pcm16k.len() * 2 + 1024);
    let primary = language.split('-').next().unwrap_or_default();
    for (name, value) in [("model", model), ("response_format", "verbose_json"), ("language", primary)] {
        let field = format!(
            "--{MULTIPART_BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
        body.extend_from_slice(field.as_bytes());
    }
    let file =
        "Content-Disposition: form-data; name=\"file\"; filename=\"sound.wav\"\r\nContent-Type: audio/wav";
    body.extend_from_slice(format!("--{MULTIPART_BOUNDARY}\r\n{file}\r\n\r\n").as_bytes());
    append_wav(pcm16k, &mut body);
    body.extend_from_slice(format!("\r\n--{MULTIPART_BOUNDARY}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={MULTIPART_BOUNDARY}"), body)
}

fn append_wav(pcm16k: &[f32], out: &mut Vec<u8>) {
    let size = u32::try_from(pcm16k.len() * 2).unwrap_or(u32::MAX - 36);
    let rate = SAMPLE_RATE_HZ as u32;
    out.extend_from_slice(b"RIFF");
    out.extend_from_slice(&(36 + size).to_le_bytes());
    out.extend_from_slice(b"WAVEfmt ");
    out.extend_from_slice(&16_u32.to_le_bytes());
    out.extend_from_slice(&1_u16.to_le_bytes());
    out.extend_from_slice(&1_u16.to_le_bytes());
    out.extend_from_slice(&rate.to_le_bytes());
    out.extend_from_slice(&(rate * 2).to_le_bytes());
    out.extend_from_slice(&2_u16.to_le_bytes());
    out.extend_from_slice(&16_u16.to_le_bytes());
    out.extend_from_slice(b"data");
    out.extend_from_slice(&size.to_le_bytes());
    let sample = |v: &f32| ((v.clamp(-1.0, 1.0) * 32_767.0) as i16).to_le_bytes();
    out.extend(pcm16k.iter().flat_map(sample));
}

/// Returns the segments of a response in order of time, or an error if any is invalid.
pub(super) fn parse_response(
    response: &Transcription,
    samples: usize,
) -> Result<Vec<TranscriptSegment>, EndpointError> {
    let seconds = samples as f64 / SAMPLE_RATE_HZ as f64;
    let mut out = Vec::new();
    for segment in &response.segments {
        let is_valid = segment.start.is_finite() && segment.end.is_finite() && segment.start >= 0.0;
        if !is_valid || segment.end < segment.start || segment.end > seconds + MAX_OVERRUN_SECONDS {
            return Err(EndpointError::InvalidResponse("a segment exceeds the sound".to_owned()));
        }
        let text = segment.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            continue;
        }
        let millis = |seconds: f64| (seconds * 1000.0).round() as u64;
        let start_ms = millis(segment.start.min(seconds));
        let confidence = segment.avg_logprob.map_or(DEFAULT_CONFIDENCE, f64::exp).clamp(0.0, 1.0);
        let end_ms = millis(segment.end.min(seconds)).max(start_ms + 1);
        out.push(TranscriptSegment::transcribed(start_ms, end_ms, text, confidence, SPEECH_RUN));
    }
    out.sort_by_key(|segment| segment.start_ms);
    Ok(out)
}
