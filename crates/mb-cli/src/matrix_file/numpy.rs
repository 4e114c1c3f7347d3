//! Arrays of numpy: a file `.npy` with one array, an archive `.npz` with several, and the archives in which
//! `scipy.sparse.save_npz` keeps a matrix.
//!
//! An array begins with `\x93NUMPY`, the version, the length of a header and the header, a dictionary in Python's syntax:
//!
//! ```text
//! {'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }
//! ```

use super::bytes::{Kind, Numbers, Order, Rest};
use super::entries::{By, Summed, compressed, dense, places, size};
use super::{Candidate, MatrixFileError, Read};
use std::borrow::Cow;

/// What a file of one array begins with.
pub(super) const ARRAY: &[u8] = b"\x93NUMPY";
/// What an archive begins with.
pub(super) const ARCHIVE: &[u8] = b"PK\x03\x04";

/// An array without its entries.
#[derive(Clone, Debug)]
struct Head {
    /// Type of the entries, as `<f8`.
    kind: String,
    /// Whether the first index runs fastest.
    by_columns: bool,
    shape: Vec<u64>,
}

/// The value of a key of a header, up to a mark that ends it.
fn value<'h>(header: &'h str, key: &str, ends: &[char]) -> Option<&'h str> {
    let (_, rest) = header.split_once(&format!("'{key}':"))?;
    Some(rest.split(ends).next()?.trim())
}

impl Head {
    /// Reads the head of an array; the bytes of the entries follow.
    fn read<'b>(bytes: &'b [u8], name: &str) -> Result<(Self, &'b [u8]), MatrixFileError> {
        let what = format!("the head of `{name}`");
        let mut rest = Rest(bytes);
        if rest.take(6, &what)? != ARRAY {
            return Err(MatrixFileError::malformed(format!("`{name}` is not an array of numpy")));
        }
        let [major, _] = rest.array(&what)?;
        let length = match major {
            1 => usize::from(u16::from_le_bytes(rest.array(&what)?)),
            _ => usize::try_from(u32::from_le_bytes(rest.array(&what)?)).unwrap_or(usize::MAX),
        };
        let header = String::from_utf8_lossy(rest.take(length, &what)?).into_owned();
        let broken = || MatrixFileError::malformed(format!("the head of `{name}` is not understood"));
        let kind = value(&header, "descr", &[',', '}']).ok_or_else(broken)?.trim_matches('\'').to_owned();
        if !kind.chars().all(|c| c.is_ascii_graphic()) {
            return Err(broken());
        }
        let by_columns = value(&header, "fortran_order", &[',', '}']).ok_or_else(broken)? == "True";
        let shape =
            value(&header, "shape", &[')']).and_then(|list| list.strip_prefix('(')).ok_or_else(broken)?;
        let shape = shape
            .split(',')
            .map(str::trim)
            .filter(|number| !number.is_empty())
            .map(|number| number.trim_end_matches('L').parse().map_err(|_| broken()))
            .collect::<Result<_, _>>()?;
        Ok((Self { kind, by_columns, shape }, rest.0))
    }

    /// The kind of its numbers, where they are real.
    fn real(&self, name: &str) -> Result<(Kind, Order), MatrixFileError> {
        let (order, kind) = self.kind.split_at_checked(1).unwrap_or(("", ""));
        let order = if order == ">" { Order::Big } else { Order::Little };
        let kind = match kind {
            "i1" => Kind::I8,
            "u1" | "b1" => Kind::U8,
            "i2" => Kind::I16,
            "u2" => Kind::U16,
            "i4" => Kind::I32,
            "u4" => Kind::U32,
            "i8" => Kind::I64,
            "u8" => Kind::U64,
            "f4" => Kind::F32,
            "f8" => Kind::F64,
            other => {
                let kind = match other.chars().next() {
                    Some('c') => "complex".to_owned(),
                    Some('O') => "Python objects".to_owned(),
                    Some('U' | 'S') => "words".to_owned(),
                    _ => format!("of the type {}", self.kind),
                };
                return Err(MatrixFileError::NotReal { name: name.to_owned(), kind });
            }
        };
        Ok((kind, order))
    }
}

/// An array with its name, not read beyond its head.
struct Array<'b> {
    name: String,
    head: Head,
    bytes: Cow<'b, [u8]>,
    /// Where the entries begin.
    begin: usize,
}

impl<'b> Array<'b> {
    fn of(name: &str, bytes: Cow<'b, [u8]>) -> Result<Self, MatrixFileError> {
        let (head, entries) = Head::read(&bytes, name)?;
        let begin = bytes.len() - entries.len();
        Ok(Self { name: name.to_owned(), head, bytes, begin })
    }

