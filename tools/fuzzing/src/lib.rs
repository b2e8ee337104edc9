//! A small fuzzer for parsers, for stable Rust: mutates a committed corpus, and keeps inputs with a new
//! outcome as further seeds.
//!
//! The outcome that a target returns replaces the coverage that libFuzzer measures: an input that gives a
//! new error or a new kind of result is mutated further. The same targets run under libFuzzer in `fuzz/`.
//! Runs are repeatable: the seed is fixed unless `SCAN_FUZZ_SEED` sets another.

#![expect(clippy::print_stdout, reason = "the report of a test run")]

mod mutation;
mod random;

use std::{
    collections::HashSet,
    fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use mutation::mutate;
use random::Random;

/// Number of executions of a run in the tests. `SCAN_FUZZ_EXECUTIONS` sets another.
const DEFAULT_EXECUTIONS: u64 = 20_000;
/// Maximum number of seeds. Later inputs replace random ones.
const MAX_SEEDS: usize = 1_000;
/// Maximum length of an input in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// Result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Number of inputs that were executed.
    pub executions: u64,
    /// Number of different outcomes.
    pub outcomes: usize,
    /// Number of the execution that gave the last new outcome.
    pub last_new: u64,
}

/// Runs a target on mutations of `fuzz/corpus/{name}`. The target returns the kind of its outcome, for
/// example the text of an error, without parts that differ for each input.
///
/// # Panics
/// Panics if the target panics, after printing the input in hex, or if there is no corpus.
pub fn run(name: &str, target: impl Fn(&[u8]) -> String) -> Report {
    let mut seeds = corpus(name);
    assert!(!seeds.is_empty(), "fuzz/corpus/{name} is empty");
    let executions = number("SCAN_FUZZ_EXECUTIONS").unwrap_or(DEFAULT_EXECUTIONS);
    let mut random = Random::new(number("SCAN_FUZZ_SEED").unwrap_or(1));
    let mut outcomes = HashSet::new();
    let mut last_new = 0;
    for input in &seeds {
        outcomes.insert(execute(name, &target, input));
    }
    for execution in 1..=executions {
        let mut input = seeds[random.below(seeds.len())].clone();
        let other = random.below(seeds.len());
        for _ in 0..=random.below(4) {
            mutate(&mut input, &seeds[other], &mut random);
        }
        input.truncate(MAX_BYTES);
        if outcomes.insert(execute(name, &target, &input)) {
            last_new = execution;
            if seeds.len() < MAX_SEEDS {
                seeds.push(input);
            } else {
                let replaced = random.below(seeds.len());
                seeds[replaced] = input;
            }
        }
    }
    let report = Report { executions, outcomes: outcomes.len(), last_new };
    println!("{name}: {report:?}");
    report
}

fn execute(name: &str, target: &impl Fn(&[u8]) -> String, input: &[u8]) -> String {
    catch_unwind(AssertUnwindSafe(|| target(input))).unwrap_or_else(|panic| {
        let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{name} panicked on {hex}");
        resume_unwind(panic)
    })
}

/// Reads the committed inputs of a target, in the order of their names.
/// Reads the corpus of a target. Tests run in the folder of their package, below that of the corpus; a path from
/// the time of the build would be wrong in a tree that was moved.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let here = std::env::current_dir().unwrap_or_default();
    let folder = here.ancestors().map(|above| above.join("fuzz/corpus").join(name)).find(|f| f.is_dir());
    let mut files: Vec<_> =
        folder.and_then(|f| fs::read_dir(f).ok()).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    files.iter().filter_map(|file| fs::read(file).ok()).collect()
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_panic_behind_three_conditions() {
        let target = |input: &[u8]| {
            assert!(!input.starts_with(b"\xff\xff\xff\xff"), "found");
            let matching = input.iter().take_while(|byte| **byte == 0xff).count();
            matching.to_string()
        };
        let found = catch_unwind(|| run("cursor", target));
        assert!(found.is_err(), "outcomes lead the fuzzer to the panic");
    }

    #[test]
    fn a_run_is_repeatable() {
        let target = |input: &[u8]| input.len().to_string();
        assert_eq!(run("cursor", target), run("cursor", target));
    }
}
