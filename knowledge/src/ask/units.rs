//! Units of sizes, weights and temperatures: quantities in a text, and conversion to the unit that a
//! question asks for.

use std::sync::LazyLock;

use regex::Regex;

use super::extract::{quantity::digits, spelled};

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Length,
    Area,
    Weight,
    Temperature,
}

/// A unit. A quantity in the base unit of its kind is `value * factor + offset`.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) symbol: &'static str,
    /// Its name in a question.
    name: &'static str,
    kind: Kind,
    factor: f64,
    offset: f64,
    /// What follows a number in this unit.
    pattern: Regex,
    /// What names it in a question.
    asked: Regex,
}

impl PartialEq for Unit {
    fn eq(&self, other: &Unit) -> bool {
        self.symbol == other.symbol
    }
}

/// Units with their symbol, kind, factor, offset, and names. Factors are exact by the international
/// yard and pound agreement of 1959. Areas precede lengths, whose names they contain.
static UNITS: LazyLock<Vec<Unit>> = LazyLock::new(|| {
    let unit = |symbol: &'static str,
                name: &'static str,
                kind: Kind,
                factor: f64,
                offset: f64,
                names: &str,
                asked: &str| Unit {
        symbol,
        name,
        kind,
        factor,
        offset,
        pattern: Regex::new(&format!(r"(?i)^[\s-]{{0,2}}(?:{names})(?:\b|$|\s)")).expect("a constant"),
        asked: Regex::new(&format!(r"(?i)\b(?:{asked})\b")).expect("a constant"),
    };
    let (sqm, sqft) =
        (r"square\s+met(?:re|er)s?|sq\.?\s?m|sqm|m2|m²", r"square\s+f(?:ee|oo)t|sq\.?\s?ft|ft2|ft²");
    vec![
        unit("m²", "square metres", Kind::Area, 1.0, 0.0, sqm, sqm),
        unit("ft²", "square feet", Kind::Area, 0.092_903_04, 0.0, sqft, &format!("{sqft}|square footage")),
        unit("m", "metres", Kind::Length, 1.0, 0.0, r"met(?:re|er)s?|m", r"met(?:re|er)s?"),
        unit(
            "cm",
            "centimetres",
            Kind::Length,
            0.01,
            0.0,
            r"centimet(?:re|er)s?|cm",
            r"centimet(?:re|er)s?|cm",
        ),
        unit(
            "mm",
            "millimetres",
            Kind::Length,
            0.001,
            0.0,
            r"millimet(?:re|er)s?|mm",
            r"millimet(?:re|er)s?|mm",
        ),
        unit(
            "km",
            "kilometres",
            Kind::Length,
            1000.0,
            0.0,
            r"kilomet(?:re|er)s?|km",
            r"kilomet(?:re|er)s?|km",
        ),
        unit("ft", "feet", Kind::Length, 0.3048, 0.0, r"feet|foot|ft", r"feet|ft"),
        unit("in", "inches", Kind::Length, 0.0254, 0.0, r"inch(?:es)?", r"inch(?:es)?"),
        unit("yd", "yards", Kind::Length, 0.9144, 0.0, r"yards?", r"yards"),
        unit("mi", "miles", Kind::Length, 1609.344, 0.0, r"miles?", r"miles"),
        unit(
            "kg",
            "kilos",
            Kind::Weight,
            1.0,
            0.0,
            r"kg|kilos?|kilogram(?:me)?s?",
            r"kg|kilos|kilogram(?:me)?s",
        ),
        unit("lb", "pounds", Kind::Weight, 0.453_592_37, 0.0, r"lbs?", r"lbs?|pounds"),
        unit(
            "°C",
            "celsius",
            Kind::Temperature,
            1.0,
            0.0,
            r"°\s?c|degrees?\s+celsius|celsius|c",
            r"celsius|centigrade",
        ),
        unit(
            "°F",
            "fahrenheit",
            Kind::Temperature,
            5.0 / 9.0,
            -160.0 / 9.0,
            r"°\s?f|degrees?\s+fahrenheit|fahrenheit|f",
            r"fahrenheit",
        ),
    ]
});

/// A number with a unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    pub(super) value: f64,
    pub(super) unit: &'static Unit,
}

impl Quantity {
    /// Returns the quantity in another unit of its kind.
    pub(super) fn to(&self, unit: &'static Unit) -> Option<Quantity> {
        let base = self.value * self.unit.factor + self.unit.offset;
        (unit.kind == self.unit.kind).then(|| Quantity { value: (base - unit.offset) / unit.factor, unit })
    }
}

/// Returns the quantities in a text, in order.
pub(super) fn quantities(text: &str) -> Vec<Quantity> {
    let words = spelled::numbers(text).into_iter().map(|number| (number.value, number.at, number.end));
    let mut numbers: Vec<(f64, usize, usize)> = digits(text).into_iter().chain(words).collect();
    numbers.sort_by_key(|(_, at, _)| *at);
    let with_unit = |(value, _, end): (f64, usize, usize)| {
        let unit = UNITS.iter().find(|unit| unit.pattern.is_match(&text[end..]))?;
        Some(Quantity { value, unit })
    };
    numbers.into_iter().filter_map(with_unit).collect()
}

/// Returns the unit that a question asks for.
pub(super) fn asked(question: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.asked.is_match(question))
}

/// Whether a text is the name of a unit, and nothing else.
pub(super) fn is_unit(text: &str) -> bool {
    named(text).is_some()
}

/// Returns the name of a unit as questions write it: "square feet" for "sq ft".
pub(super) fn in_full(text: &str) -> &str {
    named(text).map_or(text, |unit| unit.name)
}

fn named(text: &str) -> Option<&'static Unit> {
    let text = text.trim().trim_end_matches(['?', '.', '!']).to_lowercase();
    // A single letter names a unit only after a number or as a symbol at the end.
    UNITS.iter().find(|unit| unit.pattern.find(&text).is_some_and(|found| found.end() == text.len()))
}

/// Returns the unit with this symbol.
pub(super) fn with_symbol(symbol: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.symbol == symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_to_the_asked_unit() {
        for (text, question, expected) in [
            ("It is twenty square metres.", "How many square feet is it?", 215.28),
            ("MAX HEIGHT 2.1 M", "How high in feet?", 6.89),
            ("KEEP AT 4 C", "what is that in fahrenheit", 39.2),
            ("a load of 50 kg", "how many lbs", 110.23),
        ] {
            let found = quantities(text);
            let converted = found[0].to(asked(question).unwrap()).unwrap();
            assert!((converted.value - expected).abs() < 0.01, "{text}: {converted:?}");
        }
        assert_eq!(asked("How big is it?"), None);
        assert!(quantities("four chairs").is_empty());
        let metres = with_symbol("m").unwrap();
        assert_eq!(quantities("5 kg")[0].to(metres), None);
    }
}
