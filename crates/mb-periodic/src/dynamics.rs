//! Accelerations as functions of positions and velocities, and their exact derivatives.
//!
//! ```text
//! [ M  P^T ] [ a      ]   [ f     ]        [ M  P^T ] [ da      ]     [ K dq + C dv            ]
//! [ P   0  ] [ lambda ] = [ gamma ],       [ P   0  ] [ dlambda ] = - [ Phi''_q dq + Phi''_v dv ]
//! ```
//!
//! P are rows of Phi_q that are independent, the same throughout a motion: redundant rows add nothing on the constraints, and
//! near them, where stages are, they would contradict the others. Their multipliers are zero. Configurations that have the
//! rows dependent are found by the pivots of P P^T, rows of length one.

use crate::error::PeriodicError;
use crate::parameter::{ByParameter, ParameterJet};
use crate::step::Directions;
use mb_algebra::{AlgebraError, Dense, Lu, RankQr, RankTolerance, Triplets, dense, norms};
use mb_constraints::{ConstraintError, normalized_rows};
use mb_model::system::{Blocks, MotionTerms};
use mb_model::{Model, Point};

/// A state of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Configuration, nq numbers.
    pub q: Vec<f64>,
    /// Velocities, nv numbers.
    pub v: Vec<f64>,
}

/// Pivots of P P^T, relative to the largest, below which the rows count as dependent.
const DEPENDENT: f64 = 1e-13;

/// Accelerations of a model with constant inputs.
#[derive(Debug)]
pub struct Dynamics<'m> {
    /// The model.
    pub model: &'m Model,
    inputs: Vec<f64>,
    /// Independent rows of the constraints.
    rows: Vec<usize>,
    terms: MotionTerms,
    parameter: Option<ByParameter<'m>>,
}

/// Derivatives of the accelerations, n x n each.
#[derive(Clone, Debug)]
pub struct Derivatives {
    /// By the configuration, along the tangent.
    pub by_q: Dense,
    /// By the velocities.
    pub by_v: Dense,
    /// By the parameter, where there is one: n numbers.
    pub by_p: Option<Vec<f64>>,
}

/// The constraints at one state: independent rows and what the shortest correction needs.
#[derive(Debug)]
pub struct Rows {
    /// Phi_q, r x n.
    pub p: Dense,
    gram: Option<Lu>,
}

impl Rows {
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
}

