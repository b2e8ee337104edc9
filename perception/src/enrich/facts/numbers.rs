//! Parses numbers in digits, with the separators of a language, and in English or German words.

use domain::numbers;

use super::tokens::Token;

/// Languages in which a comma separates thousands and a point decimals.
const POINT_DECIMAL: &[&str] = &["en", "zh", "ja", "ko", "th", "he"];
/// Names of powers of ten in English.
const MAGNITUDES: [(&str, u64); 3] =
    [("thousand", 1_000), ("million", 1_000_000), ("billion", 1_000_000_000)];

/// Parses a number at the start of a list of tokens. Returns its value and the number of tokens.
pub(in crate::enrich) fn parse_number(tokens: &[Token], language: &str) -> Option<(f64, usize)> {
    let first = tokens.first()?;
    if first.is_digits() {
        return parse_digits(tokens, language);
    }
    match language {
        "de" => Some((german(&first.text)? as f64, 1)),
        "en" => english(tokens),
        _ => None,
    }
}

/// Parses digits, perhaps in groups of three after spaces ("1 200"), and a half ("2½").
fn parse_digits(tokens: &[Token], language: &str) -> Option<(f64, usize)> {
    let plain = |token: &Token| token.text.bytes().all(|b| b.is_ascii_digit());
    let mut used = 1;
    let mut text = tokens[0].text.clone();
    if plain(&tokens[0]) && text.len() <= 3 && !text.starts_with('0') {
        while tokens.get(used).is_some_and(|token| {
            plain(token) && token.text.len() == 3 && token.range.start == tokens[used - 1].range.end + 1
        }) {
            text.push_str(&tokens[used].text);
            used += 1;
        }
    }
    let mut value = parse_decimal(&text, language)?;
    if tokens.get(used).is_some_and(|token| token.text == "½") {
        value += 0.5;
        used += 1;
    }
    Some((value, used))
}

/// Parses a number with separators. A single separator before exactly three digits groups thousands
/// or starts decimals, depending on the language: `2.400` is 2400 in German and 2.4 in English.
fn parse_decimal(text: &str, language: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| !matches!(c, '\u{a0}' | '\u{202f}' | '\'' | '’')).collect();
    let separators: Vec<(usize, char)> =
        text.char_indices().filter(|(_, c)| matches!(c, '.' | ',')).collect();
    let Some((last, last_char)) = separators.last().copied() else { return finite(&text) };
    let kinds = separators.iter().filter(|(_, c)| *c == last_char).count();
    let decimals = text.len() - last - 1;
    let decimal = if kinds == separators.len() && kinds == 1 {
        let groups = last_char == if POINT_DECIMAL.contains(&language) { ',' } else { '.' };
        let ambiguous = decimals == 3 && last <= 3 && !text.starts_with('0');
        !(ambiguous && groups)
    } else {
        // The last of two kinds is the decimal one; several of one kind group thousands.
        kinds == 1
    };
    let (integer, fraction) = if decimal { (&text[..last], &text[last + 1..]) } else { (text.as_str(), "") };
    let mut groups = integer.split(['.', ',']);
    let leading = groups.next()?;
    let mut whole = leading.to_owned();
    for group in groups {
        if group.len() != 3 || leading.len() > 3 {
            return None;
        }
        whole.push_str(group);
    }
    finite(&format!("{whole}.{fraction}0"))
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Parses English words: "two hundred and forty thousand", "twenty-one", "two point six", "one and a
/// half".
fn english(tokens: &[Token]) -> Option<(f64, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let (whole, mut used) = english_integer(tokens)?;
    let mut value = whole as f64;
    if word(used) == "point" {
        let digits = (used + 1..).map_while(|at| numbers::value(word(at)).filter(|digit| *digit < 10));
        let digits: Vec<String> = digits.take(6).map(|digit| digit.to_string()).collect();
        if !digits.is_empty() {
            value = finite(&format!("{whole}.{}", digits.concat()))?;
            used += 1 + digits.len();
        }
    } else if word(used) == "and" && word(used + 1) == "a" && word(used + 2) == "half" {
        value += 0.5;
        used += 3;
    }
    Some((value, used))
}

