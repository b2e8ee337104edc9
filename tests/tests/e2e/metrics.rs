//! Metrics of every process, and the alerts and the dashboard that use them.

use std::{collections::BTreeSet, fs, path::PathBuf, time::Duration};

use harness::{Service, ServiceOptions, clips::Clip, http_client, ports, until};
use regex::Regex;
use serde_json::{Value, json};
use temporalio_client::{UntypedWorkflow, WorkflowStartOptions, WorkflowTerminateOptions};
use temporalio_common::data_converters::RawValue;

use crate::SCAN_TIMEOUT;

/// Maximum time until a value shows in the metrics.
const TIMEOUT: Duration = Duration::from_secs(60);

async fn get(url: &str) -> Option<String> {
    let response = http_client().get(url).send().await.ok()?;
    response.status().is_success().then_some(response)?.text().await.ok()
}

/// Returns the names of the series in a text of metrics.
fn series(text: &str) -> BTreeSet<String> {
    let name = Regex::new("^[a-z_]+").unwrap();
    text.lines().filter_map(|line| name.find(line)).map(|found| found.as_str().to_owned()).collect()
}

/// Returns the names of metrics that an expression uses.
fn names(expression: &str) -> BTreeSet<String> {
    let name = Regex::new(r"\b(?:scan|temporal)_[a-z0-9_]+").unwrap();
    name.find_iter(expression).map(|found| found.as_str().to_owned()).collect()
}

