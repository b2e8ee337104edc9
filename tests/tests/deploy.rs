//! The files of the deployment: the compose file fits the settings and the other files, and every alert
//! has a page.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use cli::config::Config;
use serde_json::Value;
use workflows::queues;

/// Prefix of the environment variables of settings.
const PREFIX: &str = "SCAN__";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    let path = workspace().join(file);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn yaml(file: &str) -> Value {
    let mut value: serde_yaml_ng::Value = serde_yaml_ng::from_str(&read(file)).unwrap();
    value.apply_merge().unwrap();
    serde_json::to_value(value).unwrap()
}

/// Replaces `${NAME:-default}` by its default.
fn with_defaults(text: &str) -> String {
    let variable = regex::Regex::new(r"\$\{[A-Z0-9_]+:-([^}]*)\}").unwrap();
    variable.replace_all(text, "$1").into_owned()
}

fn compose() -> Value {
    yaml("docker-compose.temporal.yml")
}

fn services(compose: &Value) -> BTreeMap<&str, &Value> {
    compose["services"].as_object().unwrap().iter().map(|(name, service)| (name.as_str(), service)).collect()
}

/// Returns the processes of Scan Service by name, each with its command.
fn processes(compose: &Value) -> BTreeMap<&str, Vec<&str>> {
    let ours = services(compose).into_iter().filter(|(_, service)| service["image"] == "scan-service:latest");
    ours.map(|(name, service)| {
        let command = service["command"].as_array().unwrap();
        (name, command.iter().map(|word| word.as_str().unwrap()).collect())
    })
    .collect()
}

/// Returns the settings of a process as TOML.
fn settings(compose: &Value, process: &str) -> String {
    let variables = compose["services"][process]["environment"].as_object().unwrap();
    as_toml(variables.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())))
}

/// Returns those environment variables that are settings, as TOML.
fn as_toml<'a>(variables: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in variables {
        let Some(path) = name.strip_prefix(PREFIX) else { continue };
        let path = path.to_lowercase().replace("__", ".");
        let (table, key) = path.rsplit_once('.').unwrap_or(("", &path));
        let value = with_defaults(value);
        let literal = if value == "true" || value == "false" { value } else { format!("{value:?}") };
        tables.entry(table.to_owned()).or_default().push(format!("{key} = {literal}"));
    }
    // Settings without a table come first.
    let table = |(name, keys): (String, Vec<String>)| {
        let header = if name.is_empty() { String::new() } else { format!("[{name}]\n") };
        format!("{header}{}\n", keys.join("\n"))
    };
    tables.into_iter().map(table).collect()
}

// The validation creates a client of Redis, which needs a runtime.
#[tokio::test]
async fn settings_of_the_compose_file_are_valid() {
    let compose = compose();
    for process in processes(&compose).keys() {
        // An unknown name is an error.
        let file = workspace().join("deploy/scan.toml");
        let config = Config::load(&settings(&compose, process), Some(&file)).unwrap();
        config.validate().unwrap_or_else(|e| panic!("{process}: {e}"));
        assert!(!config.outbound.seal.keys.is_empty(), "{process} has the key of deploy/scan.toml");
        assert!(!config.server.trusted_proxies.is_empty(), "{process} trusts the balancer");
        assert_eq!(config.workers.admin_listen, Some(config.server.admin_listen));
    }
    let wrong = settings(&compose, "api-1").replace("endpoint", "end_point");
    assert!(Config::load(&wrong, None).is_err(), "a wrong name is found");
}

#[test]
fn the_image_has_the_archive_and_settings_that_exist() {
    let image = read("Dockerfile");
    let variables = image.split_whitespace().filter_map(|word| word.split_once('='));
    let settings = as_toml(variables);
    assert!(settings.contains("folder = \"/var/lib/scan/mail\""), "{settings}");
    Config::load(&settings, None).unwrap();
    // The program of the archive is that of the entry point.
    for part in [
        "cargo xtask dist --unpacked",
        "/opt/scan-service/bin/scan /usr/local/bin/scan",
        "ENTRYPOINT [\"scan\"]",
    ] {
        assert!(image.contains(part), "{part}");
    }
}

