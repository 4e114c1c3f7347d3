//! The sense in which modes of a rotor go round: with its spin or against it.
//!
//! A point moves by Re (x e^(i w t)), w > 0, on an ellipse with the directed area -n . (Re x X Im x) w / 2 about the axis n.
//! Translations weighted by the mass and rotations by the moments of inertia give one number for the whole shape,
//!
//! ```text
//! sum 2 m n . (Im x X Re x) / sum m |x_n|^2
//! ```
//!
//! with x_n the part of x across n: 1 for circles with the spin, -1 for circles against it, 0 for straight lines.

use super::SteadyMotion;
use super::generator::{in_body, in_ground, length, positions};
use mb_algebra::c64;
use mb_model::{BlockKind, Model};

/// Axes and inertias by which orbits are judged.
#[derive(Clone, Debug)]
pub struct Whirl {
    /// First index of three numbers of a shape, their axis in the same components, and the weight.
    parts: Vec<(usize, usize, [f64; 3], f64)>,
}

impl Whirl {
    /// For a motion seen from the ground in which something spins; none otherwise, where the sense would be another.
    pub fn of(model: &Model, motion: &SteadyMotion) -> Option<Self> {
        let point = motion.point();
        let blocks = model.coordinates().blocks();
        let spin = |b: &mb_model::Block| in_ground(b, point);
        let fastest = blocks.iter().map(spin).max_by(|a, b| length(*a).total_cmp(&length(*b)))?;
        if length(fastest) == 0.0 || motion.frame() != &super::Frame::Ground {
            return None;
        }
        let mass = model.mass(point).to_sparse();
        let weight = |i: usize| mass.get(i, i).copied().unwrap_or(0.0);
        let mut parts = Vec::new();
        for b in blocks.iter().filter(|b| positions(b.kind) > 0) {
            let own = spin(b);
            let axis = if length(own) > 0.0 { own } else { fastest };
            let axis = axis.map(|x| x / length(axis));
            let count = positions(b.kind);
            let mean = |first: usize, n: usize| (0..n).map(|i| weight(first + i)).sum::<f64>() / n as f64;
            parts.push((b.v, count, axis, mean(b.v, count)));
            if b.kind == BlockKind::Pose {
                parts.push((b.v + 3, 3, in_body(b, &point.q, axis), mean(b.v + 3, 3)));
            }
        }
        Some(Self { parts })
    }
    /// From -1 (circles against the spin) to 1 (with it), of a shape that belongs to an eigenvalue with Im s > 0; none where
    /// nothing moves across the axes.
    pub fn sense(&self, x: &[c64]) -> Option<f64> {
        let (mut area, mut size) = (0.0, 0.0);
        for (first, count, n, weight) in &self.parts {
            let zero = c64::new(0.0, 0.0);
            let x: [c64; 3] = std::array::from_fn(|i| if i < *count { x[first + i] } else { zero });
            let (mut along, mut all) = (zero, 0.0);
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                area += 2.0 * weight * n[i] * (x[j].im * x[k].re - x[k].im * x[j].re);
                along += x[i] * n[i];
                all += x[i].norm_sqr();
            }
            size += weight * (all - along.norm_sqr());
        }
        let total: f64 = self
            .parts
            .iter()
            .map(|(first, count, _, weight)| {
                weight * (0..*count).map(|i| x[first + i].norm_sqr()).sum::<f64>()
            })
            .sum();
        // Rounding may leave a little more than a circle.
        (size > 1e-9 * total).then(|| (area / size).clamp(-1.0, 1.0))
    }
}
