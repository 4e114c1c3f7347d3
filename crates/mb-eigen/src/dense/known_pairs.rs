//! Eigenvalues +-i w that are known with their vectors, as those of a free body that is seen from a frame which turns with w: directions
//! Z = [a b] along which y = Z exp(J t) u is a motion for every u, whatever the entries have been rounded to,
//!
//! ```text
//! K Z + C Z J + M Z J^2 + Phi_q^T l = 0,   Phi_q Z = 0,   J = [0 w; -w 0]
//! ```
//!
//! They are taken apart (`apart`) before the others are computed. What coincides with them, a drift that is a second value of the same
//! vector, has a vector of its own there.

use mb_algebra::{Dense, DenseC, LuComplex, QuadraticPencil, c64, dense, norms};

use super::apart::{Apart, narrower};
use super::completed::Completed;
use super::constraint_basis::ConstraintBasis;
use super::known_zeros::{beside, of_class};
use super::solve_with_zeros;
use crate::numeric::vectors::{self, inner};
use crate::{Class, DenseOptions, EigenError, Eigenpair, Finding, Method, Spectrum, tuning};

/// Two directions that turn into each other.
#[derive(Clone, Debug, PartialEq)]
pub struct TurningPair {
    /// [a b], n x 2: y = a cos(w t) - b sin(w t) is a motion.
    pub directions: Dense,
    /// w, rad/s, positive.
    pub rate: f64,
}

/// All eigenvalues, as [`solve_with_zeros`], with the pairs +-i w that are known.
///
/// Directions of pairs are those of the model behind the matrices, up to the rounding of their entries. Where the problem without them is
/// not one that theory counts the zeros alone are taken as known; none as for these.
///
/// # Errors
/// The errors of [`super::solve`].
pub fn solve_with_known(
    pencil: &QuadraticPencil,
    zeros: &Dense,
    pairs: &[TurningPair],
    off: &[Dense; 3],
    options: &DenseOptions,
) -> Result<Option<Spectrum>, EigenError> {
    let alone = solve_with_zeros(pencil, zeros, off, options)?;
    if pairs.is_empty() {
        return Ok(alone);
    }
    Ok(match (without(pencil, zeros, pairs, off, options)?, alone) {
        (Some(mut found), Some(alone)) => {
            let mut others: Vec<Eigenpair> = of_class(&alone, Class::Physical).cloned().collect();
            for pair in found.eigenpairs.iter_mut().filter(|pair| pair.class == Class::Physical) {
                *pair = narrower(pair.clone(), &mut others);
            }
            Some(found)
        }
        (found, alone) => found.or(alone),
    })
}

/// The same of pairs that are there; none where the problem without them is not one that theory counts.
fn without(
    pencil: &QuadraticPencil,
    zeros: &Dense,
    pairs: &[TurningPair],
    off: &[Dense; 3],
    options: &DenseOptions,
) -> Result<Option<Spectrum>, EigenError> {
    let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    let columns: Vec<&Dense> = pairs.iter().map(|pair| &pair.directions).collect();
    let speeds: Vec<f64> = pairs.iter().map(|pair| pair.rate).collect();
    let Some(apart) = Apart::new(pencil, &dense::hstack(&columns), &speeds, 0, 0, off) else {
        return Ok(None);
    };
    let k = apart.k;
    let Some(seen) = zeros_apart(&apart, zeros) else { return Ok(None) };
    // Its masses are singular by construction.
    let inner = DenseOptions { mass_tolerance: tuning::EPS_2_3.max(options.mass_tolerance), ..*options };
    let Some(found) = beside(&apart.pencil, &seen, k, &apart.off, &inner)? else {
        return Ok(None);
    };
    let mut infinite: Vec<&Eigenpair> = of_class(&found, Class::Infinite).collect();
    if infinite.len() < k {
        return Ok(None);
    }
    // The infinite eigenvalues that came are those of p.
    mb_algebra::sorted::descending(&mut infinite, |pair| {
        norms::two_complex(&pair.right[zeros.nrows() - k..])
    });
    let others = found.eigenpairs.iter().filter(|pair| pair.class != Class::Infinite);
    let mut out: Vec<Eigenpair> =
        others.chain(infinite.into_iter().skip(k)).map(|pair| apart.back(pair)).collect();
    out.extend(exact(pencil, &basis, pairs));
    let mut counts = found.counts;
    counts.expected.motion += k;
    counts.expected.infinite = counts.expected.infinite.saturating_sub(k);
    let findings = found.findings.into_iter().filter_map(|finding| match finding {
        Finding::SingularMass { directions, infinite } => (directions > k && infinite > k)
            .then(|| Finding::SingularMass { directions: directions - k, infinite: infinite - k }),
        // Reported anew of all eigenpairs.
        Finding::PoorAccuracy { .. } | Finding::UndeterminedEigenvalues { .. } => None,
        other => Some(other),
    });
    let mut findings: Vec<Finding> = findings.collect();
    for finding in basis.findings() {
        if !findings.contains(finding) {
            findings.push(finding.clone());
        }
    }
    Ok(Some(Spectrum::assemble(Method::Dense, out, counts, findings)))
}