/// Parses a cardinal number in English words. Returns its value and the number of tokens.
pub(in crate::enrich) fn english_integer(tokens: &[Token]) -> Option<(u64, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let (mut total, mut group, mut at) = (0_u64, 0_u64, 0);
    let mut smallest = u64::MAX;
    // Number of tokens up to the last one that belongs to the number.
    let mut used = 0;
    let article = matches!(word(0), "a" | "one") && (word(1) == "hundred" || is_magnitude(word(1)));
    if article {
        (group, at, used) = (1, 1, 1);
    }
    while at < tokens.len() {
        let next = word(at);
        if let Some(value) = numbers::value(next).map(u64::from) {
            let fits = match value {
                0 => used == 0,
                1..10 => group.is_multiple_of(10) && (group.is_multiple_of(100) || group % 100 >= 20),
                _ => group.is_multiple_of(100),
            };
            if !fits || (total == 0 && group == 0 && used > 0) {
                break;
            }
            group += value;
            if value == 0 {
                return Some((0, 1));
            }
        } else if next == "hundred" && (1..100).contains(&group) {
            group *= 100;
        } else if let Some((_, magnitude)) = MAGNITUDES.iter().find(|(name, _)| *name == next) {
            if group == 0 || *magnitude >= smallest {
                break;
            }
            total += group * magnitude;
            (group, smallest) = (0, *magnitude);
        } else if next == "-" && group >= 20 && group.is_multiple_of(10) && !group.is_multiple_of(100) {
            if !numbers::value(word(at + 1)).is_some_and(|ones| (1..10).contains(&ones)) {
                break;
            }
            at += 1;
            continue;
        } else if next == "and" && used > 0 && (word(at - 1) == "hundred" || is_magnitude(word(at - 1))) {
            if numbers::value(word(at + 1)).is_none_or(|value| value == 0) {
                break;
            }
            at += 1;
            continue;
        } else {
            break;
        }
        at += 1;
        used = at;
    }
    let only_article = article && used < 2;
    (used > 0 && !only_article).then_some((total + group, used))
}

fn is_magnitude(word: &str) -> bool {
    MAGNITUDES.iter().any(|(name, _)| *name == word)
}

