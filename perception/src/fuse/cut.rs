//! Cuts a walk into stretches where the appearance changes most: at the transitions between places.

use domain::media::InputKind;

use super::place_signature::FrameDescriptors;
use crate::ingest::Ingested;
use crate::settings::ZoneSettings;

/// Time that a sample of a video stands for, in milliseconds.
const SAMPLE_INTERVAL_MS: u64 = 500;
/// Time that a photo stands for, in milliseconds: people take about one per view.
const PHOTO_INTERVAL_MS: u64 = 1500;

/// Cuts the samples where the appearance changes most.
pub(super) fn cut(
    ingested: &Ingested,
    descriptors: &FrameDescriptors<'_>,
    settings: &ZoneSettings,
) -> Vec<std::ops::Range<usize>> {
    let samples = &ingested.samples;
    let usable: Vec<usize> = (0..samples.len()).filter(|i| samples[*i].usable).collect();
    let time = |at: usize| match ingested.kind {
        InputKind::Video => samples[usable[at]].t_ms.unwrap_or_default(),
        InputKind::Frames => usable[at] as u64 * PHOTO_INTERVAL_MS,
    };
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
    let mut cuts: Vec<usize> = Vec::new();
    // The last sample stands for some time, too.
    let lasts = if ingested.kind == InputKind::Video { SAMPLE_INTERVAL_MS } else { PHOTO_INTERVAL_MS };
    let end = usable.len().checked_sub(1).map_or(0, time) + lasts;
    for (_, at) in changes {
        let is_far_enough = |other: u64| time(at).abs_diff(other) >= least;
        if cuts.iter().all(|cut| is_far_enough(time(*cut)))
            && is_far_enough(time(0))
            && end.saturating_sub(time(at)) >= least
        {
            cuts.push(at);
        }
    }
    cuts.sort_unstable();
    let mut bounds: Vec<usize> = vec![0];
    bounds.extend(cuts.into_iter().map(|at| usable[at]));
    bounds.push(samples.len());
    bounds.windows(2).map(|w| w[0]..w[1]).filter(|r| !r.is_empty()).collect()
}
