//! The matrix of the balance of an operating point, factored.
//!
//! ```text
//!            q free       lambda    u holding   v following   a following
//! r      [ K              Phi_q^T   -F          C             M           ]
//! Phi    [ Phi_q          0          0          0             0           ]
//! Phi'   [ dPhi'/dq       0          0          Phi_q         0           ]
//! Phi''  [ dPhi''/dq      0          0          dPhi''/dv     Phi_q       ]
//! ```
//!
//! square of size n + m at rest and n + 3 m in motion, with n coordinates and m constraint rows; the last two columns
//! hold the m speeds and accelerations that follow from the others (following.rs). Unknowns and rows are scaled so
//! that pivots compare alike: forces by |K|, constraints by |Phi_q|, time by sqrt(|K| / |M|). Small matrices are
//! factored dense, large ones sparse. Singular where the equilibrium is not isolated. In steady motion v and a follow from q, and K is
//! that of the frame that moves along (steady.rs).

use super::following::full_rank;
use super::steady;
use crate::ParametricError;
use crate::steady::SteadyRule;
use mb_algebra::{AlgebraError, Lu, Scatter, Sparse, SparseLu, Triplets, norms, to_dense};
use mb_model::system::LinearizedBlocks;
use mb_model::{Model, Point};

/// Unknowns from which on the matrix is factored sparse.
const SPARSE_FROM: usize = 500;

/// What is solved for: numbers of coordinates and inputs.
#[derive(Clone, Debug)]
pub(super) struct Unknowns {
    /// Coordinates that are free.
    pub(super) free: Vec<usize>,
    /// Inputs that hold the others.
    pub(super) holding: Vec<usize>,
    /// Multipliers.
    pub(super) constraints: usize,
    /// Coordinates whose speeds and accelerations follow; none at rest and in steady motion.
    pub(super) following: Vec<usize>,
    /// How all velocities follow in steady motion.
    pub(super) steady: Option<SteadyRule>,
}

/// A residual, or a change of the unknowns: each list in the order of [`Unknowns`].
#[derive(Clone, Debug)]
pub(super) struct Residual {
    pub(super) r: Vec<f64>,
    pub(super) phi: Vec<f64>,
    /// Phi' and Phi''; empty at rest.
    pub(super) rates: [Vec<f64>; 2],
}

/// A change of the unknowns.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) free: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    pub(super) u: Vec<f64>,
    /// Speeds and accelerations that follow; empty at rest.
    pub(super) v: Vec<f64>,
    pub(super) a: Vec<f64>,
}

/// Magnitudes of K, Phi_q and F, and a frequency.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    k: f64,
    phi: f64,
    f: f64,
    pub(super) frequency: f64,
}

/// The factored matrix.
pub(super) struct Jacobian {
    scale: Scale,
    factors: Factors,
}

/// Reciprocal condition numbers up to which a matrix is singular to rounding, of dense and of sparse factors.
const SINGULAR: [f64; 2] = [1e-14, 1e-16];

enum Factors {
    Dense(Lu),
    Sparse(Box<SparseLu>),
}

impl Jacobian {
    /// Factors the matrix at a point.
    ///
    /// Errors: [`ParametricError::RedundantConstraints`] (of a large model as not isolated);
    /// [`ParametricError::NotBalanced`] for a singular matrix.
    pub(super) fn new(model: &Model, at: &Point, unknowns: &Unknowns) -> Result<Self, ParametricError> {
        let blocks = match &unknowns.steady {
            None => model.blocks(at),
            Some(rule) => steady::blocks(model, at, rule),
        };
        let inputs = model.input_matrix(at).to_sparse();
        let scale = Scale::new(&blocks, &inputs);
        let mut matrix = unknowns.matrix(model, at, &blocks, &inputs, scale);
        let small = matrix.rows() < SPARSE_FROM;
        if small {
            full_rank(&to_dense(&blocks.phi_q))?;
        }
        if unknowns.steady.is_some() {
            steady::pin(model, at, &unknowns.free, &mut matrix, small)?;
        }
        let singular = |e: AlgebraError| match e {
            AlgebraError::Singular { .. } => not_isolated(),
            other => other.into(),
        };
        let factors = if small {
            Factors::Dense(Lu::new(&matrix.to_dense()).map_err(singular)?)
        } else {
            Factors::Sparse(Box::new(SparseLu::new(&matrix.to_sparse()).map_err(singular)?))
        };
        Ok(Self { scale, factors })
    }

    /// Refuses a matrix that is singular to rounding.
    ///
    /// Errors: [`ParametricError::NotBalanced`].
    pub(super) fn check_isolated(&self) -> Result<(), ParametricError> {
        let (rcond, least) = match &self.factors {
            Factors::Dense(lu) => (lu.rcond(), SINGULAR[0]),
            Factors::Sparse(lu) => (lu.rcond(), SINGULAR[1]),
        };
        if rcond.is_nan() || rcond <= least { Err(not_isolated()) } else { Ok(()) }
    }

