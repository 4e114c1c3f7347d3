//! Steady motions over a speed, read between some of them.
//!
//! ```text
//! X(w) = sum_k l_k(w) X(w_k),   l_k(w) = prod_(j != k) (w - w_j) / (w_k - w_j)
//! ```
//!
//! Where the model is the same function of the state at all speeds w and its configuration stays the same, inertia forces make M, C and K
//! polynomials in w of degree zero, one and two, so that three speeds determine all. X stands for the blocks, the velocities,
//! accelerations and multipliers, and the generator of the frame. Forces and configurations that change otherwise do not fit: other speeds
//! are linearized as well, and a family that misses one of them by more than rounding is none. What it misses them by joins
//! the certificate of steadiness, and by that the error bounds of eigenvalues.

use super::scale::Scale;
use super::{Deviation, Frame, Generator, SteadyMotion};
use crate::linearize::pencil_of_family;
use crate::point::OperatingPoint;
use crate::velocity_rows::Admissible;
use mb_algebra::{QuadraticPencil, Sparse, norms, sparse};
use mb_model::{Model, Point};

/// Share of the sizes of row and column by which a linearized speed may be missed.
const MISSED: f64 = 1e-11;
/// The same of rows of constraints, which no error bound knows of.
const MISSED_ROWS: f64 = 1e-13;
/// Share of the largest coordinate by which configurations may differ and be one.
const SAME: f64 = 1e-13;
/// Largest miss between speeds over the largest of those checked.
const BETWEEN: f64 = 2.0;

/// A speed with its steady motion and the blocks there.
#[derive(Clone, Debug)]
struct Node {
    speed: f64,
    motion: SteadyMotion,
    pencil: QuadraticPencil<Sparse>,
}

/// Steady motions whose linearizations are polynomials in the speed.
#[derive(Clone, Debug)]
pub struct SteadyFamily {
    nodes: Vec<Node>,
    deviation: Deviation,
    missed: f64,
    checks: usize,
}

