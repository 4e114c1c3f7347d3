//! Eigenvalues under penalties that lie next to each other, or that penalties of 1e10 leave few digits: each within
//! the bound of its own.
//!
//! Eigenvalues of two tied masses and of a held one are known in closed form (`examples/cases/exact/penalties.rs`);
//! those here are of such masses mixed by integer matrices.

use mb_algebra::{Dense, PenaltyBlocks, c64, dense, to_sparse};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::sparse::{SparseExpert, SparseFinding, SparseOptions};
use mb_eigen::{Class, DenseOptions, Eigenpair, Finding, Spectrum, pairing};

/// Damping a M + b K, penalties Xi with rates a + b omega^2 and omega^2.
struct Held {
    m: Dense,
    k: Dense,
    phi_q: Dense,
    xi: Vec<f64>,
    law: [f64; 3],
}

impl Held {
    fn blocks(&self) -> PenaltyBlocks {
        let [a, b, square] = self.law;
        let all = |v: f64| dense::scale(v, &dense::identity(self.xi.len()));
        PenaltyBlocks {
            m: to_sparse(&self.m),
            c: to_sparse(&dense::add(a, &self.m, b, &self.k)),
            k: to_sparse(&self.k),
            phi_q: to_sparse(&self.phi_q),
            xi: dense::diagonal(&self.xi),
            theta: all(a + b * square),
            omega: all(square),
            k_parts: None,
        }
    }

    fn pencil(&self) -> PenaltyPencil {
        let [a, b, square] = self.law;
        let xi = dense::diagonal(&self.xi);
        let held = dense::mul_transpose(&self.phi_q, &dense::mul(&xi, &self.phi_q));
        let (m, k) = (dense::add(1.0, &self.m, 1.0, &held), dense::add(1.0, &self.k, square, &held));
        let c = dense::add(a, &m, b, &k);
        PenaltyPencil { m, c, k, phi_q: self.phi_q.clone(), xi }
    }

    fn lowest(&self, count: usize) -> Spectrum {
        let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
        penalty::lowest(&self.blocks(), count, &options).unwrap()
    }
}

/// w of two tied masses: (k_1 - m_1 w) (k_2 - m_2 w) + X (omega^2 - w) (k_1 + k_2 - (m_1 + m_2) w) = 0, that of the mechanism first.
fn tied([m1, m2]: [f64; 2], [k1, k2]: [f64; 2], x: f64, square: f64) -> [f64; 2] {
    let (m, k) = (m1 + m2, k1 + k2);
    let [a, b, c] =
        [m1 * m2 + x * m, 0.5 * (k1 * m2 + k2 * m1 + x * (k + square * m)), k1 * k2 + x * square * k];
    let far = b + (b * b - a * c).sqrt();
    [c / far, far / a]
}

/// The eigenvalue above the real axis: s^2 + (a + b w) s + w = 0.
fn eigenvalue([a, b, _]: [f64; 3], w: f64) -> c64 {
    let half = 0.5 * (a + b * w);
    z(-half, (w - half * half).sqrt())
}

/// Every pair of positive frequency within the bound of a eigenvalue of its own among those given by their upper halves.
fn assert_covered(found: &Spectrum, exact: &[c64]) {
    assert_covered_within(found, exact, 1e-14);
}

/// The same of eigenvalues that are known to so many digits.
fn assert_covered_within(found: &Spectrum, exact: &[c64], known: f64) {
    let pairs: Vec<&Eigenpair> = found.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0).collect();
    let values: Vec<c64> = pairs.iter().map(|pair| pair.value().unwrap()).collect();
    assert!(values.len() <= exact.len(), "{values:?}");
    for (i, j, distance) in pairing::match_values(&values, exact) {
        let allowed = pairs[i].error_bound + known * exact[j].norm();
        assert!(
            distance <= allowed,
            "{} is {distance:e} from {}, bound {:e}",
            values[i],
            exact[j],
            pairs[i].error_bound
        );
    }
}

fn z(re: f64, im: f64) -> c64 {
    c64::new(re, im)
}

