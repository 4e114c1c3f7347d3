//! A set of monomials chosen at run time, with its multiplication table.

use crate::jet::kernel::Table;
use core::fmt;
use core::ops::Range;
use std::collections::HashMap;
use std::sync::Mutex;

/// A set of monomials that contains, with one, all its divisors, in graded order.
///
/// Series over such a set are exact in the terms they keep: no term left out acts on a kept one.
/// The table of products takes six bytes for each pair whose product is kept.
#[derive(Debug)]
pub struct Monomials {
    parameters: usize,
    exponents: Vec<Vec<u8>>,
    /// Degree d stands in `start[d]..start[d + 1]`.
    start: Vec<usize>,
    /// For monomial i, the kept products i * j: (j, number of the product), by rising j.
    products: Vec<(u16, u16)>,
    /// Products of monomial i with those of degree d stand in `rows[i][d]..rows[i][d + 1]`.
    rows: Vec<Vec<u32>>,
}

/// Why a list of exponents is no set of monomials for series.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MonomialsError {
    /// Two multi-indices have different numbers of parameters.
    Lengths {
        /// Position of the offending one in the list.
        at: usize,
    },
    /// The list is not in graded order: its degrees fall, or it does not begin with zero.
    Order {
        /// Position of the offending one in the list.
        at: usize,
    },
    /// A monomial stands in the list twice.
    Twice {
        /// Position of the second one in the list.
        at: usize,
    },
    /// A divisor of this monomial is missing.
    DivisorMissing {
        /// Position of the monomial in the list.
        at: usize,
    },
    /// More monomials than the table's numbers can count.
    TooMany {
        /// How many were given.
        given: usize,
    },
}

impl fmt::Display for MonomialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lengths { at } => {
                write!(f, "multi-index {at} has another number of parameters than the first")
            }
            Self::Order { at } => write!(
                f,
                "multi-index {at} breaks the order: the constant comes first, then rising total degrees"
            ),
            Self::Twice { at } => write!(f, "multi-index {at} stands in the list twice"),
            Self::DivisorMissing { at } => {
                write!(f, "multi-index {at} is kept but one that divides it is not")
            }
            Self::TooMany { given } => {
                write!(f, "{given} monomials are more than the {} a series can hold", u16::MAX)
            }
        }
    }
}

impl core::error::Error for MonomialsError {}

/// Sets already made; there are few in the life of a program, and series refer to them freely.
static MADE: Mutex<Vec<&'static Monomials>> = Mutex::new(Vec::new());

