//! Generates `docs/configuration.md` and `scan.example.toml` from the settings structs and compares
//! them with the files. Names, types and comments come from the source, defaults from the program.
//!
//! `UPDATE_DOCS=1 cargo test -p cli --test configuration` writes both files.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod settings;

use std::{fmt::Write, fs, path::Path};

use cli::config::Config;
use serde_json::Value;
use settings::{Key, Kind, Section, Source};

/// Structs that several keys, or the items of a list, share. They are described once, after the
/// sections.
const SHARED: [&str; 3] = ["Limit", "MasterKey", "StorageKey"];

/// Defaults that depend on the machine.
const COMPUTED: [(&str, &str); 2] = [
    ("workers.media_slots", "half the number of processors, rounded up"),
    ("workers.vision_slots", "the number of processors"),
];

fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn settings() -> Vec<Section> {
    let defaults = |toml: &str| -> Value {
        let config: Config = toml::from_str(toml).unwrap();
        serde_json::to_value(config).unwrap()
    };
    settings::read(&Source::parse(workspace()), "Config", &SHARED, &defaults)
}

#[test]
fn configuration_reference_is_current() {
    compare("docs/configuration.md", &reference(&settings()));
}

#[test]
fn example_file_is_current() {
    compare("scan.example.toml", &example(&settings()));
}

#[test]
fn example_file_holds_the_defaults() {
    let example = example(&settings());
    let uncommented: String = example
        .lines()
        .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
        .flat_map(|line| [line, "\n"])
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scan.toml");
    for text in [example, uncommented] {
        fs::write(&file, &text).unwrap();
        let config = Config::load("", Some(&file)).unwrap();
        let expected = Config::load("", None).unwrap();
        assert_eq!(serde_json::to_value(config).unwrap(), serde_json::to_value(expected).unwrap());
    }
}

fn compare(file: &str, expected: &str) {
    let path = workspace().join(file);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, expected).unwrap();
    } else if fs::read_to_string(&path).unwrap_or_default() != expected {
        panic!("{file} is out of date: run `UPDATE_DOCS=1 cargo test -p cli --test configuration`");
    }
}

fn reference(sections: &[Section]) -> String {
    let mut text = "\
<!-- Generated from the settings structs by cli/tests/configuration.rs. -->
# Configuration

A server command reads its configuration from three sources. Each overrides the one before:

1. the defaults below,
2. the TOML file that `--config` names ([scan.example.toml](../scan.example.toml) shows every key),
3. environment variables: `SCAN__`, the sections and the key, joined by two underscores.

Unknown keys are errors. Lists and tables without a variable can be set in the file only. Secrets are
never printed.

"
    .to_owned();
    for section in sections {
        let heading = match section.path.as_str() {
            "" => "Top level".to_owned(),
            path if section.shared => format!("Type `{path}`"),
            path => format!("`[{path}]`"),
        };
        writeln!(text, "## {heading}\n\n{}\n", section.doc).unwrap();
        if section.optional {
            text.push_str("The section is optional. Without it, the feature is off.\n\n");
        }
        text.push_str("| key and variable | type | default | description |\n|---|---|---|---|\n");
        for key in &section.keys {
            let mut name = format!("`{}`", key.name);
            if let Some(variable) = variable(section, key) {
                write!(name, "<br>`{variable}`").unwrap();
            }
            let mut doc = key.doc.replace('|', "\\|");
            for (value, meaning) in key.kind.values() {
                write!(doc, "<br>`{value}`: {meaning}").unwrap();
            }
            let default = if section.shared { String::new() } else { default_in_words(section, key) };
            writeln!(text, "| {name} | {} | {default} | {doc} |", key.kind.name(key.list)).unwrap();
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// Returns the environment variable of a key with one value. A shared table has one for each field.
fn variable(section: &Section, key: &Key) -> Option<String> {
    if section.shared || key.list || matches!(key.kind, Kind::Map) {
        return None;
    }
    let mut parts = vec!["SCAN".to_owned()];
    parts.extend(section.path.split('.').filter(|part| !part.is_empty()).map(str::to_uppercase));
    parts.push(key.name.to_uppercase());
    if matches!(key.kind, Kind::Shared(_)) {
        parts.push("…".to_owned());
    }
    Some(parts.join("__"))
}

fn default_in_words(section: &Section, key: &Key) -> String {
    match (computed(section, key), literal(key)) {
        (Some(words), _) => words.to_owned(),
        (None, None) => "not set".to_owned(),
        (None, Some(literal)) => format!("`{literal}`"),
    }
}

fn computed(section: &Section, key: &Key) -> Option<&'static str> {
    let path = format!("{}.{}", section.path, key.name);
    COMPUTED.into_iter().find(|(computed, _)| *computed == path).map(|(_, words)| words)
}

/// Returns the default in TOML, or `None` if the key is not set by default.
fn literal(key: &Key) -> Option<String> {
    let value = key.default.as_ref().filter(|value| !value.is_null())?;
    if matches!(key.kind, Kind::Secret) && !key.list {
        return Some("\"\"".to_owned());
    }
    if let (Kind::Number, Some(number)) = (&key.kind, value.as_f64()) {
        // Via `f32`: as `f64`, a default of that type would have rounding digits.
        return Some(format!("{:?}", number as f32));
    }
    let toml = toml::Value::try_from(value).unwrap();
    Some(match toml {
        toml::Value::Table(table) => {
            let fields: Vec<String> = table.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
        }
        other => other.to_string(),
    })
}

fn example(sections: &[Section]) -> String {
    let mut text = "\
# Every setting of Scan Service. Generated from the settings structs by cli/tests/configuration.rs.
# A line that starts with `#` and no space is a setting at its default: remove the `#` to change it.
# Settings without a default are shown as `# key = (…)`. docs/configuration.md explains everything.
"
    .to_owned();
    for section in sections.iter().filter(|section| !section.shared) {
        text.push('\n');
        comment(&mut text, &section.doc);
        if section.optional {
            writeln!(text, "# [{}]", section.path).unwrap();
        } else if !section.path.is_empty() {
            writeln!(text, "[{}]", section.path).unwrap();
        }
        for key in &section.keys {
            text.push('\n');
            comment(&mut text, &key.doc);
            let values: Vec<_> = key.kind.values().iter().map(|(value, _)| format!("\"{value}\"")).collect();
            if !values.is_empty() {
                comment(&mut text, &format!("One of {}.", values.join(", ")));
            }
            let unset = || {
                let words = computed(section, key).map_or_else(|| key.kind.name(key.list), str::to_owned);
                format!("# {} = ({words})", key.name)
            };
            let set = literal(key).filter(|_| computed(section, key).is_none());
            let mark = if section.optional { "# " } else { "#" };
            let line = set.map_or_else(unset, |literal| format!("{mark}{} = {literal}", key.name));
            writeln!(text, "{line}").unwrap();
        }
    }
    text
}

/// Writes `words` as a comment of at most 100 columns.
fn comment(text: &mut String, words: &str) {
    let mut line = "#".to_owned();
    for word in words.split_whitespace() {
        if line.chars().count() + word.chars().count() >= 100 {
            writeln!(text, "{line}").unwrap();
            "#".clone_into(&mut line);
        }
        write!(line, " {word}").unwrap();
    }
    writeln!(text, "{line}").unwrap();
}
