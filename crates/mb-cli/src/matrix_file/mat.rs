//! Matrices of MATLAB's files of version 5 to 7 ("MAT-File Format", The MathWorks), as MATLAB, Octave and `scipy.io.savemat`
//! write them.
//!
//! A header of 128 bytes, then elements: kind, number of bytes, bytes up to a multiple of eight. An element may be compressed by
//! zlib; one of at most four bytes may stand in eight. A matrix is an element of elements: flags, shape, name, then the entries by
//! columns, or for a sparse one rows, starts of columns, entries. Entries may be stored as shorter numbers than they are.

use super::bytes::{Kind, LARGEST_INFLATED, Numbers, Order, Rest};
use super::entries::{By, Summed, compressed, dense, size};
use super::{Candidate, MatrixFileError, Read};
use std::borrow::Cow;

/// What files of these versions, and of the versions before and after them, begin with.
pub(super) const BEGIN: &[u8] = b"MATLAB 5.0 MAT-file";
const COMPRESSED: u32 = 15;
const MATRIX: u32 = 14;
const SPARSE: u32 = 5;
const COMPLEX: u32 = 0x0800;

/// An element.
struct Element<'b> {
    kind: u32,
    bytes: &'b [u8],
}

impl<'b> Element<'b> {
    fn next(rest: &mut Rest<'b>, order: Order, what: &str) -> Result<Self, MatrixFileError> {
        let word = |rest: &mut Rest<'b>| -> Result<u32, MatrixFileError> {
            let bytes = rest.array(what)?;
            Ok(if order == Order::Big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
        };
        let kind = word(rest)?;
        // The short form: the number of bytes in the upper half of the kind.
        if kind >> 16 != 0 {
            let bytes = rest.take(4, what)?;
            let length = usize::try_from(kind >> 16).unwrap_or(usize::MAX);
            let bytes = bytes
                .get(..length)
                .ok_or_else(|| MatrixFileError::malformed("a short element is too long"))?;
            return Ok(Self { kind: kind & 0xffff, bytes });
        }
        let length = usize::try_from(word(rest)?).unwrap_or(usize::MAX);
        let bytes = rest.take(length, what)?;
        // Compressed elements are not filled up.
        if kind != COMPRESSED {
            let fill = rest.0.len().min(length.next_multiple_of(8) - length);
            rest.take(fill, what)?;
        }
        Ok(Self { kind, bytes })
    }

    fn numbers(&self, order: Order, what: &str) -> Result<Numbers<'b>, MatrixFileError> {
        let kind = match self.kind {
            1 => Kind::I8,
            2 => Kind::U8,
            3 => Kind::I16,
            4 => Kind::U16,
            5 => Kind::I32,
            6 => Kind::U32,
            7 => Kind::F32,
            9 => Kind::F64,
            12 => Kind::I64,
            13 => Kind::U64,
            other => {
                return Err(MatrixFileError::malformed(format!("{what} are of the unknown kind {other}")));
            }
        };
        Ok(Numbers { kind, order, bytes: self.bytes })
    }
}

/// A variable, not read beyond its head.
struct Variable<'b> {
    name: String,
    class: u32,
    complex: bool,
    shape: Vec<u64>,
    order: Order,
    /// The bytes of the whole variable, and where its entries begin.
    bytes: Cow<'b, [u8]>,
    begin: usize,
}

impl<'b> Variable<'b> {
    /// None of elements that are no matrix.
    fn of(bytes: Cow<'b, [u8]>, order: Order) -> Result<Option<Self>, MatrixFileError> {
        let what = "the head of a variable";
        let mut rest = Rest(&bytes);
        let flags = Element::next(&mut rest, order, what)?.numbers(order, what)?;
        if flags.kind != Kind::U32 || flags.len() < 1 {
            return Ok(None);
        }
        let flags = u32::try_from(flags.indices(what)?[0]).unwrap_or_default();
        let shape = Element::next(&mut rest, order, what)?
            .numbers(order, what)?
            .indices("the sizes of a variable")?;
        let name = Element::next(&mut rest, order, what)?;
        let name = String::from_utf8_lossy(name.bytes).into_owned();
        let begin = bytes.len() - rest.0.len();
        let shape = shape.into_iter().map(|x| x as u64).collect();
        let (class, complex) = (flags & 0xff, flags & COMPLEX != 0);
        Ok(Some(Self { name, class, complex, shape, order, bytes, begin }))
    }

    /// Whether it is a matrix of numbers, sparse or not.
    fn is_matrix(&self) -> bool {
        (SPARSE..=15).contains(&self.class) && self.shape.len() == 2
    }

    fn matrix(&self) -> Result<Read, MatrixFileError> {
        if self.complex {
            return Err(MatrixFileError::NotReal { name: self.name.clone(), kind: "complex".to_owned() });
        }
        let what = format!("`{}`", self.name);
        let mut rest = Rest(&self.bytes[self.begin..]);
        let mut list = || Element::next(&mut rest, self.order, &what)?.numbers(self.order, &what);
        let shape = size(self.shape[0], self.shape[1])?;
        if self.class == SPARSE {
            let (mut rows, start) = (list()?.indices("rows")?, list()?.indices("starts of columns")?);
            let mut values = list()?.doubles();
            // Room for more entries than there are may have been written too.
            let count = start.last().copied().unwrap_or_default();
            rows.truncate(count);
            values.truncate(count);
            let Summed { matrix, repeated } = compressed(By::Columns, shape, start, rows, values)?;
            return Ok(Read { matrix, format: "MATLAB sparse".to_owned(), repeated });
        }
        let numbers = list()?;
        if Some(numbers.len()) != shape.0.checked_mul(shape.1) {
            return Err(MatrixFileError::torn(&what));
        }
        let Summed { matrix, repeated } = dense(By::Columns, shape, &numbers.doubles())?;
        Ok(Read { matrix, format: "MATLAB matrix".to_owned(), repeated })
    }
}

/// The matrices of a file.
pub(super) fn candidates(bytes: &[u8]) -> Result<Vec<Candidate<'_>>, MatrixFileError> {
    let mut rest = Rest(bytes);
    let head = rest.take(128, "the header")?;
    let order = match &head[126..] {
        b"IM" => Order::Little,
        b"MI" => Order::Big,
        _ => return Err(MatrixFileError::malformed("the mark of the order of bytes is missing")),
    };
    let mut out = Vec::new();
    while !rest.0.is_empty() {
        let element = Element::next(&mut rest, order, "a variable")?;
        let body = if element.kind == COMPRESSED {
            let inflated =
                miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(element.bytes, LARGEST_INFLATED)
                    .map_err(|_| MatrixFileError::torn("a compressed variable"))?;
            let mut inner = Rest(&inflated);
            let inner = Element::next(&mut inner, order, "a compressed variable")?;
            if inner.kind != MATRIX {
                continue;
            }
            Cow::Owned(inner.bytes.to_vec())
        } else if element.kind == MATRIX {
            Cow::Borrowed(element.bytes)
        } else {
            continue;
        };
        // An empty variable has not even a head.
        if body.is_empty() {
            continue;
        }
        if let Some(variable) = Variable::of(body, order)?.filter(Variable::is_matrix) {
            let name = variable.name.clone();
            out.push(Candidate { name, read: Box::new(move || variable.matrix()) });
        }
    }
    Ok(out)
}
