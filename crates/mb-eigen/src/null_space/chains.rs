//! Zero eigenvalues of a damped, gyroscopic or unsymmetric problem with their chains, from its null spaces ([`super::general`]).
//!
//! With x in the right and y in the left null space:
//!
//! ```text
//! y^T C x regular: one zero each;   y^T C x = 0: two zeros that share x, with K x_1 + Phi_q^T l_1 = -C x
//! ```
//!
//! (Gohberg, Lancaster, Rodman, Matrix Polynomials, section 1.4). Without C every null direction gives two zeros.
//! Longer chains are reported, not followed. Sizes: x of length n.

use mb_algebra::{Dense, Lu, Svd, norms};

use super::forms::Form;
use super::general::{NullSpace, weight, weighted};
use super::orthonormal::orthonormal;
use crate::EigenError;
use crate::error::at;
use crate::krylov::scalar::{Scalar, hstack, product, start_block, subtract};
use crate::numeric::vectors::{column_range, magnitudes};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::transform::factors::{Effort, ShiftSolve};
use crate::tuning;

/// Zeros with their vectors; s^2 M + s C + K at s = 0.
#[derive(Clone, Debug)]
pub(crate) struct ZeroEigenvalues {
    /// Right and left vectors of simple zeros.
    pub(crate) simple: [Vectors; 2],
    /// Right and left vectors of double zeros.
    pub(crate) double: [Vectors; 2],
    /// x_1 of the double zeros, n x p_2.
    pub(crate) generalized: Dense,
    /// |y^T (M x + C x_1)| for vectors of length one.
    pub(crate) curvatures: Vec<f64>,
    /// Whether no chain is longer than two, and x_1 of those of two were found.
    pub(crate) regular: bool,
}

/// Vectors with their multipliers.
#[derive(Clone, Debug)]
pub(crate) struct Vectors {
    pub(crate) x: Dense,
    pub(crate) l: Dense,
}

impl Vectors {
    fn of(null: &NullSpace) -> Self {
        Self { x: null.x.clone(), l: null.l.clone() }
    }

    fn turned(&self, by: &Dense) -> Self {
        Self { x: product(self.x.as_ref(), by.as_ref()), l: product(self.l.as_ref(), by.as_ref()) }
    }
}

/// Splits null directions into simple and double zeros; `solver` holds S of the problem at `a`.
///
/// `moved_by`: W and Z of [`first_order`] for both. A change dK of K moves the form that tells which zeros are double, by two terms that
/// cancel where X = Y, as for a symmetric K, for which they are not given; a term of second order is left then:
///
/// ```text
/// d(Y^T C X) = Z^T dK X + Y^T dK W,   |dK| <= u |K|;   X = Y:   dX^T C dX,   K dX = -dK X
/// ```
pub(crate) fn split(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    a: f64,
    [right, left]: [&NullSpace; 2],
    moved_by: Option<[&Dense; 2]>,
) -> Result<ZeroEigenvalues, EigenError> {
    let p = right.x.ncols().min(left.x.ncols());
    let moved_by = if let Some([w, z]) = moved_by {
        let of = |y: &Dense, x: &Dense| magnitude_form(&problem.k, y, x);
        mb_algebra::dense::add(1.0, &of(z, &right.x), 1.0, &of(&left.x, w))
    } else {
        let off = off_null_space(problem, solver, right)?;
        let form = magnitude_form(&problem.c, &off, &off);
        // The form takes 16 u of what it is given.
        Dense::from_fn(p, p, |i, j| form[(i, j)] / tuning::SUM_ROUNDINGS)
    };
    parted(problem, [right, left], Some(&moved_by), |simple, double| {
        if problem.m.is_zero() {
            partners(problem, solver, a, &simple.x, &double.x)
        } else {
            Ok(generalized(problem, solver, a, right, &problem.c.mul(&double.x))?.settled())
        }
    })
}

/// The same of independent null directions of a symmetric problem with masses, without multipliers and exact, which need not be all: none where
/// others decide which are double.
///
/// Of a direction that C does not meet, C x = 0, the chain ends with x_1 = 0; one on which dampers work, x^T C x != 0, is a simple zero.
pub(crate) fn split_known(problem: &Problem, x: &Dense) -> Result<Option<ZeroEigenvalues>, EigenError> {
    let x = orthonormal(&Dense::zeros(problem.n, 0), weighted(problem, x.clone()));
    let null =
        NullSpace { l: Dense::zeros(problem.rows.rank, x.ncols()), x, known: 0, next: None, doubtful: false };
    let found = parted(problem, [&null, &null], None, |_, double| {
        Ok(is_rounding(problem, &problem.c.mul(&double.x), &double.x)
            .then(|| Dense::zeros(problem.n, double.x.ncols())))
    })?;
    Ok(found.regular.then_some(found))
}

