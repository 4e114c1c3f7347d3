//! Eigenvalues near zeros that are known: directions z with K z + Phi_q^T l = 0 and Phi_q z = 0 whatever the entries of K have been rounded
//! to, as those of coordinates that can be ignored. They are taken apart (`apart`, with J = 0) before the others are computed.

use mb_algebra::sorted::descending;
use mb_algebra::{Dense, QuadraticPencil, Svd, c64, dense, norms};

use super::apart::{Apart, is_exact, narrower, slope};
use super::constraint_basis::ConstraintBasis;
use super::kernel::{Given, Kernel};
use super::solve;
use crate::error::at;
use crate::numeric::vectors::{self, ZERO, abs, inner};
use crate::{Class, Counts, DenseOptions, EigenError, Eigenpair, Finding, Method, Spectrum, tuning};

/// All eigenvalues, with as many exact zeros as `zeros` has columns, n x k and independent.
///
/// `off`: by how much entries of M, C and K may be off, n x n each; every error bound contains it. Zeros that are left, of chains, are
/// taken apart in the same way, so that the other eigenvalues are those of a problem without any. None where the counts of the
/// problem without the zeros given are not those of theory: then they are no zeros of the matrices as given.
///
/// # Errors
/// The errors of [`solve`].
pub fn solve_with_zeros(
    pencil: &QuadraticPencil,
    zeros: &Dense,
    off: &[Dense; 3],
    options: &DenseOptions,
) -> Result<Option<Spectrum>, EigenError> {
    beside(pencil, zeros, 0, off, options)
}

/// The same; the last `rates` coordinates are themselves rates without mass, which the transformation leaves as they are.
pub(super) fn beside(
    pencil: &QuadraticPencil,
    zeros: &Dense,
    rates: usize,
    off: &[Dense; 3],
    options: &DenseOptions,
) -> Result<Option<Spectrum>, EigenError> {
    let k = zeros.ncols();
    let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    // What may be left of K z and of Phi_q z, compared with their terms, of a zero that is known otherwise.
    let Some(first) = Level::new(pencil, &basis, zeros, 0, rates, off, tuning::SQRT_EPS) else {
        return Ok(None);
    };
    // Its masses are singular by construction, and null directions of them as good as their computation.
    // What may be left of a null direction of M', which the zeros given make.
    let mass_tolerance = tuning::EPS_2_3.max(options.mass_tolerance);
    let inner = DenseOptions { mass_tolerance, keeps_at_interrupt: false, ..*options };
    let found = solve(&first.apart.pencil, &inner)?;
    let (infinite, massless) =
        (of_class(&found, Class::Infinite).count(), massless(pencil, &basis, options)?);
    if infinite < k || (massless == 0 && infinite > k) || !is_as_theory_counts(&found) {
        return Ok(None);
    }
    let mut levels = vec![first];
    let mut physical = better(Vec::new(), &levels, &found);
    let mut last = found.clone();
    // Longest chain of zeros that is followed.
    while levels.len() < tuning::ATTEMPTS {
        let Some((level, without)) = deeper(&levels[levels.len() - 1], &last, &inner)? else { break };
        levels.push(level);
        last = without;
        physical = better(physical, &levels, &last);
    }
    let mut pairs = exact(pencil, &basis, zeros)?;
    // The infinite eigenvalues that came are those of p.
    let mut most: Vec<&Eigenpair> = of_class(&found, Class::Infinite).collect();
    let of_rates = |pair: &Eigenpair| norms::two_complex(&pair.right[zeros.nrows() - k..]);
    descending(&mut most, |a| of_rates(a));
    let zero = of_class(&found, Class::Rigid).map(|pair| levels[0].apart.back(&levels[0].widened(pair)));
    // Second zeros of vectors of Z stand behind the first ones, of which there are as many.
    let (second, others): (Vec<Eigenpair>, Vec<Eigenpair>) = zero.partition(|pair| pair.chain == 2);
    let from = k.saturating_sub(second.len());
    pairs[from..].iter_mut().for_each(|pair| pair.chain = 2);
    pairs.extend(second.into_iter().chain(others));
    pairs.extend(most.into_iter().skip(k).map(|pair| levels[0].apart.back(pair)));
    pairs.extend(physical);
    let mut counts = Counts { n: zeros.nrows(), ..found.counts };
    counts.expected.motion += k;
    counts.expected.infinite = counts.expected.infinite.saturating_sub(k);
    let mut findings = basis.findings().to_vec();
    for finding in found.findings {
        match finding {
            Finding::SingularMass { infinite, .. } => {
                if massless > 0 && infinite > k {
                    findings.push(Finding::SingularMass { directions: massless, infinite: infinite - k });
                }
            }
            // Reported anew of all eigenpairs, or of entries that are none of the matrices as given.
            Finding::PoorAccuracy { .. }
            | Finding::UndeterminedEigenvalues { .. }
            | Finding::ZeroByRounding { .. }
            | Finding::NearlyZeroStiffness { .. }
            | Finding::NearlySingularMass { .. } => {}
            other if findings.contains(&other) => {}
            other => findings.push(other),
        }
    }
    Ok(Some(Spectrum::assemble(Method::Dense, pairs, counts, findings)))
}

