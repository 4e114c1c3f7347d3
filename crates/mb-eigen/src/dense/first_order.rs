//! Problems without mass whose Jordan chains of the infinite eigenvalue are long, as descriptor pairs of mechanisms
//! have them.
//!
//! ```text
//! (s C + K) x = 0:   A x = sigma B x,   A = -K,  B = gamma C,  s = gamma sigma,  gamma = |K| / |C|
//! infinite eigenvalues of s^2 0 + s C + K:    those of the pair, every chain longer by one, and one for every other direction
//! ```
//!
//! The companion form has twice the size and makes every chain longer by one: one level more of rank decisions, each on the
//! rounding of those before it. Deflation of the zeros as in companion.rs: Z = [N X_1], W = B Z. Gohberg, Lancaster, Rodman,
//! Matrix Polynomials, section 1.4, for mu (mu K + C) at mu = 0. Sizes: C, K k x k.

use mb_algebra::{Dense, RankQr, RankTolerance, c64, dense, norms};

use super::chains::Chains;
use super::companion::{Candidates, Matrices};
use super::deflation::deflated;
use super::left_vectors::biorthonormal_lefts;
use super::raw::{Kind, Raw};
use crate::error::at;
use crate::{EigenError, Finding, tuning};

/// All 2 k eigenvalues for M = 0, C not zero, with zeros known as chains.
pub(crate) fn solve(given: &Matrices, zeros: &Chains) -> Result<Candidates, EigenError> {
    let k = given.size();
    let gamma = Matrices::frequency(0.0, norms::frobenius(&given.c), norms::frobenius(&given.k));
    let problem = given.scaled(gamma);
    let (a, b) = (dense::scale(-1.0, &problem.k), &problem.c);
    let mut candidates = Candidates { raws: zeros.raws(Kind::Zero), ..Candidates::default() };
    let right = dense::hstack(&[&zeros.directions(), &zeros.generalized]);
    let left = dense::mul(b, &right);
    let mut rest = if let Some(rest) = deflated(&a, b, &right, &left, false, &mut candidates.findings)? {
        rest
    } else {
        candidates.raws.clear();
        candidates.findings.push(Finding::LongChain { at_infinity: false });
        super::qz::solve(&a, b, &mut candidates.findings)?
    };
    let rights: Vec<Vec<c64>> = rest.iter().map(|raw| raw.right.clone()).collect();
    biorthonormal_lefts(&problem, &mut rest, &rights);
    let (infinite, finite): (Vec<Raw>, Vec<Raw>) =
        rest.into_iter().partition(|raw| raw.kind == Kind::Infinite);
    candidates.raws.extend(finite.into_iter().map(|raw| match raw.kind {
        Kind::Ordinary => Raw::finite(raw.value() * gamma, raw.right, raw.left, raw.mirror),
        _ => raw,
    }));
    candidates.raws.extend(longer(k, infinite)?);
    Ok(candidates)
}

/// Infinite eigenvalues of the problem of second order from those of the pair, as many copies of each as its chain has
/// members: k more.
fn longer(k: usize, infinite: Vec<Raw>) -> Result<Vec<Raw>, EigenError> {
    let (mut out, mut tops) = (Vec::new(), Vec::new());
    let mut left_over = infinite.into_iter();
    while let Some(first) = left_over.next() {
        let chain = first.chain;
        left_over.by_ref().take(chain - 1).for_each(drop);
        let raw = Raw { chain: chain + 1, ..first };
        out.extend(std::iter::repeat_n(raw.clone(), chain + 1));
        tops.push(raw);
    }
    let rights = across(k, tops.iter().map(|raw| &raw.right[..]))?;
    let lefts = across(k, tops.iter().map(|raw| raw.left.as_deref().unwrap_or(&raw.right)))?;
    for j in 0..k - tops.len() {
        out.push(Raw::structural(
            Kind::Infinite,
            rights.col_as_slice(j),
            Some(lefts.col_as_slice(j)),
            1,
            0.0,
        ));
    }
    Ok(out)
}

/// Directions across the vectors given, at least k less their number.
fn across<'a>(k: usize, vectors: impl Iterator<Item = &'a [c64]>) -> Result<Dense, EigenError> {
    let vectors: Vec<&[c64]> = vectors.collect();
    let parts = Dense::from_fn(vectors.len(), k, |i, j| vectors[i][j].re);
    // Vectors whose part across the others is below this fraction depend on them.
    let qr = RankQr::new(&parts, RankTolerance { relative: tuning::EPS_2_3 });
    Ok(qr.map_err(at("Infinite eigenvalues without mass"))?.null_space())
}
