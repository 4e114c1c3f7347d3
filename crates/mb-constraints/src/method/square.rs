//! A small square system in place: LU with row exchanges, in storage that is used again.

/// P A = L U of a k x k matrix by columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Square {
    k: usize,
    a: Vec<f64>,
    exchange: Vec<usize>,
    /// One over the diagonal of U.
    inverse: Vec<f64>,
    /// Smallest pivot.
    smallest: f64,
}

impl Square {
    /// Storage for k x k.
    pub(crate) fn new(k: usize) -> Self {
        Self { k, a: vec![0.0; k * k], exchange: vec![0; k], inverse: vec![0.0; k], smallest: 0.0 }
    }
    /// Number of rows k.
    pub(crate) fn size(&self) -> usize {
        self.k
    }
    /// The matrix by columns: fill it, then call [`Self::factor`].
    pub(crate) fn input(&mut self) -> &mut [f64] {
        &mut self.a
    }
    /// Factors the matrix in [`Self::input`]; false when a pivot falls below `cut` times the largest entry.
    pub(crate) fn factor(&mut self, cut: f64) -> bool {
        let k = self.k;
        let least = cut * self.a.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        self.smallest = f64::INFINITY;
        for step in 0..k {
            let (head, tail) = self.a.split_at_mut((step + 1) * k);
            let column = &mut head[step * k..];
            let (mut best, mut size) = (step, column[step].abs());
            for (i, x) in column.iter().enumerate().skip(step + 1) {
                if x.abs() > size {
                    (best, size) = (i, x.abs());
                }
            }
            self.exchange[step] = best;
            if size <= least || size.is_nan() {
                return false;
            }
            self.smallest = self.smallest.min(size);
            column.swap(step, best);
            let inverse = column[step].recip();
            self.inverse[step] = inverse;
            for x in &mut column[step + 1..] {
                *x *= inverse;
            }
            for other in tail.chunks_exact_mut(k) {
                other.swap(step, best);
                let by = other[step];
                // Joints see few bodies: most of the matrix is zero.
                if by != 0.0 {
                    for (x, l) in other[step + 1..].iter_mut().zip(&column[step + 1..]) {
                        *x -= by * l;
                    }
                }
            }
            // The rows of L found so far are exchanged with the rest.
            for before in head[..step * k].chunks_exact_mut(k) {
                before.swap(step, best);
            }
        }
        true
    }
    /// Magnitude of the smallest pivot of the last factors.
    pub(crate) fn smallest_pivot(&self) -> f64 {
        self.smallest
    }
    /// A^T x = b in place, with the last factors.
    pub(crate) fn solve_transpose(&self, x: &mut [f64]) {
        let k = self.k;
        for (j, column) in self.a.chunks_exact(k.max(1)).enumerate() {
            x[j] = (x[j] - dot(&column[..j], &x[..j])) * self.inverse[j];
        }
        for (j, column) in self.a.chunks_exact(k.max(1)).enumerate().rev() {
            x[j] -= dot(&column[j + 1..], &x[j + 1..k]);
        }
        for (i, j) in self.exchange.iter().enumerate().rev() {
            x.swap(i, *j);
        }
    }
    /// A X = B in place, with the last factors; any number of right-hand sides one after the other.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let k = self.k;
        if k == 0 {
            return;
        }
        for x in b.chunks_exact_mut(k) {
            for (i, j) in self.exchange.iter().enumerate() {
                x.swap(i, *j);
            }
        }
        // Side by side: one alone waits for each of its additions.
        for (j, column) in self.a.chunks_exact(k).enumerate() {
            for x in b.chunks_exact_mut(k) {
                let by = x[j];
                if by != 0.0 {
                    for (x, l) in x[j + 1..].iter_mut().zip(&column[j + 1..]) {
                        *x -= by * l;
                    }
                }
            }
        }
        for (j, column) in self.a.chunks_exact(k).enumerate().rev() {
            for x in b.chunks_exact_mut(k) {
                let by = x[j] * self.inverse[j];
                x[j] = by;
                for (x, u) in x[..j].iter_mut().zip(column) {
                    *x -= by * u;
                }
            }
        }
    }
}

/// x . y
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_satisfy_their_equations_and_singular_matrices_are_reported() {
        let k = 7;
        let entry =
            |i: usize, j: usize| ((3 * i + 5 * j + i * j) % 11) as f64 - 4.0 - if i == j { 9.0 } else { 0.0 };
        let mut square = Square::new(k);
        for j in 0..k {
            for i in 0..k {
                // Rows out of order, so that exchanges are needed.
                square.input()[j * k + (i + 3) % k] = entry(i, j);
            }
        }
        assert!(square.factor(1e-12));
        let known: Vec<f64> = (0..k).map(|i| 1.0 + 0.3 * i as f64).collect();
        let mut x = vec![0.0; k];
        for i in 0..k {
            x[(i + 3) % k] = (0..k).map(|j| entry(i, j) * known[j]).sum();
        }
        square.solve(&mut x);
        assert!(x.iter().zip(&known).all(|(a, b)| (a - b).abs() < 1e-12), "{x:?}");
        // The transposed matrix: row i of A stands at (i + 3) % k.
        let mut y: Vec<f64> =
            (0..k).map(|j| (0..k).map(|i| entry(i, j) * known[(i + 3) % k]).sum()).collect();
        square.solve_transpose(&mut y);
        assert!(y.iter().zip(&known).all(|(a, b)| (a - b).abs() < 1e-12), "{y:?}");
        assert!(square.smallest_pivot() > 0.0 && square.smallest_pivot() < 20.0);
        square.input().copy_from_slice(&[1.0; 49]);
        assert!(!square.factor(1e-12));
        assert!(Square::new(0).factor(1e-12));
    }
}
