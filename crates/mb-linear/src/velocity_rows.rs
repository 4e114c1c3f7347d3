//! Linearization on the manifold of admissible velocities: velocity rows A v + b = 0 together with position rows Phi = 0.
//!
//! ```text
//! M x'' + C x' + K x + Phi_q^T l + A^T m = F u,   Phi_q x = 0,   A x' + B x = 0,   B = d(A v + b)/dq + A (T + S)
//! ```
//!
//! with d(A^T mu)/dq in K, and with T and S of bodies that turn and of the frame, as for the other blocks. Let N be the projector
//! on Phi_q x = 0, V an orthonormal basis of the part of it that A sees, P = I - V V^T. On x = P x + V y the velocity rows are
//!
//! ```text
//! y' = -G x,   G = (A V)^-1 B     hence     y'' = -G x'
//! ```
//!
//! and virtual displacements are those that neither Phi_q nor A sees, P N. The system that remains has no multipliers of
//! velocity rows, and keeps every unknown:
//!
//! ```text
//! P M P x'' + [P (C - M V G) + w V V^T] x' + [P K + w V G] x + Phi_q^T l = P F u,   Phi_q x = 0
//! ```
//!
//! for any w > 0. Its mass matrix is singular along V, each direction of which takes away one finite eigenvalue:
//! 2 (n - m) - k are left. Where at rest nothing but rounding is between virtual and admissible displacements, P N K N, that is taken
//! for zero: what the position rows hold of P K, which is much larger where contacts carry weight, is a matter of l, and would leave its
//! rounding there. In motion such zeros are known beforehand.

use crate::steady::Generator;
use crate::turning::crosses;
use mb_algebra::compensated::product;
use mb_algebra::{AlgebraError, Dense, RankTolerance, Svd, dense, norms};
use mb_model::system::Blocks;
use mb_model::{Model, Point};

/// The system on the admissible velocities, and what it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Admissible {
    /// P M P, the matrix before x' and the one before x: n x n each.
    pub(crate) blocks: [Dense; 3],
    /// By how much entries of the blocks may be off: those dropped as rounding, and rounding of the products. Zero at rest.
    pub(crate) rounding: [Dense; 3],
    /// Phi_q of the position rows alone.
    pub(crate) phi_q: Dense,
    /// N, n x n.
    pub(crate) on_rows: Dense,
    /// P, n x n.
    pub(crate) projector: Dense,
    /// V, n x k.
    pub(crate) seen: Dense,
    /// w.
    pub(crate) weight: f64,
    /// Rank of the velocity rows on the directions that the position rows leave.
    pub(crate) rank: usize,
    /// The largest part of B that rows without a part of A of their own leave, relative to B: such rows would hold the
    /// configuration.
    pub(crate) holding: f64,
}

/// The blocks and the rows A x' + B x of the velocity rows, in the frame: before anything is eliminated.
pub(crate) struct Unreduced {
    /// M, C, K, and Phi_q of the position rows alone.
    pub(crate) blocks: Blocks<Dense>,
    pub(crate) a: Dense,
    pub(crate) b: Dense,
}

impl Unreduced {
    /// At a point, seen from the frame of `generator`.
    pub(crate) fn new(model: &Model, point: &Point, generator: Option<&Generator>) -> Self {
        let Blocks { m, mut c, mut k, phi_q: all } = model.dense_blocks(point);
        let velocity = model.velocity_rows();
        let rows = |of: bool| (0..velocity.len()).filter(|i| velocity[*i] == of).collect::<Vec<_>>();
        let (phi_q, a) = (dense::select_rows(&all, &rows(false)), dense::select_rows(&all, &rows(true)));
        let rates = model.phi_dot_q(&point.q, &point.v, point.t).to_dense();
        let mut b = dense::select_rows(&rates, &rows(true));
        // dv = x' + T x and x = exp(S t) y: dv = exp(S t) (y' + D y), da = exp(S t) (y'' + (S + D) y' + (D S + T') y) with
        // D = T + S, which vanishes exactly for what turns in a frame that does not.
        let [turn, turn_rate] = [&point.v, &point.a].map(|w| crosses(model, w).to_dense());
        let s = generator.map_or_else(|| Dense::zeros(m.nrows(), m.nrows()), Generator::dense);
        let d = &turn + &s;
        let has = |x: &Dense| norms::max_abs(x) != 0.0;
        if has(&d) || has(&turn_rate) {
            b = &b + &dense::mul(&a, &d);
            let of_mass = &dense::mul(&d, &s) + &turn_rate;
            k = &(&k + &dense::mul(&c, &d)) + &dense::mul(&m, &of_mass);
        }
        if has(&d) || has(&s) {
            c = &c + &dense::mul(&m, &(&s + &d));
        }
        Self { blocks: Blocks { m, c, k, phi_q }, a, b }
    }
    /// E^T X E of M, C and K, and rows times E, E = exp(S t).
    pub(crate) fn turned_back(self, s: &Generator, time: f64) -> Self {
        let of_columns = |x: &Dense| s.carried(-time, x);
        let of_rows = |x: &Dense| dense::transpose(&of_columns(&dense::transpose(x)));
        let both = |x: &Dense| of_columns(&of_rows(x));
        let Self { blocks: Blocks { m, c, k, phi_q }, a, b } = self;
        let blocks = Blocks { m: both(&m), c: both(&c), k: both(&k), phi_q: of_rows(&phi_q) };
        Self { blocks, a: of_rows(&a), b: of_rows(&b) }
    }
}

