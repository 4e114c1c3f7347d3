//! The manifest of a package: what it is, for which request, and the checksums of its files.

use serde::{Deserialize, Serialize};

use crate::EngineError;

/// Version of the exchange: of the manifest, the options and the results.
pub const FORMAT: u32 = 3;
/// Name of the manifest in its folder.
pub const MANIFEST: &str = "manifest.json";

/// One file of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Name in the folder.
    pub name: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Checksum.
    pub checksum: String,
}

/// The manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the exchange.
    pub format: u32,
    /// Version of the program that wrote it.
    pub program: String,
    /// Checksum of matrices and options together: what the package is a package of.
    pub package: String,
    /// The request in words.
    pub request: String,
    /// `real` or `complex`: which of the two drivers.
    pub numbers: String,
    /// Unknowns of the matrices, n + r.
    pub size: usize,
    /// Independent constraint rows among them.
    pub rank: usize,
    /// The other files.
    pub files: Vec<FileEntry>,
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}

impl Manifest {
    /// As text.
    ///
    /// # Errors
    /// None in practice: all values have a form in JSON.
    pub fn to_text(&self) -> std::io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// From text.
    ///
    /// # Errors
    /// [`EngineError::Format`] for another version, [`EngineError::Malformed`].
    pub fn from_text(text: &str) -> Result<Self, EngineError> {
        let malformed =
            |e: serde_json::Error| EngineError::Malformed { file: MANIFEST.to_owned(), why: e.to_string() };
        let Version { format } = serde_json::from_str(text).map_err(malformed)?;
        if format != FORMAT {
            return Err(EngineError::Format { file: MANIFEST.to_owned(), found: format });
        }
        serde_json::from_str(text).map_err(malformed)
    }

    /// Compares with the package that the same request makes now.
    ///
    /// # Errors
    /// [`EngineError::OtherPackage`].
    pub fn is_of(&self, package: &str) -> Result<(), EngineError> {
        let request = self.request.clone();
        if self.package == package { Ok(()) } else { Err(EngineError::OtherPackage { request }) }
    }
}
