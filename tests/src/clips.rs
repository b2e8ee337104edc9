//! Small videos and photos for tests, made by ffmpeg.

use std::process::Command;

use serde_json::{Value, json};

/// A video file and its declared media type.
#[derive(Debug, Clone)]
pub struct Clip {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The declared media type.
    pub content_type: &'static str,
}

impl Clip {
    /// Creates a moving test picture. The pipeline keeps some of its frames.
    ///
    /// # Panics
    /// Panics if ffmpeg fails.
    pub fn moving(seconds: u32) -> Self {
        Self::from_inputs(
            &["-f", "lavfi", "-i", &format!("testsrc2=size=640x360:rate=10:duration={seconds}")],
            &[],
        )
    }

    /// Creates an MP4 video from these inputs of ffmpeg.
    ///
    /// # Panics
    /// Panics if ffmpeg fails.
    pub fn from_inputs(inputs: &[&str], options: &[&str]) -> Self {
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

    /// Declares any bytes as MP4.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), content_type: "video/mp4" }
    }

    /// Returns the body of the request that creates a scan of this clip.
    pub fn declaration(&self) -> Value {
        json!({ "input": {
            "kind": "video",
            "language": "en",
            "video": { "content_type": self.content_type, "content_length": self.bytes.len() },
        } })
    }
}

/// Creates different sharp photos (JPEG).
///
/// # Panics
/// Panics if ffmpeg fails.
pub fn photos(count: usize) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let pattern = folder.path().join("%d.jpg");
    let source = format!("mandelbrot=size=800x600:rate=1:start_scale=0.5,trim=duration={count}");
    let output = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-f", "lavfi", "-i", &source])
        .args(["-frames:v", &count.to_string(), "-q:v", "3"])
        .arg(&pattern)
        .output()
        .expect("ffmpeg runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let photo = |n| std::fs::read(folder.path().join(format!("{n}.jpg"))).expect("a photo");
    (1..=count).map(photo).collect()
}
