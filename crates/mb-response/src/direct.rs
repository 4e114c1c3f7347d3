//! H at one frequency by a factorization, with a bound of its rounding.
//!
//! ```text
//! P = s^2 M + s C + (1 + i eta) K,  S = [P, Phi_q^T; Phi_q, 0],  W = Y_q + s Y_v + s^2 Y_a,  s = i omega
//! S (x, l) = (F, 0),  H = W x + D;      S^T (z, mu) = (W^T, 0)
//! ```
//!
//! The error of H in exact arithmetic is (z, mu)^T r with the residual r = (F, 0) - S (x, l) of the computed solution. It is
//! bounded by
//!
//! ```text
//! |dH| <= 2 |z|^T (|r| + g (|P| |x| + |Phi_q|^T |l| + |F|)) + 2 |mu|^T (|Phi_q x| + g |Phi_q| |x|) + g |W| |x|
//! ```
//!
//! where g covers the rounding of a row's sum and the factor 2 the error of the computed adjoint z. Of a stiff system |P| |x| exceeds
//! |F| by many digits, so that the solution is refined with residuals in double-double precision, where g is of the order
//! u^2, until the residual adds nothing to the rounding of W x (`refined.rs`). The bound holds for the matrices as given, of constraint rows
//! that follow from others without these. Where it reaches |H| the system has an undamped pole there.
//!
//! A frequency f in Hz is not exactly omega / (2 pi): what the rounding between the two changes is part of the bound too,
//!
//! ```text
//! |dH / d omega| g omega,   dH / ds = (Y_v + 2 s Y_a) x - z^T (2 s M + C) x
//! ```

use crate::bounds::{Terms, WithSizes, rounding};
use crate::error::ResponseError;
use crate::plant::{Plant, Reduced};
use crate::refined::{Equations, Solution, blocks};
use mb_algebra::{AlgebraError, Dense, DenseC, QuadraticPencil, Sparse, c64, dense, norms, sparse};
use mb_eigen::Finding;
use saddle_ldlt::{SaddleAnalysis, SaddleError, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// Evaluations in double-double precision of one frequency at most.
const REFINEMENTS: usize = 5;
/// Part of an output, relative to it, above which it reads how dependent rows share a reaction: below is rounding of their dependence.
const SHARED: f64 = 1e-8;
/// Work of an unsymmetric problem over that of a symmetric one of the same pattern. Measured: a frequency of shafts of 10 and 40 elements
/// takes 10 and 23 ms in a build for tests, one of their projections onto 51 and 61 vectors, whose operations are counted, 0.8.
const OF_UNSYMMETRIC: f64 = 8.0;
/// A bound above this share of what H is made of leaves no digit.
const LOST: f64 = 0.3;
/// Relative rounding of omega = 2 pi f, back and forth, and of 2 pi itself.
pub(crate) const OF_FREQUENCY: f64 = 1.5 * f64::EPSILON;

/// H at one frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// omega, rad/s.
    pub omega: f64,
    /// H, outputs x inputs.
    pub value: DenseC,
    /// Bound of |dH| by entry, outputs x inputs.
    pub bound: Dense,
    /// dH / d omega by entry to rounding, outputs x inputs; in units of H over rad/s.
    pub slope: DenseC,
}

impl Sample {
    /// Places of the entries, (output, input).
    pub(crate) fn entries(&self) -> impl Iterator<Item = (usize, usize)> {
        places(&self.value)
    }
    /// Whether an entry that is not zero has no digit: its bound reaches the largest entry, and `longest`, the length of w times that of x
    /// where it is known, as it does at a pole to rounding. What vanishes by symmetry is far below that length, and known to be small.
    pub(crate) fn is_lost(&self, longest: f64) -> bool {
        let largest = self.entries().map(|at| self.value[at].norm()).fold(longest, f64::max);
        self.entries().any(|at| self.bound[at] > LOST * largest && self.value[at].norm() > 0.0)
    }
}

/// H with its bound, and whether an entry that is not zero has no digit.
pub(crate) struct Solved {
    pub(crate) sample: Sample,
    pub(crate) lost: bool,
}

/// Places of the entries of H, (output, input).
fn places(h: &DenseC) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (ny, nu) = h.shape();
    (0..nu).flat_map(move |i| (0..ny).map(move |o| (o, i)))
}