/// A free mass and a held one with the same eigenvalue: the one without a share of the penalty is the mechanism's.
#[test]
fn an_eigenvalue_of_the_mechanism_on_one_of_the_penalty_is_kept() {
    for a in [0.0, 1.0 / 16.0] {
        let held = Held {
            m: dense::diagonal(&[2.0, 4.0]),
            k: dense::diagonal(&[2.0, 4.0]),
            phi_q: dense::from_rows(&[&[0.0, 1.0]]),
            xi: vec![64.0],
            law: [a, 0.0, 1.0],
        };
        let found = held.lowest(1);
        assert!(!found.falls_short(), "{:?}", found.findings);
        assert_eq!(found.counts.found.physical, 2);
        let pair = &found.eigenpairs[0];
        assert_eq!(pair.class, Class::Physical);
        assert!(pair.penalty_share.unwrap() < 1e-12, "{:?}", pair.penalty_share);
        assert_covered(&found, &[z(-0.5 * a, (1.0 - 0.25 * a * a).sqrt())]);
    }
}

/// An eigenvalue of the mechanism that a penalty eigenvalue at the same place repels: both share their energy, and the
/// split is in doubt.
///
/// Two pairs of tied masses in mixed coordinates, x_0 with x_1 - x_3 and x_2 with 2 x_1 - x_3: masses 8, 5 and 6, 1, stiffnesses 7, 6
/// and 3, 2.
#[test]
fn eigenvalues_that_share_their_energy_with_the_penalty_are_found_and_reported_as_unsure() {
    let (a, xi) = (3.0 / 64.0, [26.0_f64, 23.0].map(f64::exp2));
    let held = Held {
        m: dense::from_rows(&[
            &[8.0, 0.0, 0.0, 0.0],
            &[0.0, 9.0, 0.0, -7.0],
            &[0.0, 0.0, 6.0, 0.0],
            &[0.0, -7.0, 0.0, 6.0],
        ]),
        k: dense::from_rows(&[
            &[7.0, 0.0, 0.0, 0.0],
            &[0.0, 14.0, 0.0, -10.0],
            &[0.0, 0.0, 3.0, 0.0],
            &[0.0, -10.0, 0.0, 8.0],
        ]),
        phi_q: dense::from_rows(&[&[1.0, -1.0, 0.0, 1.0], &[0.0, -2.0, 1.0, 1.0]]),
        xi: xi.to_vec(),
        law: [a, 0.0, 1.0],
    };
    let found = held.lowest(2);
    assert_eq!(found.counts.found.physical, 4, "{:?}", found.findings);
    assert!(found.findings.iter().any(|f| matches!(f, Finding::PenaltyOverlap { .. })));
    let [first, second] =
        [tied([8.0, 5.0], [7.0, 6.0], xi[0], 1.0), tied([6.0, 1.0], [3.0, 2.0], xi[1], 1.0)];
    let exact = [second[0], first[0], first[1], second[1]].map(|w| eigenvalue(held.law, w));
    // The discriminant of the first pair cancels to half of its digits: w = 1 - e with e = 3e-5.
    assert_covered_within(&found, &exact, 1e-11);
    // The constrained problem has its second eigenvalue at 0.9997253: what is there is the penalty's alone.
    let second = found.eigenpairs.iter().filter_map(Eigenpair::value).map(|s| s.im).fold(0.0, f64::max);
    assert!((second - exact[1].im).abs() < 1e-9, "{second}");
}