/// The physical eigenpairs of the last of some levels in all coordinates, or those `known` for the same eigenvalues where their bounds
/// are narrower.
fn better(mut known: Vec<Eigenpair>, levels: &[Level], found: &Spectrum) -> Vec<Eigenpair> {
    let in_all = |pair: &Eigenpair| {
        let widened = levels[levels.len() - 1].widened(pair);
        levels.iter().rev().fold(widened, |pair, level| level.apart.back(&pair))
    };
    of_class(found, Class::Physical).map(|pair| narrower(in_all(pair), &mut known)).collect()
}

pub(super) fn of_class(found: &Spectrum, class: Class) -> impl Iterator<Item = &Eigenpair> {
    found.eigenpairs.iter().filter(move |pair| pair.class == class)
}

fn is_as_theory_counts(found: &Spectrum) -> bool {
    let not = |f: &Finding| matches!(f, Finding::CountMismatch { .. } | Finding::LongChain { .. });
    !found.findings.iter().any(not)
}

/// Directions without mass.
fn massless(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    options: &DenseOptions,
) -> Result<usize, EigenError> {
    let given = Given { a: &pencil.m, lift: basis.null(), lift_left: None };
    let reduced = given.cleaned(&basis.reduce(&pencil.m), options.mass_tolerance).0;
    Ok(Kernel::find(&reduced, given, options.mass_tolerance)?.dim())
}

/// The problem without the zeros that are left in one, and its eigenvalues; none where there are none, or the others are not the same
/// in number.
fn deeper(
    level: &Level,
    found: &Spectrum,
    options: &DenseOptions,
) -> Result<Option<(Level, Spectrum)>, EigenError> {
    let mut zeros: Vec<Vec<f64>> = Vec::new();
    for pair in of_class(found, Class::Rigid) {
        let mut rest: Vec<f64> = pair.right.iter().map(|x| x.re).collect();
        for other in &zeros {
            let part = dense::dot(&rest, other);
            rest.iter_mut().zip(other).for_each(|(r, o)| *r -= part * o);
        }
        let length = norms::two(&rest);
        // Part of p in the vector of a zero, relative to the largest entry, from which on it shares its vector with one of Z.
        if length > tuning::CBRT_EPS {
            zeros.push(rest.iter().map(|r| r / length).collect());
        }
    }
    if zeros.is_empty() {
        return Ok(None);
    }
    let basis = ConstraintBasis::new(&level.apart.pencil.phi_q, options.constraint_rank)?;
    let zeros = dense::from_columns(level.apart.pencil.m.nrows(), &zeros);
    let Some(next) = Level::behind(level, &basis, &zeros, 0) else { return Ok(None) };
    let without = solve(&next.apart.pencil, options)?;
    let physical = |found: &Spectrum| of_class(found, Class::Physical).count();
    let same = is_as_theory_counts(&without) && physical(&without) == physical(found);
    Ok(same.then_some((next, without)))
}

