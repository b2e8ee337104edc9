//! Greedy decoding under Whisper's rules for time tokens.

use serde::Deserialize;

use super::MODEL;
use super::vocabulary::Vocabulary;
use crate::models::ModelError;

/// Time between two consecutive time tokens, in seconds.
const TIME_STEP_SECONDS: f64 = 0.02;
/// Latest start of the first words, in time steps. Windows start shortly before the voice.
const MAX_START_STEPS: usize = 50;
/// Longest loop that is detected, in tokens.
const MAX_LOOP_TOKENS: usize = 12;
/// Minimum number of repetitions of a few words that count as a loop.
const MIN_LOOP_REPEATS: usize = 4;

/// Tokens that are never chosen.
#[derive(Debug, Deserialize)]
pub(super) struct Rules {
    /// Suppressed everywhere: brackets, musical notes and other symbols that are not spoken.
    suppress_ids: Vec<usize>,
    /// Suppressed at the beginning.
    suppress_ids_begin: Vec<usize>,
}

impl Rules {
    /// Reads the rules from the model's `config.json`.
    pub(super) fn parse(file: &[u8]) -> Result<Rules, ModelError> {
        serde_json::from_slice(file).map_err(|error| ModelError::malformed(MODEL, error))
    }
}

/// A chosen token with its log probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    pub(super) token: usize,
    pub(super) log_probability: f32,
}

/// Words between two times of a window.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    /// Start in seconds of the window.
    pub(super) start: f64,
    /// End in seconds, if the network gave one.
    pub(super) end: Option<f64>,
    /// Text tokens; never empty.
    pub(super) words: Vec<Choice>,
}

/// Chooses the most probable token that the rules allow.
///
/// The rules are those of Whisper's decoder. Times come in pairs and do not decrease, and the first
/// token is a time. A time is chosen where all times together are more probable than any word.
pub(super) fn choose(
    logits: &mut [f32],
    so_far: &[Choice],
    vocabulary: &Vocabulary,
    rules: &Rules,
) -> Choice {
    const NEVER: f32 = f32::NEG_INFINITY;
    let (end, first_time) = (vocabulary.end, vocabulary.first_time);
    let begin = rules.suppress_ids_begin.iter().filter(|_| so_far.is_empty());
    for &token in rules.suppress_ids.iter().chain(begin).chain([&vocabulary.no_timestamps]) {
        logits[token] = NEVER;
    }
    let is_time = |back: usize| so_far.len().checked_sub(back).map(|i| so_far[i].token >= first_time);
    let opened = is_time(1) == Some(true) && is_time(2) != Some(false);
    let closed = is_time(1) == Some(true) && is_time(2) == Some(false);
    if opened {
        logits[first_time..].fill(NEVER);
    } else if closed {
        logits[..end].fill(NEVER);
    }
    if let Some(last) = so_far.iter().rev().find(|choice| choice.token >= first_time) {
        let earliest = if closed { last.token } else { last.token + 1 };
        let earliest = earliest.min(logits.len());
        logits[first_time..earliest].fill(NEVER);
    }
    if so_far.is_empty() {
        logits[..first_time].fill(NEVER);
        let latest = (first_time + MAX_START_STEPS + 1).min(logits.len());
        logits[latest..].fill(NEVER);
    }
    let times = log_sum(&logits[first_time..]);
    let word = logits[..first_time].iter().copied().fold(NEVER, f32::max);
    if times > word {
        logits[..first_time].fill(NEVER);
    }
    let total = log_sum(logits);
    let (token, logit) =
        logits.iter().enumerate().fold((end, NEVER), |best, (i, &v)| if v > best.1 { (i, v) } else { best });
    Choice { token, log_probability: logit - total }
}

/// Returns the probability of a token.
pub(super) fn probability(logits: &[f32], token: usize) -> f32 {
    (logits[token] - log_sum(logits)).exp()
}

/// Returns the logarithm of the sum of exponentials.
fn log_sum(logits: &[f32]) -> f32 {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if max == f32::NEG_INFINITY {
        return max;
    }
    max + logits.iter().map(|v| (v - max).exp()).sum::<f32>().ln()
}

/// Returns the number of tokens to keep if the decoder has begun to repeat itself.
pub(super) fn loop_start(choices: &[Choice], vocabulary: &Vocabulary) -> Option<usize> {
    let words: Vec<(usize, usize)> = choices
        .iter()
        .enumerate()
        .filter(|(_, c)| c.token < vocabulary.end)
        .map(|(i, c)| (i, c.token))
        .collect();
    (1..=MAX_LOOP_TOKENS).find_map(|period| {
        let looped = period * MIN_LOOP_REPEATS.max(MAX_LOOP_TOKENS / period);
        let tail = &words[words.len().checked_sub(looped)?..];
        let repeats = tail.iter().zip(&tail[period..]).all(|(a, b)| a.1 == b.1);
        repeats.then(|| tail[period].0)
    })
}