    /// The largest entry of K.
    pub(super) fn largest_stiffness(&self) -> f64 {
        self.scale.k
    }

    /// A frequency of the model, rad/s, by which speeds compare with displacements.
    pub(super) fn frequency(&self) -> f64 {
        self.scale.frequency
    }

    /// The largest entry of Phi_q.
    pub(super) fn largest_constraint(&self) -> f64 {
        self.scale.phi
    }

    /// The change of the unknowns that removes a residual.
    pub(super) fn correction(&self, unknowns: &Unknowns, residual: &Residual) -> Change {
        let Scale { k, phi, f, frequency: w } = self.scale;
        let rows = [
            (&residual.r, k),
            (&residual.phi, phi),
            (&residual.rates[0], phi * w),
            (&residual.rates[1], phi * w * w),
        ];
        let rhs: Vec<f64> = rows.iter().flat_map(|(list, by)| list.iter().map(move |x| -x / by)).collect();
        let x = match &self.factors {
            Factors::Dense(lu) => lu.solve(&rhs),
            Factors::Sparse(lu) => lu.solve(&rhs),
        };
        let (free, rest) = x.split_at(unknowns.free.len());
        let (lambda, rest) = rest.split_at(unknowns.constraints);
        let (u, rest) = rest.split_at(unknowns.holding.len());
        let (v, a) = rest.split_at(unknowns.following.len());
        let back = |list: &[f64], by: f64| list.iter().map(|x| x * by).collect();
        Change {
            free: free.to_vec(),
            lambda: back(lambda, k / phi),
            u: back(u, k / f),
            v: back(v, w),
            a: back(a, w * w),
        }
    }
}

impl Change {
    /// Takes a part of a step.
    pub(super) fn shorten(&mut self, part: f64) {
        if part < 1.0 {
            let all = self.free.iter_mut().chain(&mut self.lambda).chain(&mut self.u);
            all.chain(&mut self.v).chain(&mut self.a).for_each(|x| *x *= part);
        }
    }
}

impl Scale {
    fn new(blocks: &LinearizedBlocks, inputs: &Sparse) -> Self {
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        let [m, k, phi, f] = [&blocks.m, &blocks.k, &blocks.phi_q, inputs].map(norms::max_abs);
        let frequency = positive(if m > 0.0 { (k / m).sqrt() } else { 0.0 });
        Self { k: positive(k), phi: positive(phi), f: positive(f), frequency }
    }
}

impl Unknowns {
    /// The scaled matrix.
    fn matrix(
        &self,
        model: &Model,
        at: &Point,
        blocks: &LinearizedBlocks,
        inputs: &Sparse,
        scale: Scale,
    ) -> Triplets {
        let Scale { k, phi, f, frequency: w } = scale;
        let (n, nf, nc, nd) = (model.nv(), self.free.len(), self.constraints, self.following.len());
        let place = |list: &[usize], from: usize| {
            let mut out = vec![None; n];
            list.iter().enumerate().for_each(|(col, &j)| out[j] = Some(from + col));
            out
        };
        let free = place(&self.free, 0);
        let size = n + nc + 2 * nd;
        let mut out = Triplets::new(size, size);
        let mut add = |a: &Sparse, row: usize, columns: &[Option<usize>], by: f64| {
            for (value, (i, j)) in a {
                if let Some(col) = columns[j] {
                    out.add(row + i, col, value * by);
                }
            }
        };
        add(&blocks.k, 0, &free, k.recip());
        add(&blocks.phi_q, n, &free, phi.recip());
        let mut held = vec![None; model.inputs().len()];
        self.holding.iter().enumerate().for_each(|(h, &i)| held[i] = Some(nf + nc + h));
        add(inputs, 0, &held, -f.recip());
        if nd > 0 {
            let (speeds, accelerations) =
                (place(&self.following, n + nc), place(&self.following, n + nc + nd));
            let triplets = [model.phi_dot_q(&at.q, &at.v, at.t), model.phi_ddot_q(at), model.phi_ddot_v(at)];
            let [dot_q, ddot_q, ddot_v] = triplets.map(|t| t.to_sparse());
            add(&blocks.c, 0, &speeds, w / k);
            add(&blocks.m, 0, &accelerations, w * w / k);
            add(&dot_q, n + nc, &free, (phi * w).recip());
            add(&blocks.phi_q, n + nc, &speeds, phi.recip());
            add(&ddot_q, n + 2 * nc, &free, (phi * w * w).recip());
            add(&ddot_v, n + 2 * nc, &speeds, (phi * w).recip());
            add(&blocks.phi_q, n + 2 * nc, &accelerations, phi.recip());
        }
        for (value, (i, j)) in &blocks.phi_q {
            out.add(j, nf + i, value / phi);
        }
        out
    }
}

fn not_isolated() -> ParametricError {
    ParametricError::NotBalanced {
        reason:
            "the equilibrium there is not isolated (a free motion, a buckling load, or an input that does \
                 not hold its coordinate)"
                .into(),
        singular: true,
    }
}
