//! English words for numbers, as narrators say them.

/// Words for zero to nineteen.
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

/// Words for twenty to ninety, by tens.
pub const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Spells out a number below a hundred, `twenty three`; larger ones are written in digits.
pub fn spell_out(number: usize) -> String {
    match (SMALL.get(number), TENS.get((number / 10).wrapping_sub(2)), number % 10) {
        (Some(small), ..) => (*small).to_owned(),
        (None, Some(tens), 0) => (*tens).to_owned(),
        (None, Some(tens), ones) => format!("{tens} {}", SMALL[ones]),
        (None, None, _) => number.to_string(),
    }
}
