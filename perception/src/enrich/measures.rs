//! Finds measurements: numbers with units that were read or spoken. Nothing is measured from
//! pixels.

use domain::{
    document::{Basis, Claim, Evidence, Measurement, Method, Narration, Text},
    numbers,
};

use super::claims::Claims;

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
struct Amount {
    value: f64,
    unit: &'static str,
    /// The words that express it.
    words: String,
}

/// Units, each with its symbols and names.
const UNITS: [(&str, &[&str]); 17] = [
    (
        "m2",
        &[
            "m2",
            "m²",
            "sqm",
            "qm",
            "square metres",
            "square meters",
            "square metre",
            "square meter",
            "quadratmeter",
        ],
    ),
    ("ft2", &["ft2", "ft²", "sqft", "sq ft", "sq. ft", "square feet", "square foot"]),
    ("m3", &["m3", "m³", "cubic metres", "cubic meters"]),
    ("cm", &["cm", "centimetres", "centimeters", "centimetre", "centimeter"]),
    ("mm", &["mm", "millimetres", "millimeters"]),
    ("km", &["km", "kilometres", "kilometers"]),
    ("m", &["m", "metres", "meters", "metre", "meter"]),
    ("ft", &["ft", "feet", "foot"]),
    ("in", &["inches", "inch"]),
    ("kg", &["kg", "kilograms", "kilos", "kilogram"]),
    ("l", &["litres", "liters", "litre", "liter"]),
    ("degC", &["°c", "degrees celsius", "degrees centigrade"]),
    ("degF", &["°f", "degrees fahrenheit"]),
    ("people", &["people", "persons", "person", "pers", "guests", "seats"]),
    ("kW", &["kw", "kilowatts", "kilowatt"]),
    ("V", &["volts", "volt"]),
    ("percent", &["%", "percent", "per cent"]),
];

/// Confidence of a measurement in a text, relative to the confidence of the text.
const READ_CONFIDENCE_FACTOR: f64 = 0.95;
/// Confidence of a spoken measurement, relative to the confidence of the sentence.
const SPOKEN_CONFIDENCE_FACTOR: f64 = 0.9;

/// Returns the measurements of a document, those in texts before those in narration.
pub(super) fn find_measurements(
    texts: &[Text],
    narration: &[Narration],
    claims: &mut Claims,
) -> Vec<Measurement> {
    let mut out: Vec<Measurement> = Vec::new();
    let mut add = |amount: Amount, method, zone: &Option<String>, claim: Option<Claim>| {
        if let Some(claim) = claim {
            out.push(Measurement {
                id: format!("mea_{}", out.len() + 1),
                value: amount.value,
                unit: amount.unit.to_owned(),
                method,
                zone_id: zone.clone(),
                claim,
            });
        }
    };
    for text in texts {
        for amount in find_amounts(&text.raw) {
            let evidence: Vec<Evidence> = text.claim.evidence.clone();
            let claim = claims.make(
                &amount.words,
                text.claim.confidence * READ_CONFIDENCE_FACTOR,
                Basis::Read,
                evidence,
                "run_measurements",
            );
            add(amount, Method::Read, &text.zone_id, claim);
        }
    }
    for sentence in narration {
        for amount in find_amounts(&sentence.text) {
            let evidence = claims.narration(sentence).into_iter().collect();
            let claim = claims.make(
                &amount.words,
                sentence.confidence * SPOKEN_CONFIDENCE_FACTOR,
                Basis::Spoken,
                evidence,
                "run_measurements",
            );
            add(amount, Method::Spoken, &sentence.zone_id, claim);
        }
    }
    out
}

/// Finds every number with a unit in a text.
fn find_amounts(text: &str) -> Vec<Amount> {
    let tokens = tokenize(text);
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((value, used)) = parse_number(&tokens[at..]) else {
            at += 1;
            continue;
        };
        match parse_unit(&tokens[at + used..]) {
            Some((unit, length)) => {
                let words = tokens[at..at + used + length].join(" ");
                out.push(Amount { value, unit, words });
                at += used + length;
            }
            None => at += used,
        }
    }
    out
}

