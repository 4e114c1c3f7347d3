//! A simple eigenpair as a polynomial of the parameters.
//!
//! ```text
//! s(x0 + d) = sum s[sigma] d^sigma,   phi(x0 + d) = sum phi[sigma] d^sigma        (palomba2019, Eq. 21)
//! ```
//!
//! Inserted into the pencil and ordered by powers of d, each degree is linear in its own
//! coefficients with the same matrix (palomba2019, Eqs. 22 to 28):
//!
//! ```text
//! A(s0) phi[sigma] + Phi_q^T l[sigma] + A'(s0) phi0 s[sigma] = -r[sigma]
//! Phi_q phi[sigma] = -h[sigma],   c^H phi[sigma] = 0
//! ```
//!
//! with r and h from lower degrees. The paper solves the first line (without constraints) by a
//! pseudo-inverse; here the gauge c^H phi = 1 makes the system square, it is factored once and
//! serves all degrees. The eigenvalue coefficients do not depend on the gauge.
//!
//! Fails when the eigenvalue is not simple, where no such series exists
//! ([`ParametricError::NotSimple`]). The series converges up to the nearest (complex) parameter
//! value at which the eigenvalue meets another one; see [`EigenpairSeries::radius`].

mod evaluate;
mod exceptional;
mod expand;
mod many;
mod rayleigh;
mod sensitivity;
mod trust;

pub(crate) use evaluate::beyond;
pub use evaluate::{ErrorBasis, Evaluation};
pub use exceptional::ExceptionalPoint;
pub(crate) use expand::matching_terms;
pub use expand::{ExpandOptions, Gauge, expand, expand_all};
pub use many::eigenvalues_at;
pub use rayleigh::Corrected;
pub use sensitivity::{ToleranceSpread, ToleranceSpreads};
pub use trust::{Radius, ResidualEstimate};

use crate::journal::{Reader, Writer};
use crate::{MultiIndexSet, ParametricError};
use mb_algebra::c64;

/// The coefficients of one eigenpair over a set of multi-indices.
#[derive(Clone, Debug)]
pub struct EigenpairSeries {
    set: MultiIndexSet,
    s: Vec<c64>,
    vectors: Vec<Vec<c64>>,
    multipliers: Vec<Vec<c64>>,
    left: LeftSeries,
    gap: f64,
    condition: f64,
}

/// Conjugated left vectors: constant, or a series over the same set.
#[derive(Clone, Debug)]
struct LeftSeries {
    vectors: Vec<Vec<c64>>,
    multipliers: Vec<Vec<c64>>,
}

impl EigenpairSeries {
    /// Writes all coefficients; the set stands elsewhere.
    pub fn write(&self, out: &mut Writer) {
        out.complex_list(&self.s);
        let lists = [&self.vectors, &self.multipliers, &self.left.vectors, &self.left.multipliers];
        for list in lists {
            out.complex_lists(list);
        }
        out.number(self.gap).number(self.condition);
    }

    /// Reads a series over `set` that was written; none where it has another number of terms.
    pub fn read(from: &mut Reader<'_>, set: &MultiIndexSet) -> Option<Self> {
        let (s, vectors, multipliers) = (from.complex_list()?, from.complex_lists()?, from.complex_lists()?);
        let left = LeftSeries { vectors: from.complex_lists()?, multipliers: from.complex_lists()? };
        let whole = [s.len(), vectors.len(), multipliers.len()].iter().all(|n| *n == set.len());
        let (gap, condition) = (from.number()?, from.number()?);
        whole.then(|| Self { set: set.clone(), s, vectors, multipliers, left, gap, condition })
    }

    /// The multi-indices of the coefficients.
    pub fn set(&self) -> &MultiIndexSet {
        &self.set
    }

    /// Highest total degree.
    pub fn order(&self) -> usize {
        self.set.order()
    }

    /// Coefficients of the eigenvalue in the order of the set; rad/s for dimensionless parameters.
    pub fn eigenvalue_coefficients(&self) -> &[c64] {
        &self.s
    }

    /// Coefficients of the right vector in the order of the set, each of length n.
    pub fn vector_coefficients(&self) -> &[Vec<c64>] {
        &self.vectors
    }

    /// Coefficients of the multipliers in the order of the set, each of length m.
    pub fn multiplier_coefficients(&self) -> &[Vec<c64>] {
        &self.multipliers
    }

    /// Coefficients of z = conj(y) of the left vector y, z^T A(s) + mu^T Phi_q = 0, in the order
    /// of the set. Only the first, unless [`ExpandOptions::left`] was set.
    pub fn left_coefficients(&self) -> &[Vec<c64>] {
        &self.left.vectors
    }

    /// The same series with the terms of a smaller set; what is kept does not change.
    ///
    /// Errors: a set over another number of parameters, or with terms that were not expanded
    /// ([`ParametricError::BeyondMatrices`]).
    pub fn restricted(&self, set: &MultiIndexSet) -> Result<Self, ParametricError> {
        let numbers = self.set.numbers_of(set)?;
        let pick = |list: &[Vec<c64>]| -> Vec<Vec<c64>> {
            let all = list.len() == self.set.len();
            let kept = if all { &numbers[..] } else { &[0] };
            kept.iter().map(|&i| list[i].clone()).collect()
        };
        Ok(Self {
            set: set.clone(),
            s: numbers.iter().map(|&i| self.s[i]).collect(),
            vectors: pick(&self.vectors),
            multipliers: pick(&self.multipliers),
            left: LeftSeries { vectors: pick(&self.left.vectors), multipliers: pick(&self.left.multipliers) },
            ..*self
        })
    }

    /// Estimated distance from the eigenvalue to the next one at the expansion point, rad/s.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// Relative condition number of the eigenvalue at the expansion point.
    pub fn condition(&self) -> f64 {
        self.condition
    }

    /// ds/dx of every parameter, rad/s per unit of it; none where the set has no first degree.
    pub fn sensitivities(&self) -> Vec<Option<c64>> {
        let p = self.set.parameters();
        let unit = |k: usize| -> Vec<u8> { (0..p).map(|j| u8::from(j == k)).collect() };
        (0..p).map(|k| self.set.number(&unit(k)).map(|number| self.s[number])).collect()
    }
}
