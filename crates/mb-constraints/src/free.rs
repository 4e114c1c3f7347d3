//! Saddle-point systems with free motions: vectors of the null space of `Phi_q` on which the stiffness is zero.
//!
//! ```text
//! [ A + d D   Phi_q^T ] [ z ]   [ f ]
//! [ Phi_q        0    ] [ y ] = [ g ],     P: x -> z for f = d D x, g = 0
//! ```
//!
//! D holds the diagonal of A, raised where it is small, and d is little more than rounding. P leaves free motions as they are and
//! shrinks a direction of relative stiffness s (x^T A x / x^T D x) to d / (s + d), so that z - P P z has no part in free motions:
//! it is the solution of A that leaves them alone. Slender structures have relative stiffnesses near d; steps of refinement with A
//! itself make up for what P takes of these. One factorization, no null space: the number of free motions does not matter.

use mb_algebra::{Sparse, norms, sparse};
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// d: entries of A are known to a hundred roundings, which must be little compared with it.
const SHIFT: f64 = 1e-11;
/// Diagonals of A below this share of its largest entry are raised to it.
const RAISED: f64 = 1e-3;
/// Steps of refinement, the residual relative to the forces at which they end, and what each must leave of the one before.
const STEPS: usize = 60;
const ENOUGH: f64 = 1e-12;
const RATE: f64 = 0.9;

/// A system with free motions, factored with a little stiffness in all directions.
#[derive(Debug)]
pub(crate) struct WithFreeMotions {
    factor: SaddleFactor,
    /// d D.
    shift: Vec<f64>,
    a: Sparse,
    phi_q: Sparse,
}

impl WithFreeMotions {
    /// Factors the symmetric part of A with stiffness added; none where even that fails.
    pub(crate) fn new(a: &Sparse, phi_q: &Sparse) -> Option<Self> {
        let part = sparse::add(0.5, a, 0.5, &sparse::transpose(a));
        let largest = norms::max_abs(&part);
        let least = if largest > 0.0 { RAISED * largest } else { 1.0 };
        let mut shift = vec![least; a.rows()];
        for (value, (row, col)) in &part {
            if row == col {
                shift[row] = shift[row].max(value.abs());
            }
        }
        for d in &mut shift {
            *d *= SHIFT;
        }
        let shifted = sparse::add(1.0, &part, 1.0, &sparse::diagonal(&shift));
        let analysis = Arc::new(SaddleAnalysis::new(&shifted, phi_q, &SaddleOptions::default()).ok()?);
        let factor = SaddleFactor::new(&analysis, &shifted, phi_q).ok()?;
        Some(Self { factor, shift, a: a.clone(), phi_q: phi_q.clone() })
    }
    /// P x.
    fn kept(&self, x: &[f64]) -> Option<Vec<f64>> {
        let f: Vec<f64> = x.iter().zip(&self.shift).map(|(x, d)| x * d).collect();
        self.factor.solve(&f, &vec![0.0; self.phi_q.rows()]).ok().map(|(x, _)| x)
    }
    /// The part of free motions in x.
    pub(crate) fn free_part(&self, x: &[f64]) -> Option<Vec<f64>> {
        self.kept(&self.kept(x)?)
    }
    /// x without a part in free motions, and y; where f pushes along free motions they leave that part of it over.
    pub(crate) fn solve(&self, f: &[f64], g: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let (mut x, mut y) = (vec![0.0; f.len()], vec![0.0; g.len()]);
        let (mut rest, mut open) = (f.to_vec(), g.to_vec());
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            let (mut dx, dy) = self.factor.solve(&rest, &open).ok()?;
            let free = self.free_part(&dx)?;
            dx.iter_mut().zip(free).for_each(|(x, free)| *x -= free);
            let (tried_x, tried_y) = (added(&x, &dx), added(&y, &dy));
            let held = sparse::matvec_transpose(&self.phi_q, &tried_y);
            let product = sparse::matvec(&self.a, &tried_x);
            rest = f.iter().zip(product.iter().zip(&held)).map(|(f, (p, h))| f - p - h).collect();
            let moved = sparse::matvec(&self.phi_q, &tried_x);
            open = g.iter().zip(&moved).map(|(g, m)| g - m).collect();
            let size = norms::max_abs_vec(&rest);
            if !size.is_finite() {
                return None;
            }
            if size > last {
                break;
            }
            (x, y) = (tried_x, tried_y);
            let forces = norms::max_abs_vec(f).max(norms::max_abs_vec(&held));
            if size <= ENOUGH * forces || size > RATE * last {
                break;
            }
            last = size;
        }
        Some((x, y))
    }
}

/// What a direction keeps under P at least to count as a free motion, and the least share of the forces that push along one.
const FREE: f64 = 0.99;
const PUSH: f64 = 1e-8;

/// The free motion that the forces `f` push along, its largest velocity one; none where they push along none.
///
/// `a` is the stiffness (n x n) of the model without its loads, `phi_q` its constraint Jacobian (m x n).
pub fn pushed_free_motion(a: &Sparse, phi_q: &Sparse, f: &[f64]) -> Option<Vec<f64>> {
    let system = WithFreeMotions::new(a, phi_q)?;
    let pushed = system.factor.solve(f, &vec![0.0; phi_q.rows()]).ok()?.0;
    let mut z = system.free_part(&pushed)?;
    let size = norms::max_abs_vec(&z);
    if !size.is_finite() || size == 0.0 {
        return None;
    }
    for z in &mut z {
        *z /= size;
    }
    let kept = system.kept(&z)?;
    let power: f64 = z.iter().zip(f).map(|(z, f)| z * f).sum();
    let is_free = norms::two(&kept) >= FREE * norms::two(&z);
    (is_free && power > PUSH * norms::two(f) * norms::two(&z)).then_some(z)
}

fn added(x: &[f64], d: &[f64]) -> Vec<f64> {
    x.iter().zip(d).map(|(x, d)| x + d).collect()
}
