//! The lowest modes by factors in single precision: the same answers, proved, and a way out where they do not serve.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};
use mb_eigen::sparse::{Request, SparseExpert, SparseFinding, SparseOptions, solve};
use mb_eigen::{Finding, Spectrum};

use super::agreement::proved_in_interval;

/// Unit masses on a grid with unit springs, coordinates from `first` on.
fn springs(k: &mut Triplets<f64>, first: usize, [nx, ny, nz]: [usize; 3]) {
    for i in 0..nx * ny * nz {
        let place = [(i % nx, nx, 1), (i / nx % ny, ny, nx), (i / (nx * ny), nz, nx * ny)];
        for (at, size, step) in place {
            if at + 1 < size {
                let (i, j) = (first + i, first + i + step);
                for (p, q, v) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                    k.add(p, q, v);
                }
            }
        }
    }
}

fn pencil(k: Sparse, phi_q: Sparse) -> QuadraticPencil<Sparse> {
    let n = k.rows();
    QuadraticPencil { m: sparse::identity(n), c: sparse::zeros(n, n), k, phi_q }
}

/// A grid of [nx, ny, nz] with the plane x = 0 held by multipliers, or by nothing.
fn grid(size: [usize; 3], held: bool) -> QuadraticPencil<Sparse> {
    let [nx, ny, nz] = size;
    let n = nx * ny * nz;
    let mut k = Triplets::new(n, n);
    springs(&mut k, 0, size);
    let rows = if held { ny * nz } else { 0 };
    let mut phi_q = Triplets::new(rows, n);
    (0..rows).for_each(|r| phi_q.add(r, r * nx, 1.0));
    pencil(k.to_sparse(), phi_q.to_sparse())
}

fn ask(pencil: &QuadraticPencil<Sparse>, count: usize, single_from: f64) -> Spectrum {
    let options = SparseOptions::from(SparseExpert { single_from, ..Default::default() });
    solve(pencil, &Request::Lowest { count }, &options).unwrap()
}

fn short(spectrum: &Spectrum) -> bool {
    let of = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::ShortFactors { .. } });
    spectrum.findings.iter().any(of)
}

/// omega of the modes with their bounds.
fn upper(spectrum: &Spectrum) -> Vec<(f64, f64)> {
    let pairs = spectrum.motion().filter(|pair| pair.alpha.im >= 0.0);
    pairs.map(|pair| (pair.value().unwrap().im, pair.error_bound)).collect()
}

#[test]
fn modes_agree_with_their_formula_and_are_proved_complete() {
    let size = [16, 12, 12];
    let found = ask(&grid(size, true), 10, 0.0);
    assert!(short(&found) && proved_in_interval(&found), "{:?}", found.findings);
    let pi = std::f64::consts::PI;
    let one = |angle: f64| 4.0 * (0.5 * angle).sin().powi(2);
    let mut exact = Vec::new();
    for i in 1..size[0] {
        let held = one(pi * (2 * i - 1) as f64 / (2 * size[0] - 1) as f64);
        for (j, k) in (0..size[1]).flat_map(|j| (0..size[2]).map(move |k| (j, k))) {
            let free = one(pi * j as f64 / size[1] as f64) + one(pi * k as f64 / size[2] as f64);
            exact.push((held + free).sqrt());
        }
    }
    exact.sort_by(f64::total_cmp);
    let got = upper(&found);
    assert_eq!(got.len(), 10);
    for ((omega, bound), exact) in got.iter().zip(&exact) {
        assert!(
            (omega - exact).abs() <= bound + 1e-14 && *bound < 1e-10,
            "{omega} for {exact}, bound {bound:e}"
        );
    }
    for pair in &found.eigenpairs {
        assert!(
            pair.backward_error < 1e-12 && pair.constraint_violation < 1e-12,
            "{:e}",
            pair.backward_error
        );
    }
}

#[test]
fn joints_between_bodies_are_kept() {
    // Two blocks; points of one face are held, pairs of points tied, a mean of a face follows one point.
    let size = [12, 8, 8];
    let (n, points) = (2 * 768, 64);
    let mut k = Triplets::new(n, n);
    springs(&mut k, 0, size);
    springs(&mut k, 768, size);
    let mut phi_q = Triplets::new(2 * points + 1, n);
    for r in 0..points {
        phi_q.add(r, 12 * r, 1e3);
        phi_q.add(points + r, 12 * r + 11, 1.0);
        phi_q.add(points + r, 768 + 12 * r, -2.0);
        phi_q.add(2 * points, 768 + 12 * r + 11, 1.0 / 64.0);
    }
    phi_q.add(2 * points, 768 + 5, -1.0);
    let pencil = pencil(k.to_sparse(), phi_q.to_sparse());
    let (single, double) = (ask(&pencil, 6, 0.0), ask(&pencil, 6, f64::INFINITY));
    assert!(short(&single) && proved_in_interval(&single), "{:?}", single.findings);
    assert!(!short(&double) && proved_in_interval(&double));
    for ((a, bound), (b, other)) in upper(&single).into_iter().zip(upper(&double)) {
        assert!((a - b).abs() <= bound + other && bound < 1e-9 * a, "{a} {b} {bound:e} {other:e}");
    }
    for pair in &single.eigenpairs {
        assert!(pair.constraint_violation < 1e-12, "{:e}", pair.constraint_violation);
    }
}

#[test]
fn free_bodies_give_way_to_double_precision() {
    let free = ask(&grid([12, 10, 10], false), 5, 0.0);
    assert!(!short(&free) && proved_in_interval(&free), "{:?}", free.findings);
    assert_eq!(
        free.eigenpairs.iter().filter(|pair| pair.value().is_some_and(|s| s.norm() == 0.0)).count(),
        2
    );
}

#[test]
fn slender_bodies_keep_their_digits_with_the_factors_at_hand() {
    // The lowest w is 1e-8 and less of |K|: rounding alone would leave the first modes bounds beyond 1e-8 of their value.
    for length in [3000, 20_000] {
        let rod = ask(&grid([length, 1, 1], true), 6, 0.0);
        assert!(short(&rod) && proved_in_interval(&rod), "{:?}", rod.findings);
        let made = rod.findings.iter().find_map(|finding| match finding {
            Finding::Sparse { detail: SparseFinding::Shift { factorizations, .. } } => Some(*factorizations),
            _ => None,
        });
        assert_eq!(made, Some(2), "one for the modes, one for their number");
        for (j, (omega, bound)) in upper(&rod).into_iter().enumerate() {
            let angle = 0.5 * std::f64::consts::PI * (2 * j + 1) as f64 / (2 * length - 1) as f64;
            let exact = 2.0 * angle.sin();
            assert!((omega - exact).abs() <= bound + 1e-14 * exact, "{omega} for {exact}, bound {bound:e}");
            assert!(bound < 1e-8 * omega, "{bound:e} of {omega}");
        }
    }
}

#[test]
fn double_modes_at_the_end_of_a_request_are_counted_in_the_gap_behind_them() {
    // Modes across a square rod come in pairs; the third and the fourth are the first of them.
    let rod = ask(&grid([24, 8, 8], true), 3, 0.0);
    assert!(short(&rod) && proved_in_interval(&rod), "{:?}", rod.findings);
    assert_eq!(upper(&rod).len(), 3);
}
