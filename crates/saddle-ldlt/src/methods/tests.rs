//! Solutions that the factors in use miss.

use super::*;
use crate::factor::stored;
use mb_algebra::{Dense, to_sparse};

/// Factors that have forgotten an unknown.
#[derive(Debug)]
struct Forgetful(Box<dyn ScaledSolve<f64>>);

impl ScaledSolve<f64> for Forgetful {
    fn solve(&self, system: &System<f64>, b: &mut [f64], width: usize, transposed: bool) -> bool {
        let solved = self.0.solve(system, b, width, transposed);
        b[..width].fill(0.0);
        solved
    }
}

#[test]
fn the_next_method_gives_the_solution_that_factors_miss() {
    let n = 5;
    let a = to_sparse(&Dense::from_fn(n, n, |i, j| if i == j { 4.0 } else { 1.0 / (2.0 + i as f64) }));
    let g = to_sparse(&Dense::from_fn(1, n, |_, j| if j == 2 { 1.0 } else { 0.0 }));
    for (trial, later) in [(true, Some(Method::Lu)), (false, None)] {
        let options = SaddleOptions { trial, ..SaddleOptions::default() };
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &options).unwrap());
        let (a, g) = stored(&analysis, &[(1.0, &a)], &g, |f, x| f * x).unwrap();
        let mut factored = Factored::new(&analysis, a, g, Method::AugmentedLu).unwrap();
        let f = Dense::from_fn(n, 3, |i, j| (1 + i + 2 * j) as f64);
        let right = factored.solve_many(&f, None, true).unwrap();
        assert_eq!(factored.later_method(), None);
        let solver = std::mem::replace(&mut factored.solver, Box::new(NoSolver));
        factored.solver = Box::new(Forgetful(solver));
        let again = factored.solve_many(&f, None, true);
        assert_eq!((again.is_ok(), factored.later_method()), (trial, later));
        for (i, j) in (0..n).flat_map(|i| (0..3).map(move |j| (i, j))).filter(|_| trial) {
            let apart = again.as_ref().unwrap().0[(i, j)] - right.0[(i, j)];
            assert!(apart.abs() < 1e-14, "{i} {j}: {apart:e}");
        }
    }
}

/// Two masses of which a row ties one to a third coordinate, at a shift where that has nothing left but rounding of its terms.
#[test]
fn an_unknown_whose_terms_cancel_keeps_to_its_constraint() {
    let k =
        to_sparse(&mb_algebra::dense::from_rows(&[&[4.0, -1.0, 0.0], &[-1.0, 4.0, 0.0], &[0.0, 0.0, 0.7]]));
    let g = to_sparse(&mb_algebra::dense::from_rows(&[&[1.0, 0.0, -1.0]]));
    let analysis = Arc::new(SaddleAnalysis::new(&k, &g, &SaddleOptions::default()).unwrap());
    // 0.7 - w m: zero, and a trace of every size.
    for by in (-17..-3).map(|power| 10.0_f64.powi(power)) {
        let m = to_sparse(&mb_algebra::dense::diagonal(&[1.0, 1.0, 0.35 * (1.0 + by)]));
        let (a, rows) = stored(&analysis, &[(1.0, &k), (-2.0, &m)], &g, |f, x| f * x).unwrap();
        let most = System::new(a.clone(), rows.clone(), &analysis.g_cols, &analysis.g_rows).scaling;
        assert!(most.spread(&analysis.g_cols) < 1e3, "{by:e}: {:?}", most.unknowns);
        let factored = Factored::new(&analysis, a, rows, Method::AugmentedLdl).unwrap();
        let (x, l) = factored.solve_one(&[1.0, 2.0, 3.0], &[0.0]).unwrap();
        let trace = 0.7 - 2.0 * (0.35 * (1.0 + by));
        // x_3 = x_1: (2 + trace) x_1 - x_2 = 1 + 3, 2 x_2 - x_1 = 2, and the reaction from the third equation.
        let exact = 5.0 / (1.5 + trace);
        assert!((x[0] - exact).abs() < 1e-10 * exact, "{by:e}: {x:?}");
        assert!((x[1] - 1.0 - 0.5 * exact).abs() < 1e-10 * exact, "{by:e}: {x:?}");
        assert!((l[0] - (trace * exact - 3.0)).abs() < 1e-10 * 3.0, "{by:e}: {l:?}");
        assert!((x[0] - x[2]).abs() <= 1e-10 * x[0].abs(), "{by:e}: {x:?}");
    }
}

/// Stands where factors are taken out.
#[derive(Debug)]
struct NoSolver;

impl ScaledSolve<f64> for NoSolver {
    fn solve(&self, _: &System<f64>, _: &mut [f64], _: usize, _: bool) -> bool {
        false
    }
}
