//! Splits the network's segments into sentences with times.
//!
//! The network's times are those of captions: a segment may hold several sentences or end within
//! one. The words of a window are therefore joined and split again where sentences end. The time of
//! a segment is divided over its voiced parts by letters, and sentence ends move to a nearby pause.

use std::ops::Range;

use super::decode::Choice;
use super::mel::SAMPLE_RATE_HZ;
use super::vocabulary::Vocabulary;
use super::voice_activity::Window;

/// Silence that separates sentences without a full stop, in samples.
const MIN_SILENCE_SAMPLES: usize = SAMPLE_RATE_HZ;

/// Estimated number of letters of a spoken digit ("seven", and "teen" or "twenty" before it).
const LETTERS_PER_DIGIT: usize = 5;

/// Words between two times, in samples of the sound.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Passage {
    pub(super) times: Range<usize>,
    pub(super) words: Vec<Choice>,
}

impl Passage {
    /// Returns the mean log probability of the words.
    pub(super) fn log_probability(&self) -> f32 {
        let sum: f32 = self.words.iter().map(|word| word.log_probability).sum();
        sum / self.words.len().max(1) as f32
    }
}

/// Splits the segments of a window, in order, into sentences.
pub(super) fn sentences(segments: &[Passage], window: &Window, vocabulary: &Vocabulary) -> Vec<Passage> {
    let timed = time_words(segments, window, vocabulary);
    let mut sentences: Vec<Passage> = Vec::new();
    let mut is_ended = true;
    for (i, (times, word)) in timed.iter().enumerate() {
        match sentences.last_mut() {
            Some(sentence) if !is_ended && times.start < sentence.times.end + MIN_SILENCE_SAMPLES => {
                sentence.times.end = times.end;
                sentence.words.push(*word);
            }
            last => {
                let mut start = times.start;
                if let Some(last) = last
                    && let Some(pause) = window.pause_near(last.times.end..start.max(last.times.end))
                {
                    (last.times.end, start) = (pause.start.max(last.times.start), pause.end);
                }
                sentences.push(Passage { times: start..times.end.max(start), words: vec![*word] });
            }
        }
        // A full stop ends a sentence unless a number or a word continues without a space.
        let continues =
            timed.get(i + 1).is_some_and(|(_, next)| !vocabulary.token_bytes(next.token).starts_with(b" "));
        is_ended = !continues && vocabulary.token_bytes(word.token).ends_with_any(b".?!");
    }
    sentences
}

/// Returns each word with its estimated times: its share of the segment's voiced time, by letters.
fn time_words(segments: &[Passage], window: &Window, vocabulary: &Vocabulary) -> Vec<(Range<usize>, Choice)> {
    let mut timed = Vec::new();
    for segment in segments {
        let letters = |words: &[Choice]| {
            words.iter().map(|w| spoken_letters(vocabulary.token_bytes(w.token))).sum::<usize>()
        };
        let all = letters(&segment.words).max(1) as f64;
        let at = |words: usize| {
            window.at_voice_share(&segment.times, letters(&segment.words[..words]) as f64 / all)
        };
        timed.extend(segment.words.iter().enumerate().map(|(i, &word)| (at(i)..at(i + 1), word)));
    }
    timed
}

/// Returns the estimated number of spoken letters. A digit counts as a word.
fn spoken_letters(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| if byte.is_ascii_digit() { LETTERS_PER_DIGIT } else { 1 }).sum()
}

/// Checks the last byte of a slice.
trait EndsWithAny {
    fn ends_with_any(&self, bytes: &[u8]) -> bool;
}

impl EndsWithAny for [u8] {
    fn ends_with_any(&self, bytes: &[u8]) -> bool {
        self.last().is_some_and(|last| bytes.contains(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: usize = SAMPLE_RATE_HZ;

    fn passage(times: Range<usize>, tokens: &[usize]) -> Passage {
        let words = tokens.iter().map(|&token| Choice { token, log_probability: -0.5 }).collect();
        Passage { times, words }
    }

    /// Voice from 0 to 4 and from 4.5 to 8 seconds.
    fn window() -> Window {
        Window::for_tests(&[0..4 * SECOND, 9 * SECOND / 2..8 * SECOND])
    }

    fn vocabulary() -> Vocabulary {
        Vocabulary::of_words(&[b" four", b" two", b".", b"5", b" room"])
    }

    #[test]
    fn joins_a_sentence_across_segments_and_moves_its_end_to_the_pause() {
        let segments = [passage(0..2 * SECOND, &[0, 1]), passage(2 * SECOND..8 * SECOND, &[1, 2, 4, 0, 2])];
        let found = sentences(&segments, &window(), &vocabulary());
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].words.len(), 4);
        assert_eq!(
            (found[0].times.clone(), found[1].times.clone()),
            (0..4 * SECOND, 9 * SECOND / 2..8 * SECOND)
        );
    }

    #[test]
    fn counts_a_digit_as_a_word() {
        assert_eq!([spoken_letters(b" room"), spoken_letters(b" 23"), spoken_letters(b".")], [5, 11, 1]);
    }

    #[test]
    fn a_decimal_point_does_not_end_a_sentence() {
        let found = sentences(&[passage(0..8 * SECOND, &[0, 1, 2, 3, 2])], &window(), &vocabulary());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].times, 0..8 * SECOND);
        assert!((found[0].log_probability() + 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_long_silence_ends_a_sentence() {
        let window = Window::for_tests(&[0..2 * SECOND, 5 * SECOND..8 * SECOND]);
        let segments = [passage(0..2 * SECOND, &[0]), passage(5 * SECOND..8 * SECOND, &[1])];
        let found = sentences(&segments, &window, &vocabulary());
        assert_eq!(
            found.iter().map(|s| s.times.clone()).collect::<Vec<_>>(),
            [0..2 * SECOND, 5 * SECOND..8 * SECOND]
        );
    }
}
