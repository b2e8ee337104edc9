//! Finds measurements: numbers with units that were read or spoken. Nothing is measured from
//! pixels.

use std::sync::LazyLock;

use domain::document::{Basis, Claim, Evidence, Measurement, Method, Narration, Text};

use super::claims::Claims;
use super::facts::{Token, parse_number, tokenize};
use super::languages::Languages;

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
struct Amount {
    value: f64,
    unit: &'static str,
    /// The words that express it.
    words: String,
}

/// Units, each with its symbols and names in several languages.
const UNITS: &[(&str, &[&str])] = &[
    (
        "m2",
        &[
            "m2",
            "m²",
            "qm",
            "mq",
            "sqm",
            "sq m",
            "sq. m",
            "sq metres",
            "sq meters",
            "square metres",
            "square meters",
            "square metre",
            "square meter",
            "quadratmeter",
            "mètres carrés",
            "metros cuadrados",
            "metri quadrati",
            "metros quadrados",
            "vierkante meter",
        ],
    ),
    ("ft2", &["ft2", "ft²", "sqft", "sq ft", "sq. ft", "sq feet", "square feet", "square foot"]),
    ("m3", &["m3", "m³", "cubic metres", "cubic meters", "kubikmeter"]),
    ("ha", &["ha", "hectares", "hectare", "hektar"]),
    ("acre", &["acres", "acre"]),
    ("cm", &["cm", "centimetres", "centimeters", "centimetre", "centimeter", "zentimeter", "centimètres"]),
    ("mm", &["mm", "millimetres", "millimeters", "millimeter"]),
    ("km", &["km", "kilometres", "kilometers", "kilometer", "kilomètres"]),
    ("m", &["m", "metres", "meters", "metre", "meter", "mètres", "mètre", "metros", "metri"]),
    ("ft", &["ft", "feet", "foot"]),
    ("in", &["inches", "inch"]),
    ("kg", &["kg", "kilograms", "kilos", "kilogram", "kilogramm"]),
    ("g", &["grams", "gram", "gramm"]),
    ("l", &["litres", "liters", "litre", "liter"]),
    ("ml", &["ml", "millilitres", "milliliters"]),
    (
        "degC",
        &["°c", "° c", "degrees celsius", "degrees centigrade", "degree celsius", "grad celsius", "celsius"],
    ),
    ("degF", &["°f", "° f", "degrees fahrenheit", "fahrenheit"]),
    ("people", &["people", "persons", "person", "pers", "guests", "seats", "personen"]),
    ("kW", &["kw", "kilowatts", "kilowatt"]),
    ("W", &["watts", "watt"]),
    ("V", &["volts", "volt"]),
    ("percent", &["%", "percent", "per cent", "prozent"]),
    ("min", &["minutes", "minute", "minuten", "mins"]),
];

/// The names of all units as tokens, longer names first.
static UNIT_NAMES: LazyLock<Vec<(&'static str, Vec<String>)>> = LazyLock::new(|| {
    let mut names: Vec<(&str, Vec<String>)> = UNITS
        .iter()
        .flat_map(|(unit, names)| {
            names
                .iter()
                .map(move |name| (*unit, tokenize(name).into_iter().map(|token| token.text).collect()))
        })
        .collect();
    names.sort_by_key(|(_, tokens)| std::cmp::Reverse(tokens.len()));
    names
});

/// Symbols that mark feet and inches after a number.
const FEET_MARKS: &[&str] = &["'", "’", "′", "`"];
const INCH_MARKS: &[&str] = &["\"", "″", "”"];
/// Signs between the sides of an area.
const BY: &[&str] = &["x", "×", "by", "*", "mal"];
/// Words between the ends of a range. Ranges are not measurements of one thing.
const RANGE: &[&str] = &["-", "–", "—", "to", "bis", "or", "und", "à"];
/// Words of texts in which a number before a bare `C` or `F` is a temperature.
const TEMPERATURE_WORDS: &[&str] = &[
    "hot",
    "water",
    "temp",
    "temperature",
    "heat",
    "heating",
    "oven",
    "fridge",
    "freezer",
    "cold",
    "wash",
    "keep",
    "thermostat",
    "max",
];

