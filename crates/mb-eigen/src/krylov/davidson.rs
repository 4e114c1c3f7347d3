//! The lowest eigenvalues of K x = w M x from corrections that need a few digits only: block Davidson, or residual Arnoldi.
//!
//! ```text
//! V^T M V = I,   H = V^T K V,   H y = w y,   x = V y,   r = K x - w M x
//! z ~ S^-1 r,   S = K - sigma M,   V <- [V, z]
//! ```
//!
//! With z = S^-1 r this is block Lanczos with a shift: all residuals of a Krylov space lie in the span of its next block. An error
//! of z relative to its length is one relative to the residual, and the next residual, formed in full precision, takes it
//! up (Davidson, J. Comp. Phys. 17, 1975; Jia and Li, Sci. China Math. 57, 2014). So factors in single precision serve, where
//! a Krylov method would need all digits of each application. |z|_M is what Lanczos calls the residual relative to theta =
//! 1 / (w - sigma), and decides. Sizes: V n x k, k at most 2 c + 7 p for c eigenpairs and blocks of p. Gives up where rounding
//! of r, some units in the last place of |K| |x|, is more than the tolerance, or where z is too poor.

use mb_algebra::{Dense, SymmetricEigen, interrupt};

use super::gram_schmidt::{Indefinite, expand};
use crate::tuning;

use super::scalar::{Scalar, pick, product, put, start_block, turn};
use crate::EigenError;
use crate::error::at;

/// Blocks corrected at most, and more of them for each eigenpair: those of solids take some ten and one for each eigenpair.
const STEPS: [usize; 2] = [24, 2];

/// A symmetric pencil on the vectors that are allowed, with an inverse of few digits; M positive semi-definite.
pub(crate) trait Corrected {
    /// Length of its vectors.
    fn size(&self) -> usize;
    /// M V.
    fn metric(&self, v: &Dense) -> Dense;
    /// K V.
    fn stiffness(&self, v: &Dense) -> Dense;
    /// Allowed Z, about S^-1 R.
    fn correction(&self, r: &Dense) -> Dense;
    /// V <- the part of V that is allowed.
    fn allow(&self, v: &mut Dense);
}

/// Lowest eigenpairs, and the next one.
pub(crate) struct Lowest {
    /// w, in increasing order.
    pub(crate) values: Vec<f64>,
    /// M-orthonormal vectors, a column for each w.
    pub(crate) vectors: Dense,
    /// About the w that follows, from above; none where it is not known yet.
    pub(crate) beyond: Option<f64>,
    /// Vectors corrected.
    pub(crate) corrections: usize,
}

struct Basis {
    /// V, n x columns.
    v: Dense,
    /// K V.
    kv: Dense,
    h: Dense,
    filled: usize,
}

/// Vectors of the basis for so many eigenpairs; K times each is kept too.
pub(crate) fn basis_columns(count: usize) -> usize {
    // Vectors corrected at once.
    2 * count + 7 * tuning::WIDTH
}

