//! Scores answers to questions of strangers, and fits the weights of the score on them.
//!
//! `cargo run -p knowledge --example ask_training -- score FOLDER…` prints the answers that are
//! wrong, a table by answer type and the risk–coverage curve, and how often the closest evidence of an
//! abstention holds the answer, by words alone and with the packaged sentence embeddings; `… -- fit TRAINING OTHER…` prints weights
//! fitted on the first folder, and the threshold that the others allow, for
//! `knowledge/src/ask/score.json`. A folder holds `NAME.tsv`, with a question, a tab and the regular
//! expressions of right answers (`||` or `|` between them, `-` for no answer), beside `NAME.json` or
//! with `NAME.json` in the folder `training` next to it: a place of the tests, or a Space Document.
#![allow(clippy::print_stdout, reason = "results go to the standard output")]

#[path = "../tests/knowledge/fixture.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod fixture;

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    sync::Arc,
};

use domain::{
    document::SpaceDocument,
    language::{Embedder, Priority},
};
use knowledge::ask::{
    Aids, Assessment, FEATURES, Features, Meaning, NAMES, Status, ask, ask_with, assess, assess_all,
};
use regex::RegexBuilder;

/// Bound on the expected share of wrong answers among all questions.
const MAX_WRONG: f64 = 0.05;
/// Minimum probability of an answer: an answer is more likely right than wrong.
const LEAST: f64 = 0.5;
/// Weights before the fit, in the order of the features, and the bias: what their author expected. A
/// weight that the questions don't determine stays near them.
const PRIOR: [f64; FEATURES + 1] = [7.0, 5.0, 3.0, 4.0, 5.0, 0.5, -2.5, -0.5, -0.5, -1.0, -19.0];
/// Strength of the regularisation, towards the prior weights.
const RIDGE: f64 = 0.01;
const STEPS: usize = 20_000;
const RATE: f64 = 0.3;

struct Case {
    place: String,
    question: String,
    expected: String,
}

impl Case {
    fn may_abstain(&self) -> bool {
        self.expected.split("||").any(|one| one == "-" || one.split('|').any(|one| one == "-"))
    }

    fn is_right(&self, answer: &str) -> bool {
        let one = |pattern: &str| {
            pattern != "-"
                && RegexBuilder::new(pattern).case_insensitive(true).build().is_ok_and(|p| p.is_match(answer))
        };
        self.expected.split("||").any(|pattern| pattern.split('|').any(&one) || one(pattern))
    }
}

/// Answers of one type, counted.
#[derive(Default)]
struct Count {
    answerable: usize,
    right: usize,
    unanswerable: usize,
    abstained: usize,
    wrong: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, folders) = arguments.split_first().ok_or("give `score` or `fit`, and folders")?;
    let mut documents = BTreeMap::new();
    let mut cases = Vec::new();
    for folder in folders {
        load(Path::new(folder), &mut documents, &mut cases)?;
    }
    match command.as_str() {
        "score" => {
            score(&documents, &cases);
            closest(&documents, &cases)?;
        }
        "fit" => fit(&documents, &cases, folders.first().map_or("", String::as_str)),
        other => return Err(format!("unknown command {other}").into()),
    }
    Ok(())
}

fn load(
    folder: &Path,
    documents: &mut BTreeMap<String, SpaceDocument>,
    cases: &mut Vec<Case>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "tsv")) {
        let beside = file.with_extension("json");
        let shared = folder.join("../training").join(beside.file_name().unwrap_or_default());
        let text = fs::read_to_string(if beside.exists() { beside } else { shared })?;
        let document = match serde_json::from_str(&text) {
            Ok(place) => fixture::document(&place),
            Err(_) => serde_json::from_str(&text)?,
        };
        let place = file.display().to_string();
        documents.insert(place.clone(), document);
        for line in fs::read_to_string(file)?.lines().filter(|line| !line.starts_with('#')) {
            let (question, expected) = line.split_once('\t').ok_or("a line without a tab")?;
            cases.push(Case { place: place.clone(), question: question.into(), expected: expected.into() });
        }
    }
    Ok(())
}