/// Parses a German cardinal number, which is one word: "zweihundertvierzigtausend".
fn german(word: &str) -> Option<u64> {
    const SMALL: &[&str] = &[
        "null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
        "zwölf",
    ];
    const TEENS: [(&str, u64); 7] = [
        ("dreizehn", 13),
        ("vierzehn", 14),
        ("fünfzehn", 15),
        ("sechzehn", 16),
        ("siebzehn", 17),
        ("achtzehn", 18),
        ("neunzehn", 19),
    ];
    const TENS: [(&str, u64); 8] = [
        ("zwanzig", 20),
        ("dreißig", 30),
        ("vierzig", 40),
        ("fünfzig", 50),
        ("sechzig", 60),
        ("siebzig", 70),
        ("achtzig", 80),
        ("neunzig", 90),
    ];
    // "ein" alone is an article.
    if word == "eins" {
        return Some(1);
    }
    if word == "ein" {
        return None;
    }
    let small = |part: &str| SMALL.iter().position(|name| *name == part).map(|at| at as u64);
    let below_hundred = |part: &str| -> Option<u64> {
        let listed = TEENS.iter().chain(&TENS).find(|(name, _)| *name == part).map(|(_, value)| *value);
        listed.or_else(|| small(part)).or_else(|| (part == "eins").then_some(1)).or_else(|| {
            let (name, tens) = TENS.iter().find(|(name, _)| part.ends_with(name))?;
            let ones = part.strip_suffix(name)?.strip_suffix("und")?;
            Some(tens + small(ones).filter(|ones| (1..10).contains(ones))?)
        })
    };
    let below_thousand = |part: &str| -> Option<u64> {
        let Some((hundreds, rest)) = part.split_once("hundert") else { return below_hundred(part) };
        let hundreds = if hundreds.is_empty() { 1 } else { below_hundred(hundreds).filter(|n| *n < 20)? };
        let rest = rest.strip_prefix("und").unwrap_or(rest);
        Some(hundreds * 100 + if rest.is_empty() { 0 } else { below_hundred(rest)? })
    };
    match word.split_once("tausend") {
        None => below_thousand(word),
        Some((thousands, rest)) => {
            let thousands = if thousands.is_empty() { 1 } else { below_thousand(thousands)? };
            let rest = rest.strip_prefix("und").unwrap_or(rest);
            Some(thousands * 1000 + if rest.is_empty() { 0 } else { below_thousand(rest)? })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokenize;
    use super::*;

    fn parse(text: &str, language: &str) -> Option<(f64, usize)> {
        parse_number(&tokenize(text), language)
    }

    fn value(text: &str, language: &str) -> Option<f64> {
        parse(text, language).map(|(value, _)| value)
    }

    #[test]
    fn separators_depend_on_the_language() {
        for (text, language, expected) in [
            ("2.400", "de", 2400.0),
            ("2.400", "en", 2.4),
            ("2,400", "en", 2400.0),
            ("2,400", "de", 2.4),
            ("1 200", "fr", 1200.0),
            ("1\u{a0}200,5", "fr", 1200.5),
            ("1.200,50", "en", 1200.5),
            ("1,200.50", "de", 1200.5),
            ("1'200", "de", 1200.0),
            ("12,5", "en", 12.5),
            ("0.125", "de", 0.125),
            ("1.234.567", "en", 1_234_567.0),
            ("2½", "en", 2.5),
            ("74", "en", 74.0),
        ] {
            assert_eq!(value(text, language), Some(expected), "{text} in {language}");
        }
        for text in ["12.03.2021", "1.2.3", "1234,567,8", "m2", ""] {
            assert_eq!(value(text, "en"), None, "{text}");
        }
        assert_eq!(parse("12 20 m", "en"), Some((12.0, 1)), "groups have three digits");
    }

    #[test]
    fn reads_english_words() {
        for (text, expected, used) in [
            ("one hundred and twenty square metres", 120.0, 4),
            ("two hundred and forty thousand pounds", 240_000.0, 5),
            ("nine hundred and forty euros", 940.0, 4),
            ("twelve by ten feet", 12.0, 1),
            ("twenty-one", 21.0, 3),
            ("twenty five", 25.0, 2),
            ("a hundred", 100.0, 2),
            ("one thousand two hundred", 1200.0, 4),
            ("twelve hundred", 1200.0, 2),
            ("two point six metres", 2.6, 3),
            ("one and a half", 1.5, 4),
            ("one million three hundred thousand and five", 1_300_005.0, 7),
            ("three and four", 3.0, 1),
            ("nineteen eighty", 19.0, 1),
            ("one one", 1.0, 1),
        ] {
            assert_eq!(parse(text, "en"), Some((expected, used)), "{text}");
        }
        for text in ["hundred", "a room", "and five", "point five", "thousand"] {
            assert_eq!(parse(text, "en"), None, "{text}");
        }
    }

    #[test]
    fn reads_german_words() {
        for (text, expected) in [
            ("zwölf", 12.0),
            ("einundzwanzig", 21.0),
            ("hundertzwanzig", 120.0),
            ("einhundertzwanzig", 120.0),
            ("zweihundertvierzigtausend", 240_000.0),
            ("neunhundertvierzig", 940.0),
            ("tausendzweihundert", 1200.0),
            ("siebzehn", 17.0),
        ] {
            assert_eq!(value(text, "de"), Some(expected), "{text}");
        }
        for text in ["ein", "hunderte", "zimmer", "dreirad", "zwölf-eck2"] {
            let found = parse(text, "de").filter(|(_, used)| *used == tokenize(text).len());
            assert_eq!(found, None, "{text}");
        }
        assert_eq!(value("zwölf", "en"), None);
    }

    /// Spells out a number in English, with "and" after hundreds if asked.
    fn spell(number: u64, and: bool, hyphen: bool) -> String {
        let below_hundred = |n: u64| {
            let spelled = numbers::spell_out(n as usize);
            if hyphen { spelled.replace(' ', "-") } else { spelled }
        };
        let below_thousand = |n: u64| {
            let (hundreds, rest) = (n / 100, n % 100);
            match (hundreds, rest) {
                (0, rest) => below_hundred(rest),
                (hundreds, 0) => format!("{} hundred", below_hundred(hundreds)),
                (hundreds, rest) => format!(
                    "{} hundred {}{}",
                    below_hundred(hundreds),
                    if and { "and " } else { "" },
                    below_hundred(rest)
                ),
            }
        };
        let parts = [(1_000_000, "million"), (1_000, "thousand")];
        let mut rest = number;
        let mut out: Vec<String> = Vec::new();
        for (size, name) in parts {
            if rest >= size {
                out.push(format!("{} {name}", below_thousand(rest / size)));
                rest %= size;
            }
        }
        if rest > 0 || number == 0 {
            out.push(below_thousand(rest));
        }
        out.join(" ")
    }

    proptest::proptest! {
        #[test]
        fn numbers_survive_being_spelled_out(number in 0_u64..1_000_000_000, and: bool, hyphen: bool) {
            let text = spell(number, and, hyphen);
            let tokens = tokenize(&text);
            proptest::prop_assert_eq!(english_integer(&tokens), Some((number, tokens.len())), "{}", text);
        }

        #[test]
        fn numbers_survive_being_written_with_separators(number in 0_u64..1_000_000_000, cents in 0_u64..100) {
            let digits = number.to_string();
            let grouped = |separator: &str| {
                let start = digits.len() % 3;
                let mut groups: Vec<&str> = Vec::new();
                if start > 0 { groups.push(&digits[..start]); }
                groups.extend((start..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
                groups.join(separator)
            };
            let expected = format!("{number}.{cents:02}").parse().ok();
            let (english, german) = (format!("{}.{cents:02}", grouped(",")), format!("{},{cents:02}", grouped(".")));
            proptest::prop_assert_eq!(value(&english, "en"), expected);
            proptest::prop_assert_eq!(value(&german, "de"), expected);
            proptest::prop_assert_eq!(value(&grouped(" "), "fr"), Some(number as f64));
        }

        #[test]
        fn never_panics(text in "\\PC{0,60}", language in "en|de|fr") {
            if let Some((value, used)) = parse(&text, &language) {
                proptest::prop_assert!(value.is_finite() && used > 0);
            }
        }
    }
}
