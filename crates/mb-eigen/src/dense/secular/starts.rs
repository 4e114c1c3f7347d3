//! First values of all eigenvalues.
//!
//! ```text
//! mode by itself      s^2 + c_ii s + w_i = 0
//! strongly coupled    the companion matrix of the modes i, j, .. with 2 |c_ij| sqrt(|p_i p_j| / (g_i g_j)) > |p_i - p_j| / 3
//! overdamped by b K   t w_i z_i + s_0 (s_0 + a) z_i + s_0 sum of D_ij z_j = 0,  s_0 = -1 / b,  s = (t - 1) / b
//! ```
//!
//! c = diag(own) + D, D = U J U^T; p_i are the eigenvalues of a mode with its own damping alone and g_i the distance
//! between its two, 2 |p_i| where it is light. In penalty problems the modes of the violations, all near
//! omega, form one such group with the few modes of the mechanism among them. The slow eigenvalues of modes that b K
//! overdamps, b^2 w_i large, gather at s_0, where 1 + b s = t is of the order of 1 / (b^2 w_i): what stands next to t w_i hardly
//! changes with s there, and a symmetric eigenvalue problem gives all t at once. Refused where a group holds more
//! than a third of the modes, where the companion form of the whole problem is the better choice.

use mb_algebra::{Dense, GeneralEigen, SymmetricEigen, c64, dense};

use super::proportional::Proportional;
use crate::EigenError;
use crate::error::at;
use crate::tuning;

/// Real eigenvalues and those with Im s > 0; U k x p.
pub(super) fn find(
    w: &[f64],
    own: Proportional,
    u: &Dense,
    signs: &[f64],
) -> Result<Option<Vec<c64>>, EigenError> {
    let signed = dense::mul(u, &dense::diagonal(signs));
    let beside = dense::mul(&signed, &dense::transpose(u));
    let damping: Vec<f64> = w.iter().map(|w| own.damping(*w)).collect();
    let (slow, others): (Vec<usize>, Vec<usize>) =
        // b^2 w from which on a mode is overdamped by b K; a quarter of it is critical.
        (0..w.len()).partition(|&i| own.stiffness * own.stiffness * w[i] > (1.0 / tuning::CLEAR));
    let mut out = Vec::with_capacity(w.len() + signs.len());
    out.extend(slow.iter().map(|&i| poles(w[i], damping[i] + beside[(i, i)])[0]));
    out.extend(gathered(w, own, &beside, &slow)?);
    let mut c = beside;
    for (i, damping) in damping.iter().enumerate() {
        c[(i, i)] += damping;
    }
    for group in groups(w, &damping, &c, &others) {
        if 3 * group.len() > w.len() {
            return Ok(None);
        }
        if let [i] = group[..] {
            out.extend(single(w[i], c[(i, i)]));
            continue;
        }
        let g = group.len();
        let companion = Dense::from_fn(2 * g, 2 * g, |i, j| match (i < g, j < g) {
            (true, true) => 0.0,
            (true, false) => f64::from(u8::from(j == g + i)),
            (false, true) => f64::from(u8::from(i == g + j)) * -w[group[j]],
            (false, false) => -c[(group[i - g], group[j - g])],
        });
        let values = GeneralEigen::values(&companion).map_err(at("Strongly coupled modes"))?;
        out.extend(values.into_iter().filter(|s| s.im >= 0.0));
    }
    Ok(Some(out))
}

/// The slow eigenvalues of overdamped modes.
fn gathered(w: &[f64], own: Proportional, beside: &Dense, slow: &[usize]) -> Result<Vec<c64>, EigenError> {
    if slow.is_empty() {
        return Ok(Vec::new());
    }
    let s = -own.stiffness.recip();
    let entry = |i: usize, j: usize| {
        let free = if i == j { s * (s + own.mass) } else { 0.0 };
        -(free + s * beside[(i, j)]) / (w[i] * w[j]).sqrt()
    };
    let matrix = Dense::from_fn(slow.len(), slow.len(), |i, j| entry(slow[i], slow[j]));
    let t = SymmetricEigen::new(&dense::symmetric_part(&matrix)).map_err(at("Overdamped modes"))?.values;
    Ok(t.into_iter().map(|t| c64::new(s * (1.0 - t), 0.0)).collect())
}

/// Eigenvalues of s^2 + c s + w, the complex one with Im s > 0.
fn single(w: f64, c: f64) -> Vec<c64> {
    let [one, other] = poles(w, c);
    if one.im > 0.0 { vec![one] } else { vec![one, other] }
}

/// Both eigenvalues of s^2 + c s + w without cancellation: complex ones with Im s > 0 first, else the larger one first.
pub(super) fn poles(w: f64, c: f64) -> [c64; 2] {
    let half = 0.5 * c;
    let square = half * half - w;
    if square < 0.0 {
        let one = c64::new(-half, (-square).sqrt());
        return [one, one.conj()];
    }
    let large = -half - half.signum() * square.sqrt();
    let small = if large == 0.0 { 0.0 } else { w / large };
    [c64::new(large, 0.0), c64::new(small, 0.0)]
}

/// Some of the modes in groups of strong coupling; w and own damping are those of all.
fn groups(w: &[f64], own: &[f64], c: &Dense, some: &[usize]) -> Vec<Vec<usize>> {
    let k = w.len();
    let places: Vec<[c64; 2]> = w.iter().zip(own).map(|(&w, &own)| poles(w, own)).collect();
    // |p| over the distance of both poles: 1/2 for light damping.
    let reach = |[one, other]: [c64; 2]| [one, other].map(|p| 2.0 * p.norm() / (one - other).norm());
    let reaches: Vec<[f64; 2]> = places.iter().map(|&poles| reach(poles)).collect();
    let couples = |i: usize, j: usize| {
        let (size, pairs) = (c[(i, j)].abs(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
        pairs.into_iter().any(|(a, b)| {
            let rate = size * (reaches[i][a] * reaches[j][b]).sqrt();
            // Coupling over distance from which on modes are solved together.
            rate > tuning::PARTLY * (places[i][a] - places[j][b]).norm()
        })
    };
    let mut group: Vec<usize> = (0..k).collect();
    for (count, &j) in some.iter().enumerate() {
        for &i in &some[..count] {
            if group[i] != group[j] && couples(i, j) {
                let (from, to) = (group[j], group[i]);
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    let mut out = vec![Vec::new(); k];
    for &i in some {
        out[group[i]].push(i);
    }
    out.retain(|g: &Vec<usize>| !g.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uncoupled_modes_are_solved_exactly() {
        // s^2 + 2 s + 5 = 0 at -1 + 2i; s^2 + 5 s + 4 = 0 at -1 and -4.
        assert_eq!(single(5.0, 2.0), [c64::new(-1.0, 2.0)]);
        assert_eq!(single(4.0, 5.0), [c64::new(-4.0, 0.0), c64::new(-1.0, 0.0)]);
    }

    #[test]
    fn coupling_makes_groups() {
        let w = [1.0, 1.21, 100.0, 400.0];
        let mut c = dense::zeros(4, 4);
        (c[(0, 1)], c[(1, 0)]) = (0.5, 0.5);
        (c[(0, 3)], c[(3, 0)]) = (0.5, 0.5);
        assert_eq!(groups(&w, &[0.0; 4], &c, &[0, 1, 2, 3]), [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(groups(&w, &[0.0; 4], &c, &[1, 3]), [vec![1], vec![3]]);
    }
}
