//! Decides which subjects of two documents can be compared: those that the same models of the same
//! provider produced. Light and colours also depend on the camera.

use std::collections::BTreeSet;

use domain::document::{Run, SpaceDocument, Task};

use super::types::{Because, Change, ChangeKind, Side, Subject, change};

/// Tasks whose runs produce the claims of each subject.
const TASKS_OF_SUBJECT: [(Subject, &[Task]); 5] = [
    (Subject::Zone, &[Task::Frames, Task::Zones]),
    (Subject::Attribute, &[Task::Light]),
    (Subject::Object, &[Task::Objects]),
    (Subject::Text, &[Task::Text]),
    (Subject::Measurement, &[Task::Measurements]),
];

/// Subjects that can be compared, and changes that report the others.
pub(super) struct Comparability {
    comparable: Vec<Subject>,
    /// One `incomparable` change for each subject that cannot be compared.
    pub(super) refusals: Vec<Change>,
}

impl Comparability {
    pub(super) fn between(before: &SpaceDocument, after: &SpaceDocument) -> Self {
        let mut comparability = Self { comparable: Vec::new(), refusals: Vec::new() };
        for (subject, tasks) in TASKS_OF_SUBJECT {
            let (old, new) = (runs(before, tasks), runs(after, tasks));
            if same_models(&old, &new) {
                if subject == Subject::Attribute && cameras(before) != cameras(after) {
                    let sides = (side(&old), side(&new));
                    let refused = change(ChangeKind::Incomparable, subject, name(subject), sides, 1.0);
                    comparability.refusals.push(refused.because(Because::DifferentCameras));
                    continue;
                }
                comparability.comparable.push(subject);
            } else {
                comparability.refusals.push(refusal(subject, &old, &new));
            }
        }
        comparability
    }

    pub(super) fn includes(&self, subject: Subject) -> bool {
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

fn same_models(old: &[&Run], new: &[&Run]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(a, b)| model(a) == model(b))
}

/// Returns what tells the cameras of a scan: kind and size of its media, upright or not.
fn cameras(document: &SpaceDocument) -> BTreeSet<(&str, u32, u32)> {
    let camera = |medium: &'_ domain::document::Medium| {
        (medium.width.min(medium.height), medium.width.max(medium.height))
    };
    let all = document.media.iter().map(|medium| (medium.kind.as_str(), camera(medium)));
    all.map(|(kind, (short, long))| (kind, short, long)).collect()
}

fn name(subject: Subject) -> &'static str {
    match subject {
        Subject::Zone => "zones",
        Subject::Attribute => "light and colours",
        Subject::Object => "objects",
        Subject::Text => "texts",
        _ => "measurements",
    }
}

fn refusal(subject: Subject, old: &[&Run], new: &[&Run]) -> Change {
    let reason =
        if old.is_empty() || new.is_empty() { Because::NotLookedFor } else { Because::DifferentModels };
    change(ChangeKind::Incomparable, subject, name(subject), (side(old), side(new)), 1.0).because(reason)
}

/// Returns the names of the models as a side without evidence.
fn side(runs: &[&Run]) -> Option<Side> {
    let first = runs.first()?;
    let name = |run: &&Run| format!("{} {}", run.model, run.version);
    Some(Side {
        id: first.id.clone(),
        value: runs.iter().map(name).collect::<Vec<_>>().join(", "),
        zone_id: None,
        zone: None,
        count: None,
        basis: None,
        confidence: 1.0,
        evidence: Vec::new(),
    })
}

/// Whether the detectors of a document know this category: a list of known categories contains it,
/// or no detector has such a list.
pub(super) fn could_see(document: &SpaceDocument, category: &str) -> bool {
    let lists = document.runs.iter().filter(|run| run.task == Task::Objects).map(|run| &run.can_know);
    let mut closed = lists.filter(|list| !list.is_empty()).peekable();
    closed.peek().is_none() || closed.any(|list| list.iter().any(|known| known == category))
}
