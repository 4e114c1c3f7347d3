//! Families of constrained problems of any size, for tests and measurements.

pub(crate) mod solid;

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

use solid::Solid;

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

/// A cube of `cells`^3 hexahedra; one face clamped by multipliers on demand, 3 (cells + 1)^2 of them.
pub(crate) fn hex_block(cells: usize, clamped: bool) -> QuadraticPencil<Sparse> {
    Solid { cells: [cells; 3], clamped, damping: [0.0; 2], spin: 0.0 }.pencil()
}