/// A system prepared for its response.
#[derive(Debug)]
pub struct Response {
    pub(crate) plant: Plant,
    /// Imaginary part of Y_q, from structural damping in outputs that read multipliers.
    pub(crate) lossy: Dense,
    undetermined: Vec<f64>,
    rows: Vec<Finding>,
    /// M, C and K are symmetric to a tolerance.
    pub(crate) symmetric: bool,
    /// Their symmetric parts, where they are not symmetric to the last digit.
    mirrored: Option<QuadraticPencil<Sparse>>,
    pub(crate) analysis: Arc<SaddleAnalysis>,
    /// Rounding of a sum over the longest row.
    pub(crate) rounding: f64,
}

impl Response {
    /// Checks the matrices and analyses their structure.
    ///
    /// # Errors
    /// Shapes that do not fit, entries that are not finite; memory.
    pub fn new(plant: Plant) -> Result<Self, ResponseError> {
        plant.check()?;
        let Reduced { plant, lossy, undetermined, rows } = plant.reduced()?;
        let symmetric = plant.symmetric();
        let mirrored = if symmetric { plant.mirrored() } else { None };
        let p = mirrored.as_ref().unwrap_or(&plant.pencil);
        let pattern = [&p.m, &p.c].iter().fold(p.k.clone(), |sum, a| sparse::add(1.0, &sum, 1.0, a));
        let analysis = Arc::new(SaddleAnalysis::new(&pattern, &p.phi_q, &SaddleOptions::default())?);
        let rounding = rounding(&[&pattern, &sparse::transpose(&pattern), &p.phi_q]);
        Ok(Self { plant, lossy, undetermined, rows, symmetric, mirrored, analysis, rounding })
    }

    /// The system with independent constraint rows, its outputs without multipliers.
    pub fn plant(&self) -> &Plant {
        &self.plant
    }

    /// Outputs that read how constraint rows that depend on each other share a reaction: nothing determines that, and they read the
    /// shortest multipliers.
    pub fn undetermined_outputs(&self) -> Vec<usize> {
        (0..self.undetermined.len()).filter(|o| self.undetermined[*o] > SHARED).collect()
    }

    /// What is known of the constraint rows: redundant ones, a rank that is uncertain.
    pub fn constraint_findings(&self) -> &[Finding] {
        &self.rows
    }

    /// Operations of one factorization with its solutions, by estimate.
    pub fn operations(&self) -> f64 {
        let symmetric = 4.0 * self.analysis.estimate().flops + 4e3 * (self.plant.n() + self.plant.m()) as f64;
        if self.symmetric { symmetric } else { OF_UNSYMMETRIC * symmetric }
    }

    /// W = Y_q + s Y_v + s^2 Y_a transposed, n x outputs.
    pub(crate) fn outputs_at(&self, s: c64) -> DenseC {
        let p = &self.plant;
        DenseC::from_fn(p.n(), p.outputs(), |j, o| {
            c64::new(p.by_q[(o, j)], self.lossy[(o, j)]) + s * p.by_v[(o, j)] + s * s * p.by_a[(o, j)]
        })
    }

    /// The matrices that are factored: symmetric to the last digit where they are to a tolerance. Weak entries, as of the
    /// rotation of an averaged face, may be all asymmetry, and no symmetric factor takes them; residuals are those of the
    /// matrices as given.
    pub(crate) fn factored(&self) -> &QuadraticPencil<Sparse> {
        self.mirrored.as_ref().unwrap_or(&self.plant.pencil)
    }

