//! Comparison of two scans by registered views.
//!
//! A thing counts as looked at in the other walk only if a frame of that walk registers to the frame
//! in which it was seen, and the place of the thing lies in that frame, large and sharp enough. It
//! is gone only if it was looked at so often that the models would have found it, given how often
//! they found it in its own walk and how often they find again what both walks show.

mod instances;
mod locator;
mod objects;
mod presence;
mod texts;

pub(super) use locator::{PlaceLocator, WalkPair};
pub(super) use objects::changes as objects;
pub(super) use texts::{changes as texts, same_texts};