/// Null directions as simple and double zeros; `partners`: x_1 of the double ones, given both.
fn parted(
    problem: &Problem,
    [right, left]: [&NullSpace; 2],
    moved_by: Option<&Dense>,
    partners: impl FnOnce(&Vectors, &Vectors) -> Result<Option<Dense>, EigenError>,
) -> Result<ZeroEigenvalues, EigenError> {
    let error = at("Jordan chains of zero eigenvalues");
    let p = right.x.ncols().min(left.x.ncols());
    let form = Form::new(problem, &[(&problem.c, &right.x)], &left.x, moved_by);
    let svd = Svd::new(&form.even).map_err(&error)?;
    let simple = svd.s.iter().take_while(|s| **s > tuning::EPS_3_4).count();
    let parts = |from: usize, to: usize| {
        let part = |a: &Dense| column_range(a, from, to);
        let [of_right, of_left] = form.turns([&right.x, &left.x], [&part(&svd.v), &part(&svd.u)]);
        [Vectors::of(right).turned(&of_right), Vectors::of(left).turned(&of_left)]
    };
    let (simple_vectors, double) = (parts(0, simple), parts(simple, p));
    let found = partners(&simple_vectors[0], &double[0])?;
    let settled = found.is_some();
    let generalized = found.unwrap_or_else(|| Dense::zeros(problem.n, p - simple));
    let terms = [(&problem.m, &double[0].x), (&problem.c, &generalized)];
    let form = Form::new(problem, &terms, &double[1].x, None);
    let inner = Svd::new(&form.even).map_err(&error)?;
    let regular = settled && inner.s.iter().all(|s| *s > tuning::EPS_3_4);
    let [of_right, of_left] = form.turns([&double[0].x, &double[1].x], [&inner.v, &inner.u]);
    let turned = [double[0].turned(&of_right), double[1].turned(&of_left)];
    let generalized = product(generalized.as_ref(), of_right.as_ref());
    let curvatures = form.along([&of_right, &of_left]);
    Ok(ZeroEigenvalues { simple: simple_vectors, double: turned, generalized, curvatures, regular })
}

/// About how far null vectors are from the null space, dX without a share of it: by what one more step takes out of them, most of what is left
/// of other directions, and by rounding of K X.
///
/// ```text
/// N X - X = -S^-1 (K X + Phi_q^T L);   S dX = E,  |E| about 16 u (|K| |X| + |Phi_q|^T |L|), with signs that are the same on every machine
/// ```
fn off_null_space(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    null: &NullSpace,
) -> Result<Dense, EigenError> {
    let (x, l) = (magnitudes(&null.x), magnitudes(&null.l));
    let mut forces = start_block::<f64>(problem.n, x.ncols(), 0x6e10);
    for j in 0..x.ncols() {
        let of_x = problem.k.magnitude(x.col_as_slice(j));
        let of_l = problem.rows.independent.magnitude_transpose(l.col_as_slice(j));
        let sizes = of_x.iter().zip(of_l).map(|(x, l)| tuning::SUM_ROUNDINGS * (x + l));
        forces.col_as_slice_mut(j).iter_mut().zip(sizes).for_each(|(f, size)| *f *= size);
    }
    let basis = orthonormal(&Dense::zeros(problem.n, 0), null.x.clone());
    let mut out = Dense::zeros(problem.n, x.ncols());
    for f in [problem.k.mul(&null.x), forces] {
        let mut dx = solver.solve(&f, false, Effort::Final)?.x;
        let share = f64::adjoint_product(basis.as_ref(), dx.as_ref());
        subtract(&mut dx, basis.as_ref(), share.as_ref());
        out += magnitudes(&dx) * faer::Scale(LEFT_BY_A_STEP);
    }
    (0..null.known).for_each(|j| out.col_as_slice_mut(j).fill(0.0));
    Ok(out)
}

/// Share of other directions in a null vector over what one step takes out, where the lowest of them is as near to the shift as the search for
/// zeros allows: (1 + kappa) / kappa with kappa = 0.5, |N x - x| on them.
const LEFT_BY_A_STEP: f64 = 3.0;

/// |Y|^T |A| |X|.
fn magnitude_form(a: &Matrix, y: &Dense, x: &Dense) -> Dense {
    let (y, sizes) = (magnitudes(y), magnitudes(x));
    let mut of_x = Dense::zeros(y.nrows(), x.ncols());
    for j in 0..x.ncols() {
        of_x.col_as_slice_mut(j).copy_from_slice(&a.magnitude(sizes.col_as_slice(j)));
    }
    f64::adjoint_product(y.as_ref(), of_x.as_ref())
}

