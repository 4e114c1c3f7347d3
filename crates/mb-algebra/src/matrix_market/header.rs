//! The banner: layout, kind of numbers, symmetry.

use std::fmt;

/// Which entries are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Entries with their places; all others are zero.
    Coordinate,
    /// All entries by columns.
    Array,
}

/// Kind of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Real numbers.
    Real,
    /// Whole numbers.
    Integer,
    /// Real and imaginary part.
    Complex,
    /// No numbers, only places; each counts as one.
    Pattern,
}

/// Symmetry, which halves what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// None.
    General,
    /// A = A^T.
    Symmetric,
    /// A = -A^T.
    SkewSymmetric,
    /// A = A^H.
    Hermitian,
}

/// What the first line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which entries are listed.
    pub layout: Layout,
    /// Kind of numbers.
    pub field: Field,
    /// Symmetry.
    pub symmetry: Symmetry,
}

/// What stands in the first line and may stand there.
pub(super) const LAYOUTS: (&str, [(&str, Layout); 2]) =
    ("`coordinate` or `array`", [("coordinate", Layout::Coordinate), ("array", Layout::Array)]);
pub(super) const FIELDS: (&str, [(&str, Field); 5]) = (
    "`real`, `integer`, `complex` or `pattern`",
    [
        ("real", Field::Real),
        ("double", Field::Real),
        ("integer", Field::Integer),
        ("complex", Field::Complex),
        ("pattern", Field::Pattern),
    ],
);
pub(super) const SYMMETRIES: (&str, [(&str, Symmetry); 4]) = (
    "`general`, `symmetric`, `skew-symmetric` or `hermitian`",
    [
        ("general", Symmetry::General),
        ("symmetric", Symmetry::Symmetric),
        ("skew-symmetric", Symmetry::SkewSymmetric),
        ("hermitian", Symmetry::Hermitian),
    ],
);

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn word<T: PartialEq + Copy>(list: &[(&'static str, T)], of: T) -> &'static str {
            list.iter().find(|(_, t)| *t == of).map_or("", |(word, _)| word)
        }
        let layout = word(&LAYOUTS.1, self.layout);
        let field = word(&FIELDS.1, self.field);
        write!(f, "{layout} {field} {}", word(&SYMMETRIES.1, self.symmetry))
    }
}
