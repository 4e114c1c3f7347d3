//! A basis of admissible displacements, orthonormal in X = K + sigma M, with what its images have outside of it.
//!
//! For every vector b of the problem (inputs, outputs, M v and C v of the basis vectors v) two vectors are kept,
//!
//! ```text
//! b' = b - X V V^T b,   z' = X^-1 b - V V^T b        X^-1 with the constraints: X z + Phi_q^T l = b, Phi_q z = 0
//! ```
//!
//! so that |b'| in the dual norm of X is (z'^T b')^1/2 without cancellation. X v of a basis vector has nothing outside.

use crate::error::ResponseError;
use mb_algebra::saddle::SaddleFactor;
use mb_algebra::{Dense, DenseC, Sparse, SymmetricEigen, c64, dense, norms, sparse};

/// Share of a vector that must be new for it to enter the basis.
const NEW: f64 = 1e-10;

#[derive(Debug)]
pub(crate) struct Basis<'a> {
    pub(crate) m: &'a Sparse,
    /// None where there is no damping.
    pub(crate) c: Option<&'a Sparse>,
    k: &'a Sparse,
    pub(crate) sigma: f64,
    factor: SaddleFactor,
    /// n x k.
    pub(crate) v: Dense,
    /// X V, n x k.
    xv: Dense,
    /// Reduced M, C and K, k x k.
    pub(crate) reduced: [Dense; 3],
    /// V^T b of the vectors given at first, k x given.
    pub(crate) given: Dense,
    first: Dense,
    /// b' of the vectors given at first, then of M v and C v of each basis vector in turn.
    raw: Dense,
    /// z' of the same.
    represented: Dense,
    gram: Dense,
}

