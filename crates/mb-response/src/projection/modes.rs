//! The modes of M and K_s below a Lambda beyond the band, all of them in the space, and a bound for what is left.

use super::space::Space;
use super::{MOST_VECTORS, Unproved, start};
use mb_algebra::{Dense, SymmetricEigen, dense};

/// Modes below Lambda up to which the space is made.
const MOST_MODES: usize = 80;
/// sqrt Lambda over the highest frequency: ends of the range in which the widest gap is taken.
const APART: [f64; 2] = [1.35, 2.2];
/// Relative size of rho, relative to tau.
const MODES_TO: f64 = 1e-7;
/// Counts of modes.
const TRIALS: usize = 4;

/// Fills the space until it holds the modes below a Lambda beyond `highest` (rad/s), proved by a count, and turns it so that they
/// come first: their number, and tau + rho.
pub(super) fn filled(space: &mut Space<'_>, highest: f64, mut seed: u64) -> Result<(usize, f64), Unproved> {
    let sigma = space.sigma;
    let mut used = 0;
    for trial in 0..TRIALS {
        if trial > 0 {
            // More random motions after a count that shows modes missing.
            start(space, &mut seed)?;
        }
        let mut steps = 0;
        loop {
            let settled = if steps < 4 * trial { None } else { ritz(space, highest)? };
            if let Some((values, vectors, lambda)) = settled {
                let tau = 1.0 / (lambda + sigma);
                let p = values.iter().filter(|x| **x > tau).count();
                let counted = space.count_below(lambda)?;
                if counted.max(p) > MOST_MODES {
                    return Err(Unproved::Many { what: "modes in and near the band", most: MOST_MODES });
                }
                if counted != p {
                    break;
                }
                space.rotate(&vectors);
                let outside = (tau + departure(space, p)) * (1.0 + 1e-9);
                let apart = least_form(space, p)? > outside;
                return if apart { Ok((p, outside)) } else { Err(Unproved::Count) };
            }
            if space.v.ncols() > MOST_VECTORS {
                return Err(Unproved::Vectors);
            }
            let newest: Vec<usize> = (used..space.v.ncols()).collect();
            if newest.is_empty() && steps >= 4 * trial {
                break;
            }
            used = space.v.ncols();
            steps += 1;
            let next = dense::select_columns(&space.of_m.g, &newest);
            space.add(&next)?;
        }
    }
    Err(Unproved::Count)
}

/// Ritz values 1 / (omega^2 + sigma) in decreasing order, their coefficients, and Lambda in the widest gap beyond `highest`; none
/// before those above Lambda have settled.
fn ritz(space: &Space<'_>, highest: f64) -> Result<Option<(Vec<f64>, Dense, f64)>, Unproved> {
    let k = space.v.ncols();
    let form = dense::symmetric_part(&dense::mul_transpose(&space.xv, &space.of_m.g));
    let eigen = SymmetricEigen::new(&form)?;
    let order: Vec<usize> = (0..k).rev().collect();
    let values: Vec<f64> = order.iter().map(|j| eigen.values[*j]).collect();
    let vectors = dense::select_columns(&eigen.vectors, &order);
    let [low, high] = APART.map(|a| (a * highest).powi(2) + space.sigma);
    let mut edges = vec![low];
    edges.extend(values.iter().filter(|x| **x > 0.0).map(|x| 1.0 / x).filter(|x| *x > low && *x < high));
    edges.push(high);
    let Some(gap) = edges.windows(2).max_by(|a, b| (a[1] / a[0]).total_cmp(&(b[1] / b[0]))) else {
        return Ok(None);
    };
    let shifted = (gap[0] * gap[1]).sqrt();
    let p = values.iter().filter(|x| **x > 1.0 / shifted).count();
    let first = dense::select_columns(&vectors, &(0..p).collect::<Vec<_>>());
    let moved = dense::mul(&space.of_m.g, &first);
    let kept = dense::mul(&space.v, &dense::mul(&first, &dense::diagonal(&values[..p])));
    let rest = &moved - &kept;
    let sizes = space.x_times(&rest);
    let square: f64 = (0..p).map(|j| dense::dot(rest.col_as_slice(j), sizes.col_as_slice(j)).max(0.0)).sum();
    let settled = square.sqrt() <= MODES_TO / shifted;
    Ok(settled.then_some((values, vectors, shifted - space.sigma)))
}

/// rho: the norm of what X^-1 M of the first `p` vectors has outside their span, errors included.
fn departure(space: &Space<'_>, p: usize) -> f64 {
    let (g, errors) = space.outside(p, &[&space.of_m]);
    let first = dense::select_columns(&g, &(0..p).collect::<Vec<_>>());
    let sizes = space.x_times(&first);
    let part = |j: usize| {
        let own = dense::dot(first.col_as_slice(j), sizes.col_as_slice(j)).max(0.0).sqrt();
        (own + errors[j]).powi(2)
    };
    (0..p).map(part).sum::<f64>().sqrt()
}

/// The least eigenvalue of Phi^T M Phi of the first `p` vectors.
fn least_form(space: &Space<'_>, p: usize) -> Result<f64, Unproved> {
    let first: Vec<usize> = (0..p).collect();
    let (xv, g) = (dense::select_columns(&space.xv, &first), dense::select_columns(&space.of_m.g, &first));
    let eigen = SymmetricEigen::new(&dense::symmetric_part(&dense::mul_transpose(&xv, &g)))?;
    Ok(eigen.values.first().copied().unwrap_or(f64::INFINITY))
}
