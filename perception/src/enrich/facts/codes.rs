//! Numbers and codes that name something, and credentials: passwords, PINs and door codes.

use domain::document::FactKind;

use super::numbers::parse_number;
use super::phrase::{Found, Phrase};

/// Names of credentials, as words separated by spaces. Longer ones come first.
const CREDENTIALS: &[&str] = &[
    "wifi password",
    "wi - fi password",
    "wlan passwort",
    "door code",
    "access code",
    "gate code",
    "entry code",
    "alarm code",
    "key code",
    "safe code",
    "pin code",
    "wifi key",
    "wlan key",
    "network key",
    "password",
    "passwort",
    "kennwort",
    "passcode",
    "passphrase",
    "pin",
    "code",
    "pwd",
    "contraseña",
    "mot de passe",
    "parola d'ordine",
    "wachtwoord",
];
/// Names of networks. Their value is a credential only if it looks like one.
const NETWORKS: &[&str] = &["wifi", "wi - fi", "wlan", "wireless"];
/// Words between a name and its credential.
const LINKS: &[&str] = &[":", "=", "is", "ist", "-", "→"];
/// Words of notices about credentials, which are none.
const NOT_SECRETS: &[&str] = &[
    "required",
    "protected",
    "please",
    "here",
    "reset",
    "at",
    "on",
    "request",
    "pad",
    "your",
    "enter",
    "policy",
    "forgot",
    "needed",
    "the",
    "and",
    "of",
    "ask",
    "reception",
    "desk",
    "for",
    "in",
    "from",
    "only",
    "change",
    "by",
    "a",
    "not",
    "to",
    "conduct",
];
/// Things that are named by a number or a letter.
const LABELS: &[&str] = &[
    "room",
    "apartment",
    "apt",
    "flat",
    "unit",
    "suite",
    "floor",
    "level",
    "gate",
    "platform",
    "locker",
    "bay",
    "stand",
    "band",
    "zimmer",
    "raum",
    "wohnung",
    "etage",
    "stock",
    "chambre",
    "étage",
    "habitación",
    "camera",
    "table",
];
/// Longest code, in characters.
const MAX_CODE_CHARS: usize = 6;
/// Shortest credential that is only digits.
const MIN_SECRET_DIGITS: usize = 3;

/// Finds codes and credentials.
pub(super) fn find(phrase: &Phrase) -> Vec<Found> {
    let credentials = credentials(phrase);
    if credentials.is_empty() { codes(phrase) } else { credentials }
}

/// Returns the name of the credential that a line announces for the next line, such as "printer
/// pin". `None` for any other line.
pub(in crate::enrich) fn credential_label(text: &str) -> Option<String> {
    let phrase = Phrase::new(text, "en", false);
    let end = phrase.tokens.len();
    let end = end - usize::from(end > 0 && phrase.is(end - 1, &[":", "=", "-"]));
    let names = CREDENTIALS.iter().chain(NETWORKS);
    let names_credential = |at: usize| names.clone().any(|name| ends_with(&phrase, at, end, name));
    let plain = phrase.tokens[..end].iter().all(|token| !token.is_digits() && !token.is(NOT_SECRETS));
    (plain && (0..end).any(names_credential)).then(|| phrase.subject(0, end)).flatten()
}

fn ends_with(phrase: &Phrase, at: usize, end: usize, name: &str) -> bool {
    phrase.starts(at, name) && at + name.split(' ').count() == end
}

/// Returns true if a line looks like a secret: no spaces, and a digit or a sign within.
pub(in crate::enrich) fn looks_secret(text: &str) -> bool {
    let text = text.trim();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let signs = text.chars().filter(|c| matches!(c, '-' | '_' | '!' | '#' | '$' | '%' | '&' | '@')).count();
    let decimal =
        text.contains(['.', ',']) && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    let other = text.contains(char::is_whitespace) || text.contains([':', '€', '£']);
    !decimal && !other && text.chars().count() >= MIN_SECRET_DIGITS && digits + signs > 0
}

fn credentials(phrase: &Phrase) -> Vec<Found> {
    for at in 0..phrase.tokens.len() {
        let credential = CREDENTIALS.iter().find(|name| phrase.starts(at, name)).map(|name| (*name, false));
        let network = NETWORKS.iter().find(|name| phrase.starts(at, name)).map(|name| (*name, true));
        let Some((name, network)) = credential.or(network) else { continue };
        let mut start = at + name.split(' ').count();
        let linked = phrase.is(start, LINKS);
        while phrase.is(start, LINKS) {
            start += 1;
        }
        if start >= phrase.tokens.len() || (network && !linked) {
            continue;
        }
        let rest = phrase.text[phrase.tokens[start].range.start..].trim();
        // "Dress code: smart" is no secret.
        let word_counts = linked && !network && !matches!(name, "code" | "pin");
        let Some((secret, length)) = secret(phrase, start, rest, word_counts) else { continue };
        let subject = phrase.subject(phrase.clause(at).start, at + name.split(' ').count());
        let from = phrase.tokens[at].range.start;
        let to = phrase.tokens[start].range.start + length;
        return vec![Found::new(FactKind::Credential, subject, secret, from..to)];
    }
    Vec::new()
}