fn score(documents: &BTreeMap<String, SpaceDocument>, cases: &[Case]) {
    let mut by_type: BTreeMap<String, Count> = BTreeMap::new();
    let mut curve: Vec<(f64, bool)> = Vec::new();
    for case in cases {
        let document = &documents[&case.place];
        let answer = ask(document, &case.question);
        let assessed = assess(document, &case.question);
        let text = answer.answer.as_deref().unwrap_or_default();
        let abstained = answer.status == Status::Abstained;
        let right = if abstained { case.may_abstain() } else { case.is_right(text) };
        let kind = assessed.as_ref().map_or("other".to_owned(), |a| a.answer_type.clone());
        for name in [kind, "all".to_owned()] {
            let count = by_type.entry(name).or_default();
            if case.expected == "-" {
                count.unanswerable += 1;
                count.abstained += usize::from(abstained);
            } else {
                count.answerable += 1;
                count.right += usize::from(right);
            }
            count.wrong += usize::from(!abstained && !right);
        }
        if let Some(assessed) = &assessed {
            curve.push((assessed.probability, case.is_right(&assessed.text)));
        }
        if !right {
            let state = if abstained { "missed" } else { "WRONG" };
            let best = assessed.map(|a| {
                format!(
                    "p {:.2} {} {:?} {:.2?} without {:?}",
                    a.probability, a.answer_type, a.text, a.features, a.unmatched
                )
            });
            println!(
                "{state}: {} [{}] → {text:?} {:?}; {}",
                case.question,
                case.expected,
                answer.reason,
                best.unwrap_or_default()
            );
        }
    }
    println!("\n{:20} {:>6} {:>6} {:>6} {:>6} {:>6}", "type", "right", "of", "abst.", "of", "wrong");
    for (name, count) in &by_type {
        println!(
            "{name:20} {:6} {:6} {:6} {:6} {:6}",
            count.right, count.answerable, count.abstained, count.unanswerable, count.wrong
        );
    }
    curve.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("\nthreshold  coverage  wrong of all  wrong of answered (the fixed threshold answers as above)");
    for threshold in [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1] {
        let answered = curve.iter().filter(|(p, _)| *p >= threshold);
        let wrong = answered.clone().filter(|(_, right)| !right).count();
        let share = |number: usize| number as f64 / curve.len().max(1) as f64;
        let number = answered.count();
        let risk = wrong as f64 / number.max(1) as f64;
        println!("{threshold:9} {:9.3} {:13.3} {risk:18.3}", share(number), share(wrong));
    }
}

/// Prints for how many of the answerable questions without an answer the closest evidence holds it.
fn closest(documents: &BTreeMap<String, SpaceDocument>, cases: &[Case]) -> Result<(), String> {
    let vectors = Vectors::open()?;
    println!("\nclosest evidence of unanswered questions that have an answer");
    for (name, meaning) in [("words", None), ("words and meaning", Some(&vectors as &dyn Meaning))] {
        let (mut all, mut held) = (0, 0);
        for case in cases.iter().filter(|case| case.expected != "-") {
            let answer = ask_with(&documents[&case.place], &case.question, &Aids { meaning });
            if answer.status == Status::Abstained {
                let shown: Vec<&str> = answer.closest.iter().map(|closest| closest.value.as_str()).collect();
                all += 1;
                held += usize::from(case.is_right(&shown.join(" ")));
            }
        }
        println!("{name:20} {held:6} of {all}");
    }
    Ok(())
}

struct Row {
    /// Number of the question.
    question: usize,
    features: Features,
    right: bool,
}

/// Candidates of the questions, with whether each would be a right answer.
fn rows(documents: &BTreeMap<String, SpaceDocument>, cases: &[&Case]) -> Vec<Row> {
    let of_case = |(question, case): (usize, &&Case)| {
        let all = assess_all(&documents[&case.place], &case.question).into_iter();
        let row = |assessed: Assessment| Row {
            question,
            features: assessed.features,
            right: case.is_right(&assessed.text),
        };
        all.map(row).collect::<Vec<_>>()
    };
    cases.iter().enumerate().flat_map(of_case).collect()
}

