//! Makes the activities of a running service fail, panic or wait (`activities/src/failpoint.rs`).

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::wait;

/// Name of the environment variable with the folder, for the service.
pub const VARIABLE: &str = "SCAN_FAILPOINTS";

/// Maximum time until an activity arrives at a failpoint, on a busy machine.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(180);

/// The folder through which a test and the activities of a service talk.
#[derive(Debug, Clone)]
pub struct Failpoints(PathBuf);

impl Failpoints {
    /// Uses a folder, which is created.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self(folder.to_owned()))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Makes the failpoint return an error once. The subject is an id, or `any`.
    pub fn fail(&self, point: &str, subject: &str) {
        self.write(point, subject, "fail");
    }

    /// Makes the failpoint panic once.
    pub fn panic(&self, point: &str, subject: &str) {
        self.write(point, subject, "panic");
    }

    /// Makes activities wait at the failpoint until [`Failpoints::release`].
    pub fn hold(&self, point: &str, subject: &str) {
        self.write(point, subject, "hold");
    }

    /// Returns whether an activity waits at the failpoint.
    pub fn is_held(&self, point: &str, subject: &str) -> bool {
        self.file(point, subject).with_added_extension("held").exists()
    }

    /// Waits until an activity waits at the failpoint.
    ///
    /// # Panics
    /// Panics if none arrives in time.
    pub async fn await_held(&self, point: &str, subject: &str) {
        let condition = format!("{point} of {subject} to be held");
        wait::until(&condition, ARRIVAL_TIMEOUT, async || self.is_held(point, subject).then_some(())).await;
    }

    /// Lets the activities that wait at a failpoint continue.
    pub fn release(&self, point: &str, subject: &str) {
        let file = self.file(point, subject);
        // Nothing was held if the files do not exist.
        let _ = fs::remove_file(&file);
        let _ = fs::remove_file(file.with_added_extension("held"));
    }

    /// Lets all activities continue.
    pub fn release_all(&self) {
        for entry in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let _ = fs::remove_file(entry.path());
        }
    }

    /// Returns the failpoints at which no activity has failed yet.
    pub fn unspent(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn write(&self, point: &str, subject: &str, action: &str) {
        // Renamed, so that an activity never reads an incomplete file.
        let file = self.file(point, subject);
        let draft = file.with_added_extension("draft");
        fs::write(&draft, action).expect("the folder of failpoints can be written");
        fs::rename(&draft, &file).expect("the folder of failpoints can be written");
    }

    fn file(&self, point: &str, subject: &str) -> PathBuf {
        self.0.join(format!("{point}@{subject}"))
    }
}
