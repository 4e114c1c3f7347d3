//! Rigid-body and mechanism modes of an undamped symmetric problem: the null space of K on the admissible directions.
//!
//! ```text
//! Y <- (K - sigma M)^-1 M Y,  sigma < 0 small:  null directions grow by 1 / |sigma|, the others by 1 / (w + |sigma|)
//! ```
//!
//! A few steps of block inverse iteration with Rayleigh-Ritz separate them, since w is many times |sigma|. A
//! direction counts as rigid by the rule of [`Evidence`]; a slender structure has low modes whose w is a tiny part of |K| / |M|, and
//! they are none. Sizes: Y n x p.

use mb_algebra::sorted::ascending;
use mb_algebra::{Dense, SymmetricEigen, to_dense};

use super::evidence::{Evidence, is_still};
use crate::EigenError;
use crate::error::at;
use crate::krylov::scalar::{Scalar, hstack, pick, product, start_block, subtract};
use crate::problem::Problem;
use crate::transform::factors::{Effort, ShiftSolve};
use crate::tuning;

/// Null directions of K and what was seen near them.
pub(crate) struct Zeros {
    /// M-orthonormal null directions, n x z.
    pub(crate) x: Dense,
    /// Multipliers of the independent rows at length one, K x + Phi^T l = 0; r x z.
    pub(crate) l: Dense,
    /// Whether there may be further ones, which were not searched for.
    pub(crate) more: bool,
    /// How many further ones there are, where that is known.
    pub(crate) others: Option<usize>,
    /// Smallest |w| of a direction that is not rigid, an upper estimate; none when there is none.
    pub(crate) next: Option<f64>,
    /// Directions rich in low modes, to start a Krylov method; n x p.
    pub(crate) low: Dense,
    /// Their Ritz values of w.
    pub(crate) ritz: Vec<f64>,
}

/// An M-orthonormal basis of the span of W without the span of Z (M-orthonormal), and its product with M; dependent
/// columns are dropped. One pass leaves errors that grow with the likeness of the columns; two leave rounding.
pub(crate) fn orthonormal(
    problem: &Problem,
    z: &Dense,
    mut w: Dense,
    passes: usize,
) -> Result<(Dense, Dense), EigenError> {
    let mut mw = Dense::zeros(problem.n, 0);
    for _ in 0..passes {
        if mw.ncols() == w.ncols() {
            problem.m.mul_into(w.as_ref(), mw.as_mut());
        } else {
            mw = problem.m.mul(&w);
        }
        let inner = |a: &Dense, b: &Dense, j: usize| -> f64 {
            a.col_as_slice(j).iter().zip(b.col_as_slice(j)).map(|(a, b)| a * b).sum()
        };
        let before: Vec<f64> = (0..w.ncols()).map(|j| inner(&w, &mw, j)).collect();
        if z.ncols() > 0 {
            let c = f64::adjoint_product(z.as_ref(), mw.as_ref());
            subtract(&mut w, z.as_ref(), c.as_ref());
            problem.m.mul_into(w.as_ref(), mw.as_mut());
        }
        // Columns of equal length, then the eigenvectors of the Gram matrix.
        let gram = f64::adjoint_product(w.as_ref(), mw.as_ref());
        let scale: Vec<f64> = (0..w.ncols())
            // What projection leaves of a column inside the span of Z is rounding.
            // Squared length, relative, below which what a projection leaves of a column is rounding.
            .map(|j| {
                if gram[(j, j)] > (tuning::EPS_3_4 * tuning::EPS_3_4) * before[j] {
                    gram[(j, j)].sqrt().recip()
                } else {
                    0.0
                }
            })
            .collect();
        let unit = Dense::from_fn(w.ncols(), w.ncols(), |i, j| {
            0.5 * (gram[(i, j)] + gram[(j, i)]) * scale[i] * scale[j]
        });
        let eigen = SymmetricEigen::new(&unit).map_err(at("Orthonormalizing in the mass matrix"))?;
        let kept: Vec<usize> =
            (0..w.ncols()).filter(|&j| eigen.values[j] > tuning::SOLVE_ROUNDINGS).collect();
        let turn = Dense::from_fn(w.ncols(), kept.len(), |i, j| {
            scale[i] * eigen.vectors[(i, kept[j])] / eigen.values[kept[j]].sqrt()
        });
        for w in [&mut w, &mut mw] {
            crate::krylov::scalar::turn(w.as_mut(), turn.as_ref());
            w.truncate(problem.n, kept.len());
        }
    }
    Ok((w, mw))
}

