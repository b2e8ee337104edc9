//! A changed workflow under `patched`: both releases of its code run at once. One run is pinned to
//! the release that it began on, and another one follows the upgrade.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "the macros generate undocumented constants and markers"
)]

use std::{net::Ipv4Addr, thread::JoinHandle};

use cli::serve::temporal::{DevServer, Running};
use harness::{ports, until};
use temporalio_client::{
    Client, VersioningOverride, WorkflowExecuteUpdateOptions, WorkflowFetchHistoryOptions,
    WorkflowGetResultOptions, WorkflowHistory, WorkflowStartOptions,
};
use temporalio_common::worker::{VersioningBehavior, WorkerDeploymentOptions, WorkerDeploymentVersion};
use temporalio_macros::activities;
use temporalio_sdk::{
    Runtime, Worker, WorkerOptions,
    activities::{ActivityContext, ActivityError},
    workflow_replayer::{WorkflowReplayer, WorkflowReplayerOptions},
};
use workflows::client::{Engine, Settings};

use crate::{
    SCAN_TIMEOUT,
    deployment::{DEPLOYMENT, make_current},
    history::History,
};

const QUEUE: &str = "changed";

/// The step of the first release, and the step that replaces it.
pub struct Steps;

#[activities]
impl Steps {
    #[activity]
    pub async fn old_step(_ctx: ActivityContext, _input: u32) -> Result<String, ActivityError> {
        Ok("old".into())
    }

    #[activity]
    pub async fn new_step(_ctx: ActivityContext, _input: u32) -> Result<String, ActivityError> {
        Ok("new".into())
    }
}

/// Defines a release of the workflow: it runs a step and waits for the update `finish`.
macro_rules! release {
    ($module:ident, |$ctx:ident| $step:expr) => {
        mod $module {
            use temporalio_macros::{workflow, workflow_methods};
            use temporalio_sdk::{WorkflowContext, WorkflowContextView, WorkflowResult};

            use super::{Steps, options};

            #[workflow]
            pub struct Changed {
                finished: bool,
            }

            #[workflow_methods]
            impl Changed {
                #[init]
                pub fn new(_ctx: &WorkflowContextView, _input: u32) -> Self {
                    Self { finished: false }
                }

                #[update(name = "finish")]
                pub async fn finish(
                    ctx: &mut WorkflowContext<Self>,
                    _input: u32,
                ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
                    ctx.state_mut(|state| state.finished = true);
                    Ok(())
                }

                #[run(name = "Changed")]
                pub async fn run($ctx: &mut WorkflowContext<Self>) -> WorkflowResult<String> {
                    let step = $step;
                    $ctx.wait_condition(|state: &Self| state.finished).await?;
                    Ok(step)
                }
            }
        }
    };
}

fn options() -> temporalio_sdk::ActivityOptions {
    temporalio_sdk::ActivityOptions::with_start_to_close_timeout(std::time::Duration::from_secs(10)).build()
}

release!(v1, |ctx| ctx.execute_activity(Steps::old_step, 1_u32, options()).await?);
release!(v2, |ctx| if ctx.patched("new-step") {
    ctx.execute_activity(Steps::new_step, 1_u32, options()).await?
} else {
    ctx.execute_activity(Steps::old_step, 1_u32, options()).await?
});
release!(unpatched, |ctx| ctx.execute_activity(Steps::new_step, 1_u32, options()).await?);

/// A worker in a thread, until it is dropped.
struct Release {
    shut_down: Box<dyn Fn() + Send>,
    thread: Option<JoinHandle<()>>,
}

impl Release {
    /// Starts the worker that `register` completes, with its version as its identity.
    fn start(
        client: &Client,
        build_id: &'static str,
        register: impl FnOnce(WorkerDeploymentOptions) -> WorkerOptions + Send + 'static,
    ) -> Self {
        let version =
            WorkerDeploymentVersion::builder().deployment_name(DEPLOYMENT).build_id(build_id).build();
        let deployment = WorkerDeploymentOptions::new(version)
            .use_worker_versioning(true)
            .default_versioning_behavior(VersioningBehavior::Pinned)
            .build();
        let (handle, client) = (tokio::runtime::Handle::current(), client.clone());
        let (started, shut_down) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            handle.block_on(async {
                let runtime = Runtime::from_current_tokio(Default::default()).unwrap();
                let mut worker = Worker::new(&runtime, client, register(deployment)).unwrap();
                started.send(worker.shutdown_handle()).unwrap();
                worker.run().await.unwrap();
            });
        });
        Self { shut_down: Box::new(shut_down.recv().unwrap()), thread: Some(thread) }
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        (self.shut_down)();
        let stopped = tokio::task::block_in_place(|| self.thread.take().map(JoinHandle::join));
        assert!(std::thread::panicking() || matches!(stopped, Some(Ok(()))), "the worker failed");
    }
}

