//! Rewrites integers that are written with a fraction or an exponent.
//!
//! JSON Schema counts `5.0` as an integer, and clients in languages with only floating-point
//! numbers write integers this way. `serde` refuses them, so they are rewritten before parsing.

use std::borrow::Cow;

/// Largest magnitude up to which an `f64` represents every integer exactly: 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns the JSON with all integers written without fraction or exponent. Malformed JSON is
/// returned unchanged.
pub(crate) fn normalize(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    let (mut at, mut in_string) = (0, false);
    while at < json.len() {
        let byte = json[at];
        let mut end = at + 1;
        let mut written = None;
        match byte {
            b'"' => in_string = !in_string,
            // The escaped character is part of the string, even a quote.
            b'\\' if in_string => end = (at + 2).min(json.len()),
            b'-' | b'0'..=b'9' if !in_string => {
                let is_part = |b: &u8| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                end = json[at..].iter().position(|b| !is_part(b)).map_or(json.len(), |length| at + length);
                written = plain_integer(&json[at..end]);
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

/// Returns the plain form of an integer that is written with a fraction or an exponent.
fn plain_integer(number: &[u8]) -> Option<String> {
    if !number.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) {
        return None;
    }
    // Numbers that `serde_json` refuses stay unchanged.
    let value: f64 = serde_json::from_slice(number).ok()?;
    (value.fract() == 0.0 && value.abs() <= MAX_EXACT).then(|| (value as i64).to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(json: &str) -> String {
        String::from_utf8(normalize(json.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn integers_lose_their_fraction_and_nothing_else_changes() {
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
            assert!(matches!(normalize(same.as_bytes()), Cow::Borrowed(_)), "{same}");
        }
    }

    proptest! {
        #[test]
        fn the_value_stays_the_same(json in "[-0-9.eE+\"\\\\, a]{0,40}") {
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
