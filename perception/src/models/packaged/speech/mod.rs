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
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

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

/// Files of the weights.
const FILES: [&str; 3] = ["model.bin", "vocabulary.txt", "config.json"];

/// Transcribes English with Whisper. The network, by far the largest of all, is in memory only while sound
/// is transcribed; transcriptions at the same time share it.
pub(super) struct Recognizer {
    models_dir: PathBuf,
    threads: usize,
    loaded: Mutex<Weak<Network>>,
}

impl Recognizer {
    /// Checks the weights.
    pub(super) fn load(models_dir: &Path, threads: usize) -> Result<Recognizer, ModelError> {
        for file in FILES {
            WHISPER.read(models_dir, file)?;
        }
        Ok(Recognizer { models_dir: models_dir.to_owned(), threads, loaded: Mutex::default() })
    }

    /// Returns the network, after loading it if it is not in use. Takes about half a second then.
    fn network(&self) -> Result<Arc<Network>, ModelError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(network) = loaded.upgrade() {
            return Ok(network);
        }
        let network = Arc::new(Network::load(&self.models_dir, self.threads)?);
        *loaded = Arc::downgrade(&network);
        Ok(network)
    }
}

/// The network with its vocabulary.
struct Network {
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

impl Network {
    fn load(models_dir: &Path, threads: usize) -> Result<Network, ModelError> {
        let [model, vocabulary, config] = FILES;
        let mut variables = Variables::parse(&WHISPER.read(models_dir, model)?)?;
        let vocabulary = Vocabulary::parse(&WHISPER.read(models_dir, vocabulary)?)?;
        let context = [vec![vocabulary.context_start], vocabulary.tokens(PROMPT)].concat();
        Ok(Network {
            pool: ThreadPool::with_num_threads(threads),
            mel: Mel::new(),
            encoder: Encoder::load(&mut variables)?,
            decoder: Decoder::load(&mut variables)?,
            vocabulary,
            rules: Rules::parse(&WHISPER.read(models_dir, config)?)?,
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
        let network = self.network()?;
        let mut segments = Vec::new();
        for window in voice_activity::windows(pcm16k) {
            progress(window.start() as f32 / pcm16k.len() as f32);
            segments.extend(network.pool.run(|| network.transcribe_window(pcm16k, &window))?);
        }
        progress(1.0);
        Ok(segments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Settings;

    #[test]
    fn the_network_is_shared_while_it_is_used_and_dropped_afterwards() {
        let Ok(recognizer) = Recognizer::load(&Settings::default().folder(), 1) else {
            eprintln!("skipped: the weights are not set up");
            return;
        };
        let in_memory = || recognizer.loaded.lock().unwrap().upgrade().is_some();
        assert!(!in_memory(), "nothing was transcribed yet");
        let (one, two) = (recognizer.network().unwrap(), recognizer.network().unwrap());
        assert!(Arc::ptr_eq(&one, &two) && in_memory());
        drop((one, two));
        assert!(!in_memory());
    }
}
