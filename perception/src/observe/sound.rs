//! Transcribes the sound of a video.

use std::path::Path;

use domain::document::{NarrationSource, Provider, Run, Task, Warning};
use domain::media::Transcript as ClientTranscript;

use super::wav::{SAMPLE_RATE_HZ, WavReader};
use super::{SPEECH_RUN, Transcript, warning};
use crate::models::endpoint::{Budget, Endpoint};
use crate::models::{Models, SpeechRecognizer};
use crate::observation::TranscriptSegment;
use crate::signal::thousandths;
use crate::{CancelFlag, PerceptionError};

/// Longest chunk of sound that is transcribed at once, in seconds. It bounds the memory that hours
/// of sound need.
const MAX_CHUNK_SECONDS: usize = 180;
/// Length of the end of a chunk in which the quietest moment is looked for, in seconds.
const CUT_SEARCH_SECONDS: usize = 15;
/// Root mean square (of 1) up to which a tenth of a second is silent. Silent chunks are skipped.
const SILENCE_RMS: f32 = 0.003;
/// Length of the windows whose loudness is compared with [`SILENCE_RMS`], in samples.
const SILENCE_WINDOW_SAMPLES: usize = SAMPLE_RATE_HZ / 10;
/// Length of the quiet moment at which a chunk is cut, in samples.
const CUT_WINDOW_SAMPLES: usize = SAMPLE_RATE_HZ / 5;
/// Step between two moments that are tried for a cut, in samples.
const CUT_STEP_SAMPLES: usize = SAMPLE_RATE_HZ / 20;
/// Largest progress that is reported before the end.
const MAX_PROGRESS: f32 = 0.99;

/// Transcribes the sound of a video. Calls `progress` with the share done. Blocks.
///
/// A missing model or an unsupported language adds a warning and yields no segments.
///
/// # Errors
/// Returns an error if the file cannot be read back or the model fails. Both may succeed when
/// retried.
pub fn transcribe(
    models: &Models,
    audio: &Path,
    language: &str,
    progress: &dyn Fn(f32),
    cancel: &CancelFlag,
) -> Result<Transcript, PerceptionError> {
    let endpoint = models.endpoint.as_deref().filter(|endpoint| endpoint.speech_run().is_some());
    let packaged = models.speech.as_deref().filter(|model| model.supports_language(language));
    if packaged.is_none() && endpoint.is_none() {
        // The warnings of the models say why a model is absent.
        let absent = models.absent.clone();
        let warnings = if models.speech.is_some() { vec![unsupported_language(language)] } else { absent };
        return Ok(Transcript { warnings, ..Transcript::default() });
    }
    let failed = |e| PerceptionError::internal(format!("reading {}", audio.display()), e);
    let mut chunks = Chunks::new(WavReader::open(audio).map_err(failed)?);
    let total = chunks.wav.total as f32;
    let mut transcriber = Transcriber {
        remote: endpoint.map(|endpoint| Remote { endpoint, budget: endpoint.budget() }),
        packaged,
        language,
        cancel,
        out: Transcript { runs: packaged.iter().map(|model| model.run()).collect(), ..Transcript::default() },
    };
    while let Some(chunk) = chunks.next_chunk().map_err(failed)? {
        cancel.check()?;
        let (from, share) = (chunk.start as f32 / total, chunk.samples.len() as f32 / total);
        let report = |done: f32| progress((from + share * done.clamp(0.0, 1.0)).min(MAX_PROGRESS));
        transcriber.transcribe(&chunk, &report)?;
        report(1.0);
    }
    let out = transcriber.finish();
    progress(1.0);
    Ok(out)
}

/// A part of the sound.
struct Chunk {
    /// Sample of the whole sound at which the chunk starts.
    start: usize,
    /// Samples from −1 to 1.
    samples: Vec<f32>,
}

/// Reads a sound in chunks that end at quiet moments.
struct Chunks {
    wav: WavReader,
    /// Samples after the last cut.
    pending: Vec<f32>,
    /// Sample at which the next chunk starts.
    start: usize,
}

impl Chunks {
    fn new(wav: WavReader) -> Chunks {
        Chunks { wav, pending: Vec::new(), start: 0 }
    }

