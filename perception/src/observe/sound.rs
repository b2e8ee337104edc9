//! Listening.

use std::path::Path;

use domain::document::{NarrationSource, Provider, Run, Task, Warning};
use domain::media::Transcript;

use super::wav::{RATE, Wav};
use super::{SPEECH_RUN, Sounds, Spoken, warning};
use crate::models::endpoint::{self, Endpoint, Spending};
use crate::models::{Heard, Models};
use crate::signal::thousandths;
use crate::{CancelFlag, PerceptionError};

/// Sound is heard in stretches of at most this many seconds, so that hours need little memory…
const STRETCH_SECONDS: usize = 180;
/// …cut at the quietest moment of so many seconds at their end.
const CUT_SECONDS: usize = 15;
/// A stretch in which no tenth of a second is louder than this (of 1) is silent.
const SILENCE: f32 = 0.003;

/// What is said in the sound of a video. `progress` is told the share done. Blocks.
///
/// What cannot be heard is said in the warnings: no model, or a language that the model does not know.
///
/// # Errors
/// When the file cannot be read back or the model fails; both may pass on a second try.
pub fn sound(
    models: &Models,
    audio: &Path,
    language: &str,
    progress: &dyn Fn(f32),
    cancel: &CancelFlag,
) -> Result<Sounds, PerceptionError> {
    let remote = models.endpoint.as_deref().filter(|endpoint| endpoint.speech_run().is_some());
    let speech = models.speech.as_ref().filter(|speech| speech.hears(language));
    if speech.is_none() && remote.is_none() {
        // Why a model is absent stands among the models' own warnings.
        let warnings =
            if models.speech.is_some() { vec![not_heard(language)] } else { models.absent.clone() };
        return Ok(Sounds { warnings, ..Sounds::default() });
    }
    let failed = |e| PerceptionError::internal(format!("reading {}", audio.display()), e);
    let mut wav = Wav::open(audio).map_err(failed)?;
    let mut out = Sounds { runs: speech.iter().map(|speech| speech.run()).collect(), ..Sounds::default() };
    let mut remote = remote.map(|endpoint| Remote { endpoint, spending: endpoint.spending() });
    let mut held: Vec<f32> = Vec::new();
    let mut start = 0;
    while start < wav.total {
        cancel.check()?;
        let more = wav.read(STRETCH_SECONDS * RATE - held.len()).map_err(failed)?;
        held.extend(more);
        let last = start + held.len() >= wav.total;
        let cut = if last { held.len() } else { quietest(&held) };
        let rest = held.split_off(cut);
        if held.chunks(RATE / 10).any(|tenth| loudness(tenth) > SILENCE) {
            let (from, share) = (start as f32 / wav.total as f32, cut as f32 / wav.total as f32);
            let tell = |done: f32| progress((from + share * done.clamp(0.0, 1.0)).min(0.99));
            let offset = (start * 1000 / RATE) as u64;
            let far = match &mut remote {
                Some(remote) => remote.hear(&held, language, &mut out, cancel)?,
                None => None,
            };
            let (heard, run_id) = match (far, speech) {
                (Some(heard), _) => (heard, endpoint::SPEECH_RUN),
                (None, Some(speech)) => (speech.listen(&held, &tell)?, SPEECH_RUN),
                (None, None) => {
                    let unheard = not_heard(language);
                    if !out.warnings.contains(&unheard) {
                        out.warnings.push(unheard);
                    }
                    (Vec::new(), SPEECH_RUN)
                }
            };
            out.pieces.extend(heard.into_iter().filter(|h| !h.text.trim().is_empty()).map(|h| Spoken {
                start_ms: offset + h.start_ms,
                end_ms: offset + h.end_ms.max(h.start_ms),
                text: h.text.trim().to_owned(),
                confidence: thousandths(f64::from(h.confidence).clamp(0.0, 1.0)),
                source: NarrationSource::Transcribed,
                run_id: run_id.to_owned(),
            }));
        }
        progress(((start + cut) as f32 / wav.total as f32).min(0.99));
        start += cut;
        held = rest;
    }
    if let Some(remote) = remote {
        out.runs.extend(remote.endpoint.speech_run());
        out.usage.extend(remote.spending.usage());
    }
    progress(1.0);
    Ok(out)
}

fn not_heard(language: &str) -> Warning {
    let message =
        format!("There is sound, and no model that answered understands the language {language:?}.");
    warning("LANGUAGE_NOT_HEARD", message)
}

/// An endpoint that listens.
struct Remote<'a> {
    endpoint: &'a Endpoint,
    spending: Spending,
}

impl Remote<'_> {
    /// What it heard; none, with a warning, where it failed.
    fn hear(
        &mut self,
        pcm16k: &[f32],
        language: &str,
        out: &mut Sounds,
        cancel: &CancelFlag,
    ) -> Result<Option<Vec<Heard>>, PerceptionError> {
        match self.endpoint.hear(pcm16k, language, &mut self.spending, cancel) {
            Ok(heard) => Ok(Some(heard)),
            Err(fault) => {
                cancel.check()?;
                tracing::warn!(%fault, "the endpoint did not hear; the packaged model listens");
                if out.warnings.iter().all(|w| w.code != fault.code()) {
                    let message = format!("An endpoint did not hear all of the sound ({fault}).");
                    out.warnings.push(warning(fault.code(), message));
                }
                Ok(None)
            }
        }
    }
}

