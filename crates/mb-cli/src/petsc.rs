//! Sparse matrices in the binary format of PETSc: `MatLoad` reads them.
//!
//! Big endian, indices of 32 bits, from 0: the number 1211216, rows, columns, entries; entries of each row; columns; values
//! (PETSc manual page of MatLoad).

use mb_algebra::Sparse;

/// What begins a matrix.
const MATRIX: u32 = 1_211_216;

/// The bytes of a file with one matrix; none where an index does not fit 31 bits.
pub fn file(matrix: &Sparse) -> Option<Vec<u8>> {
    let matrix = matrix.to_csr();
    let fits = |x: usize| u32::try_from(x).ok().filter(|x| i32::try_from(*x).is_ok());
    let mut out = Vec::with_capacity(16 + 4 * matrix.rows() + 12 * matrix.nnz());
    let sizes = [matrix.rows(), matrix.cols(), matrix.nnz()];
    out.extend(MATRIX.to_be_bytes());
    for x in sizes {
        out.extend(fits(x)?.to_be_bytes());
    }
    for row in matrix.outer_iterator() {
        out.extend(fits(row.nnz())?.to_be_bytes());
    }
    for column in matrix.indices() {
        out.extend(fits(*column)?.to_be_bytes());
    }
    out.extend(matrix.data().iter().flat_map(|x| x.to_be_bytes()));
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
        let bytes = file(&entries.to_sparse()).unwrap();
        let words: Vec<u32> =
            bytes[..32].chunks(4).map(|c| u32::from_be_bytes([c[0], c[1], c[2], c[3]])).collect();
        assert_eq!(words, [MATRIX, 2, 3, 2, 1, 1, 2, 0]);
        assert_eq!(bytes[32..40], 1.0_f64.to_be_bytes());
        assert_eq!((bytes.len(), &bytes[40..]), (48, &(-2.0_f64).to_be_bytes()[..]));
    }
}
