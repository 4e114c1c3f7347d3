//! Discs that hold the zeros of a polynomial, from its values at as many points.
//!
//! ```text
//! |z - z_i| <= N |W_i / p_N|,   W_i = p(z_i) / prod_(j != i) (z_i - z_j),   i = 1..N
//! p_N + sum_i W_i / (z_0 - z_i) = p(z_0) / prod_i (z_0 - z_i)
//! ```
//!
//! Their union holds all zeros, and k of them that are apart from the others hold k (Smith, J. ACM 17, 1970). The second line is Lagrange's
//! interpolation, which gives the leading coefficient from one more point. Whatever the points are: a proof, with upper bounds of
//! |p(z_i)| and a lower one of |p(z_0)|, for a polynomial of degree N or less; less than N has no p_N and infinite discs.

use mb_algebra::c64;

use crate::tuning;

/// A disc with the group of discs that hang together with it.
#[derive(Clone, Debug)]
pub(super) struct Disc {
    /// How far from z_i the zero that it stands for may be.
    pub(super) bound: f64,
    /// The points of its group.
    pub(super) group: Vec<usize>,
}

/// `values`: the most that ln |p(z_i)| may be; `beside`: z_0 and the least that ln |p(z_0)| may be.
pub(super) fn of(points: &[c64], values: &[f64], beside: (c64, f64)) -> Vec<Disc> {
    let count = points.len();
    let (beside, least) = beside;
    let weight = |i: usize| {
        let others = points.iter().enumerate().filter(|(j, _)| *j != i);
        values[i] - others.map(|(_, z)| (points[i] - z).norm().ln()).sum::<f64>()
    };
    let weights: Vec<f64> = (0..count).map(weight).collect();
    let sum = least - points.iter().map(|z| (beside - z).norm().ln()).sum::<f64>();
    let rest =
        weights.iter().zip(points).map(|(w, z)| (w - sum + tuning::SQRT_EPS).exp() / (beside - z).norm());
    let leading = sum + (-rest.sum::<f64>().min(1.0)).ln_1p();
    // Logarithms of a few hundred numbers, each of them below 1e4, are rounded to 1e-10.
    let radius = |i: usize| (weights[i] - leading + (count as f64).ln() + tuning::SQRT_EPS).exp();
    let radii: Vec<f64> =
        (0..count).map(radius).map(|r| if r.is_nan() { f64::INFINITY } else { r }).collect();
    let apart = |i: usize, j: usize| (points[i] - points[j]).norm();
    let mut groups: Vec<Option<usize>> = vec![None; count];
    let mut members: Vec<Vec<usize>> = Vec::new();
    for first in 0..count {
        if groups[first].is_some() {
            continue;
        }
        let mut group = vec![first];
        groups[first] = Some(members.len());
        let mut next = 0;
        while next < group.len() {
            let i = group[next];
            for j in 0..count {
                let meets = apart(i, j) <= (radii[i] + radii[j]) * (1.0 + tuning::SQRT_EPS);
                if groups[j].is_none() && meets {
                    groups[j] = Some(members.len());
                    group.push(j);
                }
            }
            next += 1;
        }
        members.push(group);
    }
    let disc = |i: usize| {
        let group = groups[i].map(|g| members[g].clone()).unwrap_or_default();
        let bound = group.iter().map(|j| apart(i, *j) + radii[*j]).fold(0.0, f64::max);
        Disc { bound: bound * (1.0 + tuning::SQRT_EPS), group }
    };
    (0..count).map(disc).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (z - 1) (z - 2) (z - 4) at values beside its zeros, and at two beside one.
    #[test]
    fn zeros_lie_in_their_discs() {
        let zeros = [1.0, 2.0, 4.0];
        let discs = |points: [f64; 3]| {
            let value = |z: &f64| zeros.iter().map(|s| (z - s).abs().ln()).sum::<f64>();
            let values: Vec<f64> = points.iter().map(value).collect();
            let far = 8.0;
            of(&points.map(|z| c64::new(z, 0.0)), &values, (c64::new(far, 0.0), value(&far)))
        };
        let near = [1.001, 1.998, 4.003];
        for ((disc, z), s) in discs(near).iter().zip(near).zip(zeros) {
            assert_eq!(disc.group.len(), 1);
            assert!((z - s).abs() <= disc.bound && disc.bound <= 4.0 * (z - s).abs());
        }
        // No value at 2: a disc of another point reaches it.
        let wrong = [1.001, 1.002, 4.003];
        assert!(discs(wrong).iter().zip(wrong).any(|(disc, z)| (z - 2.0).abs() <= disc.bound));
    }
}