/// Splits tokens into segments. The last segment may have no end.
pub(super) fn segments(choices: &[Choice], vocabulary: &Vocabulary) -> Vec<Segment> {
    let (mut segments, mut start, mut words): (Vec<Segment>, f64, Vec<Choice>) =
        (Vec::new(), 0.0, Vec::new());
    let mut close = |start: f64, end: Option<f64>, words: &mut Vec<Choice>| {
        if !words.is_empty() {
            segments.push(Segment { start, end, words: std::mem::take(words) });
        }
    };
    for choice in choices {
        if choice.token >= vocabulary.first_time {
            let time = (choice.token - vocabulary.first_time) as f64 * TIME_STEP_SECONDS;
            close(start, Some(time), &mut words);
            start = time;
        } else if choice.token < vocabulary.end {
            words.push(*choice);
        }
    }
    close(start, None, &mut words);
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten words (0 to 9), then end, start, no speech, no times, and 60 times from 14 on.
    fn vocabulary() -> Vocabulary {
        Vocabulary::for_tests(10)
    }

    fn rules() -> Rules {
        Rules::parse(br#"{"suppress_ids": [3], "suppress_ids_begin": [10], "lang_ids": []}"#).expect("rules")
    }

    fn choices(tokens: &[usize]) -> Vec<Choice> {
        tokens.iter().map(|&token| Choice { token, log_probability: -0.5 }).collect()
    }

    fn chosen(favourites: &[(usize, f32)], so_far: &[usize]) -> usize {
        let mut logits = vec![0.0; 74];
        for &(token, logit) in favourites {
            logits[token] = logit;
        }
        choose(&mut logits, &choices(so_far), &vocabulary(), &rules()).token
    }

    #[test]
    fn first_token_is_an_early_time() {
        assert_eq!(chosen(&[(5, 20.0), (70, 19.0), (20, 18.0)], &[]), 20);
    }

    #[test]
    fn a_word_follows_an_opening_time_and_is_not_suppressed() {
        assert_eq!(chosen(&[(20, 20.0), (3, 19.0), (5, 18.0)], &[14]), 5);
    }

    #[test]
    fn a_time_or_the_end_follows_a_closing_time() {
        assert_eq!(chosen(&[(5, 20.0), (10, 9.0)], &[14, 5, 20]), 10);
        assert_eq!(chosen(&[(5, 20.0), (20, 9.0)], &[14, 5, 20]), 20);
    }

    #[test]
    fn times_do_not_decrease() {
        assert_eq!(chosen(&[(20, 20.0), (31, 19.0)], &[14, 5, 30, 30, 6]), 31);
        assert_eq!(chosen(&[(30, 20.0), (32, 19.0)], &[14, 5, 30, 30, 6]), 32, "no segment of no length");
    }

    #[test]
    fn many_likely_times_outweigh_one_word() {
        let times: Vec<(usize, f32)> = (20..60).map(|t| (t, 8.0)).chain([(5, 9.0)]).collect();
        assert!(chosen(&times, &[14, 6]) >= 20);
    }

    #[test]
    fn splits_tokens_into_segments() {
        let found = segments(&choices(&[16, 1, 2, 40, 42, 3, 10]), &vocabulary());
        assert_eq!(found.len(), 2);
        assert!(
            (found[0].start - 0.04).abs() < 1e-9 && found[0].end.is_some_and(|e| (e - 0.52).abs() < 1e-9)
        );
        assert_eq!(found[0].words, choices(&[1, 2]));
        assert!((found[1].start - 0.56).abs() < 1e-9);
        assert_eq!((found[1].end, &found[1].words), (None, &choices(&[3])));
    }

    #[test]
    fn cuts_a_loop_to_one_repetition() {
        let vocabulary = vocabulary();
        let round = [14, 1, 2, 3, 15];
        let looped: Vec<usize> = [9].into_iter().chain(round.repeat(4)).collect();
        assert_eq!(loop_start(&choices(&looped), &vocabulary), Some(7));
        assert_eq!(loop_start(&choices(&looped[..16]), &vocabulary), None, "three rounds may be meant");
        assert_eq!(loop_start(&choices(&[1; 11]), &vocabulary), None);
        assert_eq!(loop_start(&choices(&[1; 12]), &vocabulary), Some(1));
    }
}