impl Admissible {
    /// At a point, seen from the frame of `generator`, with w given or chosen.
    pub(crate) fn new(
        model: &Model,
        point: &Point,
        generator: Option<&Generator>,
        weight: Option<f64>,
    ) -> Result<Self, AlgebraError> {
        Self::of(&Unreduced::new(model, point, generator), point, weight)
    }
    /// The same of what has been assembled at the point.
    pub(crate) fn of(whole: &Unreduced, point: &Point, weight: Option<f64>) -> Result<Self, AlgebraError> {
        let Unreduced { blocks: Blocks { m, c, k, phi_q }, a, b } = whole;
        let n = m.nrows();
        let r = Svd::new(&unit_rows(phi_q))?.null_space(RankTolerance::default());
        let seen = Svd::new(&dense::mul(a, &r))?;
        let rank = seen.rank(RankTolerance::default()).rank;
        let first = |x: &Dense| dense::select_columns(x, &(0..rank).collect::<Vec<_>>());
        let v = clean(&dense::mul(&r, &first(&seen.v)));
        let vt = dense::transpose(&v);
        // G = S^-1 U^T B.
        let mut g = product(&dense::transpose(&first(&seen.u)), b);
        for (i, s) in seen.s.iter().enumerate().take(rank) {
            for j in 0..n {
                g[(i, j)] /= s;
            }
        }
        let projector = clean(&(&dense::identity(n) - &product(&v, &vt)));
        let weight = weight.unwrap_or_else(|| {
            let [m, c, k] = [m, c, k].map(norms::max_abs);
            [c, (m * k).sqrt(), m].into_iter().fold(f64::MIN_POSITIVE, f64::max)
        });
        let noise = Noise::new(point, [m, c, k]);
        let mass = product(&projector, &product(m, &projector));
        let (mass, of_mass) = noise.without(0, &dense::scale(0.5, &(&mass + &dense::transpose(&mass))));
        let along = dense::scale(weight, &v);
        let moved = dense::scale(-1.0, &dense::mul(&projector, &dense::mul(m, &v)));
        let damping = product(&dense::hstack(&[&projector, &moved, &along]), &dense::vstack(&[c, &g, &vt]));
        let (damping, of_damping) = noise.without(1, &damping);
        let on_rows = clean(&dense::mul(&r, &dense::transpose(&r)));
        let virtual_ones = clean(&(&on_rows - &product(&v, &vt)));
        let free = point.v.iter().all(|v| *v == 0.0) && {
            let held = product(&virtual_ones, &product(k, &on_rows));
            norms::max_abs(&noise.without(2, &held).0) == 0.0
        };
        let stiffness = if free {
            product(&along, &g)
        } else {
            product(&dense::hstack(&[&projector, &along]), &dense::vstack(&[k, &g]))
        };
        let (stiffness, of_stiffness) = noise.without(2, &stiffness);
        let of_b = dense::mul(b, &r);
        let range = first(&seen.u);
        let left = &of_b - &dense::mul(&range, &dense::mul_transpose(&range, &of_b));
        let size = norms::max_abs(&of_b);
        let holding = if size > 0.0 { norms::max_abs(&left) / size } else { 0.0 };
        Ok(Self {
            blocks: [mass, damping, stiffness],
            rounding: [of_mass, of_damping, of_stiffness],
            phi_q: phi_q.clone(),
            on_rows,
            projector,
            seen: v,
            weight,
            rank,
            holding,
        })
    }
    /// The blocks again where matrices and rows have been carried to `now`, without another decomposition:
    ///
    /// ```text
    /// V_t^T = (A_t V)^+ A_t N,   G_t = (A_t V)^+ B_t,   P_t = I - V_t V_t^T
    /// ```
    ///
    /// V_t is V but for rounding where the rows see what they saw, and its columns are orthonormal to the square of that. Else the row that
    /// does not, and by what share of itself more than `allowed`.
    pub(crate) fn carried(
        &self,
        now: &Unreduced,
        allowed: f64,
    ) -> Result<Result<[Dense; 3], Left>, AlgebraError> {
        let Unreduced { blocks: Blocks { m, c, k, phi_q }, a, b } = now;
        let (v, vt) = (&self.seen, dense::transpose(&self.seen));
        // N, without P what A sees.
        let on = dense::mul(a, &self.on_rows);
        let unseen = &on - &dense::mul(&dense::mul(a, v), &vt);
        for (position, off, rows) in [(true, dense::mul(phi_q, &self.on_rows), phi_q), (false, unseen, a)] {
            for i in 0..rows.nrows() {
                let share = norms::two(&dense::row(&off, i)) / norms::two(&dense::row(rows, i));
                if share > allowed {
                    return Ok(Err(Left { position, row: i, share }));
                }
            }
        }
        let seen = Svd::new(&dense::mul(a, v))?;
        if seen.rank(RankTolerance::default()).rank < self.rank {
            return Ok(Err(Left { position: false, row: 0, share: 1.0 }));
        }
        // (A_t V)^+ of full column rank.
        let scaled = Dense::from_fn(self.rank, self.rank, |i, j| seen.v[(i, j)] / seen.s[j]);
        let range = dense::select_columns(&seen.u, &(0..self.rank).collect::<Vec<_>>());
        let inverse = dense::mul(&scaled, &dense::transpose(&range));
        let (vt, g) = (dense::mul(&inverse, &on), dense::mul(&inverse, b));
        let v = dense::transpose(&vt);
        let unmoved = |x: &Dense| x - &dense::mul(&v, &dense::mul(&vt, x));
        let mass = dense::transpose(&unmoved(&dense::transpose(&unmoved(m))));
        let along = dense::scale(self.weight, &v);
        let damping = &unmoved(&(c - &dense::mul(&dense::mul(m, &v), &g))) + &dense::mul(&along, &vt);
        let stiffness = &unmoved(k) + &dense::mul(&along, &g);
        Ok(Ok([mass, damping, stiffness]))
    }
}

