//! Transcribes speech with Whisper `tiny.en`, run on rten's kernels.
//!
//! Voiced stretches are collected into windows. Each window is converted to a log-mel spectrogram,
//! encoded, and decoded token by token with the times at which sentences begin and end. The network
//! invents words for silence and noise, so improbable words are dropped: no claim is better than a
//! false one.

pub(in crate::models::packaged) mod ctranslate2;
mod decode;
mod layers;
mod mel;
mod network;
mod sentences;
mod vocabulary;
mod voice_activity;

use std::collections::BTreeMap;
use std::path::Path;

use domain::document::{Provider, Run, Task};
use rten::ThreadPool;

use self::ctranslate2::Variables;
use self::decode::{Choice, Rules, Segment, choose, loop_start, probability, segments};
use self::mel::{Mel, SAMPLE_RATE_HZ};
use self::network::{Decoder, Encoder, MAX_TOKENS};
use self::sentences::{Passage, sentences};
use self::vocabulary::Vocabulary;
use self::voice_activity::Window;
use super::weights::{WHISPER, WHISPER_MODEL};
use crate::models::{ModelError, SpeechRecognizer};
use crate::observation::TranscriptSegment;

/// Name of the model in errors and runs.
const MODEL: &str = WHISPER_MODEL;
/// Id of the run in a document.
const RUN_ID: &str = "run_speech";
/// Maximum number of tokens per window: more than the fastest speech needs.
const MAX_TOKENS_PER_WINDOW: usize = MAX_TOKENS / 2;
/// Minimum mean log probability of the tokens of a window or sentence. Below it, the speech was not
/// understood.
const MIN_LOG_PROBABILITY: f32 = -1.0;
/// Probability of the no-speech token above which a window must reach
/// [`NO_SPEECH_MIN_LOG_PROBABILITY`].
const NO_SPEECH_PROBABILITY: f32 = 0.6;
/// Minimum mean log probability of a window that probably contains no speech.
const NO_SPEECH_MIN_LOG_PROBABILITY: f32 = -0.4;
/// Minimum voice after the last sentence, in samples, for another pass.
const MIN_REMAINING_VOICE_SAMPLES: usize = SAMPLE_RATE_HZ;

/// Context that precedes each window. It makes the network prefer words for places and furniture to
/// others that sound alike.
const PROMPT: &str = " Welcome to this place. This is the hallway, next to the kitchen and the dining room. It has a sofa, \
an armchair, a coffee table and a bookshelf. Here is the bedroom. There is a bed, a wardrobe, a nightstand, a desk and a \
lamp. Now we are back in the living room. The bathroom has a shower, a bathtub, a washbasin and a mirror. It is nine \
metres wide. In the office there are two cupboards. The refrigerator is new. It is twenty three square metres.";

/// Transcribes English with Whisper.
pub(super) struct Recognizer {
    pool: ThreadPool,
    mel: Mel,
    encoder: Encoder,
    decoder: Decoder,
    vocabulary: Vocabulary,
    rules: Rules,
    context: Vec<usize>,
}

/// Result of decoding a window.
struct Decoded {
    /// Probability that the window contains no speech.
    no_speech: f32,
    /// Mean log probability of all tokens.
    log_probability: f32,
    segments: Vec<Segment>,
}

impl Recognizer {
    /// Loads the network.
    pub(super) fn load(models_dir: &Path, threads: usize) -> Result<Recognizer, ModelError> {
        let mut variables = Variables::parse(&WHISPER.read(models_dir, "model.bin")?)?;
        let vocabulary = Vocabulary::parse(&WHISPER.read(models_dir, "vocabulary.txt")?)?;
        let context = [vec![vocabulary.context_start], vocabulary.tokens(PROMPT)].concat();
        Ok(Recognizer {
            pool: ThreadPool::with_num_threads(threads),
            mel: Mel::new(),
            encoder: Encoder::load(&mut variables)?,
            decoder: Decoder::load(&mut variables)?,
            vocabulary,
            rules: Rules::parse(&WHISPER.read(models_dir, "config.json")?)?,
            context,
        })
    }

