//! A problem without zeros that are known and those behind them, for methods that improve one eigenpair after the other: near zeros nothing
//! else distinguishes a slow eigenvalue from them.

use mb_algebra::{Dense, QuadraticPencil, c64, dense, norms};

use super::completed::Completed;
use super::constraint_basis::ConstraintBasis;
use super::kernel::{Given, Kernel};
use super::known_zeros::Level;
use crate::{Class, DenseOptions, EigenError, Eigenpair, tuning};

/// A zero with a second one of its vector,
///
/// ```text
/// K first + Phi_q^T l = 0,   K second + C first + Phi_q^T l' = 0,   Phi_q first = Phi_q second = 0
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ZeroChain {
    /// n, a combination of the zeros that are known.
    pub first: Vec<f64>,
    /// n.
    pub second: Vec<f64>,
}

/// A problem of the same form without its zeros, and the way to it and back (`apart`, with J = 0).
pub struct WithoutZeros {
    levels: Vec<Level>,
}

impl WithoutZeros {
    /// `zeros`, `off`: as those of [`super::solve_with_zeros`]; `chains`: second zeros that are known in the same way, of `second` that there
    /// are. Both are those of the model behind the matrices up to rounding of their largest entries. Where there are more second zeros they are
    /// null directions of what comes out, and are taken apart in turn; a mode that passes zero is one too, but none of so many. None where the
    /// directions are no zeros of the matrices as given, or chains of zeros are long.
    ///
    /// # Errors
    /// Those of decompositions that do not converge.
    pub fn new(
        pencil: &QuadraticPencil,
        zeros: &Dense,
        chains: &[ZeroChain],
        second: usize,
        off: &[Dense; 3],
        options: &DenseOptions,
    ) -> Result<Option<Self>, EigenError> {
        let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
        let mut next = Level::new(pencil, &basis, zeros, zeros.ncols(), 0, off, tuning::SQRT_EPS);
        let (mut levels, mut missing) = (Vec::new(), second);
        while let Some(level) = next {
            let basis = ConstraintBasis::new(&level.apart.pencil.phi_q, options.constraint_rank)?;
            let known = if levels.is_empty() { seconds(&level, chains) } else { Vec::new() };
            let (left, known) = if known.len() >= missing {
                (dense::from_columns(zeros.nrows(), &known[..missing]), missing)
            } else {
                with_known(&null_directions(&level, &basis, missing, options)?, known)
            };
            next = Level::behind(&level, &basis, &left, known);
            levels.push(level);
            missing = missing.saturating_sub(left.ncols());
            if left.ncols() == 0 {
                return Ok(Some(Self { levels }));
            }
            if levels.len() == tuning::ATTEMPTS {
                break;
            }
        }
        Ok(None)
    }

    /// Without the zeros: n unknowns, whose M is singular, and the same rows.
    pub fn pencil(&self) -> &QuadraticPencil {
        &self.levels[self.levels.len() - 1].apart.pencil
    }

    /// A vector of s in the unknowns of that problem; none where the zeros depend on each other.
    ///
    /// ```text
    /// x = W b + Z p / s
    /// ```
    pub fn start(&self, s: c64, x: &[c64]) -> Option<Vec<c64>> {
        let mut out = x.to_vec();
        for level in &self.levels {
            let Completed { others, .. } = &level.apart.completed;
            let q = level.apart.completed.coefficients()?;
            let [re, im] = [|x: &c64| x.re, |x: &c64| x.im]
                .map(|part| q.solve(&out.iter().map(part).collect::<Vec<f64>>()));
            let q: Vec<c64> = re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect();
            let z = level.apart.completed.directions();
            let along = |i: usize| q.iter().enumerate().map(|(j, q)| q * z[(i, j)]).sum::<c64>();
            let b = others.iter().map(|i| out[*i] - along(*i));
            out = b.chain(q.iter().map(|q| q * s)).collect();
        }
        Some(out)
    }