/// What the client says was said. Text without times is one piece over the whole length.
pub fn transcript(transcript: &Transcript, duration_ms: u64) -> Sounds {
    let piece = |start_ms: u64, end_ms: u64, text: &str| Spoken {
        start_ms,
        end_ms: end_ms.max(start_ms),
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        confidence: 1.0,
        source: NarrationSource::Client,
        run_id: SPEECH_RUN.to_owned(),
    };
    let mut pieces: Vec<Spoken> =
        transcript.segments.iter().map(|s| piece(s.start_ms, s.end_ms, &s.text)).collect();
    if pieces.is_empty() {
        pieces.push(piece(0, duration_ms, &transcript.text));
    }
    pieces.retain(|p| !p.text.is_empty());
    pieces.sort_by_key(|p| (p.start_ms, p.end_ms));
    let run = Run::new(Task::Speech, Provider::Client, "transcript of the request", "1");
    let runs = if pieces.is_empty() { Vec::new() } else { vec![run] };
    Sounds { pieces, runs, ..Sounds::default() }
}

fn loudness(samples: &[f32]) -> f32 {
    (samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32).sqrt()
}

/// Where to cut a stretch: in the middle of its quietest fifth of a second, looked for at the end.
fn quietest(samples: &[f32]) -> usize {
    let (window, step) = (RATE / 5, RATE / 20);
    let from = samples.len().saturating_sub(CUT_SECONDS * RATE);
    let starts = (from..samples.len().saturating_sub(window)).step_by(step);
    let best = starts
        .min_by(|a, b| loudness(&samples[*a..*a + window]).total_cmp(&loudness(&samples[*b..*b + window])));
    best.map_or(samples.len(), |start| start + window / 2)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::models::{Heard, ModelError, SpeechRecognizer};

    /// Answers with one piece for each stretch: its length in samples.
    #[derive(Default)]
    struct Ear(Mutex<Vec<usize>>);

    impl SpeechRecognizer for Ear {
        fn run(&self) -> Run {
            transcript(&Transcript { text: "x".to_owned(), segments: Vec::new() }, 0).runs.remove(0)
        }
        fn hears(&self, language: &str) -> bool {
            language.starts_with("en")
        }
        fn listen(&self, pcm: &[f32], _: &dyn Fn(f32)) -> Result<Vec<Heard>, ModelError> {
            self.0.lock().unwrap().push(pcm.len());
            Ok(vec![Heard { start_ms: 0, end_ms: 10, text: " word ".to_owned(), confidence: 0.9 }])
        }
    }

    fn listened(samples: &[i16], language: &str) -> (Sounds, Vec<usize>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.wav");
        super::super::wav::write(&path, samples);
        let ear = Arc::new(Ear::default());
        let models = Models { speech: Some(ear.clone()), ..Models::none() };
        let sounds = sound(&models, &path, language, &|_| (), &CancelFlag::new()).unwrap();
        let lengths = ear.0.lock().unwrap().clone();
        (sounds, lengths)
    }

    #[test]
    fn long_sound_is_cut_where_it_is_quiet_and_keeps_its_times() {
        let mut samples: Vec<i16> = (0..400 * RATE).map(|i| if i % 40 < 20 { 6000 } else { -6000 }).collect();
        samples[170 * RATE..171 * RATE].fill(0);
        let (sounds, lengths) = listened(&samples, "en");
        assert_eq!(lengths.iter().sum::<usize>(), samples.len());
        assert!((170 * RATE..171 * RATE).contains(&lengths[0]), "{lengths:?}");
        assert_eq!(sounds.pieces[1].start_ms, (lengths[0] * 1000 / RATE) as u64);
        assert_eq!(sounds.pieces[0].text, "word");
    }

    #[test]
    fn silence_is_not_listened_to_and_an_unknown_language_is_said() {
        assert!(listened(&vec![3; 5 * RATE], "en").1.is_empty());
        let (sounds, lengths) = listened(&vec![9000; RATE], "de");
        assert!(lengths.is_empty() && sounds.pieces.is_empty());
        assert_eq!(sounds.warnings[0].code, "LANGUAGE_NOT_HEARD");
    }

    #[test]
    fn a_transcript_without_times_is_one_piece() {
        let given = Transcript { text: "This  is the\nkitchen.".to_owned(), segments: Vec::new() };
        let sounds = transcript(&given, 5000);
        assert_eq!((sounds.pieces[0].text.as_str(), sounds.pieces[0].end_ms), ("This is the kitchen.", 5000));
        assert!(transcript(&Transcript::default(), 5000).runs.is_empty());
    }
}
