//! Coordinates of a model: named blocks of configuration and velocity, and the retraction.
//!
//! A block has `nq` configuration numbers and `nv` velocities. They differ where the
//! configuration lives on a manifold: a spatial pose has a position and four Euler parameters
//! (nq = 7) but six velocities. Nothing above this module may assume nq = nv or q' = v; a
//! configuration is changed only by the retraction q (+) d with d of size nv.

use mb_scalar::Real;

/// What the numbers of a block mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Position of a point in the plane: x, y.
    PlanarPoint,
    /// Position of a point in space: x, y, z.
    SpatialPoint,
    /// Reference point and orientation of a body in the plane: x, y, angle.
    PlanarPose,
    /// One angle.
    Angle,
    /// Position and Euler parameters (e0, e1, e2, e3) of a body in space; its velocities are
    /// the velocity of the reference point and the angular velocity in body axes.
    Pose,
    /// Elastic coordinates of a node of a flexible link in the axes of its frame: displacement
    /// along x and y, rotation.
    ElasticNode,
    /// Displacement along x and y and rotation of a node in ground axes, counted from its place on an ideal rigid
    /// mechanism.
    Displacement,
    /// `n` numbers without further meaning, such as elastic coordinates.
    Vector(usize),
}

impl BlockKind {
    /// Configuration numbers.
    pub const fn nq(self) -> usize {
        match self {
            Self::PlanarPoint => 2,
            Self::SpatialPoint | Self::PlanarPose | Self::ElasticNode | Self::Displacement => 3,
            Self::Angle => 1,
            Self::Pose => 7,
            Self::Vector(n) => n,
        }
    }
    /// Configuration numbers that are components of a position; they come first.
    pub const fn positions(self) -> usize {
        match self {
            Self::PlanarPoint | Self::PlanarPose => 2,
            Self::SpatialPoint | Self::Pose => 3,
            Self::Angle | Self::ElasticNode | Self::Displacement | Self::Vector(_) => 0,
        }
    }
    /// Velocities, the size of the tangent.
    pub const fn nv(self) -> usize {
        match self {
            Self::Pose => 6,
            other => other.nq(),
        }
    }
    /// True when q (+) d is q + d.
    pub const fn is_linear(self) -> bool {
        !matches!(self, Self::Pose)
    }
    /// True when tangent direction `i` is an angle or a rotation, in rad.
    pub const fn turns(self, i: usize) -> bool {
        match self {
            Self::Angle => true,
            Self::PlanarPose | Self::ElasticNode | Self::Displacement => i == 2,
            Self::Pose => i >= 3,
            Self::PlanarPoint | Self::SpatialPoint | Self::Vector(_) => false,
        }
    }
    /// Name of tangent direction `i`.
    pub fn axis(self, i: usize) -> String {
        let names: &[&str] = match self {
            Self::PlanarPoint => &["x", "y"],
            Self::SpatialPoint => &["x", "y", "z"],
            Self::PlanarPose => &["x", "y", "angle"],
            Self::Angle => &["angle"],
            Self::Pose => &["x", "y", "z", "rotation x", "rotation y", "rotation z"],
            Self::ElasticNode | Self::Displacement => &["ux", "uy", "rotation"],
            Self::Vector(_) => &[],
        };
        names.get(i).map_or_else(|| format!("{}", i + 1), |n| (*n).to_owned())
    }
    /// First derivative of q (+) x v by x at x = 0, which is q' of a motion with velocity `v`:
    /// nq numbers into `out`.
    pub fn rate<S: Real>(self, q: &[S], v: &[S], out: &mut [S]) {
        if self.is_linear() {
            out.copy_from_slice(v);
            return;
        }
        out[..3].copy_from_slice(&v[..3]);
        let [a, b, c, d] = [q[3], q[4], q[5], q[6]];
        let [x, y, z] = [v[3].scale(0.5), v[4].scale(0.5), v[5].scale(0.5)];
        out[3] = -(b * x + c * y + d * z);
        out[4] = a * x + c * z - d * y;
        out[5] = a * y - b * z + d * x;
        out[6] = a * z + b * y - c * x;
    }
    /// q (+) x e_j to first order in x, in place, which is all of it for a number whose square is zero; `q` has nq numbers.
    pub(crate) fn step<S: Real>(self, q: &mut [S], j: usize, x: S) {
        if self.is_linear() || j < 3 {
            q[j] += x;
            return;
        }
        // p (x) (0, x e / 2).
        let [a, b, c, d] = [3, 4, 5, 6].map(|i| q[i] * x.scale(0.5));
        let by = match j {
            3 => [-b, a, d, -c],
            4 => [-c, -d, a, b],
            _ => [-d, c, -b, a],
        };
        q[3..7].iter_mut().zip(by).for_each(|(q, by)| *q += by);
    }
    /// Second derivative of q (+) x v by x at x = 0: nq numbers into `out`.
    pub fn bend<S: Real>(self, q: &[S], v: &[S], out: &mut [S]) {
        out.fill(S::zero());
        if !self.is_linear() {
            // exp(w x / 2) has the second derivative -|w|^2 / 4.
            let factor = -(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]).scale(0.25);
            for i in 3..7 {
                out[i] = q[i] * factor;
            }
        }
    }
    /// q (+) d for one block, in place: `q` has nq numbers, `d` has nv.
    pub fn retract<S: Real>(self, q: &mut [S], d: &[S]) {
        if self.is_linear() {
            for (q, d) in q.iter_mut().zip(d) {
                *q += *d;
            }
        } else {
            for i in 0..3 {
                q[i] += d[i];
            }
            rotate(&mut q[3..7], [d[3], d[4], d[5]]);
        }
    }
}

