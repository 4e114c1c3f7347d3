//! Matrices of springs that several tests factor.

use mb_algebra::{Scatter, Sparse, Triplets};

/// Springs of one stiffness between the points of a cube, `diagonal` more on the diagonal; the points of one face held.
pub(super) fn cube(side: usize, diagonal: f64) -> (Sparse, Sparse) {
    let n = side * side * side;
    let mut a = Triplets::new(n, n);
    for i in 0..n {
        a.add(i, i, diagonal);
        let place = [i % side, i / side % side, i / (side * side)];
        for (axis, step) in [1, side, side * side].into_iter().enumerate() {
            if place[axis] + 1 < side {
                spring(&mut a, i, i + step, 1.0);
            }
        }
    }
    let mut g = Triplets::new(side * side, n);
    (0..side * side).for_each(|r| g.add(r, r * side, 1.0));
    (a.to_sparse(), g.to_sparse())
}

/// The same between the points of a square, one side of it held.
pub(super) fn plate(side: usize, stiffness: f64, diagonal: f64) -> (Sparse, Sparse) {
    let n = side * side;
    let mut a = Triplets::new(n, n);
    for i in 0..n {
        a.add(i, i, diagonal);
        let right = (i % side + 1 < side).then_some(i + 1);
        let above = (i + side < n).then_some(i + side);
        right.into_iter().chain(above).for_each(|j| spring(&mut a, i, j, stiffness));
    }
    let mut g = Triplets::new(side, n);
    (0..side).for_each(|r| g.add(r, r, 1.0));
    (a.to_sparse(), g.to_sparse())
}

fn spring(a: &mut Triplets, i: usize, j: usize, stiffness: f64) {
    for (p, q, v) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
        a.add(p, q, v * stiffness);
    }
}
