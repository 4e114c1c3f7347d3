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
//! for any w > 0. All this is done in coordinates of one size, x_i / d_i one unit for positions and one for
//! rotations, so that the products still turn with both: projections mix all coordinates, and in metres the moments of inertia of a small
//! bicycle would be rounding beside its masses. Its mass matrix is singular along V, each direction of which takes away one finite eigenvalue:
//! 2 (n - m) - k are left. Where at rest nothing but rounding is between virtual and admissible displacements, P N K N, that is taken
//! for zero: what the position rows hold of P K, which is much larger where contacts carry weight, is a matter of l, and would leave its
//! rounding there. In motion such zeros are known beforehand.

use crate::steady::{Generator, positions};
use crate::turning::crosses;
use mb_algebra::compensated::product;
use mb_algebra::{AlgebraError, Dense, RankTolerance, Svd, dense, norms};
use mb_model::system::Blocks;
use mb_model::{Model, Point};

/// The system on the admissible velocities, and what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Admissible {
    /// P M P, the matrix before x' and the one before x: n x n each.
    pub(crate) blocks: [Dense; 3],
    /// By how much entries of the blocks may be off: those dropped as rounding, and rounding of the products. Zero at rest.
    pub(crate) rounding: [Dense; 3],
    /// Phi_q of the position rows alone.
    pub(crate) phi_q: Dense,
    /// What forces become, P^T in the coordinates given, n x n.
    pub(crate) forces: Dense,
    /// d, n numbers.
    units: Vec<f64>,
    /// What rounding of multipliers makes of an entry of the stiffness there.
    of_multipliers: f64,
    /// N in coordinates of one size, n x n.
    on_rows: Dense,
    /// V there, n x k.
    seen: Dense,
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
    /// d, n numbers: powers of two.
    units: Vec<f64>,
}

