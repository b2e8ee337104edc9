//! The folder as one file.

use std::io::{Cursor, Write};

use zip::{ZipWriter, result::ZipResult, write::SimpleFileOptions};

use super::Skill;

impl Skill {
    /// A zip of the skill's folder, which is named as the skill is. The same skill gives the same bytes.
    ///
    /// # Errors
    /// When a file is larger than a plain zip can hold, which no document makes it.
    pub fn to_zip(&self) -> ZipResult<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for file in &self.files {
            zip.start_file(format!("{}/{}", self.name, file.path), SimpleFileOptions::default())?;
            zip.write_all(file.content.as_bytes())?;
        }
        Ok(zip.finish()?.into_inner())
    }
}
