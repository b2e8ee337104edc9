//! Prices, with and without a currency sign.

use domain::document::FactKind;

use super::numbers::parse_number;
use super::phrase::{Found, Phrase};

/// Currencies with their signs, codes and names.
const CURRENCIES: &[(&str, &[&str])] = &[
    ("EUR", &["€", "eur", "euro", "euros"]),
    ("USD", &["$", "usd", "dollars", "dollar"]),
    ("GBP", &["£", "gbp", "pounds", "pound", "quid"]),
    ("CHF", &["chf", "francs", "franken"]),
    ("JPY", &["¥", "yen", "jpy"]),
];
/// Periods with their names.
const PERIODS: &[(&str, &[&str])] = &[
    ("hour", &["hour", "stunde", "heure", "hora", "ora", "uur", "hourly"]),
    ("day", &["day", "tag", "jour", "día", "giorno", "dag", "daily"]),
    ("night", &["night", "nacht", "nuit", "noche", "notte", "nightly"]),
    ("week", &["week", "woche", "semaine", "semana", "settimana", "pw", "weekly"]),
    (
        "month",
        &["month", "monat", "mois", "mes", "mese", "maand", "mês", "pm", "pcm", "monthly", "monatlich"],
    ),
    ("year", &["year", "annum", "jahr", "an", "année", "año", "anno", "jaar", "pa", "yearly", "annually"]),
];
/// Words between an amount and its period.
const PER: &[&str] = &["a", "per", "/", "each", "every", "pro", "im", "par", "al", "por", "je", "calendar"];
/// Words for amounts of money. A number after one of them is a price without a currency.
const PRICE_WORDS: &[&str] = &[
    "price",
    "cost",
    "costs",
    "rent",
    "fee",
    "fees",
    "deposit",
    "charge",
    "charges",
    "miete",
    "kaltmiete",
    "warmmiete",
    "kaution",
    "preis",
    "kostet",
    "prix",
    "loyer",
    "coûte",
    "precio",
    "alquiler",
    "fianza",
    "cuesta",
    "prezzo",
    "affitto",
    "costa",
    "huur",
    "prijs",
    "kost",
    "preço",
    "aluguel",
    "eintritt",
];
/// Words between a price word and its number.
const LINKS: &[&str] =
    &["is", "are", "of", ":", "=", "at", "about", "only", "now", "beträgt", "ist", "est", "es"];
/// Words of texts whose decimals are times, dates or versions.
const NOT_PRICES: &[&str] = &[
    "open", "opening", "closed", "hours", "from", "until", "till", "to", "uhr", "am", "pm", "h", "version",
    "v", "tel", "phone", "quiet", "after", "before", "at", "mon", "room",
];
/// Words between a subject and its price.
const VERBS: &[&str] =
    &["is", "are", "costs", "cost", "kostet", "kosten", "beträgt", "ist", "est", "coûte", "cuesta"];

/// Finds prices.
pub(super) fn find(phrase: &Phrase) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    let (mut at, mut free_from) = (0, 0);
    while at < phrase.tokens.len() {
        let found = with_currency(phrase, at).or_else(|| after_price_word(phrase, at));
        let Some((amount, unit, end)) = found.or_else(|| bare(phrase, at)) else {
            at += 1;
            continue;
        };
        let (period, stop) = period(phrase, end);
        let value =
            if unit.is_empty() { number_text(amount) } else { format!("{} {unit}", number_text(amount)) };
        out.push(Found {
            amount: Some(amount),
            unit: (!unit.is_empty()).then_some(unit),
            period,
            ..Found::new(FactKind::Price, subject(phrase, free_from, at), value, phrase.range(at, stop))
        });
        (at, free_from) = (stop, stop);
    }
    out
}

/// Writes an amount without needless decimals: `940`, `2.49`.
fn number_text(amount: f64) -> String {
    if amount.fract() == 0.0 { format!("{amount:.0}") } else { format!("{amount:.2}") }
}

fn currency(phrase: &Phrase, at: usize) -> Option<&'static str> {
    CURRENCIES.iter().find(|(_, names)| phrase.is(at, names)).map(|(code, _)| *code)
}

/// Parses an amount with its currency before or after it. Returns amount, currency and end.
fn with_currency(phrase: &Phrase, at: usize) -> Option<(f64, &'static str, usize)> {
    let before = currency(phrase, at).filter(|_| phrase.word(at).chars().count() <= 3);
    let start = at + usize::from(before.is_some());
    let (mut amount, used) = parse_number(phrase.tokens.get(start..)?, phrase.language)?;
    let mut end = start + used;
    if before.is_some() || currency(phrase, end + 1).is_some() {
        let glued = phrase.tokens.get(end).is_some_and(|k| k.range.start == phrase.tokens[end - 1].range.end);
        if phrase.word(end) == "k" && glued {
            amount *= 1000.0;
            end += 1;
        }
    }
    match before {
        Some(unit) => Some((amount, unit, end)),
        // "Five pounds of flour" is a weight.
        None => currency(phrase, end)
            .filter(|unit| !(*unit == "GBP" && phrase.word(end + 1) == "of"))
            .map(|unit| (amount, unit, end + 1)),
    }
}