/// Solutions of an iteration, and the change in its last step relative to them.
struct Iterated {
    x: Dense,
    moved: f64,
}

impl Iterated {
    /// None where the iteration does not settle: an eigenvalue lies near to the shift.
    fn settled(self) -> Option<Dense> {
        // Change of x_1 in the last step, relative, above which it is no solution.
        (self.moved <= tuning::SQRT_EPS).then_some(self.x)
    }
}

/// About W with K W + Phi_q^T L = -C X, but for forces D X G that keep it from growing along null directions:
///
/// ```text
/// Y^T (C X - D X G) = 0
/// ```
pub(crate) fn first_order(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    a: f64,
    [right, left]: [&NullSpace; 2],
) -> Result<Dense, EigenError> {
    let mut force = problem.c.mul(&right.x);
    let of_weight = weight(problem, a, &right.x);
    let gram = |f: &Dense| f64::adjoint_product(left.x.as_ref(), f.as_ref());
    if right.x.ncols() == left.x.ncols()
        && let Ok(lu) = Lu::new(&gram(&of_weight))
    {
        let g = lu.solve_mat(&gram(&force));
        subtract(&mut force, of_weight.as_ref(), g.as_ref());
    }
    Ok(generalized(problem, solver, a, right, &force)?.x)
}

/// Whether C X is what rounding leaves of it, which gives no x_1.
fn is_rounding(problem: &Problem, cx: &Dense, x: &Dense) -> bool {
    norms::max_abs(cx) <= tuning::MANY_ROUNDINGS * problem.c.norm * norms::max_abs(x)
}

/// X_1 of chains of two, K X_1 + Phi_q^T L_1 = -F for the forces F = C X, without a share of null directions.
fn generalized(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    a: f64,
    right: &NullSpace,
    force: &Dense,
) -> Result<Iterated, EigenError> {
    let mut out = Dense::zeros(problem.n, force.ncols());
    if is_rounding(problem, force, &right.x) {
        return Ok(Iterated { x: out, moved: 0.0 });
    }
    let basis = orthonormal(&Dense::zeros(problem.n, 0), right.x.clone());
    let mut moved = 1.0;
    // x_1 = S^-1 (D x_1 - C x), the fixed point of K x_1 = -C x; null directions are taken out as they appear.
    for _ in 0..tuning::STEPS {
        let mut f = weight(problem, a, &out);
        for j in 0..f.ncols() {
            f.col_as_slice_mut(j).iter_mut().zip(force.col_as_slice(j)).for_each(|(f, c)| *f -= c);
        }
        let mut next = solver.solve(&f, false, Effort::Final)?.x;
        let c = f64::adjoint_product(basis.as_ref(), next.as_ref());
        subtract(&mut next, basis.as_ref(), c.as_ref());
        let change = Dense::from_fn(problem.n, next.ncols(), |i, j| next[(i, j)] - out[(i, j)]);
        moved = norms::max_abs(&change) / norms::max_abs(&next).max(f64::MIN_POSITIVE);
        out = next;
        if moved <= 4.0 * f64::EPSILON {
            break;
        }
    }
    Ok(Iterated { x: out, moved })
}

