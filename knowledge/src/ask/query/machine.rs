//! Writes the requests of programs in words: JSON, calls, and pairs of keys and values.
//!
//! `{"op": "price", "item": "rope"}`, `get_price(item="rope")` and `op=price; item=rope` all say "price
//! rope". Names of keys only structure a request, except those of a place. Names in values are split
//! into words.

use serde_json::Value;

/// Keys that name a place.
const PLACES: [&str; 7] = ["room", "location", "place", "area", "zone", "where", "site"];
/// Keys that hold the rest of a request.
const VERBS: [&str; 10] =
    ["get", "fetch", "lookup", "query", "find", "read", "ask", "request", "retrieve", "search"];
/// Values that ask if something exists, and how many there are.
const WHETHER: [&str; 7] = ["exists", "exist", "bool", "boolean", "has", "presence", "present"];
const COUNT: [&str; 2] = ["count", "quantity"];
/// Maximum depth of a request.
const DEPTH: usize = 4;

/// Returns the request in words; `None` for a question that isn't written by a program.
pub(super) fn in_words(text: &str) -> Option<String> {
    let text = text.trim();
    let pairs = as_json(text).or_else(|| as_call(text)).or_else(|| as_pairs(text))?;
    let mut asked: Vec<String> = Vec::new();
    let mut places: Vec<String> = Vec::new();
    for (key, value) in pairs {
        let words = split_name(&value);
        if words.is_empty() {
            continue;
        }
        if PLACES.contains(&key.as_str()) {
            places.push(words.join(" "));
        } else {
            asked.push(words.join(" "));
        }
    }
    // The verb of the request goes first.
    let at = |list: &[&str]| {
        asked.iter().position(|value| value.split(' ').next().is_some_and(|word| list.contains(&word)))
    };
    let opening = if let Some(at) = at(&WHETHER) {
        trim_first(&mut asked, at);
        "is there "
    } else if let Some(at) = at(&COUNT) {
        trim_first(&mut asked, at);
        "how many "
    } else {
        ""
    };
    let place = places.iter().map(|place| format!(" in the {place}")).collect::<String>();
    let words = asked.join(" ");
    (!words.trim().is_empty() || !place.is_empty()).then(|| format!("{opening}{}{place}", words.trim()))
}

fn trim_first(asked: &mut [String], at: usize) {
    let rest = asked[at].split_once(' ').map(|(_, rest)| rest.to_owned());
    asked[at] = rest.unwrap_or_default();
}

fn as_json(text: &str) -> Option<Vec<(String, String)>> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let mut out = Vec::new();
    leaves(&value, "", DEPTH, &mut out);
    Some(out)
}

fn leaves(value: &Value, key: &str, depth: usize, out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) if depth > 0 => {
            for (name, value) in fields {
                leaves(value, name, depth - 1, out);
            }
        }
        Value::Array(items) if depth > 0 => {
            items.iter().for_each(|item| leaves(item, key, depth - 1, out));
        }
        Value::String(text) => out.push((key.to_lowercase(), text.clone())),
        Value::Number(number) => out.push((key.to_lowercase(), number.to_string())),
        _ => {}
    }
}

/// "name(key=value, …)"
fn as_call(text: &str) -> Option<Vec<(String, String)>> {
    let (name, rest) = text.trim_end_matches(';').split_once('(')?;
    let arguments = rest.strip_suffix(')')?;
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let words = split_name(name);
    let words: Vec<String> = words.into_iter().filter(|word| !VERBS.contains(&word.as_str())).collect();
    let mut out = vec![(String::new(), words.join(" "))];
    out.extend(
        arguments
            .split(',')
            .map(|argument| pair(argument).unwrap_or_else(|| (String::new(), unquoted(argument)))),
    );
    is_name.then_some(out)
}

/// "key=value; key=value"
fn as_pairs(text: &str) -> Option<Vec<(String, String)>> {
    let pairs: Option<Vec<_>> =
        text.split([';', '&', '\n']).map(str::trim).filter(|part| !part.is_empty()).map(pair).collect();
    pairs.filter(|pairs| !pairs.is_empty())
}

fn pair(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once(['=', ':'])?;
    let key = key.trim().trim_matches(['"', '\'']);
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let assigned = text.contains('=');
    (is_key && assigned).then(|| (key.to_lowercase(), unquoted(value)))
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

/// Splits a name such as `door_code`, `door.code` or `doorCode` into words. Leaves text with spaces as it is, but for
/// the verbs of requests.
fn split_name(text: &str) -> Vec<String> {
    if text.contains(' ') {
        return vec![text.to_owned()];
    }
    let mut spaced = String::new();
    let mut lower = false;
    for c in text.chars() {
        if lower && c.is_uppercase() {
            spaced.push(' ');
        }
        lower = c.is_lowercase();
        spaced.push(if matches!(c, '_' | '.') && !spaced.ends_with(|c: char| c.is_ascii_digit()) {
            ' '
        } else {
            c
        });
    }
    let words = spaced.split_whitespace().map(str::to_lowercase);
    words
        .enumerate()
        .filter(|(at, word)| *at > 0 || !VERBS.contains(&word.as_str()))
        .map(|(_, word)| word)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_programs_are_written_in_words() {
        for (request, words) in [
            (r#"{"op": "price", "item": "rope"}"#, Some("price rope")),
            (
                r#"{"task": {"type": "count", "object": "buoy", "room": "boat shed"}}"#,
                Some("how many buoy in the boat shed"),
            ),
            (r#"{"check": "exists", "thing": "slipway"}"#, Some("is there slipway")),
            (r#"get_price(item="life jacket")"#, Some("price life jacket")),
            ("op=closing_time; day=sunday", Some("closing time sunday")),
            ("boatShed.openingHours", None),
            ("How much is the rope (10 m)?", None),
            ("Is the rate 5=five?", None),
            ("price: rope", None),
        ] {
            // The order of the fields of an object means nothing.
            let sorted = |text: &str| {
                let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
                words.sort();
                words
            };
            assert_eq!(in_words(request).as_deref().map(sorted), words.map(sorted), "{request}");
        }
    }
}
