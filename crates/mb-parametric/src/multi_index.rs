//! Sets of multi-indices: which monomials a polynomial in several parameters keeps.
//!
//! ```text
//! d^sigma = d_0^sigma_0 ... d_(p-1)^sigma_(p-1),   |sigma| = sigma_0 + ... + sigma_(p-1)
//! ```
//!
//! The order is graded: by degree `|sigma|`, and within a degree with the higher power of the
//! earlier parameter first: `1, d0, d1, d0^2, d0 d1, d1^2, ...`. The complete set of `p`
//! parameters and order `t` has `C(p + t, t)` members (palomba2019, Table 1) and is numbered as
//! the coefficients of a `Jet`.
//!
//! Every set holds, with an index, all smaller ones. So the coefficients of a product follow
//! from the coefficients of its factors, and a series over the set is exact in what it keeps.

use crate::ParametricError;
use crate::journal::{Reader, Writer};
use mb_scalar::jet::Monomials;
use std::collections::HashMap;
use std::ops::Range;

/// Pairs of terms whose product is kept; above this, tables would take over a gigabyte.
const PAIR_LIMIT: f64 = 5e7;

/// Bytes of coefficients allowed.
const MEMORY_LIMIT: f64 = 4e9;

/// Refuses coefficients that would not fit in memory.
pub(crate) fn check_memory(
    what: &'static str,
    terms: usize,
    size: usize,
    bytes: f64,
) -> Result<(), ParametricError> {
    if bytes > MEMORY_LIMIT {
        return Err(ParametricError::TooLarge { what, terms, size, bytes, limit: MEMORY_LIMIT });
    }
    Ok(())
}

/// A bound on the joint degree of some parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DegreeLimit {
    /// Numbers of the parameters, from 0.
    pub parameters: Vec<usize>,
    /// Highest sum of their exponents.
    pub max_degree: usize,
}

/// A downward closed set of multi-indices in graded order.
///
/// ```
/// use mb_parametric::{DegreeLimit, MultiIndexSet};
///
/// let all = MultiIndexSet::total(4, 4)?;
/// assert_eq!(all.len(), 70);
/// // One angle and two speeds; the speeds (1 and 2) at most to the first power.
/// let limit = DegreeLimit { parameters: vec![1, 2], max_degree: 1 };
/// let few = MultiIndexSet::with_limits(3, 4, &[limit])?;
/// assert_eq!(few.len(), 13);
/// assert_eq!(few.exponents(3), [0, 0, 1]);
/// # Ok::<(), mb_parametric::ParametricError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MultiIndexSet {
    parameters: usize,
    indices: Vec<Vec<u8>>,
    /// Degree d stands in `start[d]..start[d + 1]`.
    start: Vec<usize>,
    /// Each monomial but the first is an earlier one times one parameter.
    parent: Vec<(usize, usize)>,
    numbers: HashMap<Vec<u8>, usize>,
}

impl MultiIndexSet {
    /// All multi-indices of `parameters` entries with `|sigma| <= order`.
    ///
    /// Errors: [`ParametricError::TooManyTerms`].
    pub fn total(parameters: usize, order: usize) -> Result<Self, ParametricError> {
        Self::with_limits(parameters, order, &[])
    }

    /// The multi-indices with `|sigma| <= order` that keep every limit.
    ///
    /// Errors: a limit on a parameter that does not exist, two limits on one parameter, and
    /// [`ParametricError::TooManyTerms`] when the tables of the set would not fit in memory.
    pub fn with_limits(
        parameters: usize,
        order: usize,
        limits: &[DegreeLimit],
    ) -> Result<Self, ParametricError> {
        let group = groups(parameters, limits)?;
        // Pairs (alpha, beta) with alpha + beta in the set are the multi-indices of twice as
        // many parameters under the same limits.
        let (terms, pairs) = (count(1, parameters, order, limits), count(2, parameters, order, limits));
        let most = usize::from(u8::MAX);
        if order > most {
            return Err(ParametricError::OrderTooHigh { order, most });
        }
        if pairs > PAIR_LIMIT {
            return Err(ParametricError::TooManyTerms { parameters, order, terms, pairs, limit: PAIR_LIMIT });
        }
        let (mut indices, mut start) = (Vec::new(), vec![0]);
        let caps: Vec<usize> = limits.iter().map(|limit| limit.max_degree).collect();
        for degree in 0..=order {
            let mut filler = Filler { group: &group, left: caps.clone(), sigma: vec![0; parameters] };
            filler.fill(0, degree, &mut indices);
            start.push(indices.len());
        }
        // Limits keep the divisors of what they keep.
        let failed = ParametricError::TooManyTerms { parameters, order, terms, pairs, limit: PAIR_LIMIT };
        Self::of(parameters, indices, start).ok_or(failed)
    }