/// Euler parameters p times the rotation by the body-axes vector w: p (x) exp(w / 2).
fn rotate<S: Real>(p: &mut [S], w: [S; 3]) {
    let half = [w[0].scale(0.5), w[1].scale(0.5), w[2].scale(0.5)];
    let x2 = half[0] * half[0] + half[1] * half[1] + half[2] * half[2];
    let (sinc, cos) = sinc_cos(x2);
    let e = [cos, half[0] * sinc, half[1] * sinc, half[2] * sinc];
    let [a, b, c, d] = [p[0], p[1], p[2], p[3]];
    p[0] = a * e[0] - b * e[1] - c * e[2] - d * e[3];
    p[1] = a * e[1] + b * e[0] + c * e[3] - d * e[2];
    p[2] = a * e[2] - b * e[3] + c * e[0] + d * e[1];
    p[3] = a * e[3] + b * e[2] - c * e[1] + d * e[0];
}

/// sin(x)/x and cos(x) as functions of x^2, smooth at zero.
///
/// Derivative sweeps come here with the value zero, where sqrt has no derivative; below the
/// switch the series is exact to rounding (next term x^16/16!).
fn sinc_cos<S: Real>(x2: S) -> (S, S) {
    if x2.value() < 1e-2 {
        let series = |first: f64| {
            // Horner from the highest term: 1 - x2/(a(a+1)) (1 - x2/((a+2)(a+3)) (...)).
            let mut sum = S::one();
            for k in (0..8).rev() {
                let a = first + 2.0 * f64::from(k);
                sum = S::one() - x2.scale(1.0 / (a * (a + 1.0))) * sum;
            }
            sum
        };
        (series(2.0), series(1.0))
    } else {
        let x = x2.sqrt();
        let (s, c) = x.sin_cos();
        (s / x, c)
    }
}

/// A named block with its place in the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Name in the user's words, such as `crank`.
    pub name: String,
    /// Meaning of the numbers.
    pub kind: BlockKind,
    /// First index in q.
    pub q: usize,
    /// First index in v.
    pub v: usize,
}

/// The coordinates of one body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyCoordinates {
    /// Name in the user's words.
    pub name: String,
    /// Indices of its velocities.
    pub velocities: Vec<usize>,
}

/// Index of a block in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub usize);

/// All coordinates of a model.
#[derive(Clone, Debug, Default)]
pub struct Coordinates {
    blocks: Vec<Block>,
    nq: usize,
    nv: usize,
}

