//! Participation, energy shares and likeness of modes: closed forms, sums and invariances.

use mb_algebra::{Dense, QuadraticPencil, Sparse, c64, dense, norms, sparse, to_sparse};
use mb_eigen::modal::{
    Direction, Group, MatchBy, energy_shares, mac_matrix, match_modes, modes, participation,
};
use mb_eigen::{DenseOptions, Eigenpair, Spectrum};

use crate::sparse::random::{KINDS, Kind, Numbers, problem};
use crate::systems;

fn spectrum(pencil: &QuadraticPencil<Sparse>) -> Spectrum {
    mb_eigen::dense::solve(&pencil.to_dense(), &DenseOptions::default()).unwrap()
}

fn directions(n: usize, count: usize, seed: u64) -> Vec<Direction> {
    let mut numbers = Numbers::new(seed);
    (0..count)
        .map(|i| Direction { name: format!("r{i}"), vector: (0..n).map(|_| numbers.next()).collect() })
        .collect()
}

/// The same eigenvalues with vectors of another length and phase.
fn turned(pairs: &[Eigenpair]) -> Vec<Eigenpair> {
    let turn = |v: &[c64], by: c64| v.iter().map(|z| z * by).collect();
    pairs
        .iter()
        .enumerate()
        .map(|(i, pair)| {
            let by = c64::from_polar(0.3 + i as f64, 0.7 * i as f64);
            let left = turn(&pair.left, by.conj().inv());
            Eigenpair { right: turn(&pair.right, by), left, ..pair.clone() }
        })
        .collect()
}

#[test]
fn effective_masses_of_a_chain_in_closed_form() {
    // x_i = sin(i j pi / (n + 1)): the entries sum to cot(j pi / (2 (n + 1))) for odd j and to zero for even ones.
    let (n, mass) = (9, 2.5);
    let pencil = systems::chain(n, mass, 40.0, true).to_sparse();
    let along = Direction { name: "along".to_owned(), vector: vec![1.0; n] };
    let found = participation(&pencil, &spectrum(&pencil).eigenpairs, &[along]).unwrap();
    assert_eq!(found.modes.len(), n);
    for (j, mode) in found.modes.iter().enumerate() {
        let angle = std::f64::consts::FRAC_PI_2 * (j + 1) as f64 / (n + 1) as f64;
        let half = (n + 1) as f64 / 2.0;
        let exact = if j % 2 == 0 { mass * angle.tan().powi(-2) / half } else { 0.0 };
        assert!((mode.effective_mass[0].unwrap() - exact).abs() < 1e-11, "mode {j}");
    }
    assert!((found.directions[0].total - mass * n as f64).abs() < 1e-12);
    assert!((found.sums()[0] - found.directions[0].constrained).abs() < 1e-11);
}

#[test]
fn effective_masses_sum_to_the_mass_that_moves() {
    for kind in KINDS {
        for seed in 1..4 {
            let (n, m) = (14, 3);
            let pencil = problem(kind, n, m, seed);
            let pairs = spectrum(&pencil).eigenpairs;
            let given = directions(n, 3, seed);
            let found = participation(&pencil, &pairs, &given).unwrap();
            let again = participation(&pencil, &turned(&pairs), &given).unwrap();
            for (d, (sum, mass)) in found.sums().iter().zip(&found.directions).enumerate() {
                assert!(mass.constrained <= mass.total * (1.0 + 1e-12), "{kind:?}: {mass:?}");
                let error = (sum - mass.constrained).abs();
                assert!(error < 1e-8 * mass.total, "{kind:?} seed {seed}: {sum} of {mass:?}");
                for (a, b) in found.modes.iter().zip(&again.modes) {
                    let (a, b) = (a.effective_mass[d].unwrap(), b.effective_mass[d].unwrap());
                    assert!((a - b).abs() < 1e-9 * mass.total, "{kind:?}: length and phase must not matter");
                }
            }
        }
    }
}

#[test]
fn the_general_factor_is_the_classical_one_without_damping() {
    let pencil = problem(Kind::FreeFree, 14, 3, 5);
    let pairs = spectrum(&pencil).eigenpairs;
    let given = directions(14, 1, 3);
    let momentum = sparse::matvec(&pencil.m, &given[0].vector);
    for mode in participation(&pencil, &pairs, &given).unwrap().modes {
        let x: Vec<f64> = pairs[mode.eigenpair].right.iter().map(|z| z.re).collect();
        let modal = dense::dot(&x, &sparse::matvec(&pencil.m, &x));
        let classical = dense::dot(&x, &momentum) / modal;
        assert!((mode.factor[0].unwrap() - classical).norm() < 1e-9, "mode {}", mode.eigenpair);
    }
}

