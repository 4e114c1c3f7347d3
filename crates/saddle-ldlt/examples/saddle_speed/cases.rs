//! Generated cases: chains with multiplier joints and clamped hexahedral blocks.

use mb_algebra::{Scatter, Sparse, Triplets};

/// Stiffness, mass and constraints of a case.
pub(crate) struct Case {
    pub(crate) k: Sparse,
    pub(crate) m: Sparse,
    pub(crate) g: Sparse,
}

/// Planar chain of rigid links clamped at one end: three coordinates a link, two multipliers a joint, springs
/// between the angles of neighbours. `ground` is the stiffness that ties every link to the ground.
pub(crate) fn chain(links: usize, ground: f64) -> Case {
    let n = 3 * links;
    let (length, spring, mass) = (1.0, 1e4, 2.0);
    let mut k = Triplets::with_capacity(n, n, 13 * links);
    let mut m = Triplets::with_capacity(n, n, 3 * links);
    let mut g = Triplets::with_capacity(2 * links, n, 6 * links);
    for b in 0..links {
        for d in 0..3 {
            let inertia = if d == 2 { mass * length * length / 12.0 } else { mass };
            m.add(3 * b + d, 3 * b + d, inertia);
            k.add(3 * b + d, 3 * b + d, ground);
        }
        let own = 3 * b + 2;
        k.add(own, own, spring);
        // The tip of the link before is the root of this one; angles are small, the chain lies along x.
        for d in 0..2 {
            g.add(2 * b + d, 3 * b + d, 1.0);
        }
        g.add(2 * b + 1, own, -length / 2.0);
        if b > 0 {
            let before = own - 3;
            k.add(before, before, spring);
            k.add(own, before, -spring);
            k.add(before, own, -spring);
            for d in 0..2 {
                g.add(2 * b + d, 3 * b - 3 + d, -1.0);
            }
            g.add(2 * b + 1, before, -length / 2.0);
        }
    }
    Case { k: k.to_sparse(), m: m.to_sparse(), g: g.to_sparse() }
}

/// Block of nx x ny x nz nodes of hex8 elements of steel, unit cubes of 1 cm, face x = 0 clamped by multipliers.
pub(crate) fn hex(nx: usize, ny: usize, nz: usize) -> Case {
    let element = element_stiffness(2.1e11, 0.3, 0.01);
    let lumped = 7800.0 * 1e-6 / 8.0;
    let node = |x: usize, y: usize, z: usize| x + nx * (y + ny * z);
    let n = 3 * nx * ny * nz;
    let elements = (nx - 1) * (ny - 1) * (nz - 1);
    let mut k = Triplets::with_capacity(n, n, 576 * elements);
    let mut m = Triplets::with_capacity(n, n, 24 * elements);
    for z in 0..nz - 1 {
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                let corners: Vec<usize> =
                    (0..8).map(|c| node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))).collect();
                for (a, &p) in corners.iter().enumerate() {
                    for i in 0..3 {
                        m.add(3 * p + i, 3 * p + i, lumped);
                        for (b, &q) in corners.iter().enumerate() {
                            for j in 0..3 {
                                k.add(3 * p + i, 3 * q + j, element[3 * a + i][3 * b + j]);
                            }
                        }
                    }
                }
            }
        }
    }
    let mut g = Triplets::new(3 * ny * nz, n);
    for y in 0..ny {
        for z in 0..nz {
            for i in 0..3 {
                g.add(3 * (y + ny * z) + i, 3 * node(0, y, z) + i, 1.0);
            }
        }
    }
    Case { k: k.to_sparse(), m: m.to_sparse(), g: g.to_sparse() }
}

/// Stiffness of a cube of side `h`, corner c at ((c & 1), (c >> 1) & 1, c >> 2) h; 2 x 2 x 2 Gauss points.
fn element_stiffness(young: f64, poisson: f64, h: f64) -> [[f64; 24]; 24] {
    let lame = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let shear = young / (2.0 * (1.0 + poisson));
    let sign = |c: usize, d: usize| if c >> d & 1 == 1 { 1.0 } else { -1.0 };
    let gauss = 1.0 / 3.0_f64.sqrt();
    let mut k = [[0.0; 24]; 24];
    for point in 0..8 {
        let xi: Vec<f64> = (0..3).map(|d| gauss * sign(point, d)).collect();
        // Gradients of the shape functions.
        let grad: Vec<[f64; 3]> = (0..8)
            .map(|c| {
                let part = |d: usize| 1.0 + sign(c, d) * xi[d];
                let along = |d: usize| sign(c, d) * part((d + 1) % 3) * part((d + 2) % 3) / 8.0 * 2.0 / h;
                [along(0), along(1), along(2)]
            })
            .collect();
        let weight = (h / 2.0).powi(3);
        for a in 0..8 {
            for b in 0..8 {
                let dot: f64 = (0..3).map(|d| grad[a][d] * grad[b][d]).sum();
                for i in 0..3 {
                    for j in 0..3 {
                        let mut value = lame * grad[a][i] * grad[b][j] + shear * grad[a][j] * grad[b][i];
                        if i == j {
                            value += shear * dot;
                        }
                        k[3 * a + i][3 * b + j] += weight * value;
                    }
                }
            }
        }
    }
    k
}
