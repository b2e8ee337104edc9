//! English words for numbers.

/// Words for 0 to 19.
pub const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

/// Words for 20, 30, … 90.
pub const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Returns the value of one word: 0 to 19, or a multiple of ten up to 90.
pub fn value(word: &str) -> Option<u32> {
    let position = |words: &[&str]| words.iter().position(|known| *known == word).map(|at| at as u32);
    position(&SMALL).or_else(|| Some((position(&TENS)? + 2) * 10))
}

/// Returns the value of a word for 1 to 12, the numbers that usually count things.
pub fn count(word: &str) -> Option<u32> {
    value(word).filter(|number| (1..=12).contains(number))
}

/// Spells out a number below a hundred, for example "twenty three". Larger ones are written in
/// digits.
pub fn spell_out(number: usize) -> String {
    match (SMALL.get(number), TENS.get((number / 10).wrapping_sub(2)), number % 10) {
        (Some(small), ..) => (*small).to_owned(),
        (None, Some(tens), 0) => (*tens).to_owned(),
        (None, Some(tens), ones) => format!("{tens} {}", SMALL[ones]),
        (None, None, _) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_out_numbers_below_a_hundred() {
        assert_eq!(
            [0, 19, 20, 43, 99].map(spell_out),
            ["zero", "nineteen", "twenty", "forty three", "ninety nine"]
        );
        assert_eq!(spell_out(100), "100");
    }

    #[test]
    fn reads_words() {
        assert_eq!(["zero", "twelve", "nineteen", "ninety"].map(value), [0, 12, 19, 90].map(Some));
        assert_eq!(["zero", "one", "twelve", "thirteen"].map(count), [None, Some(1), Some(12), None]);
        assert_eq!(value("dozen"), None);
    }
}
