//! Fits the weights of the score and its threshold.

use std::collections::BTreeMap;

use domain::document::SpaceDocument;
use knowledge::ask::{Assessment, FEATURES, Features, NAMES, assess_all};

use super::cases::Case;

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
pub(super) fn fit(documents: &BTreeMap<String, SpaceDocument>, cases: &[Case], training: &str) {
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
