//! The first calls of the README, the quick start and the guides run exactly as they are printed, and so
//! does what a user wants to do with the command line.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;

/// Returns the first `sh` block under a heading of a Markdown file.
fn shell_block(markdown: &str, heading: &str) -> String {
    let section = markdown.split_once(heading).expect("the heading is there").1;
    let block = section.split_once("```sh\n").expect("the section has a sh block").1;
    block.split_once("```").expect("the block ends").0.to_owned()
}

/// Returns every `sh` block of a Markdown file of `docs`, as one script.
fn shell_blocks(file: &str) -> String {
    let markdown = fs::read_to_string(root().join("docs").join(file)).unwrap();
    let blocks: Vec<_> =
        markdown.split("```sh\n").skip(1).map(|part| part.split("```").next().unwrap()).collect();
    assert!(!blocks.is_empty(), "{file} has no sh block");
    blocks.concat()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The scripts start `scan up` on its default ports, so only one may run at a time.
static DEFAULT_PORTS: Mutex<()> = Mutex::new(());

/// A new folder with `walk.mp4`, in which scripts run with profiles of its own.
struct Workplace(tempfile::TempDir);

impl Workplace {
    fn new() -> Self {
        let walk = env::var_os("SCAN_TEST_WALK").expect("`cargo xtask test` sets SCAN_TEST_WALK");
        let folder = tempfile::tempdir().unwrap();
        fs::copy(Path::new(&walk).join("video.mp4"), folder.path().join("walk.mp4")).unwrap();
        Self(folder)
    }

    /// Returns a shell that will run a script. The script may leave `scan up` running: the shell stops it
    /// and waits, so that its ports are free again.
    fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("/bin/bash");
        let script = format!("trap 'kill $(jobs -p) || true; wait' EXIT\n{script}");
        shell.args(["-euo", "pipefail", "-c", &script]);
        shell.current_dir(self.0.path()).stdin(Stdio::null());
        shell
    }

    /// Returns the log of the service.
    fn log(&self) -> String {
        fs::read_to_string(self.0.path().join("scan.log")).unwrap_or_default()
    }
}

/// Runs a script in a new folder. Returns the output, and the log of the service.
fn run(script: &str) -> (Output, String) {
    let _ports = DEFAULT_PORTS.lock().unwrap_or_else(PoisonError::into_inner);
    let place = Workplace::new();
    let programs = harness::service::binary("scan").unwrap().parent().unwrap().to_owned();
    let path = env::join_paths(
        std::iter::once(programs).chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let mut shell = place.shell(script);
    shell.env("PATH", path.unwrap());
    // Profiles and notes of uploads; the models stay where set-up installed them.
    shell.env("XDG_CONFIG_HOME", place.0.path().join("home/.config"));
    shell.env("XDG_STATE_HOME", place.0.path().join("home/state"));
    (shell.output().unwrap(), place.log())
}

#[track_caller]
fn assert_success(output: &Output, log: &str) {
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{printed}\n{errors}\n{log}", output.status);
}

#[test]
fn first_calls_run_as_printed() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (output, log) = run(&shell_block(&readme, "## First calls"));
    assert_success(&output, &log);
    let printed: Vec<Value> =
        serde_json::Deserializer::from_slice(&output.stdout).into_iter().collect::<Result<_, _>>().unwrap();
    let [started, zones, texts, answer] = &printed[..] else { panic!("four values: {printed:?}") };
    assert_eq!(started["charge"]["kind"], "free_scan");
    assert!(!zones.as_array().unwrap().is_empty() && !texts.as_array().unwrap().is_empty(), "{printed:?}");
    assert!(["answered", "partial", "abstained"].contains(&answer["status"].as_str().unwrap()));
}

/// Pages whose commands run one after the other.
const GUIDES: [&str; 5] =
    ["quick-start.md", "guides/command-line.md", "guides/upload.md", "guides/asking.md", "guides/money.md"];