impl Unreduced {
    /// At a point, seen from the frame of `generator`.
    pub(crate) fn new(model: &Model, point: &Point, generator: Option<&Generator>) -> Self {
        Self::of(model, point, generator, model.dense_blocks(point))
    }
    /// The same of the model's own blocks there.
    pub(crate) fn of(
        model: &Model,
        point: &Point,
        generator: Option<&Generator>,
        Blocks { m, mut c, mut k, phi_q: all }: Blocks<Dense>,
    ) -> Self {
        let velocity = model.velocity_rows();
        let rows = |of: bool| (0..velocity.len()).filter(|i| velocity[*i] == of).collect::<Vec<_>>();
        let (phi_q, a) = (dense::select_rows(&all, &rows(false)), dense::select_rows(&all, &rows(true)));
        let rates = model.rates_q(&point.q, &point.v, point.t).to_dense();
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
        let units = units(model, &m);
        Self { blocks: Blocks { m, c, k, phi_q }, a, b, units }
    }
    /// In coordinates x_i / d_i, with rows of length one there.
    fn in_units(&self, d: &[f64]) -> Self {
        let Self { blocks: Blocks { m, c, k, phi_q }, a, b, .. } = self;
        let both = |x: &Dense| Dense::from_fn(x.nrows(), x.ncols(), |i, j| d[i] * x[(i, j)] * d[j]);
        let of_columns = |x: &Dense| Dense::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] * d[j]);
        let (phi_q, a, b) = (of_columns(phi_q), of_columns(a), of_columns(b));
        let sizes = lengths(&a);
        let blocks = Blocks { m: both(m), c: both(c), k: both(k), phi_q: over(&phi_q, &lengths(&phi_q)) };
        Self { blocks, a: over(&a, &sizes), b: over(&b, &sizes), units: d.to_vec() }
    }
    /// In the coordinates given, with position rows of length one.
    fn as_given(&self) -> Self {
        let Self { blocks: Blocks { m, c, k, phi_q }, a, b, .. } = self;
        let blocks = Blocks { m: m.clone(), c: c.clone(), k: k.clone(), phi_q: over(phi_q, &lengths(phi_q)) };
        Self { blocks, a: a.clone(), b: b.clone(), units: vec![1.0; m.nrows()] }
    }
    /// E^T X E of M, C and K, and rows times E, E = exp(S t).
    pub(crate) fn turned_back(self, s: &Generator, time: f64) -> Self {
        let of_columns = |x: &Dense| s.carried(-time, x);
        let of_rows = |x: &Dense| dense::transpose(&of_columns(&dense::transpose(x)));
        let both = |x: &Dense| of_columns(&of_rows(x));
        let Self { blocks: Blocks { m, c, k, phi_q }, a, b, units } = self;
        let blocks = Blocks { m: both(&m), c: both(&c), k: both(&k), phi_q: of_rows(&phi_q) };
        Self { blocks, a: of_rows(&a), b: of_rows(&b), units }
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
        let n = whole.blocks.m.nrows();
        // At rest no sum of inertia and weights is to be told from rounding, and zeros are those of the entries as they are written.
        let rests = point.v.iter().all(|v| *v == 0.0);
        let (units, scaled) = if rests {
            (vec![1.0; n], whole.as_given())
        } else {
            (whole.units.clone(), whole.in_units(&whole.units))
        };
        let Unreduced { blocks: Blocks { m, c, k, phi_q }, a, b, .. } = &scaled;
        let r = Svd::new(phi_q)?.null_space(RankTolerance::default());
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
        let projector = if rests { clean(&(&dense::identity(n) - &product(&v, &vt))) } else { beside(&v) };
        let weight = weight.unwrap_or_else(|| {
            let [m, c, k] = [m, c, k].map(norms::max_abs);
            [c, (m * k).sqrt(), m].into_iter().fold(f64::MIN_POSITIVE, f64::max)
        });
        let noise = if rests {
            Noise::at_rest([m, c, k])
        } else {
            Noise::new(point, &projector, [m, c, k], [&v, &g], weight)
        };
        let mass = product(&projector, &product(m, &projector));
        let (mass, of_mass) = noise.without(0, &dense::scale(0.5, &(&mass + &dense::transpose(&mass))));
        let along = dense::scale(weight, &v);
        let moved = dense::scale(-1.0, &dense::mul(&projector, &dense::mul(m, &v)));
        let damping = product(&dense::hstack(&[&projector, &moved, &along]), &dense::vstack(&[c, &g, &vt]));
        let (damping, of_damping) = noise.without(1, &damping);
        let on_rows = clean(&dense::mul(&r, &dense::transpose(&r)));
        let virtual_ones = clean(&(&on_rows - &product(&v, &vt)));
        let free = rests && {
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
            blocks: [mass, damping, stiffness].map(|x| back(&units, &x)),
            rounding: [of_mass, of_damping, of_stiffness].map(|x| back(&units, &x)),
            phi_q: whole.blocks.phi_q.clone(),
            on_rows,
            forces: Dense::from_fn(n, n, |i, j| projector[(i, j)] * units[j] / units[i]),
            units,
            of_multipliers: PRODUCTS * f64::EPSILON * norms::max_abs(&noise.terms[2]),
            seen: v,
            weight,
            rank,
            holding,
        })
    }
    /// What rounding of multipliers makes of an entry of the stiffness: all have that of the largest force, so that forces which are zero leave
    /// stiffnesses of rounding where nothing else is.
    pub(crate) fn of_multipliers(&self, i: usize, j: usize) -> f64 {
        self.of_multipliers / (self.units[i] * self.units[j])
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
        let Unreduced { blocks: Blocks { m, c, k, phi_q }, a, b, .. } = &now.in_units(&self.units);
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
        let projector = beside(&v);
        let unmoved = |x: &Dense| dense::mul(&projector, x);
        let mass = unmoved(&dense::mul(m, &projector));
        let along = dense::scale(self.weight, &v);
        let damping = &unmoved(&(c - &dense::mul(&dense::mul(m, &v), &g))) + &dense::mul(&along, &vt);
        let stiffness = &unmoved(k) + &dense::mul(&along, &g);
        Ok(Ok([mass, damping, stiffness].map(|x| back(&self.units, &x))))
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

/// Units of positions, of rotations and of the rest of each block, in which the largest mass of each is between one half and two: one length in all,
/// as units of single bodies would make the weight of a light one large.
fn units(model: &Model, m: &Dense) -> Vec<f64> {
    let kinds: Vec<usize> = model
        .coordinates()
        .blocks()
        .iter()
        .enumerate()
        .flat_map(|(block, b)| {
            let of = move |i| if b.kind.turns(i) { 1 } else { 2 + block };
            (0..b.kind.nv()).map(move |i| if i < positions(b.kind) { 0 } else { of(i) })
        })
        .collect();
    let mut largest = vec![0.0_f64; 2 + model.coordinates().blocks().len()];
    for (i, kind) in kinds.iter().enumerate() {
        largest[*kind] = largest[*kind].max(m[(i, i)].abs());
    }
    let heaviest = largest.iter().copied().fold(0.0, f64::max);
    let unit = |mass: f64| {
        let mass = if mass > 0.0 { mass } else { heaviest };
        if mass > 0.0 && mass.is_finite() { (-0.5 * mass.log2()).round().exp2() } else { 1.0 }
    };
    kinds.iter().map(|kind| unit(largest[*kind])).collect()
}

/// A matrix in coordinates x_i / d_i, in those of x.
fn back(d: &[f64], x: &Dense) -> Dense {
    Dense::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] / (d[i] * d[j]))
}

