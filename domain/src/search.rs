//! The rows by which spaces are found: made from a document, stored, and looked up by their terms.

use serde::{Deserialize, Serialize};

/// The term that every space has: how many there are is how many have it.
pub const EVERY_SPACE: &str = "*";

/// What a row was made from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// The space's own record: its name, type, description and reference.
    Space,
    /// A zone.
    Zone,
    /// Things of one category.
    Object,
    /// Words in the picture.
    Text,
    /// Words that were said.
    Narration,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Space, Self::Zone, Self::Object, Self::Text, Self::Narration];

    /// Its name, in the database and in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Zone => "zone",
            Self::Object => "object",
            Self::Text => "text",
            Self::Narration => "narration",
        }
    }

    /// The kind of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A row that a hit can show.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it was made from.
    pub kind: EntryKind,
    /// Its id in the document, or of the space.
    pub source_id: String,
    /// The zone it is in.
    pub zone_id: Option<String>,
    /// What it says, shortened.
    pub text: String,
    /// A frame that shows it.
    pub frame_id: Option<String>,
    /// When in the media that is, in milliseconds.
    pub t_ms: Option<u64>,
    /// Which photo that is.
    pub ordinal: Option<u32>,
}

/// A term of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Posting {
    /// The term.
    pub term: String,
    /// What it adds to the rank of the space, before it is weighed by how rare it is.
    pub impact: i64,
    /// The entries that hold it best, by their positions.
    pub entries: Vec<u32>,
    /// Under what it is found when it is mistyped; empty for what is no word.
    pub spellings: Vec<String>,
}

/// A text that says what is in a space, for models that find by meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// The text.
    pub text: String,
    /// The entries that it tells of first, by their positions.
    pub entries: Vec<u32>,
}

/// All that a space is found by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Index {
    /// What hits can show.
    pub entries: Vec<Entry>,
    /// By what it is found, one of a term.
    pub postings: Vec<Posting>,
    /// What it is about; a few.
    pub passages: Vec<Passage>,
}

/// The passages of a space as vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The model that made them.
    pub model: String,
    /// One for each passage, all of one length.
    pub vectors: Vec<Vec<f32>>,
}

/// A vector in one bit a number: whether it is negative. Vectors that point the same way have the same bits, so that a few
/// candidates can be found among many without reading the vectors (binary quantization; what is found is to be scored by
/// the vectors themselves). The last byte is filled up with zeros.
pub fn sketch(vector: &[f32]) -> Vec<u8> {
    let byte = |eight: &[f32]| {
        eight.iter().enumerate().fold(0, |bits, (at, number)| bits | u8::from(*number < 0.0) << at)
    };
    vector.chunks(8).map(byte).collect()
}
