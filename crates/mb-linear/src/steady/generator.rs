//! The generator S of a frame that moves along with a motion.
//!
//! ```text
//! x = exp(S t) y,   S = diag of the blocks: [W x] on positions, [b x] on rotations of bodies in space, zero elsewhere
//! ```
//!
//! Positions are components in the ground's axes, so that in a frame that turns with W they change by W x. Rotations of a
//! body in space are components in its own axes w.r.t. which the frame turns with b = A^T W - w, A the attitude and w the
//! angular velocity of the body. Angles and elastic coordinates count from a body already.
//!
//! A motion whose velocities obey v' = S v is the orbit of one point, known in closed form at all times:
//!
//! ```text
//! v(t) = exp(S t) v,   a(t) = S v(t),   p(t) = p + int v,   A(t) = exp([F x] t) A exp(-[b x] t),  F = A (w + b)
//! ```

use mb_algebra::{Dense, Scatter, Sparse, Triplets};
use mb_model::{Block, BlockKind, Model, Point};

type Vector = [f64; 3];

/// The rates of one block: of its positions in the ground's axes, of its rotations in its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rates {
    pub(crate) place: Vector,
    pub(crate) body: Vector,
}

/// S, by blocks of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    blocks: Vec<Block>,
    rates: Vec<Rates>,
}

/// Number of positions of a block in the ground's axes.
pub(crate) const fn positions(kind: BlockKind) -> usize {
    match kind {
        // Displacements turn with the frame as positions do.
        BlockKind::PlanarPoint | BlockKind::PlanarPose | BlockKind::Displacement => 2,
        BlockKind::SpatialPoint | BlockKind::Pose => 3,
        BlockKind::Angle | BlockKind::ElasticNode | BlockKind::Vector(_) => 0,
    }
}