    /// Decodes at most 30 seconds of sound.
    fn decode(&self, sound: &[f32]) -> Result<Decoded, ModelError> {
        let mut cache = self.decoder.begin(&self.encoder.encode(&self.mel.of(sound))?)?;
        self.decoder.advance(&mut cache, &self.context)?;
        let mut logits = self.decoder.step(&mut cache, self.vocabulary.start)?;
        let no_speech = probability(&logits, self.vocabulary.no_speech);
        let mut choices: Vec<Choice> = Vec::new();
        let (mut sum, mut count) = (0.0, 0_u16);
        while choices.len() < MAX_TOKENS_PER_WINDOW {
            let choice = choose(&mut logits, &choices, &self.vocabulary, &self.rules);
            sum += choice.log_probability;
            count += 1;
            if choice.token == self.vocabulary.end {
                break;
            }
            choices.push(choice);
            if let Some(keep) = loop_start(&choices, &self.vocabulary) {
                choices.truncate(keep);
                break;
            }
            logits = self.decoder.step(&mut cache, choice.token)?;
        }
        let segments = segments(&choices, &self.vocabulary);
        Ok(Decoded { no_speech, log_probability: sum / f32::from(count.max(1)), segments })
    }

    /// Transcribes a window. Continues after the last sentence while enough voice remains.
    fn transcribe_window(
        &self,
        sound: &[f32],
        window: &Window,
    ) -> Result<Vec<TranscriptSegment>, ModelError> {
        let sound = window.of(sound);
        let (mut start, mut passages) = (0, Vec::new());
        loop {
            let decoded = self.decode(&sound[start..])?;
            tracing::debug!(
                start,
                no_speech = decoded.no_speech,
                log_probability = decoded.log_probability,
                "decoded a window"
            );
            let unlikely = decoded.log_probability < MIN_LOG_PROBABILITY;
            if unlikely
                || (decoded.no_speech > NO_SPEECH_PROBABILITY
                    && decoded.log_probability < NO_SPEECH_MIN_LOG_PROBABILITY)
            {
                break;
            }
            let sample = |seconds: f64| (start + (seconds * SAMPLE_RATE_HZ as f64) as usize).min(sound.len());
            let end = decoded.segments.last().and_then(|segment| segment.end).map(sample);
            passages.extend(decoded.segments.into_iter().map(|segment| Passage {
                times: window.times(sample(segment.start)..segment.end.map_or(sound.len(), sample)),
                words: segment.words,
            }));
            // A last segment without an end extends to the end of the window.
            match end {
                Some(next)
                    if next >= start + MIN_REMAINING_VOICE_SAMPLES
                        && window.voice_after(next) >= MIN_REMAINING_VOICE_SAMPLES =>
                {
                    start = next
                }
                _ => break,
            }
        }
        let sentences = sentences(&passages, window, &self.vocabulary);
        Ok(sentences.iter().filter_map(|sentence| self.segment(sentence)).collect())
    }

    /// Converts a sentence to a transcript segment, if it has words and is probable enough.
    fn segment(&self, sentence: &Passage) -> Option<TranscriptSegment> {
        let text = self.vocabulary.text(sentence.words.iter().map(|word| word.token));
        let log_probability = sentence.log_probability();
        if log_probability < MIN_LOG_PROBABILITY || !text.contains(char::is_alphanumeric) {
            return None;
        }
        let millis = |samples: usize| (samples * 1000 / SAMPLE_RATE_HZ) as u64;
        let start_ms = millis(sentence.times.start);
        let end_ms = millis(sentence.times.end).max(start_ms + 1);
        let confidence = f64::from((log_probability.exp() * 1e3).round() / 1e3);
        Some(TranscriptSegment::transcribed(start_ms, end_ms, text, confidence, RUN_ID))
    }
}

impl SpeechRecognizer for Recognizer {
    fn run(&self) -> Run {
        let version = format!("{} {}", WHISPER.package, WHISPER.version);
        Run {
            weights_sha256: Some(WHISPER.digest()),
            parameters: BTreeMap::from([
                ("context".to_owned(), "rooms and furniture".to_owned()),
                ("decoding".to_owned(), "greedy".to_owned()),
                ("language".to_owned(), "en".to_owned()),
            ]),
            ..Run::new(Task::Speech, Provider::Packaged, MODEL, version)
        }
    }

    fn supports_language(&self, language: &str) -> bool {
        language.split('-').next().is_some_and(|primary| primary.eq_ignore_ascii_case("en"))
    }

    fn transcribe(
        &self,
        pcm16k: &[f32],
        progress: &dyn Fn(f32),
    ) -> Result<Vec<TranscriptSegment>, ModelError> {
        let mut segments = Vec::new();
        for window in voice_activity::windows(pcm16k) {
            progress(window.start() as f32 / pcm16k.len() as f32);
            segments.extend(self.pool.run(|| self.transcribe_window(pcm16k, &window))?);
        }
        progress(1.0);
        Ok(segments)
    }
}
