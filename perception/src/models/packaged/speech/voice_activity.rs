//! Voice activity detection: finds where somebody may be speaking, by level and its variation.
//!
//! It only selects what the network transcribes; the network decides whether it is speech. The
//! network works best on full windows. Windows therefore join voiced stretches and shorten the
//! silence between them, and their times are mapped back to the sound.

use std::ops::Range;

use super::mel::{MAX_INPUT_SAMPLES, SAMPLE_RATE_HZ};

/// Samples per step of the level: 20 ms.
const STEP_SAMPLES: usize = SAMPLE_RATE_HZ / 50;
/// Minimum level of voice, in decibels relative to full scale.
const MIN_LEVEL_DB: f32 = -55.0;
/// Minimum difference between the loud and the soft moments of speech, in decibels. Steady noise
/// varies less.
const MIN_DYNAMIC_RANGE_DB: f32 = 6.0;
/// Position of the voice threshold between the softest and the loudest moments, 0 to 1.
const VOICE_LEVEL_SHARE: f32 = 0.3;
/// Shortest pause, in steps. A voice is quieter for less time between words.
const MIN_PAUSE_STEPS: usize = 15;
/// Shortest voiced stretch, in steps; anything shorter is a click.
const MIN_VOICE_STEPS: usize = 5;
/// Samples kept before and after a voiced stretch. A long silence is shortened to these.
const MARGIN_SAMPLES: usize = SAMPLE_RATE_HZ / 2;
/// Maximum length of a window in samples: the network's 30 seconds less one.
const MAX_WINDOW_SAMPLES: usize = MAX_INPUT_SAMPLES - SAMPLE_RATE_HZ;
/// Typical error of the network's times, in samples.
const TIME_ERROR_SAMPLES: usize = SAMPLE_RATE_HZ / 2;
/// Maximum distance, in samples, over which the end of a sentence moves to a pause.
const MAX_PAUSE_DISTANCE_SAMPLES: usize = SAMPLE_RATE_HZ * 4 / 5;

/// Input of one run of the network: consecutive parts of the sound.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Window {
    /// Parts, in samples of the sound.
    parts: Vec<Range<usize>>,
    /// Voiced stretches, in samples of the sound.
    voiced: Vec<Range<usize>>,
}

impl Window {
    /// Returns the samples of the window.
    pub(super) fn of(&self, sound: &[f32]) -> Vec<f32> {
        self.parts.iter().flat_map(|part| &sound[part.clone()]).copied().collect()
    }

    /// Returns the start of the window in samples of the sound.
    pub(super) fn start(&self) -> usize {
        self.parts.first().map_or(0, |part| part.start)
    }

    /// Returns the number of voiced samples after a sample of the window.
    pub(super) fn voice_after(&self, offset: usize) -> usize {
        let at = self.to_sound(offset);
        self.voiced.iter().map(|v| v.end.saturating_sub(v.start.max(at))).sum()
    }

    /// Maps the times of a sentence from samples of the window to samples of the sound. A time
    /// between two voiced stretches, or barely inside the wrong one, moves to the right one.
    pub(super) fn times(&self, spoken: Range<usize>) -> Range<usize> {
        let (start, end) = (self.to_sound(spoken.start), self.to_sound(spoken.end));
        let from = self.voiced.iter().position(|v| start + TIME_ERROR_SAMPLES.min(v.len() / 2) < v.end);
        let to = self.voiced.iter().rposition(|v| end > v.start + TIME_ERROR_SAMPLES.min(v.len() / 2));
        match (from, to) {
            (Some(from), Some(to)) if from <= to => {
                let (first, last) = (&self.voiced[from], &self.voiced[to]);
                start.max(first.start)..end.min(last.end)
            }
            _ => start..end.max(start),
        }
    }

    /// Returns the sample of the sound at which a share (0 to 1) of the voice between two times has
    /// passed.
    pub(super) fn at_voice_share(&self, times: &Range<usize>, share: f64) -> usize {
        let clip = |v: &Range<usize>| v.start.max(times.start)..v.end.min(times.end);
        let voiced: Vec<Range<usize>> = self.voiced.iter().map(clip).filter(|v| v.start < v.end).collect();
        let mut rest =
            (share * voiced.iter().map(ExactSizeIterator::len).sum::<usize>() as f64).round() as usize;
        for (i, voice) in voiced.iter().enumerate() {
            if rest < voice.len() || i + 1 == voiced.len() {
                return voice.start + rest.min(voice.len());
            }
            rest -= voice.len();
        }
        times.start + (share * times.len() as f64).round() as usize
    }

