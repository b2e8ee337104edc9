//! The passages of a document, its words, and how similar passages are to a question in meaning.

use domain::document::SpaceDocument;

use super::{
    meaning::{Aids, Meaning},
    passages::{self, Passage},
    query,
};
use crate::words::tokens;

/// Passages of a document, and its words.
pub(super) struct Evidence<'a> {
    pub(super) passages: Vec<Passage>,
    pub(super) words: query::DocumentWords,
    meaning: Option<(&'a dyn Meaning, Wordings)>,
}

/// Texts that stand for passages, with the number of the passage and of the line.
#[derive(Default)]
struct Wordings {
    of: Vec<(usize, usize)>,
    texts: Vec<String>,
}

/// How similar a passage is to a question in meaning, and its most similar line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Similarity {
    pub(super) cosine: f64,
    pub(super) line: usize,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(document: &SpaceDocument, aids: &Aids<'a>) -> Evidence<'a> {
        let passages = passages::of(document);
        let mut words = passages::words(&passages);
        words.extend(document.objects.iter().flat_map(|object| tokens(&object.category.value)));
        words.extend(document.zones.iter().flat_map(|zone| tokens(&zone.label)));
        let meaning = aids.meaning.map(|meaning| (meaning, Wordings::of(&passages)));
        Evidence { passages, words: query::DocumentWords::new(words), meaning }
    }

    /// Returns the similarity of each passage to a question; `None` without a model.
    pub(super) fn similarities(&self, question: &str) -> Option<Vec<Similarity>> {
        let (meaning, wordings) = self.meaning.as_ref()?;
        let cosines = meaning.similarities(question, &wordings.texts)?;
        if cosines.len() != wordings.texts.len() {
            return None;
        }
        let mut out = vec![Similarity { cosine: 0.0, line: 0 }; self.passages.len()];
        for ((passage, line), cosine) in wordings.of.iter().zip(cosines) {
            let cosine = f64::from(cosine);
            if cosine > out[*passage].cosine {
                out[*passage] = Similarity { cosine, line: *line };
            }
        }
        Some(out)
    }
}

impl Wordings {
    /// A passage is its whole text, and each row below the heading of a sign with that heading.
    fn of(passages: &[Passage]) -> Wordings {
        let mut out = Wordings::default();
        for (number, passage) in passages.iter().enumerate() {
            let text = |row: usize| {
                let lines = passage.lines.iter().filter(|line| line.row == row);
                lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
            };
            let lines = passage.lines.iter().map(|line| line.text.as_str());
            out.push(number, 0, lines.collect::<Vec<_>>().join(". "));
            let mut row = 0;
            for (at, line) in passage.lines.iter().enumerate().filter(|_| passage.read) {
                if line.row > row {
                    row = line.row;
                    out.push(number, at, format!("{}. {}", text(0), text(row)));
                }
            }
        }
        out
    }

    fn push(&mut self, passage: usize, line: usize, text: String) {
        self.of.push((passage, line));
        self.texts.push(text);
    }
}