/// Splits a text into lower-case words, and digits from the letters after them ("12m²" into "12",
/// "m²").
fn tokenize(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in text.to_lowercase().split_whitespace() {
        let word = word.trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '!' | '?' | '(' | ')' | '"'));
        let word = word.strip_suffix('.').unwrap_or(word);
        let end = word
            .char_indices()
            .find(|(_, c)| !(c.is_ascii_digit() || matches!(c, '.' | ',')))
            .map_or(word.len(), |(at, _)| at);
        let (digits, rest) =
            word.split_at(if word.starts_with(|c: char| c.is_ascii_digit()) { end } else { 0 });
        out.extend([digits, rest].into_iter().filter(|part| !part.is_empty()).map(str::to_owned));
    }
    out
}

/// Parses a number, in digits or English words, at the start of a list of tokens. Returns the value
/// and the number of tokens.
fn parse_number(tokens: &[String]) -> Option<(f64, usize)> {
    let first = tokens.first()?;
    if first.starts_with(|c: char| c.is_ascii_digit()) {
        return Some((parse_decimal(first)?, 1));
    }
    let joined = |word: &str| -> Option<u32> {
        let (tens, ones) = word.split_once('-')?;
        Some(numbers::value(tens)? + numbers::value(ones).filter(|n| *n < 10)?)
    };
    let mut value = numbers::value(first).or_else(|| joined(first))?;
    let mut used = 1;
    if value >= 20
        && value % 10 == 0
        && let Some(ones) = tokens.get(1).and_then(|t| numbers::value(t)).filter(|n| (1..10).contains(n))
    {
        value += ones;
        used = 2;
    }
    let mut value = f64::from(value);
    if tokens.get(used).is_some_and(|t| t == "hundred") {
        value *= 100.0;
        used += 1;
    }
    if tokens.get(used).is_some_and(|t| t == "point")
        && let Some(tenth) = tokens.get(used + 1).and_then(|t| numbers::value(t)).filter(|n| *n < 10)
    {
        value += f64::from(tenth) / 10.0;
        used += 2;
    }
    Some((value, used))
}

/// Parses a decimal number such as "2.4", "2,4", "1,200" or "1.200,5". A separator before exactly
/// three digits groups thousands if it is a comma or if another separator precedes it. Otherwise
/// the last separator is the decimal one.
fn parse_decimal(text: &str) -> Option<f64> {
    let text = text.trim_end_matches(['.', ',']);
    let last = text.rfind(['.', ',']);
    let plain = match last {
        None => text.to_owned(),
        Some(at) => {
            let (integer, rest) = (&text[..at], &text[at + 1..]);
            let groups = rest.len() == 3 && (text.as_bytes()[at] == b',' || integer.contains(['.', ',']));
            let integer: String = integer.chars().filter(char::is_ascii_digit).collect();
            if groups { format!("{integer}{rest}") } else { format!("{integer}.{rest}") }
        }
    };
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Finds a unit at the start of a list of tokens. Returns the longest match and its number of
/// tokens.
fn parse_unit(tokens: &[String]) -> Option<(&'static str, usize)> {
    let unit_names = UNITS.iter().flat_map(|(unit, names)| names.iter().map(move |name| (*unit, *name)));
    unit_names
        .filter_map(|(unit, name)| {
            let parts: Vec<&str> = name.split(' ').collect();
            tokens
                .iter()
                .map(String::as_str)
                .take(parts.len())
                .eq(parts.iter().copied())
                .then_some((unit, parts.len()))
        })
        .max_by_key(|(_, length)| *length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(text: &str) -> Vec<(f64, &'static str)> {
        find_amounts(text).into_iter().map(|a| (a.value, a.unit)).collect()
    }

    #[test]
    fn finds_numbers_with_units() {
        assert_eq!(amounts("It has 12 square metres and is 2.4 m high."), [(12.0, "m2"), (2.4, "m")]);
        assert_eq!(amounts("Wohnfläche 74,5m²"), [(74.5, "m2")]);
        assert_eq!(amounts("about twenty five square meters"), [(25.0, "m2")]);
        assert_eq!(amounts("two point four metres wide"), [(2.4, "m")]);
        assert_eq!(amounts("1,200 sq ft, max. 8 persons"), [(1200.0, "ft2"), (8.0, "people")]);
        assert_eq!(amounts("one hundred square feet"), [(100.0, "ft2")]);
    }

    #[test]
    fn ignores_numbers_without_units_and_units_without_numbers() {
        for text in
            ["Room 204", "Tel 030 1234567", "metres away", "I am in", "one of the rooms", "12 monkeys", ""]
        {
            assert!(amounts(text).is_empty(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,60}") {
            for amount in find_amounts(&text) {
                proptest::prop_assert!(amount.value.is_finite());
            }
        }
    }
}
