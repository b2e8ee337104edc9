//! When two readings are of one text.

/// Likeness from which on two readings with the same digits are one text, misread.
const MISREAD: f64 = 0.8;
/// Likeness from which on two texts in one place are one sign with other words.
const REWORDED: f64 = 0.5;

/// Whether two readings are of one text. Digits count: "Room 206" is not "Room 207".
pub(super) fn same(a: &str, b: &str) -> bool {
    a == b
        || skeleton(a) == skeleton(b)
        || (digits(a) == digits(b) && strsim::normalized_levenshtein(a, b) >= MISREAD)
}

/// Whether two texts in one place are one sign with other words.
pub(super) fn reworded(a: &str, b: &str) -> bool {
    strsim::normalized_levenshtein(a, b) >= REWORDED
}

/// Whether one reading is a part of the other: of a sign that was half in view.
pub(super) fn part(a: &str, b: &str) -> bool {
    let (a, b) = (skeleton(a), skeleton(b));
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short.chars().count() >= 3 && long.contains(&short)
}

/// Without what readers take for each other.
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
    fn readings_of_one_text() {
        for (a, b) in [("room 206", "ro0m 206"), ("no smoking", "no smokng"), ("a", "a")] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [("room 206", "room 207"), ("open 8:00", "open 9:00"), ("kitchen", "chicken")] {
            assert!(!same(a, b), "{a} {b}");
        }
        assert!(part("kit", "kitchen") && !part("to", "to the roof"));
        assert!(reworded("open 8:00 - 22:00", "open 9:00 - 18:00") && !reworded("exit", "wet floor"));
    }
}
