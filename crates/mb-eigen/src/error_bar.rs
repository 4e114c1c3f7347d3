//! From residual and sensitivity to a distance on s.
//!
//! ```text
//! simple root           2 rho / d,               d = |y^H (2 s M + C) x|
//! near a double root    4 sqrt(rho / a),         a = |y^H M x|
//! double by structure   2 sqrt(rho / curvature)
//! ```
//!
//! rho is the weighted residual of certificate.rs. The first is first order in rho with a factor of two to spare; it
//! holds while it is small against d / a, the distance of the second root of the quadratic a delta^2 + d delta = rho.
//! Roots whose bar reaches another root get the width of their cluster, since there the vectors are uncertain too. Where
//! more than two roots meet in a chain the bar can be far too wide.

use mb_algebra::c64;

use crate::Eigenpair;
use crate::certificate::Evidence;
use crate::quadratic::{Kind, Raw};

/// Left and right vector count as orthogonal when y^H (2 s M + C) x falls below this fraction of its terms.
const DEFECTIVE: f64 = 1e-13;

/// Factor on the left vector so that y^H (2 s M + C) x = 1, and whether that form vanishes.
pub(crate) fn left_scale(e: &Evidence<'_>) -> (c64, bool) {
    let one = c64::new(1.0, 0.0);
    if e.raw.beta == 0.0 {
        return (one, e.raw.chain > 1);
    }
    let s = e.raw.value();
    let d = s * e.forms.m * 2.0 + e.forms.c;
    let terms = 2.0 * s.norm() * e.forms.m.norm() + e.forms.c.norm();
    let defective = e.raw.chain > 1 || d.norm() <= DEFECTIVE * terms;
    (if defective || d.norm() == 0.0 { one } else { d.conj().inv() }, defective)
}

/// Bar on s in rad/s.
pub(crate) fn error_bar(e: &Evidence<'_>, rho: f64) -> f64 {
    let beta = e.raw.beta;
    if beta == 0.0 || e.raw.kind == Kind::Indeterminate {
        return f64::INFINITY;
    }
    if rho == 0.0 {
        return 0.0;
    }
    let bar = if e.raw.chain > 1 {
        2.0 * (rho / e.raw.curvature).sqrt() / beta
    } else {
        let d = (e.raw.alpha * e.forms.m * 2.0 + e.forms.c * beta).norm();
        let a = e.forms.m.norm();
        let first_order = 2.0 * rho / (beta * d);
        // The second root of a quadratic with these coefficients lies at d / a.
        let apart = d / (a * beta);
        if first_order <= 0.25 * apart || a == 0.0 { first_order } else { 4.0 * (rho / a).sqrt() / beta }
    };
    if bar.is_nan() { f64::INFINITY } else { bar }
}

/// Bar on s of a residual and a slope in the metric of the mass.
pub(crate) fn in_metric(residual: f64, slope: f64) -> f64 {
    let first_order = 2.0 * residual / slope;
    if first_order <= 0.25 * slope { first_order } else { 4.0 * residual.sqrt() }
}

/// Gives roots whose bars reach another root the width of that cluster.
pub(crate) fn widen_clusters(raws: &[Raw], pairs: &mut [Eigenpair]) {
    let values: Vec<Option<c64>> = pairs.iter().map(Eigenpair::value).collect();
    let bars: Vec<f64> = pairs.iter().map(|pair| pair.error_bar).collect();
    for (i, pair) in pairs.iter_mut().enumerate() {
        let (Some(s), Kind::Ordinary) = (values[i], raws[i].kind) else { continue };
        if !bars[i].is_finite() {
            continue;
        }
        // Its own bar counts, not the other's: a sure root beside an uncertain one stays sure.
        let mut width = 0.0_f64;
        let mut meet = |other: c64| {
            let distance = (other - s).norm();
            if distance <= 8.0 * bars[i] {
                width = width.max(2.0 * distance);
            }
        };
        for (j, value) in values.iter().enumerate() {
            let (Some(value), Kind::Ordinary) = (value, raws[j].kind) else { continue };
            if j != i {
                meet(*value);
            }
            if raws[j].mirror {
                meet(value.conj());
            }
        }
        pair.error_bar = pair.error_bar.max(width);
    }
}
