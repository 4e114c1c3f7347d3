//! What is put on a block of hexahedra: constraints over many coordinates, dashpots at few places, forces that follow.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

/// Numbers without a pattern, the same in every run: a linear congruential generator (Knuth, The Art of Computer Programming 2,
/// Sec. 3.3.4), of which the high bits are taken.
struct Numbers(u64);

impl Numbers {
    /// In [0, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Below a limit.
    fn index(&mut self, below: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the limit")]
        let index = (self.next() * below as f64) as usize;
        index.min(below - 1)
    }
}

/// Adds `rows` constraints, each over `entries` coordinates that are drawn, or over all; weights in [-1, 1).
pub(crate) fn constrained(
    mut pencil: QuadraticPencil<Sparse>,
    rows: usize,
    entries: Option<usize>,
) -> QuadraticPencil<Sparse> {
    let (before, n) = (pencil.phi_q.rows(), pencil.k.rows());
    let mut numbers = Numbers(1);
    let mut phi = Triplets::with_capacity(before + rows, n, before + rows * entries.unwrap_or(n));
    // The clamp of a block is a row a coordinate.
    (0..before).for_each(|row| phi.add(row, row, 1.0));
    for row in before..before + rows {
        for at in 0..entries.unwrap_or(n) {
            let column = if entries.is_some() { numbers.index(n) } else { at };
            phi.add(row, column, 2.0 * numbers.next() - 1.0);
        }
    }
    pencil.phi_q = phi.to_sparse();
    pencil
}

/// Adds dashpots of `rate` N s/m between the ground and coordinates that are drawn.
pub(crate) fn damped(
    mut pencil: QuadraticPencil<Sparse>,
    count: usize,
    rate: f64,
) -> QuadraticPencil<Sparse> {
    let n = pencil.k.rows();
    let mut numbers = Numbers(2);
    let mut c = Triplets::with_capacity(n, n, count);
    for _ in 0..count {
        let at = numbers.index(n);
        c.add(at, at, rate);
    }
    pencil.c = sparse::add(1.0, &pencil.c, 1.0, &c.to_sparse());
    pencil
}

/// Adds forces across the first axis and across the displacement, as of internal damping in a shaft that spins:
/// f = rate m (e_x x u) at every node.
pub(crate) fn circulatory(mut pencil: QuadraticPencil<Sparse>, rate: f64) -> QuadraticPencil<Sparse> {
    let n = pencil.k.rows();
    let mass = sparse::matvec(&pencil.m, &vec![1.0; n]);
    let mut k = Triplets::with_capacity(n, n, n);
    for node in 0..n / 3 {
        let [y, z] = [3 * node + 1, 3 * node + 2];
        k.add(y, z, rate * mass[y]);
        k.add(z, y, -rate * mass[z]);
    }
    pencil.k = sparse::add(1.0, &pencil.k, 1.0, &k.to_sparse());
    pencil
}
