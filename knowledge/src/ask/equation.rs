//! Calculations in answers: "3 × 2.50 = 7.50", "20 m² = 215.3 ft²". They are written here, and checked
//! by [`without_equations`] before an answer is returned.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    extract::{quantity::digits, spelled},
    units,
};

/// Maximum difference of a shown result from the exact one.
const ROUNDING: f64 = 0.051;
/// Maximum number that multiplies an amount without being in the evidence.
const MAX_TIMES: f64 = 1000.0;

/// Writes an amount: two digits after the point, or none for whole numbers.
pub(super) fn amount(value: f64, decimals: bool) -> String {
    if decimals || (value - value.round()).abs() > 0.001 {
        format!("{value:.2}")
    } else {
        format!("{value:.0}")
    }
}

/// Writes a quantity with at most one digit after the point.
fn rounded(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Writes a conversion, or returns `None` between units of different kinds.
pub(super) fn conversion(from: &units::Quantity, to: &'static units::Unit) -> Option<String> {
    let to = from.to(to)?;
    let source = format!("{}", from.value);
    Some(format!("{source} {} = {} {}", from.unit.symbol, rounded(to.value), to.unit.symbol))
}

/// Returns the text without its equations, or `None` if one is wrong or its operands don't follow
/// from the values.
pub(super) fn without_equations(text: &str, values: &[String]) -> Option<String> {
    static EQUATION: LazyLock<Regex> = LazyLock::new(|| {
        let term = r"\d+(?:\.\d+)?(?: (?:m²|ft²|cm|mm|km|m|ft|in|yd|mi|kg|lb|°C|°F))?";
        Regex::new(&format!(r"({term}(?: [+−×] {term})*) = ({term})")).expect("a constant")
    });
    let known: Vec<f64> = values
        .iter()
        .flat_map(|value| {
            let spelled = spelled::numbers(value).into_iter().map(|number| number.value);
            digits(value).into_iter().map(|(number, ..)| number).chain(spelled)
        })
        .collect();
    let mut rest = String::new();
    let mut from = 0;
    for found in EQUATION.captures_iter(text) {
        let whole = found.get(0)?;
        let (left, right) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        if !holds(left, right, &known) {
            return None;
        }
        rest.push_str(&text[from..whole.start()]);
        from = whole.end();
    }
    rest.push_str(&text[from..]);
    // An equals sign outside of an equation states something unchecked.
    (!rest.contains('=')).then_some(rest)
}

/// Whether an equation is right and its operands are known.
fn holds(left: &str, right: &str, known: &[f64]) -> bool {
    let is_known = |value: f64| known.iter().any(|other| (other - value).abs() < 0.001);
    let Some((result, result_unit)) = term(right) else { return false };
    let mut pieces = left.split(' ').peekable();
    let mut operands: Vec<(char, f64, Option<&'static units::Unit>)> = Vec::new();
    let mut operator = '+';
    while let Some(piece) = pieces.next() {
        match piece {
            "+" | "−" | "×" => operator = piece.chars().next().unwrap_or('+'),
            number => {
                let unit = pieces.peek().and_then(|next| units::with_symbol(next));
                if unit.is_some() {
                    pieces.next();
                }
                let Ok(value) = number.parse::<f64>() else { return false };
                operands.push((operator, value, unit));
            }
        }
    }
    let [first, rest @ ..] = operands.as_slice() else { return false };
    if rest.is_empty() {
        let (Some(from), Some(to)) = (first.2, result_unit) else { return false };
        let quantity = units::Quantity { value: first.1, unit: from };
        return is_known(first.1)
            && quantity.to(to).is_some_and(|exact| (exact.value - result).abs() < ROUNDING);
    }
    let one_unit = operands.iter().all(|(.., unit)| *unit == result_unit || unit.is_none());
    let times = rest.iter().all(|(operator, ..)| *operator == '×');
    let free = |value: f64| times && value.fract() == 0.0 && value <= MAX_TIMES;
    let supported = rest.iter().all(|(_, value, _)| is_known(*value)) && (is_known(first.1) || free(first.1));
    let total = rest.iter().fold(first.1, |total, (operator, value, _)| match operator {
        '×' => total * value,
        '−' => total - value,
        _ => total + value,
    });
    one_unit && supported && (total - result).abs() < ROUNDING
}

fn term(text: &str) -> Option<(f64, Option<&'static units::Unit>)> {
    let (number, unit) = text.split_once(' ').map_or((text, None), |(number, unit)| (number, Some(unit)));
    Some((number.parse().ok()?, unit.and_then(units::with_symbol)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_equations_of_known_values_are_removed() {
        let values = ["TEA 2.50".to_owned(), "CAKE 3".to_owned(), "twenty square metres".to_owned()];
        for right in ["3 × 2.50 = 7.50", "2.50 + 3 = 5.50", "3 − 2.50 = 0.50", "20 m² = 215.3 ft²"] {
            assert_eq!(
                without_equations(&format!("{right}. Read."), &values).as_deref(),
                Some(". Read."),
                "{right}"
            );
        }
        for wrong in [
            "3 × 2.50 = 8",
            "2.50 + 4 = 6.50",
            "20 m² = 21 ft²",
            "30 m² = 322.9 ft²",
            "2000 × 3 = 6000",
            "tea = 3",
        ] {
            assert_eq!(without_equations(wrong, &values), None, "{wrong}");
        }
    }
}
