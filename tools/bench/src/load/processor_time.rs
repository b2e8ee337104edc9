//! Processor time of the processes of the stack, from `/proc`.

use std::{collections::BTreeMap, fs};

use anyhow::Context;
use chaos::stack::Stack;

/// Milliseconds by process. Two processes of one role are added.
pub(super) struct ProcessorTime(BTreeMap<String, f64>);

impl ProcessorTime {
    /// Reads the time of each process, with that of its children that ended, for example decoders.
    pub(super) fn of(stack: &Stack) -> anyhow::Result<Self> {
        let mut times = BTreeMap::new();
        for (name, pid) in stack.pids() {
            // The number at the end tells two processes of one role apart.
            let role = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
            *times.entry(role.to_owned()).or_insert(0.0) += tree_ms(pid)?;
        }
        Ok(Self(times))
    }

    /// Returns the milliseconds of each role since an earlier reading.
    pub(super) fn since(&self, earlier: &Self) -> BTreeMap<String, f64> {
        let spent = |(role, ms): (&String, &f64)| (role.clone(), ms - earlier.0.get(role).unwrap_or(&0.0));
        self.0.iter().map(spent).collect()
    }
}

/// Returns the time of a process and of its living children.
fn tree_ms(pid: u32) -> anyhow::Result<f64> {
    let mut ticks = ticks_of(pid)?;
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    for child in children.split_whitespace() {
        // A child may have ended in the meantime.
        ticks += ticks_of(child.parse()?).unwrap_or(0.0);
    }
    // Linux reports 100 ticks a second on every architecture that this runs on.
    Ok(ticks * 10.0)
}

/// Returns the ticks of a process and of the children that it waited for: fields 14 to 17 of its status.
fn ticks_of(pid: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields = status.rsplit_once(')').context("no name")?.1;
    let ticks = fields.split_whitespace().skip(11).take(4);
    ticks.map(|field| field.parse::<f64>().map_err(anyhow::Error::from)).sum()
}
