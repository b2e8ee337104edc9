//! Numbers in words: "nine hundred and forty", "nineteen eighty seven", "two point six".

use domain::numbers::value;

use super::Value;

/// A number in words.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ask) struct Spelled {
    pub(in crate::ask) value: f64,
    pub(in crate::ask) at: usize,
    pub(in crate::ask) end: usize,
}

impl Spelled {
    /// Returns the digits.
    pub(in crate::ask) fn digits(&self) -> String {
        // `{}` of f64 writes integers without a point.
        format!("{}", self.value)
    }

    pub(super) fn value(&self, fit: f64) -> Value {
        Value { shown: self.digits(), at: self.at, end: self.end, fit }
    }
}

/// Returns the numbers in words in a text, in order.
pub(in crate::ask) fn numbers(text: &str) -> Vec<Spelled> {
    let words = words(text);
    let mut out = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match number(&words[at..]) {
            Some((value, used)) => {
                out.push(Spelled { value, at: words[at].0, end: words[at + used - 1].1 });
                at += used;
            }
            None => at += 1,
        }
    }
    out
}

/// Returns the words with their positions, in lower case. Hyphens part words.
fn words(text: &str) -> Vec<(usize, usize, String)> {
    let mut out: Vec<(usize, usize, String)> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        if !c.is_alphanumeric() {
            open = false;
            // Sentences and clauses end a number.
            if matches!(c, ',' | '.' | ';' | ':' | '?' | '!') {
                out.push((at, at, String::new()));
            }
            continue;
        }
        let end = at + c.len_utf8();
        match out.last_mut() {
            Some(last) if open => {
                last.1 = end;
                last.2.extend(c.to_lowercase());
            }
            _ => out.push((at, end, c.to_lowercase().collect())),
        }
        open = true;
    }
    out
}

/// Returns the number at the start of the words, and how many words it has.
fn number(words: &[(usize, usize, String)]) -> Option<(f64, usize)> {
    let word = |at: usize| words.get(at).map_or("", |(_, _, word)| word.as_str());
    let (first, mut used) = below_hundred(words)?;
    let mut total = f64::from(first);
    // A year in two halves: "nineteen eighty seven", "twenty twenty one".
    if (13..=20).contains(&first)
        && let Some((second, more)) = below_hundred(&words[used..])
        && second >= 10
        && !matches!(word(used + more), "hundred" | "thousand")
    {
        return Some((f64::from(first * 100 + second), used + more));
    }
    for (scale, name) in [(1000.0, "thousand"), (100.0, "hundred")] {
        if word(used) == name {
            total *= scale;
            used += 1;
            let and = usize::from(word(used) == "and");
            if let Some((rest, more)) = number_below(&words[used + and..], scale) {
                total += rest;
                used += and + more;
            }
        }
    }
    if word(used) == "point" {
        let digits: Vec<u32> =
            (used + 1..).map_while(|at| value(word(at)).filter(|digit| *digit < 10)).collect();
        if !digits.is_empty() {
            used += 1 + digits.len();
            let text: String = digits.iter().map(u32::to_string).collect();
            total = format!("{total}.{text}").parse().unwrap_or(total);
        }
    }
    Some((total, used))
}

fn number_below(words: &[(usize, usize, String)], scale: f64) -> Option<(f64, usize)> {
    number(words).filter(|(number, _)| *number < scale)
}

/// Returns a number below a hundred: "eighty seven", "twelve".
fn below_hundred(words: &[(usize, usize, String)]) -> Option<(u32, usize)> {
    let word = |at: usize| words.get(at).map(|(_, _, word)| word.as_str());
    let tens = value(word(0)?)?;
    match word(1).and_then(value) {
        Some(ones) if tens >= 20 && (1..10).contains(&ones) => Some((tens + ones, 2)),
        _ => Some((tens, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_in_words() {
        for (text, expected) in [
            ("nine hundred and forty euros", "940"),
            ("built in nineteen eighty seven", "1987"),
            ("in twenty twenty one", "2021"),
            ("two point six metres", "2.6"),
            ("one thousand two hundred", "1200"),
            ("Forty-five minutes", "45"),
            ("two thousand and six", "2006"),
        ] {
            assert_eq!(numbers(text)[0].digits(), expected, "{text}");
        }
        assert_eq!(numbers("one, two").len(), 2);
        assert!(numbers("nobody").is_empty());
    }
}