/// Zeros of the whole problem in the unknowns (b, p): x = W b + Z u with p = -J u.
fn zeros_apart(apart: &Apart, zeros: &Dense) -> Option<Dense> {
    let Completed { others, .. } = &apart.completed;
    let (z, of) = (apart.completed.directions(), apart.completed.coefficients()?);
    let (n, k) = z.shape();
    let mut out = Dense::zeros(n, zeros.ncols());
    for j in 0..zeros.ncols() {
        let x = zeros.col_as_slice(j);
        let u = of.solve(x);
        for (i, speed) in apart.speeds.iter().enumerate() {
            (out[(n - k + 2 * i, j)], out[(n - k + 2 * i + 1, j)]) =
                (-speed * u[2 * i + 1], speed * u[2 * i]);
        }
        for (row, i) in others.iter().enumerate() {
            out[(row, j)] = x[*i] - (0..k).map(|c| z[(*i, c)] * u[c]).sum::<f64>();
        }
    }
    Some(out)
}

/// The pairs as eigenpairs.
fn exact(pencil: &QuadraticPencil, basis: &ConstraintBasis, pairs: &[TurningPair]) -> Vec<Eigenpair> {
    let mut out = Vec::new();
    for (place, pair) in pairs.iter().enumerate() {
        let s = c64::new(0.0, pair.rate);
        let (a, b) = (pair.directions.col_as_slice(0), pair.directions.col_as_slice(1));
        let mut right: Vec<c64> = a.iter().zip(b).map(|(a, b)| c64::new(*a, *b)).collect();
        vectors::normalize(&mut right);
        // Those of one rate have as many left vectors.
        let same: Vec<usize> =
            (0..pairs.len()).filter(|i| pairs[*i].rate.to_bits() == pair.rate.to_bits()).collect();
        let own = same.iter().position(|i| *i == place).unwrap_or(0);
        let left = left_vectors(pencil, basis, s, same.len()).swap_remove(own);
        let terms = [(&pencil.m, s * s), (&pencil.c, s), (&pencil.k, c64::new(1.0, 0.0))];
        let mut force = vec![vectors::ZERO; right.len()];
        for (a, by) in terms {
            let product = dense::matvec_complex(a, &right);
            force.iter_mut().zip(product).for_each(|(f, x)| *f += by * x);
        }
        let forces = vectors::Block::new(pencil.k.nrows(), &[force]);
        let multipliers = basis.multipliers(&forces, 1).swap_remove(0);
        let one = Eigenpair {
            alpha: s,
            beta: 1.0,
            multipliers: multipliers.into(),
            left_multipliers: vec![vectors::ZERO; pencil.phi_q.nrows()].into(),
            right: right.into(),
            left: left.into(),
            backward_error: 0.0,
            constraint_violation: 0.0,
            condition: f64::INFINITY,
            error_bound: tuning::FEW_ROUNDINGS * pair.rate,
            chain: 1,
            penalty_share: None,
            class: Class::Physical,
        };
        out.push(one.clone());
        out.push(Eigenpair {
            alpha: s.conj(),
            multipliers: vectors::conjugate(&one.multipliers).into(),
            right: vectors::conjugate(&one.right).into(),
            left: vectors::conjugate(&one.left).into(),
            ..one
        });
    }
    out
}

