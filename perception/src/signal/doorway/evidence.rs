//! How likely it is that a camera passed a doorway, after it saw edges that diverge like jambs.
//!
//! Edges of furniture, windows and patterned walls diverge as jambs do while the camera comes closer.
//! Three features tell them apart, combined by logistic regression: whether the camera turned away
//! before the contact, whether it went on, and how many pairs of edges agree on the contact beside the
//! number that chance yields. ADR 17 says on which footage it was fitted.

use crate::signal::{ColumnProfiles, EgoMotion};

/// Time after the contact in which the camera still moves on, in milliseconds.
const AFTER_CONTACT_MS: u64 = 200;
/// Largest turn that counts, in widths of the picture.
const MAX_TURN_WIDTHS: f64 = 1.0;
/// Range of the forward movement that counts, as the logarithm of the scale.
const APPROACH: (f64, f64) = (0.0, 0.4);
/// Range of the share of pairs that agree, as a decimal logarithm.
const AGREEING: (f64, f64) = (-2.0, 0.0);
/// Log-odds of a passage without a turn, without any forward movement and with every pair agreeing.
const BASE: f64 = 0.5;
/// Log-odds for each width of the picture by which the camera turned.
const PER_TURN: f64 = -2.4;
/// Log-odds for each unit of forward movement.
const PER_APPROACH: f64 = 4.8;
/// Log-odds for each tenfold of the agreeing pairs.
const PER_AGREEING: f64 = 1.5;

/// A pair of edges that diverged like jambs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jambs {
    /// Time of the first picture that was measured, in milliseconds.
    pub first_ms: u64,
    /// Time of the last picture with both edges, in milliseconds.
    pub last_ms: u64,
    /// Time at which a camera that moves evenly is between the edges, in milliseconds.
    pub contact_ms: u64,
    /// Number of pictures beyond the least, less the more they deviate from even movement.
    pub fit: f64,
}

/// What changed from the picture before.
#[derive(Debug, Clone, Copy)]
struct Step {
    t_ms: u64,
    motion: EgoMotion,
    /// Number of upright edges in the picture.
    edges: usize,
}

/// Movements of a camera through a video.
#[derive(Debug, Default)]
pub(super) struct Movements {
    steps: Vec<Step>,
    last: Option<ColumnProfiles>,
}

impl Movements {
    pub(super) fn push(&mut self, t_ms: u64, profiles: ColumnProfiles, edges: usize) {
        let motion = self.last.as_ref().map(|last| last.motion_to(&profiles)).unwrap_or_default();
        self.steps.push(Step { t_ms, motion, edges });
        self.last = Some(profiles);
    }

    /// Returns the log-odds that the camera passed between jambs that agree on the time of contact.
    /// Returns `None` without jambs.
    pub(super) fn passage(&self, jambs: &[Jambs]) -> Option<f64> {
        let best = jambs.iter().max_by(|a, b| a.fit.total_cmp(&b.fit))?;
        let until = best.contact_ms + AFTER_CONTACT_MS;
        let onward = self.between(best.last_ms + 1, until);
        let turn: f64 = onward.iter().map(|step| step.motion.pan_widths).sum();
        let approach: f64 = onward.iter().map(|step| step.motion.approach).sum();
        let measured = self.between(best.first_ms, best.last_ms);
        let edges = measured.iter().map(|step| step.edges as f64).sum::<f64>() / measured.len().max(1) as f64;
        // Half of the edges are on each side.
        let possible = edges * edges / 4.0;
        let agreeing = ((jambs.len() + 1) as f64 / (possible + 1.0)).log10();
        Some(
            BASE + PER_TURN * turn.abs().min(MAX_TURN_WIDTHS)
                + PER_APPROACH * approach.clamp(APPROACH.0, APPROACH.1)
                + PER_AGREEING * agreeing.clamp(AGREEING.0, AGREEING.1),
        )
    }

    /// Returns the steps to pictures in this range of times, including its ends.
    fn between(&self, from_ms: u64, to_ms: u64) -> &[Step] {
        let at = |t_ms: u64| self.steps.partition_point(|step| step.t_ms < t_ms);
        self.steps.get(at(from_ms)..at(to_ms + 1)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the movements of a camera that turns and approaches by the same amount in each of ten
    /// steps of 200 ms, and sees this many upright edges.
    fn movements(pan_widths: f64, approach: f64, edges: usize) -> Movements {
        let motion = EgoMotion { pan_widths, approach };
        let steps = (1..=10).map(|number| Step { t_ms: number * 200, motion, edges });
        Movements { steps: steps.collect(), last: None }
    }

    fn jambs(pairs: usize) -> Vec<Jambs> {
        vec![Jambs { first_ms: 200, last_ms: 1000, contact_ms: 1800, fit: 2.0 }; pairs]
    }

    #[test]
    fn turning_away_standing_still_and_chance_speak_against_a_passage() {
        let passed = movements(0.0, 0.08, 6).passage(&jambs(6)).unwrap();
        assert!(passed > 1.5, "{passed}");
        let less = |other: Option<f64>| other.unwrap() < passed - 1.0;
        assert!(less(movements(0.1, 0.08, 6).passage(&jambs(6))), "turned away");
        assert!(less(movements(0.0, 0.0, 6).passage(&jambs(6))), "stood still");
        assert!(less(movements(0.0, 0.08, 40).passage(&jambs(6))), "a patterned wall");
        assert_eq!(movements(0.0, 0.1, 6).passage(&[]), None);
    }

    #[test]
    fn only_the_movement_up_to_the_contact_counts() {
        let mut movements = movements(0.0, 0.08, 6);
        let before = movements.passage(&jambs(6));
        movements.steps.push(Step {
            t_ms: 2200,
            motion: EgoMotion { pan_widths: 0.3, approach: 0.0 },
            edges: 6,
        });
        assert_eq!(movements.passage(&jambs(6)), before);
    }
}
