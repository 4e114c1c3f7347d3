//! The constraints at one state: what holds positions, what holds velocities, and the shortest moves onto them.
//!
//! ```text
//! positions    P x = 0               P independent position rows, r of them
//! velocities   [P; A] dv + (Phi'_q; (A v + b)_q) x = 0      A velocity rows that are independent of P and of each other, k
//! ```
//!
//! A state near another one has n - r coordinates of the configuration and n - r - k of the velocities. Configurations that
//! have rows dependent are found by the pivots of P P^T, rows of length one.

use crate::dynamics::{Dynamics, State};
use crate::error::PeriodicError;
use crate::step::Directions;
use mb_algebra::{Dense, Lu, RankQr, RankTolerance, Triplets, dense, norms};
use mb_constraints::normalized_rows;
use mb_model::Model;

/// Pivots of P P^T, relative to the largest, below which the rows count as dependent.
const DEPENDENT: f64 = 1e-13;

/// Independent rows and what the shortest correction needs.
#[derive(Debug)]
pub struct Held {
    /// The rows, r x n.
    pub p: Dense,
    gram: Option<Lu>,
}

impl Held {
    /// P^+ y, the shortest vector with P x = y.
    pub fn shortest(&self, y: &[f64]) -> Vec<f64> {
        match &self.gram {
            Some(lu) => dense::matvec_transpose(&self.p, &lu.solve(y)),
            None => vec![0.0; self.p.ncols()],
        }
    }
    /// X - P^+ (P X + Y) for columns X (n x k) and Y (r x k).
    pub fn held(&self, x: &Dense, y: Option<&Dense>) -> Dense {
        let Some(lu) = &self.gram else { return x.clone() };
        let mut off = dense::mul(&self.p, x);
        if let Some(y) = y {
            off += y;
        }
        x - &dense::mul_transpose(&self.p, &lu.solve_mat(&off))
    }
    /// Orthonormal basis of the vectors that the rows leave free.
    ///
    /// # Errors
    /// Entries that are not finite.
    pub fn free(&self) -> Result<Dense, PeriodicError> {
        if self.gram.is_none() {
            return Ok(dense::identity(self.p.ncols()));
        }
        Ok(RankQr::new(&normalized_rows(&self.p), RankTolerance { relative: 1e-14 })?.null_space())
    }
}

/// The constraints at one state.
#[derive(Debug)]
pub struct Rows {
    /// Those of positions.
    pub positions: Held,
    /// With those of velocities, where the model has them.
    all: Option<Held>,
}

impl Rows {
    /// Those of velocities: all rows.
    pub fn velocities(&self) -> &Held {
        self.all.as_ref().unwrap_or(&self.positions)
    }
}

/// Independent rows at a state, position rows first, and the number of these.
pub(crate) fn independent_rows(model: &Model, at: &State) -> Result<(Vec<usize>, usize), PeriodicError> {
    if model.nc() == 0 {
        return Ok((Vec::new(), 0));
    }
    let whole = normalized_rows(&model.phi_q(&at.q, at.t).to_dense());
    let (velocity, position): (Vec<usize>, Vec<usize>) =
        (0..model.nc()).partition(|i| model.velocity_rows()[*i]);
    let chosen = |rows: &[usize], of: &Dense| -> Result<Vec<usize>, PeriodicError> {
        let mut found = RankQr::new(of, RankTolerance::default())?.independent_rows();
        found.sort_unstable();
        Ok(found.into_iter().map(|i| rows[i]).collect())
    };
    let part = dense::select_rows(&whole, &position);
    let mut rows = if position.is_empty() { Vec::new() } else { chosen(&position, &part)? };
    let positions = rows.len();
    if !velocity.is_empty() {
        // Beside the position rows: on what these leave free.
        let free = if position.is_empty() {
            dense::identity(model.nv())
        } else {
            RankQr::new(&part, RankTolerance::default())?.null_space()
        };
        rows.extend(chosen(&velocity, &dense::mul(&dense::select_rows(&whole, &velocity), &free))?);
    }
    Ok((rows, positions))
}

