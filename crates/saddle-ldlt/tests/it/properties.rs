//! Random systems by every method.

use std::sync::Arc;

use mb_algebra::{
    Dense, Lu, LuComplex, RankTolerance, Scatter, Sparse, SparseC, Svd, SymmetricEigen, Triplets, c64, dense,
    sparse, to_dense, to_sparse,
};
use proptest::prelude::*;
use saddle_ldlt::{Method, SaddleAnalysis, SaddleFactor, SaddleOptions};

use super::{Numbers, assembled, constraints, factor, methods, residuals, symmetric, unsymmetric};

fn rcond(s: &Dense) -> f64 {
    Lu::new(s).map_or(0.0, |lu| lu.rcond())
}

/// The sum of two matrices times complex numbers, with constraints.
fn complex_sum(terms: &[(c64, &Sparse); 2], g: &Sparse) -> mb_algebra::DenseC {
    let [(a, k), (b, c)] = *terms;
    let (n, one, two) = (k.rows(), assembled(k, g), assembled(c, &sparse::scale(0.0, g)));
    mb_algebra::DenseC::from_fn(one.nrows(), one.ncols(), |i, j| {
        if i < n && j < n { a * one[(i, j)] + b * two[(i, j)] } else { c64::new(one[(i, j)], 0.0) }
    })
}

/// Whether a number is the logarithm of the determinant, by size and phase.
fn is_logarithm(found: c64, whole: &mb_algebra::DenseC) -> Result<(), TestCaseError> {
    let (exact, size) = determinant(whole);
    let apart = (c64::from_polar(1.0, found.im) - exact).norm();
    prop_assert!(apart < 1e-6, "{found} {exact}");
    prop_assert!((found.re - size).abs() < 1e-5 * (1.0 + size.abs()), "{found} {size}");
    Ok(())
}

