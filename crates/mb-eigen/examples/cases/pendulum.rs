//! Two hanging flexible links in floating frames, linearized by hand about the undeformed state.
//!
//! Per link x, y, theta of the frame and (u, v, rotation) of `elements` + 1 nodes relative to it: n = 6 elements + 12. The
//! frame's columns couple to every node (an arrow), and rigid motion of the nodes repeats that of the frame, which only
//! the m = 10 constraints distinguish. Dimensions of the flexible double pendulum of gonzalez2017.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

const LENGTH: f64 = 4.0;
const DENSITY: f64 = 1500.0;
const YOUNG: f64 = 1e8;
const RADIUS: f64 = 0.15;
const GRAVITY: f64 = 9.81;

/// M, C = 0, K and Phi_q of the stand-in.
pub(crate) fn flexible_pendulum(elements: usize) -> QuadraticPencil<Sparse> {
    let area = std::f64::consts::PI * RADIUS * RADIUS;
    let inertia = area * RADIUS * RADIUS / 4.0;
    let (line, h) = (DENSITY * area, LENGTH / elements as f64);
    let per_link = 3 * (elements + 2);
    let n = 2 * per_link;
    let (mut m, mut k) = (Triplets::new(n, n), Triplets::new(n, n));
    let mut phi = Triplets::new(10, n);
    // Three Gauss points on the unit interval carry the sixth degree only approximately, four do it exactly.
    let (a, b) = (
        (3.0_f64 / 7.0 - 2.0 / 7.0 * 1.2_f64.sqrt()).sqrt(),
        (3.0_f64 / 7.0 + 2.0 / 7.0 * 1.2_f64.sqrt()).sqrt(),
    );
    let (wa, wb) = ((18.0 + 30.0_f64.sqrt()) / 72.0, (18.0 - 30.0_f64.sqrt()) / 72.0);
    let gauss = [(0.5 - b / 2.0, wb), (0.5 - a / 2.0, wa), (0.5 + a / 2.0, wa), (0.5 + b / 2.0, wb)];
    for link in 0..2 {
        let base = link * per_link;
        for e in 0..elements {
            let node = base + 3 + 3 * e;
            // Nine coordinates: x, y, theta, (u, v, rotation) twice.
            let at = [base, base + 1, base + 2, node, node + 1, node + 2, node + 3, node + 4, node + 5];
            let mut mass = [[0.0; 9]; 9];
            let mut stiff = [[0.0; 9]; 9];
            for &(z, weight) in &gauss {
                let s = (e as f64 + z) * h;
                let hermite = [
                    1.0 - 3.0 * z * z + 2.0 * z.powi(3),
                    h * (z - 2.0 * z * z + z.powi(3)),
                    3.0 * z * z - 2.0 * z.powi(3),
                    h * (z.powi(3) - z * z),
                ];
                let along = [0.0, -1.0, 0.0, 1.0 - z, 0.0, 0.0, z, 0.0, 0.0];
                let across = [1.0, 0.0, s, 0.0, hermite[0], hermite[1], 0.0, hermite[2], hermite[3]];
                let curvature = [
                    (12.0 * z - 6.0) / (h * h),
                    (6.0 * z - 4.0) / h,
                    (6.0 - 12.0 * z) / (h * h),
                    (6.0 * z - 2.0) / h,
                ];
                let strain = [0.0, 0.0, 0.0, -1.0 / h, 0.0, 0.0, 1.0 / h, 0.0, 0.0];
                let bend = [0.0, 0.0, 0.0, 0.0, curvature[0], curvature[1], 0.0, curvature[2], curvature[3]];
                let w = weight * h;
                for i in 0..9 {
                    for j in 0..9 {
                        mass[i][j] += w * line * (along[i] * along[j] + across[i] * across[j]);
                        stiff[i][j] +=
                            w * YOUNG * (area * strain[i] * strain[j] + inertia * bend[i] * bend[j]);
                    }
                    if i > 2 && across[i] != 0.0 {
                        stiff[i][2] += w * line * GRAVITY * across[i];
                        stiff[2][i] += w * line * GRAVITY * across[i];
                    }
                }
                stiff[2][2] += w * line * GRAVITY * s;
            }
            for i in 0..9 {
                for j in 0..9 {
                    m.add(at[i], at[j], mass[i][j]);
                    k.add(at[i], at[j], stiff[i][j]);
                }
            }
        }
        for i in 0..3 {
            phi.add(4 + 3 * link + i, base + 3 + i, 1.0);
        }
    }
    // The weight of the lower link hangs at the tip of the upper one.
    let (pull, tip) = (line * GRAVITY * LENGTH, per_link - 3);
    k.add(2, 2, pull * LENGTH);
    k.add(2, tip + 1, pull);
    k.add(tip + 1, 2, pull);
    phi.add(0, 0, 1.0);
    phi.add(1, 1, 1.0);
    for (column, value) in [(0, 1.0), (2, LENGTH), (tip + 1, 1.0), (per_link, -1.0)] {
        phi.add(2, column, value);
    }
    for (column, value) in [(1, 1.0), (tip, -1.0), (per_link + 1, -1.0)] {
        phi.add(3, column, value);
    }
    QuadraticPencil { m: m.to_sparse(), c: sparse::zeros(n, n), k: k.to_sparse(), phi_q: phi.to_sparse() }
}
