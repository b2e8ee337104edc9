//! Amenities of a space, and what is allowed in it.

use domain::document::FactKind;

use super::phrase::{Found, Phrase};
use super::polarity::is_negated;

/// Amenities with their names, as words separated by spaces.
const AMENITIES: &[(&str, &[&str])] = &[
    ("parking", &["parking", "parking space", "car park", "parkplatz", "stellplatz"]),
    ("lift", &["lift", "elevator", "aufzug", "ascenseur", "ascensor", "ascensore"]),
    ("wifi", &["wifi", "wi - fi", "wlan"]),
    ("air conditioning", &["air conditioning", "air con", "klimaanlage", "climatisation"]),
    ("underfloor heating", &["underfloor heating", "fußbodenheizung"]),
    ("central heating", &["central heating", "zentralheizung"]),
    ("swimming pool", &["swimming pool", "pool", "schwimmbad", "piscine", "piscina"]),
    ("sauna", &["sauna"]),
    ("fireplace", &["fireplace", "kamin", "cheminée"]),
    ("gym", &["gym"]),
    ("dishwasher", &["dishwasher", "spülmaschine", "lave vaisselle"]),
    ("washing machine", &["washing machine", "waschmaschine"]),
    ("dryer", &["dryer", "tumble dryer", "trockner"]),
    ("storage room", &["storage room", "cellar compartment"]),
    ("bicycle storage", &["bike storage", "bicycle storage", "bike room"]),
    ("charging point", &["charging point", "charging station", "ev charger"]),
    ("balcony", &["balcony", "balkon", "balcon"]),
    ("garden", &["garden", "garten", "jardin"]),
    ("terrace", &["terrace", "terrasse", "terraza"]),
    ("alarm", &["alarm system", "burglar alarm", "alarmanlage"]),
];
/// Words that state the existence of what follows.
const EXISTING: &[&str] = &[
    "has", "have", "had", "is", "are", "there's", "got", "offers", "offer", "with", "hat", "gibt", "mit",
    "avec", "con", "no", "without", "free",
];
/// Words that may stand on a sign beside the name of an amenity.
const BESIDE: &[&str] = &[
    "free",
    "guest",
    "available",
    "here",
    "only",
    "private",
    "no",
    "not",
    "sorry",
    "customer",
    "kostenlos",
    "gratis",
    "gratuit",
    "our",
    "with",
];
/// Words of statements about the amenity of another place.
const ELSEWHERE: &[&str] = &["nearby", "near", "next", "opposite", "neighbour", "neighbours"];
/// Activities and guests that notices allow or forbid.
const SUBJECTS: &[(&str, &[&str])] = &[
    ("smoking", &["smoking", "rauchen", "fumer", "fumar", "fumare", "roken"]),
    ("pets", &["pets", "animals", "haustiere", "tiere", "animaux", "mascotas", "animali"]),
    ("dogs", &["dogs", "hunde", "chiens", "perros", "cani"]),
    ("parking", &["parking", "parken", "stationnement"]),
    ("photography", &["photography", "photos", "pictures", "fotografieren", "filming"]),
    ("food", &["food", "eating", "essen"]),
    ("drinks", &["drinks", "drinking", "trinken"]),
    ("entry", &["entry", "admittance", "trespassing", "zutritt", "eintritt", "entrance"]),
    ("shoes", &["shoes", "schuhe"]),
    ("children", &["children", "kids", "kinder"]),
    ("swimming", &["swimming", "diving", "running", "schwimmen"]),
    ("parties", &["parties", "party"]),
    ("phones", &["phones", "mobile phones", "handys"]),
    ("bicycles", &["bicycles", "bikes", "fahrräder", "cycling"]),
];
const ALLOWING: &[&str] =
    &["allowed", "permitted", "welcome", "erlaubt", "gestattet", "autorisé", "permitido", "ok", "okay"];
const FORBIDDING: &[&str] = &[
    "prohibited",
    "forbidden",
    "banned",
    "verboten",
    "untersagt",
    "interdit",
    "interdite",
    "prohibido",
    "vietato",
];
const NO_WORDS: &[&str] = &["no", "kein", "keine", "keinen", "défense", "no.", "pas"];

/// Finds rules, and amenities where no rule is.
pub(super) fn find(phrase: &Phrase) -> Vec<Found> {
    let rules = rules(phrase);
    if rules.is_empty() { amenities(phrase) } else { rules }
}

