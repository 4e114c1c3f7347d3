//! Matrices in binary files: numpy's and SciPy's `.npz` and `.npy`, MATLAB's `.mat`, PETSc's binary format. The first bytes of a
//! file say which it is; bytes that are none of these are text.

mod bytes;
mod entries;
mod error;
mod mat;
mod numpy;
mod petsc;
#[cfg(test)]
mod tests;
mod zip;

pub use error::MatrixFileError;

use mb_algebra::Sparse;

/// A matrix that was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The matrix.
    pub matrix: Sparse,
    /// What the file says of itself: `SciPy csc <f8`.
    pub format: String,
    /// Entries that were added to one given before them.
    pub repeated: usize,
}

/// A matrix of a file that may hold several.
struct Candidate<'b> {
    /// Its name; empty where the file does not give one.
    name: String,
    read: Box<dyn Fn() -> Result<Read, MatrixFileError> + 'b>,
}

/// Names under which the letters of the equation are saved.
fn answers(name: &str, letter: &str) -> bool {
    name == letter || (letter == "G" && matches!(name, "Phi_q" | "phi_q"))
}

/// Reads the matrix of a binary file that has the name, or without one the matrix of the letter in the equation, or the only one;
/// none where the bytes are text.
///
/// # Errors
/// [`MatrixFileError`].
pub fn read(bytes: &[u8], name: Option<&str>, letter: &str) -> Result<Option<Read>, MatrixFileError> {
    let candidates = if bytes.starts_with(numpy::ARCHIVE) {
        numpy::candidates(bytes)?
    } else if bytes.starts_with(mat::BEGIN) {
        mat::candidates(bytes)?
    } else if bytes.starts_with(numpy::ARRAY) {
        return numpy::read_array(bytes).map(Some);
    } else if let Some(indices) = petsc::indices_of(bytes) {
        return petsc::read(bytes, indices).map(Some);
    } else if bytes.starts_with(b"MATLAB 7.3") || bytes.starts_with(b"\x89HDF") {
        return Err(MatrixFileError::NotRead {
            what: "It is a file of MATLAB's version 7.3 (HDF5).".to_owned(),
            remedy: "Save it in the format of version 7: save('FILE', 'M', 'K', '-v7').",
        });
    } else {
        return Ok(None);
    };
    let names =
        || candidates.iter().map(|c| c.name.clone()).filter(|name| !name.is_empty()).collect::<Vec<_>>();
    let chosen = match (name, &candidates[..]) {
        (Some(name), list) => list
            .iter()
            .find(|c| c.name == name)
            .ok_or_else(|| MatrixFileError::NoSuchMatrix { name: name.to_owned(), names: names() })?,
        (None, []) => return Err(MatrixFileError::NoMatrix { names: Vec::new() }),
        (None, [only]) => only,
        (None, list) => list
            .iter()
            .find(|c| answers(&c.name, letter))
            .ok_or_else(|| MatrixFileError::Several { letter: letter.to_owned(), names: names() })?,
    };
    (chosen.read)().map(Some)
}
