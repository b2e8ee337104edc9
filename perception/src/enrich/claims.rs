//! Making claims so that the rules of a document cannot be broken: no evidence, no claim.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{Basis, Claim, Evidence, Narration, Provider, Run, Task};

use crate::fuse::Fused;
use crate::ingest::Ingested;
use crate::signal::thousandths;

/// Algorithms of this stage, by run id: task and what they do.
const OWN: [(&str, Task, &str); 3] = [
    ("run_rooms", Task::Rooms, "names of rooms in signs and words"),
    ("run_measurements", Task::Measurements, "numbers with units in signs and words"),
    ("run_openings", Task::Openings, "order of the walk"),
];

/// Numbers claims and sees to it that each has evidence and a run that is listed.
pub(super) struct Claims<'a> {
    ingested: &'a Ingested,
    frames: BTreeMap<&'a str, usize>,
    runs: BTreeSet<&'a str>,
    made: usize,
    used: BTreeSet<&'static str>,
}

impl<'a> Claims<'a> {
    pub(super) fn new(ingested: &'a Ingested, fused: &'a Fused) -> Claims<'a> {
        Claims {
            ingested,
            frames: ingested.frames.iter().enumerate().map(|(i, f)| (f.id.as_str(), i)).collect(),
            runs: fused.runs.iter().map(|r| r.id.as_str()).collect(),
            made: 0,
            used: BTreeSet::new(),
        }
    }

    /// Whether the scan is of a video or of photos.
    pub(super) fn kind(&self) -> domain::media::InputKind {
        self.ingested.kind
    }

    /// Whether a run is listed.
    pub(super) fn has_run(&self, run_id: &str) -> bool {
        self.runs.contains(run_id)
    }

    /// A claim; `None` where there is no evidence for it, or where the run that is said to have made it
    /// is none that is listed.
    pub(super) fn make(
        &mut self,
        value: &str,
        confidence: f64,
        basis: Basis,
        evidence: Vec<Evidence>,
        run_id: &str,
    ) -> Option<Claim> {
        let own = OWN.iter().find(|(id, _, _)| *id == run_id);
        if evidence.is_empty() || (own.is_none() && !self.has_run(run_id)) {
            return None;
        }
        self.used.extend(own.map(|(id, _, _)| *id));
        self.made += 1;
        Some(Claim {
            id: format!("clm_{:04}", self.made),
            value: value.to_owned(),
            confidence: bounded(confidence),
            basis,
            evidence,
            run_id: run_id.to_owned(),
        })
    }

    /// A kept frame as evidence.
    pub(super) fn frame(&self, frame_id: &str, score: f64) -> Option<Evidence> {
        let frame = &self.ingested.frames[*self.frames.get(frame_id)?];
        Some(frame.evidence(None, bounded(score)))
    }

    /// Something that was said as evidence. It is said in the first medium: a video, or the photos' first.
    pub(super) fn said(&self, piece: &Narration) -> Option<Evidence> {
        Some(piece.evidence(&self.ingested.media.first()?.id, bounded(piece.confidence)))
    }

    /// The evidence that names frames and media of this scan.
    pub(super) fn known(&self, evidence: &[Evidence]) -> Vec<Evidence> {
        let exists = |e: &&Evidence| {
            e.frame_id.as_deref().is_some_and(|f| self.frames.contains_key(f))
                && self.ingested.media.iter().any(|m| m.id == e.media_id)
        };
        let bound = |e: &Evidence| Evidence { score: bounded(e.score), narration_id: None, ..e.clone() };
        evidence.iter().filter(exists).map(bound).collect()
    }

    /// The runs of this stage that made claims.
    pub(super) fn own_runs(&self) -> Vec<Run> {
        let used = OWN.iter().filter(|(id, _, _)| self.used.contains(id) && !self.has_run(id));
        used.map(|(_, task, model)| Run::new(task.clone(), Provider::Signal, *model, "1")).collect()
    }
}

fn bounded(value: f64) -> f64 {
    if value.is_finite() { thousandths(value.clamp(0.0, 1.0)) } else { 0.0 }
}
