//! Small media for tests, made by the real ffmpeg.

use std::process::Command;

use serde_json::{Value, json};

/// A file and what is said of it.
#[derive(Debug, Clone)]
pub struct Clip {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its declared media type.
    pub content_type: &'static str,
}

impl Clip {
    /// A few seconds of a moving test picture: enough to keep frames of.
    ///
    /// # Panics
    /// When ffmpeg fails.
    pub fn moving(seconds: u32) -> Self {
        Self::made(&["-f", "lavfi", "-i", &format!("testsrc2=size=640x360:rate=10:duration={seconds}")], &[])
    }

    /// A video made by ffmpeg from these inputs, as MP4.
    ///
    /// # Panics
    /// When ffmpeg fails.
    pub fn made(inputs: &[&str], options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("clip.mp4");
        let output = Command::new("ffmpeg")
            .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"])
            .args(inputs)
            .args(["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast"])
            .args(options)
            .arg(&path)
            .output()
            .expect("ffmpeg runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self { bytes: std::fs::read(path).expect("the clip"), content_type: "video/mp4" }
    }

    /// Any bytes, declared as MP4.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), content_type: "video/mp4" }
    }

    /// The body of a scan's creation.
    pub fn declaration(&self) -> Value {
        json!({ "input": {
            "kind": "video",
            "language": "en",
            "video": { "content_type": self.content_type, "content_length": self.bytes.len() },
        } })
    }
}
