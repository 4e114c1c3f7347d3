//! Matrices and vectors in the binary format of PETSc, which `MatLoad` reads and `VecView` writes.
//!
//! Big endian, indices of 32 bits, from 0. A matrix: the number 1211216, rows, columns, entries; entries of each row; columns; values.
//! A vector: the number 1211214, length, values; of complex numbers real and imaginary part behind each other.

use std::borrow::Cow;
use std::io::{self, Write};

use mb_algebra::{Sparse, c64, interrupt};
use mb_eigen::engine::{Lines, ScaledMatrix};

/// The number with which a matrix begins.
pub const MATRIX: u32 = 1_211_216;
/// The number with which a vector begins.
const VECTOR: u32 = 1_211_214;
/// Bytes that go through a buffer at a time.
const PIECE: usize = 1 << 20;

/// An index as the format holds it; an error where it does not fit 31 bits.
fn index(x: usize) -> io::Result<u32> {
    let fits = u32::try_from(x).ok().filter(|x| i32::try_from(*x).is_ok());
    fits.ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "an index does not fit the 31 bits of PETSc's format")
    })
}

/// A matrix that is read row by row, forwards.
pub trait ByRows {
    /// Rows and columns.
    fn shape(&self) -> [usize; 2];
    /// Replaces `into` by the entries of row `i`, from 0, as (column, value), the columns ascending.
    ///
    /// # Errors
    /// Of the place where rows wait.
    fn row(&mut self, i: usize, into: &mut Vec<(usize, f64)>) -> io::Result<()>;
}

impl ByRows for ScaledMatrix<'_> {
    fn shape(&self) -> [usize; 2] {
        [self.size(); 2]
    }
    fn row(&mut self, i: usize, into: &mut Vec<(usize, f64)>) -> io::Result<()> {
        self.row(i, into)
    }
}

/// A sparse matrix by rows.
struct Csr<'a>(&'a Sparse);

impl ByRows for Csr<'_> {
    fn shape(&self) -> [usize; 2] {
        self.0.shape().into()
    }
    fn row(&mut self, i: usize, into: &mut Vec<(usize, f64)>) -> io::Result<()> {
        self.0.line(i, into)
    }
}

/// Writes a matrix in pieces, reading each row three times; `complex`: its values as complex numbers.
///
/// # Errors
/// What the places say, and indices of more than 31 bits.
pub fn write_matrix(out: &mut dyn Write, matrix: &mut dyn ByRows, complex: bool) -> io::Result<()> {
    let [rows, columns] = matrix.shape();
    let mut row = Vec::new();
    let mut lengths = Vec::with_capacity(rows);
    for i in 0..rows {
        matrix.row(i, &mut row)?;
        lengths.push(index(row.len())?);
    }
    let entries = lengths.iter().map(|length| *length as usize).sum();
    for x in [MATRIX, index(rows)?, index(columns)?, index(entries)?] {
        out.write_all(&x.to_be_bytes())?;
    }
    let mut buffer = Vec::with_capacity(2 * PIECE);
    for length in lengths {
        buffer.extend(length.to_be_bytes());
        flush(out, &mut buffer, PIECE)?;
    }
    for i in 0..rows {
        matrix.row(i, &mut row)?;
        for (j, _) in &row {
            buffer.extend(index(*j)?.to_be_bytes());
        }
        flush(out, &mut buffer, PIECE)?;
    }
    for i in 0..rows {
        matrix.row(i, &mut row)?;
        for (_, x) in &row {
            buffer.extend(x.to_be_bytes());
            if complex {
                buffer.extend(0.0_f64.to_be_bytes());
            }
        }
        flush(out, &mut buffer, PIECE)?;
    }
    flush(out, &mut buffer, 0)
}

/// Writes a buffer that has reached `least` bytes, and empties it.
fn flush(out: &mut dyn Write, buffer: &mut Vec<u8>, least: usize) -> io::Result<()> {
    if buffer.len() >= least {
        interrupt::check();
        out.write_all(buffer)?;
        buffer.clear();
    }
    Ok(())
}

