//! The command that copies the SQLite database.

use std::path::Path;

use anyhow::{Context, ensure};
use entities::Db;
use serde_json::{Value, json};

/// Copies the database to a new file, which only its owner can read.
pub(super) async fn run(db: &Db, file: &Path) -> anyhow::Result<Value> {
    ensure!(!file.exists(), "{} exists", file.display());
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A private folder, so that nobody reads the copy before its permissions are set.
    let draft = private_folder(parent)?;
    let copy = draft.join("copy.db");
    let copied = async {
        db.back_up(&copy).await?;
        std::fs::set_permissions(&copy, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        let written = std::fs::File::open(&copy)?;
        written.sync_all()?;
        let bytes = written.metadata()?.len();
        std::fs::rename(&copy, file)?;
        anyhow::Ok(bytes)
    };
    let copied = copied.await;
    std::fs::remove_dir_all(&draft)?;
    Ok(json!({ "file": file, "bytes": copied? }))
}

/// Creates a folder that only its owner can open.
fn private_folder(parent: &Path) -> anyhow::Result<std::path::PathBuf> {
    use std::os::unix::fs::DirBuilderExt;

    let folder = parent.join(format!(".backup-{}", domain::RequestId::new()));
    std::fs::DirBuilder::new()
        .mode(0o700)
        .create(&folder)
        .with_context(|| format!("cannot write to {}", parent.display()))?;
    Ok(folder)
}
