//! Files of every kind, from writers of other programs and byte by byte; what is torn or wrong is refused in words.

use super::{MatrixFileError, read};
use crate::mat::{self, Variable};
use crate::npz::{self, Array};
use mb_algebra::{Scatter as _, Sparse, Triplets};

/// 2 x 3, unsymmetric, with an empty column.
fn small() -> Sparse {
    let mut entries = Triplets::new(2, 3);
    entries.add(0, 2, 1.5);
    entries.add(1, 0, -2.0);
    entries.to_sparse()
}

fn only(bytes: &[u8]) -> Result<Sparse, MatrixFileError> {
    read(bytes, None, "M").map(|read| read.expect("a binary file").matrix)
}

#[test]
fn what_this_program_writes_is_read() {
    let matrix = small();
    let petsc = mb_engine::petsc::file(&matrix).unwrap();
    let npz = npz::archive(&npz::sparse(&matrix));
    let mat = mat::file(&[Variable::Sparse("M", &matrix)]);
    for bytes in [petsc, npz, mat] {
        assert_eq!(only(&bytes), Ok(matrix.clone()));
        // Cut off anywhere, it is refused.
        for length in 20..bytes.len() {
            assert!(only(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
    }
    assert!(read(b"%%MatrixMarket matrix", None, "M").unwrap().is_none());
}

#[test]
fn a_matrix_is_chosen_by_name_or_letter() {
    let (a, b) = (small(), Sparse::zero((2, 2)));
    let mat = mat::file(&[Variable::Sparse("Phi_q", &a), Variable::Sparse("K", &b)]);
    let shape =
        |name: Option<&str>, letter: &str| read(&mat, name, letter).map(|read| read.unwrap().matrix.shape());
    assert_eq!(shape(None, "K"), Ok((2, 2)));
    assert_eq!(shape(None, "G"), Ok((2, 3)));
    assert_eq!(shape(Some("Phi_q"), "K"), Ok((2, 3)));
    let several = shape(None, "M").unwrap_err().to_string();
    assert!(several.contains("Phi_q, K") && several.contains("FILE:NAME"), "{several}");
    let none = shape(Some("k"), "K").unwrap_err().to_string();
    assert!(none.contains("`k`, only Phi_q, K"), "{none}");
    let words = npz::archive(&[Array::words("w", vec!["a".to_owned()])]);
    assert!(matches!(read(&words, None, "M"), Err(MatrixFileError::NoMatrix { .. })));
}

#[test]
fn dense_arrays_are_matrices() {
    let array = Array::real("K", &[2, 3], vec![0.0, 0.0, 1.5, -2.0, 0.0, 0.0]);
    assert_eq!(only(&npz::archive(std::slice::from_ref(&array))), Ok(small()));
    assert_eq!(only(&mat::file(&[Variable::Array(&array)])), Ok(small()));
    let whole = Array::whole("K", &[2, 3], vec![0, 0, 1, -2, 0, 0]);
    assert_eq!(only(&npz::archive(&[whole])).unwrap().get(1, 0), Some(&-2.0));
}

#[test]
fn entries_that_are_no_real_numbers_are_refused_in_words() {
    use mb_algebra::c64;
    let complex = npz::archive(&[Array::complex("M", &[1, 1], vec![c64::new(1.0, 1.0)])]);
    assert!(only(&complex).unwrap_err().to_string().contains("`M` are complex"));
    let nan = npz::archive(&[Array::real("M", &[1, 2], vec![1.0, f64::NAN])]);
    assert!(only(&nan).unwrap_err().to_string().contains("row 1, column 2 (from 1) is NaN"));
    let mut petsc = mb_engine::petsc::file(&small()).unwrap();
    petsc.extend([0; 16]);
    assert!(only(&petsc).unwrap_err().to_string().contains("complex"));
    assert!(only(b"MATLAB 7.3 MAT-file").unwrap_err().to_string().contains("-v7"));
}

#[test]
fn indices_outside_and_sizes_beyond_are_refused() {
    let whole = |name: &str, list: &[i64]| Array::whole(name, &[list.len()], list.to_vec());
    let filled = |value: f64, indptr: &[i64], indices: &[i64], shape: &[i64]| {
        npz::archive(&[
            whole("indptr", indptr),
            whole("indices", indices),
            whole("shape", shape),
            Array::real("data", &[indices.len()], vec![value; indices.len()]),
            Array { shape: Vec::new(), ..Array::words("format", vec!["csr".to_owned()]) },
        ])
    };
    let archive = |indptr: &[i64], indices: &[i64], shape: &[i64]| filled(1.0, indptr, indices, shape);
    let says = |bytes: &[u8], words: &str| {
        let error = only(bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    assert_eq!(only(&archive(&[0, 2], &[1, 0], &[1, 2])).unwrap().nnz(), 2);
    let twice = read(&archive(&[0, 2], &[1, 1], &[1, 2]), None, "M").unwrap().unwrap();
    assert_eq!((twice.repeated, twice.matrix.get(0, 1)), (1, Some(&2.0)));
    says(&filled(-1e308, &[0, 2], &[1, 1], &[1, 2]), "row 1, column 2 (from 1) add up to -inf");
    says(&archive(&[0, 1], &[2], &[1, 2]), "row 1, column 3 (from 1) of a matrix of 1 x 2");
    says(&archive(&[0, 1], &[-1], &[1, 2]), "negative");
    says(&archive(&[0, 1, 0], &[0], &[2, 2]), "do not rise");
    says(&archive(&[0, 1], &[0], &[1, 1 << 40]), "at most");
    says(&archive(&[0], &[], &[1, 1]), "starts of rows or columns");
}

/// Files by other programs; see the README next to them. Every one holds the matrix of [`small`] as `M`.
#[test]
fn files_of_other_programs_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/matrices");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "md") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(only(&bytes), Ok(small()), "{}", path.display());
        // One byte changed anywhere gives a matrix or an error, never a panic.
        for at in 0..bytes.len() {
            for bit in [0x01, 0x80] {
                let mut broken = bytes.clone();
                broken[at] ^= bit;
                let _any = read(&broken, None, "M");
            }
        }
        count += 1;
    }
    assert!(count >= 8, "{count} files");
}

/// The type stands in the report as it is read.
#[test]
fn a_type_that_terminals_obey_is_refused() {
    let file = |mark: &str| {
        let head = format!("{{'descr': '{mark}f8', 'fortran_order': False, 'shape': (1, 1), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(head.len()).unwrap().to_le_bytes());
        bytes.extend(head.as_bytes());
        bytes.extend(2.0_f64.to_le_bytes());
        bytes
    };
    assert_eq!(only(&file("<")).map(|a| a.nnz()), Ok(1));
    for mark in ["\u{7}", "\u{1b}", " "] {
        let refused = only(&file(mark));
        assert!(matches!(&refused, Err(e) if e.to_string().contains("is not understood")), "{refused:?}");
    }
}
