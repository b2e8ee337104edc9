//! Phone numbers, mail addresses and websites.

use domain::document::FactKind;

use super::dates::is_date;
use super::phrase::{Found, Phrase};

/// Words before a phone number.
const PHONE_WORDS: &[&str] = &[
    "tel",
    "tel.",
    "tel:",
    "phone",
    "phone:",
    "telephone",
    "call",
    "fax",
    "mobile",
    "mobil",
    "telefon",
    "téléphone",
    "teléfono",
    "whatsapp",
];
/// Numbers of digits of a phone number (ITU-T E.164 allows 15).
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
/// Domains of websites that are written without `www`.
const TOP_LEVEL_DOMAINS: &[&str] = &[
    "com", "org", "net", "de", "fr", "es", "it", "nl", "pt", "at", "ch", "be", "uk", "eu", "io", "info",
    "shop", "app", "cafe", "pl", "se", "dk",
];

/// Finds contacts.
pub(super) fn find(phrase: &Phrase) -> Vec<Found> {
    let mut out = Vec::new();
    for (start, word) in words(phrase.text) {
        let trimmed =
            word.trim_matches(|c: char| matches!(c, ',' | ';' | '(' | ')' | '<' | '>' | '"' | '.' | ':'));
        let offset = start + word.find(trimmed).unwrap_or_default();
        let range = offset..offset + trimmed.len();
        let lower = trimmed.to_lowercase();
        if is_email(&lower) {
            out.push(Found::new(FactKind::Email, None, lower, range));
        } else if is_url(&lower) {
            out.push(Found::new(FactKind::Url, None, lower.trim_end_matches('/'), range));
        }
    }
    out.extend(phone(phrase.text));
    out
}

/// Returns the words of a text with their positions in bytes.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn is_email(word: &str) -> bool {
    let Some((name, host)) = word.split_once('@') else { return false };
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    !name.is_empty() && name.chars().all(allowed) && is_host(host)
}

fn is_host(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let fits = |label: &&str| {
        !label.is_empty()
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    labels.len() >= 2
        && labels.iter().all(fits)
        && labels.last().is_some_and(|last| last.len() >= 2 && last.chars().all(char::is_alphabetic))
}

fn is_url(word: &str) -> bool {
    let (scheme, rest) = word.split_once("://").map_or((None, word), |(scheme, rest)| (Some(scheme), rest));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let known = host.rsplit('.').next().is_some_and(|last| TOP_LEVEL_DOMAINS.contains(&last));
    let marked = matches!(scheme, Some("http" | "https")) || (scheme.is_none() && host.starts_with("www."));
    is_host(host) && (marked || (scheme.is_none() && known && host.chars().any(char::is_alphabetic)))
}

/// Finds the first phone number: digits in groups, with a `+` or `0` before it or after a word such
/// as "tel".
fn phone(text: &str) -> Option<Found> {
    let bytes = text.as_bytes();
    let is_part = |b: u8| b.is_ascii_digit() || matches!(b, b' ' | b'-' | b'/' | b'(' | b')' | b'.' | b'+');
    let mut at = 0;
    while at < bytes.len() {
        let starts = bytes[at] == b'+' || bytes[at] == b'(' || bytes[at].is_ascii_digit();
        let glued = at > 0 && text[..at].ends_with(|c: char| c.is_alphanumeric());
        if !starts || glued {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let length = bytes[at..].iter().position(|b| !is_part(*b)).unwrap_or(bytes.len() - at);
        let candidate = text[at..at + length].trim_end_matches(|c: char| !c.is_ascii_digit());
        let after = text[at + candidate.len()..].chars().next();
        let announced = words(text)
            .take_while(|(start, _)| *start < at)
            .last()
            .is_some_and(|(_, word)| PHONE_WORDS.contains(&word.to_lowercase().as_str()));
        let digits: String = candidate.chars().filter(char::is_ascii_digit).collect();
        let fits = PHONE_DIGITS.contains(&digits.len())
            && (candidate.starts_with('+') || digits.starts_with('0') || announced)
            && !after.is_some_and(|c| c.is_alphabetic() || matches!(c, '%' | '€' | '$' | '£' | ':' | '@'))
            && !is_date(candidate)
            && !candidate.contains("  ");
        if fits {
            let plus = if candidate.starts_with('+') { "+" } else { "" };
            return Some(Found::new(
                FactKind::Phone,
                None,
                format!("{plus}{digits}"),
                at..at + candidate.len(),
            ));
        }
        at += length.max(1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contacts(text: &str) -> Vec<String> {
        find(&Phrase::new(text, "en", false)).into_iter().map(|found| found.value).collect()
    }

    #[test]
    fn finds_contacts() {
        for (text, expected) in [
            ("Tel. 030 1234567", "0301234567"),
            ("+44 20 7946 0958", "+442079460958"),
            ("Call (0151) 555-0199 now", "01515550199"),
            ("phone 555 0199 22", "555019922"),
            ("Mail: Hello@Example.com.", "hello@example.com"),
            ("www.example.org/", "www.example.org"),
            ("https://example.net/menu", "https://example.net/menu"),
            ("Visit bakery.de", "bakery.de"),
        ] {
            assert_eq!(contacts(text), [expected], "{text}");
        }
    }

    #[test]
    fn other_numbers_and_dots_are_no_contacts() {
        for text in [
            "Room 204",
            "12.03.2021",
            "01.02.2021",
            "1 200 000 m²",
            "OPEN 9.00-18.00",
            "PIN 8052",
            "hello@",
            "@home",
            "e.g. this",
            "A4.B5",
            "2.5",
            "1234567 €",
            "a.b",
        ] {
            assert!(contacts(text).is_empty(), "{text}: {:?}", contacts(text));
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,60}") {
            for found in find(&Phrase::new(&text, "en", false)) {
                proptest::prop_assert!(text.get(found.range).is_some());
            }
        }
    }
}