/// Finds the null directions with the factors at `sigma` < 0, or some more than `enough` of them where there are more.
pub(crate) fn find(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    sigma: f64,
    tolerance: f64,
    enough: usize,
) -> Result<Zeros, EigenError> {
    let n = problem.n;
    let mut out = Zeros {
        x: Dense::zeros(n, 0),
        l: Dense::zeros(problem.rows.rank, 0),
        more: false,
        others: None,
        next: None,
        low: Dense::zeros(n, 0),
        ritz: Vec::new(),
    };
    let known = known(problem)?;
    if let Some(known) = &known {
        let others = problem.least_zeros.saturating_sub(known.ncols());
        (out.more, out.others, out.x) = (others > 0, Some(others), known.clone());
    }
    for round in (0_u32..).take_while(|_| !out.more) {
        // More directions than there are degrees of freedom would be rounding, whose Ritz values mean nothing.
        // Where the factor is hardly larger than a few vectors each direction has its price, and whether there are any shows in few.
        // Where all of them are rigid, more are looked at.
        let block = if problem.has_light_factors() { tuning::NARROW } else { tuning::WIDTH };
        let width = (block << round.min(4)).min(problem.dof().max(1));
        let mut y = start_block::<f64>(n, width, 0x0e10 + u64::from(round));
        let mut my = problem.m.mul(&y);
        // Steps of inverse iteration.
        for step in 1..=tuning::FEW_STEPS {
            solver.displacements(my.as_ref(), y.as_mut())?;
            (y, my) = orthonormal(problem, &out.x, y, if step == tuning::FEW_STEPS { 2 } else { 1 })?;
        }
        if y.ncols() == 0 {
            break;
        }
        let (w, y) = rayleigh_ritz(problem, &y)?;
        let still = |w: f64| is_still(w, sigma);
        // What rounding of K leaves of a rigid motion may be far above the shift.
        let energies: Vec<f64> = (0..w.len()).map(|j| problem.k.relative_form(y.col_as_slice(j))).collect();
        let in_question: Vec<usize> =
            (0..w.len()).filter(|&j| still(w[j]) || energies[j] <= tuning::SUM_ROUNDINGS).collect();
        let purified = purified(problem, solver, sigma, pick(&y, &in_question))?;
        let next = (0..w.len()).find(|&j| !still(w[j])).map(|j| w[j].abs());
        let zero = |(j, purified): &(usize, Evidence)| {
            // A vector that moves what K does not hold is rounding in all other coordinates, until it is purified.
            let energy = energies[*j].min(purified.energy);
            Evidence { energy, ..*purified }.is_null(w[*j], sigma, next, tolerance)
        };
        let mut rigid: Vec<usize> =
            in_question.into_iter().zip(purified).filter(zero).map(|(j, _)| j).collect();
        if !rigid.is_empty() && problem.has_definite_stiffness() {
            rigid.clear();
        }
        rigid.truncate(problem.most_zeros().saturating_sub(out.x.ncols()));
        let others: Vec<usize> = (0..w.len()).filter(|j| !rigid.contains(j)).collect();
        out.next = others.iter().map(|&j| w[j].abs()).chain(out.next).reduce(f64::min);
        out.ritz.extend(others.iter().map(|&j| w[j]));
        if rigid.is_empty() {
            out.low = if out.low.ncols() == 0 { y } else { hstack(out.low.as_ref(), y.as_ref()) };
            break;
        }
        out.low = hstack(out.low.as_ref(), pick(&y, &others).as_ref());
        let (found, _) = orthonormal(problem, &out.x, pick(&y, &rigid), 2)?;
        out.x = hstack(out.x.as_ref(), found.as_ref());
        // A block may miss one that has little mass where more are known to be possible.
        let more = problem.knows_zeros() && out.x.ncols() < problem.most_zeros();
        if !(others.is_empty() || more) || out.x.ncols() >= problem.dof() {
            break;
        }
        if out.x.ncols() > enough {
            out.more = true;
            break;
        }
    }
    if known.is_some() {
        // They strain nothing, so that no reaction is needed. Rounding of K would only mix them with others.
        out.l = Dense::zeros(problem.rows.rank, out.x.ncols());
    } else if out.x.ncols() > 0 {
        // One more step takes rounding out and gives the multipliers.
        for _ in 0..2 {
            let mut f = problem.m.mul(&out.x);
            for j in 0..f.ncols() {
                f.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= -sigma);
            }
            let solution = solver.solve(&f, false, Effort::Final)?;
            (out.x, out.l) = (solution.x, solution.l);
        }
        let (turn, scale) = gram_factor(problem, &out.x)?;
        let by = Dense::from_fn(scale.len(), scale.len(), |i, j| turn[(i, j)] / scale[j]);
        out.x = product(out.x.as_ref(), by.as_ref());
        out.l = product(out.l.as_ref(), by.as_ref());
    }
    if out.x.ncols() > 0 {
        let low = std::mem::replace(&mut out.low, Dense::zeros(0, 0));
        out.low = orthonormal(problem, &out.x, low, 2)?.0;
    }
    Ok(out)
}