/// det A of a small matrix, by elimination with exchanges, without over- or underflow.
fn determinant(a: &mb_algebra::DenseC) -> (c64, f64) {
    let n = a.nrows();
    let mut a = a.clone();
    let (mut out, mut size) = (c64::new(1.0, 0.0), 0.0);
    for k in 0..n {
        let larger = |p: usize, i: usize| if a[(i, k)].norm() > a[(p, k)].norm() { i } else { p };
        let p = (k..n).fold(k, larger);
        for j in 0..n {
            let (x, y) = (a[(k, j)], a[(p, j)]);
            (a[(k, j)], a[(p, j)]) = (y, x);
        }
        out *= if p == k { a[(k, k)] } else { -a[(k, k)] };
        size += out.norm().ln();
        out /= out.norm();
        for i in k + 1..n {
            let factor = a[(i, k)] / a[(k, k)];
            for j in k..n {
                let x = a[(k, j)];
                a[(i, j)] -= factor * x;
            }
        }
    }
    (out, size)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Regular systems of any kind agree with dense LU, by every method, and the inertia with dense eigenvalues.
    #[test]
    fn random_systems_agree_with_dense(n in 1_usize..40, percent in 0..100_usize, seed: u64) {
        let m = percent * n / 100;
        let numbers = &mut Numbers(seed);
        let (a, g) = (symmetric(n, 0.0, numbers), constraints(m, n, numbers));
        let s = assembled(&a, &g);
        prop_assume!(rcond(&s) > 1e-9);
        let b: Vec<f64> = (0..n + m).map(|_| numbers.next()).collect();
        let exact = Lu::new(&s).unwrap().solve(&b);
        let allowed = 1e-13 / rcond(&s) * mb_algebra::norms::max_abs_vec(&exact);
        let values = SymmetricEigen::new(&s).unwrap().values;
        let negative = values.iter().filter(|v| **v < 0.0).count();
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        if let Some(inertia) = SaddleFactor::quick_inertia(&analysis, &[(1.0, &a)], &g).unwrap() {
            prop_assert_eq!((inertia.positive, inertia.negative, inertia.zero), (n + m - negative, negative, 0));
        }
        for options in methods() {
            let factor = factor(&a, &g, &options).unwrap();
            prop_assert!(factor.report().redundant.is_empty());
            let (x, l) = factor.solve(&b[..n], &b[n..]).unwrap();
            for (found, exact) in x.iter().chain(&l).zip(&exact) {
                prop_assert!((found - exact).abs() <= allowed, "{found:e} {exact:e} by {:?}", factor.report());
            }
            let (top, low) = residuals(&a, &g, &x, &l, &b[..n], &b[n..]);
            prop_assert!(top < 1e-12 && low < 1e-12, "{top:e} {low:e}");
            if let Some(inertia) = factor.inertia() {
                prop_assert_eq!((inertia.positive, inertia.negative, inertia.zero), (n + m - negative, negative, 0));
            }
        }
    }

    /// Badly scaled systems: every single row is satisfied, measured in unknowns of equal magnitude.
    #[test]
    fn scales_do_not_matter(n in 2_usize..30, percent in 0..100_usize, seed: u64, stiff in prop_oneof![Just(1.0), Just(1e9)]) {
        let m = percent * n / 100;
        let numbers = &mut Numbers(seed);
        let (a, g) = (sparse::scale(stiff, &symmetric(n, 3.0, numbers)), constraints(m, n, numbers));
        let b: Vec<f64> = (0..n + m).map(|_| numbers.next()).collect();
        if let Ok(factor) = factor(&a, &g, &SaddleOptions::default()) {
            let (x, l) = factor.solve(&b[..n], &b[n..]).unwrap();
            let both: Vec<f64> = x.iter().chain(&l).copied().collect();
            let s = assembled(&a, &g);
            // Sizes that make the largest entry of every row one, as far as symmetry allows.
            let mut scale: Vec<f64> = (0..n + m)
                .map(|j| (0..n).map(|i| s[(i, j)].abs()).fold(0.0, f64::max).sqrt().recip())
                .collect();
            for r in n..n + m {
                scale[r] = (0..n).map(|j| s[(r, j)].abs() * scale[j]).fold(0.0, f64::max).recip();
            }
            let largest = |range: std::ops::Range<usize>| range.map(|j| both[j].abs() / scale[j]).fold(0.0, f64::max);
            let sizes = (largest(0..n), largest(n..n + m));
            // Where constraints balance a force, x is rounding of the displacement |f| / |A| they hold back.
            let row = |i: usize| (0..n).map(|j| s[(i, j)].abs() * scale[j]).sum::<f64>() * scale[i];
            let stiffest = (0..n).map(row).fold(0.0, f64::max);
            let free = (0..n).map(|i| b[i].abs() * scale[i] / stiffest).fold(0.0, f64::max);
            for i in 0..n + m {
                let (mut sum, mut size) = (b[i], b[i].abs());
                if i >= n {
                    size += (0..n).map(|j| s[(i, j)].abs() * scale[j]).sum::<f64>() * free;
                }
                for (j, x) in both.iter().enumerate() {
                    sum -= s[(i, j)] * x;
                    size += s[(i, j)].abs() * scale[j] * if j < n { sizes.0 } else { sizes.1 };
                }
                prop_assert!(sum.abs() <= 1e-12 * size, "row {i} of {n} + {m}: {sum:e} of {size:e}");
            }
        }
    }

    /// A singular A (bodies free to move) with constraints that hold them.
    #[test]
    fn constraints_hold_a_singular_matrix(bodies in 1_usize..12, seed: u64, stiff in 1e-3..1e9_f64) {
        // Each body has 3 unknowns and no stiffness but a spring to its neighbour in the first direction.
        let numbers = &mut Numbers(seed);
        let n = 3 * bodies;
        let mut k = Triplets::new(n, n);
        let mut g = Triplets::new(2 * bodies + 1, n);
        for b in 0..bodies {
            for d in 0..3 {
                k.add(3 * b + d, 3 * b + d, 0.0);
            }
            if b > 0 {
                let (i, j) = (3 * b - 3, 3 * b);
                for (row, col, value) in [(i, i, stiff), (j, j, stiff), (i, j, -stiff), (j, i, -stiff)] {
                    k.add(row, col, value);
                }
            }
            for d in 0..2 {
                g.add(2 * b + d, 3 * b + 1 + d, 1.0);
                if b > 0 {
                    g.add(2 * b + d, 3 * b - 2 + d, numbers.next());
                }
            }
        }
        g.add(2 * bodies, 0, 1.0);
        let (k, g) = (k.to_sparse(), g.to_sparse());
        let m = g.rows();
        let b: Vec<f64> = (0..n + m).map(|_| numbers.next()).collect();
        let factor = factor(&k, &g, &SaddleOptions::default()).unwrap();
        prop_assert_eq!(factor.report().method, Method::AugmentedLdl);
        let (x, l) = factor.solve(&b[..n], &b[n..]).unwrap();
        let (top, low) = residuals(&k, &g, &x, &l, &b[..n], &b[n..]);
        prop_assert!(top < 1e-12 && low < 1e-12, "{top:e} {low:e}");
        let inertia = factor.inertia().unwrap();
        // Statically determinate but for the springs: bodies - 1 stiffnesses and one multiplier pair per row.
        prop_assert_eq!((inertia.positive, inertia.negative, inertia.zero), (n, m, 0));
    }

    /// Dependent rows are named, their combination is zero, and multipliers have minimum norm.
    #[test]
    fn dependent_rows_are_named(n in 3_usize..30, percent in 10..80_usize, extra in 1_usize..4, seed: u64) {
        let m = (percent * n / 100).max(1);
        let numbers = &mut Numbers(seed);
        let a = sparse::add(1.0, &symmetric(n, 0.0, numbers), 6.0, &sparse::identity(n));
        let g = to_dense(&constraints(m, n, numbers));
        // Copies and sums of other rows, put first or last.
        let mut rows: Vec<Vec<f64>> = (0..m).map(|r| (0..n).map(|j| g[(r, j)]).collect()).collect();
        for k in 0..extra {
            let (p, q) = (numbers.below(m), numbers.below(m));
            let factor = if k % 2 == 0 { 0.0 } else { numbers.next() };
            let row = (0..n).map(|j| 3.0 * g[(p, j)] + factor * g[(q, j)]).collect();
            rows.insert(if seed % 2 == 0 { 0 } else { rows.len() }, row);
        }
        let g = Dense::from_fn(m + extra, n, |r, j| rows[r][j]);
        let svd = Svd::new(&g).unwrap();
        let decision = svd.rank(RankTolerance::default());
        prop_assume!(decision.smallest_kept > Some(1e-3 * svd.s[0]));
        let sparse_g = to_sparse(&g);
        for options in methods() {
            let factor = factor(&a, &sparse_g, &options).unwrap();
            let found = &factor.report().redundant;
            prop_assert_eq!(found.len(), m + extra - decision.rank);
            for row in found {
                let mut sum = vec![0.0; n];
                for &(k, y) in &row.combination {
                    (0..n).for_each(|j| sum[j] += y * g[(k, j)]);
                }
                prop_assert!(sum.iter().all(|s| s.abs() < 1e-11), "{sum:?}");
                prop_assert!(row.combination.contains(&(row.row, 1.0)));
            }
            // A consistent right-hand side.
            let known: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
            let h = dense::matvec(&g, &known);
            let f: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
            let (x, l) = factor.solve(&f, &h).unwrap();
            let (top, low) = residuals(&a, &sparse_g, &x, &l, &f, &h);
            prop_assert!(top < 1e-11 && low < 1e-11, "{top:e} {low:e}");
            prop_assert!(factor.report().minimum_norm);
            let exact = Svd::new(&dense::transpose(&g)).unwrap();
            let rhs: Vec<f64> = f.iter().zip(sparse::matvec(&a, &x)).map(|(f, ax)| f - ax).collect();
            for (l, exact) in l.iter().zip(exact.min_norm_solve(&rhs, RankTolerance::default())) {
                prop_assert!((l - exact).abs() < 1e-7 * (1.0 + exact.abs()), "{l} {exact}");
            }
            if let Some(inertia) = factor.inertia() {
                prop_assert_eq!(inertia.zero, found.len());
            }
        }
    }

    /// One analysis for many shifts gives what a fresh one gives.
    #[test]
    fn an_analysis_serves_many_shifts(n in 2_usize..40, seed: u64) {
        let numbers = &mut Numbers(seed);
        let m = n / 3;
        let (k, mass, g) = (symmetric(n, 0.0, numbers), sparse::identity(n), constraints(m, n, numbers));
        let pattern = sparse::add(1.0, &k, 1.0, &mass);
        let analysis = Arc::new(SaddleAnalysis::new(&pattern, &g, &SaddleOptions::default()).unwrap());
        let b: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
        for shift in [0.0, 0.37, -1.5] {
            let a = sparse::add(1.0, &k, -shift, &mass);
            prop_assume!(rcond(&assembled(&a, &g)) > 1e-8);
            let shared = SaddleFactor::new(&analysis, &a, &g).unwrap();
            let fresh = factor(&a, &g, &SaddleOptions::default()).unwrap();
            prop_assert_eq!(shared.inertia(), fresh.inertia());
            prop_assert_eq!(shared.solve(&b, &vec![0.0; m]).unwrap(), fresh.solve(&b, &vec![0.0; m]).unwrap());
        }
    }

    /// Complex symmetric A by L D L^T and by LU, against dense.
    #[test]
    fn complex_symmetric_systems(n in 1_usize..30, percent in 0..100_usize, seed: u64) {
        let m = percent * n / 100;
        let numbers = &mut Numbers(seed);
        let (k, c, g) = (symmetric(n, 0.0, numbers), symmetric(n, 0.0, numbers), constraints(m, n, numbers));
        let s = c64::new(0.1, 1.3);
        let mut t = Triplets::new(n, n);
        k.iter().for_each(|(&v, (i, j))| t.add(i, j, c64::new(v, 0.0)));
        c.iter().for_each(|(&v, (i, j))| t.add(i, j, s * v));
        let a: SparseC = t.to_sparse_complex();
        let full = assembled(&k, &g);
        let mut all = mb_algebra::DenseC::from_fn(n + m, n + m, |i, j| c64::new(full[(i, j)], 0.0));
        c.iter().for_each(|(&v, (i, j))| all[(i, j)] += s * v);
        let lu = LuComplex::new(&all);
        prop_assume!(lu.as_ref().is_ok_and(|lu| lu.rcond() > 1e-9));
        let lu = lu.unwrap();
        let b: Vec<c64> = (0..n + m).map(|_| c64::new(numbers.next(), numbers.next())).collect();
        let exact = lu.solve(&b);
        let allowed = 1e-13 / lu.rcond() * exact.iter().fold(0.0_f64, |m, x| m.max(x.norm()));
        let analysis = Arc::new(SaddleAnalysis::new(&sparse::add(1.0, &k, 1.0, &c), &g, &SaddleOptions::default()).unwrap());
        let factor = SaddleFactor::new(&analysis, &a, &g).unwrap();
        let other = SaddleFactor::unsymmetric(&analysis, &a, &g).unwrap();
        for (x, l) in [factor.solve(&b[..n], &b[n..]).unwrap(), other.solve(&b[..n], &b[n..]).unwrap()] {
            for (found, exact) in x.iter().chain(&l).zip(&exact) {
                prop_assert!((found - exact).norm() <= allowed, "{found:e} {exact:e}");
            }
        }
    }

    /// Real A of any kind, with and without its transpose, by both kinds of LU, against dense LU.
    #[test]
    fn unsymmetric_systems(n in 1_usize..60, percent in 0..60_usize, diagonal in -1.0..1.0_f64, seed: u64) {
        let numbers = &mut Numbers(seed);
        let m = percent * n / 100;
        let (a, g) = (unsymmetric(n, diagonal, numbers), constraints(m, n, numbers));
        let s = assembled(&a, &g);
        prop_assume!(rcond(&s) > 1e-8);
        let f = Dense::from_fn(n, 3, |_, _| numbers.next());
        let b = |k: usize| -> Vec<f64> { (0..n + m).map(|i| if i < n { f[(i, k)] } else { 0.0 }).collect() };
        let dense_lu = Lu::new(&s).unwrap();
        for first_method in [Method::AugmentedLu, Method::Lu] {
            let options = SaddleOptions { first_method, ..SaddleOptions::default() };
            let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &options).unwrap());
            let lu = SaddleFactor::unsymmetric(&analysis, &a, &g).unwrap();
            prop_assert!(lu.report().redundant.is_empty());
            for transposed in [false, true] {
                let solved = if transposed { lu.solve_block_transposed(&f) } else { lu.solve_block(&f) };
                let (x, l) = solved.unwrap();
                for k in 0..3 {
                    let exact = if transposed { dense_lu.solve_transpose(&b(k)) } else { dense_lu.solve(&b(k)) };
                    let allowed = 1e-13 / rcond(&s) * mb_algebra::norms::max_abs_vec(&exact);
                    for (i, exact) in exact.iter().enumerate() {
                        let found = if i < n { x[(i, k)] } else { l[(i - n, k)] };
                        prop_assert!((found - exact).abs() <= allowed, "{found:e} {exact:e} by {:?}", lu.report());
                    }
                }
            }
        }
    }

    /// Blocks of a solid kind: fronts of many columns, unsymmetric and complex, without any other method.
    #[test]
    fn unsymmetric_grids(side in 3_usize..9, skew in 0.0..2.0_f64, seed: u64) {
        let numbers = &mut Numbers(seed);
        let n = side.pow(3);
        let mut a = Triplets::new(n, n);
        let at = |c: [usize; 3]| (c[2] * side + c[1]) * side + c[0];
        for i in 0..n {
            let c = [i % side, i / side % side, i / side / side];
            a.add(i, i, c64::new(6.5, numbers.next()));
            for d in 0..3 {
                if c[d] + 1 < side {
                    let mut next = c;
                    next[d] += 1;
                    a.add(i, at(next), c64::new(-1.0 + skew * numbers.next(), 0.3 * numbers.next()));
                    a.add(at(next), i, c64::new(-1.0 + skew * numbers.next(), 0.3 * numbers.next()));
                }
            }
        }
        let a = a.to_sparse_complex();
        let mut pattern = Triplets::new(n, n);
        a.iter().for_each(|(_, (i, j))| pattern.add(i, j, 1.0));
        let pattern = pattern.to_sparse();
        let m = side * side;
        let mut g = Triplets::new(m, n);
        (0..m).for_each(|r| g.add(r, r, 1e3 * (1.5 + numbers.next())));
        let g = g.to_sparse();
        let analysis = Arc::new(SaddleAnalysis::new(&pattern, &g, &SaddleOptions::default()).unwrap());
        let lu = SaddleFactor::unsymmetric(&analysis, &a, &g).unwrap();
        prop_assert_eq!(lu.report().method, Method::AugmentedLu);
        prop_assert!(lu.report().failed.is_empty() && lu.report().replaced_pivots == 0);
        let f = mb_algebra::DenseC::from_fn(n, 11, |_, _| c64::new(numbers.next(), numbers.next()));
        for transposed in [false, true] {
            let (x, l) = if transposed { lu.solve_block_transposed(&f) } else { lu.solve_block(&f) }.unwrap();
            for k in [0, 4, 10] {
                let mut rest = f.col_as_slice(k).to_vec();
                for (v, (i, j)) in &a {
                    let (i, j) = if transposed { (j, i) } else { (i, j) };
                    rest[i] -= v * x[(j, k)];
                }
                for (v, (r, j)) in &g {
                    rest[j] -= l[(r, k)] * *v;
                }
                prop_assert!(rest.iter().all(|r| r.norm() < 1e-12), "{k}");
                prop_assert!((0..m).all(|r| x[(r, k)].norm() < 1e-14));
            }
        }
    }

    /// Phase and size of the determinant of an unsymmetric matrix at a complex shift, against the pivots of dense LU.
    #[test]
    fn complex_logarithms_of_unsymmetric_determinants(n in 1_usize..25, percent in 0..60_usize, seed: u64) {
        let numbers = &mut Numbers(seed);
        let m = percent * n / 100;
        let (k, c, g) = (unsymmetric(n, 1.0, numbers), unsymmetric(n, 1.0, numbers), constraints(m, n, numbers));
        let terms = [(c64::new(1.0, 0.2), &k), (c64::new(-0.3, 1.1), &c)];
        let whole = complex_sum(&terms, &g);
        let lu = LuComplex::new(&whole);
        prop_assume!(lu.as_ref().is_ok_and(|lu| lu.rcond() > 1e-8));
        let analysis = Arc::new(SaddleAnalysis::new(&sparse::add(1.0, &k, 1.0, &c), &g, &SaddleOptions::default()).unwrap());
        if let Some(found) = SaddleFactor::unsymmetric_ln_determinant(&analysis, &terms, &g).unwrap() {
            is_logarithm(found, &whole)?;
        }
    }

    /// Phase and size of the determinant of a complex symmetric matrix with constraints, whatever its pivots are.
    #[test]
    fn complex_logarithms_of_symmetric_determinants(n in 1_usize..25, percent in 0..60_usize, spread in 0.0..3.0_f64, seed: u64) {
        let numbers = &mut Numbers(seed);
        let m = percent * n / 100;
        let (k, c, g) = (symmetric(n, spread, numbers), symmetric(n, spread, numbers), constraints(m, n, numbers));
        let terms = [(c64::new(1.0, 0.2), &k), (c64::new(-0.3, 1.1), &c)];
        let whole = complex_sum(&terms, &g);
        let lu = LuComplex::new(&whole);
        prop_assume!(lu.as_ref().is_ok_and(|lu| lu.rcond() > 1e-8));
        let analysis = Arc::new(SaddleAnalysis::new(&sparse::add(1.0, &k, 1.0, &c), &g, &SaddleOptions::default()).unwrap());
        let found = SaddleFactor::ln_determinant(&analysis, &terms, &g).unwrap();
        prop_assert!(found.is_some());
        is_logarithm(found.unwrap_or_default(), &whole)?;
    }

    /// ln |det| of symmetric and of any matrices with constraints, against the pivots of dense LU.
    #[test]
    fn logarithms_of_determinants(n in 1_usize..25, percent in 0..60_usize, spread in 0.0..3.0_f64, seed: u64) {
        let numbers = &mut Numbers(seed);
        let m = percent * n / 100;
        let (a, b, g) = (symmetric(n, spread, numbers), unsymmetric(n, 1.0, numbers), constraints(m, n, numbers));
        for (a, symmetric) in [(a, true), (b, false)] {
            let s = assembled(&a, &g);
            prop_assume!(rcond(&s) > 1e-10);
            let (_, exact) = determinant(&dense::to_complex(&s));
            let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
            let found = if symmetric {
                SaddleFactor::ln_determinant(&analysis, &[(1.0, &a)], &g)
            } else {
                SaddleFactor::unsymmetric_ln_determinant(&analysis, &[(1.0, &a)], &g)
            };
            if let Some(found) = found.unwrap() {
                prop_assert!((found - exact).abs() < 1e-5 * (1.0 + exact.abs()), "{found} {exact}");
            }
        }
    }

    /// Many right-hand sides give what one by one gives; unsymmetric A by LU.
    #[test]
    fn blocks_of_right_hand_sides(n in 1_usize..40, width in 1_usize..70, seed: u64) {
        let numbers = &mut Numbers(seed);
        let m = n / 2;
        let (a, g) = (symmetric(n, 0.0, numbers), constraints(m, n, numbers));
        let condition = rcond(&assembled(&a, &g));
        prop_assume!(condition > 1e-8);
        let f = Dense::from_fn(n, width, |_, _| numbers.next());
        let lower = Dense::from_fn(m, width, |_, _| numbers.next());
        let factor = factor(&a, &g, &SaddleOptions::default()).unwrap();
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        let lu = SaddleFactor::unsymmetric(&analysis, &a, &g).unwrap();
        let blocks = [
            (factor.solve_block(&f).unwrap(), false),
            (lu.solve_block(&f).unwrap(), false),
            (factor.solve_block_with(&f, &lower).unwrap(), true),
            (lu.solve_block_with(&f, &lower).unwrap(), true),
        ];
        for ((x, l), both) in blocks {
            for k in (0..width).step_by(7) {
                let below: Vec<f64> = (0..m).map(|r| if both { lower[(r, k)] } else { 0.0 }).collect();
                let (one_x, one_l) = factor.solve(f.col_as_slice(k), &below).unwrap();
                let size = one_x.iter().chain(&one_l).fold(0.0_f64, |m, v| m.max(v.abs()));
                for i in 0..n {
                    prop_assert!((x[(i, k)] - one_x[i]).abs() <= 1e-13 / condition * size);
                }
                for r in 0..m {
                    prop_assert!((l[(r, k)] - one_l[r]).abs() <= 1e-13 / condition * size);
                }
            }
        }
    }
}