impl SteadyFamily {
    /// The family through the steady motions `nodes`, each with its speed; none where one of them is at rest, or one of the `others` is missed.
    ///
    /// The model must be the same function of the state at all speeds. `dense`: blocks as [`crate::linearize`] makes them, else as
    /// [`crate::linearize_sparse`].
    pub fn through(
        model: &Model,
        nodes: &[(f64, &OperatingPoint)],
        others: &[(f64, &OperatingPoint)],
        dense: bool,
    ) -> Option<Self> {
        let (_, first) = nodes.first()?;
        let weight = if model.has_velocity_rows() {
            let motion = first.steady()?;
            Some(match motion.system() {
                Some(system) => system.weight,
                None => Admissible::new(model, first.point(), Some(motion.generator()), None).ok()?.weight,
            })
        } else {
            None
        };
        let node = |(speed, at): &(f64, &OperatingPoint)| -> Option<Node> {
            let pencil = pencil_of_family(model, at, dense, weight);
            Some(Node { speed: *speed, motion: at.steady()?.clone(), pencil })
        };
        let nodes: Vec<Node> = nodes.iter().map(node).collect::<Option<_>>()?;
        let others: Vec<Node> = others.iter().map(node).collect::<Option<_>>()?;
        let deviations = || nodes.iter().chain(&others).map(|n| &n.motion.deviation);
        let mut family =
            Self { deviation: Deviation::joined(deviations())?, nodes, missed: 0.0, checks: others.len() };
        family.misses(model, &others).then_some(family)
    }
    /// Compares the family with other speeds; false where one of them is missed.
    fn misses(&mut self, model: &Model, others: &[Node]) -> bool {
        let Some(fastest) = self.nodes.iter().max_by(|a, b| a.speed.abs().total_cmp(&b.speed.abs())) else {
            return false;
        };
        // Forces that grow with the square of the speed change K as its polynomials do, and the configuration too, where something stretches: free
        // turns of one speed are none of another.
        let q = &self.nodes[0].motion.point.q;
        let size = norms::max_abs_vec(q);
        let moved = |n: &Node| n.motion.point.q.iter().zip(q).any(|(a, b)| (a - b).abs() > SAME * size);
        if self.nodes.iter().chain(others).any(moved) {
            return false;
        }
        let QuadraticPencil { m, c, k, .. } = &fastest.pencil;
        let scale = Scale::new(model, &fastest.motion.point, &[m, c, k].map(super::diagonal));
        let mut all: Vec<[Sparse; 3]> = Vec::new();
        for other in others {
            let found = self.pencil(other.speed);
            let off = |a: &Sparse, b: &Sparse| sparse::add(1.0, a, -1.0, b);
            let rows = largest(&off(&found.phi_q, &other.pencil.phi_q));
            if rows.is_nan() || rows > MISSED_ROWS * largest(&other.pencil.phi_q) {
                return false;
            }
            let p = &other.pencil;
            let off = [off(&found.m, &p.m), off(&found.c, &p.c), off(&found.k, &p.k)];
            for (order, off) in off.iter().enumerate() {
                for (value, (i, j)) in off {
                    let share = value.abs() * scale.unit(order) / (scale.full[i] * scale.full[j]);
                    if share.is_nan() || share > MISSED {
                        return false;
                    }
                    self.missed = self.missed.max(share);
                }
            }
            all.push(off.map(|x| x.map(|v| BETWEEN * v.abs())));
        }
        self.deviation = self.deviation.plus(&all, BETWEEN * self.missed);
        true
    }
    /// Whether a speed lies between those that the family goes through.
    pub fn covers(&self, speed: f64) -> bool {
        let all = || self.nodes.iter().map(|n| n.speed);
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        (low..=high).contains(&speed)
    }
    /// The largest change of a linearization along its orbit, with what speeds between are missed by.
    pub fn deviation(&self) -> f64 {
        self.deviation.relative
    }
    /// Degree of the polynomials.
    pub fn degree(&self) -> usize {
        self.nodes.len() - 1
    }
    /// What other speeds that were linearized are missed by, relative to the diagonals of the blocks.
    pub fn missed(&self) -> f64 {
        self.missed
    }
    /// Number of these speeds.
    pub fn checks(&self) -> usize {
        self.checks
    }
    /// l_k(w).
    fn weights(&self, speed: f64) -> Vec<f64> {
        let one = |k: usize| -> f64 {
            let others = self.nodes.iter().enumerate().filter(|(j, _)| *j != k);
            others.map(|(_, n)| (speed - n.speed) / (self.nodes[k].speed - n.speed)).product()
        };
        (0..self.nodes.len()).map(one).collect()
    }
    /// The value at a speed of what the nodes have.
    pub fn value(&self, speed: f64, of_nodes: &[f64]) -> f64 {
        self.weights(speed).iter().zip(of_nodes).map(|(l, x)| l * x).sum()
    }
    /// The blocks at a speed.
    pub fn pencil(&self, speed: f64) -> QuadraticPencil<Sparse> {
        let weights = self.weights(speed);
        let sum = |of: fn(&QuadraticPencil<Sparse>) -> &Sparse| -> Sparse {
            let mut terms = self.nodes.iter().zip(&weights).map(|(n, l)| (of(&n.pencil), *l));
            let first = terms.next().map_or_else(|| sparse::zeros(0, 0), |(x, l)| sparse::scale(l, x));
            terms.fold(first, |sum, (x, l)| sparse::add(1.0, &sum, l, x))
        };
        // Rows are the same at all speeds.
        let phi_q = self.nodes[0].pencil.phi_q.clone();
        QuadraticPencil { m: sum(|p| &p.m), c: sum(|p| &p.c), k: sum(|p| &p.k), phi_q }
    }
    /// The steady motion at a speed.
    pub fn motion(&self, model: &Model, speed: f64) -> OperatingPoint {
        let weights = self.weights(speed);
        let sum = |of: fn(&Point) -> &Vec<f64>| -> Vec<f64> {
            let size = of(&self.nodes[0].motion.point).len();
            let mut out = vec![0.0; size];
            for (node, l) in self.nodes.iter().zip(&weights) {
                out.iter_mut().zip(of(&node.motion.point)).for_each(|(out, x)| *out += l * x);
            }
            out
        };
        let point = Point {
            v: sum(|p| &p.v),
            a: sum(|p| &p.a),
            lambda: sum(|p| &p.lambda),
            ..self.near(speed).motion.point.clone()
        };
        let none = self.nodes[0].motion.generator.plus(-1.0, &self.nodes[0].motion.generator);
        let parts = self.nodes.iter().zip(&weights);
        let generator = parts.fold(none, |sum: Generator, (n, l)| sum.plus(*l, &n.motion.generator));
        let frame = Frame::of(model, &point, &generator);
        let near = self.near(speed);
        let times = near.motion.times.iter().map(|t| t * near.speed / speed).collect();
        let deviation = self.deviation.clone();
        let forces = self.nodes.iter().map(|n| n.motion.forces).fold(0.0, f64::max);
        OperatingPoint::of_family(SteadyMotion {
            point,
            generator,
            frame,
            deviation,
            times,
            forces,
            system: None,
        })
    }
    /// The nearest speed.
    fn near(&self, speed: f64) -> &Node {
        let away = |n: &Node| (n.speed - speed).abs();
        let mut best = &self.nodes[0];
        for node in &self.nodes {
            if away(node) < away(best) {
                best = node;
            }
        }
        best
    }
}

fn largest(x: &Sparse) -> f64 {
    x.data().iter().fold(0.0, |a: f64, x| if x.is_nan() { f64::NAN } else { a.max(x.abs()) })
}