/// Parses a number after a word for an amount of money, unless another unit follows.
fn after_price_word(phrase: &Phrase, at: usize) -> Option<(f64, &'static str, usize)> {
    let mut before = at;
    while before > 0 && phrase.is(before - 1, LINKS) {
        before -= 1;
    }
    (before > 0 && phrase.is(before - 1, PRICE_WORDS)).then_some(())?;
    let (amount, used) = parse_number(&phrase.tokens[at..], phrase.language)?;
    let end = at + used;
    let ends = phrase.tokens.get(end).is_none_or(|next| !next.is_word() && next.text != "%");
    (ends || period(phrase, end).0.is_some()).then_some((amount, "", end))
}

/// Parses a number with two decimals that ends a text in a picture, after the name of what it buys.
fn bare(phrase: &Phrase, at: usize) -> Option<(f64, &'static str, usize)> {
    let text = phrase.word(at);
    let (whole, cents) = text.split_once(['.', ','])?;
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let decimal = digits(whole) && digits(cents) && cents.len() == 2 && whole.len() <= 4;
    let named = phrase.tokens[..at].iter().any(|token| token.is_word() && token.text.chars().count() >= 3);
    let is_price =
        !phrase.spoken && decimal && at + 1 == phrase.tokens.len() && named && !phrase.has(NOT_PRICES);
    is_price.then_some((format!("{whole}.{cents}").parse().ok()?, "", at + 1))
}

/// Returns the period after an amount, and its end.
fn period(phrase: &Phrase, end: usize) -> (Option<&'static str>, usize) {
    let mut at = end;
    while phrase.is(at, PER) {
        at += 1;
    }
    let named = PERIODS.iter().find(|(_, names)| phrase.is(at, names)).map(|(name, _)| *name);
    // "An" is a year in French only after "par".
    let fits = at > end || phrase.word(at) != "an";
    match named.filter(|_| fits) {
        Some(name) => (Some(name), at + 1),
        None => (None, end),
    }
}

/// Returns the thing that is paid for: the subject of the verb before the price, the word for an
/// amount of money, or on a sign the words before the price.
fn subject(phrase: &Phrase, free_from: usize, at: usize) -> Option<String> {
    let start = phrase.clause(at).start.max(free_from);
    if let Some(verb) = (start..at).rev().find(|verb| phrase.is(*verb, VERBS))
        && let Some(subject) = phrase.subject(start, verb)
    {
        return Some(subject);
    }
    if phrase.spoken {
        return (start..at)
            .rev()
            .find(|word| phrase.is(*word, PRICE_WORDS))
            .map(|at| phrase.word(at).to_owned());
    }
    phrase.subject(free_from, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns amount, currency, period and subject of each price.
    fn prices(text: &str, language: &str, spoken: bool) -> Vec<String> {
        find(&Phrase::new(text, language, spoken))
            .into_iter()
            .map(|found| {
                let parts = [Some(found.value), found.period.map(str::to_owned), found.subject];
                parts.into_iter().flatten().collect::<Vec<_>>().join(" | ")
            })
            .collect()
    }

    #[test]
    fn finds_prices() {
        for (text, language, spoken, expected) in [
            ("The rent is eight hundred and ten euros a month.", "en", true, &["810 EUR | month | rent"][..]),
            ("It sold for two hundred and forty thousand pounds", "en", true, &["240000 GBP"]),
            ("The deposit is 1,500", "en", true, &["1500 | deposit"]),
            ("£240k", "en", false, &["240000 GBP"]),
            ("Espresso 2,20 €", "de", false, &["2.20 EUR | espresso"]),
            ("Miete: 1.200 € im Monat", "de", false, &["1200 EUR | month | miete"]),
            ("$15 per night", "en", false, &["15 USD | night"]),
            ("PLUMS 3.25", "en", false, &["3.25 | plums"]),
            ("Kaffee 2,80", "de", false, &["2.80 | kaffee"]),
            ("Entry fee 12", "en", false, &["12 | entry fee"]),
            ("Tea £2.10 Cake £3.50", "en", false, &["2.10 GBP | tea", "3.50 GBP | cake"]),
            ("CHF 35.– pro Tag", "de", false, &["35 CHF"]),
            ("loyer 900 euros par mois", "fr", false, &["900 EUR | month | loyer"]),
        ] {
            assert_eq!(prices(text, language, spoken), expected, "{text}");
        }
    }

    #[test]
    fn other_numbers_are_no_prices() {
        for (text, spoken) in [
            ("Room 204", false),
            ("OPEN 9.30", false),
            ("9.30", false),
            ("five pounds of flour", true),
            ("It is two point six metres high", true),
            ("twelve chairs", true),
            ("the cost is high", true),
            ("rent 3 rooms", false),
            ("fee 10 %", false),
            ("VERSION 2.10", false),
            ("Lisbon 1998", false),
            ("it was 2.50", true),
        ] {
            assert!(prices(text, "en", spoken).is_empty(), "{text}: {:?}", prices(text, "en", spoken));
        }
    }
}
