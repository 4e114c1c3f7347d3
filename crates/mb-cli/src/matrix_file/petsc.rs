//! A matrix in PETSc's binary format, as `MatView` writes it: big endian; the number 1211216, rows, columns, entries; entries of
//! each row; columns; values. Indices have 32 or 64 bits, as PETSc was built.

use super::bytes::{Kind, Numbers, Order, Rest};
use super::entries::{By, Summed, compressed, size};
use super::{MatrixFileError, Read};
use mb_engine::petsc::MATRIX;

/// The kind of the indices, where the bytes begin as such a file does.
pub(super) fn indices_of(bytes: &[u8]) -> Option<Kind> {
    let begins = |with: &[u8]| bytes.starts_with(with);
    if begins(&MATRIX.to_be_bytes()) {
        Some(Kind::I32)
    } else if begins(&u64::from(MATRIX).to_be_bytes()) {
        Some(Kind::I64)
    } else {
        None
    }
}

/// Reads the matrix.
pub(super) fn read(bytes: &[u8], kind: Kind) -> Result<Read, MatrixFileError> {
    let mut rest = Rest(bytes);
    let mut list = |count: usize, what: &str| {
        let bytes = rest.take(count.saturating_mul(kind.width()), what)?;
        Numbers { kind, order: Order::Big, bytes }.indices(what)
    };
    let head = list(4, "the sizes")?;
    let (rows, cols) = size(head[1] as u64, head[2] as u64)?;
    let lengths = list(rows, "the lengths of the rows")?;
    let columns = list(head[3], "the columns of the entries")?;
    let needed = columns.len().saturating_mul(8);
    if rest.0.len() == 2 * needed && needed > 0 {
        return Err(MatrixFileError::NotReal { name: "the matrix".to_owned(), kind: "complex".to_owned() });
    }
    let values = rest.take(needed, "the values")?;
    let mut start = Vec::with_capacity(rows + 1);
    start.push(0);
    let mut sum = 0_usize;
    for length in lengths {
        sum = sum.saturating_add(length);
        start.push(sum);
    }
    let values = Numbers { kind: Kind::F64, order: Order::Big, bytes: values }.doubles();
    let Summed { matrix, repeated } = compressed(By::Rows, (rows, cols), start, columns, values)?;
    Ok(Read { matrix, format: "PETSc binary".to_owned(), repeated })
}