impl<'a> Basis<'a> {
    /// An empty basis; `first` (n x given) are the inputs and outputs.
    pub(crate) fn new(
        [m, c, k]: [&'a Sparse; 3],
        sigma: f64,
        factor: SaddleFactor,
        first: Dense,
    ) -> Result<Self, ResponseError> {
        let n = m.rows();
        let (represented, _) = factor.solve_block(&first)?;
        let empty = || Dense::zeros(0, 0);
        let c = (norms::max_abs_vec(c.data()) > 0.0).then_some(c);
        let gram = dense::mul_transpose(&represented, &first);
        Ok(Self {
            m,
            c,
            k,
            sigma,
            factor,
            v: Dense::zeros(n, 0),
            xv: Dense::zeros(n, 0),
            reduced: [empty(), empty(), empty()],
            given: Dense::zeros(0, first.ncols()),
            raw: first.clone(),
            first,
            represented,
            gram,
        })
    }

    /// Number of vectors k.
    pub(crate) fn len(&self) -> usize {
        self.v.ncols()
    }

    /// Images kept of each basis vector: M v, and C v where there is damping.
    pub(crate) fn images(&self) -> usize {
        1 + usize::from(self.c.is_some())
    }

    /// z'^T b', (given + images k) squared.
    pub(crate) fn gram(&self) -> &Dense {
        &self.gram
    }

    /// Real and imaginary part of the represented combination, admissible displacements.
    pub(crate) fn combination(&self, coefficients: &[c64]) -> [Vec<f64>; 2] {
        let part = |of: fn(&c64) -> f64| {
            dense::matvec(&self.represented, &coefficients.iter().map(of).collect::<Vec<_>>())
        };
        [part(|z| z.re), part(|z| z.im)]
    }

    /// X^-1 M w of vectors: admissible, and nearer to the lowest modes.
    pub(crate) fn purified(&self, vectors: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, ResponseError> {
        if vectors.is_empty() {
            return Ok(Vec::new());
        }
        let images: Vec<Vec<f64>> = vectors.iter().map(|w| sparse::matvec(self.m, w)).collect();
        let out = self.solved(&dense::from_columns(self.m.rows(), &images))?;
        Ok((0..out.ncols()).map(|j| dense::column(&out, j)).collect())
    }

    /// X^-1 b of vectors of the caller.
    pub(crate) fn solved(&self, b: &Dense) -> Result<Dense, ResponseError> {
        Ok(self.factor.solve_block(b)?.0)
    }

    fn x_times(&self, w: &[f64]) -> Vec<f64> {
        let mut out = sparse::matvec(self.k, w);
        out.iter_mut().zip(sparse::matvec(self.m, w)).for_each(|(x, y)| *x += self.sigma * y);
        out
    }

    /// Adds what is new in the candidates, admissible displacements of length n; the number added.
    pub(crate) fn enrich(&mut self, candidates: &[Vec<f64>]) -> Result<usize, ResponseError> {
        let n = self.m.rows();
        let (mut fresh, mut images): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let mut w = candidate.clone();
            let mut x = self.x_times(&w);
            let size = dense::dot(&w, &x).max(0.0).sqrt();
            if !(size > 0.0 && size.is_finite()) {
                continue;
            }
            for _ in 0..3 {
                let along = dense::matvec_transpose(&self.xv, &w);
                let back = dense::matvec(&self.v, &along);
                w.iter_mut().zip(back).for_each(|(w, b)| *w -= b);
                for (v, xv) in fresh.iter().zip(&images) {
                    let along = dense::dot(xv, &w);
                    w.iter_mut().zip(v).for_each(|(w, v)| *w -= along * v);
                }
            }
            x = self.x_times(&w);
            let rest = dense::dot(&w, &x).max(0.0).sqrt();
            if rest <= NEW * size {
                continue;
            }
            w.iter_mut().for_each(|w| *w /= rest);
            x.iter_mut().for_each(|x| *x /= rest);
            fresh.push(w);
            images.push(x);
        }
        if fresh.is_empty() {
            return Ok(0);
        }
        let (new, x_new) = (dense::from_columns(n, &fresh), dense::from_columns(n, &images));
        let along = dense::mul_transpose(&new, &self.raw);
        self.raw = &self.raw - &dense::mul(&x_new, &along);
        self.represented = &self.represented - &dense::mul(&new, &along);
        self.v = dense::hstack(&[&self.v, &new]);
        self.xv = dense::hstack(&[&self.xv, &x_new]);
        let times = |a: &Sparse| {
            let columns: Vec<Vec<f64>> = fresh.iter().map(|v| sparse::matvec(a, v)).collect();
            dense::from_columns(n, &columns)
        };
        let (by_m, by_k) = (times(self.m), times(self.k));
        let by_c = self.c.map(times);
        let grown = |old: &Dense, image: Option<&Dense>| {
            let (before, now) = (old.nrows(), self.v.ncols());
            let block = image.map(|image| dense::mul_transpose(&self.v, image));
            // Symmetric matrices: the new columns give the new rows.
            let entry = |i: usize, j: usize| block.as_ref().map_or(0.0, |b| b[(i, j - before)]);
            Dense::from_fn(now, now, |i, j| match (i < before, j < before) {
                (true, true) => old[(i, j)],
                (_, false) => entry(i, j),
                (false, true) => entry(j, i),
            })
        };
        self.reduced = [
            grown(&self.reduced[0], Some(&by_m)),
            grown(&self.reduced[1], by_c.as_ref()),
            grown(&self.reduced[2], Some(&by_k)),
        ];
        self.given = dense::mul_transpose(&self.v, &self.first);
        // M v and C v of each new vector in turn, without what lies in the basis.
        let mut raw: Vec<Vec<f64>> = Vec::new();
        for j in 0..fresh.len() {
            raw.push(dense::column(&by_m, j));
            raw.extend(by_c.as_ref().map(|c| dense::column(c, j)));
        }
        let raw = dense::from_columns(n, &raw);
        let represented = self.solved(&raw)?;
        let along = dense::mul_transpose(&self.v, &raw);
        let raw = &raw - &dense::mul(&self.xv, &along);
        let represented = &represented - &dense::mul(&self.v, &along);
        self.raw = dense::hstack(&[&self.raw, &raw]);
        self.represented = dense::hstack(&[&self.represented, &represented]);
        self.gram = dense::mul_transpose(&self.represented, &self.raw);
        Ok(fresh.len())
    }

    /// X-orthonormal Ritz vectors of K x = lambda M x in the span of admissible displacements, with lambda in increasing
    /// order (infinite where a combination has no mass); none where they cannot be computed.
    ///
    /// mu = x^T M x of X-orthonormal x is 1 / (lambda + sigma).
    pub(crate) fn rayleigh(&self, candidates: &[Vec<f64>]) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
        let n = self.m.rows();
        if candidates.is_empty() {
            return Some((Vec::new(), Vec::new()));
        }
        let scaled: Vec<Vec<f64>> = candidates
            .iter()
            .filter_map(|w| {
                let size = dense::dot(w, &self.x_times(w)).max(0.0).sqrt();
                (size > 0.0).then(|| w.iter().map(|x| x / size).collect())
            })
            .collect();
        let span = dense::from_columns(n, &scaled);
        let images: Vec<Vec<f64>> = scaled.iter().map(|w| self.x_times(w)).collect();
        let gram = SymmetricEigen::new(&dense::symmetric_part(&dense::mul_transpose(
            &span,
            &dense::from_columns(n, &images),
        )))
        .ok()?;
        let kept: Vec<usize> = (0..gram.values.len()).filter(|j| gram.values[*j] > 1e-8).collect();
        let turn = Dense::from_fn(scaled.len(), kept.len(), |i, j| {
            gram.vectors[(i, kept[j])] / gram.values[kept[j]].sqrt()
        });
        let orthonormal = dense::mul(&span, &turn);
        let masses: Vec<Vec<f64>> =
            (0..kept.len()).map(|j| sparse::matvec(self.m, &dense::column(&orthonormal, j))).collect();
        let masses = dense::mul_transpose(&orthonormal, &dense::from_columns(n, &masses));
        let eigen = SymmetricEigen::new(&dense::symmetric_part(&masses)).ok()?;
        let vectors = dense::mul(&orthonormal, &eigen.vectors);
        // The largest mu first.
        let order = (0..kept.len()).rev();
        let lambda = |mu: f64| if mu > 0.0 { 1.0 / mu - self.sigma } else { f64::INFINITY };
        Some(order.map(|j| (dense::column(&vectors, j), lambda(eigen.values[j]))).unzip())
    }