struct Server {
    url: String,
    client: Client,
    _running: Running,
    _folder: tempfile::TempDir,
}

async fn start_server() -> Server {
    let folder = tempfile::tempdir().unwrap();
    let [frontend, ui] = ports::free().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into());
    let running = DevServer { folder: folder.path().into(), frontend, ui }.start().unwrap();
    let url = format!("http://{frontend}");
    let engine = Engine::new(Settings { address: url.clone(), ..Settings::default() }, "starter");
    let client = until("the engine", SCAN_TIMEOUT, async || engine.client().await.ok().cloned()).await;
    Server { url, client, _running: running, _folder: folder }
}

impl Server {
    /// Starts a run and waits until its step is done.
    async fn begin(&self, id: &str, routing: Option<VersioningOverride>) {
        let options = WorkflowStartOptions::new(QUEUE, id).maybe_versioning_override(routing).build();
        self.client.start_workflow(v1::Changed::run, 1, options).await.unwrap();
        until("the step", SCAN_TIMEOUT, async || {
            let history = History::read(&self.url, id).await;
            (history.has("ActivityTaskCompletedEventAttributes") && history.workflow_workers().len() >= 2)
                .then_some(())
        })
        .await;
    }

    /// Finishes a run. Returns its step and the workers of its workflow tasks.
    async fn finish(&self, id: &str) -> (String, Vec<String>) {
        let handle = self.client.get_workflow_handle::<v1::Changed>(id);
        handle
            .execute_update(v1::Changed::finish, 1, WorkflowExecuteUpdateOptions::builder().build())
            .await
            .unwrap();
        let step = handle.get_result(WorkflowGetResultOptions::default()).await.unwrap();
        (step, History::read(&self.url, id).await.workflow_workers())
    }

    async fn history(&self, id: &str) -> WorkflowHistory {
        let handle = self.client.get_workflow_handle::<v1::Changed>(id);
        let history = handle.fetch_history(WorkflowFetchHistoryOptions::default());
        WorkflowHistory::from_json(&history.to_json().await.unwrap()).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_workflow_runs_in_both_releases_under_a_patch() {
    let server = start_server().await;
    let builder = |deployment, identity: &str| {
        WorkerOptions::new(QUEUE).deployment_options(deployment).client_identity_override(identity.to_owned())
    };
    let _v1 = Release::start(&server.client, "v1", move |deployment| {
        let options = builder(deployment, "v1").register_workflow::<v1::Changed>().unwrap();
        options.register_activities(Steps).build()
    });
    make_current(&server.url, "v1", &[QUEUE]).await;
    server.begin("pinned", None).await;
    server.begin("upgraded", Some(VersioningOverride::AutoUpgrade)).await;

    let _v2 = Release::start(&server.client, "v2", move |deployment| {
        let options = builder(deployment, "v2").register_workflow::<v2::Changed>().unwrap();
        options.register_activities(Steps).build()
    });
    make_current(&server.url, "v2", &[QUEUE]).await;
    server.begin("new", None).await;

    let (step, workers) = server.finish("pinned").await;
    assert_eq!(step, "old");
    assert!(workers.iter().all(|worker| worker == "v1"), "{workers:?}");
    let (step, workers) = server.finish("upgraded").await;
    assert_eq!(step, "old", "the step that it ran before the upgrade");
    assert_eq!((workers.first().unwrap().as_str(), workers.last().unwrap().as_str()), ("v1", "v2"));
    let (step, workers) = server.finish("new").await;
    assert_eq!(step, "new");
    assert!(workers.iter().all(|worker| worker == "v2"), "{workers:?}");

    // Without the patch, the upgraded run would have failed.
    let patched = WorkflowReplayerOptions::new().register_workflow::<v2::Changed>().unwrap().build();
    let replayer = WorkflowReplayer::new(patched).unwrap();
    replayer.replay_workflow(server.history("pinned").await).await.unwrap();
    let unpatched = WorkflowReplayerOptions::new().register_workflow::<unpatched::Changed>().unwrap().build();
    let replayer = WorkflowReplayer::new(unpatched).unwrap();
    let replayed = replayer.replay_workflow(server.history("pinned").await).await;
    assert!(replayed.is_err(), "the control");
}