    fn next_chunk(&mut self) -> std::io::Result<Option<Chunk>> {
        if self.start >= self.wav.total {
            return Ok(None);
        }
        let more = self.wav.read(MAX_CHUNK_SECONDS * SAMPLE_RATE_HZ - self.pending.len())?;
        self.pending.extend(more);
        let is_last = self.start + self.pending.len() >= self.wav.total;
        let length = if is_last { self.pending.len() } else { quietest_cut(&self.pending) };
        let rest = self.pending.split_off(length);
        let samples = std::mem::replace(&mut self.pending, rest);
        let start = self.start;
        self.start += length;
        Ok(Some(Chunk { start, samples }))
    }
}

/// Transcribes chunks, by the endpoint first and by the packaged model where that fails.
struct Transcriber<'a> {
    remote: Option<Remote<'a>>,
    packaged: Option<&'a dyn SpeechRecognizer>,
    language: &'a str,
    cancel: &'a CancelFlag,
    out: Transcript,
}

impl Transcriber<'_> {
    fn transcribe(&mut self, chunk: &Chunk, report: &dyn Fn(f32)) -> Result<(), PerceptionError> {
        if !chunk.samples.chunks(SILENCE_WINDOW_SAMPLES).any(|tenth| loudness(tenth) > SILENCE_RMS) {
            return Ok(());
        }
        let remote = match &mut self.remote {
            Some(remote) => remote.transcribe(&chunk.samples, self.language, &mut self.out, self.cancel)?,
            None => None,
        };
        let segments = match (remote, self.packaged) {
            (Some(segments), _) => segments,
            (None, Some(model)) => model.transcribe(&chunk.samples, report)?,
            (None, None) => {
                let warning = unsupported_language(self.language);
                if !self.out.warnings.contains(&warning) {
                    self.out.warnings.push(warning);
                }
                Vec::new()
            }
        };
        let offset = (chunk.start * 1000 / SAMPLE_RATE_HZ) as u64;
        let spoken = segments.into_iter().filter(|s| !s.text.trim().is_empty());
        self.out.segments.extend(spoken.map(|s| TranscriptSegment {
            start_ms: offset + s.start_ms,
            end_ms: offset + s.end_ms.max(s.start_ms),
            text: s.text.trim().to_owned(),
            confidence: thousandths(s.confidence.clamp(0.0, 1.0)),
            ..s
        }));
        Ok(())
    }

    fn finish(mut self) -> Transcript {
        if let Some(remote) = self.remote {
            self.out.runs.extend(remote.endpoint.speech_run());
            self.out.usage.extend(remote.budget.usage());
        }
        self.out
    }
}

fn unsupported_language(language: &str) -> Warning {
    let message = format!("There is sound, but no available model understands the language {language:?}.");
    warning("LANGUAGE_NOT_HEARD", message)
}

/// An endpoint that transcribes, with its budget for this sound.
struct Remote<'a> {
    endpoint: &'a Endpoint,
    budget: Budget,
}

impl Remote<'_> {
    /// Returns the segments, or `None` after adding a warning where the request failed.
    fn transcribe(
        &mut self,
        pcm16k: &[f32],
        language: &str,
        out: &mut Transcript,
        cancel: &CancelFlag,
    ) -> Result<Option<Vec<TranscriptSegment>>, PerceptionError> {
        match self.endpoint.transcribe(pcm16k, language, &mut self.budget, cancel) {
            Ok(segments) => Ok(Some(segments)),
            Err(error) => {
                cancel.check()?;
                tracing::warn!(%error, "a transcription request failed; using the packaged model");
                if out.warnings.iter().all(|w| w.code != error.code()) {
                    let message = format!("The endpoint did not transcribe all of the sound ({error}).");
                    out.warnings.push(warning(error.code(), message));
                }
                Ok(None)
            }
        }
    }
}

/// Converts the transcript supplied by the client. Text without times becomes one segment over the
/// whole duration.
pub fn client_transcript(transcript: &ClientTranscript, duration_ms: u64) -> Transcript {
    let segment = |start_ms: u64, end_ms: u64, text: &str| TranscriptSegment {
        start_ms,
        end_ms: end_ms.max(start_ms),
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        confidence: 1.0,
        source: NarrationSource::Client,
        run_id: SPEECH_RUN.to_owned(),
    };
    let mut segments: Vec<TranscriptSegment> =
        transcript.segments.iter().map(|s| segment(s.start_ms, s.end_ms, &s.text)).collect();
    if segments.is_empty() {
        segments.push(segment(0, duration_ms, &transcript.text));
    }
    segments.retain(|p| !p.text.is_empty());
    segments.sort_by_key(|p| (p.start_ms, p.end_ms));
    let run = Run::new(Task::Speech, Provider::Client, "transcript of the request", "1");
    let runs = if segments.is_empty() { Vec::new() } else { vec![run] };
    Transcript { segments, runs, ..Transcript::default() }
}

