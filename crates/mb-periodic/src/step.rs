//! One step of a Radau IIA method, and its exact derivative by the start.
//!
//! ```text
//! V_i = v0 + h sum_j a_ij A_j,   D_i = h sum_j a_ij T^-1(D_j) V_j,   Q_i = q0 (+) D_i,   A_i = a(Q_i, V_i, t0 + c_i h)
//! end: Q_s, V_s, moved the shortest way onto Phi = 0 and Phi' = 0
//! ```
//!
//! The accelerations solve the index-one equations, of which Phi = 0, Phi' = 0 is an invariant set, so that the method has its
//! full order 2 s - 1 and the last move is of the size of its error. The derivative is that of these equations,
//!
//! ```text
//! dV_i = dv0 + h sum_j a_ij dA_j,   x_i = sum_j Y_ij dV_j + R(D_i)^T x0,   dA_i = a_q x_i + a_v dV_i
//! ```
//!
//! with Y = h A for linear coordinates and Y = T (1 - h A T^-1_d)^-1 h A T^-1 in blocks of three for rotations; one matrix of s n
//! rows, factored once a step, serves the sensitivities and Newton's method in the next step. Moved onto the constraints, directions
//! are projected onto their tangent; the curvature of the constraints times the length of the move is left out, which is smaller than
//! the error of the step.

use crate::dynamics::{Derivatives, Dynamics, State};
use crate::error::PeriodicError;
use crate::geometry::{Three, increment_rate, increment_rate_by, inverse, rotation, rotations};
use crate::tableau::Tableau;
use mb_algebra::{Dense, Lu, dense, interrupt, norms};

/// Stages of the method: order 9.
pub const STAGES: usize = 5;

/// Change of Newton's method relative to the motion that is rounding where a fresh matrix makes it no smaller.
const ROUNDED: f64 = 1e-9;

/// Largest rotation of a body in one step, rad.
const LARGEST_TURN: f64 = 2.5;

/// Directions that are carried along: x (n x k) along the tangent, v (n x k) of the velocities.
#[derive(Clone, Debug)]
pub struct Directions {
    /// Changes of the configuration.
    pub x: Dense,
    /// Changes of the velocities.
    pub v: Dense,
    /// Whether the last column is that of a change of the parameter by one.
    pub parameter: bool,
}

/// The stages of a step.
#[derive(Clone, Debug)]
struct Stages {
    a: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
    d: Vec<Vec<f64>>,
    q: Vec<Vec<f64>>,
}

/// Makes steps of a motion.
#[derive(Debug)]
pub struct Stepper<'m> {
    /// The accelerations.
    pub dynamics: Dynamics<'m>,
    tableau: Tableau,
    turning: Vec<usize>,
    /// Step and factors of the last matrix.
    factor: Option<(f64, Lu)>,
    last: Option<(f64, Vec<Vec<f64>>)>,
}

/// How the increments of one body's rotation go with its velocities at all stages.
struct Turn {
    at: usize,
    /// Y_ij.
    y: Vec<Vec<Three>>,
    /// h sum_j Y_ij a_jk.
    z: Vec<Vec<Three>>,
    /// R(D_i)^T.
    back: Vec<Three>,
}