/// The directions without stiffness that are known, M-orthonormal; none where some have no mass.
fn known(problem: &Problem) -> Result<Option<Dense>, EigenError> {
    let Some(still) = problem.still.as_ref().filter(|still| still.cols() > 0) else { return Ok(None) };
    let (x, _) = orthonormal(problem, &Dense::zeros(problem.n, 0), to_dense(still), 2)?;
    Ok((x.ncols() == still.cols()).then_some(x))
}

/// Eigenvectors and eigenvalues of the eigenvalues of X^T M X.
fn gram_factor(problem: &Problem, x: &Dense) -> Result<(Dense, Vec<f64>), EigenError> {
    let gram = f64::adjoint_product(x.as_ref(), problem.m.mul(x).as_ref());
    let eigen = SymmetricEigen::new(&mb_algebra::dense::symmetric_part(&gram))
        .map_err(at("Orthonormalizing in the mass matrix"))?;
    Ok((eigen.vectors, eigen.values.iter().map(|v| v.max(f64::MIN_POSITIVE).sqrt()).collect()))
}

/// Ritz values of K on an M-orthonormal block, by magnitude, with the vectors.
fn rayleigh_ritz(problem: &Problem, y: &Dense) -> Result<(Vec<f64>, Dense), EigenError> {
    let k = f64::adjoint_product(y.as_ref(), problem.k.mul(y).as_ref());
    let eigen = SymmetricEigen::new(&mb_algebra::dense::symmetric_part(&k))
        .map_err(at("Rayleigh-Ritz on low directions"))?;
    let mut order: Vec<usize> = (0..eigen.values.len()).collect();
    ascending(&mut order, |&i| eigen.values[i].abs());
    let vectors = product(y.as_ref(), pick(&eigen.vectors, &order).as_ref());
    Ok((order.iter().map(|&j| eigen.values[j]).collect(), vectors))
}

/// The evidence of every column once inverse iteration has taken what is not in the null space out.
fn purified(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    sigma: f64,
    mut x: Dense,
) -> Result<Vec<Evidence>, EigenError> {
    if x.ncols() == 0 {
        return Ok(Vec::new());
    }
    let mut l = Dense::zeros(problem.rows.rank, x.ncols());
    // Further steps for directions that may be rigid: the parts of other modes shrink by |sigma| / w, 1e-2 at least, in each, and the
    // last leaves the residual of its solve.
    for _ in 0..tuning::FEW_STEPS {
        let mut f = problem.m.mul(&x);
        for j in 0..f.ncols() {
            f.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= -sigma);
        }
        let solution = solver.solve(&f, false, Effort::Final)?;
        (x, l) = (solution.x, solution.l);
    }
    Ok(Evidence::of(problem, &x, &l))
}
