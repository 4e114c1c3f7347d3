//! Arrays in NumPy's file format, version 1.0: a header in words, then the numbers, little-endian.

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

use mb_algebra::Sparse;

/// Bytes before the header's text: the mark, the version and the length.
const PREFIX: usize = 10;

/// Writes a sparse matrix as compressed rows: `<name>_data.npy`, `<name>_indices.npy`, `<name>_indptr.npy`.
pub(crate) fn write_rows(folder: &Path, name: &str, matrix: &Sparse) -> Result<()> {
    let rows = matrix.to_csr();
    let file = |part: &str| folder.join(format!("{name}_{part}.npy"));
    write(&file("data"), "<f8", rows.data().iter().map(|x| x.to_le_bytes()))?;
    write(&file("indices"), "<i8", rows.indices().iter().map(|i| (*i as u64).to_le_bytes()))?;
    write(&file("indptr"), "<i8", rows.proper_indptr().iter().map(|i| (*i as u64).to_le_bytes()))
}

fn write(path: &Path, kind: &str, numbers: impl ExactSizeIterator<Item = [u8; 8]>) -> Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(&header(kind, numbers.len()))?;
    for number in numbers {
        out.write_all(&number)?;
    }
    out.flush()
}

/// The header, padded so that the numbers start at a multiple of 64 bytes.
fn header(kind: &str, length: usize) -> Vec<u8> {
    let mut words = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({length},), }}");
    while !(PREFIX + words.len() + 1).is_multiple_of(64) {
        words.push(' ');
    }
    words.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    // Far below 65,536: a few names and one number.
    out.extend_from_slice(&u16::try_from(words.len()).unwrap_or(u16::MAX).to_le_bytes());
    out.extend_from_slice(words.as_bytes());
    out
}