    /// |V|^T |A| |V| of M, C and K: what rounding of their entries can do to the reduced matrices, relative to it.
    pub(crate) fn magnitudes(&self) -> [Dense; 3] {
        let absolute = Dense::from_fn(self.v.nrows(), self.v.ncols(), |i, j| self.v[(i, j)].abs());
        [Some(self.m), self.c, Some(self.k)].map(|a| {
            let Some(a) = a else { return Dense::zeros(self.len(), self.len()) };
            let a = a.map(|x| x.abs());
            let columns: Vec<Vec<f64>> =
                (0..self.len()).map(|j| sparse::matvec(&a, &dense::column(&absolute, j))).collect();
            dense::mul_transpose(&absolute, &dense::from_columns(a.rows(), &columns))
        })
    }
}

/// sum over i, j of conj(c_i) G_ij c_j for real symmetric G, with the rounding of the sum.
pub(crate) fn form(gram: &Dense, c: &[c64]) -> f64 {
    let (mut sum, mut size) = (0.0, 0.0);
    for (j, cj) in c.iter().enumerate() {
        if *cj == c64::new(0.0, 0.0) {
            continue;
        }
        for (i, ci) in c.iter().enumerate() {
            let product = (ci.conj() * cj).re * 0.5 * (gram[(i, j)] + gram[(j, i)]);
            sum += product;
            size += product.abs();
        }
    }
    (sum + 4.0 * f64::EPSILON * size).max(0.0)
}

/// Complex sum of real matrices of one shape.
pub(crate) fn weighted(terms: &[(c64, &Dense)]) -> DenseC {
    let (rows, cols) = terms[0].1.shape();
    DenseC::from_fn(rows, cols, |i, j| terms.iter().map(|(f, a)| f * a[(i, j)]).sum())
}