fn lengths(a: &Dense) -> Vec<f64> {
    (0..a.nrows()).map(|i| norms::two(&dense::row(a, i))).collect()
}

/// Rows over their sizes; those of size zero are zero.
fn over(a: &Dense, sizes: &[f64]) -> Dense {
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| if sizes[i] > 0.0 { a[(i, j)] / sizes[i] } else { 0.0 })
}

/// Share of the magnitudes of its terms below which an entry is rounding of the forces and speeds that it is made of.
const ROUNDING: f64 = 1e-13;

/// Roundings of the magnitudes of its terms that an entry of the blocks may be off by: the data, two projections and their
/// bases, a sum.
const PRODUCTS: f64 = 8.0;

/// Share of these that rows of velocities have, w V V^T and w V G: the data, a decomposition, a product, and no projection.
const OF_ROWS: f64 = 0.5;

/// What entries are rounding compared with: the magnitudes of their terms. With |X_ij| <= x_i x_j for each of M, C and K, and s the
/// fastest speed of the motion, which terms of inertia in C and K have as factors,
///
/// ```text
/// P M P            a_i a_j,                            a_i^2 = sum_l P_il^2 m_l^2, b of c and d of k as well
/// P (C - M V G)    b_i c_j + a_i (m^T |V| |G|)_j,      with w V V^T and s a_i m_j
/// P K              d_i k_j,                            with w V G, s (terms of P C) and s^2 a_i m_j
/// ```
///
/// The projections mix all coordinates, so that an entry which is zero in exact arithmetic comes out as rounding of others. A
/// direction that nothing holds would be held by that.
struct Noise {
    terms: [Dense; 3],
}