/// Returns the root mean square of samples.
fn loudness(samples: &[f32]) -> f32 {
    (samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32).sqrt()
}

/// Returns the sample at which to cut a chunk: the middle of the quietest fifth of a second near
/// its end.
fn quietest_cut(samples: &[f32]) -> usize {
    let (window, step) = (CUT_WINDOW_SAMPLES, CUT_STEP_SAMPLES);
    let from = samples.len().saturating_sub(CUT_SEARCH_SECONDS * SAMPLE_RATE_HZ);
    let starts = (from..samples.len().saturating_sub(window)).step_by(step);
    let best = starts
        .min_by(|a, b| loudness(&samples[*a..*a + window]).total_cmp(&loudness(&samples[*b..*b + window])));
    best.map_or(samples.len(), |start| start + window / 2)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::models::ModelError;

    /// Records the length of each chunk, in samples, and returns one segment for each.
    #[derive(Default)]
    struct RecordingModel(Mutex<Vec<usize>>);

    impl SpeechRecognizer for RecordingModel {
        fn run(&self) -> Run {
            client_transcript(&ClientTranscript { text: "x".to_owned(), segments: Vec::new() }, 0)
                .runs
                .remove(0)
        }
        fn supports_language(&self, language: &str) -> bool {
            language.starts_with("en")
        }
        fn transcribe(&self, pcm: &[f32], _: &dyn Fn(f32)) -> Result<Vec<TranscriptSegment>, ModelError> {
            self.0.lock().unwrap().push(pcm.len());
            Ok(vec![TranscriptSegment::transcribed(0, 10, " word ".to_owned(), 0.9, SPEECH_RUN)])
        }
    }

    fn transcribed(samples: &[i16], language: &str) -> (Transcript, Vec<usize>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.wav");
        super::super::wav::write(&path, samples);
        let model = Arc::new(RecordingModel::default());
        let models = Models { speech: Some(model.clone()), ..Models::none() };
        let transcript = transcribe(&models, &path, language, &|_| (), &CancelFlag::new()).unwrap();
        let lengths = model.0.lock().unwrap().clone();
        (transcript, lengths)
    }

    #[test]
    fn cuts_long_sound_at_quiet_moments_and_keeps_times() {
        let mut samples: Vec<i16> =
            (0..400 * SAMPLE_RATE_HZ).map(|i| if i % 40 < 20 { 6000 } else { -6000 }).collect();
        samples[170 * SAMPLE_RATE_HZ..171 * SAMPLE_RATE_HZ].fill(0);
        let (transcript, lengths) = transcribed(&samples, "en");
        assert_eq!(lengths.iter().sum::<usize>(), samples.len());
        assert!((170 * SAMPLE_RATE_HZ..171 * SAMPLE_RATE_HZ).contains(&lengths[0]), "{lengths:?}");
        assert_eq!(transcript.segments[1].start_ms, (lengths[0] * 1000 / SAMPLE_RATE_HZ) as u64);
        assert_eq!(transcript.segments[0].text, "word");
    }

    #[test]
    fn skips_silence_and_warns_about_an_unsupported_language() {
        assert!(transcribed(&vec![3; 5 * SAMPLE_RATE_HZ], "en").1.is_empty());
        let (transcript, lengths) = transcribed(&vec![9000; SAMPLE_RATE_HZ], "de");
        assert!(lengths.is_empty() && transcript.segments.is_empty());
        assert_eq!(transcript.warnings[0].code, "LANGUAGE_NOT_HEARD");
    }

    #[test]
    fn client_text_without_times_becomes_one_segment() {
        let client = ClientTranscript { text: "This  is the\nkitchen.".to_owned(), segments: Vec::new() };
        let transcript = client_transcript(&client, 5000);
        assert_eq!(
            (transcript.segments[0].text.as_str(), transcript.segments[0].end_ms),
            ("This is the kitchen.", 5000)
        );
        assert!(client_transcript(&ClientTranscript::default(), 5000).runs.is_empty());
    }
}