fn deploy(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(file);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns every expression of the alerts and of the dashboard.
fn expressions() -> Vec<String> {
    let rules: Value = serde_yaml_ng::from_str(&deploy("prometheus/rules.yml")).unwrap();
    let groups = rules["groups"].as_array().unwrap().iter();
    let alerts = groups.flat_map(|group| group["rules"].as_array().unwrap());
    let dashboard: Value = serde_json::from_str(&deploy("grafana/dashboards/scan.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array()).flatten();
    alerts.chain(targets).map(|item| item["expr"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_metric_that_an_alert_or_the_dashboard_names_exists() {
    let service = Service::start(ServiceOptions::default().without_models(), None).await.unwrap();
    let [port] = ports::free();
    let listen = format!("127.0.0.1:{port}");
    let worker = service.worker("webhooks,vision", &[("WORKERS__ADMIN_LISTEN", &listen)]).unwrap();
    let caller = service.client(&service.account().unwrap());
    let clip = Clip::moving(2);

    // A scan that completes, and one whose activity fails and which is refunded.
    let complete = caller.create_uploaded_scan(&clip).await;
    let body = json!({ "name": "Forced", "space_type": "office", "external_id": "test:fail:ingesting" });
    let space = caller.post("/spaces", body).await.expect(201).text("id");
    let failing = caller.post(&format!("/spaces/{space}/scans"), clip.declaration()).await.expect(201).body;
    caller.upload(&failing, &clip).await.expect(204);
    for scan in [&complete, &failing] {
        caller.start(scan).await.expect(202);
    }
    caller.await_status(&complete, "complete", SCAN_TIMEOUT).await;
    caller.await_status(&failing, "failed", SCAN_TIMEOUT).await;

    // A workflow whose input does not parse: its workflow task fails.
    let engine = service.engine();
    let client = engine.client().await.unwrap();
    let broken = client
        .start_workflow(
            UntypedWorkflow::new("ScanWorkflow"),
            RawValue::new(Vec::new()),
            WorkflowStartOptions::new(workflows::queues::SCANS, "broken".to_owned()).build(),
        )
        .await
        .unwrap();

    // The check of the ledger runs once a day, or on request.
    service.admin(&["verify-ledger"]).unwrap();
    let admin = format!("{}/metrics", service.admin_url());
    let text = until("the failed workflow task and the check to be shown", TIMEOUT, async || {
        let text = get(&admin).await?;
        let names = ["temporal_workflow_task_execution_failed{", "scan_check_mismatches{"];
        names.iter().all(|name| text.contains(name)).then_some(text)
    })
    .await;
    broken.terminate(WorkflowTerminateOptions::default()).await.unwrap();

    let (exist, used) = (series(&text), expressions());
    assert!(used.len() > 40, "{} expressions", used.len());
    for expression in &used {
        let missing: Vec<_> = names(expression).into_iter().filter(|name| !exist.contains(name)).collect();
        assert_eq!(missing, Vec::<String>::new(), "{expression}");
    }
    for line in [
        "scan_refunds_total{code=\"FORCED_FAILURE\"} 1",
        "scan_source_up{source=\"database\"} 1",
        "scan_source_up{source=\"engine\"} 1",
        "scan_queue_backlog{queue=\"vision\",task_type=\"activity\"} 0",
        "scan_outbox_entries{kind=\"payment\"} 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // No id is a label: the number of series does not grow with scans or accounts.
    for id in ["scn_", "acc_", "spc_", "evt_", "key_", "scan:"] {
        assert!(!text.contains(&format!("=\"{id}")), "{id}\n{text}");
    }

    // A worker has the same admin port as the API, if it is configured.
    let base = format!("http://{listen}");
    until("the worker to be ready", TIMEOUT, async || get(&format!("{base}/readyz")).await).await;
    assert_eq!(get(&format!("{base}/healthz")).await.as_deref(), Some("ok\n"));
    let text = until("the worker to poll", TIMEOUT, async || {
        let text = get(&format!("{base}/metrics")).await?;
        text.contains("temporal_num_pollers{").then_some(text)
    })
    .await;
    let exist = series(&text);
    for name in [
        "scan_webhook_deliveries_total",
        "scan_outbox_oldest_seconds",
        "scan_queue_backlog",
        "temporal_worker_task_slots_available",
    ] {
        assert!(exist.contains(name), "{name}\n{text}");
    }
    let mut slots = text.lines().filter(|line| line.starts_with("temporal_worker_task_slots_available"));
    assert!(slots.any(|line| line.contains("task_queue=\"vision\"")), "{text}");
    drop(worker);
}

#[test]
fn expressions_are_searched_for_names() {
    let found = names("sum(rate(scan_a_total{x=\"scan\"}[5m])) / max(temporal_b_bucket)");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["scan_a_total", "temporal_b_bucket"]);
    assert_eq!(
        series("# HELP scan_x\nscan_x{a=\"b\"} 1\nscan_y 2").into_iter().collect::<Vec<_>>(),
        ["scan_x", "scan_y"]
    );
}

/// A running Prometheus that scrapes one address. Killed when dropped.
struct Prometheus {
    url: String,
    _process: tokio::process::Child,
    _folder: tempfile::TempDir,
}

impl Prometheus {
    fn start(target: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let configuration = folder.path().join("prometheus.yml");
        let text = format!(
            "global: {{ scrape_interval: 1s }}\nscrape_configs:\n  - job_name: scan\n    static_configs: \
             [{{ targets: ['{target}'] }}]\n"
        );
        fs::write(&configuration, text).unwrap();
        let [port] = ports::free();
        let mut command = tokio::process::Command::new("prometheus");
        command.arg(format!("--config.file={}", configuration.display()));
        command.arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()));
        command.arg(format!("--web.listen-address=127.0.0.1:{port}")).arg("--log.level=error");
        let process = command.kill_on_drop(true).spawn().expect("prometheus starts");
        Self { url: format!("http://127.0.0.1:{port}"), _process: process, _folder: folder }
    }

    /// Evaluates an expression and returns the response.
    async fn query(&self, expression: &str) -> Option<Value> {
        let address = format!("{}/api/v1/query", self.url);
        let url = reqwest::Url::parse_with_params(&address, [("query", expression)]).ok()?;
        http_client().get(url).send().await.ok()?.json().await.ok()
    }

    /// Returns the number of series that an expression has.
    async fn count(&self, expression: &str) -> usize {
        let response = self.query(expression).await.unwrap_or_default();
        response["data"]["result"].as_array().map_or(0, Vec::len)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn prometheus_scrapes_the_service_and_evaluates_every_expression() {
    let service = Service::start(ServiceOptions::default().without_models(), None).await.unwrap();
    let target = service.admin_url();
    let prometheus = Prometheus::start(target.trim_start_matches("http://"));
    until("Prometheus to have scraped the service", TIMEOUT, async || {
        (prometheus.count("up{job=\"scan\"} == 1").await == 1
            && prometheus.count("scan_queue_backlog").await > 0)
            .then_some(())
    })
    .await;
    for expression in expressions() {
        // The dashboard replaces its variables before it asks.
        let expression = expression.replace("$__rate_interval", "1m").replace("$__range", "1h");
        let response = prometheus.query(&expression).await.unwrap();
        assert_eq!(response["status"], "success", "{expression}: {response}");
    }
    // No alert of a healthy service fires: each expression of a rule has no series.
    let rules: Value = serde_yaml_ng::from_str(&deploy("prometheus/rules.yml")).unwrap();
    for rule in rules["groups"].as_array().unwrap().iter().flat_map(|g| g["rules"].as_array().unwrap()) {
        let expression = rule["expr"].as_str().unwrap();
        assert_eq!(prometheus.count(expression).await, 0, "{} fires: {expression}", rule["alert"]);
    }
}
