//! Cuts a walk into stretches: at doorways, and where the appearance changes most. Stretches may be
//! too many; evidence joins them later. Each photo is a stretch.

use domain::media::InputKind;

use super::place_signature::FrameDescriptors;
use crate::ingest::Ingested;
use crate::settings::ZoneSettings;

/// Time that a sample of a video stands for, in milliseconds.
const SAMPLE_INTERVAL_MS: u64 = 500;

/// A stretch of samples.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cut {
    /// Range of sample indices.
    pub samples: std::ops::Range<usize>,
    /// Log-odds of the doorway through which the stretch is entered; 0 without one.
    pub doorway: f64,
}

/// Cuts the samples of a video or of photos.
pub(super) fn cut(
    ingested: &Ingested,
    descriptors: &FrameDescriptors<'_>,
    settings: &ZoneSettings,
) -> Vec<Cut> {
    match ingested.kind {
        InputKind::Frames => {
            (0..ingested.samples.len()).map(|at| Cut { samples: at..at + 1, doorway: 0.0 }).collect()
        }
        InputKind::Video => cut_video(ingested, descriptors, settings),
    }
}

/// Cuts a video at doorways, and elsewhere where the appearance changes most.
fn cut_video(ingested: &Ingested, descriptors: &FrameDescriptors<'_>, settings: &ZoneSettings) -> Vec<Cut> {
    let samples = &ingested.samples;
    let usable: Vec<usize> = (0..samples.len()).filter(|i| samples[*i].usable).collect();
    let time = |at: usize| samples[usable[at]].t_ms.unwrap_or_default();
    let window = (settings.window_seconds * 1000.0) as u64;
    let least = (settings.min_seconds * 1000.0) as u64;
    let mean =
        |range: std::ops::Range<usize>| descriptors.mean_signature(range.map(|at| &samples[usable[at]]));
    let change = |at: usize| {
        let before = (0..at).rev().take_while(|i| time(at) - time(*i) <= window).count();
        let after = (at..usable.len()).take_while(|i| time(*i) - time(at) < window).count();
        match (mean(at - before..at), mean(at..at + after)) {
            (Some(before), Some(after)) => before.difference(&after),
            _ => 0.0,
        }
    };
    let mut changes: Vec<(f64, usize)> = (1..usable.len()).map(|at| (change(at), at)).collect();
    changes.retain(|(change, _)| *change >= settings.boundary);
    changes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // The last sample stands for some time, too.
    let end = usable.len().checked_sub(1).map_or(0, time) + SAMPLE_INTERVAL_MS;
    let mut cuts: Vec<(usize, f64)> = Vec::new();
    let is_free = |cuts: &[(usize, f64)], at: usize| {
        let is_far_enough = |other: u64| time(at).abs_diff(other) >= least;
        cuts.iter().all(|(cut, _)| is_far_enough(time(*cut)))
            && is_far_enough(time(0))
            && end.saturating_sub(time(at)) >= least
    };
    for doorway in &ingested.doorways {
        let at = usable.partition_point(|i| samples[*i].t_ms.unwrap_or_default() < doorway.t_ms);
        if at < usable.len() && is_free(&cuts, at) {
            cuts.push((at, doorway.log_odds));
        }
    }
    for (_, at) in changes {
        if is_free(&cuts, at) {
            cuts.push((at, 0.0));
        }
    }
    cuts.sort_unstable_by_key(|(at, _)| *at);
    let mut bounds: Vec<(usize, f64)> = vec![(0, 0.0)];
    bounds.extend(cuts.into_iter().map(|(at, doorway)| (usable[at], doorway)));
    bounds.push((samples.len(), 0.0));
    let stretches = bounds.windows(2).map(|w| Cut { samples: w[0].0..w[1].0, doorway: w[0].1 });
    stretches.filter(|stretch| !stretch.samples.is_empty()).collect()
}
