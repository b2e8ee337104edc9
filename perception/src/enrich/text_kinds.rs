//! Classifies texts on signs.

use domain::document::TextKind;

use crate::naming::lexicon;

/// Returns `contact`, `warning`, `number`, `sign` or `other`.
pub(super) fn classify(raw: &str) -> TextKind {
    let lower = raw.to_lowercase();
    let digits = raw.chars().filter(char::is_ascii_digit).count();
    let letters = raw.chars().filter(|c| c.is_alphabetic()).count();
    if is_contact(&lower, digits, letters) {
        return TextKind::Contact;
    }
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    if lexicon::contains_warning(&words) {
        return TextKind::Warning;
    }
    if digits > 0 && letters <= 2 && words.len() <= 3 {
        return TextKind::Number;
    }
    if letters >= 2 && words.len() <= 8 {
        return TextKind::Sign;
    }
    TextKind::Other
}

fn is_contact(lower: &str, digits: usize, letters: usize) -> bool {
    let has_email = lower.split_whitespace().any(|word| {
        let (name, host) = word.split_once('@').unwrap_or_default();
        !name.is_empty() && host.contains('.') && !host.ends_with('.')
    });
    let has_url = ["www.", "http://", "https://"].iter().any(|start| lower.contains(start));
    let has_domain = [".com", ".org", ".net", ".co.uk", ".de", ".fr", ".eu", ".io"].iter().any(|end| {
        lower.split_whitespace().any(|w| w.len() > end.len() + 1 && w.trim_end_matches('/').ends_with(end))
    });
    let has_phone_word = ["tel", "phone", "call", "fax", "mobile"].iter().any(|word| lower.contains(word));
    let has_phone_number = digits >= 7 && (letters == 0 || has_phone_word) && !lower.contains('%');
    has_email || has_url || has_domain || has_phone_number || (has_phone_word && digits >= 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_texts() {
        for (raw, expected) in [
            ("KITCHEN", TextKind::Sign),
            ("Meeting Room 2", TextKind::Sign),
            ("204", TextKind::Number),
            ("12 m²", TextKind::Number),
            ("Tel. 030 1234567", TextKind::Contact),
            ("hello@example.com", TextKind::Contact),
            ("www.example.com", TextKind::Contact),
            ("+44 20 7946 0958", TextKind::Contact),
            ("CAUTION WET FLOOR", TextKind::Warning),
            ("No smoking", TextKind::Warning),
            ("DANGER 400V", TextKind::Warning),
            ("…", TextKind::Other),
        ] {
            assert_eq!(classify(raw), expected, "{raw}");
        }
    }
}
