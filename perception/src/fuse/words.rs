//! Compares recognised words.

/// Normalises a text for comparing readings of one sign, not for display: lower case, single
/// spaces, no punctuation at the ends, look-alike characters unified.
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

/// Levenshtein distance: the minimum number of characters to insert, delete or replace.
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

/// Maps characters that text recognition confuses to one of them (a skeleton as in Unicode TS #39,
/// without white space). Texts with equal skeletons are one sign even where [`normalized`] keeps
/// them apart.
pub(super) fn skeleton(normal: &str) -> String {
    let unified = normal.chars().map(|c| match c {
        '0' => 'o',
        '1' | 'i' | '!' => 'l',
        '5' => 's',
        '8' => 'b',
        other => other,
    });
    unified.filter(|c| !c.is_whitespace()).collect()
}

/// Returns the decimal digits of a text, in order.
pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Replaces a zero between letters by the letter: "RO0M" becomes "ROOM". Texts with
/// passwords or codes are not changed.
pub(super) fn restore_letters(raw: &str) -> String {
    let lower = raw.to_lowercase();
    if ["password", "passwort", "code", "pin", "key:", "wifi", "wi-fi", "wlan"]
        .iter()
        .any(|w| lower.contains(w))
    {
        return raw.to_owned();
    }
    let mend = |word: &str| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        let digits: Vec<char> = word.chars().filter(char::is_ascii_digit).collect();
        if letters < 2 || digits.is_empty() || digits.len() > 2 || digits.iter().any(|d| *d != '0') {
            return word.to_owned();
        }
        let small = word.chars().filter(|c| c.is_alphabetic()).all(char::is_lowercase);
        word.replace('0', if small { "o" } else { "O" })
    };
    raw.split(' ').map(mend).collect::<Vec<_>>().join(" ")
}

/// Returns the similarity of two texts, 0 to 1.
pub(super) fn similarity(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count());
    if longest == 0 { 1.0 } else { 1.0 - edit_distance(a, b) as f64 / longest as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_and_normalises_words() {
        assert_eq!(edit_distance("kitchen", "kitchen"), 0);
        assert_eq!(edit_distance("kitchen", "kltchn"), 2);
        assert_eq!(edit_distance("", "abc"), 3);
        assert!(similarity("exit", "exlt") > 0.7 && similarity("exit", "open") < 0.3);
        assert_eq!(skeleton("ro0m 1"), skeleton("room l"));
        assert_ne!(skeleton("room 2"), skeleton("room 3"));
        assert_eq!(restore_letters("RO0M 206, CHECK 0UT 11:00"), "ROOM 206, CHECK OUT 11:00");
        assert_eq!(restore_letters("PASSWORD: R0SE"), "PASSWORD: R0SE");
        assert_eq!(normalized("  Meeting\u{a0}ROOM | 2. "), "meeting room l 2");
    }

    proptest::proptest! {
        #[test]
        fn edit_distance_is_a_metric(a in "[a-c]{0,8}", b in "[a-c]{0,8}", c in "[a-c]{0,8}") {
            proptest::prop_assert_eq!(edit_distance(&a, &b), edit_distance(&b, &a));
            proptest::prop_assert!(edit_distance(&a, &c) <= edit_distance(&a, &b) + edit_distance(&b, &c));
            proptest::prop_assert_eq!(edit_distance(&a, &b) == 0, a == b);
        }
    }
}