/// The `wanted` lowest eigenpairs with |z|_M up to `tolerance`, and the next one as far as it takes to know its w; none where the
/// corrections do not get there.
pub(crate) fn lowest(
    operator: &dyn Corrected,
    wanted: usize,
    tolerance: f64,
) -> Result<Option<Lowest>, EigenError> {
    let count = wanted + 1;
    let n = operator.size();
    let columns = basis_columns(count);
    let mut basis = Basis {
        v: Dense::zeros(n, columns),
        kv: Dense::zeros(n, columns),
        h: Dense::zeros(columns, columns),
        filled: 0,
    };
    let start = operator.metric(&start_block(n, tuning::WIDTH, 0x5d));
    basis.add(operator, operator.correction(&start))?;
    let (mut lead, mut corrections) = (0, tuning::WIDTH);
    let (mut shortest, mut idle) = (f64::INFINITY, 0);
    for _ in 0..STEPS[0] + STEPS[1] * wanted {
        interrupt::check();
        let (values, vectors) = basis.project()?;
        let targets = lead..(lead + tuning::WIDTH).min(basis.filled);
        let r = basis.residuals(operator, &values, &vectors, targets.clone());
        let mut z = operator.correction(&r);
        corrections += z.ncols();
        let mz = operator.metric(&z);
        let lengths: Vec<f64> = (0..z.ncols())
            .map(|j| {
                let (z, mz) = (z.col_as_slice(j), mz.col_as_slice(j));
                z.iter().zip(mz).map(|(z, mz)| z * mz).sum::<f64>().max(0.0).sqrt()
            })
            .collect();
        // |z|_M of the eigenpair behind those wanted: its w then has ten digits.
        let good = |(j, length): (usize, &f64)| {
            *length <= if lead + j < wanted { tolerance } else { tuning::CBRT_EPS }
        };
        let reached = lengths.iter().enumerate().take_while(|&pair| good(pair)).count();
        if lead + reached >= count {
            // Of the eigenpair after it w has two digits.
            let known = lengths.get(count - lead).is_some_and(|length| *length <= tuning::CLEAR);
            let beyond = values.get(count).copied().filter(|_| known);
            let values = values[..count].to_vec();
            let chosen = vectors.as_ref().subcols(0, count);
            let vectors = product(basis.v.as_ref().subcols(0, basis.filled), chosen);
            return Ok(Some(Lowest { values, vectors, beyond, corrections }));
        }
        if let Some(&next) = lengths.get(reached) {
            if reached > 0 || next < 0.5 * shortest {
                (shortest, idle) = (next, 0);
            } else {
                idle += 1;
            }
            // A length that is no number is no progress either.
            // Steps in which the first correction that is not small enough must shrink to half; where all goes well each one shrinks it
            // to a tenth.
            if idle > tuning::ATTEMPTS || next.is_nan() {
                return Ok(None);
            }
        }
        lead += reached;
        let useful: Vec<usize> = (0..lengths.len()).filter(|&j| lengths[j] > tolerance).collect();
        if useful.len() < lengths.len() {
            z = pick(&z, &useful);
        }
        if basis.filled + z.ncols() > columns {
            let keep = (count + (basis.filled - count) / 2)
                .max(lead + 2 * tuning::WIDTH)
                .min(columns - 2 * tuning::WIDTH);
            basis.restart(&values, &vectors, keep);
        }
        if !useful.is_empty() && !basis.add(operator, z)? {
            return Ok(None);
        }
    }
    Ok(None)
}

impl Basis {
    /// Takes up the columns of Z; false where there is nothing new in them.
    fn add(&mut self, operator: &dyn Corrected, z: Dense) -> Result<bool, EigenError> {
        let map = |w: &Dense| operator.metric(w);
        let next = expand(self.v.as_ref().subcols(0, self.filled), z, Some(&map))
            .map_err(|Indefinite| EigenError::IndefiniteMetric)?
            .q;
        let (from, width) = (self.filled, next.ncols());
        let image = operator.stiffness(&next);
        put(&mut self.v, from, next.as_ref());
        put(&mut self.kv, from, image.as_ref());
        self.filled += width;
        let h = f64::adjoint_product(self.v.as_ref().subcols(0, self.filled), image.as_ref());
        for j in 0..width {
            for i in 0..self.filled {
                let value = if i < from { h[(i, j)] } else { 0.5 * (h[(i, j)] + h[(from + j, i - from)]) };
                self.h[(i, from + j)] = value;
                self.h[(from + j, i)] = value;
            }
        }
        Ok(width > 0)
    }

    /// Ritz values, in increasing order, and y.
    fn project(&self) -> Result<(Vec<f64>, Dense), EigenError> {
        let h = Dense::from_fn(self.filled, self.filled, |i, j| self.h[(i, j)]);
        let eigen = SymmetricEigen::new(&h).map_err(at("Projected eigenvalue problem"))?;
        Ok((eigen.values, eigen.vectors))
    }