    fn numbers(&self) -> Result<Numbers<'_>, MatrixFileError> {
        let (kind, order) = self.head.real(&self.name)?;
        let bytes = &self.bytes[self.begin..];
        let count = self.head.shape.iter().try_fold(1_u64, |product, x| product.checked_mul(*x));
        let needed = count.and_then(|count| count.checked_mul(kind.width() as u64));
        if needed != Some(bytes.len() as u64) {
            return Err(MatrixFileError::torn(&format!("`{}`", self.name)));
        }
        Ok(Numbers { kind, order, bytes })
    }

    /// A word, as `csr`.
    fn word(&self) -> String {
        let letters = self.bytes[self.begin..].iter().filter(|byte| byte.is_ascii_graphic());
        letters.map(|byte| char::from(*byte)).collect()
    }

    fn matrix(&self) -> Result<Read, MatrixFileError> {
        let numbers = self.numbers()?;
        let [rows, cols] = self.head.shape[..] else {
            return Err(MatrixFileError::malformed(format!("`{}` does not have two dimensions", self.name)));
        };
        let by = if self.head.by_columns { By::Columns } else { By::Rows };
        let Summed { matrix, repeated } = dense(by, size(rows, cols)?, &numbers.doubles())?;
        Ok(Read { matrix, format: format!("numpy array {}", self.head.kind), repeated })
    }
}

/// Reads the array of a file `.npy`.
pub(super) fn read_array(bytes: &[u8]) -> Result<Read, MatrixFileError> {
    Array::of("the array", Cow::Borrowed(bytes))?.matrix()
}

/// The matrices of an archive: the one of `scipy.sparse.save_npz`, or all arrays of two dimensions.
pub(super) fn candidates(bytes: &[u8]) -> Result<Vec<Candidate<'_>>, MatrixFileError> {
    let mut arrays = Vec::new();
    for member in super::zip::members(bytes)? {
        if let Some(name) = member.name.strip_suffix(".npy") {
            arrays.push(Array::of(name, member.bytes()?)?);
        }
    }
    let has = |name: &str| arrays.iter().any(|array| array.name == name);
    if has("format") && has("shape") && has("data") {
        return Ok(vec![Candidate { name: String::new(), read: Box::new(move || sparse(&arrays)) }]);
    }
    let matrices = arrays.into_iter().filter(|array| array.head.shape.len() == 2);
    Ok(matrices
        .map(|array| Candidate { name: array.name.clone(), read: Box::new(move || array.matrix()) })
        .collect())
}

/// A matrix of `scipy.sparse.save_npz`.
fn sparse(arrays: &[Array<'_>]) -> Result<Read, MatrixFileError> {
    let find = |name: &str| {
        let found = arrays.iter().find(|array| array.name == name);
        found.ok_or_else(|| MatrixFileError::malformed(format!("the archive has no `{name}`")))
    };
    let list = |name: &str| find(name)?.numbers()?.indices(&format!("`{name}`"));
    let shape = list("shape")?;
    let [rows, cols] = shape[..] else {
        return Err(MatrixFileError::malformed("`shape` does not have two numbers"));
    };
    let shape = size(rows as u64, cols as u64)?;
    let data = find("data")?;
    let values = data.numbers()?.doubles();
    let format = find("format")?.word();
    let by = if format == "csc" { By::Columns } else { By::Rows };
    let Summed { matrix, repeated } = match &*format {
        "csc" | "csr" => compressed(by, shape, list("indptr")?, list("indices")?, values)?,
        "coo" => {
            let (rows, cols) = if find("row").is_ok() {
                (list("row")?, list("col")?)
            } else {
                let both = list("coords")?;
                let (rows, cols) = both.split_at(both.len() / 2);
                (rows.to_vec(), cols.to_vec())
            };
            if rows.len() != values.len() || cols.len() != values.len() {
                return Err(MatrixFileError::malformed("rows, columns and values differ in number"));
            }
            places(
                shape,
                rows.into_iter().zip(cols).zip(values).map(|((row, col), value)| (row, col, value)),
            )?
        }
        other => {
            return Err(MatrixFileError::NotRead {
                what: format!("The archive keeps its matrix in the format `{other}` of SciPy."),
                remedy: "Save it as csc, csr or coo: scipy.sparse.save_npz(file, A.tocsc()).",
            });
        }
    };
    Ok(Read { matrix, format: format!("SciPy {format} {}", data.head.kind), repeated })
}
