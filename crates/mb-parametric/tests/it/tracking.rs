//! Modes that cross, veer and go on.

use crate::erls;
use crate::systems::{free, polynomial, solve};
use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_gallery::models::ErlsArm;
use mb_parametric::track::{left_right_mac, left_right_mac_matrix};
use mb_parametric::{
    EncounterKind, ParametricError, PencilSeries, PolishOptions, RefinedEigenpair, SeriesSource,
    StartingEigenpair, TrackOptions, polish, track,
};

/// Stiffness 4 + x and 5 - x, joined by a spring e; damping c of the first mass.
fn pair(e: f64, c: f64) -> PencilSeries {
    let at = |sigma: [u8; 1], a: Dense| (sigma.to_vec(), a);
    let terms = QuadraticPencil {
        m: vec![at([0], dense::identity(2))],
        c: vec![at([0], dense::diagonal(&[c, 0.0]))],
        k: vec![
            at([0], dense::from_rows(&[[4.0 + e, -e], [-e, 5.0 + e]])),
            at([1], dense::diagonal(&[1.0, -1.0])),
        ],
        phi_q: free(2, 1),
    };
    polynomial(1, 1, &terms)
}

fn starts(pencil: &PencilSeries) -> Vec<StartingEigenpair> {
    let mut all = solve(&pencil.evaluate(&[0.0]).unwrap());
    all.retain(|pair| pair.s.im > 0.1);
    all.sort_by(|a, b| a.s.im.total_cmp(&b.s.im));
    all
}

fn path(samples: usize) -> Vec<Vec<f64>> {
    (0..=samples).map(|i| vec![i as f64 / samples as f64]).collect()
}

#[test]
fn modes_that_do_not_know_each_other_cross() {
    for (c, samples) in [(0.0, 21), (0.02, 21), (0.0, 20)] {
        let pencil = pair(0.0, c);
        // Phases that leave rounding everywhere.
        let mut starts = starts(&pencil);
        for (start, phase) in starts.iter_mut().zip([0.7, -0.9]) {
            start.vector.iter_mut().for_each(|x| *x *= c64::cis(phase));
        }
        let found = track(&pencil, &path(samples), &starts, &TrackOptions::default()).unwrap();
        // Each keeps its own mass and stiffness.
        for (point, pairs) in found.points.iter().zip(&found.eigenpairs) {
            let k = [4.0 + point[0], 5.0 - point[0]];
            for (i, found) in pairs.iter().enumerate() {
                let half = if i == 0 { c / 2.0 } else { 0.0 };
                let exact = c64::new(-half, (k[i] - half * half).sqrt());
                assert!((found.s - exact).norm() < 1e-6, "{point:?}: {} {exact}", found.s);
            }
        }
        assert_eq!(found.encounters.len(), 1, "{:?}", found.encounters);
        let there = &found.encounters[0];
        assert_eq!((there.kind, there.modes), (EncounterKind::Crossing, [0, 1]));
        assert!((there.point[0] - 0.5).abs() < 2e-3 && there.exchange < 1e-6, "{there:?}");
        assert!((there.gap - c / 2.0).abs() < 1e-6, "{there:?}");
        // A sample on the crossing itself has no vectors of its own.
        assert_eq!(found.passed_beside.len(), usize::from(samples == 20), "{:?}", found.passed_beside);
    }
}

#[test]
fn coupled_modes_veer_and_change_shapes() {
    for e in [0.002, 0.05] {
        let pencil = pair(e, 0.0);
        let found = track(&pencil, &path(40), &starts(&pencil), &TrackOptions::default()).unwrap();
        for (point, pairs) in found.points.iter().zip(&found.eigenpairs) {
            let half = (0.5 - point[0]).hypot(e);
            for (pair, sign) in pairs.iter().zip([-1.0, 1.0]) {
                let exact = (4.5 + e + sign * half).sqrt();
                assert!((pair.s - c64::new(0.0, exact)).norm() < 1e-9, "{e} {point:?}: {}", pair.s);
            }
        }
        assert_eq!(found.encounters.len(), 1, "{e}: {:?}", found.encounters);
        let there = &found.encounters[0];
        assert_eq!(there.kind, EncounterKind::Veering);
        assert!((there.point[0] - 0.5).abs() < 0.02 && there.exchange > 0.5, "{there:?}");
        let narrowest = (4.5 + 2.0 * e).sqrt() - 4.5_f64.sqrt();
        assert!((there.gap / narrowest - 1.0).abs() < 0.05, "{e}: {there:?} {narrowest}");
    }
}

