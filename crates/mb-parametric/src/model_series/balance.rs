//! The operating point in equilibrium, degree by degree.
//!
//! Unknowns are the coordinates that are no variables, the multipliers and the inputs that hold
//! the others; the equations r = 0, Phi = 0. Their matrix at the centre,
//!
//! ```text
//! [ K_free   Phi_q^T   -F_holding ]
//! [ Phi_q_free   0          0     ]
//! ```
//!
//! is square and factored once. With the point exact below a degree, the residual begins at that
//! degree, and the products of its correction with anything but the matrix of the centre are of
//! higher degree still: each Newton step adds one degree exactly.

use super::capacity::Moving;
use crate::ParametricError;
use mb_algebra::{AlgebraError, Dense, Lu, RankQr, RankTolerance, Scatter, SparseLu, Triplets, dense, norms};
use mb_model::{Model, Point};
use mb_scalar::jet::{DynJet, Monomials};
use std::ops::Range;

/// Newton steps allowed at the centre.
const CENTRE_STEPS: usize = 30;
/// Residual allowed at the centre, relative to the forces at work.
const CENTRE_TOLERANCE: f64 = 1e-9;

/// The unknowns of the balance, and its factored matrix.
pub(super) struct Balance {
    free: Vec<usize>,
    holding: Vec<usize>,
    constraints: usize,
    /// Magnitudes that K and Phi_q (with F) are divided by, so that pivots compare alike.
    scale: [f64; 3],
    lu: Option<Factors>,
}

/// The factors of the balance, by its size.
enum Factors {
    Dense(Lu),
    Sparse(Box<SparseLu>),
}

impl Factors {
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        match self {
            Self::Dense(lu) => lu.solve(b),
            Self::Sparse(lu) => lu.solve(b),
        }
    }
}

/// Unknowns from which on the balance is factored sparse.
const SPARSE_FROM: usize = 500;

fn not_isolated() -> ParametricError {
    ParametricError::NotBalanced {
        reason:
            "the equilibrium there is not isolated (a free motion, a buckling load, or an input that does \
                 not hold its coordinate)"
                .into(),
    }
}

impl Balance {
    /// Checks that the problem is square, with as many inputs as coordinates are held.
    pub(super) fn new(model: &Model, held: &[usize], holding: &[usize]) -> Result<Self, ParametricError> {
        let unusable = holding.iter().any(|i| *i >= model.inputs().len());
        if held.len() != holding.len() || unusable {
            let names = |list: &[usize], name: &dyn Fn(usize) -> String| {
                list.iter().map(|i| name(*i)).collect::<Vec<_>>().join(", ")
            };
            return Err(ParametricError::HoldingInputs {
                held: names(held, &|i| model.coordinate_name(i)),
                inputs: names(holding, &|i| {
                    model.inputs().get(i).cloned().unwrap_or_else(|| format!("input {i}"))
                }),
            });
        }
        let free = (0..model.nv()).filter(|i| !held.contains(i)).collect();
        Ok(Self { free, holding: holding.to_vec(), constraints: model.nc(), scale: [1.0; 3], lu: None })
    }

    /// Factors the matrix at a point.
    fn factor(&mut self, model: &Model, at: &Point) -> Result<(), ParametricError> {
        if model.nv() + self.constraints >= SPARSE_FROM {
            return self.factor_sparse(model, at);
        }
        let blocks = model.dense_blocks(at);
        let inputs = model.input_matrix(at).to_dense();
        let qr = RankQr::new(&dense::transpose(&blocks.phi_q), RankTolerance::default())?;
        if qr.rank() < self.constraints {
            let kept = &qr.pivots()[..qr.rank()];
            return Err(ParametricError::RedundantConstraints {
                rank: qr.rank(),
                constraints: self.constraints,
                redundant: (0..self.constraints).filter(|i| !kept.contains(i)).collect(),
            });
        }
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        let [k, p, f] = [&blocks.k, &blocks.phi_q, &inputs].map(|a| positive(norms::max_abs(a)));
        let (n, nf, nc) = (model.nv(), self.free.len(), self.constraints);
        let mut matrix = Dense::zeros(n + nc, n + nc);
        for (col, &j) in self.free.iter().enumerate() {
            for i in 0..n {
                matrix[(i, col)] = blocks.k[(i, j)] / k;
            }
            for i in 0..nc {
                matrix[(n + i, col)] = blocks.phi_q[(i, j)] / p;
            }
        }
        for i in 0..n {
            for l in 0..nc {
                matrix[(i, nf + l)] = blocks.phi_q[(l, i)] / p;
            }
            for (h, &j) in self.holding.iter().enumerate() {
                matrix[(i, nf + nc + h)] = -inputs[(i, j)] / f;
            }
        }
        let lu = match Lu::new(&matrix) {
            Ok(lu) if lu.rcond() > 1e-14 => lu,
            Ok(_) | Err(AlgebraError::Singular { .. }) => return Err(not_isolated()),
            Err(e) => return Err(e.into()),
        };
        (self.scale, self.lu) = ([k, p, f], Some(Factors::Dense(lu)));
        Ok(())
    }

