//! Tests of `toar.rs`.

use super::*;
use crate::krylov::{BuiltIn, KrylovDriver, Operator, Wanted, krylov_schur};
use mb_algebra::{Dense, c64, norms};

/// w = A x + B v with T (x, v) = (w, 0.5 x + 0.3 w), and one pair left out on demand.
struct Sample {
    a: Dense,
    b: Dense,
    left_out: Option<(Dense, Dense)>,
}

impl Sample {
    fn new(n: usize) -> Self {
        let graded = |salt: u64| {
            let random: Dense = start_block(n, n, salt);
            Dense::from_fn(n, n, |i, j| random[(i, j)] / (1.0 + i as f64))
        };
        Self { a: graded(1), b: graded(2), left_out: None }
    }

    fn projected(&self, z: &Dense) -> Dense {
        let Some((known, dual)) = &self.left_out else { return z.clone() };
        let share = f64::adjoint_product(dual.as_ref(), z.as_ref());
        z - product(known.as_ref(), share.as_ref())
    }
}

impl Operator<f64> for Sample {
    fn size(&self) -> usize {
        2 * self.a.nrows()
    }

    fn apply(&self, z: &Dense) -> Result<Dense, EigenError> {
        let (n, z) = (self.a.nrows(), self.projected(z));
        let half = |at: usize| z.as_ref().subrows(at * n, n).to_owned();
        let w = self.direction(&half(0), &half(1))?;
        let image = Dense::from_fn(2 * n, z.ncols(), |i, j| {
            if i < n { w[(i, j)] } else { 0.5 * z[(i - n, j)] + 0.3 * w[(i - n, j)] }
        });
        Ok(self.projected(&image))
    }
}

impl SecondOrder<f64> for Sample {
    fn direction(&self, x: &Dense, v: &Dense) -> Result<Dense, EigenError> {
        Ok(product(self.a.as_ref(), x.as_ref()) + product(self.b.as_ref(), v.as_ref()))
    }

    fn halves(&self) -> [[f64; 3]; 2] {
        [[0.0, 0.0, 1.0], [0.5, 0.0, 0.3]]
    }

    fn left_out(&self) -> Option<(MatRef<'_, f64>, MatRef<'_, f64>)> {
        self.left_out.as_ref().map(|(z, d)| (z.as_ref(), d.as_ref()))
    }
}

fn wanted(count: usize, block: usize, subspace: usize) -> Wanted {
    Wanted { count, tolerance: 1e-12, block, subspace: Some(subspace), restarts: 80, salt: 5 }
}

/// Distance of two values in the upper half-plane: conjugates come in either order.
fn apart(a: c64, b: c64) -> f64 {
    (a.re - b.re).hypot(a.im.abs() - b.im.abs())
}

/// All vectors of a basis.
fn all<S: Store<f64>>(store: &S) -> Dense {
    let k = store.filled();
    store.combine(&DenseC::from_fn(k, k, |i, j| c64::new(f64::from(u8::from(i == j)), 0.0))).map(|z| z.re)
}

#[test]
fn steps_satisfy_the_decomposition_with_few_long_vectors() {
    let sample = Sample::new(60);
    for block in [1, 3] {
        let mut store = TwoLevel::new(&sample, 40, block).unwrap();
        store.start(block, 7).unwrap();
        let mut h = Dense::zeros(40, 40);
        let mut done = 0;
        while store.filled() + block <= 30 {
            let (from, to) = (done, store.filled());
            let (c, r) = store.extend(from).unwrap();
            for j in 0..c.ncols() {
                (0..c.nrows()).for_each(|i| h[(i, from + j)] = c[(i, j)]);
                (0..r.nrows()).for_each(|i| h[(to + i, from + j)] = r[(i, j)]);
            }
            done = to;
        }
        let v = all(&store);
        let k = store.filled();
        let gram = f64::adjoint_product(v.as_ref(), v.as_ref());
        let identity = mb_algebra::dense::identity(k);
        assert!(norms::max_abs(&(gram - identity)) < 1e-13);
        let first = v.as_ref().subcols(0, done).to_owned();
        let image = sample.apply(&first).unwrap();
        let right = product(v.as_ref(), h.as_ref().subrows(0, k).subcols(0, done));
        assert!(norms::max_abs(&(image - right)) < 1e-13);
        assert!(store.rank <= k + 2 * block, "{} columns for {k} vectors", store.rank);
    }
}

#[test]
fn both_ways_to_keep_a_basis_give_the_same_pairs() {
    for block in [1, 2, 4] {
        let sample = Sample::new(70);
        let wanted = wanted(6, block, 6 + 4 * block);
        let flat = BuiltIn.real(&sample, &wanted).unwrap();
        let columns = krylov_schur::columns::<f64>(&wanted, 140);
        let mut store = TwoLevel::new(&sample, columns, block).unwrap();
        let found = krylov_schur::solve(&mut store, &wanted).unwrap();
        assert!(found.restarts > 0 && found.values.len() >= 6);
        for (a, b) in flat.values.iter().zip(&found.values).take(6) {
            assert!(apart(*a, *b) < 1e-10 * b.norm(), "{:?} {:?}", flat.values, found.values);
        }
        // Restarts drop what no vector needs.
        assert!(store.rank <= columns + 3 * block, "{} columns, room for {columns}", store.rank);
        let (z, theta) = (&found.vectors, &found.values);
        let (re, im) = (z.map(|z| z.re), z.map(|z| z.im));
        let (re, im) = (sample.apply(&re).unwrap(), sample.apply(&im).unwrap());
        for (j, theta) in theta.iter().enumerate() {
            let rest: Vec<c64> =
                (0..140).map(|i| c64::new(re[(i, j)], im[(i, j)]) - theta * z[(i, j)]).collect();
            assert!(norm(&rest) < 1e-11 * theta.norm(), "{:e}", norm(&rest) / theta.norm());
        }
    }
}

#[test]
fn a_pair_left_out_does_not_come_back() {
    let mut sample = Sample::new(40);
    let wanted = wanted(3, 2, 14);
    let before = BuiltIn.real_pairs(&sample, &wanted).unwrap();
    // The invariant subspace of the first value or pair of values; its dual basis by the transposed problem.
    let members = if before.values[0].im == 0.0 { 1 } else { 2 };
    let z = Dense::from_fn(80, members, |i, j| {
        if j == 0 { before.vectors[(i, 0)].re } else { before.vectors[(i, 0)].im }
    });
    let whole = sample.apply(&mb_algebra::dense::identity(80)).unwrap();
    let schur = crate::krylov::schur::Schur::new(&whole.transpose().to_owned()).unwrap();
    let mut sorted = schur;
    sorted.sort_by_key(|z| -z.norm());
    let _groups = sorted.pair_conjugates();
    let left: Dense = sorted.basis(members);
    let gram = f64::adjoint_product(left.as_ref(), z.as_ref());
    let inverse = mb_algebra::Lu::new(&gram.transpose().to_owned())
        .unwrap()
        .solve_mat(&mb_algebra::dense::identity(members));
    sample.left_out = Some((z, product(left.as_ref(), inverse.as_ref())));
    let after = BuiltIn.real_pairs(&sample, &wanted).unwrap();
    for (a, b) in before.values[members..].iter().zip(&after.values) {
        assert!(apart(*a, *b) < 1e-9 * a.norm(), "{:?} {:?}", before.values, after.values);
    }
}
