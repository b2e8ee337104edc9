//! Numbers, alone and with units.

use std::sync::LazyLock;

use regex::Regex;

use super::{super::query::Dimension, Value, pattern, spelled};
use crate::words::tokens;

const LENGTH: &str = r"metres?|meters?|m|centimetres?|centimeters?|cm|mm|millimetres?|millimeters?|km|kilometres?|kilometers?|miles?|feet|foot|ft|inch|inches|in|yards?";
const AREA: &str = r"square\s+(?:metres?|meters?|feet|foot)|sqm|sq\.?\s?m|sq\.?\s?ft|m2|m²|hectares?|acres?";
const WEIGHT: &str = r"kg|kilos?|kilograms?|kilogrammes?|tonnes?|tons?|t|grams?|g|lbs?|stone";
const CAPACITY: &str =
    r"people|persons?|guests?|seats?|pax|places|students?|pupils?|passengers?|litres?|liters?|l";
const TIME: &str = r"minutes?|mins?|min|hours?|hrs?|h|days?|weeks?|months?|years?|nights?|seconds?";

/// Returns numbers with a unit of a dimension.
pub(in crate::ask) fn sizes(text: &str, dimension: Dimension) -> Vec<Value> {
    static LENGTHS: LazyLock<Regex> = LazyLock::new(|| unit(LENGTH));
    static AREAS: LazyLock<Regex> = LazyLock::new(|| unit(AREA));
    static WEIGHTS: LazyLock<Regex> = LazyLock::new(|| unit(WEIGHT));
    static CAPACITIES: LazyLock<Regex> = LazyLock::new(|| unit(CAPACITY));
    static CROSS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b\d+(?:[.,]\d+)?\s?(?:m|cm|mm|ft)?\s?(?:x|×|by)\s?\d+(?:[.,]\d+)?(?:\s?(?:m|cm|mm|ft)\b)?",
        )
    });
    // "Four metres wide and two deep": the second number has no unit.
    static BARE: LazyLock<Regex> = LazyLock::new(|| unit("wide|deep|high|tall|long"));
    let bare = || measured(text, &BARE).into_iter().map(|value| Value { fit: 0.8, ..value });
    let crossed = || CROSS.find_iter(text).map(|found| Value::of(found, 0.9)).collect::<Vec<_>>();
    match dimension {
        Dimension::Length | Dimension::Width | Dimension::Height | Dimension::Depth => {
            [measured(text, &LENGTHS), bare().collect(), crossed()].concat()
        }
        Dimension::Area => [measured(text, &AREAS), crossed()].concat(),
        Dimension::Weight => measured(text, &WEIGHTS),
        Dimension::Capacity => measured(text, &CAPACITIES),
        Dimension::Other => {
            [measured(text, &AREAS), measured(text, &LENGTHS), measured(text, &CAPACITIES), crossed()]
                .concat()
        }
    }
}

/// Returns the dimension that a word names.
pub(in crate::ask) fn dimension_named(word: &str) -> Option<Dimension> {
    match word {
        "wide" | "width" | "broad" | "across" => Some(Dimension::Width),
        "high" | "height" | "tall" | "headroom" | "clearance" => Some(Dimension::Height),
        "deep" | "depth" => Some(Dimension::Depth),
        "long" | "length" => Some(Dimension::Length),
        _ => None,
    }
}

/// Returns the dimension that the words beside a number name: "2 metres wide", "depth 2 m".
pub(in crate::ask) fn dimension_beside(text: &str, at: usize, end: usize) -> Option<Dimension> {
    /// Number of words before a number that may label it.
    const BEFORE: usize = 2;
    let named = |word: &String| dimension_named(word);
    let within = tokens(&text[at..end]).iter().rev().find_map(named);
    let after = || tokens(&text[end..]).first().and_then(named);
    let before = || tokens(&text[..at]).iter().rev().take(BEFORE).find_map(named);
    within.or_else(after).or_else(before)
}

/// Returns lengths of time.
pub(super) fn durations(text: &str) -> Vec<Value> {
    static TIMES: LazyLock<Regex> = LazyLock::new(|| unit(TIME));
    static HALF: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:half an hour|an hour(?: and a half)?|a (?:day|week|month|year|fortnight)|overnight)\b",
        )
    });
    let halves = HALF.find_iter(text).map(|found| Value::of(found, 0.8));
    measured(text, &TIMES).into_iter().chain(halves).collect()
}

/// Returns ages. "Years" without "old" fit less.
pub(super) fn ages(text: &str) -> Vec<Value> {
    static AGES: LazyLock<Regex> = LazyLock::new(|| unit(r"(?:years?|months?|weeks?)(?:[\s-]old)?"));
    let fit = |value: Value| Value { fit: if value.shown.ends_with("old") { 1.0 } else { 0.7 }, ..value };
    measured(text, &AGES).into_iter().map(fit).collect()
}

/// Returns temperatures.
pub(super) fn temperatures(text: &str) -> Vec<Value> {
    static DEGREES: LazyLock<Regex> = LazyLock::new(|| {
        unit(r"°\s?[CF]?|º\s?[CF]?|degrees?(?:\s+(?:celsius|fahrenheit))?|C|F|celsius|fahrenheit")
    });
    measured(text, &DEGREES)
}

/// Returns plain numbers, in digits or words. A word such as "one" fits less.
pub(super) fn numbers(text: &str) -> Vec<Value> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Z]?\d+(?:[.,]\d+)?[A-Za-z]?\b"));
    let digits = NUMBER.find_iter(text).map(|found| Value::of(found, 0.9));
    let words = spelled::numbers(text).into_iter().map(|n| n.value(if n.value == 1.0 { 0.4 } else { 0.8 }));
    digits.chain(words).collect()
}

/// Builds a pattern for what follows a number: a unit.
fn unit(units: &str) -> Regex {
    // A unit ends at a word boundary, or is a sign.
    pattern(&format!(r"(?i)^[\s-]{{0,2}}(?:{units})(?:\b|$|\s)"))
}

/// Returns the numbers that a unit follows.
fn measured(text: &str, unit: &Regex) -> Vec<Value> {
    static DIGITS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+(?:[.,]\d+)?"));
    let digits = DIGITS.find_iter(text).map(|found| (found.start(), found.end()));
    let words = spelled::numbers(text).into_iter().map(|number| (number.at, number.end));
    let with_unit = |(at, end): (usize, usize)| {
        let unit = unit.find(&text[end..])?;
        let end = end + unit.end();
        let shown = text[at..end].trim().to_owned();
        Some(Value { shown, at, end, fit: 1.0 })
    };
    digits.chain(words).filter_map(with_unit).collect()
}

/// Returns the numbers in digits with their positions. A comma before three digits groups thousands.
pub(in crate::ask) fn digits(text: &str) -> Vec<(f64, usize, usize)> {
    static DIGITS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"));
    let grouped = |shown: &str| {
        let parts: Vec<&str> = shown.split(',').collect();
        parts.len() > 1 && parts[1..].iter().all(|part| part.split('.').next().is_some_and(|p| p.len() == 3))
    };
    let number = |shown: &str| {
        if grouped(shown) { shown.replace(',', "") } else { shown.replace(',', ".") }
    };
    DIGITS
        .find_iter(text)
        .filter_map(|found| Some((number(found.as_str()).parse().ok()?, found.start(), found.end())))
        .collect()
}