/// Confidence of a measurement in a text, relative to the confidence of the text.
const READ_CONFIDENCE_FACTOR: f64 = 0.95;
/// Confidence of a spoken measurement, relative to the confidence of the sentence.
const SPOKEN_CONFIDENCE_FACTOR: f64 = 0.9;

/// Returns the measurements of a document, those in texts before those in narration.
pub(super) fn find_measurements(
    texts: &[Text],
    narration: &[Narration],
    languages: &Languages,
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
        for amount in find_amounts(&text.raw, languages.declared) {
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
        for amount in find_amounts(&sentence.text, languages.of_speech(&sentence.source, &sentence.run_id)) {
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

/// Finds every number with a unit in a text. The sides of an area ("12 by 10 feet") are two amounts.
fn find_amounts(text: &str, language: &str) -> Vec<Amount> {
    let tokens = tokenize(text);
    let quote = |from: usize, to: usize| text[tokens[from].range.start..tokens[to - 1].range.end].to_owned();
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let follows_range = at >= 2 && tokens[at - 1].is(RANGE) && is_number(&tokens[at - 2], language);
        let Some((value, used)) = parse_number(&tokens[at..], language) else {
            at += 1;
            continue;
        };
        let end = at + used;
        if let Some((amount, unit, length)) = feet_and_inches(&tokens[end..], value, language)
            .filter(|(.., length)| is_side(&tokens, at, end + length))
        {
            out.push(Amount { value: amount, unit, words: quote(at, end + length) });
            at = end + length;
        } else if let Some((unit, length)) = unit_at(&tokens, end) {
            if !follows_range {
                out.push(Amount { value, unit, words: quote(at, end + length) });
            }
            at = end + length;
        } else if let Some((other, unit, stop)) = second_side(&tokens, end, language) {
            let words = quote(at, stop);
            out.push(Amount { value, unit, words: words.clone() });
            out.push(Amount { value: other, unit, words });
            at = stop;
        } else {
            at = end;
        }
    }
    out
}

fn is_number(token: &Token, language: &str) -> bool {
    parse_number(std::slice::from_ref(token), language).is_some()
}

/// Returns the unit that starts at a token, and its number of tokens.
fn unit_at(tokens: &[Token], at: usize) -> Option<(&'static str, usize)> {
    let rest = &tokens[at..];
    let named = UNIT_NAMES
        .iter()
        .find(|(_, names)| {
            rest.len() >= names.len() && rest.iter().zip(names).all(|(token, name)| token.text == *name)
        })
        .map(|(unit, names)| (*unit, names.len()));
    // "5 m/s" and "4 l/min" are no lengths.
    let named = named.filter(|(_, length)| rest.get(*length).is_none_or(|token| token.text != "/"));
    named.or_else(|| {
        let unit = rest.first().filter(|token| token.is(&["c", "f"]))?;
        let warm = tokens.iter().any(|token| token.is(TEMPERATURE_WORDS)) && rest.len() == 1;
        warm.then_some((if unit.text == "c" { "degC" } else { "degF" }, 1))
    })
}

/// Returns the second side after the first number of an area ("by ten feet"), its unit, and the
/// index behind it.
fn second_side(tokens: &[Token], at: usize, language: &str) -> Option<(f64, &'static str, usize)> {
    tokens.get(at).filter(|token| token.is(BY))?;
    let (value, used) = parse_number(&tokens[at + 1..], language)?;
    let (unit, length) = unit_at(tokens, at + 1 + used)?;
    Some((value, unit, at + 1 + used + length))
}

/// Parses the marks after a number of feet or inches: `'`, `' 6"` or `"`. Returns the amount in feet
/// or inches and the number of tokens.
fn feet_and_inches(rest: &[Token], value: f64, language: &str) -> Option<(f64, &'static str, usize)> {
    let mark = rest.first()?;
    if mark.is(INCH_MARKS) {
        return Some((value, "in", 1));
    }
    if !mark.is(FEET_MARKS) {
        return None;
    }
    let inches = rest.get(1..).and_then(|rest| {
        let (inches, used) = parse_number(rest, language)?;
        (rest.get(used)?.is(INCH_MARKS) && inches < 12.0).then_some((inches, used))
    });
    Some(match inches {
        Some((inches, used)) => (value + inches / 12.0, "ft", 2 + used),
        None => (value, "ft", 1),
    })
}

/// Returns true if marks of feet or inches are not quotation marks: they end the text, or stand
/// beside a sign between sides.
fn is_side(tokens: &[Token], start: usize, end: usize) -> bool {
    let beside = |token: Option<&Token>| token.is_some_and(|token| token.is(BY));
    let opens = |pair: &[Token]| {
        (pair[0].is(FEET_MARKS) || pair[0].is(INCH_MARKS))
            && pair[1].is_word()
            && !pair[1].is(BY)
            && pair[0].range.end == pair[1].range.start
    };
    let quoted = tokens.windows(2).any(opens);
    beside(tokens.get(end))
        || (start > 0 && beside(tokens.get(start - 1)))
        || (end == tokens.len() && !quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(text: &str, language: &str) -> Vec<(f64, &'static str)> {
        find_amounts(text, language).into_iter().map(|a| (a.value, a.unit)).collect()
    }

    #[test]
    fn finds_numbers_with_units() {
        for (text, expected) in [
            ("It has 12 square metres and is 2.4 m high.", &[(12.0, "m2"), (2.4, "m")][..]),
            ("about twenty five square meters", &[(25.0, "m2")]),
            ("one hundred and twenty square metres", &[(120.0, "m2")]),
            ("two hundred and forty thousand litres", &[(240_000.0, "l")]),
            ("two point four metres wide", &[(2.4, "m")]),
            ("1,200 sq ft, max. 8 persons", &[(1200.0, "ft2"), (8.0, "people")]),
            ("one hundred square feet", &[(100.0, "ft2")]),
            ("twelve by ten feet", &[(12.0, "ft"), (10.0, "ft")]),
            ("3.5 x 4 m", &[(3.5, "m"), (4.0, "m")]),
            ("3 m × 4.2 m", &[(3.0, "m"), (4.2, "m")]),
            ("12' x 10'", &[(12.0, "ft"), (10.0, "ft")]),
            ("12' 6\" x 10'", &[(12.5, "ft"), (10.0, "ft")]),
            ("HOT WATER 60 C", &[(60.0, "degC")]),
            ("keep below 5°C", &[(5.0, "degC")]),
            ("1 200 m²", &[(1200.0, "m2")]),
            ("a plot of half a field, two acres", &[(2.0, "acre")]),
            ("ten minutes from the station", &[(10.0, "min")]),
        ] {
            assert_eq!(amounts(text, "en"), expected, "{text}");
        }
    }

    #[test]
    fn separators_and_names_depend_on_the_language() {
        assert_eq!(amounts("2.400 m²", "de"), [(2400.0, "m2")]);
        assert_eq!(amounts("2.400 m²", "en"), [(2.4, "m2")]);
        assert_eq!(amounts("Wohnfläche 74,5m²", "de"), [(74.5, "m2")]);
        assert_eq!(amounts("zwölf Quadratmeter", "de"), [(12.0, "m2")]);
        assert_eq!(amounts("1 200 mètres carrés", "fr"), [(1200.0, "m2")]);
        assert_eq!(amounts("85 metros cuadrados", "es"), [(85.0, "m2")]);
    }

    #[test]
    fn ignores_numbers_without_units_and_units_without_numbers() {
        for text in [
            "Room 204",
            "Tel 030 1234567",
            "metres away",
            "I am in",
            "one of the rooms",
            "12 monkeys",
            "",
            "between 10 and 20 or so",
            "5 m/s",
            "Platform 4 C",
            "it's 'number 12' on the list",
            "12.03.2021",
            "open 9-18",
            "a metre",
        ] {
            assert!(amounts(text, "en").is_empty(), "{text}: {:?}", amounts(text, "en"));
        }
        assert_eq!(amounts("10-12 m²", "en"), [], "a range is no measurement of one thing");
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,60}", language in "en|de|fr") {
            for amount in find_amounts(&text, &language) {
                proptest::prop_assert!(amount.value.is_finite());
                proptest::prop_assert!(text.contains(&amount.words));
            }
        }
    }
}
