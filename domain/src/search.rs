//! The search index of a space: entries that hits show, postings that match words, and embeddings.

use serde::{Deserialize, Serialize};

/// Term that every space has. Its document frequency is the number of spaces.
pub const EVERY_SPACE: &str = "*";

/// Source of an index entry.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// The record of the space: its name, type, description and reference.
    Space,
    /// A zone.
    Zone,
    /// Objects of one category.
    Object,
    /// Text that is visible in the media.
    Text,
    /// Speech.
    Narration,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Space, Self::Zone, Self::Object, Self::Text, Self::Narration];

    /// Returns the name that the database and the API use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Zone => "zone",
            Self::Object => "object",
            Self::Text => "text",
            Self::Narration => "narration",
        }
    }

    /// Returns the kind with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Part of a space that a hit can show.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Source of the entry.
    pub kind: EntryKind,
    /// Id of the source in the document, or of the space.
    pub source_id: String,
    /// Zone that contains the source.
    pub zone_id: Option<String>,
    /// Shortened text.
    pub text: String,
    /// Frame that shows the source.
    pub frame_id: Option<String>,
    /// Position in the media, in milliseconds.
    pub t_ms: Option<u64>,
    /// Number of the photo that shows the source.
    pub ordinal: Option<u32>,
}

/// Term of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Posting {
    /// The term.
    pub term: String,
    /// Contribution to the score of the space, before the weight by document frequency.
    pub impact: i64,
    /// Positions of the entries that match the term best.
    pub entries: Vec<u32>,
    /// The term and every form with one letter deleted (as in SymSpell). Empty for terms that are
    /// not words.
    pub deletion_neighbourhood: Vec<String>,
}

/// Short text about a space, from which an embedding is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// The text.
    pub text: String,
    /// Positions of the first entries that the passage describes.
    pub entries: Vec<u32>,
}

/// Search index of a space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Index {
    /// Entries that hits can show.
    pub entries: Vec<Entry>,
    /// Postings, one for each term.
    pub postings: Vec<Posting>,
    /// A few passages about the space.
    pub passages: Vec<Passage>,
}

/// Embeddings of the passages of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    /// Model that computed the vectors.
    pub model: String,
    /// One vector for each passage, all of one length.
    pub vectors: Vec<Vec<f32>>,
}

/// Returns the binary code of a vector (binary quantization): one bit for each number, set if the
/// number is negative.
///
/// Vectors of similar direction have similar codes. A search compares the codes first, and then
/// reads the vectors of the nearest candidates. The last byte is padded with zeros.
pub fn binary_code(vector: &[f32]) -> Vec<u8> {
    let byte = |eight: &[f32]| {
        eight.iter().enumerate().fold(0, |bits, (at, number)| bits | u8::from(*number < 0.0) << at)
    };
    vector.chunks(8).map(byte).collect()
}
