//! Comparing words that were read.

/// Lower case, white space folded, punctuation at the ends dropped, look-alikes unified: for comparing
/// readings of one sign, never for showing.
pub fn normalized(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let trimmed = folded.trim_matches(|c: char| c.is_ascii_punctuation() && !"%+#&".contains(c));
    trimmed
        .chars()
        .map(|c| match c {
            '|' | 'ı' => 'l',
            '’' | '`' | '´' => '\'',
            '–' | '—' => '-',
            other => other,
        })
        .collect()
}

/// The least number of characters to insert, drop or change (Levenshtein).
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// How alike two texts are, 0 to 1.
pub(super) fn likeness(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count());
    if longest == 0 { 1.0 } else { 1.0 - edit_distance(a, b) as f64 / longest as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("kitchen", "kitchen"), 0);
        assert_eq!(edit_distance("kitchen", "kltchn"), 2);
        assert_eq!(edit_distance("", "abc"), 3);
        assert!(likeness("exit", "exlt") > 0.7 && likeness("exit", "open") < 0.3);
        assert_eq!(normalized("  Meeting\u{a0}ROOM | 2. "), "meeting room l 2");
    }

    proptest::proptest! {
        #[test]
        fn a_distance_is_one(a in "[a-c]{0,8}", b in "[a-c]{0,8}", c in "[a-c]{0,8}") {
            proptest::prop_assert_eq!(edit_distance(&a, &b), edit_distance(&b, &a));
            proptest::prop_assert!(edit_distance(&a, &c) <= edit_distance(&a, &b) + edit_distance(&b, &c));
            proptest::prop_assert_eq!(edit_distance(&a, &b) == 0, a == b);
        }
    }
}
