//! Search over the spaces of a tenant: builds the index of a space, parses queries and ranks
//! spaces.
//!
//! A space is found by the words of its record and of its newest document, by facts ("2 bedrooms")
//! and, if an embedding model is configured, by meaning. [`build_index`] turns a space into rows;
//! `entities::search` stores them; [`find()`] answers queries from the database alone. Scores are
//! sums of integers, so that SQLite and PostgreSQL rank alike. Rankings by words and by meaning are
//! merged with reciprocal rank fusion.

mod deletion_neighbourhood;
mod embedding;
mod error;
mod facts;
mod find;
mod index;
mod passages;
mod query;
mod query_terms;
mod rank_fusion;
mod ranking;
mod record;
mod redaction;
mod reindex;
mod semantic;
mod sentence_vectors;
mod similarity;
mod terms;

pub use deletion_neighbourhood::{deletion_neighbourhood, is_probable_typo};
pub use embedding::{QueryVector, embed_passages, embed_query};
pub use error::{Error, Result};
pub use facts::space_type_term;
pub use find::{SpaceHit, find};
pub use index::build_index;
pub use query::{MAX_QUERY_CHARS, Query, parse_query};
pub use ranking::{displayed_score, term_weight};
pub use record::SpaceRecord;
pub use reindex::{IndexError, ReindexReport, index_space, reindex};
pub use sentence_vectors::SentenceVectors;