/// Whether the directions are zeros of the matrices but for rounding.
fn holds(pencil: &QuadraticPencil, basis: &ConstraintBasis, zeros: &Dense, nearly: f64) -> bool {
    let force = dense::mul(&pencil.k, zeros);
    let rest = basis.null().map_or_else(|| force.clone(), |r| dense::mul_transpose(r, &force));
    let size = norms::max_abs(&dense::mul(&vectors::magnitudes(&pencil.k), &vectors::magnitudes(zeros)));
    let rows = norms::max_abs(&dense::mul(&pencil.phi_q, zeros));
    norms::max_abs(&rest) <= nearly * size
        && rows <= nearly * norms::max_abs(&pencil.phi_q) * norms::max_abs(zeros)
}

/// A problem without some zeros.
pub(super) struct Level {
    pub(super) apart: Apart,
    /// What may be left of T^T K Z, n x k: over s it would stand in the columns of p.
    left: Dense,
}

impl Level {
    /// The first `known` directions are those of the model behind the matrices, up to rounding of their largest entries. None where the
    /// directions depend on each other, or leave more than the share `nearly` of K z.
    pub(super) fn new(
        pencil: &QuadraticPencil,
        basis: &ConstraintBasis,
        zeros: &Dense,
        known: usize,
        rates: usize,
        off: &[Dense; 3],
        nearly: f64,
    ) -> Option<Self> {
        let apart = Apart::new(pencil, zeros, &[], known, rates, off)
            .filter(|_| holds(pencil, basis, zeros, nearly))?;
        let left = left(&apart.completed.t, pencil, basis, zeros, known, &off[2]);
        Some(Self { apart, left })
    }

    /// Without zeros that a level has left, which its matrices show; `basis` is that of its rows, the first `known` are those of the model.
    pub(super) fn behind(last: &Self, basis: &ConstraintBasis, zeros: &Dense, known: usize) -> Option<Self> {
        let Apart { pencil, off, .. } = &last.apart;
        // What may be left of K z and of Phi_q z, compared with their terms, of a zero that the matrices show.
        Self::new(pencil, basis, zeros, known, 0, off, tuning::EPS_3_4)
    }

    /// The eigenpair, here, with |y|^T ((|s|^2 |dM'| + |s| |dC'| + |dK'|) |x| + |T^T K Z| |p| / |s|) / |y^H (2 s M' + C') x| in its error
    /// bound.
    pub(super) fn widened(&self, pair: &Eigenpair) -> Eigenpair {
        Eigenpair { error_bound: pair.error_bound + self.changed(pair), ..pair.clone() }
    }
    fn changed(&self, pair: &Eigenpair) -> f64 {
        let Some(s) = pair.value() else { return 0.0 };
        let size = |x: &[c64]| x.iter().map(|x| abs(*x)).collect::<Vec<f64>>();
        let (x, y) = (size(&pair.right), size(&pair.left));
        let weights = [s.norm_sqr(), abs(s), 1.0];
        let terms: f64 =
            self.apart.off.iter().zip(weights).map(|(d, w)| w * dense::dot(&y, &dense::matvec(d, &x))).sum();
        let of_zeros = dense::dot(&y, &dense::matvec(&self.left, &x[x.len() - self.apart.k..]));
        let terms = if of_zeros > 0.0 && weights[1] > 0.0 { terms + of_zeros / weights[1] } else { terms };
        let QuadraticPencil { m, c, .. } = &self.apart.pencil;
        let slope = abs(inner(&pair.left, &slope(m, c, s, &pair.right)));
        // A chain that is left moves by a root of the change.
        let first_order = terms / slope;
        if terms == 0.0 {
            0.0
        } else if first_order.is_finite() && pair.chain == 1 {
            first_order
        } else {
            (terms / norms::max_abs_vec(&x).max(f64::MIN_POSITIVE)).sqrt().max(pair.error_bound)
        }
    }
}