impl Generator {
    /// The frame that turns with the angular velocity `rate` (rad/s, ground's axes) about any point; zero is the ground's.
    pub fn of_frame(model: &Model, point: &Point, rate: [f64; 3]) -> Self {
        let blocks = model.coordinates().blocks().to_vec();
        let one = |b: &Block| match (b.kind, positions(b.kind)) {
            (BlockKind::Pose, _) => {
                let w = of_block(b, &point.v);
                let seen = turned_back(&attitude(b, &point.q), rate);
                Rates { place: rate, body: [seen[0] - w[0], seen[1] - w[1], seen[2] - w[2]] }
            }
            (_, 0) => Rates::default(),
            (_, 2) => Rates { place: [0.0, 0.0, rate[2]], body: [0.0; 3] },
            _ => Rates { place: rate, body: [0.0; 3] },
        };
        let rates = blocks.iter().map(one).collect();
        Self { blocks, rates }
    }
    /// S = 0: coordinates that move along by themselves.
    pub(crate) fn zero(model: &Model) -> Self {
        let blocks = model.coordinates().blocks().to_vec();
        let rates = vec![Rates::default(); blocks.len()];
        Self { blocks, rates }
    }
    /// This one and `factor` times another.
    pub(crate) fn plus(&self, factor: f64, other: &Self) -> Self {
        let sum = |a: Vector, b: Vector| std::array::from_fn(|i| a[i] + factor * b[i]);
        let rates = self.rates.iter().zip(&other.rates);
        let rates = rates.map(|(a, b)| Rates { place: sum(a.place, b.place), body: sum(a.body, b.body) });
        Self { blocks: self.blocks.clone(), rates: rates.collect() }
    }
    /// One generator for each rate that a block can have alone.
    pub(crate) fn units(model: &Model) -> Vec<Self> {
        let zero = Self::zero(model);
        let mut out = Vec::new();
        for (k, block) in zero.blocks.iter().enumerate() {
            let places = match positions(block.kind) {
                0 => 0..0,
                2 => 2..3,
                _ => 0..3,
            };
            for i in places {
                let mut unit = zero.clone();
                unit.rates[k].place[i] = 1.0;
                out.push(unit);
            }
            for i in 0..if block.kind == BlockKind::Pose { 3 } else { 0 } {
                let mut unit = zero.clone();
                unit.rates[k].body[i] = 1.0;
                out.push(unit);
            }
        }
        out
    }
    /// The blocks of coordinates and the rate of the frame of their positions; without those that have no positions.
    pub(crate) fn place_rates(&self) -> impl Iterator<Item = (&Block, Vector)> {
        let with = self.blocks.iter().zip(&self.rates).filter(|(b, _)| positions(b.kind) > 0);
        with.map(|(b, r)| (b, r.place))
    }
    /// The bodies in space with the rate at which the frame turns in their own axes.
    pub(super) fn spins(&self) -> impl Iterator<Item = (&Block, Vector)> {
        let with = self.blocks.iter().zip(&self.rates).filter(|(b, _)| b.kind == BlockKind::Pose);
        with.map(|(b, r)| (b, r.body))
    }
    /// First coordinate and number of coordinates of what turns as one, and the rest in parts of three at most.
    pub(super) fn tiles(&self) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for block in &self.blocks {
            let (places, n) = (positions(block.kind), block.kind.nv());
            if places > 0 {
                out.push((block.v, places));
            }
            let mut done = places;
            while done < n {
                let size = (n - done).min(3);
                out.push((block.v + done, size));
                done += size;
            }
        }
        out
    }
    /// exp(S t) on each of the tiles; none where it is one.
    pub(super) fn tile_rotations(&self, t: f64) -> Vec<Option<Rotation>> {
        let mut out = Vec::new();
        for (block, rates) in self.blocks.iter().zip(&self.rates) {
            let (places, n) = (positions(block.kind), block.kind.nv());
            let turned = |w: Vector| (length(w) > 0.0).then(|| rotation(w, t));
            if places > 0 {
                out.push(turned(rates.place));
            }
            if block.kind == BlockKind::Pose {
                out.push(turned(rates.body));
            } else {
                out.extend((0..(n - places).div_ceil(3)).map(|_| None));
            }
        }
        out
    }
    /// The size of every rotation in it, rad/s.
    pub(crate) fn speeds(&self) -> impl Iterator<Item = f64> {
        self.rates.iter().flat_map(|r| [length(r.place), length(r.body)])
    }
    /// True when it is zero.
    pub fn is_zero(&self) -> bool {
        self.speeds().all(|s| s == 0.0)
    }
    /// Calls with row, column and value of every entry.
    fn entries(&self, mut call: impl FnMut(usize, usize, f64)) {
        for (block, rates) in self.blocks.iter().zip(&self.rates) {
            let mut cross = |first: usize, w: Vector, size: usize| {
                for k in 0..size {
                    let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                    // Row a of w x d has w_b d_k, row b has -w_a d_k.
                    for (row, value) in [(a, w[b]), (b, -w[a])] {
                        if row < size && value != 0.0 {
                            call(first + row, first + k, value);
                        }
                    }
                }
            };
            cross(block.v, rates.place, positions(block.kind));
            if block.kind == BlockKind::Pose {
                cross(block.v + 3, rates.body, 3);
            }
        }
    }
    fn triplets(&self) -> Triplets {
        let n = self.blocks.last().map_or(0, |b| b.v + b.kind.nv());
        let mut out = Triplets::new(n, n);
        self.entries(|i, j, x| out.add(i, j, x));
        out
    }
    /// S, n x n.
    pub fn dense(&self) -> Dense {
        self.triplets().to_dense()
    }
    /// S, n x n.
    pub fn sparse(&self) -> Sparse {
        self.triplets().to_sparse()
    }
    /// S x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        self.entries(|i, j, s| out[i] += s * x[j]);
        out
    }
    /// exp(S t) applied to every column of `x` (n x any).
    pub(crate) fn carried(&self, t: f64, x: &Dense) -> Dense {
        let mut out = x.clone();
        for (block, rates) in self.blocks.iter().zip(&self.rates) {
            let mut turn = |first: usize, w: Vector, size: usize| {
                if length(w) == 0.0 {
                    return;
                }
                let r = rotation(w, t);
                for j in 0..x.ncols() {
                    for i in 0..size {
                        out[(first + i, j)] = (0..size).map(|k| r[i][k] * x[(first + k, j)]).sum();
                    }
                }
            };
            turn(block.v, rates.place, positions(block.kind));
            if block.kind == BlockKind::Pose {
                turn(block.v + 3, rates.body, 3);
            }
        }
        out
    }
    /// exp(S t) x.
    pub(crate) fn carried_vector(&self, t: f64, x: &[f64]) -> Vec<f64> {
        let column = Dense::from_fn(x.len(), 1, |i, _| x[i]);
        mb_algebra::dense::column(&self.carried(t, &column), 0)
    }
    /// The point `t` seconds along the orbit through `point`, multipliers left as they are.
    pub(crate) fn along(&self, point: &Point, t: f64) -> Point {
        let mut q = point.q.clone();
        for (block, rates) in self.blocks.iter().zip(&self.rates) {
            let (own, v) = (&mut q[block.q..block.q + block.kind.nq()], &point.v[block.v..]);
            let places = positions(block.kind);
            let mut speed = [0.0; 3];
            speed[..places].copy_from_slice(&v[..places]);
            let way = travelled(rates.place, speed, t);
            for (x, d) in own.iter_mut().zip(&way[..places]) {
                *x += d;
            }
            if block.kind == BlockKind::Pose {
                let w = [v[3] + rates.body[0], v[4] + rates.body[1], v[5] + rates.body[2]];
                let p = [own[3], own[4], own[5], own[6]];
                let fixed = turned(&matrix(p), w);
                let back = rates.body.map(|x| -x);
                own[3..].copy_from_slice(&product(product(half_turn(fixed, t), p), half_turn(back, t)));
            } else {
                for i in places..block.kind.nq() {
                    own[i] += v[i] * t;
                }
            }
        }
        let v = self.carried_vector(t, &point.v);
        let a = self.times(&v);
        Point { q, v, a, t: point.t + t, ..point.clone() }
    }
}