/// The bytes of a file with one matrix; none where an index does not fit 31 bits.
pub fn file(matrix: &Sparse) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(16 + 4 * matrix.rows() + 12 * matrix.nnz());
    let rows = if matrix.is_csr() { Cow::Borrowed(matrix) } else { Cow::Owned(matrix.to_csr()) };
    write_matrix(&mut out, &mut Csr(&rows), false).ok()?;
    Some(out)
}

/// Vectors of real numbers, `count` of them of length `size`; none where the bytes are others.
pub fn read_real(bytes: &[u8], count: usize, size: usize) -> Option<Vec<Vec<f64>>> {
    let parts = vectors(bytes, count, size, 8)?;
    Some(parts.into_iter().map(|part| part.chunks_exact(8).map(number).collect()).collect())
}

/// Vectors of complex numbers.
pub fn read_complex(bytes: &[u8], count: usize, size: usize) -> Option<Vec<Vec<c64>>> {
    let parts = vectors(bytes, count, size, 16)?;
    let of = |pair: &[u8]| c64::new(number(&pair[..8]), number(&pair[8..]));
    Some(parts.into_iter().map(|part| part.chunks_exact(16).map(of).collect()).collect())
}

fn number(bytes: &[u8]) -> f64 {
    bytes.try_into().map_or(f64::NAN, f64::from_be_bytes)
}

fn vectors(bytes: &[u8], count: usize, size: usize, width: usize) -> Option<Vec<&[u8]>> {
    let whole = 8 + width * size;
    if bytes.len() != count * whole {
        return None;
    }
    let mut out = Vec::with_capacity(count);
    for part in bytes.chunks_exact(whole) {
        let word = |at: usize| part[at..at + 4].try_into().map_or(0, u32::from_be_bytes);
        if word(0) != VECTOR || usize::try_from(word(4)).ok()? != size {
            return None;
        }
        out.push(&part[8..]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Scatter, Triplets};

    #[test]
    fn a_small_matrix_byte_by_byte() {
        let mut entries = Triplets::new(2, 3);
        entries.add(0, 2, 1.0);
        entries.add(1, 0, -2.0);
        let matrix = entries.to_sparse();
        let bytes = file(&matrix).unwrap();
        let words: Vec<u32> =
            bytes[..32].chunks(4).map(|c| u32::from_be_bytes([c[0], c[1], c[2], c[3]])).collect();
        assert_eq!(words, [MATRIX, 2, 3, 2, 1, 1, 2, 0]);
        assert_eq!(bytes[32..40], 1.0_f64.to_be_bytes());
        assert_eq!((bytes.len(), &bytes[40..]), (48, &(-2.0_f64).to_be_bytes()[..]));
        let mut complex = Vec::new();
        write_matrix(&mut complex, &mut Csr(&matrix.to_csr()), true).unwrap();
        assert_eq!(complex.len(), 64);
        assert_eq!(complex[48..56], (-2.0_f64).to_be_bytes());
    }

    #[test]
    fn vectors_are_read_and_torn_ones_refused() {
        let mut bytes = Vec::new();
        for first in [1.0_f64, 3.0] {
            bytes.extend(VECTOR.to_be_bytes());
            bytes.extend(2_u32.to_be_bytes());
            bytes.extend(first.to_be_bytes());
            bytes.extend((-first).to_be_bytes());
        }
        assert_eq!(read_real(&bytes, 2, 2), Some(vec![vec![1.0, -1.0], vec![3.0, -3.0]]));
        assert_eq!(read_real(&bytes[..47], 2, 2), None);
        assert_eq!(read_complex(&bytes, 2, 1), None);
        bytes[7] = 1;
        assert_eq!(read_real(&bytes, 2, 2), None);
    }
}
