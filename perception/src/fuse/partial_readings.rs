//! Detects partial readings: texts that a door frame, a corner or the edge of the picture partly
//! hid.

use domain::document::Evidence;

use super::FusedText;
use super::words::{digits, normalized, similarity, skeleton};

/// Similarity (0 to 1) from which two readings may be of the same sign.
pub(super) const SAME_SIGN_MIN_SIMILARITY: f64 = 0.6;
/// Longest time between two consecutive readings of the same sign, in milliseconds, unless both are
/// in one zone.
pub(super) const SAME_SIGN_MAX_GAP_MS: u64 = 8000;

/// Minimum length of a partial reading, in letters, that may contain one misread letter.
const MIN_LETTERS_FOR_MISREAD: usize = 4;

/// Returns true if a text is a partial reading of another sign. Two texts side by side in one frame
/// are two signs. A text that was read more often than the longer one is a sign, too.
pub(super) fn is_partial_reading(part: &FusedText, sign: &FusedText) -> bool {
    let (short, long) = (skeleton(&normalized(&part.raw)), skeleton(&normalized(&sign.raw)));
    if is_misread(part, sign) || is_glimpse(part, sign) {
        return true;
    }
    if short.len() >= long.len() || !long.contains(&short) || part.sightings.len() > sign.sightings.len() {
        return false;
    }
    let beside = side_by_side(part, sign);
    let soon = part.sightings.iter().filter_map(|e| e.t_ms).any(|a| {
        sign.sightings.iter().filter_map(|e| e.t_ms).any(|b| a.abs_diff(b) <= 2 * SAME_SIGN_MAX_GAP_MS)
    });
    let words = |text: &str| normalized(text).split(' ').map(skeleton).collect::<Vec<_>>();
    let (few, many) = (words(&part.raw), words(&sign.raw));
    let cut_in_a_word = !many.windows(few.len()).any(|w| w == few);
    !beside && (cut_in_a_word || soon || part.zone == sign.zone)
}

/// Returns true if a text that was read once is a distant, misread reading of a sign that was read
/// more often.
fn is_misread(once: &FusedText, sign: &FusedText) -> bool {
    let (a, b) = (normalized(&once.raw), normalized(&sign.raw));
    once.sightings.len() == 1
        && sign.sightings.len() > 1
        && a.chars().count() >= 5
        && digits(&a) == digits(&b)
        && similarity(&skeleton(&a), &skeleton(&b)) >= SAME_SIGN_MIN_SIMILARITY
        && sign.sightings.iter().all(|e| e.frame_id != once.sightings[0].frame_id)
}

/// Returns true if a rarely read text is a partial reading, perhaps with a misread letter, of a
/// sign that was read much more often: through a door or around a corner.
fn is_glimpse(part: &FusedText, sign: &FusedText) -> bool {
    let (a, b) = (normalized(&part.raw), normalized(&sign.raw));
    let (short, long): (Vec<char>, Vec<char>) =
        (skeleton(&a).chars().collect(), skeleton(&b).chars().collect());
    let wrong = |window: &[char]| window.iter().zip(&short).filter(|(a, b)| a != b).count();
    let may_be_wrong = usize::from(short.len() >= MIN_LETTERS_FOR_MISREAD);
    digits(&a).is_empty()
        && 2 * part.sightings.len() < sign.sightings.len()
        && short.len() >= 2
        && short.len() < long.len()
        && long.windows(short.len()).any(|window| wrong(window) <= may_be_wrong)
        && !side_by_side(part, sign)
}

/// Returns true if a longer sign begins or ends with this text. If the text was only read at the
/// edge of frames, it is then a partial reading.
pub(super) fn is_beginning_or_end(text: &FusedText, sign: &FusedText) -> bool {
    let (short, long) = (skeleton(&normalized(&text.raw)), skeleton(&normalized(&sign.raw)));
    short.len() < long.len() && (long.starts_with(&short) || long.ends_with(&short))
}

/// Returns true if two texts were read at different places of one frame.
fn side_by_side(a: &FusedText, b: &FusedText) -> bool {
    let is_beside =
        |a: &Evidence| b.sightings.iter().any(|b| a.frame_id == b.frame_id && touching(a, b) == Some(false));
    a.sightings.iter().any(is_beside)
}

/// Returns true if the boxes of two readings overlap, or `None` without boxes.
fn touching(a: &Evidence, b: &Evidence) -> Option<bool> {
    Some(a.bbox?.iou(&b.bbox?) > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::BBox;

    fn sign(raw: &str, zone: usize, frames: &[u32]) -> FusedText {
        let sighting = |frame: &u32| Evidence {
            media_id: "med_video".to_owned(),
            frame_id: Some(format!("frm_{frame:05}")),
            t_ms: Some(u64::from(*frame) * 1000),
            ordinal: None,
            // Signs with an odd number of letters hang to the right of those with an even number.
            bbox: Some(BBox {
                x: if raw.len().is_multiple_of(2) { 0.1 } else { 0.6 },
                y: 0.4,
                w: 0.3,
                h: 0.1,
            }),
            narration_id: None,
            score: 0.9,
        };
        FusedText {
            raw: raw.to_owned(),
            confidence: 0.9,
            zone: Some(zone),
            sightings: frames.iter().map(sighting).collect(),
            run_id: "run_text".to_owned(),
        }
    }

    #[test]
    fn distinguishes_partial_readings_from_signs() {
        assert!(is_partial_reading(&sign("KIT", 0, &[1]), &sign("KITCHEN", 1, &[40, 41])));
        assert!(is_partial_reading(&sign("WIFI:", 0, &[1]), &sign("WIFI: GUEST", 0, &[40, 41])));
        // The same word far away in another zone is another sign.
        assert!(!is_partial_reading(&sign("ROOM", 0, &[1]), &sign("ROOM 206", 1, &[40, 41])));
        assert!(is_partial_reading(&sign("FIREXT", 0, &[1]), &sign("FIRE EXIT", 1, &[8, 9])));
        assert!(!is_partial_reading(&sign("FLOOR 2", 0, &[1]), &sign("FLOOR 3", 1, &[8, 9])));
        // Read more often than the longer one, or beside it.
        assert!(!is_partial_reading(&sign("MEN", 0, &[1, 2, 3]), &sign("WOMEN", 0, &[1, 2])));
        assert!(!is_partial_reading(&sign("STAFF", 0, &[1]), &sign("STAFF KITCHEN!", 0, &[1, 2])));
        assert!(!is_partial_reading(&sign("EXIT", 0, &[1]), &sign("EXIT", 0, &[2, 3])));
        // Glimpses of a sign that was read often.
        assert!(is_partial_reading(&sign("ROON", 0, &[1]), &sign("ROOM 206", 1, &[40, 41, 42])));
        assert!(is_partial_reading(&sign("FIRI", 0, &[1, 2]), &sign("FIRE EXIT", 1, &[40, 41, 42, 43, 44])));
        assert!(!is_partial_reading(&sign("FIRI", 0, &[1, 2]), &sign("FIRE EXIT", 1, &[40, 41, 42])));
        assert!(
            !is_partial_reading(&sign("ROOM 5", 0, &[1]), &sign("ROOM 210", 1, &[40, 41, 42])),
            "another number is another sign"
        );
        assert!(
            !is_partial_reading(&sign("BEDS", 0, &[1]), &sign("BIDET HERE", 1, &[40, 41, 42])),
            "two letters differ"
        );
    }
}
