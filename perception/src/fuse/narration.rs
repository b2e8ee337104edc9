//! Splits the transcript into sentences and assigns each to a zone.

use domain::media::InputKind;

use super::{FusedNarration, Visit};
use crate::ingest::Ingested;
use crate::observe::TranscriptSegment;

/// Maximum time between a sentence and the visit that it is assigned to, in milliseconds.
const MAX_DISTANCE_MS: u64 = 1500;

/// Splits transcript segments into sentences and finds the zone in view for each. Divides the time
/// of a segment by the length of its sentences.
pub(super) fn narration(
    segments: &[TranscriptSegment],
    visits: &[Visit],
    ingested: &Ingested,
) -> Vec<FusedNarration> {
    let mut out = Vec::new();
    for segment in segments {
        let sentences = sentences(&segment.text);
        let total: usize = sentences.iter().map(|s| s.chars().count()).sum();
        let length = segment.end_ms - segment.start_ms.min(segment.end_ms);
        let mut said = 0;
        for sentence in sentences {
            let at = |chars: usize| segment.start_ms + length * chars as u64 / total.max(1) as u64;
            let (start_ms, end_ms) = (at(said), at(said + sentence.chars().count()));
            said += sentence.chars().count();
            out.push(FusedNarration {
                start_ms,
                end_ms,
                zone: zone_at(start_ms, end_ms, visits, ingested),
                text: sentence,
                confidence: segment.confidence,
                source: segment.source.clone(),
                run_id: segment.run_id.clone(),
            });
        }
    }
    out
}

/// Splits after `.`, `!` and `?` before white space, and after their CJK forms. Doesn't split
/// "2.4 m".
fn sentences(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = matches!(c, '。' | '！' | '？')
            || matches!(c, '.' | '!' | '?') && chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if ends {
            out.push(text[start..at + c.len_utf8()].trim().to_owned());
            start = at + c.len_utf8();
        }
    }
    out.push(text[start..].trim().to_owned());
    out.retain(|s| s.chars().any(char::is_alphanumeric));
    out
}

/// Returns the zone that is in view for most of an interval. Of two equal zones the later wins,
/// because people speak as they enter.
fn zone_at(start_ms: u64, end_ms: u64, visits: &[Visit], ingested: &Ingested) -> Option<usize> {
    if ingested.kind == InputKind::Frames {
        // A photo is shown until the next one.
        let shown =
            ingested.samples.iter().rfind(|s| s.t_ms.is_some_and(|t| t <= start_ms.midpoint(end_ms)))?;
        let ordinal = u64::from(shown.ordinal?);
        return visits
            .iter()
            .find(|v| (v.interval.start..=v.interval.end).contains(&ordinal))
            .map(|v| v.zone);
    }
    let most = visits.iter().max_by_key(|v| v.overlap_ms(start_ms, end_ms))?;
    if most.overlap_ms(start_ms, end_ms) > 0 {
        return Some(most.zone);
    }
    let away = |v: &&Visit| v.interval.start.saturating_sub(end_ms) + start_ms.saturating_sub(v.interval.end);
    visits.iter().min_by_key(away).filter(|v| away(v) < MAX_DISTANCE_MS).map(|v| v.zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_sentences_at_terminal_punctuation() {
        assert_eq!(
            sentences("This is the kitchen. It is 2.4 m wide! Is it? and so"),
            ["This is the kitchen.", "It is 2.4 m wide!", "Is it?", "and so"]
        );
        assert!(sentences(" … ").is_empty());
    }
}