/// Half the difference of the stiffnesses is -0.55 cos(pi x), the coupling 0.5 sin(pi x): from x = 0 to 1 the shapes change places
/// while the gap changes by a tenth.
#[test]
fn shapes_that_turn_at_an_even_gap_do_not_veer() {
    let order: u8 = 16;
    let mut power = 1.0;
    let mut k = Vec::new();
    for j in 0..=order {
        // pi^j / j! with the sign of the series.
        let term = if j % 4 < 2 { power } else { -power };
        power *= std::f64::consts::PI / f64::from(j + 1);
        let a = if j % 2 == 0 {
            dense::diagonal(&[-0.55 * term, 0.55 * term])
        } else {
            dense::from_rows(&[[0.0, 0.5 * term], [0.5 * term, 0.0]])
        };
        k.push((vec![j], if j == 0 { dense::add(1.0, &a, 5.0, &dense::identity(2)) } else { a }));
    }
    let terms = QuadraticPencil {
        m: vec![(vec![0], dense::identity(2))],
        c: vec![(vec![0], dense::zeros(2, 2))],
        k,
        phi_q: free(2, 1),
    };
    let pencil = polynomial(1, usize::from(order), &terms);
    let found = track(&pencil, &path(40), &starts(&pencil), &TrackOptions::default()).unwrap();
    let (first, last) = (&found.eigenpairs[0], &found.eigenpairs[40]);
    let matrices = pencil.evaluate(&[1.0]).unwrap();
    assert!(left_right_mac(&matrices, &(&first[0]).into(), &(&last[1]).into()) > 0.99);
    assert!(found.encounters.is_empty(), "{:?}", found.encounters);
}

#[test]
fn left_right_mac_is_the_identity_at_one_point() {
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm)[..1]);
    let pencil = source.matrices(&[0.0]).unwrap();
    let pairs: Vec<RefinedEigenpair> = erls::elastic(&source)
        .iter()
        .map(|start| polish(&pencil, start, &PolishOptions::default()).unwrap())
        .collect();
    let mac = left_right_mac_matrix(&pencil, &pairs, &pairs);
    for i in 0..3 {
        for j in 0..3 {
            let exact = f64::from(u8::from(i == j));
            assert!((mac[(i, j)] - exact).abs() < 1e-9, "{i} {j}: {}", mac[(i, j)]);
        }
    }
    // A mode and its conjugate are different modes.
    let conjugate = |x: &[c64]| x.iter().map(c64::conj).collect::<Vec<_>>();
    let (right, left) = (conjugate(&pairs[0].vector), conjugate(&pairs[0].left));
    let other = mb_parametric::track::Shape { s: pairs[0].s.conj(), right: &right, left: &left };
    assert!(left_right_mac(&pencil, &(&pairs[0]).into(), &other) < 1e-9);
}

#[test]
fn the_arm_is_followed_with_large_steps_as_with_small_ones() {
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm)[..2]);
    let starts = erls::elastic(&source);
    let path = |samples: usize| -> Vec<Vec<f64>> {
        (0..=samples).map(|i| i as f64 / samples as f64).map(|t| vec![0.5 * t, -0.6 * t]).collect()
    };
    let coarse = track(&source, &path(3), &starts, &TrackOptions::default()).unwrap();
    let fine = track(&source, &path(30), &starts, &TrackOptions { order: 0, ..Default::default() }).unwrap();
    for i in 0..=3 {
        for (a, b) in coarse.eigenpairs[i].iter().zip(&fine.eigenpairs[10 * i]) {
            assert!((a.s - b.s).norm() < 1e-8 * b.s.norm(), "{i}: {} {}", a.s, b.s);
        }
    }
    assert_eq!(coarse.mac.len(), 3);
    assert_eq!(coarse.frequencies_hz(0).len(), 4);
}

#[test]
fn an_empty_path_is_refused() {
    let pencil = pair(0.1, 0.0);
    let error = track(&pencil, &[], &starts(&pencil), &TrackOptions::default()).unwrap_err();
    assert!(matches!(error, ParametricError::WrongLength { found: 0, .. }), "{error}");
}
