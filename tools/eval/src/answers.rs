//! Compares answers with the ground truth.
//!
//! - `ask_accuracy`: share of the answerable questions with a right answer;
//! - `ask_abstain_recall`: share of the unanswerable questions without an answer;
//! - `ask_abstain_precision`: share of the questions without an answer that are unanswerable.

use domain::document::SpaceDocument;
use knowledge::ask::{Status, ask};
use walkgen::truth::Truth;

use super::{
    citations,
    metrics::Metrics,
    questions::{Expected, Question, TIME_TOLERANCE_MS},
};

/// Maximum share of wrong letters in an answer that quotes a sign.
const MAX_DISTANCE: f64 = 0.2;

/// Asks all questions about the document and adds the answers to the metrics. Returns the mistakes
/// as text.
pub(super) fn measure(
    document: &SpaceDocument,
    truth: &Truth,
    questions: &[Question],
    metrics: &mut Metrics,
) -> String {
    let mut mistakes = String::new();
    for question in questions {
        let answer = ask(document, &question.text);
        let abstained = answer.status == Status::Abstained;
        let unanswerable = question.expected == Expected::Abstention;
        let text = answer.answer.as_deref().unwrap_or_default();
        let right = if unanswerable { abstained } else { !abstained && is_right(text, &question.expected) };
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
        let (supported, cited) = citations::count_supported(document, truth, &answer.citations);
        if !abstained {
            metrics.share("citation_precision", supported, cited);
        }
        if !right || (!abstained && supported < cited) {
            let fault = if right { "wrong citation" } else { "wrong answer" };
            let reason = answer.reason;
            mistakes.push_str(&format!(
                "  {fault}: {} → {text:?} {reason:?} {supported}/{cited}\n",
                question.text
            ));
        }
    }
    mistakes
}

fn is_right(answer: &str, expected: &Expected) -> bool {
    let position = |words: &str| normalized(answer).find(&normalized(words));
    match expected {
        Expected::Abstention => false,
        Expected::AnyOf(any) => any.iter().any(|words| contains(answer, words)),
        Expected::InOrder(first, second) => match (position(first), position(second)) {
            (Some(a), Some(b)) => a < b,
            (a, _) => a.is_some(),
        },
        Expected::MomentIn(spans) => moments(answer).any(|t| {
            spans.iter().any(|s| t + TIME_TOLERANCE_MS >= s.start && t <= s.end + TIME_TOLERANCE_MS)
        }),
    }
}

/// Returns whether the answer contains these words. Longer words may have a letter or two wrong,
/// numbers none.
fn contains(answer: &str, expected: &str) -> bool {
    let words = |text: &str| normalized(text).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (answer, expected) = (words(answer), words(expected));
    let joined = expected.concat();
    if joined.len() < 5 {
        return answer.windows(expected.len()).any(|window| window == expected);
    }
    if joined.bytes().all(|b| b.is_ascii_digit()) {
        // Digits may be grouped differently.
        return answer.concat().contains(&joined);
    }
    // Text recognition often loses the spaces between words.
    let near = |text: &str| eval::score::distance(text, &joined) <= MAX_DISTANCE;
    let ends = |start: usize| (start + 1..=answer.len()).take(expected.len() + 2);
    (0..answer.len()).any(|start| ends(start).any(|end| near(&answer[start..end].concat())))
}

fn normalized(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect()
}

/// Returns the moments in a text (`01:05`), in milliseconds.
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
    fn tells_right_answers_from_wrong_ones() {
        let any = |words: &[&str]| Expected::AnyOf(words.iter().map(|&s| s.to_owned()).collect());
        assert!(is_right("A text in Hallway reads “FIREEXIT”.", &any(&["FIRE EXIT"])));
        assert!(is_right("It was said: “It is fourteen square meters.”", &any(&["14", "fourteen"])));
        assert!(!is_right("It was said: “It is 114 square meters.”", &any(&["14"])));
        assert!(!is_right("A text reads “CALL 555 5200”.", &any(&["555 5201"])));
        assert!(!is_right("", &any(&["x"])));
        let larger = Expected::InOrder("living room".into(), "kitchen".into());
        assert!(is_right("More: Living room. Living room: 23; Kitchen: 14.", &larger));
        assert!(!is_right("More: Kitchen. Kitchen: 14; Living room: 13.", &larger));
        let when = Expected::MomentIn(vec![Span { start: 41_000, end: 51_000 }]);
        assert!(is_right("Kitchen: shown at 00:40.", &when));
        assert!(!is_right("Kitchen: shown at 00:30.", &when));
    }
}
