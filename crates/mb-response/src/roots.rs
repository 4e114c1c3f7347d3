//! The finite eigenvalues of a small pencil whose last matrix may be complex, as structural damping makes it.
//!
//! ```text
//! P(s) = s^2 M + s C + K + i K_i        n x n, M, C, K, K_i real
//! ```
//!
//! The real pencil of twice the size
//!
//! ```text
//! [s^2 M + s C + K, -K_i; K_i, s^2 M + s C + K]
//! ```
//!
//! has the eigenvalues of P with vectors (v, -i v) and their conjugates with vectors (v, i v). Where both have one in the same place, as
//! those that K does not move, any mixture of the two vectors is one.

use crate::direct::Response;
use crate::error::ResponseError;
use mb_algebra::{Dense, QuadraticPencil, RankQr, RankTolerance, Sparse, c64, dense, norms, to_dense};
use mb_eigen::DenseOptions;

/// Eigenvalues in rad/s with their error bounds.
pub(crate) type Roots = Vec<(c64, f64)>;

/// Share of the other kind in a vector up to which it is of the one.
const CLEAR: f64 = 1e-3;

/// Eigenvalues of s^2 M + s C + (1 + i eta) K on the null space of Phi_q at positive frequencies, rad/s, by dense matrices.
///
/// The structural damping that the response has is one of positive frequencies alone, so that only these poles mean something.
///
/// # Errors
/// Entries that are not finite; failures of the eigenanalysis.
pub fn lossy_poles(response: &Response) -> Result<Vec<c64>, ResponseError> {
    let (_, reduced) = Part::reduced(response)?;
    Ok(reduced.roots()?.into_iter().map(|(s, _)| s).filter(|s| s.im > 0.0).collect())
}

/// A square pencil.
pub(crate) struct Part {
    matrices: [Dense; 3],
    /// K_i; none where it is zero.
    imaginary: Option<Dense>,
}

impl Part {
    /// Of M, C and K with K_i.
    pub(crate) fn new(matrices: [Dense; 3], imaginary: &Dense) -> Self {
        let imaginary = (norms::max_abs(imaginary) > 0.0).then(|| imaginary.clone());
        Self { matrices, imaginary }
    }
    /// R^T P(s) R with an orthonormal basis R of the null space of Phi_q, and R.
    pub(crate) fn reduced(response: &Response) -> Result<(Dense, Self), ResponseError> {
        let (plant, p) = (&response.plant, &response.plant.pencil);
        let r = RankQr::new(&to_dense(&p.phi_q), RankTolerance::default())?.null_space();
        let reduced = |a: &Sparse| dense::mul_transpose(&r, &dense::mul(&to_dense(a), &r));
        let [m, c, k] = [&p.m, &p.c, &p.k].map(reduced);
        let lossy = dense::scale(plant.loss, &k);
        Ok((r, Self::new([m, c, k], &lossy)))
    }
    /// M, C and K.
    pub(crate) fn matrices(&self) -> [&Dense; 3] {
        self.matrices.each_ref()
    }
    /// Number of rows n.
    pub(crate) fn size(&self) -> usize {
        self.matrices[0].nrows()
    }
    /// Whether an entry is there at some s.
    pub(crate) fn has(&self, i: usize, j: usize) -> bool {
        self.matrices.iter().chain(&self.imaginary).any(|a| a[(i, j)] != 0.0)
    }
    /// Some rows and as many columns.
    pub(crate) fn part(&self, rows: &[usize], columns: &[usize]) -> Self {
        let of = |a: &Dense| Dense::from_fn(rows.len(), rows.len(), |i, j| a[(rows[i], columns[j])]);
        let imaginary = self.imaginary.as_ref().map(of).filter(|a| norms::max_abs(a) > 0.0);
        Self { matrices: self.matrices.each_ref().map(of), imaginary }
    }
    /// Its finite eigenvalues.
    pub(crate) fn roots(&self) -> Result<Roots, ResponseError> {
        let n = self.size();
        if n == 0 {
            return Ok(Roots::new());
        }
        let [m, c, k] = &self.matrices;
        let Some(imaginary) = &self.imaginary else {
            let [m, c, k] = [m, c, k].map(Clone::clone);
            let found = solved(&QuadraticPencil { m, c, k, phi_q: Dense::zeros(0, n) })?;
            return Ok(found.into_iter().map(|(root, _)| root).collect());
        };
        let zero = Dense::zeros(n, n);
        let twice = |a: &Dense, b: &Dense| {
            let negative = dense::scale(-1.0, b);
            dense::vstack(&[&dense::hstack(&[a, &negative]), &dense::hstack(&[b, a])])
        };
        let phi_q = Dense::zeros(0, 2 * n);
        let found = solved(&QuadraticPencil {
            m: twice(m, &zero),
            c: twice(c, &zero),
            k: twice(k, imaginary),
            phi_q,
        })?;
        Ok(half(found))
    }
}

