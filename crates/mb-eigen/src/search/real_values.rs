//! Values near the real axis that a search at a complex shift has left without a conjugate: found anew at real shifts.

use mb_algebra::c64;

use super::biorthonormal::clusters;
use super::non_hermitian::General;
use super::set::Set;
use crate::tuning;

impl General<'_> {
    /// The set with values near the real axis found anew, and without those that miss a conjugate nearer to the shift.
    ///
    /// The matrices are real: what has no conjugate there is rounding, or the conjugate was lost, and a count of the values left shows it.
    pub(super) fn with_conjugates(&mut self, set: Set, at: c64) -> Set {
        let mut set = self.with_real_values(set, at);
        let kept: Vec<usize> =
            (0..set.tau.len()).filter(|&j| !misses_conjugate(set.tau[j], &set.tau, at)).collect();
        if kept.len() < set.tau.len() {
            set.keep(&kept);
        }
        set
    }

    /// The set with the values near the real axis found anew in real arithmetic.
    ///
    /// At a complex shift a real eigenvalue comes out with an imaginary part of rounding, which its conjugate would count once more, and two
    /// real ones close to each other cannot be distinguished from a pair. Around a real shift nearby they are real or
    /// a pair.
    fn with_real_values(&mut self, mut set: Set, at: c64) -> Set {
        if at.im == 0.0 {
            return set;
        }
        // Of small values far from the shift, digits are those of the distance.
        // Error of a value relative to its distance from the shift, that of half the digits: smaller ones far away may have none.
        let afar = |tau: &c64| tuning::SQRT_EPS * (tau - at).norm();
        // Values this close to each other and to the real axis, relative to their size, are found anew from one shift where one of them
        // may be real: all of them, or those that stay would be there twice.
        let width = |tau: &c64| (tuning::SLIGHT * tau.norm()).max(afar(tau));
        let beside_axis = |tau: &c64| tau.im.abs() <= width(tau);
        let columns: Vec<usize> = (0..set.tau.len()).filter(|&j| beside_axis(&set.tau[j])).collect();
        let values: Vec<c64> = columns.iter().map(|&j| set.tau[j]).collect();
        // Rounding turns the values of a real Jordan chain about their mean, so that they are no pairs any more.
        let paired =
            // Distance of the conjugate of one value from another, relative to their imaginary part, up to which they are a pair.
            |tau: &c64| values.iter().any(|other| (other - tau.conj()).norm() <= tuning::CLEAR * tau.im.abs());
        let doubtful = |tau: &c64| {
            // Imaginary part, relative to its size, up to which a value found at a complex shift may be real: that of two real ones, or
            // of a pair, that rounding moves by its square root, and a hundred times more.
            let small = tau.im.abs() <= (tuning::CBRT_EPS * tau.norm()).max(afar(tau));
            tau.im != 0.0 && (small || !paired(tau))
        };
        let told = self.findings.len();
        let (mut out, mut others) = (Vec::new(), Vec::new());
        // Values whose error is larger than thought may be found anew from two groups.
        let mut placed: Vec<c64> = Vec::new();
        for group in clusters(&values, |i| width(&values[i])) {
            if !group.iter().any(|&i| doubtful(&values[i])) {
                continue;
            }
            let group: Vec<usize> = group.into_iter().map(|i| columns[i]).collect();
            let re = group.iter().map(|&j| set.tau[j].re);
            let (low, high) =
                (re.clone().fold(f64::INFINITY, f64::min), re.fold(f64::NEG_INFINITY, f64::max));
            let widest = group.iter().map(|&j| width(&set.tau[j])).fold(0.0, f64::max);
            let aside = (high - low).max(widest);
            let Ok(shifted) = self.factor(c64::new(high + aside, 0.0)) else { continue };
            // Both of each pair are found there.
            let found = self.nearest_from(&shifted, 2 * group.len() + 2);
            let Some(real) = found.ok().filter(|real| real.without_left == 0) else { continue };
            // Of the same group: rounding moves multiple eigenvalues by a share of their own size, far as they are from other groups.
            let kept: Vec<usize> = (0..real.tau.len())
                .filter(|&j| {
                    let of_group =
                        |i: &usize| (real.tau[j] - set.tau[*i]).norm() <= 0.5 * width(&set.tau[*i]);
                    let again = |tau: &c64| (real.tau[j] - tau).norm() <= tuning::CBRT_EPS * tau.norm();
                    beside_axis(&real.tau[j]) && group.iter().any(of_group) && !placed.iter().any(again)
                })
                .collect();
            if !kept.is_empty() {
                placed.extend(kept.iter().map(|&j| real.tau[j]));
                out.extend(group);
                others.push((real, kept));
            }
        }
        // Of shifts nobody asked for.
        self.findings.truncate(told);
        if !out.is_empty() {
            set.replace(&out, &others);
        }
        set
    }
}

/// Whether a value lies across the real axis from the shift, by more than rounding so far away, and its conjugate is not there.
fn misses_conjugate(tau: c64, all: &[c64], at: c64) -> bool {
    let across = tau.im * at.im < 0.0 && tau.im.abs() > tuning::SQRT_EPS * (tau - at).norm();
    across && !all.iter().any(|other| (other - tau.conj()).norm() <= tuning::CLEAR * tau.im.abs())
}
