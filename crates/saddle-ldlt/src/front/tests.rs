//! Tests of `front.rs`.

#![expect(clippy::float_cmp, reason = "sums of multiples of a power of two are exact")]

use super::*;
use faer::Mat;

fn entry(i: usize, j: usize) -> f64 {
    ((i * 7 + j * 3) % 19) as f64 / 8.0 - 1.0
}

#[test]
fn products_cut_in_parts_are_those_of_the_formula_on_one_core_and_two() {
    for (rows, cols, inner) in [(700, 220, 256), (230, 900, 256), (640, 640, 300)] {
        let (a, b) = (Mat::from_fn(rows, inner, entry), Mat::from_fn(cols, inner, |i, j| entry(j, i)));
        let at = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut whole, mut lower) = (Mat::from_fn(rows, cols, entry), Mat::from_fn(rows, rows, entry));
            pool.install(|| {
                subtract(whole.as_mut(), a.as_ref(), b.as_ref());
                subtract_lower(lower.as_mut(), a.as_ref(), a.as_ref());
            });
            (whole, lower)
        };
        let (whole, lower) = at(1);
        // Above the diagonal the triangle's parts hold anything, but the same.
        assert_eq!((&whole, &lower), (&at(2).0, &at(2).1));
        // Multiples of 1/64 add up without error.
        for i in (0..rows).step_by(37).chain([rows - 1]) {
            for j in (0..cols).step_by(41).chain([cols - 1]) {
                let sum: f64 = (0..inner).map(|k| a[(i, k)] * b[(j, k)]).sum();
                assert_eq!(whole[(i, j)], entry(i, j) - sum);
            }
            for j in (0..=i).step_by(29).chain([i]) {
                let sum: f64 = (0..inner).map(|k| a[(i, k)] * a[(j, k)]).sum();
                assert_eq!(lower[(i, j)], entry(i, j) - sum);
            }
        }
    }
}

#[test]
fn rows_solved_in_parts_satisfy_the_equations() {
    let (rows, size) = (40_000, 48);
    let l = Mat::from_fn(size, size, |i, j| if i == j { 1.0 } else { ((i + 2 * j) % 5) as f64 / 64.0 });
    let given = Mat::from_fn(rows, size, entry);
    let at = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut x = given.clone();
        pool.install(|| solve_rows(l.as_ref(), x.as_mut()));
        x
    };
    let x = at(1);
    assert_eq!(x, at(2));
    for i in (0..rows).step_by(997).chain([rows - 1]) {
        for j in 0..size {
            let sum: f64 = (0..j).map(|k| x[(i, k)] * l[(j, k)]).sum();
            assert!((sum + x[(i, j)] - given[(i, j)]).abs() < 1e-13, "{i} {j}");
        }
    }
}
