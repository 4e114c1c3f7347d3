//! MAT files of version 5, without compression, as MATLAB, Octave and `scipy.io.loadmat` read them.
//!
//! The format is that of "MAT-File Format" (The MathWorks), little endian: a header of 128 bytes, then one element for each
//! variable. Numbers are double, words a column of cells, sparse matrices stay sparse. A list is a column. Files stay below 2 GiB.

use crate::npz::{Array, Data};
use mb_algebra::Sparse;

const INT8: u32 = 1;
const UINT16: u32 = 4;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const MATRIX: u32 = 14;
const CELL: u32 = 1;
const CHAR: u32 = 4;
const SPARSE: u32 = 5;
const NUMBERS: u32 = 6;
const COMPLEX: u32 = 0x0800;

/// A variable of a file.
#[derive(Clone, Debug)]
pub enum Variable<'a> {
    /// Numbers or words; the last index runs fastest in the array, the first one in the file.
    Array(&'a Array),
    /// A sparse matrix with its name.
    Sparse(&'a str, &'a Sparse),
}

/// The bytes of a file.
pub fn file(variables: &[Variable<'_>]) -> Vec<u8> {
    let mut out = format!("{:<116}", "MATLAB 5.0 MAT-file, written by mb").into_bytes();
    out.extend([0; 8]);
    out.extend(0x0100_u16.to_le_bytes());
    out.extend(b"IM");
    for variable in variables {
        let body = match variable {
            Variable::Array(array) => array_body(array),
            Variable::Sparse(name, matrix) => sparse_body(name, matrix),
        };
        element(&mut out, MATRIX, &body);
    }
    out
}

/// Kind, number of bytes, bytes, and zeros up to a multiple of eight.
fn element(out: &mut Vec<u8>, kind: u32, bytes: &[u8]) {
    out.extend(kind.to_le_bytes());
    out.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(bytes);
    while !out.len().is_multiple_of(8) {
        out.push(0);
    }
}

/// Flags, shape and name.
fn head(class: u32, most: usize, shape: &[usize], name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    element(&mut out, UINT32, &words([class as usize, most].into_iter()));
    element(&mut out, INT32, &words(shape.iter().copied()));
    element(&mut out, INT8, name.as_bytes());
    out
}

fn words(list: impl Iterator<Item = usize>) -> Vec<u8> {
    list.flat_map(|x| u32::try_from(x).unwrap_or(u32::MAX).to_le_bytes()).collect()
}

fn doubles(list: impl Iterator<Item = f64>) -> Vec<u8> {
    list.flat_map(f64::to_le_bytes).collect()
}

fn array_body(array: &Array) -> Vec<u8> {
    let shape: Vec<usize> = match array.shape.as_slice() {
        [] => vec![1, 1],
        [n] => vec![*n, 1],
        more => more.to_vec(),
    };
    let order = columns_first(&shape);
    let name = &array.name;
    match &array.data {
        Data::Real(list) => numbers(name, &shape, order.iter().map(|i| list[*i]), None),
        Data::Whole(list) => numbers(name, &shape, order.iter().map(|i| list[*i] as f64), None),
        Data::Complex(list) => {
            let imaginary = order.iter().map(|i| list[*i].im).collect();
            numbers(name, &shape, order.iter().map(|i| list[*i].re), Some(imaginary))
        }
        Data::Words(list) => {
            let mut out = head(CELL, 0, &shape, name);
            for word in list {
                let letters: Vec<u16> = word.encode_utf16().collect();
                let mut cell = head(CHAR, 0, &[usize::from(!letters.is_empty()), letters.len()], "");
                element(&mut cell, UINT16, &letters.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
                element(&mut out, MATRIX, &cell);
            }
            out
        }
    }
}

fn numbers(
    name: &str,
    shape: &[usize],
    real: impl Iterator<Item = f64>,
    imaginary: Option<Vec<f64>>,
) -> Vec<u8> {
    let class = if imaginary.is_some() { NUMBERS | COMPLEX } else { NUMBERS };
    let mut out = head(class, 0, shape, name);
    element(&mut out, DOUBLE, &doubles(real));
    if let Some(list) = imaginary {
        element(&mut out, DOUBLE, &doubles(list.into_iter()));
    }
    out
}

fn sparse_body(name: &str, matrix: &Sparse) -> Vec<u8> {
    let matrix = if matrix.is_csc() { matrix.clone() } else { matrix.to_csc() };
    let mut out = head(SPARSE, matrix.nnz().max(1), &[matrix.rows(), matrix.cols()], name);
    element(&mut out, INT32, &words(matrix.indices().iter().copied()));
    element(&mut out, INT32, &words(matrix.proper_indptr().iter().copied()));
    element(&mut out, DOUBLE, &doubles(matrix.data().iter().copied()));
    out
}

/// Places in an array whose last index runs fastest, in the order of one whose first does.
fn columns_first(shape: &[usize]) -> Vec<usize> {
    let count: usize = shape.iter().product();
    let mut steps = vec![1; shape.len()];
    for k in (0..shape.len().saturating_sub(1)).rev() {
        steps[k] = steps[k + 1] * shape[k + 1];
    }
    (0..count)
        .map(|mut i| {
            let mut place = 0;
            for (size, step) in shape.iter().zip(&steps) {
                place += i % size * step;
                i /= size;
            }
            place
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_index_runs_fastest() {
        assert_eq!(columns_first(&[2, 3]), [0, 3, 1, 4, 2, 5]);
        assert_eq!(columns_first(&[2, 2, 2]), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert!(columns_first(&[0, 3]).is_empty());
    }

    #[test]
    fn elements_fill_eight_bytes_and_say_what_they_are() {
        let array = Array::real("abc", &[3], vec![1.0, 2.0, 3.0]);
        let bytes = file(&[Variable::Array(&array)]);
        assert_eq!((bytes.len() % 8, &bytes[124..128]), (0, &b"\x00\x01IM"[..]));
        // Kind and size of the variable, its flags, its shape as a column, its name.
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        assert_eq!((word(128), word(132) as usize), (MATRIX, bytes.len() - 136));
        assert_eq!((word(136), word(140), word(144)), (UINT32, 8, NUMBERS));
        assert_eq!((word(160), word(164), &bytes[176..179]), (3, 1, &b"abc"[..]));
    }
}