impl<'m> Stepper<'m> {
    /// Steps with the accelerations of `dynamics`.
    ///
    /// # Errors
    /// None that depend on data.
    pub fn new(dynamics: Dynamics<'m>) -> Result<Self, PeriodicError> {
        let turning = rotations(dynamics.model);
        Ok(Self { dynamics, tableau: Tableau::radau(STAGES)?, turning, factor: None, last: None })
    }
    /// Velocities, increments and configurations of the stages from their accelerations.
    fn place(&self, from: &State, h: f64, a: Vec<Vec<f64>>) -> Result<Stages, PeriodicError> {
        let (s, n) = (self.tableau.stages(), self.dynamics.n());
        let t = &self.tableau;
        let mut v = vec![from.v.clone(); s];
        let mut d = vec![vec![0.0; n]; s];
        for i in 0..s {
            for k in 0..n {
                let sum: f64 = (0..s).map(|j| t.a[(i, j)] * a[j][k]).sum();
                let twice: f64 = (0..s).map(|j| t.a2[(i, j)] * a[j][k]).sum();
                v[i][k] += h * sum;
                d[i][k] = h * (t.c[i] * from.v[k] + h * twice);
            }
        }
        for at in &self.turning {
            self.turn(*at, h, &v, &mut d, from)?;
        }
        let c = self.dynamics.model.coordinates();
        let q = d.iter().map(|d| c.retract(&from.q, d)).collect();
        Ok(Stages { a, v, d, q })
    }
    /// Solves D_i = h sum_j a_ij T^-1(D_j) V_j for one rotation.
    fn turn(
        &self,
        at: usize,
        h: f64,
        v: &[Vec<f64>],
        d: &mut [Vec<f64>],
        from: &State,
    ) -> Result<(), PeriodicError> {
        let s = self.tableau.stages();
        let of = |x: &[f64]| [x[at], x[at + 1], x[at + 2]];
        let mut own: Vec<[f64; 3]> = d.iter().map(|d| of(d)).collect();
        let mut last = f64::INFINITY;
        for _ in 0..60 {
            let rates: Vec<[f64; 3]> = (0..s).map(|j| increment_rate(own[j], of(&v[j]))).collect();
            let mut change = 0.0_f64;
            for i in 0..s {
                for k in 0..3 {
                    let sum: f64 = (0..s).map(|j| self.tableau.a[(i, j)] * rates[j][k]).sum();
                    change = change.max((h * sum - own[i][k]).abs());
                    own[i][k] = h * sum;
                }
            }
            let large = own.iter().flatten().any(|x| !x.is_finite() || x.abs() > LARGEST_TURN);
            if large {
                break;
            }
            if change < 1e-16 || (change < 1e-13 && change > 0.5 * last) {
                for (d, own) in d.iter_mut().zip(&own) {
                    d[at..at + 3].copy_from_slice(own);
                }
                return Ok(());
            }
            last = change;
        }
        Err(self.fails(from.t, h, at))
    }
    fn fails(&self, time: f64, step: f64, coordinate: usize) -> PeriodicError {
        PeriodicError::StepFails { time, step, coordinate: self.dynamics.model.coordinate_name(coordinate) }
    }
    /// How rotations go with velocities, at the stages.
    fn turns(&self, h: f64, stages: &Stages) -> Result<Vec<Turn>, PeriodicError> {
        let (s, t) = (self.tableau.stages(), &self.tableau);
        let mut out = Vec::with_capacity(self.turning.len());
        for at in &self.turning {
            let of = |x: &[f64]| [x[*at], x[at + 1], x[at + 2]];
            let parts: Vec<(Three, Three)> =
                (0..s).map(|i| increment_rate_by(of(&stages.d[i]), of(&stages.v[i]))).collect();
            let block = |f: &dyn Fn(usize) -> Three, one: f64, sign: f64| {
                let f: Vec<Three> = (0..s).map(f).collect();
                Dense::from_fn(3 * s, 3 * s, |r, c| {
                    let (i, j) = (r / 3, c / 3);
                    let unit = if r == c { one } else { 0.0 };
                    unit + sign * h * t.a[(i, j)] * f[j][r % 3][c % 3]
                })
            };
            let lhs = block(&|j| parts[j].1, 1.0, -1.0);
            let w = Lu::new(&lhs)?.solve_mat(&block(&|j| parts[j].0, 0.0, 1.0));
            let tangent: Vec<Three> = parts.iter().map(|p| inverse(&p.0)).collect();
            let y: Vec<Vec<Three>> = (0..s)
                .map(|i| {
                    let entry = |j: usize, r: usize, c: usize| -> f64 {
                        (0..3).map(|k| tangent[i][r][k] * w[(3 * i + k, 3 * j + c)]).sum()
                    };
                    (0..s)
                        .map(|j| core::array::from_fn(|r| core::array::from_fn(|c| entry(j, r, c))))
                        .collect()
                })
                .collect();
            let z = (0..s)
                .map(|i| {
                    let entry = |k: usize, r: usize, c: usize| -> f64 {
                        (0..s).map(|j| h * y[i][j][r][c] * t.a[(j, k)]).sum()
                    };
                    (0..s)
                        .map(|k| core::array::from_fn(|r| core::array::from_fn(|c| entry(k, r, c))))
                        .collect()
                })
                .collect();
            let back = (0..s)
                .map(|i| {
                    let r = rotation(of(&stages.d[i]));
                    core::array::from_fn(|a| core::array::from_fn(|b| r[b][a]))
                })
                .collect();
            out.push(Turn { at: *at, y, z, back });
        }
        Ok(out)
    }
    /// The matrix of the stage equations: identity less a_q x + a_v dV, in blocks of stages.
    fn matrix(&self, h: f64, by: &[Derivatives], turns: &[Turn]) -> Dense {
        let (s, n) = (self.tableau.stages(), self.dynamics.n());
        let t = &self.tableau;
        let mut full = Dense::zeros(s * n, s * n);
        for i in 0..s {
            for k in 0..s {
                let (za, zv) = (h * h * t.a2[(i, k)], h * t.a[(i, k)]);
                for c in 0..n {
                    for r in 0..n {
                        full[(i * n + r, k * n + c)] = -(by[i].by_q[(r, c)] * za + by[i].by_v[(r, c)] * zv);
                    }
                }
                for turn in turns {
                    for c in 0..3 {
                        for r in 0..n {
                            let sum: f64 =
                                (0..3).map(|l| by[i].by_q[(r, turn.at + l)] * turn.z[i][k][l][c]).sum();
                            full[(i * n + r, k * n + turn.at + c)] =
                                -(sum + by[i].by_v[(r, turn.at + c)] * zv);
                        }
                    }
                }
            }
        }
        for i in 0..s * n {
            full[(i, i)] += 1.0;
        }
        full
    }
    fn derivatives(
        &mut self,
        from: &State,
        h: f64,
        stages: &Stages,
    ) -> Result<Vec<Derivatives>, PeriodicError> {
        let times: Vec<f64> = self.tableau.c.iter().map(|c| from.t + c * h).collect();
        (0..times.len()).map(|i| self.dynamics.derivatives(times[i], &stages.q[i], &stages.v[i])).collect()
    }
    fn renew(&mut self, from: &State, h: f64, stages: &Stages) -> Result<(), PeriodicError> {
        let by = self.derivatives(from, h, stages)?;
        let turns = self.turns(h, stages)?;
        self.factor = Some((h, Lu::new(&self.matrix(h, &by, &turns))?));
        Ok(())
    }
    /// Solves the stage equations.
    fn stages(&mut self, from: &State, h: f64) -> Result<Stages, PeriodicError> {
        let (s, n) = (self.tableau.stages(), self.dynamics.n());
        let guess = match &self.last {
            Some((step, a)) if (step - h).abs() <= 1e-9 * h.abs() => {
                let next = &self.tableau.next;
                (0..s)
                    .map(|i| (0..n).map(|k| (0..s).map(|j| next[(i, j)] * a[j][k]).sum()).collect())
                    .collect()
            }
            _ => vec![self.dynamics.acceleration(from.t, &from.q, &from.v)?; s],
        };
        let old = self.factor.as_ref().is_some_and(|(step, _)| (step - h).abs() <= 1e-9 * h.abs());
        let mut stages = self.place(from, h, guess)?;
        let mut fresh = !old;
        if fresh {
            self.renew(from, h, &stages)?;
        }
        let (mut last, mut worst) = (f64::INFINITY, 0);
        for iteration in 0..60 {
            let mut rhs = vec![0.0; s * n];
            for i in 0..s {
                let t = from.t + self.tableau.c[i] * h;
                let a = self.dynamics.acceleration(t, &stages.q[i], &stages.v[i])?;
                for k in 0..n {
                    rhs[i * n + k] = a[k] - stages.a[i][k];
                }
            }
            let Some((_, lu)) = &self.factor else { break };
            let x = lu.solve(&rhs);
            // What it changes in positions and velocities, against their size.
            let speed = norms::max_abs_vec(&from.v)
                .max(h.abs() * stages.a.iter().map(|a| norms::max_abs_vec(a)).fold(0.0, f64::max));
            let size = h.abs() * norms::max_abs_vec(&x) / speed.max(1e-300);
            worst = (0..n).max_by(|a, b| x[*a].abs().total_cmp(&x[*b].abs())).unwrap_or(0);
            let mut a = stages.a.clone();
            for i in 0..s {
                for k in 0..n {
                    a[i][k] += x[i * n + k];
                }
            }
            if !size.is_finite() {
                break;
            }
            stages = self.place(from, h, a)?;
            // Where a slow motion turns round, rounding of large forces that cancel is more than that of its speed.
            let rounding = size > 0.3 * last && (size <= 1e-12 || (fresh && size <= ROUNDED));
            if size <= 1e-15 || speed == 0.0 || rounding {
                return Ok(stages);
            }
            if size > 0.3 * last && iteration > 1 {
                if fresh && size > 2.0 * last {
                    break;
                }
                self.renew(from, h, &stages)?;
                fresh = true;
            }
            last = size;
        }
        self.factor = None;
        Err(self.fails(from.t, h, worst))
    }
    /// One step of length `h`, on the constraints at its end; `directions` go along.
    ///
    /// # Errors
    /// [`PeriodicError::StepFails`], [`PeriodicError::Singular`], mass missing, numbers that are not finite.
    pub fn step(
        &mut self,
        from: &State,
        h: f64,
        directions: Option<&mut Directions>,
    ) -> Result<State, PeriodicError> {
        interrupt::check();
        let stages = self.stages(from, h)?;
        let s = self.tableau.stages();
        let t = from.t + h;
        let moved = match directions {
            Some(directions) => Some((self.carried(from, h, &stages, directions)?, directions)),
            None => None,
        };
        let (mut q, mut v) = (stages.q[s - 1].clone(), stages.v[s - 1].clone());
        let rows = self.dynamics.hold(t, &mut q, &mut v)?;
        if let Some((moved, directions)) = moved {
            *directions = self.dynamics.on_constraints(&rows, (t, &q, &v), moved);
        }
        self.last = Some((h, stages.a));
        Ok(State { t, q, v })
    }
    /// The directions at the last stage.
    fn carried(
        &mut self,
        from: &State,
        h: f64,
        stages: &Stages,
        start: &Directions,
    ) -> Result<Directions, PeriodicError> {
        let (s, n, columns) = (self.tableau.stages(), self.dynamics.n(), start.x.ncols());
        let by = self.derivatives(from, h, stages)?;
        let turns = self.turns(h, stages)?;
        let lu = Lu::new(&self.matrix(h, &by, &turns))?;
        // What the start alone makes of the stages: x_i = sum_j Y_ij dv0 + R(D_i)^T x0.
        let at = |i: usize| {
            let mut x =
                Dense::from_fn(n, columns, |r, c| start.x[(r, c)] + h * self.tableau.c[i] * start.v[(r, c)]);
            for turn in &turns {
                for c in 0..columns {
                    for r in 0..3 {
                        let mut sum = 0.0;
                        for l in 0..3 {
                            let y: f64 = (0..s).map(|j| turn.y[i][j][r][l]).sum();
                            sum += turn.back[i][r][l] * start.x[(turn.at + l, c)]
                                + y * start.v[(turn.at + l, c)];
                        }
                        x[(turn.at + r, c)] = sum;
                    }
                }
            }
            x
        };
        let mut rhs = Dense::zeros(s * n, columns);
        for i in 0..s {
            let part = &dense::mul(&by[i].by_q, &at(i)) + &dense::mul(&by[i].by_v, &start.v);
            for c in 0..columns {
                for r in 0..n {
                    rhs[(i * n + r, c)] = part[(r, c)];
                }
            }
            if let Some(by_p) = by[i].by_p.as_ref().filter(|_| start.parameter) {
                for r in 0..n {
                    rhs[(i * n + r, columns - 1)] += by_p[r];
                }
            }
        }
        let a = lu.solve_mat(&rhs);
        let end = at(s - 1);
        let (mut x, mut v) = (end.clone(), start.v.clone());
        let t = &self.tableau;
        for c in 0..columns {
            for r in 0..n {
                for k in 0..s {
                    v[(r, c)] += h * t.a[(s - 1, k)] * a[(k * n + r, c)];
                    x[(r, c)] += h * h * t.a2[(s - 1, k)] * a[(k * n + r, c)];
                }
            }
            for turn in &turns {
                for r in 0..3 {
                    let mut sum = end[(turn.at + r, c)];
                    for k in 0..s {
                        for l in 0..3 {
                            sum += turn.z[s - 1][k][r][l] * a[(k * n + turn.at + l, c)];
                        }
                    }
                    x[(turn.at + r, c)] = sum;
                }
            }
        }
        self.factor = Some((h, lu));
        Ok(Directions { x, v, parameter: start.parameter })
    }
}
