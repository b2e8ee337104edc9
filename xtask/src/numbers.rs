//! English words for numbers, as narrators say them.

pub(crate) use domain::numbers::{SMALL, TENS};

/// A number below a hundred in words, `twenty three`; larger ones in digits.
pub fn words(number: usize) -> String {
    match (SMALL.get(number), TENS.get((number / 10).wrapping_sub(2)), number % 10) {
        (Some(small), ..) => (*small).to_owned(),
        (None, Some(tens), 0) => (*tens).to_owned(),
        (None, Some(tens), ones) => format!("{tens} {}", SMALL[ones]),
        (None, None, _) => number.to_string(),
    }
}
