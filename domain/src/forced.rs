//! Forced outcomes: in test mode, the `external_id` of a space may name one.

use std::time::Duration;

use crate::{Mode, Stage};

/// Extra time of each stage of a slow scan.
pub const SLOW_STAGE: Duration = Duration::from_secs(5);

/// Forced outcome of every scan of a space, independent of its media.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forced {
    /// Fails with `FORCED_FAILURE` in this stage.
    Fail(Stage),
    /// Takes [`SLOW_STAGE`] longer in each stage.
    Slow,
}

impl Forced {
    /// Parses an `external_id`: exactly `test:fail:<stage>` or `test:slow`. Returns `None` for any
    /// other value and in live mode.
    pub fn of(mode: Mode, external_id: Option<&str>) -> Option<Self> {
        if mode == Mode::Live {
            return None;
        }
        match external_id?.strip_prefix("test:")? {
            "slow" => Some(Self::Slow),
            other => {
                let stage = other.strip_prefix("fail:")?;
                Stage::ALL.into_iter().find(|known| known.as_str() == stage).map(Self::Fail)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_every_stage_and_nothing_else() {
        for stage in Stage::ALL {
            let id = format!("test:fail:{}", stage.as_str());
            assert_eq!(Forced::of(Mode::Test, Some(&id)), Some(Forced::Fail(stage)));
            assert_eq!(Forced::of(Mode::Live, Some(&id)), None);
        }
        assert_eq!(Forced::of(Mode::Test, Some("test:slow")), Some(Forced::Slow));
        assert_eq!(Forced::of(Mode::Live, Some("test:slow")), None);
        assert_eq!(Forced::of(Mode::Test, None), None);
        for other in
            ["", "test:", "slow", "test:slow ", "TEST:slow", "test:fail", "test:fail:", "test:fail:x"]
        {
            assert_eq!(Forced::of(Mode::Test, Some(other)), None, "{other:?}");
        }
    }
}