/// Returns the entry of a table whose name starts at a token, with the end of the longest name.
fn named(phrase: &Phrase, at: usize, table: &[(&'static str, &[&str])]) -> Option<(&'static str, usize)> {
    table
        .iter()
        .flat_map(|(name, names)| names.iter().map(move |other| (*name, *other)))
        .filter(|(_, other)| phrase.starts(at, other))
        .max_by_key(|(_, other)| other.len())
        .map(|(name, other)| (name, at + other.split(' ').count()))
}

fn rules(phrase: &Phrase) -> Vec<Found> {
    let mut out = Vec::new();
    for at in 0..phrase.tokens.len() {
        let Some((name, end)) = named(phrase, at, SUBJECTS) else { continue };
        let clause = phrase.clause(at);
        let after = || end..clause.end;
        let allowed = after().any(|word| phrase.is(word, ALLOWING));
        let forbidden = after().any(|word| phrase.is(word, FORBIDDING));
        let refused = at > 0 && phrase.is(at - 1, NO_WORDS);
        let negated = is_negated(phrase, clause.clone());
        // "No parking nearby" tells about the place, not about a rule.
        let bare = refused && (!phrase.spoken || forbidden || allowed) && end == clause.end;
        if !(allowed || forbidden || bare) {
            continue;
        }
        let permitted = (allowed && !negated) || (forbidden && negated && !refused);
        out.push(Found {
            negated: !permitted,
            ..Found::new(FactKind::Rule, None, name, phrase.range(clause.start, clause.end))
        });
    }
    out
}

fn amenities(phrase: &Phrase) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    let mut at = 0;
    while at < phrase.tokens.len() {
        let Some((name, end)) = named(phrase, at, AMENITIES) else {
            at += 1;
            continue;
        };
        let clause = phrase.clause(at);
        let ends = phrase.tokens.get(end).is_none_or(|next| {
            !next.is_word()
                || next.is(&["and", "in", "with", "on", "for", "is", "available", "but", "or", "here", "too"])
        });
        let stated = if phrase.spoken {
            (clause.start..at).any(|word| phrase.is(word, EXISTING))
                || (end..clause.end).any(|word| phrase.is(word, &["available", "included"]))
        } else {
            let others = (clause.start..at).chain(end..clause.end);
            others.into_iter().all(|word| phrase.is(word, BESIDE) || !phrase.tokens[word].is_word())
                && phrase.tokens[clause.start..clause.end]
                    .iter()
                    .all(|token| !token.is_digits() && token.text != ":")
        };
        let elsewhere = clause.clone().any(|word| phrase.is(word, ELSEWHERE));
        if stated && ends && !elsewhere && out.iter().all(|known| known.value != name) {
            out.push(Found {
                negated: is_negated(phrase, clause.clone()),
                ..Found::new(FactKind::Amenity, None, name, phrase.range(clause.start, clause.end))
            });
        }
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, spoken: bool) -> Vec<String> {
        let all = find(&Phrase::new(text, "en", spoken));
        let sign = |negated| if negated { '-' } else { '+' };
        all.into_iter().map(|found| format!("{}{}", sign(found.negated), found.value)).collect()
    }

    #[test]
    fn finds_amenities() {
        for (text, spoken, expected) in [
            ("The house has a lift and a sauna.", true, "+lift"),
            ("There is no elevator", true, "-lift"),
            ("The flat has underfloor heating", true, "+underfloor heating"),
            ("FREE WIFI", false, "+wifi"),
            ("There's a fireplace in here", true, "+fireplace"),
            ("We don't have a dishwasher", true, "-dishwasher"),
        ] {
            assert_eq!(found(text, spoken).first().map(String::as_str), Some(expected), "{text}");
        }
    }

    #[test]
    fn finds_rules() {
        for (text, spoken, expected) in [
            ("NO SMOKING", false, "-smoking"),
            ("Pets are welcome", true, "+pets"),
            ("Dogs are not allowed", true, "-dogs"),
            ("Rauchen verboten", false, "-smoking"),
            ("PHOTOGRAPHY PROHIBITED", false, "-photography"),
            ("No parking", false, "-parking"),
        ] {
            assert_eq!(found(text, spoken), [expected], "{text}");
        }
    }

    #[test]
    fn other_texts_state_no_amenity_and_no_rule() {
        for (text, spoken) in [
            ("The garden centre opens soon", true),
            ("WIFI: GUEST", false),
            ("the smoking room", true),
            ("There is a pool nearby", true),
            ("Lift the lid", false),
            ("food and drinks", false),
            ("parking attendant wanted", false),
        ] {
            assert!(found(text, spoken).is_empty(), "{text}: {:?}", found(text, spoken));
        }
    }
}
