//! Phone numbers, addresses of mail and web, and codes.

use std::sync::LazyLock;

use regex::Regex;

use super::{Value, pattern};

/// Minimum number of digits of a phone number.
const MIN_DIGITS: usize = 6;

/// Number of digits from which digits after a leading zero are a phone number rather than a code.
const MIN_PHONE: usize = 9;

pub(super) fn phones(text: &str) -> Vec<Value> {
    static PHONE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\+?\(?\d[\d ()/.-]{4,}\d"));
    static EMERGENCY: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?i)\b(?:call|dial|ring|phone|tel\.?|ext\.?|extension|emergency)\s?:?\s?(\d{2,5})\b")
    });
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^\d{4}-\d{2}-\d{2}$|^\d{1,2}/\d{4}$|\d[.:]\d{2}\s?-\s?\d|^\d{1,3}(?:[.,]\d{2}\s)",
        )
    });
    let long = PHONE
        .find_iter(text)
        .filter(|found| digits(found.as_str()) >= MIN_DIGITS && !OTHER.is_match(found.as_str()));
    let mut out: Vec<Value> = long.map(|found| Value::of(found, 1.0)).collect();
    if out.is_empty() {
        out.extend(EMERGENCY.captures_iter(text).filter_map(|found| Some(Value::of(found.get(1)?, 0.9))));
    }
    out
}

pub(super) fn emails(text: &str) -> Vec<Value> {
    static MAIL: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"));
    MAIL.find_iter(text).map(|found| Value::of(found, 1.0)).collect()
}

pub(super) fn websites(text: &str) -> Vec<Value> {
    static SITE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:https?://\S+|www\.\S+|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|info|eu|example|de|uk|io)(?:/\S*)?)",
        )
    });
    let mail = |at: usize| text[..at].ends_with('@');
    let sites = SITE.find_iter(text).filter(|found| !mail(found.start()) && !found.as_str().contains('@'));
    sites.map(|found| Value::of(found, 1.0)).collect()
}

/// Returns what may be a code: words with digits, words joined by hyphens, and the word after a
/// label such as "password:".
pub(super) fn codes(text: &str) -> Vec<Value> {
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:password|passwort|passcode|passphrase|pass|pwd|pw|pin|code|key|ssid|network|wi-?fi|wlan)\b\s*(?:is|:|=)\s*([^\s,;]+)",
        )
    });
    static MIXED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b\d{2,6}(?: \d{2,6})+\b|[\w#*]*\d[\w#*]*(?:[-_.][\w#*]+)*|\b\p{L}+(?:[-_][\w]+)+")
    });
    static UNIT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^\s?(€|\$|£|%|°|euros?\b|metres?\b|meters?\b|m²|years?\b|am\b|pm\b|min|hours?\b|people\b|c\b)",
        )
    });
    let mut out: Vec<Value> = LABELLED
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .map(|found| Value {
            shown: found.as_str().trim_end_matches('.').to_owned(),
            ..Value::of(found, 1.0)
        })
        .collect();
    for found in MIXED.find_iter(text) {
        let known = out.iter().any(|value| value.at < found.end() && found.start() < value.end);
        let shape = found.as_str();
        let measured = UNIT.is_match(&text[found.end()..])
            || text[..found.start()].ends_with(['€', '$', '£', ':'])
            || text[found.end()..].starts_with(':');
        if known || measured || shape.chars().count() < 3 {
            continue;
        }
        let digits = digits(shape);
        let letters = shape.chars().any(char::is_alphabetic);
        // A price or an ordinary number is rarely a code, a run of digits or a mixture often.
        let fit = match (digits, letters) {
            (0, _) => 0.6,
            (_, true) => 0.9,
            _ if shape.contains(['.', '-']) => 0.3,
            (MIN_PHONE.., false) if shape.starts_with(['0', '+']) => 0.1,
            (3.., false) => 0.9,
            _ => 0.3,
        };
        out.push(Value::of(found, fit));
    }
    out
}

fn digits(text: &str) -> usize {
    text.chars().filter(char::is_ascii_digit).count()
}
