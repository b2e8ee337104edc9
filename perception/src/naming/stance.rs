//! What a sentence says about the room that it names.

/// Maximum number of words between a cue and a name besides determiners ("this is the small, bright
/// kitchen").
pub(super) const MAX_ADJECTIVES: usize = 3;

/// Relation of a named room to the moment of the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    /// The room in view: "this is the kitchen".
    Present,
    /// The room that is entered next: "next is the kitchen".
    Announced,
}
