//! `cargo xtask bench compare`: runs a benchmark of another revision and of this tree in turn, so that
//! "faster" is a ratio from one sitting.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::system;

/// Options of `cargo xtask bench compare`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The other revision: a commit, tag or branch.
    revision: String,
    /// Benchmark with its options, for example `pipeline` or `load --models`.
    #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    bench: Vec<String>,
    /// Number of runs of each tree, besides a first one that also builds.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Print one line of JSON at the end.
    #[arg(long)]
    json: bool,
}

#[expect(clippy::print_stdout, reason = "the result goes to the standard output")]
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    ensure!(arguments.runs > 0, "--runs must be at least 1");
    let other = Tree::of_revision(&arguments.revision)?;
    let this = Tree::this();
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    // The first run of each builds, and fills the caches.
    other.measure(&arguments.bench)?;
    this.measure(&arguments.bench)?;
    for _ in 0..arguments.runs {
        theirs.push(numbers(&other.measure(&arguments.bench)?));
        ours.push(numbers(&this.measure(&arguments.bench)?));
    }
    let comparison = compare(&theirs, &ours);
    let bench = arguments.bench.join(" ");
    if arguments.json {
        let line = json!({
            "bench": bench, "revision": other.name, "runs": arguments.runs, "fields": fields(&comparison),
        });
        println!("{line}");
    } else {
        print!("bench {bench}, medians of {} runs\n{}", arguments.runs, table(&other.name, &comparison));
    }
    Ok(())
}

/// A working tree whose own `cargo xtask` runs the benchmark.
struct Tree {
    name: String,
    folder: PathBuf,
    /// Build output, if it isn't that of this tree.
    target: Option<PathBuf>,
}

impl Tree {
    fn this() -> Self {
        Self { name: "this tree".to_owned(), folder: system::workspace(), target: None }
    }

    /// Checks a revision out into the cache folder. All revisions share one build folder there, because most
    /// dependencies are the same.
    fn of_revision(revision: &str) -> Result<Self> {
        let commit = git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")])?;
        let cache = system::cache_folder()?.join("compare");
        let folder = cache.join("tree");
        if folder.is_dir() {
            git_in(&folder, &["checkout", "--quiet", "--detach", &commit])?;
        } else {
            fs::create_dir_all(&cache)?;
            let origin = system::workspace();
            let path = |path: &Path| path.display().to_string();
            git(&["clone", "--quiet", "--shared", "--no-checkout", &path(&origin), &path(&folder)])?;
            git_in(&folder, &["checkout", "--quiet", "--detach", &commit])?;
        }
        Ok(Self {
            name: commit[..commit.len().min(12)].to_owned(),
            folder,
            target: Some(cache.join("target")),
        })
    }

    /// Runs the benchmark and returns its line of JSON.
    fn measure(&self, bench: &[String]) -> Result<Value> {
        eprintln!("{}: bench {}", self.name, bench.join(" "));
        let mut command = Command::new("cargo");
        command.args(["xtask", "bench"]).args(bench).arg("--json").current_dir(&self.folder);
        command.envs(self.target.as_ref().map(|target| ("CARGO_TARGET_DIR", target)));
        let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "the benchmark of {} failed", self.name);
        let text = String::from_utf8(output.stdout)?;
        let line =
            text.lines().rev().find(|line| line.starts_with('{')).context("the benchmark printed no JSON")?;
        Ok(serde_json::from_str(line)?)
    }
}

fn git(arguments: &[&str]) -> Result<String> {
    git_in(&system::workspace(), arguments)
}

fn git_in(folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = system::output_of(system::command("git").args(arguments).current_dir(folder))?;
    Ok(output.trim().to_owned())
}

/// The median of a field in both trees.
#[derive(Debug, PartialEq)]
struct Medians {
    theirs: f64,
    ours: f64,
}

/// Returns all numbers of a result by their path, for example `stages.ingest`.
fn numbers(result: &Value) -> BTreeMap<String, f64> {
    fn collect(path: &str, value: &Value, into: &mut BTreeMap<String, f64>) {
        match value {
            Value::Number(number) => {
                into.extend(number.as_f64().map(|number| (path.to_owned(), number)));
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    collect(&path, value, into);
                }
            }
            _ => {}
        }
    }
    let mut all = BTreeMap::new();
    collect("", result, &mut all);
    all
}

/// Returns the medians of the fields that both trees have.
fn compare(theirs: &[BTreeMap<String, f64>], ours: &[BTreeMap<String, f64>]) -> BTreeMap<String, Medians> {
    let median = |runs: &[BTreeMap<String, f64>], field: &str| {
        let mut values: Vec<f64> = runs.iter().filter_map(|run| run.get(field).copied()).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let fields = ours.iter().flat_map(BTreeMap::keys);
    let medians = |field: &String| {
        let (theirs, ours) = (median(theirs, field)?, median(ours, field)?);
        Some((field.clone(), Medians { theirs, ours }))
    };
    fields.filter_map(medians).collect()
}

fn fields(comparison: &BTreeMap<String, Medians>) -> Value {
    let field = |(name, Medians { theirs, ours }): (&String, &Medians)| {
        (name.clone(), json!({ "revision": theirs, "this_tree": ours, "ratio": ours / theirs }))
    };
    Value::Object(comparison.iter().map(field).collect())
}

fn table(revision: &str, comparison: &BTreeMap<String, Medians>) -> String {
    let width = comparison.keys().map(String::len).max().unwrap_or_default();
    let mut table = format!("{:width$}  {revision:>12}  {:>12}  {:>6}\n", "", "this tree", "ratio");
    for (name, Medians { theirs, ours }) in comparison {
        let ratio = ours / theirs;
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{name:width$}  {theirs:>12.3}  {ours:>12.3}  {ratio:>6.3}");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_both_trees_are_compared_by_their_medians() {
        let run = |seconds: f64| numbers(&json!({ "stages": { "ingest": seconds }, "profile": "release" }));
        let new = |seconds: f64| {
            numbers(&json!({ "stages": { "ingest": seconds }, "only_here": 1, "profile": "release" }))
        };
        let comparison = compare(&[run(4.0), run(100.0), run(2.0)], &[new(1.0), new(2.0), new(9.0)]);
        let expected = Medians { theirs: 4.0, ours: 2.0 };
        assert_eq!(comparison, BTreeMap::from([("stages.ingest".to_owned(), expected)]));
        assert_eq!(fields(&comparison)["stages.ingest"]["ratio"], 0.5);
        let table = table("abc", &comparison);
        assert!(table.lines().nth(1).is_some_and(|line| line.ends_with("0.500")), "{table}");
    }

    #[test]
    fn revision_that_does_not_exist_is_an_error() {
        assert!(Tree::of_revision("no-such-revision").is_err());
    }
}