/// What may be left of T^T K Z: nothing of directions that are exact, the first `known` and those whose entries are 0 and 1; of others what
/// they leave, and what rounding of K and what it is `off` by make.
fn left(
    t: &Dense,
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    zeros: &Dense,
    known: usize,
    off: &Dense,
) -> Dense {
    let force = dense::mul(&pencil.k, zeros);
    let rest =
        basis.null().map_or_else(|| force.clone(), |r| dense::mul(r, &dense::mul_transpose(r, &force)));
    let entries = dense::add(tuning::SUM_ROUNDINGS, &vectors::magnitudes(&pencil.k), 1.0, off);
    let made = dense::mul(&entries, &vectors::magnitudes(zeros));
    let both = dense::add(1.0, &vectors::magnitudes(&rest), 1.0, &made);
    let all = dense::mul_transpose(&vectors::magnitudes(t), &both);
    Dense::from_fn(all.nrows(), all.ncols(), |i, j| {
        if j < known || is_exact(zeros.col_as_slice(j)) { 0.0 } else { all[(i, j)] }
    })
}

/// The zeros of Z as eigenpairs: their values are exact.
fn exact(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    zeros: &Dense,
) -> Result<Vec<Eigenpair>, EigenError> {
    let svd = Svd::new(&basis.reduce(&pencil.k)).map_err(at("Left vectors of known zeros"))?;
    let size = svd.u.ncols();
    let mut out = Vec::new();
    for j in 0..zeros.ncols() {
        let mut right = vectors::complex(zeros.col_as_slice(j));
        vectors::normalize(&mut right);
        let own = svd.u.col_as_slice(size - zeros.ncols() + j);
        let left = vectors::complex(&basis.null().map_or_else(|| own.to_vec(), |r| dense::matvec(r, own)));
        let forces = vectors::Block::new(pencil.k.nrows(), &[dense::matvec_complex(&pencil.k, &right)]);
        let multipliers = basis.multipliers(&forces, 1).swap_remove(0);
        out.push(Eigenpair {
            alpha: ZERO,
            beta: 1.0,
            multipliers: multipliers.into(),
            left_multipliers: vec![ZERO; pencil.phi_q.nrows()].into(),
            right: right.into(),
            left: left.into(),
            backward_error: 0.0,
            constraint_violation: 0.0,
            condition: f64::INFINITY,
            error_bound: 0.0,
            chain: 1,
            penalty_share: None,
            class: Class::Rigid,
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A free chain of three masses: the uniform shift is known, its second zero is found with a bound of rounding, and the
    /// oscillations are those of the closed form.
    #[test]
    fn a_free_chain_with_its_shift_known() {
        let k = dense::from_rows(&[&[1.0, -1.0, 0.0], &[-1.0, 2.0, -1.0], &[0.0, -1.0, 1.0]]);
        let pencil =
            QuadraticPencil { m: dense::identity(3), c: dense::zeros(3, 3), k, phi_q: dense::zeros(0, 3) };
        let shift = Dense::from_fn(3, 1, |_, _| 1.0);
        let none: [Dense; 3] = std::array::from_fn(|_| dense::zeros(3, 3));
        let found = solve_with_zeros(&pencil, &shift, &none, &DenseOptions::default()).unwrap().unwrap();
        assert_eq!((found.counts.found.rigid, found.counts.found.physical), (2, 4), "{:?}", found.findings);
        assert_eq!(found.counts.mismatches(), []);
        for pair in &found.eigenpairs {
            let w = pair.value().unwrap().im.abs();
            let least =
                [0.0, 1.0, 3.0_f64.sqrt()].iter().map(|x| (x - w).abs()).fold(f64::INFINITY, f64::min);
            assert!(least <= pair.error_bound && pair.error_bound < 1e-13, "{w} {}", pair.error_bound);
        }
    }

    /// A direction that is no zero of the matrices is refused by the counts or not taken for one.
    #[test]
    fn directions_that_depend_on_each_other_are_refused() {
        let pencil = QuadraticPencil {
            m: dense::identity(2),
            c: dense::zeros(2, 2),
            k: dense::zeros(2, 2),
            phi_q: dense::zeros(0, 2),
        };
        let twice = Dense::from_fn(2, 2, |_, _| 1.0);
        let none: [Dense; 3] = std::array::from_fn(|_| dense::zeros(2, 2));
        assert!(solve_with_zeros(&pencil, &twice, &none, &DenseOptions::default()).unwrap().is_none());
    }
}