    /// K x - w M x.
    fn residuals(
        &self,
        operator: &dyn Corrected,
        values: &[f64],
        vectors: &Dense,
        pairs: std::ops::Range<usize>,
    ) -> Dense {
        let y = vectors.as_ref().subcols(pairs.start, pairs.len());
        let mx = operator.metric(&product(self.v.as_ref().subcols(0, self.filled), y));
        let mut r = product(self.kv.as_ref().subcols(0, self.filled), y);
        for (j, pair) in pairs.enumerate() {
            let w = values[pair];
            r.col_as_slice_mut(j).iter_mut().zip(mx.col_as_slice(j)).for_each(|(r, mx)| *r -= w * mx);
        }
        r
    }

    /// Keeps the lowest Ritz vectors.
    fn restart(&mut self, values: &[f64], vectors: &Dense, keep: usize) {
        let y = vectors.as_ref().subcols(0, keep);
        turn(self.v.as_mut().subcols_mut(0, self.filled), y);
        turn(self.kv.as_mut().subcols_mut(0, self.filled), y);
        for j in 0..keep {
            for i in 0..keep {
                self.h[(i, j)] = if i == j { values[j] } else { 0.0 };
            }
        }
        self.filled = keep;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::krylov::scalar::add_noise;

    /// K = diag(w m), M = diag(m), and an inverse that errs in every direction and, at random, by rounding.
    pub(crate) struct Diagonal {
        pub(crate) w: Vec<f64>,
        pub(crate) m: Vec<f64>,
        pub(crate) sigma: f64,
        pub(crate) error: f64,
        pub(crate) noise: f64,
    }

    fn scaled(v: &Dense, by: impl Fn(usize) -> f64) -> Dense {
        Dense::from_fn(v.nrows(), v.ncols(), |i, j| by(i) * v[(i, j)])
    }

    impl Corrected for Diagonal {
        fn size(&self) -> usize {
            self.w.len()
        }

        fn metric(&self, v: &Dense) -> Dense {
            scaled(v, |i| self.m[i])
        }

        fn stiffness(&self, v: &Dense) -> Dense {
            scaled(v, |i| self.w[i] * self.m[i])
        }

        fn correction(&self, r: &Dense) -> Dense {
            let wrong = |i: usize| 1.0 + self.error * (1.7 * i as f64).sin();
            let mut z = scaled(r, |i| wrong(i) / ((self.w[i] - self.sigma) * self.m[i]));
            add_noise(&mut z, self.noise, 11);
            z
        }

        fn allow(&self, _v: &mut Dense) {}
    }

    /// w = 1/2, 1/2, 2^2 / 2, 2^2 / 2, ..., every eigenvalue double; an inverse that errs by a share of its length.
    fn squares(noise: f64) -> Diagonal {
        let w = (0..600).map(|i| 0.5 * f64::from(i / 2 + 1).powi(2)).collect();
        Diagonal { w, m: vec![2.0; 600], sigma: -0.05, error: 0.0, noise }
    }

    #[test]
    fn pairs_are_exact_although_corrections_are_not() {
        for noise in [0.0, 1e-6, 1e-2] {
            let operator = squares(noise);
            let found = lowest(&operator, 12, 1e-10).unwrap().unwrap();
            assert_eq!(found.values.len(), 13);
            for (j, w) in found.values.iter().enumerate() {
                let exact = 0.5 * ((j / 2 + 1) as f64).powi(2);
                let digits = if j < 12 { 1e-11 } else { 1e-9 };
                assert!((w - exact).abs() < digits * exact, "{noise:e}: {w} for {exact}");
            }
            let gram = f64::adjoint_product(found.vectors.as_ref(), operator.metric(&found.vectors).as_ref());
            for (i, j) in (0..12).flat_map(|i| (0..12).map(move |j| (i, j))) {
                let unit = if i == j { 1.0 } else { 0.0 };
                assert!((gram[(i, j)] - unit).abs() < 1e-12, "{i} {j} {:e}", gram[(i, j)]);
            }
            assert!(found.corrections < 400, "{}", found.corrections);
        }
    }

    #[test]
    fn corrections_that_are_noise_are_given_up() {
        assert!(lowest(&squares(1e3), 12, 1e-10).unwrap().is_none());
    }
}
