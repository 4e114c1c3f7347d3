//! Saddle-point factorizations against dense ones.

#[path = "../../examples/saddle_speed/cases.rs"]
mod generated;
mod inertia;
mod named;
mod properties;

use std::sync::Arc;

use mb_algebra::{AlgebraError, Dense, Scatter, Sparse, Triplets, sparse, to_dense};
use saddle_ldlt::{Method, SaddleAnalysis, SaddleFactor, SaddleOptions};

/// A stream of numbers in [-1, 1) from a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        self.next();
        (self.0 >> 33) as usize % n
    }
}

/// A sparse symmetric matrix, usually indefinite, whose rows differ in magnitude by powers of ten.
fn symmetric(n: usize, spread: f64, numbers: &mut Numbers) -> Sparse {
    let scale: Vec<f64> = (0..n).map(|_| 10_f64.powf(spread * numbers.next())).collect();
    let mut t = Triplets::new(n, n);
    for i in 0..n {
        t.add(i, i, scale[i] * scale[i] * (numbers.next() + 0.2));
        for _ in 0..2 {
            let j = numbers.below(n);
            if j != i {
                let value = scale[i] * scale[j] * numbers.next();
                t.add(i, j, value);
                t.add(j, i, value);
            }
        }
    }
    t.to_sparse()
}

/// A sparse matrix of any kind; diagonal entries may be missing.
fn unsymmetric(n: usize, diagonal: f64, numbers: &mut Numbers) -> Sparse {
    let mut t = Triplets::new(n, n);
    for i in 0..n {
        if numbers.next() < diagonal {
            t.add(i, i, numbers.next() + 0.2);
        }
        for _ in 0..2 {
            t.add(i, numbers.below(n), numbers.next());
            t.add(numbers.below(n), i, numbers.next());
        }
    }
    t.to_sparse()
}

/// Sparse constraints; independent for n >= m because of their first entries.
fn constraints(m: usize, n: usize, numbers: &mut Numbers) -> Sparse {
    let mut t = Triplets::new(m, n);
    for r in 0..m {
        t.add(r, r, 1.0 + numbers.next() / 2.0);
        for _ in 0..2 {
            let j = numbers.below(n);
            if j > r {
                t.add(r, j, numbers.next());
            }
        }
    }
    t.to_sparse()
}

fn assembled(a: &Sparse, g: &Sparse) -> Dense {
    let gt = sparse::transpose(g);
    let sizes = [a.rows(), g.rows()];
    to_dense(&sparse::blocks(&[&[Some(a), Some(&gt)], &[Some(g), None]], &sizes, &sizes))
}

fn factor(a: &Sparse, g: &Sparse, options: &SaddleOptions) -> Result<SaddleFactor, AlgebraError> {
    let analysis = Arc::new(SaddleAnalysis::new(a, g, options)?);
    SaddleFactor::new(&analysis, a, g)
}

/// Largest |r| of both blocks relative to |S| |x| in the infinity norm.
fn residuals(a: &Sparse, g: &Sparse, x: &[f64], l: &[f64], f: &[f64], h: &[f64]) -> (f64, f64) {
    let norm = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let (ax, gl, gx) = (sparse::matvec(a, x), sparse::matvec_transpose(g, l), sparse::matvec(g, x));
    let top: Vec<f64> = (0..f.len()).map(|i| f[i] - ax[i] - gl[i]).collect();
    let low: Vec<f64> = (0..h.len()).map(|i| h[i] - gx[i]).collect();
    let inf = mb_algebra::norms::inf::<Sparse>;
    let sizes = (inf(a) * norm(x) + norm(&gl) + norm(f), inf(g) * norm(x) + norm(h));
    (norm(&top) / sizes.0.max(f64::MIN_POSITIVE), norm(&low) / sizes.1.max(f64::MIN_POSITIVE))
}

/// Every method for symmetric matrices, each alone in its turn.
fn methods() -> [SaddleOptions; 2] {
    [Method::AugmentedLdl, Method::DelayedLdl]
        .map(|first_method| SaddleOptions { first_method, ..SaddleOptions::default() })
}
