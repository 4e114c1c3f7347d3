//! Random constrained problems of every kind.

use mb_algebra::{Dense, QuadraticPencil, Sparse, dense};

/// Numbers in (-1, 1) that depend on the seed only.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn index(&mut self, n: usize) -> usize {
        // The top bits of the state, enough for the small sizes of tests.
        self.next();
        usize::try_from(self.0 >> 33).unwrap_or(0) % n
    }
}

/// What a random problem is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Undamped,
    FreeFree,
    SingularMass,
    Damped,
    Gyroscopic,
    Follower,
    Unsymmetric,
    FreeDamped,
}

pub(crate) const KINDS: [Kind; 8] = [
    Kind::Undamped,
    Kind::FreeFree,
    Kind::SingularMass,
    Kind::Damped,
    Kind::Gyroscopic,
    Kind::Follower,
    Kind::Unsymmetric,
    Kind::FreeDamped,
];

/// n masses tied by random springs (and dampers, ..), m constraint rows with three entries each.
pub(crate) fn problem(kind: Kind, n: usize, m: usize, seed: u64) -> QuadraticPencil<Sparse> {
    let mut numbers = Numbers::new(seed);
    let free = matches!(kind, Kind::FreeFree | Kind::FreeDamped);
    let mut stiffness = springs(&mut numbers, n, 1e4, !free);
    let mut mass = dense::diagonal(&(0..n).map(|_| 1.5 + numbers.next()).collect::<Vec<_>>());
    let mut c = Dense::zeros(n, n);
    match kind {
        Kind::Undamped | Kind::FreeFree => {}
        Kind::SingularMass => (0..n).step_by(4).for_each(|i| mass[(i, i)] = 0.0),
        Kind::Damped => c = springs(&mut numbers, n, 8.0, true),
        Kind::FreeDamped => c = springs(&mut numbers, n, 8.0, false),
        Kind::Gyroscopic => c = skew(&mut numbers, n, 30.0),
        Kind::Follower => stiffness = dense::add(1.0, &stiffness, 1.0, &skew(&mut numbers, n, 500.0)),
        Kind::Unsymmetric => {
            stiffness = dense::add(1.0, &stiffness, 1.0, &skew(&mut numbers, n, 500.0));
            c = dense::add(1.0, &springs(&mut numbers, n, 8.0, true), 1.0, &skew(&mut numbers, n, 20.0));
        }
    }
    let mut phi = Dense::zeros(m, n);
    for i in 0..m {
        // Rows that sum to zero let a free body move as a whole.
        let entries = [numbers.next(), numbers.next()];
        let (a, b, c) = (i, n / 2 + numbers.index(n / 4), n / 4 + numbers.index(n / 4));
        phi[(i, a)] += 1.0 + entries[0].abs();
        phi[(i, b)] -= entries[1];
        phi[(i, c)] -= 1.0 + entries[0].abs() - entries[1];
    }
    QuadraticPencil { m: mass, c, k: stiffness, phi_q: phi }.to_sparse()
}

/// Springs between neighbours and random pairs, to the ground on demand.
fn springs(numbers: &mut Numbers, n: usize, size: f64, grounded: bool) -> Dense {
    let mut k = Dense::zeros(n, n);
    for i in 0..2 * n {
        let (a, b) = if i < n { (i, (i + 1) % n) } else { (numbers.index(n), numbers.index(n)) };
        let v = size * (1.1 + numbers.next());
        if a != b {
            k[(a, a)] += v;
            k[(b, b)] += v;
            k[(a, b)] -= v;
            k[(b, a)] -= v;
        }
    }
    if grounded {
        for i in (0..n).step_by(3) {
            k[(i, i)] += size * (1.1 + numbers.next());
        }
    }
    k
}

fn skew(numbers: &mut Numbers, n: usize, size: f64) -> Dense {
    let mut a = Dense::zeros(n, n);
    for i in 0..n {
        let j = numbers.index(n);
        let v = size * numbers.next();
        if i != j {
            a[(i, j)] += v;
            a[(j, i)] -= v;
        }
    }
    a
}
