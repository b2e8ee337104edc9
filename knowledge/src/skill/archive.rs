//! Packs a skill into a zip archive.

use std::io::{Cursor, Write};

use zip::{ZipWriter, result::ZipResult, write::SimpleFileOptions};

use super::Skill;

impl Skill {
    /// Returns a zip archive of the skill's folder, which has the name of the skill. Deterministic.
    ///
    /// # Errors
    /// Returns an error if a file exceeds the size limit of zip archives, which no document does.
    pub fn to_zip(&self) -> ZipResult<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for file in &self.files {
            zip.start_file(format!("{}/{}", self.name, file.path), SimpleFileOptions::default())?;
            zip.write_all(file.content.as_bytes())?;
        }
        Ok(zip.finish()?.into_inner())
    }
}
