//! Fits the weights of the score, and validates them on places that are left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use domain::document::SpaceDocument;
use knowledge::ask::{Assessment, FEATURES, Features, NAMES, assess_all};

use super::cases::Case;

/// Weights before the fit, in the order of the features, and the bias: what their author expected. A
/// weight that the questions don't determine stays near them.
const PRIOR: [f64; FEATURES + 1] = [7.0, 5.0, 3.0, 4.0, 5.0, 0.5, -2.5, -0.5, -0.5, -1.0, -19.0];
/// Strength of the regularisation, towards the prior weights.
const RIDGE: f64 = 0.01;
const STEPS: usize = 20_000;
const RATE: f64 = 0.3;

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

/// Number of parts of the cross-validation.
const FOLDS: usize = 5;

/// Prints weights fitted on all candidates of the training folders, and counts of their best candidates and of
/// those of the held folder by threshold. A candidate counts alone here, while an answer may quote several that are
/// equally probable: the command `count` tells what would be answered.
pub(super) fn fit(documents: &BTreeMap<String, SpaceDocument>, cases: &[Case], held: &str) {
    let (held, fitted): (Vec<&Case>, Vec<&Case>) =
        cases.iter().partition(|case| Path::new(&case.place).starts_with(held));
    let rows_of_fit = rows(documents, &fitted);
    let rows_of_held = rows(documents, &held);
    let weights = regression(rows_of_fit.iter());
    let validated = cross_validated(&fitted, &rows_of_fit);
    let held_best = best(rows_of_held.iter().map(|row| (row, probability(&weights, &row.features))));
    let named: BTreeMap<&str, f64> =
        NAMES.into_iter().zip(weights[..FEATURES].iter().copied().map(rounded)).collect();
    println!("{:#}", serde_json::json!({ "bias": rounded(weights[FEATURES]), "weights": named }));
    println!("{} candidates of {} questions fitted the weights", rows_of_fit.len(), fitted.len());
    println!(
        "threshold  fitted, places left out: right, wrong of {}  held: right, wrong of {}",
        fitted.len(),
        held.len()
    );
    for percent in (20..=80).rev().step_by(5) {
        let threshold = f64::from(percent) / 100.0;
        let count = |best: &[(f64, bool)]| {
            let of =
                |wanted: bool| best.iter().filter(|(p, right)| *p >= threshold && *right == wanted).count();
            (of(true), of(false))
        };
        let (ours, others) = (count(&validated), count(&held_best));
        println!("{threshold:9.2} {:30} {:6} {:24} {:6}", ours.0, ours.1, others.0, others.1);
    }
}

/// Returns the best candidates with weights that were fitted without any question about their place.
fn cross_validated(cases: &[&Case], rows: &[Row]) -> Vec<(f64, bool)> {
    let places: BTreeSet<&str> = cases.iter().map(|case| case.place.as_str()).collect();
    let fold =
        |row: &&Row| places.iter().position(|place| *place == cases[row.question].place).map(|at| at % FOLDS);
    let part = |left_out: usize| {
        let weights = regression(rows.iter().filter(|row| fold(row) != Some(left_out)));
        let others = rows.iter().filter(|row| fold(row) == Some(left_out));
        best(others.map(|row| (row, probability(&weights, &row.features))))
    };
    (0..FOLDS).flat_map(part).collect()
}

/// Returns the best candidate of each question: its probability, and whether it is right.
fn best<'a>(rows: impl Iterator<Item = (&'a Row, f64)>) -> Vec<(f64, bool)> {
    let mut best: BTreeMap<usize, (f64, bool)> = BTreeMap::new();
    for (row, probability) in rows {
        let known = best.entry(row.question).or_insert((probability, row.right));
        if probability > known.0 {
            *known = (probability, row.right);
        }
    }
    best.into_values().collect()
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