/// A double eigenvalue of the mechanism that a penalty parts by no more than rounding leaves of its dense matrices:
/// two eigenvalues, not one twice.
#[test]
fn parted_eigenvalues_are_not_found_twice() {
    let held = Held {
        m: dense::from_rows(&[
            &[25.0, 14.0, 0.0, -32.0, 0.0, 19.0],
            &[14.0, 29.0, 0.0, -28.0, 0.0, 14.0],
            &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            &[-32.0, -28.0, 0.0, 55.0, 0.0, -32.0],
            &[0.0, 0.0, 0.0, 0.0, 5.0, 0.0],
            &[19.0, 14.0, 0.0, -32.0, 0.0, 19.0],
        ]),
        k: dense::from_rows(&[
            &[26.0, 10.0, 0.0, -40.0, 0.0, 25.0],
            &[10.0, 22.0, 0.0, -20.0, 0.0, 10.0],
            &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            &[-40.0, -20.0, 0.0, 65.0, 0.0, -40.0],
            &[0.0, 0.0, 0.0, 0.0, 7.0, 0.0],
            &[25.0, 10.0, 0.0, -40.0, 0.0, 25.0],
        ]),
        phi_q: dense::from_rows(&[&[0.0, 1.0, -1.0, 0.0, 0.0, 0.0], &[2.0, 0.0, 0.0, -3.0, -1.0, 2.0]]),
        xi: vec![32768.0, 65536.0],
        law: [5.0 / 64.0, 6.0 / 64.0, 256.0],
    };
    // Free ones of 6 and 7; x_1 with x_2; x_4 with 2 x_0 - 3 x_3 + 2 x_5.
    let [one, other] = [
        tied([1.0, 1.0], [2.0, 1.0], held.xi[0], held.law[2]),
        tied([3.0, 5.0], [5.0, 7.0], held.xi[1], held.law[2]),
    ];
    let exact = [1.0 / 6.0, 5.0 / 7.0, one[0], other[0]].map(|w| eigenvalue(held.law, w));
    let physical = penalty::physical_eigenpairs(&held.pencil(), &DenseOptions::default()).unwrap();
    assert_eq!(physical.counts.found.physical, 8);
    assert_covered(&physical, &exact);
    assert_covered(&held.lowest(4), &exact);
}

/// A penalty of 1e12 times the mechanism's own matrices: rounding of their size parts directions from the problem, and
/// the eigenvalues left are off by more than their residuals, weighed with their own vectors, show.
#[test]
fn error_bounds_near_penalties_too_stiff_are_wide_enough() {
    let undamped = Held {
        m: dense::from_rows(&[&[36.0, 72.0, -16.0], &[72.0, 145.0, -30.0], &[-16.0, -30.0, 12.0]]),
        k: dense::from_rows(&[&[23.0, 46.0, -10.0], &[46.0, 95.0, -14.0], &[-10.0, -14.0, 17.0]]),
        phi_q: dense::from_rows(&[&[1.0, 2.0, 0.0], &[-2.0, -4.0, 1.0]]),
        xi: vec![8_589_934_592.0, 17_179_869_184.0],
        law: [0.0, 0.0, 16.0],
    };
    // A free mass, and two held ones: (k + 16 Xi) / (m + Xi).
    let held = |m: f64, k: f64, xi: f64| (k + 16.0 * xi) / (m + xi);
    let exact = [3.0, held(4.0, 3.0, undamped.xi[0]), held(8.0, 5.0, undamped.xi[1])];
    let exact = exact.map(|w| eigenvalue(undamped.law, w));
    let all = penalty::solve(&undamped.pencil(), &DenseOptions::default()).unwrap();
    assert!(all.findings.iter().any(|f| matches!(f, Finding::StiffPenalty { .. })), "{:?}", all.findings);
    assert_covered(&all, &exact);
    // With violations as unknowns nothing of that size meets the mechanism's own entries.
    let lowest = undamped.lowest(1);
    assert_covered(&lowest, &exact[..1]);
    assert!(lowest.eigenpairs[0].error_bound < 1e-11 && !lowest.falls_short(), "{:?}", lowest.findings);
}

/// Directions that drowned are reported as missing by the fast path too, and what is left is no zero for sure.
#[test]
fn the_fast_path_reports_what_drowned() {
    let held = Held {
        m: dense::from_rows(&[&[1.0, 0.0], &[0.0, 1.0]]),
        k: dense::from_rows(&[&[2.0, 0.0], &[0.0, 2.0]]),
        phi_q: dense::from_rows(&[&[1.0, 3.0]]),
        xi: vec![1e17],
        law: [0.0, 0.0, 1.0],
    };
    let found = penalty::physical_eigenpairs(&held.pencil(), &DenseOptions::default()).unwrap();
    let told = |f: &Finding| matches!(f, Finding::StiffPenalty { .. });
    assert!(found.findings.iter().any(told), "{:?}", found.findings);
    assert!(found.falls_short() || found.counts.found.motion() == 2, "{:?}", found.counts);
}

#[test]
fn modes_left_out_are_reported_as_lost() {
    let lost = SparseFinding::Lost { lost: 2, found: 1, wanted: 3 };
    assert!(Finding::from(lost.clone()).falls_short());
    let said = lost.to_string();
    assert!(said.starts_with("Returned: 1 of 3 modes asked for. Of those found 2 are left out"), "{said}");
}
