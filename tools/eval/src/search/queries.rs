//! Queries, with what whoever asks them wants: written by hand, and made from the truth of walks.

use anyhow::Context;

use super::truth::GroundTruth;

/// Grade of a space that has all that is wanted, and of one that has half of it.
const RIGHT: u32 = 3;
const NEAR: u32 = 1;
/// Letters of a word of a sign that is typed with a slip.
const LONG: usize = 6;

/// A query.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) text: String,
    /// Each is met by any of its wishes.
    wants: Vec<Vec<Criterion>>,
}

/// Something that a space has or has not.
#[derive(Debug, Clone)]
enum Criterion {
    Room(String),
    /// So many, and no other number.
    Rooms(String, usize),
    Thing(String),
    /// So many, and no other number.
    Things(String, u32),
    /// Words that stand side by side.
    Words(String),
    Type(String),
}

impl Criterion {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let (kind, rest) = text.split_once(':').with_context(|| format!("{text} wants nothing"))?;
        let rest = rest.replace('_', " ");
        let counted = || rest.split_once('=').with_context(|| format!("{text} has no number"));
        Ok(match kind {
            "room" => Self::Room(rest),
            "rooms" => Self::Rooms(counted()?.0.to_owned(), counted()?.1.parse()?),
            "thing" => Self::Thing(rest),
            "things" => Self::Things(counted()?.0.to_owned(), counted()?.1.parse()?),
            "words" => Self::Words(rest),
            "type" => Self::Type(rest),
            other => anyhow::bail!("{other} is no criterion"),
        })
    }

    fn counts(&self) -> bool {
        matches!(self, Self::Rooms(..) | Self::Things(..))
    }

    fn holds(&self, truth: &GroundTruth) -> bool {
        match self {
            Self::Room(kind) => truth.rooms_of(kind) > 0,
            Self::Rooms(kind, number) => truth.rooms_of(kind) == *number,
            Self::Thing(name) => truth.things.contains_key(name),
            Self::Things(name, number) => truth.things.get(name) == Some(number),
            Self::Words(words) => truth.words.contains(words.as_str()),
            Self::Type(kind) => truth.space_type == *kind,
        }
    }
}

impl Query {
    /// How right a space is: a number that was asked for must be the number.
    pub(super) fn grade(&self, truth: &GroundTruth) -> u32 {
        let held = |want: &&Vec<Criterion>| want.iter().any(|criterion| criterion.holds(truth));
        let missed = self.wants.iter().any(|want| want.iter().any(Criterion::counts) && !held(&want));
        let met = self.wants.iter().filter(held).count();
        match met {
            _ if missed => 0,
            all if all == self.wants.len() => RIGHT,
            some if some * 2 >= self.wants.len() => NEAR,
            _ => 0,
        }
    }
}

/// The queries of `queries.tsv`.
pub(super) fn written() -> anyhow::Result<Vec<Query>> {
    let lines = include_str!("queries.tsv").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let query = |line: &str| {
        let (text, wants) = line.split_once('\t').with_context(|| format!("{line:?} has no tab"))?;
        let want = |want: &str| want.split('|').map(Criterion::parse).collect::<anyhow::Result<Vec<_>>>();
        let wants = wants.split_whitespace().map(want).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Query { text: text.to_owned(), wants })
    };
    lines.map(query).collect()
}

/// Queries that a walk can answer: a room by what stands in it, a sign as it is written, and a sign with a slip.
pub(super) fn of(truth: &GroundTruth) -> Vec<Query> {
    let mut out = Vec::new();
    for (kind, stands) in &truth.rooms {
        if let Some(thing) = stands.first() {
            let wants = vec![vec![Criterion::Room(kind.clone())], vec![Criterion::Thing(thing.clone())]];
            out.push(Query { text: format!("{kind} with a {thing}"), wants });
        }
    }
    for line in &truth.lines {
        let wants = vec![vec![Criterion::Words(line.to_lowercase())]];
        out.push(Query { text: line.to_lowercase(), wants });
        let long = |word: &&str| word.len() >= LONG && word.bytes().all(|b| b.is_ascii_uppercase());
        if let Some(word) = line.split_whitespace().find(long) {
            let word = word.to_lowercase();
            let slip = format!("{}{}", &word[..2], &word[3..]);
            out.push(Query { text: slip, wants: vec![vec![Criterion::Words(word)]] });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_come_from_what_is_true() {
        let all = written().unwrap();
        let of = |text: &str| all.iter().find(|query| query.text == text).unwrap();
        let truth = GroundTruth {
            space_type: "apartment".into(),
            rooms: vec![("kitchen".into(), vec!["oven".into()]), ("bedroom".into(), Vec::new())],
            things: [("oven".to_owned(), 1)].into(),
            lines: vec!["ROOM 206".into(), "RIVERSIDE HOUSE".into()],
            words: "fire exit | wlan: x".into(),
        };
        for (text, grade) in [
            ("kichen with an ovn", 3),
            ("television in the living room", 0),
            ("apartment with 2 bedrooms", 0),
            ("harbour view", 0),
            ("wifi", 3),
            ("guest wi-fi password", 0),
            ("fire exits", 3),
        ] {
            assert_eq!(of(text).grade(&truth), grade, "{text}");
        }
        let made: Vec<String> = super::of(&truth).into_iter().map(|query| query.text).collect();
        assert_eq!(made, ["kitchen with a oven", "room 206", "riverside house", "rierside"]);
        assert!(all.len() >= 80);
    }
}