    /// Returns the pause closest to the interval in which a sentence ended, if one is close enough.
    pub(super) fn pause_near(&self, ended: Range<usize>) -> Option<Range<usize>> {
        let distance = |pause: &Range<usize>| {
            pause.start.saturating_sub(ended.end).max(ended.start.saturating_sub(pause.end))
        };
        let pauses = self.voiced.windows(2).map(|pair| pair[0].end..pair[1].start);
        pauses
            .filter(|pause| pause.start < pause.end && distance(pause) <= MAX_PAUSE_DISTANCE_SAMPLES)
            .min_by_key(distance)
    }

    /// Builds a window from voiced stretches and the silence between them.
    #[cfg(test)]
    pub(super) fn for_tests(voiced: &[Range<usize>]) -> Window {
        let end = voiced.last().map_or(0, |last| last.end);
        Window { parts: std::iter::once(0..end).collect(), voiced: voiced.to_vec() }
    }

    /// Maps a sample of the window to the sound.
    fn to_sound(&self, offset: usize) -> usize {
        let mut rest = offset;
        for part in &self.parts {
            if rest < part.len() {
                return part.start + rest;
            }
            rest -= part.len();
        }
        self.parts.last().map_or(0, |part| part.end)
    }

    /// Returns the length in samples.
    fn len(&self) -> usize {
        self.parts.iter().map(ExactSizeIterator::len).sum()
    }

    /// Returns the window with one more voiced stretch. `around` is the interval without other
    /// voice.
    fn with(&self, voice: Range<usize>, around: Range<usize>) -> Window {
        let mut window = self.clone();
        let part = voice.start.saturating_sub(MARGIN_SAMPLES).max(around.start)
            ..(voice.end + MARGIN_SAMPLES).min(around.end);
        match window.parts.last_mut() {
            Some(last) if part.start <= last.end => last.end = part.end,
            _ => window.parts.push(part),
        }
        window.voiced.push(voice);
        window
    }
}

/// Divides a sound into windows of at most 29 seconds.
pub(super) fn windows(sound: &[f32]) -> Vec<Window> {
    let levels = levels(sound);
    let samples =
        |steps: &Range<usize>| steps.start * STEP_SAMPLES..(steps.end * STEP_SAMPLES).min(sound.len());
    let voices: Vec<Range<usize>> = stretches(&levels)
        .into_iter()
        .flat_map(|stretch| cut(&levels, stretch))
        .map(|v| samples(&v))
        .collect();
    let (mut windows, mut window) = (Vec::new(), Window::default());
    for (i, voice) in voices.iter().enumerate() {
        let before = i.checked_sub(1).map_or(0, |i| voices[i].end);
        let after = voices.get(i + 1).map_or(sound.len(), |next| next.start);
        let longer = window.with(voice.clone(), before..after);
        if longer.len() <= MAX_WINDOW_SAMPLES {
            window = longer;
        } else {
            windows.push(window);
            window = Window::default().with(voice.clone(), before..after);
        }
    }
    if !window.voiced.is_empty() {
        windows.push(window);
    }
    windows
}

/// Returns the level of each step in decibels relative to full scale; digital silence is −100.
fn levels(sound: &[f32]) -> Vec<f32> {
    sound
        .chunks(STEP_SAMPLES)
        .map(|step| {
            let power = step.iter().map(|v| v * v).sum::<f32>() / step.len() as f32;
            10.0 * power.max(1e-10).log10()
        })
        .collect()
}

/// Returns the stretches, in steps, that may contain voice.
fn stretches(levels: &[f32]) -> Vec<Range<usize>> {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f32::total_cmp);
    let at = |share: f32| sorted.get((share * sorted.len() as f32) as usize).copied().unwrap_or(MIN_LEVEL_DB);
    let (soft, loud) = (at(0.05).max(MIN_LEVEL_DB - MIN_DYNAMIC_RANGE_DB), at(0.98));
    if loud < MIN_LEVEL_DB || loud - soft < MIN_DYNAMIC_RANGE_DB {
        return Vec::new();
    }
    let voice = (soft + VOICE_LEVEL_SHARE * (loud - soft)).max(MIN_LEVEL_DB);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (step, _) in levels.iter().enumerate().filter(|&(_, &level)| level >= voice) {
        match found.last_mut() {
            Some(last) if step < last.end + MIN_PAUSE_STEPS => last.end = step + 1,
            _ => found.push(step..step + 1),
        }
    }
    found.retain(|stretch| stretch.len() >= MIN_VOICE_STEPS);
    found
}