    /// As [`Balance::factor`] for a large model. Constraints that depend on each other show as a
    /// singular matrix.
    fn factor_sparse(&mut self, model: &Model, at: &Point) -> Result<(), ParametricError> {
        let blocks = model.blocks(at);
        let inputs = model.input_matrix(at).to_sparse();
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        let [k, p, f] = [&blocks.k, &blocks.phi_q, &inputs].map(|a| positive(norms::max_abs(a)));
        let (n, nf, nc) = (model.nv(), self.free.len(), self.constraints);
        let mut column = vec![None; n];
        for (col, &j) in self.free.iter().enumerate() {
            column[j] = Some(col);
        }
        let mut matrix = Triplets::new(n + nc, n + nc);
        for (value, (i, j)) in &blocks.k {
            if let Some(col) = column[j] {
                matrix.add(i, col, value / k);
            }
        }
        for (value, (i, j)) in &blocks.phi_q {
            if let Some(col) = column[j] {
                matrix.add(n + i, col, value / p);
            }
            matrix.add(j, nf + i, value / p);
        }
        for (value, (i, j)) in &inputs {
            if let Some(h) = self.holding.iter().position(|&held| held == j) {
                matrix.add(i, nf + nc + h, -value / f);
            }
        }
        let lu = match SparseLu::new(&matrix.to_sparse()) {
            Ok(lu) if lu.rcond() > 1e-16 => lu,
            Ok(_) | Err(AlgebraError::Singular { .. }) => return Err(not_isolated()),
            Err(e) => return Err(e.into()),
        };
        (self.scale, self.lu) = ([k, p, f], Some(Factors::Sparse(Box::new(lu))));
        Ok(())
    }

    /// The change of (free coordinates, multipliers, inputs) that removes a residual (r, Phi).
    fn correction(&self, mut r: Vec<f64>, phi: &[f64]) -> [Vec<f64>; 3] {
        let [k, p, f] = self.scale;
        for x in &mut r {
            *x /= -k;
        }
        r.extend(phi.iter().map(|x| -x / p));
        let x = self.lu.as_ref().map_or_else(|| vec![f64::NAN; r.len()], |lu| lu.solve(&r));
        let (free, rest) = x.split_at(self.free.len());
        let (lambda, u) = rest.split_at(self.constraints);
        let back = |list: &[f64], scale: f64| list.iter().map(|x| x * k / scale).collect();
        [free.to_vec(), back(lambda, p), back(u, f)]
    }

    /// Adds the terms of one degree to a point that is exact below it.
    pub(super) fn step<const CAP: usize>(
        &self,
        model: &Model<DynJet<CAP>>,
        point: &Point<DynJet<CAP>>,
        moving: &mut Moving<CAP>,
        table: &'static Monomials,
        terms: Range<usize>,
    ) {
        let r = model.residual(point);
        let phi = model.phi(&point.q, point.t);
        for term in terms {
            let at = |list: &[DynJet<CAP>]| list.iter().map(|x| x.coefficients(table)[term]).collect();
            let phi: Vec<f64> = at(&phi);
            let [free, lambda, u] = self.correction(at(&r), &phi);
            let mut unit = vec![0.0; table.len()];
            unit[term] = 1.0;
            let unit = DynJet::from_coefficients(table, &unit);
            let add = |x: &mut DynJet<CAP>, change: f64| *x += mb_scalar::Real::scale(unit, change);
            for (&i, change) in self.free.iter().zip(free) {
                add(&mut moving.delta[i], change);
            }
            for (x, change) in moving.lambda.iter_mut().zip(lambda) {
                add(x, change);
            }
            for (&i, change) in self.holding.iter().zip(u) {
                add(&mut moving.u[i], change);
            }
        }
    }
}

/// The equilibrium near `start` with the `held` coordinates fixed by the inputs `holding`; the
/// velocities and accelerations of `start` act as given, so that it may be a dynamic one.
///
/// # Errors
/// [`ParametricError::HoldingInputs`], [`ParametricError::RedundantConstraints`], and
/// [`ParametricError::NotBalanced`] when Newton's method finds none.
pub fn balanced_point(
    model: &Model,
    start: &Point,
    held: &[usize],
    holding: &[usize],
) -> Result<Point, ParametricError> {
    let mut point = start.clone();
    balance_centre(model, &mut point, Balance::new(model, held, holding)?)?;
    Ok(point)
}

/// Improves the centre to equilibrium with the held coordinates fixed, and factors its matrix.
pub(super) fn balance_centre(
    model: &Model,
    centre: &mut Point,
    mut balance: Balance,
) -> Result<Balance, ParametricError> {
    let mut last = f64::INFINITY;
    for _ in 0..CENTRE_STEPS {
        balance.factor(model, centre)?;
        let (r, phi) = (model.residual(centre), model.phi(&centre.q, centre.t));
        let [free, lambda, u] = balance.correction(r, &phi);
        let size = norms::max_abs_vec(&free);
        if !size.is_finite() {
            break;
        }
        let mut d = vec![0.0; model.nv()];
        for (&i, x) in balance.free.iter().zip(&free) {
            d[i] = *x;
        }
        centre.q = model.coordinates().retract(&centre.q, &d);
        for (x, change) in centre.lambda.iter_mut().zip(lambda) {
            *x += change;
        }
        for (&i, change) in balance.holding.iter().zip(u) {
            centre.u[i] += change;
        }
        let reach = 1.0 + norms::max_abs_vec(&centre.q);
        // Rounding reached: small and no longer falling.
        if size <= 1e-15 * reach || (size <= 1e-9 * reach && size > 0.5 * last) {
            break;
        }
        last = size;
    }
    let residual = norms::max_abs_vec(&model.residual(centre));
    let scale = model.largest_force(centre).max(f64::MIN_POSITIVE);
    if residual.is_nan() || residual > CENTRE_TOLERANCE * scale {
        let reason = format!(
            "Newton's method from the point given leaves a residual of {residual:.1e}, while the forces at work \
             are of size {scale:.1e}"
        );
        return Err(ParametricError::NotBalanced { reason });
    }
    balance.factor(model, centre)?;
    Ok(balance)
}