    /// Writes the multi-indices.
    pub(crate) fn write(&self, out: &mut Writer) {
        out.count(self.parameters).count(self.start.len() - 1);
        for degree in 0..self.start.len() - 1 {
            let range = self.homogeneous(degree);
            out.count(range.len());
            for sigma in &self.indices[range] {
                for e in sigma {
                    out.count(usize::from(*e));
                }
            }
        }
    }

    /// Reads a set that was written.
    pub(crate) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (parameters, degrees) = (from.count()?, from.count()?);
        let (mut indices, mut start) = (Vec::new(), vec![0]);
        for _ in 0..degrees {
            for _ in 0..from.count()? {
                let sigma = (0..parameters).map(|_| u8::try_from(from.count()?).ok());
                indices.push(sigma.collect::<Option<Vec<u8>>>()?);
            }
            start.push(indices.len());
        }
        Self::of(parameters, indices, start)
    }

    /// The set of these multi-indices, by degree; none where a divisor of one is missing.
    fn of(parameters: usize, indices: Vec<Vec<u8>>, start: Vec<usize>) -> Option<Self> {
        let (mut numbers, mut parent) = (HashMap::new(), Vec::with_capacity(indices.len()));
        for (number, sigma) in indices.iter().enumerate() {
            numbers.insert(sigma.clone(), number);
            let mut smaller = sigma.clone();
            let variable = sigma.iter().position(|&e| e > 0).unwrap_or(0);
            if let Some(e) = smaller.get_mut(variable) {
                *e = e.saturating_sub(1);
            }
            parent.push((*numbers.get(&smaller)?, variable));
        }
        Some(Self { parameters, indices, start, parent, numbers })
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Highest total degree asked for; limits may leave it without members.
    pub fn order(&self) -> usize {
        self.start.len() - 2
    }

    /// Number of multi-indices.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Never true: the zero index is always a member.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The exponents of member `number`.
    pub fn exponents(&self, number: usize) -> &[u8] {
        &self.indices[number]
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.indices.iter().map(Vec::as_slice)
    }

    /// Whether another set has the same members.
    pub(crate) fn has_terms_of(&self, other: &Self) -> bool {
        self.indices == other.indices
    }

    /// The number of a multi-index, if it is a member.
    pub fn number(&self, sigma: &[u8]) -> Option<usize> {
        self.numbers.get(sigma).copied()
    }

    /// The numbers that the members of a smaller set have in this one.
    ///
    /// Errors: a set over another number of parameters, or with members that are none of this one.
    pub(crate) fn numbers_of(&self, set: &Self) -> Result<Vec<usize>, ParametricError> {
        if set.parameters != self.parameters {
            let (expected, found) = (self.parameters, set.parameters);
            return Err(ParametricError::WrongLength { what: "a multi-index of the set", expected, found });
        }
        let number = |sigma: &[u8]| {
            self.number(sigma).ok_or_else(|| ParametricError::BeyondMatrices { term: sigma.to_vec() })
        };
        set.iter().map(number).collect()
    }

    /// Where the members of one total degree stand; empty above the order.
    pub fn homogeneous(&self, degree: usize) -> Range<usize> {
        let at = |d: usize| self.start.get(d).copied().unwrap_or(self.len());
        at(degree)..at(degree + 1)
    }

    /// The values `d^sigma` of all members at the distance `d` from the expansion point; one
    /// multiplication each.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn monomials(&self, d: &[f64]) -> Result<Vec<f64>, ParametricError> {
        let mut values = Vec::new();
        self.monomials_into(d, &mut values)?;
        Ok(values)
    }

    /// As [`MultiIndexSet::monomials`], in the memory of `values`.
    pub fn monomials_into(&self, d: &[f64], values: &mut Vec<f64>) -> Result<(), ParametricError> {
        if d.len() != self.parameters {
            let (expected, found) = (self.parameters, d.len());
            return Err(ParametricError::WrongLength { what: "the point", expected, found });
        }
        if let Some(parameter) = d.iter().position(|x| !x.is_finite()) {
            return Err(ParametricError::NonFinitePoint { parameter });
        }
        values.clear();
        values.push(1.0);
        for &(parent, variable) in &self.parent[1..] {
            values.push(values[parent] * d[variable]);
        }
        Ok(())
    }

    /// The set as the monomials of jets; kept for the life of the program, one for each set.
    pub(crate) fn table(&self) -> &'static Monomials {
        // Graded and closed downwards by construction; the pair limit keeps it far below the
        // numbers a table can count.
        Monomials::new(&self.indices).unwrap_or_else(|e| unreachable!("{e}"))
    }

    /// For every member the ordered pairs (alpha, beta) of members with alpha + beta = sigma;
    /// the first is (0, sigma) and the last (sigma, 0).
    pub(crate) fn splits(&self) -> Vec<Vec<(usize, usize)>> {
        let mut out = Vec::with_capacity(self.len());
        for sigma in &self.indices {
            let mut pairs = Vec::new();
            let mut alpha = vec![0_u8; self.parameters];
            loop {
                let beta: Vec<u8> = sigma.iter().zip(&alpha).map(|(s, a)| s - a).collect();
                pairs.push((self.numbers[&alpha], self.numbers[&beta]));
                // Count up, digit k running from 0 to sigma_k.
                let Some(k) = (0..self.parameters).find(|&k| alpha[k] < sigma[k]) else { break };
                alpha[k] += 1;
                alpha[..k].fill(0);
            }
            out.push(pairs);
        }
        out
    }
}

