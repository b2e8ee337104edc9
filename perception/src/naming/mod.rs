//! Finds room names in sentences and on signs.

mod english;
pub(crate) mod lexicon;
mod signs;
mod spoken;
mod stance;

pub(crate) use lexicon::Language;
pub(crate) use signs::{name_on_room_sign, room_on_sign};
pub(crate) use spoken::{rooms_announced, says_return, spoken_rooms};
pub(crate) use stance::Stance;