#[test]
fn addresses_of_the_compose_file_name_its_services() {
    let compose = compose();
    let services = services(&compose);
    let host_of = |url: &str| {
        let rest = url.split("://").nth(1).unwrap();
        let host = rest.rsplit('@').next().unwrap();
        host.split(['/', ':']).next().unwrap().to_owned()
    };
    for process in processes(&compose).keys() {
        let settings: toml::Value = toml::from_str(&settings(&compose, process)).unwrap();
        for (table, key) in [("database", "url"), ("engine", "address"), ("storage", "endpoint")] {
            let host = host_of(settings[table][key].as_str().unwrap());
            assert!(services.contains_key(host.as_str()), "{process}: {host}");
        }
        let redis = host_of(settings["server"]["limits"]["redis_url"].as_str().unwrap());
        assert!(services.contains_key(redis.as_str()), "{process}: {redis}");
        let admin = settings["server"]["admin_listen"].as_str().unwrap();
        let port = admin.rsplit(':').next().unwrap();
        if *process != "migrate" {
            let check = services[process]["healthcheck"]["test"].to_string();
            assert!(check.contains(&format!(":{port}/readyz")), "{process}: {check}");
        }
    }
    // The balancer knows both API processes, at the port that they listen on.
    let balancer = read("deploy/balancer.conf");
    let api: Vec<_> = processes(&compose).into_iter().filter(|(_, command)| command[0] == "api").collect();
    assert_eq!(api.len(), 2);
    let settings: toml::Value = toml::from_str(&settings(&compose, "api-1")).unwrap();
    let port = settings["server"]["listen"].as_str().unwrap().rsplit(':').next().unwrap();
    for (name, _) in api {
        assert!(balancer.contains(&format!("server {name}:{port};")), "{name}");
    }
    // Files that are mounted exist.
    for (name, service) in &services {
        for volume in service["volumes"].as_array().into_iter().flatten() {
            let source = volume.as_str().unwrap().split(':').next().unwrap();
            let known = compose["volumes"].get(source).is_some();
            assert!(known || workspace().join(source).exists(), "{name}: {source}");
        }
    }
}

#[test]
fn every_queue_has_a_worker_and_every_process_is_scraped() {
    let compose = compose();
    let served: BTreeSet<&str> = processes(&compose)
        .into_values()
        .filter(|command| command[0] == "worker")
        .flat_map(|command| command[2].split(',').collect::<Vec<_>>())
        .collect();
    // A worker of `scans` serves `upkeep`, too.
    let queues: BTreeSet<&str> = queues::ALL.into_iter().filter(|queue| *queue != queues::UPKEEP).collect();
    assert_eq!(served, queues);

    let prometheus = yaml("deploy/prometheus/prometheus.yml");
    let job = &prometheus["scrape_configs"][0]["dns_sd_configs"][0];
    let scraped: BTreeSet<&str> =
        job["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let running: BTreeSet<&str> = processes(&compose).into_keys().filter(|name| *name != "migrate").collect();
    assert_eq!(scraped, running);
    let settings: toml::Value = toml::from_str(&settings(&compose, "worker-scans")).unwrap();
    let admin = settings["workers"]["admin_listen"].as_str().unwrap();
    assert!(admin.ends_with(&format!(":{}", job["port"])), "{admin}");
}

#[test]
fn every_alert_has_a_page_that_says_what_to_do() {
    let rules = yaml("deploy/prometheus/rules.yml");
    let groups = rules["groups"].as_array().unwrap().iter();
    let alerts: Vec<&Value> = groups.flat_map(|group| group["rules"].as_array().unwrap()).collect();
    let index = read("docs/alerts/README.md");
    let mut pages = BTreeSet::from(["README".to_owned()]);
    for alert in alerts {
        let name = alert["alert"].as_str().unwrap();
        assert_eq!(alert["annotations"]["runbook"], format!("docs/alerts/{name}.md"));
        let page = read(&format!("docs/alerts/{name}.md"));
        assert!(page.starts_with(&format!("# {name}\n")), "{name}");
        let severity = alert["labels"]["severity"].as_str().unwrap();
        for part in ["**Symptom.**", "**Meaning.**", "**What to do.**", &format!("Severity: {severity}\n")] {
            assert!(page.contains(part), "{name}: {part}");
        }
        assert!(index.contains(&format!("[{name}]({name}.md) | {severity} |")), "{name} in the index");
        pages.insert(name.to_owned());
    }
    let found = fs::read_dir(workspace().join("docs/alerts")).unwrap();
    let found: BTreeSet<String> = found
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, pages, "no page without an alert");
}