/// Enumerates the members of one degree.
struct Filler<'a> {
    /// The limit each parameter falls under.
    group: &'a [Option<usize>],
    /// What is left of each limit.
    left: Vec<usize>,
    sigma: Vec<u8>,
}

impl Filler<'_> {
    fn fill(&mut self, k: usize, rest: usize, out: &mut Vec<Vec<u8>>) {
        if k == self.sigma.len() {
            if rest == 0 {
                out.push(self.sigma.clone());
            }
            return;
        }
        let group = self.group[k];
        let most = group.map_or(rest, |g| rest.min(self.left[g]));
        // The last parameter takes all that is left, or nothing fits.
        let least = if k + 1 == self.sigma.len() { rest } else { 0 };
        for e in (least..=most).rev() {
            self.sigma[k] = u8::try_from(e).unwrap_or(u8::MAX);
            if let Some(g) = group {
                self.left[g] -= e;
            }
            self.fill(k + 1, rest - e, out);
            if let Some(g) = group {
                self.left[g] += e;
            }
        }
        self.sigma[k] = 0;
    }
}

/// The limit each parameter falls under.
fn groups(parameters: usize, limits: &[DegreeLimit]) -> Result<Vec<Option<usize>>, ParametricError> {
    let mut group = vec![None; parameters];
    for (number, limit) in limits.iter().enumerate() {
        for &parameter in &limit.parameters {
            match group.get_mut(parameter) {
                None => return Err(ParametricError::UnknownParameter { parameter, parameters }),
                Some(Some(_)) => return Err(ParametricError::OverlappingLimits { parameter }),
                Some(free) => *free = Some(number),
            }
        }
    }
    Ok(group)
}