#[test]
fn no_guide_has_commands_that_are_not_run() {
    for entry in fs::read_dir(root().join("docs/guides")).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("guides/{}", path.file_name().unwrap().to_str().unwrap());
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("```sh") || GUIDES.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn the_quick_start_and_the_guides_run_as_printed() {
    let (output, log) = run(&GUIDES.map(shell_blocks).concat());
    assert_success(&output, &log);
    let printed = String::from_utf8_lossy(&output.stdout);
    for shown in ["logged in as", "zones", "free scans", "/docs"] {
        assert!(printed.contains(shown), "{shown} is missing in {printed}");
    }
}

#[test]
fn a_user_can_do_everything_with_the_command_line() {
    let start = shell_blocks("quick-start.md");
    let start = start.split("scan login").next().unwrap();
    let commands = root().join("tests/data/user_commands.sh");
    let photos = "mkdir photos; ffmpeg -v error -i walk.mp4 -vf fps=1/4 -frames:v 3 photos/%02d.jpg\n";
    let script = format!("{start}\n{photos}bash {}", commands.display());
    let (output, log) = run(&script);
    assert_success(&output, &log);
}

/// Creates a folder with links to these programs, as the `PATH` of a machine that has no others.
fn path_with(programs: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let known: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap()).collect();
    for program in programs {
        let found = known.iter().map(|folder| folder.join(program)).find(|file| file.is_file());
        let found = found.unwrap_or_else(|| panic!("{program} is not on the PATH"));
        std::os::unix::fs::symlink(found, folder.path().join(program)).unwrap();
    }
    folder
}

/// The files of a release archive run where nothing of the repository is installed: no compiler, no Node, an
/// empty home and no cache.
#[test]
fn the_archive_runs_as_its_guide_says_on_a_machine_with_ffmpeg_alone() {
    let out = tempfile::tempdir().unwrap();
    let scan = harness::service::binary("scan").unwrap();
    let mut dist = Command::new(harness::service::binary("xtask").unwrap());
    dist.args(["dist", "--unpacked", "--binary"]).arg(&scan).arg("--out").arg(out.path());
    let built = dist.output().unwrap();
    assert_success(&built, "");
    let root = fs::read_dir(out.path()).unwrap().next().unwrap().unwrap().path();
    for file in [
        "README.md",
        "scan.cdx.json",
        "share/man/man1/scan-up.1",
        "share/bash-completion/completions/scan",
        "licenses/models.txt",
        "licenses/embedded/wordnet.txt",
    ] {
        assert!(root.join(file).is_file(), "{file}");
    }
    let licensed = |folder: &str, prefix: &str| {
        let entries = fs::read_dir(root.join("licenses").join(folder)).unwrap();
        entries.filter_map(Result::ok).any(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
    };
    assert!(licensed("crates", "rustls-") && licensed("temporal", "go.temporal.io_server@"));

    let _ports = DEFAULT_PORTS.lock().unwrap_or_else(PoisonError::into_inner);
    let place = Workplace::new();
    let photos = "mkdir photos; ffmpeg -v error -i walk.mp4 -vf fps=1/4 -frames:v 2 photos/%02d.jpg\n";
    let script = format!("{photos}{}\nscan run photos --name Archive", shell_blocks("install.md"));
    let tools = path_with(&["sh", "dirname", "readlink", "sleep", "mkdir", "curl", "ffmpeg", "ffprobe"]);
    // The folder of the archive stands for the link of step 2.
    let path = env::join_paths([root.join("bin"), tools.path().to_owned()]).unwrap();
    let mut shell = place.shell(&script);
    shell.env_clear().env("PATH", path).env("HOME", place.0.path().join("home"));
    let output = shell.output().unwrap();
    let log = place.log();
    assert_success(&output, &log);
    assert!(!log.contains("this machine lacks"), "{log}");
    assert!(place.0.path().join("scan-result/document.json").is_file(), "{output:?}");

    // Without ffmpeg, one message names what is missing, and nothing starts.
    let tools = path_with(&["sh", "dirname", "readlink"]);
    let mut scan = Command::new(root.join("bin/scan"));
    scan.args(["up", "--data", "other"]).current_dir(place.0.path());
    let refused = scan.env_clear().env("PATH", tools.path()).output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{message}");
    assert!(message.contains("- ffmpeg:") && message.contains("- ffprobe:"), "{message}");
    assert!(!message.contains("weights") && !message.contains("Temporal"), "{message}");
}
