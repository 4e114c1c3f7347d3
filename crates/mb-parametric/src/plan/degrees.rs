//! Which parameters need how high a degree.

use crate::eigenpair_series::EigenpairSeries;
use crate::{DegreeLimit, MultiIndexSet, ParametricError};
use mb_algebra::c64;

/// The smallest set of the order whose missing terms stay below `allowed` (relative to |s|) at all
/// points: first each parameter's own degree is limited, then the joint degree of those that need
/// little.
pub(super) fn limited(
    full: &[EigenpairSeries],
    order: usize,
    points: &[Vec<f64>],
    allowed: f64,
) -> Result<MultiIndexSet, ParametricError> {
    let parameters = full.first().map_or(0, |series| series.set().parameters());
    let fits = |limits: &[DegreeLimit]| dropped(full, order, points, limits).map(|x| x <= allowed);
    // Each one alone, with its part of what is allowed left to the others.
    let mut caps = vec![order; parameters];
    for k in 0..parameters {
        while caps[k] > 0 {
            let mut lower = caps.clone();
            lower[k] -= 1;
            if !fits(&single(&lower, order))? {
                break;
            }
            caps = lower;
        }
    }
    let mut best = single(&caps, order);
    let limited: Vec<usize> = (0..parameters).filter(|&k| caps[k] < order).collect();
    if limited.len() > 1 {
        let most = limited.iter().map(|&k| caps[k]).max().unwrap_or(order);
        let joint = [DegreeLimit { parameters: limited, max_degree: most }];
        let size = |limits: &[DegreeLimit]| {
            MultiIndexSet::with_limits(parameters, order, limits).map(|set| set.len())
        };
        if fits(&joint)? && size(&joint)? < size(&best)? {
            best = joint.to_vec();
        }
    }
    MultiIndexSet::with_limits(parameters, order, &best)
}

fn single(caps: &[usize], order: usize) -> Vec<DegreeLimit> {
    let limited = caps.iter().enumerate().filter(|(_, cap)| **cap < order);
    limited.map(|(k, cap)| DegreeLimit { parameters: vec![k], max_degree: *cap }).collect()
}

/// The largest sum of the terms up to `order` that the limits leave out, relative to |s|.
fn dropped(
    full: &[EigenpairSeries],
    order: usize,
    points: &[Vec<f64>],
    limits: &[DegreeLimit],
) -> Result<f64, ParametricError> {
    let Some(first) = full.first() else { return Ok(0.0) };
    let out = |sigma: &[u8]| {
        limits.iter().any(|limit| {
            let degree: usize = limit.parameters.iter().map(|&k| usize::from(sigma[k])).sum();
            degree > limit.max_degree
        })
    };
    let used = first.set().homogeneous(order).end;
    let missing: Vec<usize> = (0..used).filter(|&i| out(first.set().exponents(i))).collect();
    let mut largest = 0.0_f64;
    for point in points {
        let monomials = first.set().monomials(point)?;
        for series in full {
            let list = series.eigenvalue_coefficients();
            let sum: c64 = missing.iter().map(|&i| list[i] * monomials[i]).sum();
            largest = largest.max(sum.norm() / list[0].norm().max(f64::MIN_POSITIVE));
        }
    }
    Ok(largest)
}
