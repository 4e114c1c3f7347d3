//! Thick-restart block Lanczos for S^-1 M in the semi-inner product of M.
//!
//! ```text
//! S^-1 M V = V T + Q B,   V^T M V = I,   T symmetric k x k
//! Ritz pairs: T y = theta y, x = V y, |S^-1 M x - theta x|_M = |B y|
//! ```
//!
//! The whole basis is kept orthogonal (cost 4 n k p a step, small compared with the solves). At a restart the
//! best Ritz vectors stay and the last block follows them; their coupling comes out of the next projection.
//! Wu and Simon, SIAM J. Matrix Anal. 22 (2000); Grimes, Lewis, Simon, SIAM J. Matrix Anal. 15 (1994). Repeated
//! eigenvalues up to the block size are found at once, higher multiplicities through rounding or a second search
//! from other start vectors with these deflated.

use mb_algebra::sorted::descending;
use mb_algebra::{Dense, SymmetricEigen, interrupt};

use super::gram_schmidt::Indefinite;
use super::orthogonalize::{Block, Recurrence, orthonormalize};
use super::scalar::{product, put, start_block, turn};
use super::{Ritz, RitzReal, SymmetricOperator, Wanted};
use crate::EigenError;
use crate::error::at;
use crate::tuning;

/// Basis with its projection.
struct Basis<'a> {
    operator: &'a dyn SymmetricOperator,
    /// V, then the current block; n x (largest dimension + block).
    v: Dense,
    /// M times the current block.
    force: Dense,
    /// T, filled up to `done`.
    t: Dense,
    /// Columns the operator was applied to (restart vectors included).
    done: usize,
    /// Columns present.
    filled: usize,
    /// Sum of all columns, with signs, times M.
    mixture: Vec<f64>,
    /// Where the block before the current one begins; none where that couples to more than it and itself.
    previous: Option<usize>,
    /// Coupling of the current block to the last columns: B, r x p.
    coupling: Dense,
    /// Asymmetry seen in T, which only errors of the operator can cause: no residual means anything below it.
    noise: f64,
    /// The residual that is asked for, relative to |theta|.
    tolerance: f64,
}

/// Ritz values by |theta|, with residuals.
struct Projection {
    values: Vec<f64>,
    vectors: Dense,
    residuals: Vec<f64>,
    /// Errors of the operator; zero where they are rounding.
    noise: f64,
}

/// Largest |theta| of a symmetric operator.
pub(super) fn solve(
    operator: &dyn SymmetricOperator,
    start: Option<&Dense>,
    wanted: &Wanted,
) -> Result<RitzReal, EigenError> {
    let n = operator.size();
    let limit = wanted.dimension(n);
    let block = wanted.block.clamp(1, n.max(1));
    let mut out = Ritz {
        values: Vec::new(),
        vectors: Dense::zeros(n, 0),
        estimates: Vec::new(),
        exhausted: n == 0,
        applications: 0,
        restarts: 0,
        remarks: Vec::new(),
    };
    if n == 0 || wanted.count == 0 {
        return Ok(out);
    }
    let start = match start {
        Some(start) if start.ncols() > 0 => start.as_ref().subcols(0, block.min(start.ncols())).to_owned(),
        _ => start_block(n, block, wanted.salt),
    };
    let mut basis = Basis::new(operator, limit, block, wanted.tolerance);
    out.applications += start.ncols();
    basis.begin(&start)?;
    let mut fresh = 0_u64;
    // Columns from which on a look at the projection is due.
    let mut due = first_look(n, block, wanted);
    let mut last = None;
    loop {
        if basis.filled == basis.done && basis.filled > limit {
            // Invariant and full: everything in it has converged, and there is no room to look outside it.
            break;
        }
        if basis.filled == basis.done {
            // An invariant subspace; what lies outside it is reached by another start.
            fresh += 1;
            let salt = wanted.salt.wrapping_add(fresh << 32);
            out.applications += block;
            basis.begin(&start_block(n, block, salt))?;
            if basis.filled == basis.done {
                out.exhausted = true;
                break;
            }
        }
        let width = basis.filled - basis.done;
        basis.step()?;
        out.applications += width;
        let full = basis.filled > limit;
        if basis.filled == basis.done || (basis.done < due && !full) {
            continue;
        }
        let projection = basis.project()?;
        if projection.converged(wanted.tolerance) >= wanted.count {
            last = Some(projection);
            break;
        }
        due = basis.done + block * blocks_for_a_look(n, basis.done);
        if full {
            if out.restarts >= wanted.restarts {
                last = Some(projection);
                break;
            }
            out.restarts += 1;
            basis.restart(&projection, wanted);
            due = basis.done + block * blocks_for_a_look(n, basis.done);
        }
    }
    let projection = match last {
        Some(projection) => projection,
        None => basis.project()?,
    };
    let count = projection.converged(wanted.tolerance).min(wanted.count.max(1));
    out.values = projection.values[..count].to_vec();
    out.estimates.clone_from(&projection.values);
    out.vectors =
        product(basis.v.as_ref().subcols(0, basis.done), projection.vectors.as_ref().subcols(0, count));
    Ok(out)
}

