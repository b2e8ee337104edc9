//! Scores answers to questions of strangers, and fits the weights of the score on them.
//!
//! `cargo run -p knowledge --example ask_training -- score FOLDER…` prints the answers that are
//! wrong, tables by answer type and voice, the step at which answers are lost, the risk–coverage
//! curve, and how often the closest evidence of an abstention holds the answer, by words alone and
//! with the packaged sentence embeddings. `… -- count FOLDER…` prints the tables without any question: for
//! questions that nobody may look at. Both print the least threshold that conformal risk control allows. `… -- fit
//! TRAINING… HELD` prints weights fitted on all folders but the last for `knowledge/src/ask/score.json`, and counts of
//! right and wrong candidates with weights that were fitted without the place of each question. A folder holds
//! `NAME.tsv`, with a question, a tab and the regular expressions of right answers (`||` or `|`
//! between them, `-` for no answer), and perhaps a tab and the voice, beside `NAME.json` or with
//! `NAME.json` in the folder `training` next to it: a place of the tests, or a Space Document.
#![allow(clippy::print_stdout, reason = "results go to the standard output")]

mod cases;
mod fit;
#[path = "../../tests/knowledge/fixture.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod fixture;
mod report;
mod vectors;

use std::{collections::BTreeMap, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, folders) = arguments.split_first().ok_or("give `score`, `count` or `fit`, and folders")?;
    let mut documents = BTreeMap::new();
    let mut cases = Vec::new();
    for folder in folders {
        cases::load(Path::new(folder), &mut documents, &mut cases)?;
    }
    match command.as_str() {
        "score" => {
            report::score(&documents, &cases, true);
            report::closest(&documents, &cases)?;
        }
        "count" => report::score(&documents, &cases, false),
        "fit" => fit::fit(&documents, &cases, folders.last().map_or("", String::as_str)),
        other => return Err(format!("unknown command {other}").into()),
    }
    Ok(())
}
