//! Languages of texts and sentences.

use domain::document::{NarrationSource, Provider, Run};

/// Languages of a scan, as primary subtags of BCP 47 tags.
pub(super) struct Languages<'a> {
    /// The declared language, which is that of signs and of the client's transcript.
    pub(super) declared: &'a str,
    /// Runs of models that transcribe into English.
    english_runs: Vec<&'a str>,
}

impl<'a> Languages<'a> {
    /// Reads the declared language from a BCP 47 tag. Packaged models transcribe into English.
    pub(super) fn new(tag: &'a str, runs: &'a [Run]) -> Languages<'a> {
        let packaged = runs.iter().filter(|run| run.provider == Provider::Packaged);
        Languages {
            declared: tag.split(['-', '_']).next().unwrap_or_default(),
            english_runs: packaged.map(|run| run.id.as_str()).collect(),
        }
    }

    /// Returns the language of a sentence by its source and the run that transcribed it.
    pub(super) fn of_speech(&self, source: &NarrationSource, run_id: &str) -> &'a str {
        let english = *source == NarrationSource::Transcribed && self.english_runs.contains(&run_id);
        if english { "en" } else { self.declared }
    }
}

#[cfg(test)]
mod tests {
    use domain::document::Task;

    use super::*;

    #[test]
    fn packaged_models_transcribe_into_english() {
        let run = |provider| [Run::new(Task::Speech, provider, "model", "1")];
        let (packaged, endpoint) = (run(Provider::Packaged), run(Provider::Endpoint));
        let of =
            |runs: &[Run], source| Languages::new("de-AT", runs).of_speech(&source, "run_speech").to_owned();
        assert_eq!(of(&packaged, NarrationSource::Transcribed), "en");
        assert_eq!(of(&packaged, NarrationSource::Client), "de");
        assert_eq!(of(&endpoint, NarrationSource::Transcribed), "de");
    }
}