/// Number of multi-indices when each parameter stands `copies` times, from the generating
/// functions `sum over d of C(g + d - 1, d) z^d` of groups of `g` parameters. Approximate
/// (but not by much) above 2^53.
fn count(copies: usize, parameters: usize, order: usize, limits: &[DegreeLimit]) -> f64 {
    let limited: usize = limits.iter().map(|limit| limit.parameters.len()).sum();
    let bounded = limits.iter().map(|limit| (limit.parameters.len(), limit.max_degree));
    let mut by_degree = vec![0.0; order + 1];
    by_degree[0] = 1.0;
    for (size, cap) in bounded.chain([(parameters - limited, order)]) {
        let size = (copies * size) as f64;
        let mut next = vec![0.0; order + 1];
        let mut ways = 1.0;
        for d in 0..=cap.min(order) {
            for e in d..=order {
                next[e] += ways * by_degree[e - d];
            }
            ways *= (size + d as f64) / (d as f64 + 1.0);
        }
        by_degree = next;
    }
    by_degree.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complete_set_has_binomially_many_members_in_graded_order() {
        for (parameters, order, terms) in [(1, 20, 21), (2, 3, 10), (4, 4, 70), (6, 4, 210), (0, 3, 1)] {
            let set = MultiIndexSet::total(parameters, order).unwrap();
            assert_eq!((set.len(), set.order()), (terms, order));
        }
        let set = MultiIndexSet::total(2, 2).unwrap();
        let all: Vec<_> = set.iter().collect();
        assert_eq!(all, [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]);
        assert_eq!(set.homogeneous(1), 1..3);
        assert!(set.homogeneous(3).is_empty());
    }

    #[test]
    fn limits_keep_what_they_say_and_the_count_is_right() {
        let limits = [
            DegreeLimit { parameters: vec![2, 0], max_degree: 1 },
            DegreeLimit { parameters: vec![3], max_degree: 2 },
        ];
        let set = MultiIndexSet::with_limits(5, 4, &limits).unwrap();
        let keeps = |s: &[u8]| s[0] + s[2] <= 1 && s[3] <= 2;
        let complete = MultiIndexSet::total(5, 4).unwrap();
        let expected: Vec<_> = complete.iter().filter(|s| keeps(s)).collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), expected);
        assert!((count(1, 5, 4, &limits) - set.len() as f64).abs() < 0.5);
        let pairs: usize = set.splits().iter().map(Vec::len).sum();
        assert!((count(2, 5, 4, &limits) - pairs as f64).abs() < 0.5);
    }

    #[test]
    fn monomials_are_powers() {
        let set = MultiIndexSet::total(3, 5).unwrap();
        let d: [f64; 3] = [0.5, -2.0, 3.0];
        let power = |s: &[u8]| -> f64 { (0..3).map(|k| d[k].powi(i32::from(s[k]))).product() };
        for (value, sigma) in set.monomials(&d).unwrap().iter().zip(set.iter()) {
            assert!((value - power(sigma)).abs() <= 1e-15 * value.abs());
        }
    }

    #[test]
    fn bad_requests_are_refused_with_their_numbers() {
        let set = MultiIndexSet::total(2, 1).unwrap();
        assert!(matches!(
            set.monomials(&[1.0]),
            Err(ParametricError::WrongLength { expected: 2, found: 1, .. })
        ));
        assert!(matches!(
            set.monomials(&[1.0, f64::NAN]),
            Err(ParametricError::NonFinitePoint { parameter: 1 })
        ));
        let limit = |parameters| DegreeLimit { parameters, max_degree: 1 };
        assert!(matches!(
            MultiIndexSet::with_limits(2, 2, &[limit(vec![2])]),
            Err(ParametricError::UnknownParameter { parameter: 2, parameters: 2 })
        ));
        assert!(matches!(
            MultiIndexSet::with_limits(2, 2, &[limit(vec![0]), limit(vec![1, 0])]),
            Err(ParametricError::OverlappingLimits { parameter: 0 })
        ));
        let error = MultiIndexSet::total(1, 256).unwrap_err();
        assert_eq!(error, ParametricError::OrderTooHigh { order: 256, most: 255 });
        assert!(MultiIndexSet::total(1, 255).is_ok());
        let error = MultiIndexSet::total(12, 12).unwrap_err();
        // C(24, 12) terms and C(36, 12) products of two of them.
        assert!(
            matches!(error, ParametricError::TooManyTerms { terms, .. } if (terms - 2_704_156.0).abs() < 1.0)
        );
        assert!(error.to_string().contains("GB"), "{error}");
    }
}
