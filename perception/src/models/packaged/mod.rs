//! Small models whose weights ship inside registry packages: they run offline, on the processor, and give
//! the same answer for the same input.

pub mod weights;

mod objects;
mod speech;
mod text;

use std::sync::Arc;

use domain::document::Warning;

use super::{ModelError, Models, Settings};

/// Loads each model that is wanted and can be loaded; the others are named in `absent`.
pub(super) fn load(settings: &Settings) -> Models {
    let folder = settings.folder();
    let threads = settings.thread_count();
    let mut absent = Vec::new();
    let text =
        part(&mut absent, settings.text, "TEXT_NOT_LOOKED_AT", "Text in the picture was not read", || {
            text::Reader::load(&folder, threads, settings.text_longest_side)
        });
    let speech = part(&mut absent, settings.speech, "SPEECH_NOT_LISTENED_TO", "Speech was not heard", || {
        speech::Recognizer::load(&folder, threads)
    });
    let objects =
        part(&mut absent, settings.objects, "OBJECTS_NOT_LOOKED_AT", "Things were not looked for", || {
            objects::Detector::load(&folder, threads)
        });
    Models {
        text: text.map(|model| model as _),
        speech: speech.map(|model| model as _),
        objects: objects.map(|model| model as _),
        endpoint: None,
        absent,
    }
}

/// Loads one model, or notes why it is not there.
fn part<M>(
    absent: &mut Vec<Warning>,
    wanted: bool,
    code: &str,
    what: &str,
    load: impl FnOnce() -> Result<M, ModelError>,
) -> Option<Arc<M>> {
    let reason = if wanted {
        match load() {
            Ok(model) => return Some(Arc::new(model)),
            Err(error) => {
                tracing::warn!(code, %error, "a model is not available");
                reason(&error)
            }
        }
    } else {
        "it is switched off"
    };
    absent.push(Warning { code: code.to_owned(), message: format!("{what}: {reason}.") });
    None
}

/// Why a model is absent, for a document: without paths, which belong in the log.
fn reason(error: &ModelError) -> &'static str {
    match error {
        ModelError::Unreadable { .. } => "its weights are not installed",
        ModelError::WrongHash { .. } => "its weights are not the ones that were tested",
        ModelError::Malformed { .. } | ModelError::Failed { .. } => "its weights could not be loaded",
    }
}