/// Cuts a stretch that is too long at its softest moments.
fn cut(levels: &[f32], stretch: Range<usize>) -> Vec<Range<usize>> {
    let longest = (MAX_WINDOW_SAMPLES - 2 * MARGIN_SAMPLES) / STEP_SAMPLES;
    let (mut parts, mut start) = (Vec::new(), stretch.start);
    while stretch.end - start > longest {
        let softest = (start + longest / 2..start + longest)
            .min_by(|&a, &b| levels[a].total_cmp(&levels[b]))
            .unwrap_or(start + longest);
        parts.push(start..softest);
        start = softest;
    }
    parts.push(start..stretch.end);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hums at a level (0 to 1) for some seconds, modulated like syllables.
    fn hum(level: f32, seconds: f32) -> Vec<f32> {
        (0..(seconds * SAMPLE_RATE_HZ as f32) as usize)
            .map(|i| {
                let t = i as f32 / SAMPLE_RATE_HZ as f32;
                level * (t * 900.0).sin() * (0.55 - 0.45 * (t * 25.0).cos())
            })
            .collect()
    }

    fn silence(seconds: f32) -> Vec<f32> {
        vec![0.0; (seconds * SAMPLE_RATE_HZ as f32) as usize]
    }

    fn seconds(samples: usize) -> f32 {
        samples as f32 / SAMPLE_RATE_HZ as f32
    }

    #[test]
    fn ignores_silence_and_steady_noise() {
        assert_eq!(windows(&[]), Vec::new());
        assert_eq!(windows(&silence(5.0)), Vec::new());
        assert_eq!(windows(&hum(0.0005, 5.0)), Vec::new(), "too quiet");
        let mut state = 1_u32;
        let noise: Vec<f32> = (0..5 * SAMPLE_RATE_HZ)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 23) as f32 - 1.0
            })
            .collect();
        assert_eq!(windows(&noise), Vec::new(), "steady");
    }

    #[test]
    fn shortens_long_silence_and_restores_times() {
        // Voice from 2 to 4 and from 14 to 16 seconds; with margins, the window holds 3 seconds of
        // each.
        let sound = [silence(2.0), hum(0.3, 2.0), silence(10.0), hum(0.3, 2.0), silence(2.0)].concat();
        let found = windows(&sound);
        assert_eq!(found.len(), 1, "{found:?}");
        let window = &found[0];
        assert!((seconds(window.of(&sound).len()) - 6.0).abs() < 0.2, "{window:?}");
        assert!((seconds(window.start()) - 1.5).abs() < 0.1, "{window:?}");
        let back = |from: f32, to: f32| {
            let times =
                window.times((from * SAMPLE_RATE_HZ as f32) as usize..(to * SAMPLE_RATE_HZ as f32) as usize);
            (seconds(times.start), seconds(times.end))
        };
        let near = |found: (f32, f32), expected: (f32, f32)| {
            assert!(
                (found.0 - expected.0).abs() < 0.2 && (found.1 - expected.1).abs() < 0.2,
                "{found:?} is not {expected:?}"
            );
        };
        near(back(0.5, 2.5), (2.0, 4.0));
        near(back(0.0, 2.9), (2.0, 4.0));
        near(back(2.6, 6.0), (14.0, 16.0));
        // Barely inside the wrong stretch.
        near(back(2.3, 5.5), (14.0, 16.0));
        near(back(0.5, 3.7), (2.0, 4.0));
        near(back(1.0, 2.0), (2.5, 3.5));
        assert!((seconds(window.voice_after(2 * SAMPLE_RATE_HZ)) - 2.5).abs() < 0.2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn windows_cover_all_voice_once(parts in prop::collection::vec((0.5_f32..40.0, 0.0_f32..5.0), 1..5)) {
            let sound: Vec<f32> =
                parts.iter().flat_map(|&(voice, pause)| [hum(0.3, voice), silence(pause)].concat()).collect();
            let found = windows(&sound);
            let mut before = 0;
            for window in &found {
                prop_assert!(window.len() <= MAX_WINDOW_SAMPLES);
                for part in &window.parts {
                    prop_assert!(part.start < part.end && part.end <= sound.len(), "{found:?}");
                }
                for voice in &window.voiced {
                    prop_assert!(voice.start >= before && voice.start < voice.end, "{found:?}");
                    prop_assert!(window.parts.iter().any(|p| p.start <= voice.start && voice.end <= p.end));
                    before = voice.end;
                }
            }
            let kept: usize = found.iter().flat_map(|w| &w.voiced).map(ExactSizeIterator::len).sum();
            let spoken: f32 = parts.iter().map(|p| p.0).sum();
            prop_assert!((seconds(kept) - spoken).abs() < 0.6 * parts.len() as f32, "{} of {spoken}", seconds(kept));
        }
    }
}
