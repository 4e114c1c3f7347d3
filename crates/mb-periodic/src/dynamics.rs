//! Accelerations as functions of positions and velocities, and their exact derivatives.
//!
//! ```text
//! [ M  P^T ] [ a      ]   [ f     ]        [ M  P^T ] [ da      ]     [ K dq + C dv            ]
//! [ P   0  ] [ lambda ] = [ gamma ],       [ P   0  ] [ dlambda ] = - [ Phi''_q dq + Phi''_v dv ]
//! ```
//!
//! P are rows of Phi_q that are independent, the same throughout a motion: redundant rows add nothing on the constraints, and
//! near them, where stages are, they would contradict the others. Their multipliers are zero. Velocity rows stand below the
//! position rows: they hold velocities and no configuration ([`crate::rows`]).

use crate::error::PeriodicError;
use crate::parameter::{ByParameter, ParameterJet};
use crate::rows::independent_rows;
use mb_algebra::{AlgebraError, Dense, Lu, Triplets, norms};
use mb_constraints::ConstraintError;
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

/// Accelerations of a model with constant inputs.
#[derive(Debug)]
pub struct Dynamics<'m> {
    /// The model.
    pub model: &'m Model,
    inputs: Vec<f64>,
    /// Independent rows of the constraints: position rows, and then velocity rows.
    pub(crate) rows: Vec<usize>,
    /// How many of them are position rows.
    pub(crate) positions: usize,
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

impl<'m> Dynamics<'m> {
    /// For a motion that goes through `at`, where the independent rows are chosen.
    ///
    /// # Errors
    /// Entries that are not finite.
    pub fn new(model: &'m Model, inputs: &[f64], at: &State) -> Result<Self, PeriodicError> {
        let (rows, positions) = independent_rows(model, at)?;
        let terms = MotionTerms::dense(model);
        Ok(Self { model, inputs: inputs.to_vec(), rows, positions, terms, parameter: None })
    }
    /// The same with derivatives by a parameter, of the same model made in jets of it.
    #[must_use]
    pub fn with_parameter(mut self, model: &'m Model<ParameterJet>) -> Self {
        self.parameter = Some(ByParameter::new(model));
        self
    }
    /// Derivatives of the independent position rows of Phi, and of all independent rows of Phi', by the parameter.
    pub(crate) fn rows_by_parameter(&self, q: &[f64], v: &[f64], t: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let (phi, rate) = self.parameter.as_ref()?.constraints(q, v, t);
        Some((self.picked(&phi, self.positions), self.picked(&rate, self.rows.len())))
    }
    /// Velocities n.
    pub fn n(&self) -> usize {
        self.model.nv()
    }
    /// Constant inputs of the model.
    pub fn inputs(&self) -> &[f64] {
        &self.inputs
    }
    /// The independent rows, position rows first.
    pub fn rows(&self) -> &[usize] {
        &self.rows
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
        let at = self.places();
        for (row, col, x) in rows.iter() {
            if let Some(i) = at[row] {
                to[(self.n() + i, first + col)] += scale * x;
            }
        }
    }
    /// The place of every row of the model among the independent ones.
    pub(crate) fn places(&self) -> Vec<Option<usize>> {
        let mut at = vec![None; self.model.nc()];
        for (i, row) in self.rows.iter().enumerate() {
            at[*row] = Some(i);
        }
        at
    }
}
