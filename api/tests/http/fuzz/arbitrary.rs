//! Generators of hostile text, bytes and JSON.

use proptest::prelude::*;
use serde_json::{Number, Value, json};

/// Text that is known to break programs.
const TEXTS: &[&str] = &[
    "",
    " ",
    "\0",
    "a\0b",
    "\n",
    "\r\nSet-Cookie: a=b",
    "\u{feff}",
    "\u{202e}txt.exe",
    "\u{200d}",
    "e\u{301}",
    "👩‍👩‍👧‍👦",
    "𒐫",
    "\u{fffd}",
    "\u{10ffff}",
    "' OR 1=1 --",
    "%00",
    "%s%n",
    "${jndi:ldap://x}",
    "{{7*7}}",
    "<script>alert(1)</script>",
    "../../../etc/passwd",
    "null",
    "true",
    "-1",
    "1e400",
    "9223372036854775808",
    "NaN",
    "2026-02-30T25:61:61Z",
];

/// Any text, sometimes a hostile one.
pub(super) fn text() -> BoxedStrategy<String> {
    prop_oneof![
        3 => prop::sample::select(TEXTS).prop_map(str::to_owned),
        3 => ".{0,40}",
        1 => "\\PC{0,300}",
        1 => (prop::sample::select(TEXTS), 50..400usize).prop_map(|(text, times)| text.repeat(times)),
    ]
    .boxed()
}

/// Bytes that a header can contain.
pub(super) fn header() -> BoxedStrategy<Vec<u8>> {
    prop_oneof![
        prop::collection::vec(prop_oneof![32..=126u8, 128..=255u8, Just(9u8)], 0..80),
        text().prop_map(|text| text.bytes().filter(|b| *b == 9 || (*b >= 32 && *b != 127)).collect()),
    ]
    .boxed()
}

/// Any JSON.
pub(super) fn json() -> BoxedStrategy<Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|n| Number::from_f64(n).map_or(Value::Null, Value::Number)),
        prop::sample::select(vec![
            json!(-1),
            json!(0),
            json!(-0.0),
            json!(1.5),
            json!(1e308),
            json!(9_007_199_254_740_993_u64)
        ]),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
    .boxed()
}

/// Bytes that are almost JSON.
pub(super) fn not_quite_json() -> BoxedStrategy<Vec<u8>> {
    let nested = ["[", "{\"a\":", "[{\"a\":", "\"\\"];
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        json().prop_map(|value| {
            let mut text = value.to_string().into_bytes();
            text.pop();
            text
        }),
        json().prop_map(|value| format!("{value}{value}").into_bytes()),
        (prop::sample::select(nested.to_vec()), 100..3000usize)
            .prop_map(|(part, times)| part.repeat(times).into_bytes()),
        Just(b"{\"name\":\"a\",\"name\":\"b\"}".to_vec()),
        Just(b"\xef\xbb\xbf{}".to_vec()),
        Just(b"{\"name\":\"\xff\"}".to_vec()),
        Just(b"{\"name\":\"\\ud800\"}".to_vec()),
    ]
    .boxed()
}
