//! Port for models that compare texts by their meaning.

/// Compares texts by meaning. Computes each text once, so the first question about a document may find
/// it unprepared.
pub trait Meaning {
    /// Returns the cosine similarity of the question to each text; `None` if the model isn't available
    /// or not ready, so that the answer is found by words alone.
    fn similarities(&self, question: &str, texts: &[String]) -> Option<Vec<f32>>;
}

/// Models that help to answer. None by default.
#[derive(Default, Clone, Copy)]
pub struct Aids<'a> {
    /// Finds passages of similar meaning.
    pub meaning: Option<&'a dyn Meaning>,
}