    /// The eigenpair of s with the right vector x and the left one y of that problem, y^H (2 s M + C) x = 1 there, in all coordinates and
    /// without multipliers; its error bound is `own` with what rounding of the matrices makes.
    pub fn back(&self, s: c64, right: &[c64], left: &[c64], own: f64) -> Eigenpair {
        let none = || Vec::new().into();
        let pair = Eigenpair {
            alpha: s,
            beta: 1.0,
            right: right.to_vec().into(),
            multipliers: none(),
            left: left.to_vec().into(),
            left_multipliers: none(),
            backward_error: 0.0,
            constraint_violation: 0.0,
            condition: f64::INFINITY,
            error_bound: own,
            chain: 1,
            penalty_share: None,
            class: Class::Physical,
        };
        let widened = self.levels[self.levels.len() - 1].widened(&pair);
        self.levels.iter().rev().fold(widened, |pair, level| level.apart.back(&pair))
    }
}

/// At most so many null directions of K on the null space of the rows.
fn null_directions(
    level: &Level,
    basis: &ConstraintBasis,
    most: usize,
    options: &DenseOptions,
) -> Result<Dense, EigenError> {
    let k = &level.apart.pencil.k;
    let given = Given { a: k, lift: basis.null(), lift_left: None };
    let null = Kernel::find_most(&basis.reduce(k), given, options.zero_tolerance, Some(most))?.right;
    Ok(basis.null().map_or_else(|| null.clone(), |r| dense::mul(r, &null)))
}

/// Second zeros in the unknowns (b, p) of the problem without the first ones: x = W b + Z q and `first` = Z p. Those whose `first` is no
/// combination of Z are left out.
fn seconds(level: &Level, chains: &[ZeroChain]) -> Vec<Vec<f64>> {
    let (z, Some(of)) = (level.apart.completed.directions(), level.apart.completed.coefficients()) else {
        return Vec::new();
    };
    let without = |x: &[f64], q: &[f64]| -> Vec<f64> {
        x.iter().zip(dense::matvec(&z, q)).map(|(x, along)| x - along).collect()
    };
    let one = |chain: &ZeroChain| {
        let (p, q) = (of.solve(&chain.first), of.solve(&chain.second));
        let rest = norms::max_abs_vec(&without(&chain.first, &p));
        let b = without(&chain.second, &q);
        let out: Vec<f64> = level.apart.completed.others.iter().map(|i| b[*i]).chain(p).collect();
        (rest <= tuning::SUM_ROUNDINGS * norms::max_abs_vec(&chain.first)).then_some(out)
    };
    chains.iter().filter_map(one).collect()
}

