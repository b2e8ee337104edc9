//! Finds values of a type in a line of text or a sentence: a small grammar for each type.

pub(super) mod clock;
mod contact;
mod money;
mod name;
mod place;
pub(super) mod quantity;
pub(super) mod spelled;

use std::sync::LazyLock;

use regex::Regex;

use super::query::{AnswerType, Dimension};

/// Fit of a name where somebody is to be contacted.
const NAMED_CONTACT: f64 = 0.8;

/// Fit of the ends of a time where its length is asked for.
const BY_ENDS: f64 = 0.6;

/// Fit of a quantity with a unit where no price answers "how much".
const OF_QUANTITY: f64 = 0.6;

/// A value in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value {
    /// The value as an answer shows it.
    pub(super) shown: String,
    /// Position of its first byte.
    pub(super) at: usize,
    /// Position after its last byte.
    pub(super) end: usize,
    /// How well it fits the type, 0 to 1.
    pub(super) fit: f64,
}

impl Value {
    fn of(found: regex::Match<'_>, fit: f64) -> Value {
        Value { shown: found.as_str().trim().to_owned(), at: found.start(), end: found.end(), fit }
    }
}

/// Whether values of this type are looked for. Answers of other types quote whole lines.
pub(super) fn is_typed(answer: AnswerType) -> bool {
    !matches!(answer, AnswerType::YesNo | AnswerType::List | AnswerType::Text | AnswerType::Appearance)
}

/// Returns the values of a type in a line; `read` for writing, otherwise speech.
pub(super) fn values(answer: AnswerType, text: &str, read: bool) -> Vec<Value> {
    let mut found = match answer {
        AnswerType::Price => money::amounts(text, read),
        AnswerType::Year => years(text),
        AnswerType::Age => ages(text),
        AnswerType::Time => clock::moments(text),
        AnswerType::Duration => {
            let ends = clock::ends(text).into_iter().map(|value| Value { fit: BY_ENDS, ..value }).collect();
            [quantity::durations(text), quantity::sizes(text, Dimension::Length), ends].concat()
        }
        AnswerType::Frequency => clock::frequencies(text),
        AnswerType::Code => contact::codes(text),
        AnswerType::Phone => contact::phones(text),
        AnswerType::Email => contact::emails(text),
        AnswerType::Website => contact::websites(text),
        AnswerType::Contact => {
            let names = name::names(text, read).into_iter();
            let named = names.map(|value| Value { fit: NAMED_CONTACT * value.fit, ..value }).collect();
            [contact::phones(text), contact::emails(text), contact::websites(text), named].concat()
        }
        AnswerType::Name => name::names(text, read),
        AnswerType::Place => place::places(text, read),
        AnswerType::Floor => place::floors(text),
        // "How far" asks for a length or a time.
        AnswerType::Size(Dimension::Length) => {
            [quantity::sizes(text, Dimension::Length), quantity::durations(text)].concat()
        }
        AnswerType::Size(dimension) => quantity::sizes(text, dimension),
        AnswerType::Temperature => quantity::temperatures(text),
        AnswerType::Number | AnswerType::Count => quantity::numbers(text),
        AnswerType::YesNo | AnswerType::List | AnswerType::Text | AnswerType::Appearance => Vec::new(),
    };
    found.sort_by_key(|value| value.at);
    found
}

/// Returns quantities with a unit that tell how much there is of something: "half a litre", "two days' pay".
pub(super) fn quantities(text: &str) -> Vec<Value> {
    let sizes = [Dimension::Weight, Dimension::Capacity, Dimension::Area].map(|d| quantity::sizes(text, d));
    let mut found = [sizes.concat(), quantity::durations(text)].concat();
    found.iter_mut().for_each(|value| value.fit *= OF_QUANTITY);
    found.sort_by_key(|value| value.at);
    found
}

fn years(text: &str) -> Vec<Value> {
    static YEAR: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(1[5-9]\d\d|20\d\d)\b"));
    // A group of digits beside others belongs to a longer number.
    let alone = |found: &regex::Match<'_>| {
        let before = text[..found.start()].trim_end().chars().next_back();
        let after = text[found.end()..].trim_start().chars().next();
        ![before, after].into_iter().flatten().any(|c| c.is_ascii_digit())
    };
    let digits = YEAR.find_iter(text).filter(alone).map(|found| Value::of(found, 1.0));
    let spoken = spelled::numbers(text).into_iter().filter(|n| (1500.0..2100.0).contains(&n.value));
    digits.chain(spoken.map(|n| n.value(1.0))).collect()
}

fn ages(text: &str) -> Vec<Value> {
    static NEW: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bbrand new\b"));
    let mut out = quantity::ages(text);
    out.extend(NEW.find_iter(text).map(|found| Value::of(found, 0.9)));
    out.extend(years(text).into_iter().map(|year| Value { fit: 0.9, ..year }));
    out
}

/// Compiles a pattern of this module.
fn pattern(text: &str) -> Regex {
    // The patterns are constants, and the tests compile each.
    Regex::new(text).expect("the pattern is well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(answer: AnswerType, text: &str) -> Vec<String> {
        values(answer, text, true).into_iter().map(|value| value.shown).collect()
    }

    #[test]
    fn finds_values_of_each_type() {
        for (answer, text, expected) in [
            (AnswerType::Price, "TOWEL 3.50", "3.50"),
            (AnswerType::Price, "€12 per night", "€12"),
            (
                AnswerType::Price,
                "The deposit is two hundred and fifty pounds.",
                "two hundred and fifty pounds",
            ),
            (AnswerType::Year, "It was built in nineteen sixty three.", "1963"),
            (AnswerType::Year, "EST. 1904", "1904"),
            (AnswerType::Age, "The roof is six years old.", "six years old"),
            (AnswerType::Time, "SAUNA 10-22", "10-22"),
            (AnswerType::Time, "POST THURSDAY 9:15", "THURSDAY 9:15"),
            (AnswerType::Time, "CLOSES AT 6 PM", "6 PM"),
            (AnswerType::Duration, "MAX STAY 20 MIN", "20 MIN"),
            (AnswerType::Code, "GATE CODE 4471", "4471"),
            (AnswerType::Code, "birch-2093", "birch-2093"),
            (AnswerType::Phone, "CALL 020 7946 0011", "020 7946 0011"),
            (AnswerType::Email, "WRITE TO DESK@ELM.EXAMPLE", "DESK@ELM.EXAMPLE"),
            (AnswerType::Size(Dimension::Height), "The door is 2.1 metres high.", "2.1 metres"),
            (AnswerType::Temperature, "KEEP AT 4 C", "4 C"),
            (AnswerType::Number, "GATE 12", "12"),
        ] {
            assert!(shown(answer, text).iter().any(|v| v == expected), "{text}: {:?}", shown(answer, text));
        }
    }

    #[test]
    fn finds_no_values_of_other_types() {
        for (answer, text) in [
            (AnswerType::Price, "ROOM 12"),
            (AnswerType::Year, "CALL 2044 7711"),
            (AnswerType::Time, "PRICE 4.50"),
            (AnswerType::Code, "NO SMOKING"),
            (AnswerType::Phone, "GATE CODE 4471"),
            (AnswerType::Temperature, "ROOM 12"),
            (AnswerType::Size(Dimension::Height), "MAX 12 PEOPLE"),
        ] {
            let strong = values(answer, text, true).into_iter().filter(|value| value.fit > 0.5);
            assert_eq!(strong.count(), 0, "{text}");
        }
    }
}