/// The angular velocity of a block: of a body in space in its own axes, of one in the plane about z.
pub(crate) fn of_block(block: &Block, v: &[f64]) -> Vector {
    let v = &v[block.v..block.v + block.kind.nv()];
    match block.kind {
        BlockKind::Pose => [v[3], v[4], v[5]],
        BlockKind::PlanarPose => [0.0, 0.0, v[2]],
        _ => [0.0; 3],
    }
}

/// The angular velocity of a block in the ground's axes.
pub(crate) fn in_ground(block: &Block, point: &Point) -> Vector {
    let w = of_block(block, &point.v);
    if block.kind == BlockKind::Pose { turned(&attitude(block, &point.q), w) } else { w }
}

/// A vector of the ground's axes in those of a body in space.
pub(crate) fn in_body(block: &Block, q: &[f64], w: Vector) -> Vector {
    turned_back(&attitude(block, q), w)
}

pub(crate) fn length(w: Vector) -> f64 {
    w[0].hypot(w[1]).hypot(w[2])
}

/// A rotation, row by row.
pub(super) type Rotation = [[f64; 3]; 3];

fn attitude(block: &Block, q: &[f64]) -> Rotation {
    matrix([q[block.q + 3], q[block.q + 4], q[block.q + 5], q[block.q + 6]])
}

/// The rotation of Euler parameters, whatever their length.
fn matrix(p: [f64; 4]) -> Rotation {
    let size = p.iter().map(|x| x * x).sum::<f64>();
    let [a, b, c, d] = p;
    let s = 2.0 / size;
    [
        [1.0 - s * (c * c + d * d), s * (b * c - a * d), s * (b * d + a * c)],
        [s * (b * c + a * d), 1.0 - s * (b * b + d * d), s * (c * d - a * b)],
        [s * (b * d - a * c), s * (c * d + a * b), 1.0 - s * (b * b + c * c)],
    ]
}

fn turned(a: &Rotation, w: Vector) -> Vector {
    std::array::from_fn(|i| (0..3).map(|k| a[i][k] * w[k]).sum())
}

fn turned_back(a: &Rotation, w: Vector) -> Vector {
    std::array::from_fn(|i| (0..3).map(|k| a[k][i] * w[k]).sum())
}

/// Euler parameters of exp([w x] t).
fn half_turn(w: Vector, t: f64) -> [f64; 4] {
    let size = length(w);
    if size == 0.0 {
        return [1.0, 0.0, 0.0, 0.0];
    }
    let (sin, cos) = (0.5 * size * t).sin_cos();
    let s = sin / size;
    [cos, s * w[0], s * w[1], s * w[2]]
}

/// Product of Euler parameters.
fn product(x: [f64; 4], y: [f64; 4]) -> [f64; 4] {
    let ([a, b, c, d], [e, f, g, h]) = (x, y);
    [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g + c * e + d * f - b * h,
        a * h + d * e + b * g - c * f,
    ]
}

/// exp([w x] t).
fn rotation(w: Vector, t: f64) -> Rotation {
    matrix(half_turn(w, t))
}

/// The integral of exp([w x] t) v from 0 to t.
fn travelled(w: Vector, v: Vector, t: f64) -> Vector {
    let size = length(w);
    if size == 0.0 {
        return v.map(|x| x * t);
    }
    let n = w.map(|x| x / size);
    let along: f64 = (0..3).map(|i| n[i] * v[i]).sum();
    let across: Vector = std::array::from_fn(|i| v[i] - along * n[i]);
    let around: Vector = std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        n[j] * v[k] - n[k] * v[j]
    });
    // (1 - cos)/w as 2 sin^2(half)/w, which does not cancel.
    let (sin, half) = ((size * t).sin(), (0.5 * size * t).sin());
    std::array::from_fn(|i| along * n[i] * t + across[i] * sin / size + around[i] * 2.0 * half * half / size)
}