/// Returns the secret at the start of a text, and its length in bytes there. After a colon a plain
/// word may be one.
fn secret(phrase: &Phrase, start: usize, rest: &str, word_counts: bool) -> Option<(String, usize)> {
    if phrase.spoken
        && let Some((digits, used)) = spoken_digits(phrase, start)
    {
        let end = phrase.tokens[start + used - 1].range.end - phrase.tokens[start].range.start;
        return Some((digits, end));
    }
    let first = rest.split_whitespace().next()?;
    let secret = first.trim_end_matches(['.', ',', ';', '!', '"', ')']);
    let last = rest.split_whitespace().count() == 1;
    let plain = secret.chars().all(char::is_alphabetic);
    let notice = NOT_SECRETS.contains(&secret.to_lowercase().as_str());
    let counts = looks_secret(secret) || (plain && word_counts && last && secret.chars().count() >= 4);
    (counts && !notice).then(|| (secret.to_owned(), secret.len()))
}

/// Parses digits that are spoken one by one: "four four one seven".
fn spoken_digits(phrase: &Phrase, start: usize) -> Option<(String, usize)> {
    let digit = |at: usize| domain::numbers::value(phrase.word(at)).filter(|digit| *digit < 10);
    let digits: String = (start..).map_while(digit).map(|digit| digit.to_string()).collect();
    (digits.len() >= MIN_SECRET_DIGITS).then(|| {
        let used = digits.len();
        (digits, used)
    })
}

fn codes(phrase: &Phrase) -> Vec<Found> {
    let mut out = Vec::new();
    for at in 0..phrase.tokens.len() {
        if !phrase.is(at, LABELS) {
            continue;
        }
        let start = at + 1 + usize::from(phrase.is(at + 1, &["no", "nr", "number", "#", ":"]));
        let start = start + usize::from(start > at + 1 && phrase.word(start) == ".");
        let Some((value, end)) = code(phrase, start) else { continue };
        out.push(Found::new(FactKind::Code, Some(phrase.word(at).to_owned()), value, phrase.range(at, end)));
    }
    out
}

/// Parses a code: digits, perhaps with a letter, or on a sign a single letter.
fn code(phrase: &Phrase, at: usize) -> Option<(String, usize)> {
    let token = phrase.tokens.get(at)?;
    let raw = &phrase.text[token.range.clone()];
    if token.is_digits() {
        let glued =
            phrase.tokens.get(at + 1).filter(|next| next.range.start == token.range.end && next.is_word());
        let letter = glued.map_or("", |next| &phrase.text[next.range.clone()]);
        let value = format!("{raw}{letter}");
        let fits =
            letter.chars().count() <= 1 && value.chars().count() <= MAX_CODE_CHARS && !raw.contains(',');
        return fits.then(|| (value, at + 1 + usize::from(glued.is_some())));
    }
    let single = raw.chars().count() == 1 && raw.chars().all(char::is_uppercase);
    let alphanumeric = raw.chars().any(|c| c.is_ascii_digit()) && raw.chars().count() <= MAX_CODE_CHARS;
    if (single && !(phrase.spoken && matches!(raw, "A" | "I"))) || alphanumeric {
        return Some((raw.to_owned(), at + 1));
    }
    let (value, used) = parse_number(phrase.tokens.get(at..)?, phrase.language).filter(|_| phrase.spoken)?;
    (value.fract() == 0.0).then(|| (format!("{value:.0}"), at + used))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, spoken: bool) -> Vec<(FactKind, String)> {
        find(&Phrase::new(text, "en", spoken)).into_iter().map(|found| (found.kind, found.value)).collect()
    }

    #[test]
    fn finds_credentials() {
        for (text, spoken, secret) in [
            ("PASSWORD: sunny-day", false, "sunny-day"),
            ("Door code 7731", false, "7731"),
            ("WIFI: river42", false, "river42"),
            ("Passwort: Sommer", false, "Sommer"),
            ("the alarm code is six two nine one", true, "6291"),
            ("PIN 0420", false, "0420"),
        ] {
            assert_eq!(found(text, spoken), [(FactKind::Credential, secret.to_owned())], "{text}");
        }
    }

    #[test]
    fn notices_about_credentials_are_none() {
        for text in [
            "PASSWORD REQUIRED",
            "Enter your PIN here",
            "WIFI: GUEST",
            "Free wifi",
            "Dress code: smart",
            "code of conduct",
            "WIFI PASSWORD AT RECEPTION",
        ] {
            let secrets = found(text, false).into_iter().filter(|(kind, _)| *kind == FactKind::Credential);
            assert_eq!(secrets.count(), 0, "{text}");
        }
    }

    #[test]
    fn a_label_announces_the_credential_of_the_next_line() {
        assert_eq!(credential_label("SAFE CODE").as_deref(), Some("safe code"));
        assert_eq!(credential_label("Wifi:").as_deref(), Some("wifi"));
        assert_eq!((credential_label("FREE ENTRY"), credential_label("ENTER PIN HERE")), (None, None));
        assert!(looks_secret("9137") && looks_secret("blue-fox") && looks_secret("rose77"));
        assert!(
            !looks_secret("Welcome")
                && !looks_secret("2.50")
                && !looks_secret("22:00")
                && !looks_secret("A 1")
        );
    }

    #[test]
    fn finds_codes() {
        for (text, spoken, code) in [
            ("ROOM 118", false, "118"),
            ("Gate B", false, "B"),
            ("Flat 4b", false, "4b"),
            ("this is room three hundred and five", true, "305"),
            ("Platform No. 7", false, "7"),
        ] {
            assert_eq!(found(text, spoken), [(FactKind::Code, code.to_owned())], "{text}");
        }
        for text in ["room service", "the table is new", "floor plan", "a room with a view"] {
            assert!(found(text, true).is_empty(), "{text}");
        }
    }
}
