//! Zeros that are known of a model, whatever the digits of its matrices say.
//!
//! What can be ignored in a steady motion, and the shifts and turns of everything that loads leave free at rest, have s = 0 exactly: once each, and
//! once more where their momentum is kept. An analysis finds as many zeros as the digits show. The others come out as values of the size that
//! rounding gives them, with vectors near those of the zeros, and are taken for what they are.

use mb_algebra::{Dense, QuadraticPencil, Sparse, Svd, c64, dense, norms, sparse};
use mb_eigen::{Class, Eigenpair, Finding, Spectrum};
use mb_linear::OperatingPoint;
use mb_linear::steady::{free_at_rest, lasting};
use mb_model::Model;

/// Distance of a vector from those of the zeros, relative to its length, up to which it is one of them but for s times a next one.
pub(crate) const NEAR: f64 = 1e-5;

/// The same where penalties take the place of reactions: they leave a share of 1e-5 of what reactions hold, and of a zero with a second vector
/// the square root of that.
pub(crate) const MOVED: f64 = 3e-3;

/// Share of |K| up to which |s|^2 |M| may be rounding: nothing else is looked at.
const SMALL: f64 = 1e-9;

/// Damping of a free motion, relative to the largest of one, that is rounding.
const UNDAMPED: f64 = 1e-13;

/// Directions without stiffness that are known.
#[derive(Clone, Debug)]
pub(crate) struct ModelZeros {
    /// n x any, independent.
    pub(crate) directions: Dense,
    /// Second zeros of their vectors.
    lasting: usize,
    at_rest: bool,
}

impl ModelZeros {
    /// Nothing of n coordinates.
    pub(crate) fn nothing(n: usize) -> Self {
        Self { directions: Dense::zeros(n, 0), lasting: 0, at_rest: false }
    }
    /// Free directions of a motion or at rest, with C, K and Phi_q there.
    pub(crate) fn of(directions: Dense, [c, k, phi_q]: [&Sparse; 3]) -> Self {
        let lasting = lasting(&directions, c, k, phi_q);
        Self { directions, lasting, at_rest: false }
    }
    /// Directions at rest with K Z = 0 and Z^T K = 0 there. Combinations Z a with Z^T C Z a = 0, on which damping does no work along any of
    /// them, are zeros twice.
    pub(crate) fn at_rest(directions: Dense, c: &Sparse) -> Self {
        let units: Vec<Vec<f64>> = (0..directions.ncols())
            .map(|j| {
                let z = directions.col_as_slice(j);
                let length = norms::two(z);
                z.iter().map(|z| z / length).collect()
            })
            .collect();
        let z = dense::from_columns(directions.nrows(), &units);
        let images: Vec<Vec<f64>> = units.iter().map(|z| sparse::matvec(c, z)).collect();
        let form = dense::mul_transpose(&z, &dense::from_columns(z.nrows(), &images));
        let values = Svd::new(&form).map(|svd| svd.s).unwrap_or_default();
        let largest = values.iter().copied().fold(0.0, f64::max);
        let lasting = values.iter().filter(|x| **x <= UNDAMPED * largest).count();
        Self { directions, lasting, at_rest: true }
    }
    /// So many of the directions are known to be zeros twice.
    pub(crate) fn twice_at_least(&mut self, count: usize) {
        self.lasting = self.lasting.max(count.min(self.directions.ncols()));
    }
    /// Whether a spectrum has no more zeros than there are, where their number is known: a slow rate has been taken for one.
    pub(crate) fn allow(&self, spectrum: &Spectrum) -> bool {
        !self.at_rest || spectrum.of_class(Class::Rigid).count() <= self.count()
    }
    /// How many of the directions are zeros twice.
    pub(crate) fn second(&self) -> usize {
        self.lasting
    }
    /// Number of zeros in all.
    fn count(&self) -> usize {
        self.directions.ncols() + self.lasting
    }
    /// Takes eigenpairs whose vectors are as `near` ([`NEAR`], [`MOVED`]) for zeros where fewer were found.
    pub(crate) fn settle(&self, spectrum: &mut Spectrum, near: f64) {
        if self.directions.ncols() == 0 {
            return;
        }
        let Ok(svd) = Svd::new(&self.directions) else { return };
        let along = |pair: &Eigenpair| is_along(&svd.u, &pair.right, near);
        let pairs = &spectrum.eigenpairs;
        let of_class =
            |class: Class| (0..pairs.len()).filter(move |i| pairs[*i].class == class && along(&pairs[*i]));
        // Those that were found are exact too.
        let mut places: Vec<usize> = of_class(Class::Rigid).take(self.count()).collect();
        // Their vectors may be mixtures with those of other zeros.
        let held = |chain: usize| held_by(&svd.u, pairs, chain, near);
        let found =
            if self.at_rest { places.len() } else { places.len().max(held(1) + held(2).min(self.lasting)) };
        let mut missing = self.count().saturating_sub(found);
        // Those of a class stand by |s|.
        // At rest slow rates of damped motions have such vectors too, and others without digits are no zeros.
        let open = |pair: &Eigenpair| !self.at_rest || !pair.is_determined();
        let mut candidates = (0..pairs.len())
            .filter(|i| pairs[*i].class == Class::Physical && along(&pairs[*i]) && open(&pairs[*i]));
        while missing > 0
            && let Some(i) = candidates.next()
        {
            let width = if pairs[i].alpha.im > 0.0 { 2 } else { 1 };
            if width > missing {
                break;
            }
            places.push(i);
            places.extend(candidates.by_ref().take(width - 1));
            missing -= width;
        }
        spectrum.take_for_zeros(&places);
        // Whether the stiffnesses of these directions are zero the digits need not say.
        let known = self.directions.ncols();
        spectrum.findings.retain_mut(|finding| {
            let Finding::ZeroByRounding { directions, .. } = finding else { return true };
            *directions = directions.saturating_sub(known);
            *directions > 0
        });
    }
}

