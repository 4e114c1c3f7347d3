//! NPZ: a zip archive, stored without compression, of arrays in numpy's format.
//!
//! The zip format is that of the APPNOTE of PKWARE (sections 4.3.7, 4.3.12, 4.3.16), the array
//! format version 1.0 of numpy's `lib.format`. Archives stay below 4 GiB. `numpy.load` reads every
//! kind of array here without pickles.

use mb_algebra::{Sparse, c64};

/// What an array holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// 64-bit numbers.
    Real(Vec<f64>),
    /// Complex numbers of two 64-bit numbers.
    Complex(Vec<c64>),
    /// Whole numbers of 64 bits.
    Whole(Vec<i64>),
    /// Words.
    Words(Vec<String>),
}

/// An array with its name and shape; the last index runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its name in the archive.
    pub name: String,
    /// As many numbers as it has indices; none for a single value.
    pub shape: Vec<usize>,
    /// As many values as the product of the shape.
    pub data: Data,
}

impl Array {
    /// An array of 64-bit numbers.
    pub fn real(name: &str, shape: &[usize], data: Vec<f64>) -> Self {
        Self { name: name.to_owned(), shape: shape.to_vec(), data: Data::Real(data) }
    }
    /// An array of complex numbers.
    pub fn complex(name: &str, shape: &[usize], data: Vec<c64>) -> Self {
        Self { name: name.to_owned(), shape: shape.to_vec(), data: Data::Complex(data) }
    }
    /// An array of whole numbers.
    pub fn whole(name: &str, shape: &[usize], data: Vec<i64>) -> Self {
        Self { name: name.to_owned(), shape: shape.to_vec(), data: Data::Whole(data) }
    }
    /// A list of words.
    pub fn words(name: &str, data: Vec<String>) -> Self {
        Self { name: name.to_owned(), shape: vec![data.len()], data: Data::Words(data) }
    }
}

/// The arrays that `scipy.sparse.load_npz` takes for a matrix by columns.
pub fn sparse(matrix: &Sparse) -> Vec<Array> {
    let matrix = matrix.to_csc();
    #[expect(clippy::cast_possible_wrap, reason = "sizes are far below 2^63")]
    let whole = |name: &str, list: Vec<usize>| {
        Array::whole(name, &[list.len()], list.into_iter().map(|x| x as i64).collect())
    };
    vec![
        whole("indices", matrix.indices().to_vec()),
        whole("indptr", matrix.proper_indptr().to_vec()),
        Array { shape: Vec::new(), ..Array::words("format", vec!["csc".to_owned()]) },
        whole("shape", vec![matrix.rows(), matrix.cols()]),
        Array::real("data", &[matrix.nnz()], matrix.data().to_vec()),
    ]
}

/// The bytes of an archive.
pub fn archive(arrays: &[Array]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for array in arrays {
        let data = bytes(array);
        let name = format!("{}.npy", array.name.replace(['/', '\\'], "_"));
        let offset = size(out.len());
        let crc = crc32fast::hash(&data);
        // Version, flags (names in UTF-8), method, time, date of 1980-01-01.
        let mut common = Vec::new();
        for x in [20_u16, 0x0800, 0, 0, 0x21] {
            common.extend(x.to_le_bytes());
        }
        for x in [crc, size(data.len()), size(data.len())] {
            common.extend(x.to_le_bytes());
        }
        common.extend(short(name.len()).to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        out.extend(0x0403_4b50_u32.to_le_bytes());
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(&data);
        directory.extend(0x0201_4b50_u32.to_le_bytes());
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, length) = (size(out.len()), size(directory.len()));
    out.extend(directory);
    out.extend(0x0605_4b50_u32.to_le_bytes());
    out.extend([0; 4]);
    for _ in 0..2 {
        out.extend(short(arrays.len()).to_le_bytes());
    }
    out.extend(length.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

fn size(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn short(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// One array in numpy's format.
fn bytes(array: &Array) -> Vec<u8> {
    // Words are stored as code points of four bytes, all as long as the longest.
    let longest = |list: &[String]| list.iter().map(|w| w.chars().count()).max().unwrap_or(0).max(1);
    let kind = match &array.data {
        Data::Real(_) => "<f8".to_owned(),
        Data::Complex(_) => "<c16".to_owned(),
        Data::Whole(_) => "<i8".to_owned(),
        Data::Words(list) => format!("<U{}", longest(list)),
    };
    let shape: Vec<String> = array.shape.iter().map(ToString::to_string).collect();
    // A tuple of one needs its comma.
    let shape = if let [one] = shape.as_slice() { format!("{one},") } else { shape.join(", ") };
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Magic, version, length and header fill a multiple of 64 bytes and end with a line feed.
    while !(head.len() + 11).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend(short(head.len()).to_le_bytes());
    out.extend(head.as_bytes());
    match &array.data {
        Data::Real(list) => out.extend(list.iter().flat_map(|x| x.to_le_bytes())),
        Data::Complex(list) => {
            out.extend(list.iter().flat_map(|z| [z.re, z.im]).flat_map(f64::to_le_bytes));
        }
        Data::Whole(list) => out.extend(list.iter().flat_map(|x| x.to_le_bytes())),
        Data::Words(list) => {
            for word in list {
                let letters = word.chars().map(u32::from).chain(std::iter::repeat(0));
                out.extend(letters.take(longest(list)).flat_map(u32::to_le_bytes));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_aligned_and_complete() {
        let two = bytes(&Array::real("a", &[2], vec![1.0, 2.5]));
        assert_eq!((two.len() - 16) % 64, 0);
        assert_eq!(&two[two.len() - 8..], 2.5_f64.to_le_bytes());
        let one = |name: &str| Array::real(name, &[1], vec![1.0]);
        let archive = archive(&[one("a"), one("b/c")]);
        assert_eq!(&archive[..4], b"PK\x03\x04");
        assert!(archive.windows(7).any(|w| w == b"b_c.npy"));
        assert_eq!(&archive[archive.len() - 22..archive.len() - 18], b"PK\x05\x06");
    }

    #[test]
    fn every_kind_says_its_type_and_shape() {
        let says = |array: &Array, what: &str| {
            let head = String::from_utf8_lossy(&bytes(array)[10..74]).into_owned();
            assert!(head.contains(what), "{head}");
        };
        says(
            &Array::complex("s", &[1, 2], vec![c64::ONE; 2]),
            "'<c16', 'fortran_order': False, 'shape': (1, 2)",
        );
        says(&Array::whole("n", &[], vec![3]), "'<i8', 'fortran_order': False, 'shape': ()");
        let words = Array::words("w", vec!["k".to_owned(), "mass".to_owned()]);
        says(&words, "'<U4', 'fortran_order': False, 'shape': (2,)");
        let stored = bytes(&words);
        // Each word fills four places of four bytes.
        assert_eq!(stored.len() % 64, 32);
        assert_eq!(&stored[stored.len() - 32..stored.len() - 24], [b'k', 0, 0, 0, 0, 0, 0, 0]);
    }
}
