//! Queries with their relevance criteria: written by hand in `queries.tsv`, and made from the
//! ground truth.

use anyhow::Context;

use super::ground_truth::GroundTruth;

/// Grade of a space that meets all criteria.
const FULLY_RELEVANT: u32 = 3;
/// Grade of a space that meets half of the criteria.
const PARTLY_RELEVANT: u32 = 1;
/// Minimum number of letters of a word that is queried with a typing error.
const MIN_MISSPELLED_LENGTH: usize = 6;

/// A query with its relevance criteria.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) text: String,
    /// Each is met if any of its alternatives is.
    criteria: Vec<Vec<Criterion>>,
}

/// A condition that a space meets or not.
#[derive(Debug, Clone)]
enum Criterion {
    Room(String),
    /// Exactly this number.
    Rooms(String, usize),
    Object(String),
    /// Exactly this number.
    Objects(String, u32),
    /// Words in this order.
    Words(String),
    Type(String),
}

impl Criterion {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let (kind, rest) =
            text.split_once(':').with_context(|| format!("the criterion {text} has no kind"))?;
        let rest = rest.replace('_', " ");
        let counted = || rest.split_once('=').with_context(|| format!("the criterion {text} has no number"));
        Ok(match kind {
            "room" => Self::Room(rest),
            "rooms" => Self::Rooms(counted()?.0.to_owned(), counted()?.1.parse()?),
            "object" => Self::Object(rest),
            "objects" => Self::Objects(counted()?.0.to_owned(), counted()?.1.parse()?),
            "words" => Self::Words(rest),
            "type" => Self::Type(rest),
            other => anyhow::bail!("{other} is not a kind of criterion"),
        })
    }

    fn is_count(&self) -> bool {
        matches!(self, Self::Rooms(..) | Self::Objects(..))
    }

    fn is_met_by(&self, truth: &GroundTruth) -> bool {
        match self {
            Self::Room(kind) => truth.rooms_of(kind) > 0,
            Self::Rooms(kind, number) => truth.rooms_of(kind) == *number,
            Self::Object(name) => truth.objects.contains_key(name),
            Self::Objects(name, number) => truth.objects.get(name) == Some(number),
            Self::Words(words) => truth.words.contains(words.as_str()),
            Self::Type(kind) => truth.space_type == *kind,
        }
    }
}

impl Query {
    /// A query to which no space is relevant.
    #[cfg(test)]
    pub(super) fn for_nothing(text: &str) -> Query {
        Query { text: text.to_owned(), criteria: vec![vec![Criterion::Type("nothing".to_owned())]] }
    }

    /// Grades the relevance of a space. A criterion with a number has to be met.
    pub(super) fn grade(&self, truth: &GroundTruth) -> u32 {
        let is_met =
            |alternatives: &&Vec<Criterion>| alternatives.iter().any(|criterion| criterion.is_met_by(truth));
        let wrong_count = self
            .criteria
            .iter()
            .any(|alternatives| alternatives.iter().any(Criterion::is_count) && !is_met(&alternatives));
        let met = self.criteria.iter().filter(is_met).count();
        match met {
            _ if wrong_count => 0,
            all if all == self.criteria.len() => FULLY_RELEVANT,
            some if some * 2 >= self.criteria.len() => PARTLY_RELEVANT,
            _ => 0,
        }
    }
}

/// Returns the queries of `queries.tsv`.
pub(super) fn written() -> anyhow::Result<Vec<Query>> {
    let lines = include_str!("queries.tsv").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let query = |line: &str| {
        let (text, criteria) = line.split_once('\t').with_context(|| format!("{line:?} has no tab"))?;
        let alternatives =
            |text: &str| text.split('|').map(Criterion::parse).collect::<anyhow::Result<Vec<_>>>();
        let criteria = criteria.split_whitespace().map(alternatives).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Query { text: text.to_owned(), criteria })
    };
    lines.map(query).collect()
}

/// Makes queries for a space: a room by an object in it, a sign as it is written, and a sign with a
/// typing error.
pub(super) fn queries_for(truth: &GroundTruth) -> Vec<Query> {
    let mut out = Vec::new();
    for (kind, objects) in &truth.rooms {
        if let Some(object) = objects.first() {
            let criteria = vec![vec![Criterion::Room(kind.clone())], vec![Criterion::Object(object.clone())]];
            out.push(Query { text: format!("{kind} with a {object}"), criteria });
        }
    }
    for line in &truth.lines {
        let criteria = vec![vec![Criterion::Words(line.to_lowercase())]];
        out.push(Query { text: line.to_lowercase(), criteria });
        let long =
            |word: &&str| word.len() >= MIN_MISSPELLED_LENGTH && word.bytes().all(|b| b.is_ascii_uppercase());
        if let Some(word) = line.split_whitespace().find(long) {
            let word = word.to_lowercase();
            let misspelled = format!("{}{}", &word[..2], &word[3..]);
            out.push(Query { text: misspelled, criteria: vec![vec![Criterion::Words(word)]] });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_follow_from_the_ground_truth() {
        let all = written().unwrap();
        let of = |text: &str| all.iter().find(|query| query.text == text).unwrap();
        let truth = GroundTruth {
            space_type: "apartment".into(),
            rooms: vec![("kitchen".into(), vec!["oven".into()]), ("bedroom".into(), Vec::new())],
            objects: [("oven".to_owned(), 1)].into(),
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
        let made: Vec<String> = queries_for(&truth).into_iter().map(|query| query.text).collect();
        assert_eq!(made, ["kitchen with a oven", "room 206", "riverside house", "rierside"]);
        assert!(all.len() >= 80);
    }
}