    /// The factors of M, C and K in P.
    fn terms<'a>(&self, s: c64, p: &'a QuadraticPencil<Sparse>) -> [(c64, &'a Sparse); 3] {
        [(s * s, &p.m), (s, &p.c), (c64::new(1.0, self.plant.loss), &p.k)]
    }

    /// H at s = i omega, omega in rad/s.
    ///
    /// # Errors
    /// [`ResponseError::Pole`] where the response is infinite to rounding; [`ResponseError::BadFrequency`]; memory.
    pub fn direct(&self, omega: f64) -> Result<Sample, ResponseError> {
        let Solved { sample, lost } = self.solved(omega)?;
        if lost { Err(ResponseError::Pole { omega }) } else { Ok(sample) }
    }

    /// The same, whether or not an entry has a digit.
    ///
    /// # Errors
    /// [`ResponseError::Pole`] where the equations have no solution; [`ResponseError::BadFrequency`]; memory.
    pub(crate) fn solved(&self, omega: f64) -> Result<Solved, ResponseError> {
        let Solved { mut sample, lost } = self.at(c64::new(0.0, omega))?;
        for entry in places(&sample.value) {
            sample.bound[entry] += OF_FREQUENCY * omega.abs() * sample.slope[entry].norm();
        }
        Ok(Solved { sample, lost })
    }

    /// H at any s in rad/s, with its bound; `omega` of the sample is Im s.
    ///
    /// # Errors
    /// As [`Response::direct`].
    pub fn transfer(&self, s: c64) -> Result<Sample, ResponseError> {
        let Solved { sample, lost } = self.at(s)?;
        if lost { Err(ResponseError::Pole { omega: s.im }) } else { Ok(sample) }
    }

    /// The factors of S.
    fn factors(&self, s: c64) -> Result<SaddleFactor<c64>, AlgebraError> {
        let (terms, phi) = (self.terms(s, self.factored()), &self.plant.pencil.phi_q);
        if self.symmetric {
            SaddleFactor::of_sum(&self.analysis, &terms, phi)
        } else {
            SaddleFactor::unsymmetric_of_sum(&self.analysis, &terms, phi)
        }
    }

    /// x and z at s, n x inputs and n x outputs.
    pub(crate) fn solutions(&self, s: c64) -> Result<[DenseC; 2], AlgebraError> {
        let factors = self.factors(s)?;
        let (x, _) = factors.solve_block(&dense::to_complex(&self.plant.f))?;
        let (z, _) = factors.solve_block_transposed(&self.outputs_at(s))?;
        Ok([x, z])
    }

    /// H with its bound at any s, and its change with Im s.
    fn at(&self, s: c64) -> Result<Solved, ResponseError> {
        let omega = s.im;
        if !(s.re.is_finite() && omega.is_finite()) {
            return Err(ResponseError::BadFrequency { omega });
        }
        let at_pole = |e: AlgebraError| match e {
            AlgebraError::Saddle(SaddleError::Singular { .. } | SaddleError::ResidualTooLarge { .. })
            | AlgebraError::Singular { .. } => ResponseError::Pole { omega },
            other => other.into(),
        };
        let factors = self.factors(s).map_err(at_pole)?;
        let f = dense::to_complex(&self.plant.f);
        let w = self.outputs_at(s);
        let (x, l) = factors.solve_block(&f).map_err(at_pole)?;
        let (z, mu) = factors.solve_block_transposed(&w).map_err(at_pole)?;
        let slope = self.slope(s, &x, &z);
        let lengths = |a: &DenseC| {
            (0..a.ncols()).map(|j| norms::two_complex(a.col_as_slice(j))).fold(0.0_f64, f64::max)
        };
        let longest = lengths(&w) * lengths(&x);
        let found = self.refined(s, &factors, &f, Solution::new(x, l), &Adjoint { w, z, mu });
        let is_finite = found.is_finite();
        let sample = Sample { omega, bound: found.bound(), value: found.value, slope };
        if !is_finite {
            return Err(ResponseError::Pole { omega });
        }
        let lost = sample.is_lost(longest);
        Ok(Solved { sample, lost })
    }

    /// i ((Y_v + 2 s Y_a) x - z^T (2 s M + C) x), outputs x inputs.
    fn slope(&self, s: c64, x: &DenseC, z: &DenseC) -> DenseC {
        let p = &self.plant;
        let mut out = DenseC::zeros(p.outputs(), p.inputs());
        for i in 0..p.inputs() {
            let x = x.col_as_slice(i);
            let mut image = vec![c64::new(0.0, 0.0); p.n()];
            for (factor, a) in [(2.0 * s, &p.pencil.m), (c64::new(1.0, 0.0), &p.pencil.c)] {
                for (value, (row, col)) in a {
                    image[row] += factor * *value * x[col];
                }
            }
            for o in 0..p.outputs() {
                let read: c64 = (0..p.n()).map(|j| (p.by_v[(o, j)] + 2.0 * s * p.by_a[(o, j)]) * x[j]).sum();
                let moved: c64 = z.col_as_slice(o).iter().zip(&image).map(|(z, y)| z * y).sum();
                out[(o, i)] = c64::new(0.0, 1.0) * (read - moved);
            }
        }
        out
    }

    /// H of a solution, refined as long as the residual exceeds the rounding of W x and falls.
    fn refined(
        &self,
        s: c64,
        factors: &SaddleFactor<c64>,
        f: &DenseC,
        mut solution: Solution,
        adjoint: &Adjoint,
    ) -> Found {
        let p = &self.plant.pencil;
        let given = self.terms(s, p);
        let sums = Terms::new(&given, &p.phi_q);
        let columns = |i: usize| {
            sums.residual(f.col_as_slice(i), solution.x[0].col_as_slice(i), solution.l[0].col_as_slice(i))
        };
        let mut residuals: Vec<_> = (0..f.ncols()).map(columns).collect();
        let mut best = self.evaluated(&solution, adjoint, &residuals, self.rounding);
        if best.is_settled() {
            return best;
        }
        let equations = Equations::new(s, self.plant.loss, p);
        // Half of that rounding is one of a row in its own precision; sizes are those of the first solution.
        let fine = 4.0 * self.rounding * self.rounding;
        for _ in 0..REFINEMENTS {
            let exact = equations.residuals(f, &solution);
            for (column, (rows, constraints)) in residuals.iter_mut().zip(&exact) {
                column.0.iter_mut().zip(rows).for_each(|(r, exact)| r.0 = *exact);
                column.1.iter_mut().zip(constraints).for_each(|(r, exact)| r.0 = *exact);
            }
            let next = self.evaluated(&solution, adjoint, &residuals, fine);
            let gained = next.is_better_than(&best);
            if next.total() < best.total() || !best.is_finite() {
                best = next;
            }
            if !gained || best.is_settled() {
                break;
            }
            let (rows, constraints) = blocks(&exact, self.plant.n(), self.plant.m());
            let Some((dx, dl)) = factors.solve_block_with(&rows, &constraints).ok() else { break };
            solution.add(&dx, &dl);
        }
        best
    }

    /// H with both parts of its bound from residuals with sizes, `unit` the rounding of the residuals over these.
    fn evaluated(
        &self,
        solution: &Solution,
        adjoint: &Adjoint,
        residuals: &[(WithSizes, WithSizes)],
        unit: f64,
    ) -> Found {
        let d = &self.plant.feedthrough;
        let shape = (d.nrows(), d.ncols());
        let mut found = Found {
            value: DenseC::zeros(shape.0, shape.1),
            left: Dense::zeros(shape.0, shape.1),
            rounding: Dense::zeros(shape.0, shape.1),
        };
        let [high, low] = &solution.x;
        for o in 0..d.nrows() {
            let (z, mu) = (adjoint.z.col_as_slice(o), adjoint.mu.col_as_slice(o));
            for (i, (rows, constraints)) in residuals.iter().enumerate() {
                let parts = high.col_as_slice(i).iter().zip(low.col_as_slice(i));
                let products = adjoint.w.col_as_slice(o).iter().zip(parts);
                let start = (c64::new(d[(o, i)], 0.0), c64::new(0.0, 0.0), d[(o, i)].abs());
                let (sum, small, size) = products.fold(start, |(sum, small, size), (w, (x, x_low))| {
                    (sum + w * x, small + w * x_low, size + w.norm() * x.norm())
                });
                found.value[(o, i)] = sum + small;
                found.left[(o, i)] = 2.0 * (weighted(z, rows, unit) + weighted(mu, constraints, unit));
                found.rounding[(o, i)] = self.rounding * size;
            }
        }
        found
    }
}