impl Coordinates {
    /// Appends a block.
    pub fn push(&mut self, name: impl Into<String>, kind: BlockKind) -> BlockId {
        self.blocks.push(Block { name: name.into(), kind, q: self.nq, v: self.nv });
        self.nq += kind.nq();
        self.nv += kind.nv();
        BlockId(self.blocks.len() - 1)
    }
    /// Number of configuration numbers.
    pub fn nq(&self) -> usize {
        self.nq
    }
    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.nv
    }
    /// The blocks in order of their indices.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }
    /// One block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0]
    }
    /// Block and axis of velocity `i`, as `crank.x`.
    pub fn name_of(&self, i: usize) -> String {
        let k = self.blocks.partition_point(|b| b.v <= i).saturating_sub(1);
        let b = &self.blocks[k];
        format!("{}.{}", b.name, b.kind.axis(i - b.v))
    }
    /// The largest angle or rotation (rad) in a step `d` (nv) of the tangent; zero without any.
    pub fn largest_turn(&self, d: &[f64]) -> f64 {
        let turns = self.blocks.iter().flat_map(|b| {
            let own = &d[b.v..b.v + b.kind.nv()];
            own.iter().enumerate().filter(|(i, _)| b.kind.turns(*i)).map(|(_, d)| d.abs())
        });
        turns.fold(0.0, f64::max)
    }
    /// The size of the numbers that a change along each velocity is made of, length nv, at the configuration `q`.
    ///
    /// Sections of a beam see the components of a position turned, so that the largest counts for all; a sine is rounded like a
    /// number of size one, however small the angle.
    pub fn sizes(&self, q: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.nv()];
        for block in self.blocks() {
            let own = &q[block.q..block.q + block.kind.nq()];
            let positions = block.kind.positions();
            let position = own[..positions].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (i, size) in out[block.v..block.v + block.kind.nv()].iter_mut().enumerate() {
                *size = match block.kind {
                    _ if i < positions => position,
                    BlockKind::Pose => 1.0,
                    BlockKind::PlanarPose | BlockKind::Angle => own[i].abs().max(1.0),
                    _ => own[i].abs(),
                };
            }
        }
        out
    }
    /// Names of all velocities, in order.
    pub fn names(&self) -> Vec<String> {
        self.blocks
            .iter()
            .flat_map(|b| (0..b.kind.nv()).map(move |i| format!("{}.{}", b.name, b.kind.axis(i))))
            .collect()
    }
    /// Velocities by body: those of a block; with a flexible link's frame those of its nodes, and the nodes of a beam
    /// or a solid together.
    ///
    /// Where bodies are described by points that they share, each point stands for itself; a node of a beam that is part of
    /// another body, or of an earlier beam, belongs to that one.
    pub fn bodies(&self) -> Vec<BodyCoordinates> {
        let mut out: Vec<BodyCoordinates> = Vec::new();
        // Whether the last body is made of nodes alone.
        let mut nodes_alone = false;
        for b in &self.blocks {
            let own = b.v..b.v + b.kind.nv();
            // Nodes are named after what they are nodes of, `arm[3]`.
            let whole = b.name.rsplit_once('[').map(|(whole, _)| whole);
            match (out.last_mut(), b.kind, whole) {
                // Coordinates of a link follow its frame, or its angle and the rotation of its base.
                (
                    Some(body),
                    BlockKind::ElasticNode | BlockKind::Displacement | BlockKind::Angle,
                    Some(link),
                ) if link == body.name => {
                    body.velocities.extend(own);
                }
                (Some(body), BlockKind::Pose | BlockKind::SpatialPoint, Some(whole))
                    if nodes_alone && whole == body.name =>
                {
                    body.velocities.extend(own);
                }
                (_, BlockKind::Pose | BlockKind::SpatialPoint, Some(whole)) => {
                    nodes_alone = true;
                    out.push(BodyCoordinates { name: whole.to_owned(), velocities: own.collect() });
                }
                _ => {
                    nodes_alone = false;
                    out.push(BodyCoordinates { name: b.name.clone(), velocities: own.collect() });
                }
            }
        }
        out
    }
    /// Velocities (nv) of a translation of everything by one m/s along `axis` (0, 1, 2 for x, y, z).
    ///
    /// Angles and elastic coordinates, which count from a body's own axes, stay at rest.
    pub fn translation(&self, axis: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.nv];
        for b in &self.blocks {
            let axes = b.kind.positions();
            if axis < axes {
                out[b.v + axis] = 1.0;
            }
        }
        out
    }
    /// q (+) d, with d of size nv.
    pub fn retract<S: Real>(&self, q: &[S], d: &[S]) -> Vec<S> {
        let mut out = q.to_vec();
        self.retract_in_place(&mut out, d);
        out
    }
    /// q <- q (+) d, with d of size nv.
    pub fn retract_in_place<S: Real>(&self, q: &mut [S], d: &[S]) {
        for b in &self.blocks {
            b.kind.retract(&mut q[b.q..b.q + b.kind.nq()], &d[b.v..b.v + b.kind.nv()]);
        }
    }
    /// Configuration rates q' of a motion with velocities `v`: nq numbers into `out`.
    pub fn rate<S: Real>(&self, q: &[S], v: &[S], out: &mut [S]) {
        for b in &self.blocks {
            let (q_range, v_range) = (b.q..b.q + b.kind.nq(), b.v..b.v + b.kind.nv());
            b.kind.rate(&q[q_range.clone()], &v[v_range], &mut out[q_range]);
        }
    }
    /// Scales Euler parameters back to length one.
    ///
    /// Constraints and positions do not depend on their length; only their rates do.
    pub fn normalize(&self, q: &mut [f64]) {
        for b in self.blocks.iter().filter(|b| b.kind == BlockKind::Pose) {
            let p = &mut q[b.q + 3..b.q + 7];
            let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                for x in p {
                    *x /= length;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_scalar::Dual;

    #[test]
    fn retraction_of_a_pose_keeps_the_norm_and_composes_about_one_axis() {
        let mut q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        for _ in 0..8 {
            BlockKind::Pose.retract(&mut q, &[0.1, 0.0, 0.0, 0.0, 0.0, core::f64::consts::FRAC_PI_4]);
        }
        // Eight eighths of a turn about z: Euler parameters go to minus themselves.
        assert!((q[3] + 1.0).abs() < 1e-14 && q[6].abs() < 1e-14);
        assert!((q[0] - 0.8).abs() < 1e-15);
    }

    /// rate() and bend() are the first two derivatives of the retraction.
    #[test]
    fn rate_and_bend_are_derivatives_of_the_retraction() {
        let q = [0.3, -0.2, 0.5, 0.5, -0.1, 0.7, 0.5];
        let v = [0.4, 1.0, -0.7, 1.1, -0.6, 0.9];
        let mut moved = q.map(|x| Dual::constant(Dual::constant(x)));
        let step = v.map(|x| Dual::new(Dual::new(0.0, x), Dual::new(x, 0.0)));
        BlockKind::Pose.retract(&mut moved, &step);
        let (mut first, mut second) = ([0.0; 7], [0.0; 7]);
        BlockKind::Pose.rate(&q, &v, &mut first);
        BlockKind::Pose.bend(&q, &v, &mut second);
        for i in 0..7 {
            assert!((moved[i].re.eps - first[i]).abs() < 1e-15);
            assert!((moved[i].eps.eps - second[i]).abs() < 1e-15);
        }
        // Steps along all directions, to first order.
        let mut stepped = q.map(Dual::constant);
        (0..6).for_each(|j| BlockKind::Pose.step(&mut stepped, j, Dual::new(0.0, v[j])));
        assert!(stepped.iter().zip(&first).all(|(x, rate)| (x.eps - rate).abs() < 1e-15));
    }

    #[test]
    fn rotation_series_and_closed_form_meet_at_the_switch() {
        for x2 in [0.999e-2_f64, 1.001e-2] {
            let (s, c) = sinc_cos(x2);
            let x = x2.sqrt();
            assert!((s - x.sin() / x).abs() < 4e-16 && (c - x.cos()).abs() < 4e-16);
        }
    }

    #[test]
    fn names_follow_blocks_and_axes() {
        let mut c = Coordinates::default();
        c.push("B0", BlockKind::PlanarPoint);
        c.push("phi", BlockKind::Angle);
        c.push("arm", BlockKind::PlanarPose);
        assert_eq!(c.names(), ["B0.x", "B0.y", "phi.angle", "arm.x", "arm.y", "arm.angle"]);
        assert_eq!((0..6).map(|i| c.name_of(i)).collect::<Vec<_>>(), c.names());
    }

    #[test]
    fn nodes_belong_to_their_link_and_points_translate() {
        let mut c = Coordinates::default();
        c.push("B[1]", BlockKind::PlanarPoint);
        c.push("arm", BlockKind::PlanarPose);
        c.push("arm[1]", BlockKind::ElasticNode);
        c.push("arm[2]", BlockKind::ElasticNode);
        c.push("body", BlockKind::Pose);
        for name in ["boom[2]", "boom[3]", "jib[1]", "jib[2]"] {
            c.push(name, BlockKind::Pose);
        }
        let bodies = c.bodies();
        let names: Vec<&str> = bodies.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["B[1]", "arm", "body", "boom", "jib"]);
        assert_eq!(bodies[1].velocities, (2..11).collect::<Vec<_>>());
        assert_eq!(bodies[3].velocities, (17..29).collect::<Vec<_>>());
        let moving = |axis: usize| -> Vec<usize> {
            let step = c.translation(axis);
            (0..c.nv()).filter(|&i| step[i] != 0.0).collect()
        };
        let along = |first: &[usize], body: usize| -> Vec<usize> {
            first.iter().copied().chain((0..5).map(|k| body + 6 * k)).collect()
        };
        assert_eq!(
            (moving(0), moving(1), moving(2)),
            (along(&[0, 2], 11), along(&[1, 3], 12), along(&[], 13))
        );
    }
}