impl Monomials {
    /// The set with these exponents, all of one length, in graded order (the constant first,
    /// degrees rising). Equal lists give the same set, which is kept for the life of the program.
    ///
    /// # Errors
    /// [`MonomialsError`] when the list is not such a set.
    pub fn new(exponents: &[Vec<u8>]) -> Result<&'static Self, MonomialsError> {
        let mut made = MADE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(set) = made.iter().find(|set| set.exponents == exponents) {
            return Ok(set);
        }
        let set: &'static Self = Box::leak(Box::new(Self::build(exponents)?));
        made.push(set);
        Ok(set)
    }

    fn build(exponents: &[Vec<u8>]) -> Result<Self, MonomialsError> {
        if exponents.len() >= usize::from(u16::MAX) {
            return Err(MonomialsError::TooMany { given: exponents.len() });
        }
        let numbers = numbers(exponents)?;
        let degrees: Vec<usize> = exponents.iter().map(|sigma| degree(sigma)).collect();
        let order = degrees.last().copied().unwrap_or(0);
        let start: Vec<usize> =
            (0..=order + 1).map(|d| degrees.partition_point(|&degree| degree < d)).collect();
        let (mut products, mut rows) = (Vec::new(), Vec::new());
        for (i, a) in exponents.iter().enumerate() {
            let mut row = vec![count(products.len())];
            for d in 0..=order - degrees[i] {
                for j in start[d]..start[d + 1] {
                    let sum: Vec<u8> = a.iter().zip(&exponents[j]).map(|(a, b)| a + b).collect();
                    if let Some(&target) = numbers.get(&sum) {
                        products.push((short(j), target));
                    }
                }
                row.push(count(products.len()));
            }
            rows.push(row);
        }
        let parameters = exponents.first().map_or(0, Vec::len);
        Ok(Self { parameters, exponents: exponents.to_vec(), start, products, rows })
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Number of monomials.
    pub fn len(&self) -> usize {
        self.exponents.len()
    }

    /// Never true: the constant is always there.
    pub fn is_empty(&self) -> bool {
        self.exponents.is_empty()
    }

    /// Exponents of every monomial, in the order of the coefficients.
    pub fn exponents(&self) -> &[Vec<u8>] {
        &self.exponents
    }

    /// Number of the monomial that is parameter `k` alone, where it is kept.
    pub(super) fn variable(&self, k: usize) -> Option<usize> {
        let first = *self.start.get(1)?..*self.start.get(2)?;
        first.into_iter().find(|&i| self.exponents[i].get(k) == Some(&1))
    }

    /// The kept products of monomial `i` with those of the degrees given.
    #[inline]
    fn row(&self, i: usize, degrees: Range<usize>) -> &[(u16, u16)] {
        let row = &self.rows[i];
        &self.products[row[degrees.start] as usize..row[degrees.end] as usize]
    }
}

impl Table for Monomials {
    #[inline]
    fn order(&self) -> usize {
        self.start.len() - 2
    }
    #[inline]
    fn range(&self, degree: usize) -> Range<usize> {
        self.start[degree]..self.start[degree + 1]
    }
    #[inline]
    fn add_parts(&self, out: &mut [f64], factor: f64, a: &[f64], da: usize, b: &[f64], db: usize) {
        let offset = self.start[da + db];
        for i in self.range(da) {
            let x = factor * a[i];
            for &(j, target) in self.row(i, db..db + 1) {
                out[usize::from(target) - offset] += x * b[usize::from(j)];
            }
        }
    }
    #[inline]
    fn add_row(&self, out: &mut [f64], x: f64, i: usize, b: &[f64]) {
        for &(j, target) in self.row(i, 0..self.rows[i].len() - 1) {
            out[usize::from(target)] += x * b[usize::from(j)];
        }
    }
}

/// Numbers the monomials and checks order and divisors.
fn numbers(exponents: &[Vec<u8>]) -> Result<HashMap<Vec<u8>, u16>, MonomialsError> {
    let mut numbers = HashMap::new();
    let mut last = 0;
    for (at, sigma) in exponents.iter().enumerate() {
        if sigma.len() != exponents[0].len() {
            return Err(MonomialsError::Lengths { at });
        }
        let d = degree(sigma);
        if d < last || (at == 0) != (d == 0) {
            return Err(MonomialsError::Order { at });
        }
        last = d;
        for k in 0..sigma.len() {
            let mut divisor = sigma.clone();
            if sigma[k] > 0 {
                divisor[k] -= 1;
                if !numbers.contains_key(&divisor) {
                    return Err(MonomialsError::DivisorMissing { at });
                }
            }
        }
        if numbers.insert(sigma.clone(), short(at)).is_some() {
            return Err(MonomialsError::Twice { at });
        }
    }
    if numbers.is_empty() { Err(MonomialsError::Order { at: 0 }) } else { Ok(numbers) }
}

fn degree(sigma: &[u8]) -> usize {
    sigma.iter().map(|&e| usize::from(e)).sum()
}

/// A number below the limit that [`Monomials::build`] checks.
fn short(i: usize) -> u16 {
    u16::try_from(i).unwrap_or(u16::MAX)
}

/// Pairs are fewer than the square of the limit on monomials.
fn count(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
