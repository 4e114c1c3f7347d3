//! Families of constrained problems of any size, for tests and measurements.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

/// M, K and Phi_q of an undamped problem.
fn undamped(m: &Triplets, k: &Triplets, phi: &Triplets) -> QuadraticPencil<Sparse> {
    let n = m.rows();
    QuadraticPencil { m: m.to_sparse(), c: sparse::zeros(n, n), k: k.to_sparse(), phi_q: phi.to_sparse() }
}

/// n equal masses on springs between two anchors that are held by multipliers: n + 2 unknowns, 2 constraints,
/// frequencies 2 sqrt(k/m) sin(j pi / (2 (n + 1))), j = 1..n.
pub(crate) fn spring_chain(n: usize, mass: f64, stiffness: f64) -> QuadraticPencil<Sparse> {
    let size = n + 2;
    let (mut m, mut k) = (Triplets::new(size, size), Triplets::new(size, size));
    let mut phi = Triplets::new(2, size);
    for i in 0..size {
        m.add(i, i, mass);
        if i + 1 < size {
            for (a, b, v) in [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)] {
                k.add(a, b, stiffness * v);
            }
        }
    }
    phi.add(0, 0, 1.0);
    phi.add(1, size - 1, 1.0);
    undamped(&m, &k, &phi)
}

/// A straight cantilever of separate Euler-Bernoulli elements (deflection and slope at both ends of each) joined
/// rigidly by multipliers: 4 unknowns and 2 constraints an element. `ground` times the mass matrix is added to the
/// stiffness, which moves every w = omega^2 by just that.
pub(crate) fn beam_chain(elements: usize, ground: f64, clamped: bool) -> QuadraticPencil<Sparse> {
    let n = 4 * elements;
    let l = 1.0 / elements as f64;
    let ke = [
        [12.0, 6.0 * l, -12.0, 6.0 * l],
        [6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l],
        [-12.0, -6.0 * l, 12.0, -6.0 * l],
        [6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l],
    ];
    let me = [
        [156.0, 22.0 * l, 54.0, -13.0 * l],
        [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
        [54.0, 13.0 * l, 156.0, -22.0 * l],
        [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
    ];
    let (mut m, mut k) = (Triplets::new(n, n), Triplets::new(n, n));
    let first = if clamped { 2 } else { 0 };
    let mut phi = Triplets::new(2 * (elements - 1) + first, n);
    for e in 0..elements {
        for i in 0..4 {
            for j in 0..4 {
                let mass = me[i][j] * l / 420.0;
                m.add(4 * e + i, 4 * e + j, mass);
                k.add(4 * e + i, 4 * e + j, ke[i][j] / l.powi(3) + ground * mass);
            }
        }
        if e > 0 {
            for i in 0..2 {
                let row = first + 2 * (e - 1) + i;
                phi.add(row, 4 * e - 2 + i, 1.0);
                phi.add(row, 4 * e + i, -1.0);
            }
        }
    }
    for i in 0..first {
        phi.add(i, i, 1.0);
    }
    undamped(&m, &k, &phi)
}

/// A cube of `cells`^3 trilinear hexahedra (E = 2.1e11, nu = 0.3, rho = 7850, side 1), lumped mass; one face clamped by
/// multipliers on demand, 3 (cells + 1)^2 of them.
pub(crate) fn hex_block(cells: usize, clamped: bool) -> QuadraticPencil<Sparse> {
    hex_bar([cells; 3], clamped)
}

/// As [`hex_block`] with different numbers of cubic cells along the axes; the clamp is at the low end of the first.
pub(crate) fn hex_bar(cells: [usize; 3], clamped: bool) -> QuadraticPencil<Sparse> {
    let side = 1.0 / cells[1] as f64;
    let (ke, nodal_mass) = hexahedron(side, 2.1e11, 0.3, 7850.0);
    let nodes = cells.map(|c| c + 1);
    let n = 3 * nodes.iter().product::<usize>();
    let node = |x: usize, y: usize, z: usize| (x * nodes[1] + y) * nodes[2] + z;
    let elements = cells.iter().product::<usize>();
    let mut m = Triplets::with_capacity(n, n, 24 * elements);
    let mut k = Triplets::with_capacity(n, n, 576 * elements);
    for x in 0..cells[0] {
        for y in 0..cells[1] {
            for z in 0..cells[2] {
                let corner = |a: usize| node(x + (a >> 2 & 1), y + (a >> 1 & 1), z + (a & 1));
                for a in 0..8 {
                    for i in 0..3 {
                        m.add(3 * corner(a) + i, 3 * corner(a) + i, nodal_mass);
                        for b in 0..8 {
                            for j in 0..3 {
                                k.add(3 * corner(a) + i, 3 * corner(b) + j, ke[3 * a + i][3 * b + j]);
                            }
                        }
                    }
                }
            }
        }
    }
    let face = if clamped { nodes[1] * nodes[2] } else { 0 };
    let mut phi = Triplets::new(3 * face, n);
    for row in 0..3 * face {
        phi.add(row, row, 1.0);
    }
    undamped(&m, &k, &phi)
}

/// Stiffness (2 x 2 x 2 points) and the mass of a corner of a cube with the given side; corner a at bits (x, y, z).
fn hexahedron(side: f64, young: f64, poisson: f64, density: f64) -> (Vec<[f64; 24]>, f64) {
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let mu = young / (2.0 * (1.0 + poisson));
    let mut ke = vec![[0.0; 24]; 24];
    let gauss = 0.5 / 3.0_f64.sqrt();
    let weight = side.powi(3) / 8.0;
    for point in 0..8_usize {
        let at = |axis: usize| if point >> (2 - axis) & 1 == 1 { 0.5 + gauss } else { 0.5 - gauss };
        let shape = |a: usize, axis: usize| if a >> (2 - axis) & 1 == 1 { at(axis) } else { 1.0 - at(axis) };
        let slope = |a: usize, axis: usize| if a >> (2 - axis) & 1 == 1 { 1.0 } else { -1.0 };
        let gradient: Vec<[f64; 3]> = (0..8)
            .map(|a| {
                [
                    slope(a, 0) * shape(a, 1) * shape(a, 2) / side,
                    shape(a, 0) * slope(a, 1) * shape(a, 2) / side,
                    shape(a, 0) * shape(a, 1) * slope(a, 2) / side,
                ]
            })
            .collect();
        for a in 0..8 {
            for b in 0..8 {
                let (g, h) = (gradient[a], gradient[b]);
                let dot: f64 = (0..3).map(|i| g[i] * h[i]).sum();
                for i in 0..3 {
                    for j in 0..3 {
                        let same = if i == j { mu * dot } else { 0.0 };
                        ke[3 * a + i][3 * b + j] += weight * (lambda * g[i] * h[j] + mu * g[j] * h[i] + same);
                    }
                }
            }
        }
    }
    (ke, density * side.powi(3) / 8.0)
}
