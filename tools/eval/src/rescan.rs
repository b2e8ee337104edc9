//! Scores the comparison of two walks of another renderer against the edits between them.
//!
//! - `found`: edits that a verified change reports: its kind, its subject and the class or text;
//! - `false`: verified changes that report no edit.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use eval::{models::Runtime, score::distance};
use knowledge::diff::{Change, ChangeKind, Subject};
use perception::Settings;
use serde::Deserialize;

use super::{
    edits::{Walk, reported},
    media::{Media, Observations},
    observation_cache::ObservationCache,
    other_renderer::fits,
};

/// Maximum share of differing letters between a reported text and an edited one.
const MAX_DISTANCE: f64 = 0.2;

/// Options of `eval rescan`.
#[derive(Args)]
pub(super) struct Arguments {
    /// The earlier and the later walk: a video, or output of the models (`.json`) as `eval walks
    /// --observations` writes it.
    #[arg(num_args = 2, required = true)]
    walks: Vec<PathBuf>,
    /// The edits between the walks, as the generator writes them. Without it, nothing changed.
    #[arg(long)]
    edits: Option<PathBuf>,
    /// Keep what the models said in this folder and reuse it.
    #[arg(long)]
    cache: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
struct Edits {
    edits: Vec<Edit>,
}

#[derive(Debug, Deserialize)]
struct Edit {
    edit: String,
    #[serde(default)]
    category: String,
    #[serde(default)]
    from_text: String,
    #[serde(default)]
    to_text: String,
}

/// Runs the evaluation and prints its results.
///
/// # Errors
/// Returns an error if a model is missing, or if a walk cannot be read or scanned.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = Runtime::default().settings();
    let cache = arguments.cache.as_deref().map(ObservationCache::open).transpose()?;
    let edits = match &arguments.edits {
        Some(file) => {
            serde_json::from_slice(&std::fs::read(file)?).with_context(|| file.display().to_string())?
        }
        None => Edits::default(),
    };
    let [before, after] = [&arguments.walks[0], &arguments.walks[1]].map(|path| {
        let observations =
            observe(path, &settings, cache.as_ref()).with_context(|| path.display().to_string());
        observations.map(|observations| Walk::of(&observations, &settings))
    });
    let changes = reported(&before?, &after?);
    let (found, wrong) = score(&changes, &edits.edits);
    for change in &changes {
        let kind = if wrong.contains(&change) { "false" } else { "right" };
        println!("{kind} {:?} {:?} {}", change.kind, change.subject, change.name);
    }
    println!("found {found} of {}, false {}", edits.edits.len(), wrong.len());
    Ok(())
}

fn observe(
    path: &PathBuf,
    settings: &Settings,
    cache: Option<&ObservationCache>,
) -> anyhow::Result<Observations> {
    if path.extension().is_some_and(|extension| extension == "json") {
        return Ok(serde_json::from_slice(&std::fs::read(path)?)?);
    }
    let models = Runtime::default().load(settings)?;
    let media = Media::video(path.clone());
    match cache {
        Some(cache) => media.observe_with(&models, settings, cache),
        None => media.observe(&models, settings, false),
    }
}

/// Returns the number of edits that were found, and the changes that report no edit.
fn score<'c>(changes: &'c [Change], edits: &[Edit]) -> (usize, Vec<&'c Change>) {
    let found = edits.iter().filter(|edit| changes.iter().any(|change| is_found(change, edit))).count();
    (found, changes.iter().filter(|change| !edits.iter().any(|edit| is_explained(change, edit))).collect())
}

/// Whether a change reports an edit completely.
fn is_found(change: &Change, edit: &Edit) -> bool {
    let of_class = change.subject == Subject::Object && fits(&change.name, &edit.category);
    let count = |is_more: fn(u32, u32) -> bool| {
        let counts = change.before.as_ref().zip(change.after.as_ref());
        change.kind == ChangeKind::CountChanged
            && counts.and_then(|(a, b)| a.count.zip(b.count)).is_some_and(|(a, b)| is_more(b.best, a.best))
    };
    match edit.edit.as_str() {
        "removed" => of_class && (change.kind == ChangeKind::Removed || count(|new, old| new < old)),
        "added" => of_class && (change.kind == ChangeKind::Added || count(|new, old| new > old)),
        "moved" => of_class && change.kind == ChangeKind::Moved,
        _ => {
            let side = |side: &Option<knowledge::diff::Side>, text: &str| {
                side.as_ref().is_some_and(|side| is_part(&side.value, text))
            };
            change.kind == ChangeKind::Changed
                && change.subject == Subject::Text
                && side(&change.before, &edit.from_text)
                && side(&change.after, &edit.to_text)
        }
    }
}

/// Whether an edit explains a change: one half of a move is no false change.
fn is_explained(change: &Change, edit: &Edit) -> bool {
    let half = edit.edit == "moved"
        && change.subject == Subject::Object
        && matches!(change.kind, ChangeKind::Removed | ChangeKind::Added | ChangeKind::CountChanged)
        && fits(&change.name, &edit.category);
    half || is_found(change, edit)
}

/// Whether a line is a sign or a part of it.
fn is_part(line: &str, sign: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    distance(line, sign) <= MAX_DISTANCE || (plain(line).len() > 2 && plain(sign).contains(&plain(line)))
}