/// Columns at which the wanted eigenpairs may have converged: where a look costs as much as several blocks, not before half as many
/// again as are wanted; where it costs as much as all those that are left to twice as many, not before that.
fn first_look(n: usize, block: usize, wanted: &Wanted) -> usize {
    let count = wanted.count;
    // In a small space there may be no more than that.
    if n < 64 || blocks_for_a_look(n, count) == 0 {
        count
    // Most blocks added between two looks at the projection.
    } else if blocks_for_a_look(n, 2 * count) < tuning::ATTEMPTS {
        count + count / 2 + 2 * block
    } else {
        2 * count + tuning::ATTEMPTS * block
    }
}

/// How many blocks cost as much as a projected problem of size k does: about 8 k^3 + 10,000 operations against 2 n k + 5,000.
fn blocks_for_a_look(n: usize, k: usize) -> usize {
    ((8 * k * k * k + 10_000) / (2 * n * k + 5_000)).min(tuning::ATTEMPTS)
}

/// The sign of a column in the mixture.
fn sign(column: usize) -> f64 {
    let bits = (column as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if (bits ^ (bits >> 29)) >> 32 & 1 == 0 { 1.0 } else { -1.0 }
}

impl<'a> Basis<'a> {
    fn new(operator: &'a dyn SymmetricOperator, limit: usize, block: usize, tolerance: f64) -> Self {
        let columns = limit + 2 * block;
        // Columns are written as they are needed: a search that ends early touches no memory for the rest.
        let mut v = Dense::with_capacity(operator.size(), columns);
        v.resize_with(operator.size(), 0, |_, _| 0.0);
        Self {
            operator,
            force: Dense::zeros(operator.size(), 0),
            v,
            t: Dense::zeros(columns, columns),
            done: 0,
            filled: 0,
            mixture: vec![0.0; operator.size()],
            previous: None,
            coupling: Dense::zeros(0, 0),
            noise: 0.0,
            tolerance,
        }
    }

    /// Another start: the operator applied to `start`, in addition to what there is.
    fn begin(&mut self, start: &Dense) -> Result<(), EigenError> {
        self.make_room(start.ncols());
        let at = self.v.as_mut().subcols_mut(self.filled, start.ncols());
        self.operator.apply_into(start.as_ref(), self.operator.metric(start).as_ref(), at)?;
        self.orthonormalize(start.ncols(), None)?;
        self.coupling = Dense::zeros(0, 0);
        self.previous = Some(self.done);
        Ok(())
    }

    /// Room for so many columns behind those present.
    fn make_room(&mut self, width: usize) {
        let needed = self.filled + width;
        if self.v.ncols() < needed {
            let n = self.v.nrows();
            self.v.resize_with(n, needed, |_, _| 0.0);
        }
    }

    /// Makes the `width` columns behind those present part of the basis; their products with those, nearly all of it with the
    /// last `near` where that is known.
    fn orthonormalize(&mut self, width: usize, near: Option<usize>) -> Result<Dense, EigenError> {
        if self.force.ncols() != width {
            self.force = Dense::zeros(self.v.nrows(), width);
        }
        let recurrence =
            near.map(|near| Recurrence { near, mixture: &self.mixture, tolerance: self.tolerance });
        let Block { c, r } =
            orthonormalize(self.operator, &mut self.v, self.filled, width, recurrence, &mut self.force)
                .map_err(|Indefinite| EigenError::IndefiniteMetric)?;
        self.mix(r.nrows());
        self.filled += r.nrows();
        self.coupling = r;
        Ok(c)
    }

    /// Adds the current block to the mixture.
    fn mix(&mut self, width: usize) {
        for j in 0..width {
            let sign = sign(self.filled + j);
            let column = self.force.col_as_slice(j);
            self.mixture.iter_mut().zip(column).for_each(|(z, f)| *z += sign * f);
        }
    }

    /// Applies the operator to the current block.
    fn step(&mut self) -> Result<(), EigenError> {
        interrupt::check();
        let (from, end) = (self.done, self.filled);
        let width = end - from;
        self.make_room(width);
        let (basis, next) = self.v.as_mut().split_at_col_mut(end);
        let block = basis.as_ref().subcols(from, width);
        self.operator.apply_into(block, self.force.as_ref(), next.subcols_mut(0, width))?;
        let near = self.previous.map(|at| end - at);
        let c = self.orthonormalize(width, near)?;
        for j in 0..width {
            for i in 0..end {
                // Within the block both triangles are computed; their mean is nearer to the truth.
                let value = if i >= from {
                    let (below, above) = (c[(i, j)], c[(from + j, i - from)]);
                    self.noise = self.noise.max((below - above).abs());
                    0.5 * (below + above)
                } else {
                    c[(i, j)]
                };
                self.t[(i, from + j)] = value;
                self.t[(from + j, i)] = value;
            }
        }
        self.previous = Some(from);
        self.done = end;
        Ok(())
    }

    fn project(&self) -> Result<Projection, EigenError> {
        let k = self.done;
        let t = Dense::from_fn(k, k, |i, j| self.t[(i, j)]);
        let eigen = SymmetricEigen::new(&t).map_err(at("Projected eigenvalue problem"))?;
        let mut order: Vec<usize> = (0..k).collect();
        descending(&mut order, |&a| eigen.values[a].abs());
        let (rows, width) = self.coupling.shape();
        let residual = |j: usize| {
            let square: f64 = (0..rows)
                .map(|i| {
                    let sum: f64 =
                        (0..width).map(|l| self.coupling[(i, l)] * eigen.vectors[(k - width + l, j)]).sum();
                    sum * sum
                })
                .sum();
            square.sqrt()
        };
        let largest = eigen.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        Ok(Projection {
            // Asymmetry of T, relative to its largest eigenvalue, from which on it is more than the rounding of products.
            noise: if self.noise > tuning::EPS_2_3 * largest { self.noise } else { 0.0 },
            values: order.iter().map(|&j| eigen.values[j]).collect(),
            residuals: order.iter().map(|&j| residual(j)).collect(),
            vectors: super::scalar::pick(&eigen.vectors, &order),
        })
    }

    /// Keeps the best Ritz vectors and moves the current block behind them.
    fn restart(&mut self, projection: &Projection, wanted: &Wanted) {
        let (k, width) = (self.done, self.filled - self.done);
        let room = k.saturating_sub(2 * wanted.block).max(1);
        let keep = (wanted.count + (k.saturating_sub(wanted.count)) / 2).min(room);
        turn(self.v.as_mut().subcols_mut(0, k), projection.vectors.as_ref().subcols(0, keep));
        let block = self.v.as_ref().subcols(k, width).to_owned();
        put(&mut self.v, keep, block.as_ref());
        for j in 0..keep {
            for i in 0..keep {
                self.t[(i, j)] = if i == j { projection.values[j] } else { 0.0 };
            }
        }
        self.done = keep;
        self.filled = keep + width;
        self.previous = None;
        let signs = Dense::from_fn(self.filled, 1, |j, _| sign(j));
        let mixed = product(self.v.as_ref().subcols(0, self.filled), signs.as_ref());
        self.mixture.copy_from_slice(self.operator.metric(&mixed).col_as_slice(0));
    }
}

impl Projection {
    /// Leading eigenpairs that have converged: to the tolerance, or as far as the operator's own errors let them.
    fn converged(&self, tolerance: f64) -> usize {
        let reached =
            |(value, residual): (&f64, &f64)| *residual <= (tolerance * value.abs()).max(2.0 * self.noise);
        self.values.iter().zip(&self.residuals).take_while(|&pair| reached(pair)).count()
    }
}