impl Dynamics<'_> {
    /// The first `count` independent rows of a matrix of constraints, count x n.
    pub(crate) fn independent(&self, rows: &Triplets, count: usize) -> Dense {
        let at = self.places();
        let mut out = Dense::zeros(count, self.n());
        for (row, col, x) in rows.iter() {
            if let Some(i) = at[row].filter(|i| *i < count) {
                out[(i, col)] += *x;
            }
        }
        out
    }
    /// The first `count` independent ones of numbers by row.
    pub(crate) fn picked(&self, rows: &[f64], count: usize) -> Vec<f64> {
        self.rows[..count].iter().map(|i| rows[*i]).collect()
    }
    /// d(Phi')/dq of all independent rows at a state.
    pub(crate) fn rates_by_q(&self, t: f64, q: &[f64], v: &[f64]) -> Dense {
        self.independent(&self.model.phi_dot_q(q, v, t), self.rows.len())
    }
    /// The constraints at a configuration.
    ///
    /// # Errors
    /// [`PeriodicError::Singular`].
    pub fn constraints(&self, t: f64, q: &[f64]) -> Result<Rows, PeriodicError> {
        let phi_q = self.model.phi_q(q, t);
        let all = (self.positions < self.rows.len()).then(|| self.held(&phi_q, self.rows.len(), t));
        Ok(Rows { positions: self.held(&phi_q, self.positions, t)?, all: all.transpose()? })
    }
    fn held(&self, phi_q: &Triplets, count: usize, time: f64) -> Result<Held, PeriodicError> {
        let p = self.independent(phi_q, count);
        if count == 0 {
            return Ok(Held { p, gram: None });
        }
        let gram = dense::mul(&p, &dense::transpose(&p));
        // The pivots of rows of length one show dependence; the factors are of the rows themselves.
        let scale: Vec<f64> = (0..gram.nrows()).map(|i| gram[(i, i)].sqrt().recip()).collect();
        let unit = Dense::from_fn(gram.nrows(), gram.nrows(), |i, j| scale[i] * gram[(i, j)] * scale[j]);
        let singular = || {
            let row = RankQr::new(&normalized_rows(&p), RankTolerance { relative: DEPENDENT.sqrt() });
            let i = row.ok().and_then(|qr| qr.redundant_rows().first().copied()).unwrap_or(count - 1);
            PeriodicError::Singular { time, row: self.model.row_name(self.rows[i]) }
        };
        let sound = Lu::new(&unit).is_ok_and(|lu| {
            let (low, high) = lu.pivot_range();
            low > DEPENDENT * high
        });
        if !sound {
            return Err(singular());
        }
        Ok(Held { p, gram: Some(Lu::new(&gram)?) })
    }
    /// The nearest state on the constraints, of positions and velocities.
    ///
    /// # Errors
    /// [`PeriodicError::Singular`].
    pub fn hold(&self, t: f64, q: &mut Vec<f64>, v: &mut [f64]) -> Result<Rows, PeriodicError> {
        let model = self.model;
        let mut last = f64::INFINITY;
        for _ in 0..20 {
            if self.positions == 0 {
                break;
            }
            let phi = self.picked(&model.phi(q, t), self.positions);
            let size = norms::max_abs_vec(&phi);
            if size == 0.0 || size.is_nan() || size > 0.5 * last {
                break;
            }
            last = size;
            let d: Vec<f64> = self.constraints(t, q)?.positions.shortest(&phi).iter().map(|x| -x).collect();
            *q = model.coordinates().retract(q, &d);
        }
        model.coordinates().normalize(q);
        let rows = self.constraints(t, q)?;
        if !self.rows.is_empty() {
            for _ in 0..2 {
                let off = self.picked(&model.phi_dot(q, v, t), self.rows.len());
                v.iter_mut().zip(rows.velocities().shortest(&off)).for_each(|(v, x)| *v -= x);
            }
        }
        Ok(rows)
    }
    /// Directions on the tangent of the constraints at a state on them, the shortest way.
    pub fn on_constraints(
        &self,
        rows: &Rows,
        (t, q, v): (f64, &[f64], &[f64]),
        moved: Directions,
    ) -> Directions {
        if self.rows.is_empty() {
            return moved;
        }
        let columns = moved.x.ncols();
        let by_p = if moved.parameter { self.rows_by_parameter(q, v, t) } else { None };
        let off = |count: usize, values: Option<&[f64]>| {
            Dense::from_fn(count, columns, |i, j| match values {
                Some(values) if j + 1 == columns => values[i],
                _ => 0.0,
            })
        };
        let by_p = by_p.as_ref().map(|p| (&p.0[..], &p.1[..]));
        let x = rows.positions.held(&moved.x, Some(&off(self.positions, by_p.map(|p| p.0))));
        let change = &dense::mul(&self.rates_by_q(t, q, v), &x) + &off(self.rows.len(), by_p.map(|p| p.1));
        let v = rows.velocities().held(&moved.v, Some(&change));
        Directions { x, v, ..moved }
    }
}