/// Fits weights on all candidates of the first folder, and the threshold on the best candidates of
/// the other folders.
fn fit(documents: &BTreeMap<String, SpaceDocument>, cases: &[Case], training: &str) {
    let (fitted, held): (Vec<&Case>, Vec<&Case>) =
        cases.iter().partition(|case| case.place.starts_with(training));
    let rows_of_fit = rows(documents, &fitted);
    let weights = regression(rows_of_fit.iter());
    let mut best: BTreeMap<usize, (f64, bool)> = BTreeMap::new();
    for row in rows(documents, &held) {
        let found = (probability(&weights, &row.features), row.right);
        let known = best.entry(row.question).or_insert(found);
        if found.0 > known.0 {
            *known = found;
        }
    }
    let mut best: Vec<(f64, bool)> = best.into_values().collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Conformal risk control: the least threshold with (wrong + 1) / (n + 1) within the bound.
    let (mut wrong, mut answered, mut threshold) = (0, 0, LEAST);
    for (p, right) in best.iter().filter(|(p, _)| *p >= LEAST) {
        let more = wrong + usize::from(!right);
        if (more + 1) as f64 / (held.len() + 1) as f64 > MAX_WRONG {
            threshold = *p + 0.001;
            break;
        }
        wrong = more;
        answered += 1;
    }
    let named: BTreeMap<&str, f64> =
        NAMES.into_iter().zip(weights[..FEATURES].iter().copied().map(rounded)).collect();
    let file = serde_json::json!({ "bias": rounded(weights[FEATURES]), "threshold": rounded(threshold), "weights": named });
    println!("{file:#}");
    println!("{} candidates of {} questions fitted the weights", rows_of_fit.len(), fitted.len());
    println!("of {} other questions, {answered} answered by the reader, {wrong} wrong", held.len());
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn probability(weights: &[f64; FEATURES + 1], features: &Features) -> f64 {
    let sum: f64 = weights[..FEATURES].iter().zip(features).map(|(weight, value)| weight * value).sum();
    1.0 / (1.0 + (-(sum + weights[FEATURES])).exp())
}

/// Logistic regression by gradient descent. Weights of features that speak for an answer stay
/// positive, of those that speak against it negative.
fn regression<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> [f64; FEATURES + 1] {
    const SIGNS: [f64; FEATURES] = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0.0, -1.0, -1.0];
    let mut weights = PRIOR;
    let number = rows.clone().count().max(1) as f64;
    for _ in 0..STEPS {
        let mut gradient = [0.0; FEATURES + 1];
        for row in rows.clone() {
            let error = probability(&weights, &row.features) - f64::from(u8::from(row.right));
            for (at, value) in row.features.iter().enumerate() {
                gradient[at] += error * value / number;
            }
            gradient[FEATURES] += error / number;
        }
        for (at, weight) in weights.iter_mut().enumerate() {
            *weight -= RATE * (gradient[at] + RIDGE * (*weight - PRIOR[at]));
            if at < FEATURES && SIGNS[at] * *weight < 0.0 {
                *weight = 0.0;
            }
        }
    }
    weights
}

/// Vectors of the packaged sentence embeddings.
struct Vectors {
    embedder: Arc<dyn Embedder>,
    known: RefCell<HashMap<String, Vec<f32>>>,
}

impl Vectors {
    fn open() -> Result<Vectors, String> {
        let embedder = perception::models::packaged::embedder(&perception::models::Settings::default());
        let embedder = embedder.ok_or("the sentence embeddings are missing: run `cargo xtask setup`")?;
        Ok(Vectors { embedder, known: RefCell::default() })
    }

    fn vector(&self, text: &str) -> Option<Vec<f32>> {
        if let Some(known) = self.known.borrow().get(text) {
            return Some(known.clone());
        }
        let (vectors, _) = self.embedder.embed(&[text.to_owned()], Priority::Background).ok()?;
        let vector = vectors.into_iter().next()?;
        self.known.borrow_mut().insert(text.to_owned(), vector.clone());
        Some(vector)
    }
}

impl Meaning for Vectors {
    fn similarities(&self, question: &str, texts: &[String]) -> Option<Vec<f32>> {
        let question = self.vector(question)?;
        let cosine = |vector: Vec<f32>| question.iter().zip(vector).map(|(a, b)| a * b).sum();
        texts.iter().map(|text| self.vector(text).map(cosine)).collect()
    }
}
