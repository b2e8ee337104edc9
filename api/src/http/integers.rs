//! Whole numbers that are written with a fraction or an exponent.
//!
//! JSON has one kind of number, and JSON Schema calls `5.0` an integer: clients in languages that know only
//! floating point write integers so. `serde` tells them apart, so they are written as integers first.

use std::borrow::Cow;

/// Up to here, every integer is a number of its own in floating point.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The same JSON, with whole numbers written without fraction or exponent. What is no JSON stays as it is.
pub(crate) fn plain(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    let (mut at, mut in_string) = (0, false);
    while at < json.len() {
        let byte = json[at];
        let mut end = at + 1;
        let mut written = None;
        match byte {
            b'"' => in_string = !in_string,
            // What follows is part of the string, a quote too.
            b'\\' if in_string => end = (at + 2).min(json.len()),
            b'-' | b'0'..=b'9' if !in_string => {
                let is_part = |b: &u8| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                end = json[at..].iter().position(|b| !is_part(b)).map_or(json.len(), |length| at + length);
                written = whole(&json[at..end]);
            }
            _ => {}
        }
        match (&mut out, written) {
            (Some(out), Some(number)) => out.extend_from_slice(number.as_bytes()),
            (Some(out), None) => out.extend_from_slice(&json[at..end]),
            (None, Some(number)) => out = Some([&json[..at], number.as_bytes()].concat()),
            (None, None) => {}
        }
        at = end;
    }
    out.map_or(Cow::Borrowed(json), Cow::Owned)
}

/// The integer that a number is, if it is written in another way.
fn whole(number: &[u8]) -> Option<String> {
    if !number.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) {
        return None;
    }
    // As `serde_json` reads it: what it would refuse is left for it to refuse.
    let value: f64 = serde_json::from_slice(number).ok()?;
    (value.fract() == 0.0 && value.abs() <= EXACT).then(|| (value as i64).to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(json: &str) -> String {
        String::from_utf8(plain(json.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn whole_numbers_lose_their_fraction_and_nothing_else_changes() {
        assert_eq!(
            text(r#"{"a":5.0,"b":[1e3,-2.50E1,-0.0],"c":1.5}"#),
            r#"{"a":5,"b":[1000,-25,0],"c":1.5}"#
        );
        for same in [
            r#"{"5.0":"1.0","b":"\"2.0"}"#,
            r#"["\\", "3.0"]"#,
            "[1e300, 9007199254740993.5, 0.1]",
            "[5., .0, 1e, 1.0.0, --1.0, 01.0]",
            "{\"a\":\"1.0",
            "\"\\",
        ] {
            assert_eq!(text(same), same);
            assert!(matches!(plain(same.as_bytes()), Cow::Borrowed(_)), "{same}");
        }
    }

    proptest! {
        #[test]
        fn what_is_said_stays_the_same(json in "[-0-9.eE+\"\\\\, a]{0,40}") {
            let before = serde_json::from_str::<serde_json::Value>(&json).ok();
            let after = serde_json::from_str::<serde_json::Value>(&text(&json)).ok();
            prop_assert_eq!(before.is_some(), after.is_some());
            if let (Some(before), Some(after)) = (before, after) {
                prop_assert_eq!(before.as_f64(), after.as_f64());
                prop_assert_eq!(before.as_str(), after.as_str());
            }
        }
    }
}
