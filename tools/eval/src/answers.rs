//! Answers against what is true.
//!
//! - `ask_accuracy`: right answers, of the questions that can be answered;
//! - `ask_abstain_recall`: of the questions that cannot, those that were not answered;
//! - `ask_abstain_precision`: of the questions that were not answered, those that cannot be.

use domain::document::SpaceDocument;
use knowledge::ask::{Status, ask};
use walkgen::truth::Truth;

use super::{
    citations,
    metrics::Metrics,
    questions::{BESIDE_MS, Expected, Question},
};

/// Share of the letters of a sign that an answer may have wrong.
const TOLERANCE: f64 = 0.2;

/// Asks every question of the document; returns what went wrong, for people.
pub(super) fn measure(
    document: &SpaceDocument,
    truth: &Truth,
    asked: &[Question],
    metrics: &mut Metrics,
) -> String {
    let mut told = String::new();
    for question in asked {
        let answer = ask(document, &question.text);
        let abstained = answer.status == Status::Abstained;
        let unanswerable = question.right == Expected::Abstain;
        let text = answer.answer.as_deref().unwrap_or_default();
        let right = if unanswerable { abstained } else { !abstained && is_right(text, &question.right) };
        metrics.count("ask_questions", 1);
        metrics.count("ask_unanswerable", usize::from(unanswerable));
        if unanswerable {
            metrics.share("ask_abstain_recall", usize::from(abstained), 1);
        } else {
            metrics.share("ask_accuracy", usize::from(right), 1);
        }
        if abstained {
            metrics.share("ask_abstain_precision", usize::from(unanswerable), 1);
        }
        let (supported, cited) = citations::supported(document, truth, &answer.citations);
        if !abstained {
            metrics.share("citation_precision", supported, cited);
        }
        if !right || (!abstained && supported < cited) {
            let fault = if right { "cites what is not so" } else { "wrong" };
            let reason = answer.reason;
            told.push_str(&format!(
                "  {fault}: {} → {text:?} {reason:?} {supported}/{cited}\n",
                question.text
            ));
        }
    }
    told
}

fn is_right(answer: &str, right: &Expected) -> bool {
    let place = |wanted: &str| plain(answer).find(&plain(wanted));
    match right {
        Expected::Abstain => false,
        Expected::Holds(any) => any.iter().any(|wanted| holds(answer, wanted)),
        Expected::First(first, second) => match (place(first), place(second)) {
            (Some(a), Some(b)) => a < b,
            (a, _) => a.is_some(),
        },
        Expected::When(stretches) => moments(answer)
            .any(|t| stretches.iter().any(|s| t + BESIDE_MS >= s.start && t <= s.end + BESIDE_MS)),
    }
}

/// Whether the answer has these words; words of some length may have a letter or two wrong, numbers none.
fn holds(answer: &str, wanted: &str) -> bool {
    let words = |text: &str| plain(text).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (answer, wanted) = (words(answer), words(wanted));
    let whole = wanted.concat();
    if whole.len() < 5 {
        return answer.windows(wanted.len()).any(|window| window == wanted);
    }
    if whole.bytes().all(|b| b.is_ascii_digit()) {
        // However it is grouped.
        return answer.concat().contains(&whole);
    }
    // Spaces between words are easily lost in reading.
    let near = |text: &str| eval::score::distance(text, &whole) <= TOLERANCE;
    let ends = |start: usize| (start + 1..=answer.len()).take(wanted.len() + 2);
    (0..answer.len()).any(|start| ends(start).any(|end| near(&answer[start..end].concat())))
}

fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect()
}

/// Moments in a text, in milliseconds: `01:05`.
fn moments(text: &str) -> impl Iterator<Item = u64> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == ':'));
    words.filter_map(|word| {
        let (minutes, seconds) = word.split_once(':')?;
        Some((minutes.parse::<u64>().ok()? * 60 + seconds.parse::<u64>().ok()?) * 1000)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use walkgen::truth::Span;

    #[test]
    fn right_and_wrong_answers() {
        let any = |words: &[&str]| Expected::Holds(words.iter().map(|&s| s.to_owned()).collect());
        assert!(is_right("A text in Hallway reads “FIREEXIT”.", &any(&["FIRE EXIT"])));
        assert!(is_right("It was said: “It is fourteen square meters.”", &any(&["14", "fourteen"])));
        assert!(!is_right("It was said: “It is 114 square meters.”", &any(&["14"])));
        assert!(!is_right("A text reads “CALL 555 5200”.", &any(&["555 5201"])));
        assert!(!is_right("", &any(&["x"])));
        let larger = Expected::First("living room".into(), "kitchen".into());
        assert!(is_right("More: Living room. Living room: 23; Kitchen: 14.", &larger));
        assert!(!is_right("More: Kitchen. Kitchen: 14; Living room: 13.", &larger));
        let when = Expected::When(vec![Span { start: 41_000, end: 51_000 }]);
        assert!(is_right("Kitchen: shown at 00:40.", &when));
        assert!(!is_right("Kitchen: shown at 00:30.", &when));
    }
}
