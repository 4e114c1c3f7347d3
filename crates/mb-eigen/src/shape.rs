//! Complex vectors, those of real numbers kept as such.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use mb_algebra::c64;

/// A vector of n complex numbers, read as a slice of them.
///
/// Vectors of undamped problems are real. They are kept as real numbers, which an eigenpair and its conjugate share; complex ones are
/// made when they are first read as such. [`Shape::real`] gives the real ones without that.
#[derive(Clone)]
pub struct Shape {
    kept: Kept,
}

#[derive(Clone)]
enum Kept {
    Complex(Vec<c64>),
    Real { numbers: Arc<Vec<f64>>, complex: OnceLock<Vec<c64>> },
}

impl Shape {
    /// A vector of real numbers.
    pub(crate) fn of_real(numbers: Vec<f64>) -> Self {
        Self { kept: Kept::Real { numbers: Arc::new(numbers), complex: OnceLock::new() } }
    }

    /// The numbers of a vector that is kept as real ones; none of others, even if their imaginary parts are zero.
    pub fn real(&self) -> Option<&[f64]> {
        match &self.kept {
            Kept::Complex(_) => None,
            Kept::Real { numbers, .. } => Some(numbers),
        }
    }

    /// The complex numbers.
    pub fn as_slice(&self) -> &[c64] {
        self
    }

    /// Whether no number has an imaginary part.
    pub(crate) fn is_real(&self) -> bool {
        match &self.kept {
            Kept::Complex(numbers) => numbers.iter().all(|z| z.im == 0.0),
            Kept::Real { .. } => true,
        }
    }

    /// Number of entries.
    pub(crate) fn length(&self) -> usize {
        match &self.kept {
            Kept::Complex(numbers) => numbers.len(),
            Kept::Real { numbers, .. } => numbers.len(),
        }
    }

    /// The vector of conjugates.
    pub(crate) fn conjugate(&self) -> Self {
        match &self.kept {
            Kept::Complex(numbers) => numbers.iter().map(c64::conj).collect(),
            Kept::Real { numbers, .. } => {
                Self { kept: Kept::Real { numbers: Arc::clone(numbers), complex: OnceLock::new() } }
            }
        }
    }

    /// Multiplies all numbers.
    pub(crate) fn scale(&mut self, by: c64) {
        match &mut self.kept {
            Kept::Real { numbers, complex } if by.im == 0.0 => {
                *complex = OnceLock::new();
                for x in Arc::make_mut(numbers) {
                    *x *= by.re;
                }
            }
            _ => self.edit(|numbers| numbers.iter_mut().for_each(|z| *z *= by)),
        }
    }

    /// The real parts.
    pub(crate) fn real_parts(&self) -> Cow<'_, [f64]> {
        match &self.kept {
            Kept::Complex(numbers) => Cow::Owned(numbers.iter().map(|z| z.re).collect()),
            Kept::Real { numbers, .. } => Cow::Borrowed(numbers),
        }
    }

    /// Changes the numbers, which are kept as complex ones from then on.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Vec<c64>)) {
        let mut numbers = std::mem::take(self).into_numbers();
        change(&mut numbers);
        *self = numbers.into();
    }

    /// The numbers as complex ones.
    pub(crate) fn into_numbers(self) -> Vec<c64> {
        match self.kept {
            Kept::Complex(numbers) => numbers,
            Kept::Real { numbers, complex } => {
                complex.into_inner().unwrap_or_else(|| crate::numeric::vectors::complex(&numbers))
            }
        }
    }
}

impl Deref for Shape {
    type Target = [c64];

    fn deref(&self) -> &[c64] {
        match &self.kept {
            Kept::Complex(numbers) => numbers,
            Kept::Real { numbers, complex } => {
                complex.get_or_init(|| crate::numeric::vectors::complex(numbers))
            }
        }
    }
}

impl Default for Shape {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<c64>> for Shape {
    fn from(numbers: Vec<c64>) -> Self {
        Self { kept: Kept::Complex(numbers) }
    }
}

impl FromIterator<c64> for Shape {
    fn from_iter<I: IntoIterator<Item = c64>>(numbers: I) -> Self {
        numbers.into_iter().collect::<Vec<c64>>().into()
    }
}

impl<'a> IntoIterator for &'a Shape {
    type Item = &'a c64;
    type IntoIter = std::slice::Iter<'a, c64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        match (self.real(), other.real()) {
            (Some(own), Some(other)) => own == other,
            _ => **self == **other,
        }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real() -> Shape {
        Shape::of_real(vec![1.5, -2.0, 0.0])
    }

    #[test]
    fn real_and_complex_vectors_of_the_same_numbers_are_equal() {
        let numbers: Vec<c64> = [1.5, -2.0, 0.0].map(|x| c64::new(x, 0.0)).to_vec();
        let complex = Shape::from(numbers.clone());
        assert_eq!(real(), complex);
        assert_eq!(real().to_vec(), numbers);
        assert_eq!(real().into_numbers(), numbers);
        assert_eq!((real().length(), complex.length()), (3, 3));
        assert!(real().is_real() && complex.is_real());
        assert_eq!((real().real(), complex.real()), (Some(&[1.5, -2.0, 0.0][..]), None));
        assert_eq!(real().real_parts(), complex.real_parts());
        assert_ne!(real(), Shape::of_real(vec![1.5, -2.0, 1.0]));
    }

    #[test]
    fn conjugates_share_real_numbers_until_one_of_them_changes() {
        let own = real();
        let mut other = own.conjugate();
        assert_eq!(own.real().map(<[f64]>::as_ptr), other.real().map(<[f64]>::as_ptr));
        // Complex numbers that have been read are not those of the changed vector.
        assert_eq!(other[1], c64::new(-2.0, 0.0));
        other.scale(c64::new(2.0, 0.0));
        assert_eq!((own.real(), other.real()), (Some(&[1.5, -2.0, 0.0][..]), Some(&[3.0, -4.0, 0.0][..])));
        assert_eq!(other[1], c64::new(-4.0, 0.0));
        other.scale(c64::new(0.0, 1.0));
        assert_eq!((other.real(), other[0], other.is_real()), (None, c64::new(0.0, 3.0), false));
        assert_eq!(other.conjugate()[0], c64::new(0.0, -3.0));
        other.edit(|numbers| numbers.truncate(1));
        assert_eq!(other.as_slice(), [c64::new(0.0, 3.0)]);
    }
}