/// The same without mass, where x and x_1 are both in the subspace that N leaves as it is, and no fixed point distinguishes x_1 from zero:
///
/// ```text
/// N x = x,  N x_1 = x_1 + x / a;   N W = W + X H for W in that subspace without a share of X:   x_1 = W H^-1 / a
/// ```
///
/// All other directions shrink under N as a / |s - a|; where an eigenvalue lies too near to the shift for that there are none.
fn partners(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    a: f64,
    simple: &Dense,
    double: &Dense,
) -> Result<Option<Dense>, EigenError> {
    let (n, count) = (problem.n, double.ncols());
    let nothing = Dense::zeros(n, 0);
    if count == 0 {
        return Ok(Some(nothing));
    }
    let null = hstack(simple.as_ref(), double.as_ref());
    let basis = orthonormal(&nothing, null.clone());
    let mut w = orthonormal(&basis, start_block::<f64>(n, count, 0x4e10));
    // Steps of the iterations for x_1.
    for step in 0..=tuning::STEPS {
        if w.ncols() < count {
            return Ok(None);
        }
        let mut change = solver.solve(&weight(problem, a, &w), false, Effort::Final)?.x;
        let next = orthonormal(&basis, change.clone());
        subtract(&mut change, w.as_ref(), mb_algebra::dense::identity(count).as_ref());
        let along = f64::adjoint_product(basis.as_ref(), change.as_ref());
        let mut rest = change;
        subtract(&mut rest, basis.as_ref(), along.as_ref());
        // Rounding of N W is relative to its part along X.
        let left_over = norms::max_abs(&rest) / norms::max_abs(&along).max(1.0);
        if left_over <= tuning::MANY_ROUNDINGS || (step == tuning::STEPS && left_over <= tuning::SQRT_EPS) {
            // Shares of the vectors of X from those of their orthonormal basis.
            let gram = f64::adjoint_product(basis.as_ref(), null.as_ref());
            let Ok(lu) = Lu::new(&gram) else { return Ok(None) };
            let shares = lu.solve_mat(&along);
            let of_double = Dense::from_fn(count, count, |i, j| a * shares[(simple.ncols() + i, j)]);
            let of_simple = shares.as_ref().subrows(0, simple.ncols()).to_owned();
            let astray =
                a * norms::max_abs(&of_simple) > tuning::SQRT_EPS.sqrt() * norms::max_abs(&of_double);
            let Some(lu) = Lu::new(&of_double).ok().filter(|lu| lu.rcond() > tuning::EPS_3_4 && !astray)
            else {
                return Ok(None);
            };
            let turn = lu.solve_mat(&mb_algebra::dense::identity(count));
            return Ok(Some(product(w.as_ref(), turn.as_ref())));
        }
        w = next;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use mb_algebra::{Dense, QuadraticPencil, Scatter, Triplets, sparse, to_sparse};

    use crate::Class;
    use crate::options::{SparseExpert, SparseOptions};
    use crate::sparse::{Request, solve};

    /// s^2 + s + 1e-11 next to a stiffness 1e6 times as large as one, coupled by unsymmetric damping and in any units.
    #[test]
    fn a_soft_spring_near_a_stiff_one_holds() {
        let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
        for unit in [1.0, 1e-5, 1e4] {
            let d = [1.0, unit];
            let even = |a: [[f64; 2]; 2]| to_sparse(&Dense::from_fn(2, 2, |i, j| d[i] * a[i][j] * d[j]));
            for soft in [1e-11, -1e-11, 0.0] {
                let pencil = QuadraticPencil {
                    m: even([[1.0, 0.0], [0.0, 1.0]]),
                    c: even([[1.0, 0.1], [0.0, 1.0]]),
                    k: even([[1e6, 0.0], [0.0, soft]]),
                    phi_q: sparse::zeros(0, 2),
                };
                let found = solve(&pencil, &Request::Lowest { count: 1 }, &options).unwrap();
                let pair = &found.eigenpairs[0];
                assert_eq!(pair.class == Class::Rigid, soft == 0.0, "{unit} {soft}");
                let s = pair.value().unwrap();
                assert!((s + soft).norm() <= pair.error_bound + 2.0 * soft * soft, "{unit} {soft}: {s}");
            }
        }
    }

    /// Free masses, free masses in a viscous medium, and a chain of springs with dampers that is none of them: two zeros of each of
    /// the first, a zero and -c / m of each of the second, whatever rounding mixes their null vectors.
    #[test]
    fn free_masses_are_rigid_beside_damped_ones_in_any_number() {
        const CHAIN: usize = 40;
        for (free, damped) in [(90, 0), (30, 25), (1, 60)] {
            let n = free + damped + CHAIN;
            let (mut m, mut c, mut k) = (Triplets::new(n, n), Triplets::new(n, n), Triplets::new(n, n));
            for i in 0..n {
                m.add(i, i, if i < free + damped { 0.02 } else { 3e3 });
            }
            for i in free..free + damped {
                c.add(i, i, 0.02);
            }
            for i in free + damped..n {
                let both = |a: &mut Triplets, by: f64| {
                    a.add(i, i, by);
                    if i + 1 < n {
                        a.add(i + 1, i + 1, by);
                        a.add(i, i + 1, -by);
                        a.add(i + 1, i, -by);
                    }
                };
                both(&mut k, 1e9);
                both(&mut c, if i % 3 == 0 { 2e5 } else { 0.0 });
            }
            let [m, c, k] = [m, c, k].map(|a| a.to_sparse());
            let pencil = QuadraticPencil { m, c, k, phi_q: sparse::zeros(0, n) };
            let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
            let found = solve(&pencil, &Request::Lowest { count: free + damped }, &options).unwrap();
            let rigid = found.eigenpairs.iter().filter(|pair| pair.class == Class::Rigid).count();
            assert_eq!(rigid, 2 * free + damped, "{free} {damped}: {:?}", found.findings);
            assert!(!found.falls_short(), "{free} {damped}: {:?}", found.findings);
        }
    }
}