/// `count` left vectors of length one of an eigenvalue that is known, by inverse iteration; zero where the matrix cannot be factored.
fn left_vectors(pencil: &QuadraticPencil, basis: &ConstraintBasis, s: c64, count: usize) -> Vec<Vec<c64>> {
    let n = pencil.k.nrows();
    let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(|a| basis.reduce(a));
    let size = k.nrows();
    // The adjoint, beside the eigenvalue where it is exactly singular: by more than the root of rounding, since a chain makes the least pivot a
    // square.
    let factor = |s: c64| {
        let entry = |i: usize, j: usize| (s * s * m[(j, i)] + s * c[(j, i)] + k[(j, i)]).conj();
        LuComplex::new(&DenseC::from_fn(size, size, entry)).ok()
    };
    let Some(lu) = factor(s).or_else(|| factor(s * (1.0 + tuning::CBRT_EPS))) else {
        return vec![vec![vectors::ZERO; n]; count];
    };
    let start = |i: usize, j: usize| c64::new(1.0, ((i * (j + 2)) as f64).sin());
    let mut y: Vec<Vec<c64>> = (0..count).map(|j| (0..size).map(|i| start(i, j)).collect()).collect();
    for _ in 0..tuning::FEW_STEPS {
        for j in 0..count {
            let mut next = lu.solve(&y[j]);
            for other in &y[..j] {
                let part = inner(other, &next);
                next.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
            }
            let length = norms::two_complex(&next);
            if length.is_finite() && length > 0.0 {
                vectors::scale(&mut next, c64::new(length.recip(), 0.0));
                y[j] = next;
            }
        }
    }
    y.into_iter().map(|y| basis.null().map_or_else(|| y.clone(), |r| dense::matvec_complex(r, &y))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A free point of mass m seen from a frame that turns with w: its shift is a pair +-i w, and its drift, of the same vector, too.
    #[test]
    fn a_free_point_in_a_turning_frame() {
        let (m, w) = (3.0, 2.0);
        let pencil = QuadraticPencil {
            m: dense::from_rows(&[&[m, 0.0, 0.0], &[0.0, m, 0.0], &[0.0, 0.0, m]]),
            c: dense::from_rows(&[&[0.0, -2.0 * m * w, 0.0], &[2.0 * m * w, 0.0, 0.0], &[0.0, 0.0, 0.0]]),
            k: dense::from_rows(&[&[-m * w * w, 0.0, 0.0], &[0.0, -m * w * w, 0.0], &[0.0, 0.0, 0.0]]),
            phi_q: dense::zeros(0, 3),
        };
        let zeros = Dense::from_fn(3, 1, |i, _| f64::from(u8::from(i == 2)));
        let directions = Dense::from_fn(3, 2, |i, j| f64::from(u8::from(i == j)));
        let none: [Dense; 3] = std::array::from_fn(|_| dense::zeros(3, 3));
        let pair = TurningPair { directions, rate: w };
        let found = solve_with_known(&pencil, &zeros, &[pair], &none, &DenseOptions::default());
        let found = found.unwrap().unwrap();
        assert_eq!((found.counts.found.rigid, found.counts.found.physical), (2, 4), "{:?}", found.findings);
        assert_eq!(found.counts.mismatches(), []);
        for pair in found.eigenpairs.iter().filter(|pair| pair.class == Class::Physical) {
            let s = pair.value().unwrap();
            assert!((s.im.abs() - w).hypot(s.re) <= pair.error_bound && pair.error_bound < 1e-13, "{pair:?}");
            let terms = [(&pencil.m, s * s), (&pencil.c, s), (&pencil.k, c64::new(1.0, 0.0))];
            for (x, left) in [(&pair.right, false), (&pair.left, true)] {
                let mut rest = vec![vectors::ZERO; 3];
                for (a, by) in terms {
                    let a = if left { dense::transpose(a) } else { a.clone() };
                    let by = if left { by.conj() } else { by };
                    rest.iter_mut().zip(dense::matvec_complex(&a, x)).for_each(|(r, x)| *r += by * x);
                }
                assert!(norms::two_complex(&rest) < 1e-12 * norms::two_complex(x), "{left} {s}: {rest:?}");
            }
        }
    }
}
