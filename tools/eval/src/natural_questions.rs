//! Questions that people would ask about a scene, with what a right answer contains.
//!
//! - `ask_right`: of the questions with an answer, the share answered rightly; a partial answer
//!   counts half;
//! - `ask_wrong`: of all questions, the share with a wrong answer, or with any answer where the
//!   media have none;
//! - `ask_abstained`: of the questions without an answer, the share without one.

use std::{fs, path::Path};

use anyhow::Context;
use domain::document::SpaceDocument;
use knowledge::ask::{Status, ask};
use regex::{Regex, RegexBuilder};

use super::metrics::Metrics;

/// A question, as a line of a file.
struct Question {
    text: String,
    /// What a right answer contains; `None` where the media give no answer.
    expected: Option<Regex>,
    /// Who asks; empty in files without this column.
    voice: String,
    /// Type of the answer; empty in files without this column.
    kind: String,
    /// Whether something else of that type is there to be taken for the answer.
    tempting: bool,
}

/// The outcome of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Right,
    /// A right answer to a part of it.
    Half,
    Wrong,
    /// No answer, rightly or not.
    Abstained,
}

/// Asks the questions of a file about a document, and adds the answers to each of the metrics.
/// Returns what was not right as text.
///
/// # Errors
/// Returns an error if the file cannot be read or a line has another format.
pub(super) fn measure(
    document: &SpaceDocument,
    file: &Path,
    mut add: impl FnMut(&dyn Fn(&mut Metrics)),
) -> anyhow::Result<String> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut details = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let question = Question::parse(line).with_context(|| format!("{}: {line}", file.display()))?;
        let answer = ask(document, &question.text);
        let said = answer.answer.as_deref().unwrap_or_default();
        let outcome = question.judge(answer.status, said);
        add(&|metrics| question.count(outcome, metrics));
        let fine = match outcome {
            Outcome::Right => true,
            Outcome::Abstained => question.expected.is_none(),
            Outcome::Half | Outcome::Wrong => false,
        };
        if !fine {
            let Question { text, voice, kind, tempting, .. } = &question;
            let tempted = if *tempting { ", tempting" } else { "" };
            details.push_str(&format!("  {outcome:?}: {text} ({voice}, {kind}{tempted}) → {said:?}\n"));
        }
    }
    Ok(details)
}

impl Question {
    /// Parses `question TAB expression`, with voice, type and `tempting` in further columns.
    fn parse(line: &str) -> anyhow::Result<Question> {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or_default().trim().to_owned();
        let (text, expected) = (next(), next());
        anyhow::ensure!(!text.is_empty() && !expected.is_empty(), "a question and its answer are needed");
        // Alternatives may be divided by two bars.
        let pattern = expected.replace("||", "|");
        let expected = (expected != "-").then(|| RegexBuilder::new(&pattern).case_insensitive(true).build());
        Ok(Question {
            text,
            expected: expected.transpose()?,
            voice: next(),
            kind: next(),
            tempting: next() == "tempting",
        })
    }

    fn judge(&self, status: Status, said: &str) -> Outcome {
        match (status, &self.expected) {
            (Status::Abstained, _) => Outcome::Abstained,
            (_, Some(expected)) if expected.is_match(said) => {
                if status == Status::Partial {
                    Outcome::Half
                } else {
                    Outcome::Right
                }
            }
            _ => Outcome::Wrong,
        }
    }

    fn count(&self, outcome: Outcome, metrics: &mut Metrics) {
        metrics.count("questions", 1);
        metrics.share("ask_wrong", usize::from(outcome == Outcome::Wrong), 1);
        if self.expected.is_none() {
            metrics.share("ask_abstained", usize::from(outcome == Outcome::Abstained), 1);
            return;
        }
        metrics.mean(
            "ask_right",
            Some(match outcome {
                Outcome::Right => 1.0,
                Outcome::Half => 0.5,
                Outcome::Wrong | Outcome::Abstained => 0.0,
            }),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_enough_questions_in_enough_voices_and_with_enough_temptation() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/questions");
        let (mut all, mut without, mut tempting, mut voices) = (0, 0, 0, BTreeSet::new());
        for entry in fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if file.extension().is_none_or(|extension| extension != "tsv") {
                continue;
            }
            for line in fs::read_to_string(&file).unwrap().lines() {
                let question = Question::parse(line).unwrap();
                assert!(!question.tempting || question.expected.is_none(), "{line}");
                all += 1;
                without += usize::from(question.expected.is_none());
                tempting += usize::from(question.tempting);
                voices.insert(question.voice);
            }
        }
        assert!(all >= 200 && 10 * without >= 3 * all && tempting >= 20 && voices.len() >= 4);
    }

    #[test]
    fn codes_are_exact_and_an_answer_to_nothing_is_wrong() {
        let outcome =
            |line: &str, status: Status, said: &str| Question::parse(line).unwrap().judge(status, said);
        let code = "wifi?\tmaple-4417\tphone\tcode\t-";
        assert_eq!(outcome(code, Status::Answered, "It reads MAPLE-4417."), Outcome::Right);
        assert_eq!(outcome(code, Status::Answered, "It reads maple-4411."), Outcome::Wrong);
        assert_eq!(outcome(code, Status::Abstained, ""), Outcome::Abstained);
        assert_eq!(outcome("price?\t-", Status::Answered, "4.80"), Outcome::Wrong);
    }
}