impl Noise {
    fn new(
        point: &Point,
        projector: &Dense,
        [m, c, k]: [&Dense; 3],
        [v, g]: [&Dense; 2],
        weight: f64,
    ) -> Self {
        let n = m.nrows();
        let speed = norms::max_abs_vec(&point.v);
        let largest =
            |x: &Dense, i: usize| (0..n).fold(0.0_f64, |a, j| a.max(x[(i, j)].abs()).max(x[(j, i)].abs()));
        let size = |x: &Dense| (0..n).map(|i| largest(x, i).sqrt()).collect::<Vec<f64>>();
        let magnitude = |x: &Dense| Dense::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)].abs());
        let [v, g] = [v, g].map(magnitude);
        // Roundings of the terms have nothing to do with each other.
        let mixed = |x: &[f64]| -> Vec<f64> {
            (0..n)
                .map(|i| norms::two(&(0..n).map(|l| projector[(i, l)] * x[l]).collect::<Vec<_>>()))
                .collect()
        };
        let of_m: Vec<f64> = (0..n).map(|i| m[(i, i)].abs().sqrt()).collect();
        let [of_c, of_k] = [c, k].map(size);
        let [mixed_m, mixed_c, mixed_k] = [&of_m, &of_c, &of_k].map(|x| mixed(x));
        let moved = dense::matvec_transpose(&g, &dense::matvec_transpose(&v, &of_m));
        let held = dense::scale(OF_ROWS * weight, &dense::mul(&v, &g));
        let seen = dense::scale(OF_ROWS * weight, &dense::mul(&v, &dense::transpose(&v)));
        let inertia = |i: usize, j: usize| mixed_m[i] * of_m[j];
        let damping = |i: usize, j: usize| mixed_c[i] * of_c[j] + mixed_m[i] * moved[j];
        let mass = Dense::from_fn(n, n, |i, j| mixed_m[i] * mixed_m[j]);
        let first = Dense::from_fn(n, n, |i, j| damping(i, j) + seen[(i, j)] + speed * inertia(i, j));
        let last = Dense::from_fn(n, n, |i, j| {
            let of_motion = speed * (damping(i, j) + speed * inertia(i, j));
            mixed_k[i] * of_k[j] + held[(i, j)] + of_motion
        });
        Self { terms: [mass, first, last] }
    }
    /// At rest: products of sizes of the coordinates, square roots of m s^2 + c s + k with m on the diagonal of M, c and k the largest entries of
    /// the rows and columns of C and K, and s the fastest speed that stiffness and mass of one coordinate make.
    fn at_rest([m, c, k]: [&Dense; 3]) -> Self {
        let n = m.nrows();
        let own = (0..n).filter(|i| m[(*i, *i)] > 0.0).map(|i| (k[(i, i)].abs() / m[(i, i)]).sqrt());
        let speed = own.fold(0.0, f64::max);
        let largest =
            |x: &Dense, i: usize| (0..n).fold(0.0_f64, |a, j| a.max(x[(i, j)].abs()).max(x[(j, i)].abs()));
        let size = |i: usize| (m[(i, i)] * speed * speed + largest(c, i) * speed + largest(k, i)).sqrt();
        let sizes: Vec<f64> = (0..n).map(size).collect();
        // Without any speed there is nothing that an entry would be rounding compared with.
        let unit = |order: i32| if speed > 0.0 { speed.powi(order - 2) } else { 0.0 };
        Self { terms: [0, 1, 2].map(|order| Dense::from_fn(n, n, |i, j| unit(order) * sizes[i] * sizes[j])) }
    }
    /// M (order 0), the matrix before x' (1) or that before x (2) without entries that are rounding, and by how much its entries
    /// may be off.
    fn without(&self, order: usize, x: &Dense) -> (Dense, Dense) {
        let terms = &self.terms[order];
        let dropped = |i: usize, j: usize| x[(i, j)].abs() <= ROUNDING * terms[(i, j)];
        let kept = Dense::from_fn(x.nrows(), x.ncols(), |i, j| if dropped(i, j) { 0.0 } else { x[(i, j)] });
        let off = Dense::from_fn(x.nrows(), x.ncols(), |i, j| {
            let of_products = PRODUCTS * f64::EPSILON * terms[(i, j)];
            if dropped(i, j) { of_products + x[(i, j)].abs() } else { of_products }
        });
        (kept, off)
    }
}

/// I - V V^T of orthonormal columns, without entries that are rounding. A coordinate that is hardly beside them has a diagonal entry
/// of the digits that those beside it have, as P = P^2 says, so that P M P is singular in all its digits:
///
/// ```text
/// P_ii = P_ii^2 + s = 2 s / (1 + sqrt(1 - 4 s)) below one half,   s = sum_(j != i) P_ij^2
/// ```
fn beside(v: &Dense) -> Dense {
    let seen = product(v, &dense::transpose(v));
    let n = v.nrows();
    let mut out = clean(&Dense::from_fn(n, n, |i, j| if i == j { 0.0 } else { -seen[(i, j)] }));
    for i in 0..n {
        let plain = 1.0 - seen[(i, i)];
        let s: f64 = out.col_as_slice(i).iter().map(|x| x * x).sum();
        out[(i, i)] = if plain < 0.5 { 2.0 * s / (1.0 + (1.0 - 4.0 * s).max(0.0).sqrt()) } else { plain };
    }
    out
}

/// A matrix with columns of length one, or a projector, without entries that are rounding of others.
fn clean(x: &Dense) -> Dense {
    Dense::from_fn(x.nrows(), x.ncols(), |i, j| if x[(i, j)].abs() <= ROUNDING { 0.0 } else { x[(i, j)] })
}
