//! Eigenvalues +-i w that are known with their vectors, as those of a free body that is seen from a frame which turns with w: directions
//! Z = [a b] along which y = Z exp(J t) u is a motion for every u, whatever the entries have been rounded to,
//!
//! ```text
//! K Z + C Z J + M Z J^2 + Phi_q^T l = 0,   Phi_q Z = 0,   J = [0 w; -w 0]
//! ```
//!
//! With T = [W Z], W unit vectors of the other coordinates, and x = W b + Z (s - J)^-1 p,
//!
//! ```text
//! T^T (s^2 M + s C + K) x + (Phi_q T)^T l = (s^2 M' + s C' + K') (b, p) + Phi'^T l
//! M' = T^T [M W  0],   C' = T^T [C W  M Z],   K' = T^T [K W  C Z + M Z J],   Phi' = [Phi_q W  0]
//! ```
//!
//! is a problem of the same form without these eigenvalues, as for zeros (`known_zeros`), where J = 0. What coincides with them, a drift
//! that is a second value of the same vector, has a vector of its own there.

use mb_algebra::{Dense, DenseC, Lu, LuComplex, QuadraticPencil, c64, dense, norms};

use super::completed::Completed;
use super::constraint_basis::ConstraintBasis;
use super::known_zeros::{beside, exact_part, of_class, rates};
use super::solve_with_zeros;
use crate::numeric::vectors::{self, abs, inner};
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
        (Some(found), Some(alone)) => Some(narrower(found, alone)),
        (found, alone) => found.or(alone),
    })
}