#[test]
fn a_shaken_base_leaves_out_the_mass_that_is_held() {
    // The first mass of a free chain is held: its own mass does not take part.
    let n = 5;
    let phi_q = Dense::from_fn(1, n, |_, j| if j == 0 { 1.0 } else { 0.0 });
    let pencil = QuadraticPencil { phi_q, ..systems::chain(n, 3.0, 10.0, false) }.to_sparse();
    let along = Direction { name: "along".to_owned(), vector: vec![1.0; n] };
    let found = participation(&pencil, &spectrum(&pencil).eigenpairs, &[along]).unwrap();
    assert!((found.directions[0].total - 15.0).abs() < 1e-12);
    assert!((found.directions[0].constrained - 12.0).abs() < 1e-12);
    assert!((found.sums()[0] - 12.0).abs() < 1e-11);
}

fn halves(n: usize) -> Vec<Group> {
    let group = |name: &str, range: std::ops::Range<usize>| Group {
        name: name.to_owned(),
        coordinates: range.collect(),
    };
    vec![group("left", 0..n / 2), group("middle", n / 2..n - 2)]
}

#[test]
fn energy_shares_sum_to_one_whatever_the_vectors_length() {
    for kind in KINDS {
        let n = 14;
        let pencil = problem(kind, n, 3, 2);
        let pairs = spectrum(&pencil).eigenpairs;
        let found = energy_shares(&pencil, &pairs, &halves(n)).unwrap();
        let again = energy_shares(&pencil, &turned(&pairs), &halves(n)).unwrap();
        assert_eq!(found.groups, ["left", "middle", "(rest)"]);
        assert_eq!(found.modes.len(), modes(&pairs).len());
        for (mode, other) in found.modes.iter().zip(&again.modes) {
            let each = [
                (&mode.kinetic, &other.kinetic),
                (&mode.strain, &other.strain),
                (&mode.dissipation, &other.dissipation),
            ];
            for (a, b) in each {
                let (Some(a), Some(b)) = (a, b) else {
                    assert_eq!(a.is_none(), b.is_none(), "{kind:?}");
                    continue;
                };
                assert!((a.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{kind:?}: {a:?}");
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{kind:?}: {a:?} {b:?}");
            }
            let damped = matches!(kind, Kind::Damped | Kind::FreeDamped | Kind::Unsymmetric);
            let rigid = pairs[mode.eigenpair].class == mb_eigen::Class::Rigid;
            assert_eq!(mode.strain.is_none(), rigid, "{kind:?}: only rigid motion has no strain");
            assert_eq!(mode.dissipation.is_some(), damped && !rigid, "{kind:?}");
        }
    }
}

#[test]
fn bodies_apart_keep_their_energy() {
    let pencil = QuadraticPencil {
        m: dense::diagonal(&[1.0, 2.0]),
        c: dense::diagonal(&[0.1, 0.2]),
        k: dense::diagonal(&[9.0, 50.0]),
        phi_q: dense::zeros(0, 2),
    }
    .to_sparse();
    let group = |name: &str, i| Group { name: name.to_owned(), coordinates: vec![i] };
    let groups = [group("a", 0), group("b", 1)];
    let found = energy_shares(&pencil, &spectrum(&pencil).eigenpairs, &groups).unwrap();
    for (j, mode) in found.modes.iter().enumerate() {
        for shares in [&mode.kinetic, &mode.strain, &mode.dissipation] {
            let shares = shares.as_ref().unwrap();
            assert!((shares[j] - 1.0).abs() < 1e-12 && shares[1 - j].abs() < 1e-12);
        }
    }
}

#[test]
fn groups_and_directions_that_do_not_fit_are_named() {
    let pencil = systems::chain(3, 1.0, 1.0, true).to_sparse();
    let group = |name: &str, coordinates: &[usize]| Group {
        name: name.to_owned(),
        coordinates: coordinates.to_vec(),
    };
    let message = |groups: &[Group]| energy_shares(&pencil, &[], groups).unwrap_err().to_string();
    assert_eq!(
        message(&[group("arm", &[0, 3])]),
        "Group arm has coordinate 3 (from 0), but there are only 3 coordinates."
    );
    assert_eq!(
        message(&[group("arm", &[0, 1]), group("leg", &[1])]),
        "Coordinate 1 (from 0) is in group arm and again in group leg."
    );
    let short = Direction { name: "x".to_owned(), vector: vec![1.0] };
    assert_eq!(
        participation(&pencil, &[], &[short]).unwrap_err().to_string(),
        "x has 1 entries, but there are 3 coordinates."
    );
}

#[test]
fn modes_are_mass_orthogonal_in_the_weighted_mac() {
    let mut pencil = problem(Kind::Undamped, 14, 3, 8);
    pencil.m = to_sparse(&dense::diagonal(&(0..14).map(|i| 1.0 + f64::from(i) * 3.0).collect::<Vec<_>>()));
    let pairs = spectrum(&pencil).eigenpairs;
    let chosen: Vec<Eigenpair> = modes(&pairs).into_iter().map(|i| pairs[i].clone()).collect();
    let unit = dense::identity(chosen.len());
    let off = |mac: &Dense| norms::max_abs(&dense::add(1.0, mac, -1.0, &unit));
    let weighted = mac_matrix(&chosen, &turned(&chosen), Some(&pencil.m)).unwrap();
    assert!(off(&weighted) < 1e-12, "{:e}", off(&weighted));
    let plain = mac_matrix(&chosen, &turned(&chosen), None).unwrap();
    assert!(off(&plain) > 1e-3, "the masses differ, so the identity is the wrong weight");
    assert!((0..chosen.len()).all(|i| (plain[(i, i)] - 1.0).abs() < 1e-12));
}

#[test]
fn shapes_are_followed_when_frequencies_cross() {
    let with = |k: f64| {
        let pencil = QuadraticPencil {
            m: dense::identity(2),
            c: dense::zeros(2, 2),
            k: dense::from_rows(&[&[k, 0.01], &[0.01, 4.0]]),
            phi_q: dense::zeros(0, 2),
        };
        let pairs = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap().eigenpairs;
        modes(&pairs).into_iter().map(|i| pairs[i].clone()).collect::<Vec<_>>()
    };
    let (before, after) = (with(3.0), with(5.0));
    let order = |by| {
        let found = match_modes(&before, &after, by, None).unwrap();
        (found.iter().map(|m| m.b).collect::<Vec<_>>(), found.iter().map(|m| m.mac).fold(1.0, f64::min))
    };
    let (by_shape, likeness) = order(MatchBy::Shape);
    assert_eq!(by_shape, [1, 0]);
    assert!(likeness > 0.99);
    let (by_value, likeness) = order(MatchBy::Value);
    assert_eq!(by_value, [0, 1]);
    assert!(likeness < 0.01);
}

#[test]
fn pairs_without_left_vectors_do_where_right_ones_are_left_ones() {
    use mb_eigen::EigenError;
    use mb_eigen::sparse::{Request, SparseExpert, SparseOptions, solve};
    let asked = SparseOptions {
        left_vectors: true,
        expert: SparseExpert { dense_limit: 0, ..Default::default() },
        ..SparseOptions::default()
    };
    for kind in [Kind::Undamped, Kind::FreeFree, Kind::Damped] {
        let pencil = problem(kind, 22, 4, 3);
        let given = directions(22, 2, 7);
        let request = Request::Lowest { count: 5 };
        let with = solve(&pencil, &request, &asked).unwrap();
        let without = solve(&pencil, &request, &SparseOptions { left_vectors: false, ..asked }).unwrap();
        let all = participation(&pencil, &with.eigenpairs, &given).unwrap();
        let found = participation(&pencil, &without.eigenpairs, &given);
        if kind == Kind::Damped {
            assert_eq!(found, Err(EigenError::NoLeftVector { pair: 0 }));
            continue;
        }
        for (a, b) in all.modes.iter().zip(&found.unwrap().modes) {
            for d in 0..2 {
                let (x, y) = (a.effective_mass[d].unwrap(), b.effective_mass[d].unwrap());
                assert!((x - y).abs() < 1e-9 * all.directions[d].total, "{kind:?}: {x} {y}");
                let (x, y) = (a.factor[d].unwrap(), b.factor[d].unwrap());
                assert!((x - y).norm() < 1e-9 * (1.0 + x.norm()), "{kind:?}: {x} {y}");
            }
        }
    }
}
