//! Amounts of money.

use std::sync::LazyLock;

use regex::Regex;

use super::{Value, pattern, spelled};

/// Returns the amounts in a text. Numbers with two decimals on signs are amounts, too.
pub(super) fn amounts(text: &str, read: bool) -> Vec<Value> {
    static MARKED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?ix) (?:[$€£¥]|\b(?:eur|usd|gbp|chf)\b)\s?\d+(?:[.,]\d{1,3})*(?:[.,]\d{2})?
            | \b\d+(?:[.,]\d{1,3})*\s?(?:[$€£¥¢]|(?:euros?|eur|dollars?|usd|pounds?|gbp|quid|francs?|chf|cents?|pence|p|kr|zl)\b)",
        )
    });
    static DECIMAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b\d{1,4}[.,]\d{2}\b"));
    static UNIT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?i)^\s?(m\b|m2|m²|cm|mm|km|kg|g\b|l\b|%|°|pm\b|am\b|h\b|metres?|meters?|litres?)")
    });
    static FREE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)\b(free of charge|free|complimentary|gratis|no charge|at no cost)\b"));
    static SPOKEN: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)^\s(euros?|dollars?|pounds?|cents?|pence|francs?|crowns?|quid)\b"));
    let mut out: Vec<Value> = MARKED.find_iter(text).map(|found| Value::of(found, 1.0)).collect();
    for found in DECIMAL.find_iter(text) {
        let within = out.iter().any(|value| value.at <= found.start() && found.end() <= value.end);
        if !within && !UNIT.is_match(&text[found.end()..]) {
            out.push(Value::of(found, if read { 0.9 } else { 0.6 }));
        }
    }
    for number in spelled::numbers(text) {
        if let Some(unit) = SPOKEN.find(&text[number.end..]) {
            let end = number.end + unit.end();
            out.push(Value { shown: text[number.at..end].to_owned(), at: number.at, end, fit: 1.0 });
        }
    }
    // A cell that only says "free" is a price.
    let alone = |found: &regex::Match<'_>| found.len() == text.trim().len();
    out.extend(FREE.find_iter(text).map(|found| Value::of(found, if alone(&found) { 0.9 } else { 0.8 })));
    if out.is_empty() {
        out.extend(if read { bare(text) } else { spoken_bare(text) });
    }
    out
}

/// A sentence about an amount may state it without a currency: "the rent is nine hundred".
fn spoken_bare(text: &str) -> Option<Value> {
    static ABOUT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?i)\b(?:rent|deposit|price|prices|costs?|fee|pay|paid|charge|charged|bill)\b")
    });
    static DIGITS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b\d{2,5}\b"));
    ABOUT.find(text)?;
    let digits = DIGITS.find(text).map(|found| Value::of(found, 0.6));
    let words = spelled::numbers(text).into_iter().find(|number| number.value >= 10.0);
    digits.or_else(|| words.map(|number| number.value(0.6)))
}

/// A line that is a bare number or ends with one may state a price: "ADULTS 5".
fn bare(text: &str) -> Option<Value> {
    static BARE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:\D*[A-Za-z]\D*\s)?(?:from\s)?(\d{1,3})\s*$"));
    let found = BARE.captures(text)?.get(1)?;
    Some(Value::of(found, 0.4))
}
