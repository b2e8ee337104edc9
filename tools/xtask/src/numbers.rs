//! English words for numbers, as narrators say them.

/// Zero to nineteen.
pub(crate) const SMALL: [&str; 20] = [
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

/// Twenty to ninety, by tens.
pub(crate) const TENS: [&str; 8] =
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// A number below a hundred in words, `twenty three`; larger ones in digits.
pub fn words(number: usize) -> String {
    match (SMALL.get(number), TENS.get((number / 10).wrapping_sub(2)), number % 10) {
        (Some(small), ..) => (*small).to_owned(),
        (None, Some(tens), 0) => (*tens).to_owned(),
        (None, Some(tens), ones) => format!("{tens} {}", SMALL[ones]),
        (None, None, _) => number.to_string(),
    }
}