/// Null directions with those that are known in the place of as many, which come first; none are known that are no combinations of the others.
fn with_known(null: &Dense, known: Vec<Vec<f64>>) -> (Dense, usize) {
    let along = |basis: &Dense, x: &[f64]| dense::matvec(basis, &dense::matvec_transpose(basis, x));
    let is_null = |x: &Vec<f64>| {
        let rest: Vec<f64> = x.iter().zip(along(null, x)).map(|(x, y)| x - y).collect();
        norms::two(&rest) <= tuning::SQRT_EPS * norms::two(x)
    };
    let mut out: Vec<Vec<f64>> = known.into_iter().filter(is_null).collect();
    let count = out.len();
    // What the known ones leave of the others, one after the other.
    let mut unit: Vec<Vec<f64>> = Vec::new();
    let mut independent = |x: &[f64]| {
        let mut rest = x.to_vec();
        for other in &unit {
            let part = dense::dot(&rest, other);
            rest.iter_mut().zip(other).for_each(|(r, o)| *r -= part * o);
        }
        let length = norms::two(&rest);
        let adds = length > tuning::SQRT_EPS * norms::two(x);
        if adds {
            unit.push(rest.iter().map(|r| r / length).collect());
        }
        adds.then(|| unit[unit.len() - 1].clone())
    };
    if !out.iter().all(|x| independent(x).is_some()) {
        return (null.clone(), 0);
    }
    let columns: Vec<&[f64]> = (0..null.ncols()).map(|j| null.col_as_slice(j)).collect();
    for x in columns {
        if out.len() < null.ncols() {
            out.extend(independent(x));
        }
    }
    (dense::from_columns(null.nrows(), &out), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body that drifts with a damped one on a soft spring beside it, 2 x0'' + x1'' = 0 and x0'' + x1'' + x1' + k x1 = 0: next to the double
    /// zero of the drift the roots of s^2 / 2 + s + k, one of which is nearly zero, with all their digits.
    #[test]
    fn a_slow_rate_beside_a_drift_keeps_its_digits() {
        let k = 1e-10;
        let pencil = QuadraticPencil {
            m: dense::from_rows(&[&[2.0, 1.0], &[1.0, 1.0]]),
            c: dense::from_rows(&[&[0.0, 0.0], &[0.0, 1.0]]),
            k: dense::from_rows(&[&[0.0, 0.0], &[0.0, k]]),
            phi_q: dense::zeros(0, 2),
        };
        let shift = Dense::from_fn(2, 1, |i, _| if i == 0 { 1.0 } else { 0.0 });
        let drift = ZeroChain { first: vec![1.0, 0.0], second: vec![0.0, 0.0] };
        let none: [Dense; 3] = std::array::from_fn(|_| dense::zeros(2, 2));
        let options = DenseOptions::default();
        let fast = -1.0 - (1.0 - 2.0 * k).sqrt();
        let roots = [fast, 2.0 * k / fast];
        // Found by the null directions of the matrices, or known.
        for chains in [&[][..], &[drift]] {
            let without = WithoutZeros::new(&pencil, &shift, chains, 1, &none, &options).unwrap().unwrap();
            let found = crate::dense::solve(without.pencil(), &options).unwrap();
            assert_eq!(found.of_class(Class::Rigid).count(), 0);
            let physical: Vec<&Eigenpair> = found.of_class(Class::Physical).collect();
            assert_eq!(physical.len(), 2);
            for pair in physical {
                let s = pair.value().unwrap();
                let off = |root: &f64| (s - c64::new(*root, 0.0)).norm();
                let exact = roots.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap();
                let all = without.back(s, &pair.right, &pair.left, pair.error_bound);
                assert!(off(&exact) <= all.error_bound, "{s} {:e}", all.error_bound);
                assert!(all.error_bound < 1e-13 * exact.abs(), "{s} {:e}", all.error_bound);
                // 2 x0 + x1 = 0, with what rounding of p leaves of p / s, and the way to it leads back.
                let momentum = (all.right[0] * 2.0 + all.right[1]).norm();
                assert!(momentum < 1e-13 + 1e-15 / s.norm(), "{momentum:e}");
                let start = without.start(s, &all.right).unwrap();
                let at =
                    (0..start.len()).max_by(|i, j| pair.right[*i].norm().total_cmp(&pair.right[*j].norm()));
                let ratio = start[at.unwrap()] / pair.right[at.unwrap()];
                let apart = start.iter().zip(pair.right.iter()).map(|(x, y)| (x - y * ratio).norm());
                assert!(apart.fold(0.0, f64::max) < 1e-12 * ratio.norm());
            }
        }
    }

    #[test]
    fn directions_that_are_no_zeros_are_refused() {
        let pencil = QuadraticPencil {
            m: dense::identity(2),
            c: dense::zeros(2, 2),
            k: dense::identity(2),
            phi_q: dense::zeros(0, 2),
        };
        let none: [Dense; 3] = std::array::from_fn(|_| dense::zeros(2, 2));
        let first = Dense::from_fn(2, 1, |i, _| if i == 0 { 1.0 } else { 0.0 });
        assert!(
            WithoutZeros::new(&pencil, &first, &[], 0, &none, &DenseOptions::default()).unwrap().is_none()
        );
    }
}
