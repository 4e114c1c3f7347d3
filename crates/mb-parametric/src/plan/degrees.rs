//! Which parameters need how high a degree.

use super::modes::Modes;
use crate::{DegreeLimit, MultiIndexSet, ParametricError};

/// The smallest set of the order whose missing terms stay below `allowed` (relative to |s|) at all
/// points: first each parameter's own degree is limited, then the joint degree of those that need
/// little.
pub(super) fn limited(
    full: &Modes,
    all: &MultiIndexSet,
    order: usize,
    points: &[Vec<f64>],
    allowed: f64,
) -> Result<MultiIndexSet, ParametricError> {
    let parameters = all.parameters();
    let fits = |limits: &[DegreeLimit]| dropped(full, all, order, points, limits).map(|x| x <= allowed);
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

/// The largest change of an eigenvalue by the terms up to `order` that the limits leave out, relative to |s|.
fn dropped(
    full: &Modes,
    all: &MultiIndexSet,
    order: usize,
    points: &[Vec<f64>],
    limits: &[DegreeLimit],
) -> Result<f64, ParametricError> {
    let kept = |number: usize| {
        let sigma = all.exponents(number);
        limits.iter().all(|limit| {
            let degree: usize = limit.parameters.iter().map(|&k| usize::from(sigma[k])).sum();
            degree <= limit.max_degree
        })
    };
    let used = all.homogeneous(order).end;
    let mut largest = 0.0_f64;
    for point in points {
        largest = largest.max(full.without(&all.monomials(point)?, used, &kept)?);
    }
    Ok(largest)
}