/// W with the solutions of the adjoint problem.
struct Adjoint {
    w: DenseC,
    z: DenseC,
    mu: DenseC,
}

/// H with the parts of its bound: what the residual leaves, and the rounding of W x.
struct Found {
    value: DenseC,
    left: Dense,
    rounding: Dense,
}

impl Found {
    fn entries(&self) -> impl Iterator<Item = (usize, usize)> {
        places(&self.value)
    }
    fn bound(&self) -> Dense {
        &self.left + &self.rounding
    }
    fn is_finite(&self) -> bool {
        let finite = |at| self.value[at].is_finite() && (self.left[at] + self.rounding[at]).is_finite();
        self.entries().all(finite)
    }
    /// The residual adds no more than the rounding.
    fn is_settled(&self) -> bool {
        self.entries().all(|at| self.left[at] <= self.rounding[at])
    }
    /// What the residuals leave, relative to the values.
    fn total(&self) -> f64 {
        let share = |at| (self.left[at] + self.rounding[at]) / self.value[at].norm().max(f64::MIN_POSITIVE);
        self.entries().map(share).sum()
    }
    /// The bound of some entry fell by half.
    fn is_better_than(&self, other: &Self) -> bool {
        self.entries().any(|at| self.left[at] <= 0.5 * other.left[at]) || !other.is_finite()
    }
}

/// sum |z_i| (|r_i| + u size_i).
fn weighted(z: &[c64], r: &[(c64, f64)], unit: f64) -> f64 {
    z.iter().zip(r).map(|(z, (r, size))| z.norm() * (r.norm() + unit * size)).sum()
}