/// A root of the pencil of twice the size with its vector.
type WithVector = ((c64, f64), Vec<c64>);

/// Finite eigenvalues with their vectors.
fn solved(pencil: &QuadraticPencil) -> Result<Vec<WithVector>, ResponseError> {
    let found = mb_eigen::dense::solve(pencil, &DenseOptions::default())?;
    let finite = found.eigenpairs.into_iter().filter_map(|pair| Some((pair.value()?, pair)));
    Ok(finite.map(|(s, pair)| ((s, pair.error_bound), pair.right.to_vec())).collect())
}

/// The vector of an eigenvalue: (v, -i v), (v, i v) or a sum of both.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Own,
    Conjugate,
    Mixed,
}

/// Those with vectors (v, -i v); of each place that has both kinds one.
fn half(found: Vec<WithVector>) -> Roots {
    let kind = |(root, v): WithVector| {
        let (top, bottom) = v.split_at(v.len() / 2);
        let i = c64::new(0.0, 1.0);
        let size =
            |turn: c64| top.iter().zip(bottom).map(|(x, y)| (turn * x + y).norm_sqr()).sum::<f64>().sqrt();
        let [own, conjugate] = [size(-i), size(i)];
        let kind = if conjugate <= CLEAR * own {
            Kind::Own
        } else if own <= CLEAR * conjugate {
            Kind::Conjugate
        } else {
            Kind::Mixed
        };
        (root, kind)
    };
    let mut all: Vec<((c64, f64), Kind)> = found.into_iter().map(kind).collect();
    let mut roots = Roots::new();
    // A mixed one and its nearest neighbour are the two of one place.
    while let Some(k) = all.iter().position(|(_, kind)| *kind == Kind::Mixed) {
        let (root, _) = all.swap_remove(k);
        let distance = |(other, _): &((c64, f64), Kind)| (other.0 - root.0).norm();
        let nearest = (0..all.len()).min_by(|a, b| distance(&all[*a]).total_cmp(&distance(&all[*b])));
        nearest.map(|k| all.swap_remove(k));
        roots.push(root);
    }
    roots.extend(all.into_iter().filter(|(_, kind)| *kind == Kind::Own).map(|(root, _)| root));
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    /// s^2 + k (1 + i eta) = 0, and beside it s (s + c) = 0 and twice s^2 + k = 0, which no loss moves.
    #[test]
    fn roots_of_a_lossy_spring_beside_those_that_it_does_not_move() {
        let (k, eta, c) = (9.0, 0.2, 0.5);
        let diagonal = |d: [f64; 4]| Dense::from_fn(4, 4, |i, j| if i == j { d[i] } else { 0.0 });
        let part = Part::new(
            [diagonal([1.0; 4]), diagonal([0.0, c, 0.0, 0.0]), diagonal([k, 0.0, k, k])],
            &diagonal([eta * k, 0.0, 0.0, 0.0]),
        );
        let mut found = part.roots().unwrap();
        found.sort_by(|a, b| a.0.im.total_cmp(&b.0.im).then(a.0.re.total_cmp(&b.0.re)));
        let s = (c64::new(-k, -eta * k)).sqrt();
        let free = c64::new(0.0, k.sqrt());
        let mut want = [s, -s, c64::new(0.0, 0.0), c64::new(-c, 0.0), free, free, -free, -free];
        want.sort_by(|a, b| a.im.total_cmp(&b.im).then(a.re.total_cmp(&b.re)));
        assert_eq!(found.len(), 8, "{found:?}");
        for ((s, bound), want) in found.iter().zip(want) {
            assert!((s - want).norm() <= bound + 1e-14, "{s} {bound:e} {want}");
        }
    }
}
