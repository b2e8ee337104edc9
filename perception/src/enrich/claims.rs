//! Builds claims that satisfy the rules of a document: every claim has evidence and a listed run.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{Basis, Claim, Evidence, Narration, Provider, Run, Task};

use crate::fuse::Fused;
use crate::ingest::Ingested;
use crate::signal::thousandths;

/// Algorithms of this stage: run id, task and description.
const ENRICH_RUNS: [(&str, Task, &str); 6] = [
    ("run_rooms", Task::Rooms, "names of rooms in signs and words, and objects"),
    ("run_measurements", Task::Measurements, "numbers with units in signs and words"),
    ("run_boards", Task::Boards, "positions of lines of text"),
    ("run_facts", Task::Facts, "prices, dates, hours, contacts and statements in signs and words"),
    ("run_privacy", Task::Privacy, "names of credentials"),
    ("run_openings", Task::Openings, "order of the walk"),
];

/// Numbers claims and checks that each has evidence and a listed run.
pub(super) struct Claims<'a> {
    ingested: &'a Ingested,
    frames: BTreeMap<&'a str, usize>,
    runs: BTreeSet<&'a str>,
    claim_count: usize,
    used_runs: BTreeSet<&'static str>,
}

impl<'a> Claims<'a> {
    pub(super) fn new(ingested: &'a Ingested, fused: &'a Fused) -> Claims<'a> {
        Claims {
            ingested,
            frames: ingested.frames.iter().enumerate().map(|(i, f)| (f.id.as_str(), i)).collect(),
            runs: fused.runs.iter().map(|r| r.id.as_str()).collect(),
            claim_count: 0,
            used_runs: BTreeSet::new(),
        }
    }

    /// Returns the kind of media of the scan.
    pub(super) fn kind(&self) -> domain::media::InputKind {
        self.ingested.kind
    }

    /// Returns true if a run is listed.
    pub(super) fn has_run(&self, run_id: &str) -> bool {
        self.runs.contains(run_id)
    }

    /// Makes a claim. Returns `None` if there is no evidence or the run is not listed.
    pub(super) fn make(
        &mut self,
        value: &str,
        confidence: f64,
        basis: Basis,
        evidence: Vec<Evidence>,
        run_id: &str,
    ) -> Option<Claim> {
        let own_run = ENRICH_RUNS.iter().find(|(id, _, _)| *id == run_id);
        if evidence.is_empty() || (own_run.is_none() && !self.has_run(run_id)) {
            return None;
        }
        self.used_runs.extend(own_run.map(|(id, _, _)| *id));
        self.claim_count += 1;
        Some(Claim {
            id: format!("clm_{:04}", self.claim_count),
            value: value.to_owned(),
            confidence: clamped(confidence),
            basis,
            evidence,
            run_id: run_id.to_owned(),
        })
    }

    /// Returns a kept frame as evidence.
    pub(super) fn frame(&self, frame_id: &str, score: f64) -> Option<Evidence> {
        let frame = &self.ingested.frames[*self.frames.get(frame_id)?];
        Some(frame.evidence(None, clamped(score)))
    }

    /// Returns a spoken sentence as evidence. Its medium is the video, or the first photo.
    pub(super) fn narration(&self, sentence: &Narration) -> Option<Evidence> {
        Some(sentence.evidence(&self.ingested.media.first()?.id, clamped(sentence.confidence)))
    }

    /// Returns only the evidence with frames and media of this scan.
    pub(super) fn valid_evidence(&self, evidence: &[Evidence]) -> Vec<Evidence> {
        let exists = |e: &&Evidence| {
            e.frame_id.as_deref().is_some_and(|f| self.frames.contains_key(f))
                && self.ingested.media.iter().any(|m| m.id == e.media_id)
        };
        let clamp_score =
            |e: &Evidence| Evidence { score: clamped(e.score), narration_id: None, ..e.clone() };
        evidence.iter().filter(exists).map(clamp_score).collect()
    }

    /// Returns the runs of this stage that have claims.
    pub(super) fn own_runs(&self) -> Vec<Run> {
        let used_runs =
            ENRICH_RUNS.iter().filter(|(id, _, _)| self.used_runs.contains(id) && !self.has_run(id));
        used_runs.map(|(_, task, model)| Run::new(task.clone(), Provider::Signal, *model, "1")).collect()
    }
}

fn clamped(value: f64) -> f64 {
    if value.is_finite() { thousandths(value.clamp(0.0, 1.0)) } else { 0.0 }
}
