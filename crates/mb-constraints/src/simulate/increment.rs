//! Increments of a configuration in the coordinates' own geometry, and their derivative.

use mb_algebra::Sparse;
use mb_model::{BlockKind, Model};

/// T^-1 of the increment d: (q (+) (d + x)) = (q (+) d) (+) T x to first order.
///
/// The identity but for the rotations of spatial bodies, where with the angle a = |r|
///
/// ```text
/// T^-1 = I + r~ / 2 + (1 / a^2 - (1 + cos a) / (2 a sin a)) r~^2
/// ```
#[derive(Debug, Default)]
pub(super) struct InverseTangent {
    /// First row of each rotation and its block.
    blocks: Vec<(usize, [[f64; 3]; 3])>,
}

impl InverseTangent {
    /// That of the increment `d`, in the memory of the last one.
    pub(super) fn update(&mut self, model: &Model, d: &[f64]) {
        let poses = model.coordinates().blocks().iter().filter(|b| b.kind == BlockKind::Pose);
        self.blocks.clear();
        self.blocks.extend(poses.map(|b| (b.v + 3, inverse_tangent([d[b.v + 3], d[b.v + 4], d[b.v + 5]]))));
    }
    /// x <- T^-1 x.
    pub(super) fn apply(&self, x: &mut [f64]) {
        for (at, block) in &self.blocks {
            let own = [x[*at], x[at + 1], x[at + 2]];
            for i in 0..3 {
                x[at + i] = (0..3).map(|j| block[i][j] * own[j]).sum();
            }
        }
    }
    /// A <- A T^-1 for the `values` of a matrix in which the columns of a rotation have the same rows.
    pub(super) fn multiply(&self, pattern: &Sparse, values: &mut [f64]) {
        let start = pattern.indptr();
        let start = start.into_raw_storage();
        for (at, block) in &self.blocks {
            let rows = start[at + 1] - start[*at];
            for k in start[*at]..start[at + 1] {
                let own = [values[k], values[k + rows], values[k + 2 * rows]];
                for j in 0..3 {
                    values[k + j * rows] = (0..3).map(|i| own[i] * block[i][j]).sum();
                }
            }
        }
    }
}

fn inverse_tangent(r: [f64; 3]) -> [[f64; 3]; 3] {
    let a2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let factor = if a2 < 1e-4 {
        // Series of the factor; the next term is a^4 / 30240.
        1.0 / 12.0 + a2 / 720.0
    } else {
        let a = a2.sqrt();
        1.0 / a2 - (1.0 + a.cos()) / (2.0 * a * a.sin())
    };
    let cross = [[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]];
    let mut out = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let square: f64 = (0..3).map(|k| cross[i][k] * cross[k][j]).sum();
            out[i][j] = f64::from(u8::from(i == j)) + 0.5 * cross[i][j] + factor * square;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// q (+) (d + T^-1 x) = (q (+) d) (+) x to first order in x.
    #[test]
    fn tangent_is_the_derivative_of_the_retraction() {
        for scale in [1e-3, 0.5, 1.5] {
            let r = [0.4 * scale, -0.7 * scale, 0.3 * scale];
            let inverse = inverse_tangent(r);
            let h = 1e-6;
            for k in 0..3 {
                let moved = |sign: f64| {
                    let mut a = [0.0, 0.0, 0.0, 0.5, -0.1, 0.7, 0.5];
                    let mut d = [0.0, 0.0, 0.0, r[0], r[1], r[2]];
                    for i in 0..3 {
                        d[3 + i] += sign * h * inverse[i][k];
                    }
                    BlockKind::Pose.retract(&mut a, &d);
                    a
                };
                let mut b = [0.0, 0.0, 0.0, 0.5, -0.1, 0.7, 0.5];
                BlockKind::Pose.retract(&mut b, &[0.0, 0.0, 0.0, r[0], r[1], r[2]]);
                let mut unit = [0.0; 6];
                unit[3 + k] = 1.0;
                let mut rate = [0.0; 7];
                BlockKind::Pose.rate(&b, &unit, &mut rate);
                let (plus, minus) = (moved(1.0), moved(-1.0));
                for i in 0..7 {
                    let difference = (plus[i] - minus[i]) / (2.0 * h);
                    assert!((difference - rate[i]).abs() < 1e-9, "{i}: {difference} {}", rate[i]);
                }
            }
        }
    }
}
