//! Carries out the plan: kills processes and starts them again, as a supervisor does, and begins and ends
//! outages. Outages overlap with the faults that follow them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use harness::{Network, Receiver};
use nix::sys::signal::Signal;
use reqwest::StatusCode;

use crate::{
    plan::{Fault, Link, Misbehaviour, SERVICE_DATABASE, Step, TEMPORAL_DATABASE, WORKER_WITH_SMALL_DISK},
    stack::{Stack, TEMPORAL},
    watch::Watch,
};

/// Time after which a supervisor starts a process again.
const SUPERVISOR_DELAY: Duration = Duration::from_secs(1);
/// Time in which an activity must arrive at a failpoint. Otherwise, the process is killed without it.
const ARRIVAL_TIME: Duration = Duration::from_secs(10);
/// Time for which connections are broken: less than any pause before a new attempt.
const BREAK_TIME: Duration = Duration::from_millis(200);
/// Delay of each piece of a slow receiver's traffic.
const SLOW: Duration = Duration::from_millis(700);
/// Number of requests that a failing receiver refuses at most.
const REFUSED: usize = 1_000;
/// Time between two looks at the processes.
const POLL: Duration = Duration::from_millis(100);

/// How long faults last.
#[derive(Debug, Clone, Copy)]
pub struct Durations {
    /// Outages of storage and database.
    pub outage: Duration,
    /// Everything else that lasts.
    pub disturbance: Duration,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Done {
    /// Kills by process.
    pub kills_by_process: BTreeMap<String, usize>,
    /// Kills by the states of the scans that were open then.
    pub kills_by_state: BTreeMap<String, usize>,
    /// Kills at which an activity waited at its failpoint, by failpoint.
    pub kills_by_failpoint: BTreeMap<String, usize>,
    /// Other faults, by kind.
    pub outages: BTreeMap<String, usize>,
    /// Faults that this machine does not allow.
    pub impossible: Vec<String>,
    /// Processes that ended although nobody killed them, with how often and the last line of the log.
    pub unexpected_ends: BTreeMap<String, (usize, String)>,
    /// Number of times that Temporal's server ended by itself and was started again.
    pub temporal_restarts: usize,
}

/// Carries out faults.
pub struct Faults<'a> {
    stack: &'a mut Stack,
    receiver: &'a Receiver,
    watch: &'a Watch,
    durations: Durations,
    /// The library that shifts the clock of a process.
    faketime: Option<PathBuf>,
    active: Vec<(Fault, Instant)>,
    done: Done,
}

impl<'a> Faults<'a> {
    /// Prepares to carry out faults.
    pub fn new(
        stack: &'a mut Stack,
        receiver: &'a Receiver,
        watch: &'a Watch,
        durations: Durations,
        faketime: Option<PathBuf>,
    ) -> Self {
        Self { stack, receiver, watch, durations, faketime, active: Vec::new(), done: Done::default() }
    }

    /// Carries out a plan, and ends every outage.
    ///
    /// # Errors
    /// Returns an error if a process cannot be started again.
    pub async fn run(mut self, plan: &[Step]) -> anyhow::Result<Done> {
        for step in plan {
            self.pass(step.pause()).await?;
            eprintln!("chaos: {}", serde_json::to_string(&step.fault)?);
            self.begin(&step.fault).await?;
        }
        while let Some(end) = self.active.iter().map(|(_, end)| *end).max() {
            self.pass(end.saturating_duration_since(Instant::now())).await?;
        }
        Ok(self.done)
    }

