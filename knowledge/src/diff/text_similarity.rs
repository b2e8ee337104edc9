//! Similarity of texts that were read in two scans.

/// Minimum similarity of two readings of one text with equal digits.
const MISREAD_MIN_SIMILARITY: f64 = 0.8;
/// Minimum similarity of the old and new text of a reworded sign.
const REWORDED_MIN_SIMILARITY: f64 = 0.5;

/// Whether two readings are of one text. Digits must be equal: "Room 206" is not "Room 207".
pub(super) fn is_same_text(a: &str, b: &str) -> bool {
    a == b
        || skeleton(a) == skeleton(b)
        || (digits(a) == digits(b) && strsim::normalized_levenshtein(a, b) >= MISREAD_MIN_SIMILARITY)
}

/// Whether two texts in one place are versions of one sign.
pub(super) fn is_reworded(a: &str, b: &str) -> bool {
    strsim::normalized_levenshtein(a, b) >= REWORDED_MIN_SIMILARITY
}

/// Whether one reading is a part of the other: a sign may be cut off by the edge of the frame.
pub(super) fn is_partial_reading(a: &str, b: &str) -> bool {
    let (a, b) = (skeleton(a), skeleton(b));
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short.chars().count() >= 3 && long.contains(&short)
}

/// Returns the text without spaces, with characters unified that OCR confuses.
fn skeleton(text: &str) -> String {
    let unified = text
        .to_lowercase()
        .chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | 'i' | '!' => 'l',
            '5' => 's',
            '8' => 'b',
            other => other,
        })
        .collect::<String>();
    unified.split_whitespace().collect()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_readings_of_one_text() {
        for (a, b) in [("room 206", "ro0m 206"), ("no smoking", "no smokng"), ("a", "a")] {
            assert!(is_same_text(a, b), "{a} {b}");
        }
        for (a, b) in [("room 206", "room 207"), ("open 8:00", "open 9:00"), ("kitchen", "chicken")] {
            assert!(!is_same_text(a, b), "{a} {b}");
        }
        assert!(is_partial_reading("kit", "kitchen") && !is_partial_reading("to", "to the roof"));
        assert!(is_reworded("open 8:00 - 22:00", "open 9:00 - 18:00") && !is_reworded("exit", "wet floor"));
    }
}
