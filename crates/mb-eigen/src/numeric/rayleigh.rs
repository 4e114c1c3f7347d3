//! Two-sided Rayleigh quotient.
//!
//! ```text
//! s <- s - y^H (s^2 M + s C + K) x / y^H (2 s M + C) x
//! ```
//!
//! On the matrices as given: an error e in x and f in y leaves one of order e f in s, so that what a reduction costs the
//! low eigenvalues of stiff problems is mostly repaired. palomba2019, notes (a two-sided quotient gains a factor of
//! ten). Where the forms of stiff problems cancel they are computed in double-double precision (double_double.rs),
//! else their rounding would be all the error there is: 1e-9 of s at 600 unknowns of a flexible pendulum. Left out
//! where y and x are nearly orthogonal: there the quotient is ill-defined.

use crate::certify::dense::Forms;
use crate::dense::{Kind, Raw};
use crate::tuning;

/// Newton step on y^H (s^2 M + s C + K) x, which is the two-sided Rayleigh quotient.
pub(crate) fn rayleigh(raw: &mut Raw, forms: Forms) {
    if raw.kind != Kind::Ordinary || raw.beta == 0.0 {
        return;
    }
    let s = raw.value();
    let slope = s * forms.m * 2.0 + forms.c;
    let terms = s.norm() * forms.m.norm() * 2.0 + forms.c.norm();
    let step = ((s * forms.m + forms.c) * s + forms.k) / slope;
    if slope.norm() < tuning::SLIGHT * terms || !step.is_finite() || step.norm() > tuning::MINOR * s.norm() {
        return;
    }
    let mut better = s - step;
    if s.im == 0.0 {
        better.im = 0.0;
    }
    if s.re == 0.0 {
        better.re = 0.0;
    }
    if raw.mirror && better.im <= 0.0 {
        return;
    }
    *raw = Raw {
        kind: raw.kind,
        chain: raw.chain,
        ..Raw::finite(better, std::mem::take(&mut raw.right), raw.left.take(), raw.mirror)
    };
}