/// A spectrum with the physical eigenpairs of another where their bounds are narrower: far from the pairs the problem with them has less
/// rounding of its own.
fn narrower(mut found: Spectrum, other: Spectrum) -> Spectrum {
    let mut others: Vec<Eigenpair> =
        other.eigenpairs.into_iter().filter(|pair| pair.class == Class::Physical).collect();
    for pair in found.eigenpairs.iter_mut().filter(|pair| pair.class == Class::Physical) {
        let away = |other: &Eigenpair| match (pair.value(), other.value()) {
            (Some(a), Some(b)) => abs(a - b),
            _ => f64::INFINITY,
        };
        let nearest = (0..others.len()).min_by(|i, j| away(&others[*i]).total_cmp(&away(&others[*j])));
        let same = nearest.filter(|i| away(&others[*i]) <= pair.error_bound + others[*i].error_bound);
        if let Some(other) = same.map(|i| others.swap_remove(i))
            && other.error_bound < pair.error_bound
        {
            *pair = other;
        }
    }
    found
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
    let Some(apart) = Apart::new(pencil, pairs, off) else { return Ok(None) };
    let k = apart.k;
    let Some(seen) = apart.zeros(zeros) else { return Ok(None) };
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

/// A problem without some pairs, and the way back to that with them.
struct Apart {
    pencil: QuadraticPencil,
    off: [Dense; 3],
    completed: Completed,
    /// M and C with the pairs.
    rates: [Dense; 2],
    /// w of each two columns of Z.
    speeds: Vec<f64>,
    k: usize,
}

impl Apart {
    /// None where the directions depend on each other, or are none of the matrices.
    fn new(pencil: &QuadraticPencil, pairs: &[TurningPair], off: &[Dense; 3]) -> Option<Self> {
        let columns: Vec<&Dense> = pairs.iter().map(|pair| &pair.directions).collect();
        let speeds: Vec<f64> = pairs.iter().map(|pair| pair.rate).collect();
        let z = dense::hstack(&columns);
        let k = z.ncols();
        let completed = Completed::of(&z, &pencil.m, 0)?;
        let w = completed.others_of_identity();
        let t = &completed.t;
        let turned = in_turn(&z, &speeds);
        let products = |first: &Dense, of_b: &Dense| {
            dense::mul_transpose(t, &dense::hstack(&[&dense::mul(of_b, &w), first]))
        };
        let mz = dense::mul(&pencil.m, &z);
        let force = &dense::mul(&pencil.c, &z) + &dense::mul(&pencil.m, &turned);
        let none = Dense::zeros(z.nrows(), k);
        // Rounding of the sums, of a direction that is no axis as well.
        let size = rounded_size(&z);
        let entries =
            |a: &Dense, off: &Dense| dense::add(tuning::SUM_ROUNDINGS, &vectors::magnitudes(a), 1.0, off);
        let [em, ec, ek] = [(&pencil.m, &off[0]), (&pencil.c, &off[1]), (&pencil.k, &off[2])]
            .map(|(a, off)| entries(a, off));
        let abs_t = vectors::magnitudes(t);
        let made = |first: &Dense, of_b: &Dense| {
            dense::mul_transpose(&abs_t, &dense::hstack(&[&dense::mul(of_b, &w), first]))
        };
        let of_force =
            &dense::mul(&ec, &size) + &dense::mul(&em, &vectors::magnitudes(&in_turn(&size, &speeds)));
        let off = [made(&none, &em), made(&dense::mul(&em, &size), &ec), made(&of_force, &ek)];
        let pencil_apart = QuadraticPencil {
            m: exact_part(&products(&none, &pencil.m), &off[0]),
            c: exact_part(&products(&mz, &pencil.c), &off[1]),
            k: exact_part(&products(&force, &pencil.k), &off[2]),
            phi_q: dense::hstack(&[&dense::mul(&pencil.phi_q, &w), &Dense::zeros(pencil.phi_q.nrows(), k)]),
        };
        let rates = [pencil.m.clone(), pencil.c.clone()];
        Some(Self { pencil: pencil_apart, off, completed, rates, speeds, k })
    }
    /// Zeros of the whole problem in the unknowns (b, p): x = W b + Z u with p = -J u.
    fn zeros(&self, zeros: &Dense) -> Option<Dense> {
        let Completed { t, taken, others } = &self.completed;
        let (n, k) = (t.nrows(), self.k);
        let z = vectors::column_range(t, n - k, n);
        let lu = Lu::new(&dense::select_rows(&z, taken)).ok()?;
        let mut out = Dense::zeros(n, zeros.ncols());
        for j in 0..zeros.ncols() {
            let x = zeros.col_as_slice(j);
            let u = lu.solve(&taken.iter().map(|i| x[*i]).collect::<Vec<f64>>());
            for (i, speed) in self.speeds.iter().enumerate() {
                (out[(n - k + 2 * i, j)], out[(n - k + 2 * i + 1, j)]) =
                    (-speed * u[2 * i + 1], speed * u[2 * i]);
            }
            for (row, i) in others.iter().enumerate() {
                out[(row, j)] = x[*i] - (0..k).map(|c| z[(*i, c)] * u[c]).sum::<f64>();
            }
        }
        Some(out)
    }
    /// The eigenpair in all coordinates.
    fn back(&self, pair: &Eigenpair) -> Eigenpair {
        let (b, p) = pair.right.split_at(pair.right.len() - self.k);
        let mut out = pair.clone();
        let mut turned: Vec<c64> = vec![vectors::ZERO; self.k];
        let mut share = c64::new(1.0, 0.0);
        if let Some(s) = pair.value() {
            // (s - J)^-1 p times the distance to the nearest of the eigenvalues of J.
            let away = |w: &f64| [s - c64::new(0.0, *w), s + c64::new(0.0, *w)];
            let all = self.speeds.iter().flat_map(away);
            share = all.min_by(|x, y| abs(*x).total_cmp(&abs(*y))).unwrap_or(share);
            for (i, w) in self.speeds.iter().enumerate() {
                let [plus, minus] = away(w);
                // share / (plus minus), without the small factor where it is one of them.
                let by = if plus == share {
                    minus.inv()
                } else if minus == share {
                    plus.inv()
                } else {
                    share / (plus * minus)
                };
                turned[2 * i] = by * (s * p[2 * i] + p[2 * i + 1] * *w);
                turned[2 * i + 1] = by * (s * p[2 * i + 1] - p[2 * i] * *w);
            }
        }
        let both: Vec<c64> = b.iter().map(|b| b * share).chain(turned).collect();
        let mut right = dense::matvec_complex(&self.completed.t, &both);
        let largest = (0..right.len()).max_by(|i, j| abs(right[*i]).total_cmp(&abs(right[*j]))).unwrap_or(0);
        let before = right[largest];
        vectors::normalize(&mut right);
        let factor = if abs(before) > 0.0 { right[largest] / before * share } else { share };
        let mut left = dense::matvec_complex(&self.completed.t, &pair.left);
        let slope = pair.value().map(|s| inner(&left, &rates(&self.rates, s, &right)));
        let size = norms::two_complex(&left);
        let unit = match slope.filter(|slope| abs(*slope) > 0.0 && pair.class == Class::Physical) {
            Some(slope) => slope.conj().inv(),
            None => c64::new(if size > 0.0 { size.recip() } else { 1.0 }, 0.0),
        };
        vectors::scale(&mut left, unit);
        let scaled = |x: &[c64], by: c64| -> Vec<c64> { x.iter().map(|x| x * by).collect() };
        out.multipliers = scaled(&pair.multipliers, factor).into();
        out.left_multipliers = scaled(&pair.left_multipliers, unit).into();
        (out.right, out.left) = (right.into(), left.into());
        out
    }
}

/// Z J.
fn in_turn(z: &Dense, speeds: &[f64]) -> Dense {
    Dense::from_fn(z.nrows(), z.ncols(), |i, j| {
        let w = speeds[j / 2];
        if j % 2 == 0 { -w * z[(i, j + 1)] } else { w * z[(i, j - 1)] }
    })
}

/// Magnitudes of the entries of directions with what rounding of them is relative to: of one that is no axis, the largest entry.
fn rounded_size(z: &Dense) -> Dense {
    let axis = |j: usize| z.col_as_slice(j).iter().all(|x| [0.0, 1.0].contains(&x.abs()));
    let largest: Vec<f64> =
        (0..z.ncols()).map(|j| if axis(j) { 0.0 } else { norms::max_abs_vec(z.col_as_slice(j)) }).collect();
    Dense::from_fn(z.nrows(), z.ncols(), |i, j| z[(i, j)].abs() + largest[j])
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