/// At rest, of a model under load, where a value found may be a zero, or a zero found has an error bound: turns and shifts of everything that
/// are free.
pub(crate) fn settle_at_rest(
    model: &Model,
    at: &OperatingPoint,
    pencil: &QuadraticPencil<Sparse>,
    spectrum: &mut Spectrum,
) {
    let QuadraticPencil { m, c, k, phi_q } = pencil;
    let limit = SMALL * norms::max_abs(k) / norms::max_abs(m).max(f64::MIN_POSITIVE);
    let small = |pair: &Eigenpair| pair.value().is_some_and(|s| s.norm_sqr() <= limit);
    let blurred = |pair: &Eigenpair| pair.error_bound > 0.0;
    if spectrum.of_class(Class::Physical).any(small) || spectrum.of_class(Class::Rigid).any(blurred) {
        let directions = free_at_rest(model, at.point(), k, phi_q);
        ModelZeros::of(directions, [c, k, phi_q]).settle(spectrum, NEAR);
    }
}

/// Of an unloaded model the zeros found are exact where no more directions were found than its geometry shows to be free.
pub(crate) fn settle_counted(least: usize, spectrum: &mut Spectrum) {
    // Two eigenvalues with one vector are one direction.
    let halves: usize = spectrum.of_class(Class::Rigid).map(|pair| if pair.chain == 2 { 1 } else { 2 }).sum();
    if halves == 0 || halves > 2 * least {
        return;
    }
    let zeros = spectrum.eigenpairs.iter_mut().filter(|pair| pair.class == Class::Rigid);
    zeros.for_each(|pair| pair.error_bound = 0.0);
    spectrum.findings.retain(|finding| !matches!(finding, Finding::ZeroByRounding { .. }));
}

/// How many of some orthonormal columns (n x any) are combinations of the vectors of the zeros found, with at least so many in their chains.
fn held_by(basis: &Dense, pairs: &[Eigenpair], chain: usize, near: f64) -> usize {
    let zeros = pairs.iter().filter(|pair| pair.class == Class::Rigid && pair.chain >= chain);
    let vectors: Vec<&[c64]> =
        zeros.map(|pair| &pair.right[..]).filter(|x| x.len() == basis.nrows()).collect();
    let part = |x: c64, j: usize| if j.is_multiple_of(2) { x.re } else { x.im };
    let spanned = Dense::from_fn(basis.nrows(), 2 * vectors.len(), |i, j| part(vectors[j / 2][i], j));
    let Ok(svd) = Svd::new(&spanned) else { return 0 };
    let largest = svd.s.first().copied().unwrap_or(0.0);
    let rank = svd.s.iter().take_while(|s| **s > near * largest).count();
    let span = Dense::from_fn(basis.nrows(), rank, |i, j| svd.u[(i, j)]);
    let inside = dense::mul(&span, &dense::mul_transpose(&span, basis));
    let Ok(off) = Svd::new(&dense::add(1.0, basis, -1.0, &inside)) else { return 0 };
    basis.ncols() - off.s.iter().filter(|s| **s > near).count()
}

/// Whether a vector lies in the span of orthonormal columns but for a small part.
fn is_along(basis: &Dense, x: &[c64], near: f64) -> bool {
    let parts = |of: fn(&c64) -> f64| {
        let x: Vec<f64> = x.iter().map(of).collect();
        let inside = dense::matvec(basis, &dense::matvec_transpose(basis, &x));
        let off: Vec<f64> = x.iter().zip(inside).map(|(x, y)| x - y).collect();
        [norms::two(&off), norms::two(&x)]
    };
    let ([re, real], [im, imaginary]) = (parts(|z| z.re), parts(|z| z.im));
    re.hypot(im) <= near * real.hypot(imaginary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_eigen::DenseOptions;

    /// A free mass beside a held one, the stiffness of the first known as rounding only.
    #[test]
    fn a_value_of_rounding_along_a_known_zero_is_a_zero() {
        let k = |rounding: f64| dense::from_rows(&[&[rounding, 0.0], &[0.0, 4.0]]);
        for rounding in [1e-13, -1e-13] {
            let pencil = QuadraticPencil {
                m: dense::identity(2),
                c: Dense::zeros(2, 2),
                k: k(rounding),
                phi_q: Dense::zeros(0, 2),
            };
            let found = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
            assert_eq!((found.counts.found.rigid, found.counts.found.physical), (0, 4));
            let sparse = [&pencil.c, &pencil.k, &pencil.phi_q].map(mb_algebra::to_sparse);
            let [c, k, phi_q] = sparse.each_ref();
            let directions = Dense::from_fn(2, 1, |i, _| [1.0, 0.0][i]);
            let mut taken = found.clone();
            ModelZeros::of(directions, [c, k, phi_q]).settle(&mut taken, NEAR);
            assert_eq!((taken.counts.found.rigid, taken.counts.found.physical), (2, 2), "{rounding}");
            assert!(taken.of_class(Class::Rigid).all(|pair| pair.value() == Some(c64::new(0.0, 0.0))));
            // A direction that is none of theirs takes nothing.
            let mut left = found.clone();
            ModelZeros::of(Dense::from_fn(2, 1, |_, _| 1.0), [c, k, phi_q]).settle(&mut left, NEAR);
            assert_eq!(left, found);
        }
    }
}