    /// Lets time pass. Ends outages whose time is over, and starts processes that ended by themselves.
    async fn pass(&mut self, time: Duration) -> anyhow::Result<()> {
        let until = Instant::now() + time;
        loop {
            let (over, active) =
                std::mem::take(&mut self.active).into_iter().partition(|(_, end)| *end <= Instant::now());
            self.active = active;
            for (fault, _) in over {
                self.end(&fault)?;
            }
            self.supervise()?;
            if Instant::now() >= until {
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Starts processes that ended by themselves. The service must not end while dependencies are away.
    fn supervise(&mut self) -> anyhow::Result<()> {
        for process in self.stack.processes() {
            if process.is_running() {
                continue;
            }
            if process.name() == TEMPORAL {
                self.done.temporal_restarts += 1;
            } else {
                let last = process.log_tail().lines().next_back().unwrap_or_default().to_owned();
                let end = self.done.unexpected_ends.entry(process.name().to_owned()).or_default();
                *end = (end.0 + 1, last);
            }
            process.restart(&[])?;
        }
        Ok(())
    }

    async fn begin(&mut self, fault: &Fault) -> anyhow::Result<()> {
        self.wait_for_same_target(fault).await?;
        let mut lasts = self.durations.disturbance;
        match fault {
            Fault::Kill { process, at } => {
                self.kill(process, *at).await?;
                return Ok(());
            }
            Fault::Stop { process } => self.signal(process, Signal::SIGSTOP)?,
            Fault::StorageAway { hanging } => {
                lasts = self.durations.outage;
                self.stack.links().storage.set(if *hanging { Network::Hanging } else { Network::Cut });
            }
            Fault::DatabaseAway { hanging: false } => {
                lasts = self.durations.outage;
                self.stack.databases.service.kill()?;
            }
            Fault::DatabaseAway { hanging: true } => {
                lasts = self.durations.outage;
                self.stack.databases.service.stop()?;
            }
            Fault::Break { link } => {
                lasts = BREAK_TIME;
                self.set_link(*link, Network::Cut);
            }
            Fault::Delay { link, milliseconds } => {
                self.set_link(*link, Network::Delayed(Duration::from_millis(*milliseconds)));
            }
            Fault::FullDisk => {
                let Some(disk) = self.stack.small_disk(WORKER_WITH_SMALL_DISK) else {
                    self.done.impossible.push("no small disk can be mounted".to_owned());
                    return Ok(());
                };
                disk.fill(0);
            }
            Fault::ShiftClock { process, seconds } => {
                let Some(library) = &self.faketime else {
                    self.done.impossible.push("libfaketime is not installed".to_owned());
                    return Ok(());
                };
                let variables = shifted_clock(library, *seconds);
                self.stack.process(process)?.restart(&variables)?;
            }
            Fault::Receiver { misbehaviour } => self.misbehave(*misbehaviour),
        }
        if let Some(name) = fault.outage() {
            *self.done.outages.entry(name.to_owned()).or_default() += 1;
        }
        self.active.push((fault.clone(), Instant::now() + lasts));
        Ok(())
    }

    fn end(&mut self, fault: &Fault) -> anyhow::Result<()> {
        match fault {
            Fault::Kill { .. } => {}
            Fault::Stop { process } => self.signal(process, Signal::SIGCONT)?,
            Fault::StorageAway { .. } => self.stack.links().storage.set(Network::Up),
            Fault::DatabaseAway { .. } => self.stack.databases.service.bring_back()?,
            Fault::Break { link } | Fault::Delay { link, .. } => self.set_link(*link, Network::Up),
            Fault::FullDisk => {
                if let Some(disk) = self.stack.small_disk(WORKER_WITH_SMALL_DISK) {
                    disk.empty();
                }
            }
            Fault::ShiftClock { process, .. } => self.stack.process(process)?.restart(&[])?,
            Fault::Receiver { .. } => {
                self.receiver.respond_next_only([]);
                if let Some(proxy) = &self.stack.links().receiver {
                    proxy.set(Network::Up);
                }
            }
        }
        Ok(())
    }

    /// Waits for the end of outages that this fault would end too early.
    async fn wait_for_same_target(&mut self, fault: &Fault) -> anyhow::Result<()> {
        let target = target(fault);
        while let Some(end) =
            self.active.iter().filter(|(active, _)| self::target(active) == target).map(|(_, end)| *end).max()
        {
            self.pass(end.saturating_duration_since(Instant::now())).await?;
        }
        Ok(())
    }

    /// Kills a process, if possible while an activity waits at the failpoint, and starts it again.
    async fn kill(&mut self, name: &str, at: Option<&'static str>) -> anyhow::Result<()> {
        let mut held = None;
        if let Some(point) = at {
            let failpoints = self.stack.failpoints(name)?;
            failpoints.hold(point, "any");
            let began = Instant::now();
            while began.elapsed() < ARRIVAL_TIME && !failpoints.is_held(point, "any") {
                self.pass(POLL).await?;
            }
            if failpoints.is_held(point, "any") {
                held = Some(point);
            }
        }
        for state in self.watch.open_states() {
            *self.done.kills_by_state.entry(state).or_default() += 1;
        }
        *self.done.kills_by_process.entry(name.to_owned()).or_default() += 1;
        if let Some(point) = held {
            *self.done.kills_by_failpoint.entry(point.to_owned()).or_default() += 1;
        }
        match name {
            SERVICE_DATABASE => {
                self.stack.databases.service.kill()?;
                tokio::time::sleep(SUPERVISOR_DELAY).await;
                self.stack.databases.service.bring_back()?;
            }
            TEMPORAL_DATABASE => {
                self.stack.databases.temporal.kill()?;
                tokio::time::sleep(SUPERVISOR_DELAY).await;
                self.stack.databases.temporal.bring_back()?;
            }
            _ => {
                self.stack.process(name)?.kill();
                self.stack.failpoints(name)?.release_all();
                tokio::time::sleep(SUPERVISOR_DELAY).await;
                self.stack.process(name)?.restart(&[])?;
            }
        }
        Ok(())
    }

    fn signal(&mut self, name: &str, signal: Signal) -> anyhow::Result<()> {
        match name {
            SERVICE_DATABASE | TEMPORAL_DATABASE => {
                let server = if name == SERVICE_DATABASE {
                    &mut self.stack.databases.service
                } else {
                    &mut self.stack.databases.temporal
                };
                if signal == Signal::SIGSTOP { server.stop() } else { server.bring_back() }
            }
            _ => self.stack.process(name)?.signal(signal),
        }
    }

    fn set_link(&self, link: Link, network: Network) {
        let links = self.stack.links();
        let proxy = match link {
            Link::Database => &links.database,
            Link::Storage => &links.storage,
            Link::Engine => &links.engine,
        };
        proxy.set(network);
    }

    fn misbehave(&self, misbehaviour: Misbehaviour) {
        let network = match misbehaviour {
            Misbehaviour::Gone => Network::Cut,
            Misbehaviour::Hanging => Network::Hanging,
            Misbehaviour::Slow => Network::Delayed(SLOW),
            Misbehaviour::Failing => {
                self.receiver.respond_next_only(vec![StatusCode::INTERNAL_SERVER_ERROR; REFUSED]);
                return;
            }
        };
        if let Some(proxy) = &self.stack.links().receiver {
            proxy.set(network);
        }
    }
}

/// Returns the part that a fault changes: two faults at once must not change the same.
fn target(fault: &Fault) -> &str {
    match fault {
        Fault::Kill { process, .. } | Fault::Stop { process } | Fault::ShiftClock { process, .. } => process,
        Fault::DatabaseAway { .. } => SERVICE_DATABASE,
        Fault::StorageAway { .. } => "link to storage",
        Fault::Break { link } | Fault::Delay { link, .. } => match link {
            Link::Database => "link to database",
            Link::Storage => "link to storage",
            Link::Engine => "link to engine",
        },
        Fault::FullDisk => "disk",
        Fault::Receiver { .. } => "receiver",
    }
}

/// Returns the variables with which a process sees another time. Its monotonic clock stays true, because
/// no machine shifts that one.
fn shifted_clock(library: &Path, seconds: i64) -> Vec<(&'static str, String)> {
    vec![
        ("LD_PRELOAD", library.display().to_string()),
        ("FAKETIME", format!("{seconds:+}s")),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ("FAKETIME_DISABLE_SHM", "1".to_owned()),
    ]
}
