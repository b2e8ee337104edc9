//! Log-mel spectrogram as in Whisper's training: 80 bands, windows of 25 ms every 10 ms, 30
//! seconds.

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::sync::Arc;

/// Samples per second.
pub(super) const SAMPLE_RATE_HZ: usize = 16_000;
/// Samples between two frames.
const HOP_SAMPLES: usize = 160;
/// Samples per frame.
const FFT_SAMPLES: usize = 400;
/// Number of frequencies in the spectrum of a frame.
const SPECTRUM_BINS: usize = FFT_SAMPLES / 2 + 1;
/// Number of mel bands.
pub(super) const MEL_BANDS: usize = 80;
/// Number of frames in 30 seconds.
pub(super) const MEL_FRAMES: usize = 3000;
/// Number of samples in 30 seconds.
pub(super) const MAX_INPUT_SAMPLES: usize = MEL_FRAMES * HOP_SAMPLES;

/// Lower limit of the energy in a band before its logarithm is taken.
const MIN_ENERGY: f32 = 1e-10;
/// Range below the maximum that the spectrogram keeps, in powers of ten (as in Whisper).
const DYNAMIC_RANGE_LOG10: f32 = 8.0;
/// Offset and divisor that normalise the logarithms for the network (as in Whisper).
const LOG_OFFSET: f32 = 4.0;
/// See [`LOG_OFFSET`].
const LOG_SCALE: f32 = 4.0;

/// Computes log-mel spectrograms.
pub(super) struct Mel {
    fft: Arc<dyn Fft<f32>>,
    window: Vec<f32>,
    /// For each band, the first bin and the weights of consecutive bins.
    filters: Vec<(usize, Vec<f32>)>,
}

impl Mel {
    /// Prepares the Hann window and the filters.
    pub(super) fn new() -> Mel {
        let angle = |i: usize| std::f32::consts::TAU * i as f32 / FFT_SAMPLES as f32;
        Mel {
            fft: FftPlanner::new().plan_fft_forward(FFT_SAMPLES),
            window: (0..FFT_SAMPLES).map(|i| 0.5 - 0.5 * angle(i).cos()).collect(),
            filters: filters(),
        }
    }

    /// Returns the spectrogram of a sound of at most 30 seconds as [`MEL_FRAMES`] rows of
    /// [`MEL_BANDS`] values, padded with silence at the end.
    pub(super) fn of(&self, sound: &[f32]) -> Vec<f32> {
        let sound = &sound[..sound.len().min(MAX_INPUT_SAMPLES)];
        let half = FFT_SAMPLES / 2;
        // The sound is reflected at its start. Its end is silence or cut.
        let sample = |i: usize| sound.get(i.abs_diff(half)).copied().unwrap_or(0.0);
        let mut out = Vec::with_capacity(MEL_FRAMES * MEL_BANDS);
        let mut spectrum = vec![Complex::new(0.0, 0.0); FFT_SAMPLES];
        let mut scratch = vec![Complex::new(0.0, 0.0); self.fft.get_inplace_scratch_len()];
        for frame in 0..MEL_FRAMES {
            for (i, value) in spectrum.iter_mut().enumerate() {
                *value = Complex::new(sample(frame * HOP_SAMPLES + i) * self.window[i], 0.0);
            }
            self.fft.process_with_scratch(&mut spectrum, &mut scratch);
            for (first, weights) in &self.filters {
                let energy: f32 = spectrum[*first..].iter().zip(weights).map(|(c, w)| c.norm_sqr() * w).sum();
                out.push(energy.max(MIN_ENERGY).log10());
            }
        }
        let floor = out.iter().copied().fold(f32::NEG_INFINITY, f32::max) - DYNAMIC_RANGE_LOG10;
        for value in &mut out {
            *value = (value.max(floor) + LOG_OFFSET) / LOG_SCALE;
        }
        out
    }
}

/// Triangular filters of equal area, evenly spaced on Slaney's mel scale from 0 to 8,000 Hz.
fn filters() -> Vec<(usize, Vec<f32>)> {
    let top = to_mel(SAMPLE_RATE_HZ as f64 / 2.0);
    let edges: Vec<f64> =
        (0..MEL_BANDS + 2).map(|i| from_mel(top * i as f64 / (MEL_BANDS + 1) as f64)).collect();
    edges
        .windows(3)
        .map(|edge| {
            let weight = |bin: usize| {
                let hz = bin as f64 * SAMPLE_RATE_HZ as f64 / FFT_SAMPLES as f64;
                let rise = (hz - edge[0]) / (edge[1] - edge[0]);
                let fall = (edge[2] - hz) / (edge[2] - edge[1]);
                (rise.min(fall).max(0.0) * 2.0 / (edge[2] - edge[0])) as f32
            };
            let first = (0..SPECTRUM_BINS).find(|&bin| weight(bin) > 0.0).unwrap_or(0);
            (first, (first..SPECTRUM_BINS).map(weight).take_while(|&w| w > 0.0).collect())
        })
        .collect()
}

/// Converts hertz to Slaney's mel scale: linear up to 1,000 Hz (15 mel), then logarithmic (27 mel
/// for a factor of 6.4).
fn to_mel(hz: f64) -> f64 {
    if hz < 1000.0 { hz * 3.0 / 200.0 } else { 15.0 + 27.0 * (hz / 1000.0).ln() / 6.4_f64.ln() }
}

/// Inverts [`to_mel`].
fn from_mel(mel: f64) -> f64 {
    if mel < 15.0 { mel * 200.0 / 3.0 } else { 1000.0 * ((mel - 15.0) / 27.0 * 6.4_f64.ln()).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_match_those_of_training() {
        let filters = filters();
        assert_eq!(filters.len(), MEL_BANDS);
        // From the filter bank published with Whisper: band 0 peaks in bin 1, band 79 ends in bin
        // 199.
        assert_eq!(filters[0].0, 1);
        assert!((filters[0].1[0] - 0.024_862_6).abs() < 1e-6, "{:?}", filters[0]);
        let (first, weights) = &filters[79];
        assert_eq!(first + weights.len() - 1, 199);
        // Slaney's normalisation gives each triangle about the same area.
        for (first, weights) in &filters[40..] {
            let area: f32 = weights.iter().sum::<f32>() * 40.0;
            assert!((area - 1.0).abs() < 0.1, "the band from bin {first} has area {area}");
        }
    }

    #[test]
    fn a_tone_is_in_its_band() {
        let tone: Vec<f32> = (0..SAMPLE_RATE_HZ)
            .map(|i| (std::f32::consts::TAU * 1000.0 * i as f32 / SAMPLE_RATE_HZ as f32).sin())
            .collect();
        let mel = Mel::new().of(&tone);
        assert_eq!(mel.len(), MEL_FRAMES * MEL_BANDS);
        let frame = &mel[50 * MEL_BANDS..51 * MEL_BANDS];
        let loudest = (0..MEL_BANDS).max_by(|&a, &b| frame[a].total_cmp(&frame[b])).expect("bands");
        let centre = from_mel(to_mel(8000.0) * (loudest + 1) as f64 / 81.0);
        assert!((centre - 1000.0).abs() < 40.0, "band {loudest} at {centre} Hz");
        let after = &mel[2000 * MEL_BANDS..2001 * MEL_BANDS];
        assert!(after.iter().all(|&v| (v - after[0]).abs() < 1e-6), "after the tone there is only the floor");
    }
}