/// A row that sees more than it saw.
pub(crate) struct Left {
    /// Of the position rows, else of the velocity rows.
    pub(crate) position: bool,
    /// Number among these.
    pub(crate) row: usize,
    /// Share of the row.
    pub(crate) share: f64,
}

/// Rows scaled to length one; rows of zeros stay.
fn unit_rows(a: &Dense) -> Dense {
    let sizes: Vec<f64> = (0..a.nrows()).map(|i| norms::two(&dense::row(a, i))).collect();
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| if sizes[i] > 0.0 { a[(i, j)] / sizes[i] } else { 0.0 })
}

/// Share of the sizes of its row and column below which an entry is rounding of the forces and speeds that it is made of.
const ROUNDING: f64 = 1e-13;

/// Roundings of the size of its row and column that an entry of the blocks may be off by: the data, two projections and their
/// bases, a sum.
const PRODUCTS: f64 = 8.0;

/// What entries are rounding compared with: sizes of the coordinates, square roots of m w^2 + c w + k with m on the diagonal of M, c and k
/// the largest entries of the rows and columns of C and K, and w the fastest speed of the motion, at rest the fastest that
/// stiffness and mass of one coordinate make.
///
/// The projections mix all coordinates, so that an entry which is zero in exact arithmetic comes out as rounding of others. A
/// direction that nothing holds would be held by that.
struct Noise {
    speed: f64,
    sizes: Vec<f64>,
}

impl Noise {
    fn new(point: &Point, [m, c, k]: [&Dense; 3]) -> Self {
        let n = m.nrows();
        let mut speed = norms::max_abs_vec(&point.v);
        if speed == 0.0 {
            let own = (0..n).filter(|i| m[(*i, *i)] > 0.0).map(|i| (k[(i, i)].abs() / m[(i, i)]).sqrt());
            speed = own.fold(0.0, f64::max);
        }
        let largest =
            |x: &Dense, i: usize| (0..n).fold(0.0_f64, |a, j| a.max(x[(i, j)].abs()).max(x[(j, i)].abs()));
        let size = |i: usize| (m[(i, i)] * speed * speed + largest(c, i) * speed + largest(k, i)).sqrt();
        Self { speed, sizes: (0..n).map(size).collect() }
    }
    /// M (order 0), the matrix before x' (1) or that before x (2) without entries that are rounding, and by how much its entries
    /// may be off.
    fn without(&self, order: i32, x: &Dense) -> (Dense, Dense) {
        // Without any speed there is nothing that an entry would be rounding compared with.
        let unit = if self.speed > 0.0 { self.speed.powi(order - 2) } else { 0.0 };
        let size = |i: usize, j: usize| unit * self.sizes[i] * self.sizes[j];
        let dropped = |i: usize, j: usize| x[(i, j)].abs() <= ROUNDING * size(i, j);
        let kept = Dense::from_fn(x.nrows(), x.ncols(), |i, j| if dropped(i, j) { 0.0 } else { x[(i, j)] });
        let off = Dense::from_fn(x.nrows(), x.ncols(), |i, j| {
            let of_products = PRODUCTS * f64::EPSILON * size(i, j);
            if dropped(i, j) { of_products + x[(i, j)].abs() } else { of_products }
        });
        (kept, off)
    }
}

/// A matrix with columns of length one, or a projector, without entries that are rounding of others.
fn clean(x: &Dense) -> Dense {
    Dense::from_fn(x.nrows(), x.ncols(), |i, j| if x[(i, j)].abs() <= ROUNDING { 0.0 } else { x[(i, j)] })
}
