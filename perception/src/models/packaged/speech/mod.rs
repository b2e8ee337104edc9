//! Speech: Whisper `tiny.en`, run on rten's kernels.
//!
//! Stretches in which somebody may speak are put into windows; each is turned into a log-mel spectrogram,
//! encoded, and decoded word by word with the times at which sentences begin and end. The network invents
//! words for silence and noise, so what it is unsure of is dropped: nothing is better than a false claim.

mod decode;
mod layers;
mod mel;
mod network;
mod sentences;
mod variables;
mod vocabulary;
mod voice;

use std::collections::BTreeMap;
use std::path::Path;

use domain::document::{Provider, Run, Task};
use rten::ThreadPool;

use self::decode::{Choice, Rules, Segment, choose, loop_start, probability, segments};
use self::mel::{Mel, RATE};
use self::network::{Decoder, Encoder, TOKENS};
use self::sentences::{Passage, sentences};
use self::variables::Variables;
use self::vocabulary::Vocabulary;
use self::voice::Window;
use super::weights::WHISPER;
use crate::models::{Heard, ModelError, SpeechRecognizer};

/// What the model is called in errors and runs.
const MODEL: &str = WHISPER.model;
/// Tokens decoded for one window; faster than anybody speaks.
const MOST_TOKENS: usize = TOKENS / 2;
/// A window, or a sentence, whose tokens are less probable than this on average (logarithm) was not
/// understood.
const UNSURE: f32 = -1.0;
/// When the network itself says with this probability that nobody speaks, it must be surer of its words.
const NOBODY: f32 = 0.6;
/// How sure, as average logarithm.
const SURE: f32 = -0.4;
/// Voice left after the last sentence, in samples, that is worth listening to again.
const WORTH: usize = RATE;

/// What was said before, as far as the network knows: it is told what walks are about, so that it prefers the words of
/// places and furniture to others that sound alike.
const CONTEXT: &str = " Welcome to this place. This is the hallway, next to the kitchen and the dining room. It has a sofa, \
an armchair, a coffee table and a bookshelf. Here is the bedroom. There is a bed, a wardrobe, a nightstand, a desk and a \
lamp. Now we are back in the living room. The bathroom has a shower, a bathtub, a washbasin and a mirror. It is nine \
metres wide. In the office there are two cupboards. The refrigerator is new. It is twenty three square metres.";

/// Hears English with Whisper.
pub(super) struct Recognizer {
    pool: ThreadPool,
    mel: Mel,
    encoder: Encoder,
    decoder: Decoder,
    vocabulary: Vocabulary,
    rules: Rules,
    context: Vec<usize>,
}

/// What the network made of a window.
struct Decoded {
    /// Probability that nobody speaks.
    nobody: f32,
    /// Mean log probability of all tokens.
    log_probability: f32,
    segments: Vec<Segment>,
}

impl Recognizer {
    /// Loads the network.
    pub(super) fn load(models_dir: &Path, threads: usize) -> Result<Recognizer, ModelError> {
        let mut variables = Variables::parse(&WHISPER.read(models_dir, "model.bin")?)?;
        let vocabulary = Vocabulary::parse(&WHISPER.read(models_dir, "vocabulary.txt")?)?;
        let context = [vec![vocabulary.before], vocabulary.tokens(CONTEXT)].concat();
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

    /// Listens to at most 30 seconds.
    fn decode(&self, sound: &[f32]) -> Result<Decoded, ModelError> {
        let mut memory = self.decoder.begin(&self.encoder.encode(&self.mel.of(sound))?)?;
        for &token in &self.context {
            self.decoder.take(&mut memory, token)?;
        }
        let mut logits = self.decoder.step(&mut memory, self.vocabulary.start)?;
        let nobody = probability(&logits, self.vocabulary.no_speech);
        let mut choices: Vec<Choice> = Vec::new();
        let (mut sum, mut count) = (0.0, 0_u16);
        while choices.len() < MOST_TOKENS {
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
            logits = self.decoder.step(&mut memory, choice.token)?;
        }
        let segments = segments(&choices, &self.vocabulary);
        Ok(Decoded { nobody, log_probability: sum / f32::from(count.max(1)), segments })
    }

    /// Listens to a window, again and again while voice is left after the last words that were heard.
    fn listen_to(&self, sound: &[f32], window: &Window) -> Result<Vec<Heard>, ModelError> {
        let sound = window.of(sound);
        let (mut start, mut passages) = (0, Vec::new());
        loop {
            let decoded = self.decode(&sound[start..])?;
            tracing::debug!(start, nobody = decoded.nobody, sure = decoded.log_probability, "listened");
            let unsure = decoded.log_probability < UNSURE;
            if unsure || (decoded.nobody > NOBODY && decoded.log_probability < SURE) {
                break;
            }
            let sample = |seconds: f64| (start + (seconds * RATE as f64) as usize).min(sound.len());
            let ended = decoded.segments.last().and_then(|segment| segment.end).map(sample);
            passages.extend(decoded.segments.into_iter().map(|segment| Passage {
                times: window.times(sample(segment.start)..segment.end.map_or(sound.len(), sample)),
                words: segment.words,
            }));
            // Last words without an end go on to the end of the window.
            match ended {
                Some(next) if next >= start + WORTH && window.voice_after(next) >= WORTH => start = next,
                _ => break,
            }
        }
        let sentences = sentences(&passages, window, &self.vocabulary);
        Ok(sentences.iter().filter_map(|sentence| self.heard(sentence)).collect())
    }

    /// A sentence as text, if it has any words and they were understood.
    fn heard(&self, sentence: &Passage) -> Option<Heard> {
        let text = self.vocabulary.text(sentence.words.iter().map(|word| word.token));
        let sure = sentence.log_probability();
        if sure < UNSURE || !text.contains(char::is_alphanumeric) {
            return None;
        }
        let millis = |samples: usize| (samples * 1000 / RATE) as u64;
        let start_ms = millis(sentence.times.start);
        let end_ms = millis(sentence.times.end).max(start_ms + 1);
        Some(Heard { start_ms, end_ms, text, confidence: (sure.exp() * 1e3).round() / 1e3 })
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

    fn hears(&self, language: &str) -> bool {
        language.split('-').next().is_some_and(|primary| primary.eq_ignore_ascii_case("en"))
    }

    fn listen(&self, pcm16k: &[f32], progress: &dyn Fn(f32)) -> Result<Vec<Heard>, ModelError> {
        let mut heard = Vec::new();
        for window in voice::windows(pcm16k) {
            progress(window.start() as f32 / pcm16k.len() as f32);
            heard.extend(self.pool.run(|| self.listen_to(pcm16k, &window))?);
        }
        progress(1.0);
        Ok(heard)
    }
}
