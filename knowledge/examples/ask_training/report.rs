//! Reports of answers: wrong and missed ones, counts by answer type and voice, the steps at which
//! answers are lost, and the risk–coverage curve.

use std::collections::BTreeMap;

use domain::document::SpaceDocument;
use knowledge::ask::{Aids, Answer, Assessment, Meaning, Status, ask, ask_with, assess, assess_all};

use super::{cases::Case, vectors::Vectors};

/// Answers of one kind, counted.
#[derive(Default)]
struct Count {
    answerable: usize,
    right: usize,
    unanswerable: usize,
    abstained: usize,
    wrong: usize,
}

/// What a question was answered.
struct Scored<'a> {
    case: &'a Case,
    answer: Answer,
    assessed: Option<Assessment>,
    right: bool,
}

impl Scored<'_> {
    fn abstained(&self) -> bool {
        self.answer.status == Status::Abstained
    }

    fn text(&self) -> &str {
        self.answer.answer.as_deref().unwrap_or_default()
    }
}

/// Prints counts, and with `texts` each answer that is missed or wrong.
pub(super) fn score(documents: &BTreeMap<String, SpaceDocument>, cases: &[Case], texts: bool) {
    let results: Vec<Scored> = cases.iter().map(|case| result(documents, case)).collect();
    for result in results.iter().filter(|result| texts && !result.right) {
        print(result);
    }
    let kind = |result: &Scored| {
        result.assessed.as_ref().map_or("other".to_owned(), |assessed| assessed.answer_type.clone())
    };
    table("type", &results, kind);
    if cases.iter().any(|case| !case.voice.is_empty()) {
        table("voice", &results, |result| result.case.voice.clone());
    }
    steps(documents, &results);
    curve(&results);
}

fn result<'a>(documents: &BTreeMap<String, SpaceDocument>, case: &'a Case) -> Scored<'a> {
    let document = &documents[&case.place];
    let answer = ask(document, &case.question);
    let text = answer.answer.as_deref().unwrap_or_default();
    let right = if answer.status == Status::Abstained { case.may_abstain() } else { case.is_right(text) };
    Scored { case, right, assessed: assess(document, &case.question), answer }
}

fn print(result: &Scored) {
    let state = if result.abstained() { "missed" } else { "WRONG" };
    let best = result.assessed.as_ref().map(|a| {
        format!(
            "p {:.2} {} {:?} {:.2?} without {:?}",
            a.probability, a.answer_type, a.text, a.features, a.unmatched
        )
    });
    let case = result.case;
    println!(
        "{state}: {} [{}] → {:?} {:?}; {}",
        case.question,
        case.expected,
        result.text(),
        result.answer.reason,
        best.unwrap_or_default()
    );
}

fn table(title: &str, results: &[Scored], kind: impl Fn(&Scored) -> String) {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for result in results {
        for name in [kind(result), "all".to_owned()] {
            let count = counts.entry(name).or_default();
            if result.case.expected == "-" {
                count.unanswerable += 1;
                count.abstained += usize::from(result.abstained());
            } else {
                count.answerable += 1;
                count.right += usize::from(result.right);
            }
            count.wrong += usize::from(!result.abstained() && !result.right);
        }
    }
    println!("\n{title:20} {:>6} {:>6} {:>6} {:>6} {:>6}", "right", "of", "abst.", "of", "wrong");
    for (name, count) in &counts {
        println!(
            "{name:20} {:6} {:6} {:6} {:6} {:6}",
            count.right, count.answerable, count.abstained, count.unanswerable, count.wrong
        );
    }
}

/// Prints at which step the answers to answerable questions are lost.
fn steps(documents: &BTreeMap<String, SpaceDocument>, results: &[Scored]) {
    let mut steps: BTreeMap<&str, usize> = BTreeMap::new();
    for result in results.iter().filter(|result| !result.right && result.case.expected != "-") {
        let (case, document) = (result.case, &documents[&result.case.place]);
        let all = assess_all(document, &case.question);
        let right = |assessed: &Assessment| case.is_right(&assessed.text);
        let closest = result.answer.closest.iter().any(|closest| case.is_right(&closest.value));
        let step = match &result.assessed {
            _ if !result.abstained() => "answered wrongly",
            Some(best) if right(best) => "threshold: the best candidate is right",
            _ if all.iter().any(right) => "ranking: another candidate is right",
            _ if closest => "extraction: found and not extracted",
            None => "understanding or retrieval: no candidate",
            Some(_) => "understanding or retrieval: other candidates",
        };
        *steps.entry(step).or_default() += 1;
    }
    println!("\nlost at");
    for (step, number) in steps {
        println!("{step:45} {number:6}");
    }
}

/// Bound on the expected share of wrong answers among all questions.
const MAX_WRONG: f64 = 0.05;

/// Prints the risk–coverage curve: what all questions would be answered at other thresholds, and the least
/// threshold that conformal risk control allows: (wrong + 1) / (n + 1) within the bound.
fn curve(results: &[Scored]) {
    println!("\nthreshold  answered  right  wrong  wrong of all  wrong of answered");
    let mut least = None;
    for percent in (10..=95).rev().step_by(5) {
        let threshold = f64::from(percent) / 100.0;
        let (mut answered, mut right, mut wrong) = (0, 0, 0);
        for result in results {
            let (says, fits) = match &result.assessed {
                Some(best) => (best.probability >= threshold, result.case.is_right(&best.text)),
                None => (!result.abstained(), result.right),
            };
            let refuses_rightly = !says && result.case.may_abstain();
            answered += usize::from(says);
            right += usize::from(result.case.expected != "-" && (says && fits || refuses_rightly));
            wrong += usize::from(says && !fits);
        }
        let share = |number: usize, of: usize| number as f64 / of.max(1) as f64;
        println!(
            "{threshold:9.2} {answered:9} {right:6} {wrong:6} {:13.3} {:18.3}",
            share(wrong, results.len()),
            share(wrong, answered)
        );
        if share(wrong + 1, results.len() + 1) <= MAX_WRONG {
            least = Some(threshold);
        }
    }
    println!("least threshold of this table with (wrong + 1) / (n + 1) within {MAX_WRONG}: {least:?}");
}

/// Prints for how many of the answerable questions without an answer the closest evidence holds it.
pub(super) fn closest(documents: &BTreeMap<String, SpaceDocument>, cases: &[Case]) -> Result<(), String> {
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
