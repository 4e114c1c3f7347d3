//! Matrices as text in the MatrixMarket exchange format: coordinate and array, real and complex.
//!
//! ```text
//! %%MatrixMarket matrix coordinate real symmetric     what follows: layout, kind of numbers, symmetry
//! % comments
//! 3 3 4                                               rows, columns, entries that follow
//! 1 1 2.0                                             row, column (from 1), value
//! ...
//! ```
//!
//! An array file has the line `rows columns`, then one value a line by columns. Of a symmetric, skew-symmetric or
//! Hermitian matrix one triangle is stored, of a pattern only the places, which count as ones. Boisvert, Pozo and
//! Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.
//!
//! Text comes in as bytes (comments need not be UTF-8) and goes out through [`std::io::Write`]; files are the caller's.
//!
//! ```
//! use mb_algebra::matrix_market::{self, Symmetry};
//!
//! let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3.0\n2 1 -1.5\n";
//! let read = matrix_market::read(text.as_bytes())?;
//! assert_eq!(read.header.symmetry, Symmetry::Symmetric);
//! assert_eq!((read.matrix.get(0, 1), read.matrix.get(1, 0)), (Some(&-1.5), Some(&-1.5)));
//!
//! let wrong = matrix_market::read(text.replace("-1.5", "nan").as_bytes()).unwrap_err();
//! assert_eq!((wrong.line(), wrong.column()), (4, 5));
//! # Ok::<(), mb_algebra::matrix_market::MatrixMarketError>(())
//! ```

mod entries;
mod error;
mod header;
mod read;
mod scan;
mod write;

pub use error::MatrixMarketError;
pub use header::{Field, Header, Layout, Symmetry};
pub use read::{MatrixMarket, read, read_complex};
pub use write::{write, write_array, write_array_complex};

/// Most rows or columns that are read: a size beyond it comes from a corrupt file, not from a model.
pub const MOST_ROWS: usize = 1 << 25;