impl<'m> Dynamics<'m> {
    /// For a motion that goes through `at`, where the independent rows are chosen.
    ///
    /// # Errors
    /// [`PeriodicError::VelocityRow`]; entries that are not finite.
    pub fn new(model: &'m Model, inputs: &[f64], at: &State) -> Result<Self, PeriodicError> {
        if let Some(row) = model.velocity_rows().iter().position(|v| *v) {
            return Err(PeriodicError::VelocityRow { row: model.row_name(row) });
        }
        let phi_q = model.phi_q(&at.q, at.t).to_dense();
        let rows = if model.nc() == 0 {
            Vec::new()
        } else {
            let qr = RankQr::new(&normalized_rows(&phi_q), RankTolerance::default())?;
            let mut rows = qr.independent_rows();
            rows.sort_unstable();
            rows
        };
        Ok(Self { model, inputs: inputs.to_vec(), rows, terms: MotionTerms::dense(model), parameter: None })
    }
    /// The same with derivatives by a parameter, of the same model made in jets of it.
    #[must_use]
    pub fn with_parameter(mut self, model: &'m Model<ParameterJet>) -> Self {
        self.parameter = Some(ByParameter::new(model));
        self
    }
    /// Derivatives of the independent rows of Phi and Phi' by the parameter.
    pub(crate) fn rows_by_parameter(&self, q: &[f64], v: &[f64], t: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let (phi, rate) = self.parameter.as_ref()?.constraints(q, v, t);
        Some((self.picked(&phi), self.picked(&rate)))
    }
    /// Velocities n.
    pub fn n(&self) -> usize {
        self.model.nv()
    }
    /// Constant inputs of the model.
    pub fn inputs(&self) -> &[f64] {
        &self.inputs
    }
    /// The independent rows.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }
    /// Degrees of freedom n - r.
    pub fn dof(&self) -> usize {
        self.n() - self.rows.len()
    }
    fn missing(&self, t: f64, error: AlgebraError) -> PeriodicError {
        match error {
            AlgebraError::Singular { index, .. } if index < self.n() => {
                let coordinate = self.model.coordinate_name(index);
                ConstraintError::MassMissing { time: t, coordinate }.into()
            }
            other => other.into(),
        }
    }
    /// The saddle-point matrix, its scale of the rows, and its factors.
    fn factor(&self, t: f64) -> Result<(Lu, f64), PeriodicError> {
        let (n, m, r) = (self.n(), self.model.nc(), self.rows.len());
        let (large, rows) = (norms::max_abs_vec(&self.terms.mass), norms::max_abs_vec(&self.terms.phi_q));
        let k = if large > 0.0 && rows > 0.0 { large / rows } else { 1.0 };
        let mut full = Dense::zeros(n + r, n + r);
        for j in 0..n {
            for i in 0..n {
                full[(i, j)] = self.terms.mass[i + n * j];
            }
            for (i, row) in self.rows.iter().enumerate() {
                let value = k * self.terms.phi_q[row + m * j];
                full[(n + i, j)] = value;
                full[(j, n + i)] = value;
            }
        }
        let lu = Lu::new(&full).map_err(|e| self.missing(t, e))?;
        Ok((lu, k))
    }
    /// Accelerations at a state: n numbers.
    ///
    /// # Errors
    /// Mass missing in a free direction; numbers that are not finite.
    pub fn acceleration(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<Vec<f64>, PeriodicError> {
        Ok(self.solve(t, q, v)?.0)
    }
    /// Accelerations, multipliers of all rows, factors and their scale of the rows.
    fn solve(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(Vec<f64>, Vec<f64>, Lu, f64), PeriodicError> {
        let n = self.n();
        self.model.motion_terms(q, v, t, &self.inputs, &mut self.terms);
        if self.terms.force.iter().chain(&self.terms.gamma).any(|x| !x.is_finite()) {
            let point = Point { q: q.to_vec(), v: v.to_vec(), t, ..self.model.initial_point() };
            let owner = self.model.first_non_finite(&point).unwrap_or("an element").to_owned();
            return Err(ConstraintError::NotFinite { owner }.into());
        }
        let (lu, k) = self.factor(t)?;
        let rhs: Vec<f64> = self
            .terms
            .force
            .iter()
            .copied()
            .chain(self.rows.iter().map(|i| k * self.terms.gamma[*i]))
            .collect();
        let mut a = lu.solve(&rhs);
        let mut lambda = vec![0.0; self.model.nc()];
        for (i, l) in self.rows.iter().zip(a.split_off(n)) {
            lambda[*i] = k * l;
        }
        Ok((a, lambda, lu, k))
    }
    /// The point of the motion at a state, with accelerations and multipliers.
    ///
    /// # Errors
    /// As [`Self::acceleration`].
    pub fn point(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<Point, PeriodicError> {
        let (a, lambda, ..) = self.solve(t, q, v)?;
        Ok(Point { q: q.to_vec(), v: v.to_vec(), a, lambda, t, u: self.inputs.clone() })
    }
    /// Derivatives of the accelerations at a state.
    ///
    /// # Errors
    /// As [`Self::acceleration`].
    pub fn derivatives(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<Derivatives, PeriodicError> {
        let n = self.n();
        let (a, lambda, lu, scale) = self.solve(t, q, v)?;
        let point = Point { q: q.to_vec(), v: v.to_vec(), a, lambda, t, u: self.inputs.clone() };
        let Blocks { c, k, .. } = self.model.dense_blocks(&point);
        let mut rhs = Dense::zeros(n + self.rows.len(), 2 * n);
        for j in 0..n {
            for i in 0..n {
                rhs[(i, j)] = -k[(i, j)];
                rhs[(i, n + j)] = -c[(i, j)];
            }
        }
        if !self.rows.is_empty() {
            self.place(&mut rhs, &self.model.phi_ddot_q(&point), 0, -scale);
            self.place(&mut rhs, &self.model.phi_ddot_v(&point), n, -scale);
        }
        let x = lu.solve_mat(&rhs);
        let by_p = self.parameter.as_ref().map(|parameter| {
            let (r, phi_ddot) = parameter.equations(&point);
            let rhs = r.iter().map(|x| -x).chain(self.rows.iter().map(|i| -scale * phi_ddot[*i]));
            let mut x = lu.solve(&rhs.collect::<Vec<f64>>());
            x.truncate(n);
            x
        });
        Ok(Derivatives {
            by_p,
            by_q: Dense::from_fn(n, n, |i, j| x[(i, j)]),
            by_v: Dense::from_fn(n, n, |i, j| x[(i, n + j)]),
        })
    }
    /// Adds the independent rows of a matrix of constraints below the n rows of the equations of motion.
    fn place(&self, to: &mut Dense, rows: &Triplets, first: usize, scale: f64) {
        for (row, col, x) in rows.iter() {
            if let Ok(i) = self.rows.binary_search(&row) {
                to[(self.n() + i, first + col)] += scale * x;
            }
        }
    }
    /// The independent rows of a matrix of constraints, r x n.
    pub fn independent(&self, rows: &Triplets) -> Dense {
        let mut out = Dense::zeros(self.rows.len(), self.n());
        for (row, col, x) in rows.iter() {
            if let Ok(i) = self.rows.binary_search(&row) {
                out[(i, col)] += *x;
            }
        }
        out
    }
    /// The independent ones of numbers by row.
    pub fn picked(&self, rows: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|i| rows[*i]).collect()
    }
    /// The constraints at a configuration.
    ///
    /// # Errors
    /// [`PeriodicError::Singular`].
    pub fn constraints(&self, t: f64, q: &[f64]) -> Result<Rows, PeriodicError> {
        let p = self.independent(&self.model.phi_q(q, t));
        if self.rows.is_empty() {
            return Ok(Rows { p, gram: None });
        }
        let gram = dense::mul(&p, &dense::transpose(&p));
        // The pivots of rows of length one show dependence; the factors are of the rows themselves.
        let scale: Vec<f64> = (0..gram.nrows()).map(|i| gram[(i, i)].sqrt().recip()).collect();
        let unit = Dense::from_fn(gram.nrows(), gram.nrows(), |i, j| scale[i] * gram[(i, j)] * scale[j]);
        let singular = || {
            let row = RankQr::new(&normalized_rows(&p), RankTolerance { relative: DEPENDENT.sqrt() });
            let i =
                row.ok().and_then(|qr| qr.redundant_rows().first().copied()).unwrap_or(self.rows.len() - 1);
            PeriodicError::Singular { time: t, row: self.model.row_name(self.rows[i]) }
        };
        let sound = Lu::new(&unit).is_ok_and(|lu| {
            let (low, high) = lu.pivot_range();
            low > DEPENDENT * high
        });
        if !sound {
            return Err(singular());
        }
        Ok(Rows { p, gram: Some(Lu::new(&gram)?) })
    }
    /// The nearest state on the constraints, of positions and velocities.
    ///
    /// # Errors
    /// [`PeriodicError::Singular`].
    pub fn hold(&self, t: f64, q: &mut Vec<f64>, v: &mut [f64]) -> Result<Rows, PeriodicError> {
        let model = self.model;
        let mut last = f64::INFINITY;
        for _ in 0..20 {
            if self.rows.is_empty() {
                break;
            }
            let phi = self.picked(&model.phi(q, t));
            let size = norms::max_abs_vec(&phi);
            if size == 0.0 || size.is_nan() || size > 0.5 * last {
                break;
            }
            last = size;
            let d: Vec<f64> = self.constraints(t, q)?.shortest(&phi).iter().map(|x| -x).collect();
            *q = model.coordinates().retract(q, &d);
        }
        model.coordinates().normalize(q);
        let rows = self.constraints(t, q)?;
        if !self.rows.is_empty() {
            for _ in 0..2 {
                let off = rows.shortest(&self.picked(&model.phi_dot(q, v, t)));
                v.iter_mut().zip(off).for_each(|(v, x)| *v -= x);
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
        let off = |values: Option<&[f64]>| {
            Dense::from_fn(self.rows.len(), columns, |i, j| match values {
                Some(values) if j + 1 == columns => values[i],
                _ => 0.0,
            })
        };
        let x = rows.held(&moved.x, Some(&off(by_p.as_ref().map(|p| &p.0[..]))));
        let change = dense::mul(&self.independent(&self.model.phi_dot_q(q, v, t)), &x);
        let v = rows.held(&moved.v, Some(&(&change + &off(by_p.as_ref().map(|p| &p.1[..])))));
        Directions { x, v, ..moved }
    }
}
