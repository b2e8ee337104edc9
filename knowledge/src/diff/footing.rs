//! Whether two documents can be compared: only what the same models looked for can.

use domain::document::{Run, SpaceDocument, Task};

use super::types::{Because, Change, ChangeKind, Side, Subject, change};

/// Which runs the claims of a subject rest on.
const RESTS_ON: [(Subject, &[Task]); 5] = [
    (Subject::Zone, &[Task::Frames, Task::Zones]),
    (Subject::Attribute, &[Task::Light]),
    (Subject::Object, &[Task::Objects]),
    (Subject::Text, &[Task::Text]),
    (Subject::Measurement, &[Task::Measurements]),
];

/// What can be compared, and what is to be said of the rest.
pub(super) struct Footing {
    comparable: Vec<Subject>,
    /// One `incomparable` for each subject that cannot be compared.
    pub(super) refusals: Vec<Change>,
}

impl Footing {
    pub(super) fn of(before: &SpaceDocument, after: &SpaceDocument) -> Self {
        let mut footing = Self { comparable: Vec::new(), refusals: Vec::new() };
        for (subject, tasks) in RESTS_ON {
            let (old, new) = (runs(before, tasks), runs(after, tasks));
            if same(&old, &new) {
                footing.comparable.push(subject);
            } else {
                footing.refusals.push(refusal(subject, &old, &new));
            }
        }
        footing
    }

    pub(super) fn holds(&self, subject: Subject) -> bool {
        self.comparable.contains(&subject)
    }
}

fn runs<'a>(document: &'a SpaceDocument, tasks: &[Task]) -> Vec<&'a Run> {
    let mut found: Vec<&Run> = document.runs.iter().filter(|run| tasks.contains(&run.task)).collect();
    found.sort_by(|a, b| model(a).cmp(&model(b)));
    found
}

fn model(run: &Run) -> (&str, &str, &str, &str, Option<&String>) {
    (run.task.as_str(), run.provider.as_str(), &run.model, &run.version, run.weights_sha256.as_ref())
}

fn same(old: &[&Run], new: &[&Run]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(a, b)| model(a) == model(b))
}

fn refusal(subject: Subject, old: &[&Run], new: &[&Run]) -> Change {
    let name = match subject {
        Subject::Zone => "zones",
        Subject::Attribute => "light and colours",
        Subject::Object => "objects",
        Subject::Text => "texts",
        _ => "measurements",
    };
    let reason =
        if old.is_empty() || new.is_empty() { Because::NotLookedFor } else { Because::DifferentModels };
    change(ChangeKind::Incomparable, subject, name, (side(old), side(new)), 1.0).because(reason)
}

/// The models as a side: there is nothing to see of them.
fn side(runs: &[&Run]) -> Option<Side> {
    let first = runs.first()?;
    let named = |run: &&Run| format!("{} {}", run.model, run.version);
    Some(Side {
        id: first.id.clone(),
        value: runs.iter().map(named).collect::<Vec<_>>().join(", "),
        zone_id: None,
        zone: None,
        count: None,
        confidence: 1.0,
        evidence: Vec::new(),
    })
}

/// Whether the runs of a document could have seen this category: a closed list holds it, or there is none.
pub(super) fn could_see(document: &SpaceDocument, category: &str) -> bool {
    let lists = document.runs.iter().filter(|run| run.task == Task::Objects).map(|run| &run.can_know);
    let mut closed = lists.filter(|list| !list.is_empty()).peekable();
    closed.peek().is_none() || closed.any(|list| list.iter().any(|known| known == category))
}
