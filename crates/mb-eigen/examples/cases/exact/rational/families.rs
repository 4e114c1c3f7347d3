//! Families of small pencils.

use mb_algebra::{Dense, QuadraticPencil, dense};

use super::{Problem, problem, size};

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    /// Steele, Lea and Flood, OOPSLA 2014 (SplitMix).
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In 0..1.
    fn roll(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.roll()
    }

    /// In from..=to.
    fn whole(&mut self, from: i32, to: i32) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "between the two")]
        let out = self.between(f64::from(from), f64::from(to) + 1.0).floor() as i32;
        out.min(to)
    }

    fn count(&mut self, from: usize, to: usize) -> usize {
        let most = i32::try_from(to - from).unwrap_or(0);
        from + usize::try_from(self.whole(0, most)).unwrap_or(0)
    }

    fn chance(&mut self, of: f64) -> bool {
        self.roll() < of
    }

    /// 10 to a power between two.
    fn decades(&mut self, from: f64, to: f64) -> f64 {
        10_f64.powf(self.between(from, to))
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Dense {
        Dense::from_fn(rows, columns, |_, _| self.between(-1.0, 1.0))
    }

    /// Positive semi-definite of some rank, entries of one size.
    fn definite(&mut self, n: usize, rank: usize) -> Dense {
        let a = self.matrix(n, rank);
        symmetric(n, |i, j| (0..rank).map(|l| a[(i, l)] * a[(j, l)]).sum::<f64>())
    }

    /// Positive definite, well conditioned or nearly diagonal.
    fn mass(&mut self, n: usize) -> Dense {
        let (a, by) = (self.definite(n, n), if self.chance(0.5) { 0.0 } else { 0.3 });
        symmetric(n, |i, j| by * a[(i, j)] + if i == j { 1.0 } else { 0.0 })
    }

    /// Few unknowns as a rule, twenty at most.
    fn unknowns(&mut self) -> usize {
        let most = if self.chance(0.1) { 20 } else { 9 };
        self.count(2, most)
    }
}

fn symmetric(n: usize, entry: impl Fn(usize, usize) -> f64) -> Dense {
    Dense::from_fn(n, n, |i, j| entry(i.min(j), i.max(j)))
}

fn scaled(a: &Dense, d: &[f64]) -> Dense {
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * (d[i] * d[j]))
}

fn sum(a: &Dense, by: f64, b: &Dense) -> Dense {
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] + by * b[(i, j)])
}

/// The problem of a number, the same on every machine, and a place in 0..1. Singular pencils, which have no
/// eigenvalues, are drawn anew.
pub(crate) fn numbered(number: usize) -> (Problem, f64) {
    let mut dice = Dice((number as u64 + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
    loop {
        if let Some(problem) = drawn(&mut dice, number % 12) {
            return (problem, dice.roll());
        }
    }
}

/// None where the eigenvalues could not be isolated.
fn drawn(dice: &mut Dice, family: usize) -> Option<Problem> {
    let (pencil, kind) = match family {
        0 => (units(dice), "mixed units"),
        1 => (penalties(dice), "stiff penalties"),
        2 => (light(dice), "small masses"),
        3 => (jordan(dice), "Jordan chains"),
        4 => (rows(dice), "nearly redundant rows"),
        5 => (free(dice), "free chains"),
        6 => (massless(dice), "massless coordinates"),
        7 => (gyroscopic(dice), "rotors"),
        8 => (rayleigh(dice), "Rayleigh damping"),
        9 => (general(dice), "entries of any size"),
        10 => (slender(dice), "slender beams"),
        _ => (flutter(dice), "near flutter"),
    };
    problem(&pencil, kind)
}

fn plain(m: Dense, c: Dense, k: Dense) -> QuadraticPencil {
    let n = k.nrows();
    QuadraticPencil { m, c, k, phi_q: dense::zeros(0, n) }
}

/// Damping: none, in proportion, semi-definite or any.
fn damping(dice: &mut Dice, m: &Dense, k: &Dense) -> Dense {
    let n = k.nrows();
    match dice.count(0, 4) {
        0 | 1 => dense::zeros(n, n),
        2 => sum(&dense::scale(0.1, m), dice.decades(-4.0, -1.0), k),
        3 => {
            let rank = dice.count(1, n);
            dense::scale(dice.decades(-2.0, 1.0), &dice.definite(n, rank))
        }
        _ => dense::scale(0.2, &dice.matrix(n, n)),
    }
}

/// Coordinates in units from 1e-6 to 1e6.
fn units(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.unknowns();
    let m = dice.mass(n);
    let rank = if dice.chance(0.8) { n } else { dice.count(1, n) };
    let k = sum(&dice.definite(n, n), dice.decades(0.0, 3.0), &dice.definite(n, rank));
    let c = damping(dice, &m, &k);
    let most = dice.between(1.0, 6.0);
    let d: Vec<f64> = (0..n).map(|_| dice.decades(-most, most)).collect();
    let time = dice.decades(-3.0, 3.0);
    let c = dense::scale(time, &scaled(&c, &d));
    let mut out = plain(scaled(&m, &d), c, dense::scale(time * time, &scaled(&k, &d)));
    if n > 3 && dice.chance(0.3) {
        let rows = dice.count(1, 2);
        let phi = dice.matrix(rows, n);
        let by = dice.decades(-4.0, 4.0);
        out.phi_q = Dense::from_fn(rows, n, |i, j| by * phi[(i, j)] * d[j]);
    }
    out
}

/// Springs up to 1e16 times as stiff as the others.
fn penalties(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.unknowns();
    let m = dice.mass(n);
    let mut k = dice.definite(n, n);
    let c = damping(dice, &m, &k);
    for _ in 0..dice.count(1, (n - 1).min(3)) {
        let v: Vec<f64> = (0..n).map(|_| f64::from(dice.whole(-2, 2))).collect();
        let by = dice.decades(4.0, 16.0) * size(&k).min(1.0);
        k = symmetric(n, |i, j| k[(i, j)] + by * (v[i] * v[j]));
    }
    plain(m, c, k)
}

/// Masses down to 1e-16 of others.
fn light(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.unknowns();
    let (m, k) = (dice.mass(n), dice.definite(n, n));
    let c = damping(dice, &m, &k);
    let d: Vec<f64> = (0..n).map(|_| if dice.chance(0.4) { dice.decades(-8.0, -2.0) } else { 1.0 }).collect();
    plain(scaled(&m, &d), c, sum(&k, 0.1, &dense::identity(n)))
}

/// J with blocks of one eigenvalue each, hidden by integer matrices of determinant one: s^2 + J or s + J.
fn jordan(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.count(2, 8);
    let mut j = Dense::zeros(n, n);
    let mut at = 0;
    while at < n {
        let length = dice.count(1, 5.min(n - at));
        let value = f64::from(dice.whole(1, 9));
        for i in at..at + length {
            j[(i, i)] = value;
            if i > at {
                j[(i - 1, i)] = 1.0;
            }
        }
        at += length;
    }
    let (mut left, mut right) = (dense::identity(n), dense::identity(n));
    for _ in 0..dice.count(0, 2 * n) {
        let (p, q, by) = (dice.count(0, n - 1), dice.count(0, n - 1), f64::from(dice.whole(-2, 2)));
        if p != q {
            // E = I + by e_p e_q^T: right E and E^-1 left.
            (0..n).for_each(|i| {
                let add = by * right[(i, p)];
                right[(i, q)] += add;
            });
            (0..n).for_each(|i| {
                let less = by * left[(q, i)];
                left[(p, i)] -= less;
            });
        }
    }
    let a = dense::mul(&right, &dense::mul(&j, &left));
    let none = Dense::zeros(n, n);
    if dice.chance(0.3) { plain(none, dense::identity(n), a) } else { plain(dense::identity(n), none, a) }
}

/// Rows of constraints that differ from combinations of others by 1e-2 to 1e-7 of their size.
fn rows(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.count(4, 10);
    let (m, k) = (dice.mass(n), dice.definite(n, n));
    let c = damping(dice, &m, &k);
    let r = dice.count(1, 2);
    let first = dice.matrix(r, n);
    let (by, noise) = (dice.matrix(1, r), dice.matrix(1, n));
    let small = dice.decades(-7.0, -2.0);
    let last = sum(&dense::mul(&by, &first), small, &noise);
    QuadraticPencil { phi_q: dense::vstack(&[&first, &last]), ..plain(m, c, k) }
}

/// Masses joined by springs of up to 2^30 times the stiffness of others, free or held at one end; K is exact.
fn free(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.unknowns();
    let most = dice.whole(0, 30);
    let mut k = Dense::zeros(n, n);
    for i in 1..n {
        let from = if dice.chance(0.8) { i - 1 } else { dice.count(0, i - 1) };
        if dice.chance(0.1) {
            continue;
        }
        let stiffness = f64::from(dice.whole(1, 15)) * f64::from(dice.whole(0, most)).exp2();
        for (p, q, by) in [(i, i, 1.0), (from, from, 1.0), (i, from, -1.0), (from, i, -1.0)] {
            k[(p, q)] += by * stiffness;
        }
    }
    if dice.chance(0.3) {
        k[(0, 0)] += f64::from(dice.whole(-10, 10)).exp2();
    }
    let m = dice.mass(n);
    let c = match dice.count(0, 3) {
        0 => dense::scale(0.25, &k),
        1 => dense::scale(0.5, &m),
        _ => Dense::zeros(n, n),
    };
    plain(m, c, k)
}

/// Coordinates without mass, with or without damping.
fn massless(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.unknowns();
    let (m, k) = (dice.mass(n), sum(&dice.definite(n, n), 0.2, &dense::identity(n)));
    let c = damping(dice, &m, &k);
    let has: Vec<f64> = (0..n).map(|i| if i > 0 && dice.chance(0.4) { 0.0 } else { 1.0 }).collect();
    plain(scaled(&m, &has), c, k)
}

/// Gyroscopic and circulatory forces.
fn gyroscopic(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.unknowns();
    let (m, k) = (dice.mass(n), dice.definite(n, n));
    let skew = |dice: &mut Dice, by: f64| {
        let a = dice.matrix(n, n);
        Dense::from_fn(n, n, |i, j| {
            by * (a[(i.min(j), i.max(j))] * if i < j { 1.0 } else { -f64::from(u8::from(i > j)) })
        })
    };
    let by = dice.decades(-2.0, 2.0);
    let c = skew(dice, by);
    let c = if dice.chance(0.5) { sum(&c, dice.decades(-3.0, 0.0), &dice.definite(n, n)) } else { c };
    let k = if dice.chance(0.4) { sum(&k, dice.decades(-3.0, 0.0), &skew(dice, 1.0)) } else { k };
    plain(m, c, k)
}

/// C = a M + b K, entries rounded.
fn rayleigh(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.unknowns();
    let (m, mut k) = (dice.mass(n), dice.definite(n, n));
    if dice.chance(0.3) {
        k = sum(&k, dice.decades(2.0, 8.0), &dice.definite(n, 1));
    }
    let c = sum(&dense::scale(dice.decades(-3.0, 0.5), &m), dice.decades(-5.0, 0.0), &k);
    plain(m, c, k)
}

/// Entries of 1e-8 to 1e8, some of them zero.
fn general(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.count(2, 8);
    let most = dice.between(0.0, 8.0);
    let mut of = |share: f64| {
        Dense::from_fn(n, n, |i, j| {
            let kept = i == j || dice.chance(share);
            if kept { dice.decades(-most, most) * dice.between(-1.0, 1.0) } else { 0.0 }
        })
    };
    let (m, c, k) = (of(0.3), of(0.3), of(0.6));
    plain(m, c, k)
}

/// 420 M / (m h) and h^3 K / (E I) of a beam element of length h (Euler, Bernoulli), deflection and slope at both ends.
pub(crate) fn beam_element(h: f64) -> [[[f64; 4]; 4]; 2] {
    let ke = [
        [12.0, 6.0 * h, -12.0, 6.0 * h],
        [6.0 * h, 4.0 * h * h, -6.0 * h, 2.0 * h * h],
        [-12.0, -6.0 * h, 12.0, -6.0 * h],
        [6.0 * h, 2.0 * h * h, -6.0 * h, 4.0 * h * h],
    ];
    let me = [
        [156.0, 22.0 * h, 54.0, -13.0 * h],
        [22.0 * h, 4.0 * h * h, 13.0 * h, -3.0 * h * h],
        [54.0, 13.0 * h, 156.0, -22.0 * h],
        [-13.0 * h, -3.0 * h * h, -22.0 * h, 4.0 * h * h],
    ];
    [me, ke]
}

/// Euler-Bernoulli cantilevers of slenderness 1e1 to 1e6, axial and bending motion, of rubber to steel, in metres or millimetres.
fn slender(dice: &mut Dice) -> QuadraticPencil {
    let elements = dice.count(1, 5);
    let ratio = dice.decades(1.0, 6.0);
    let millimetres = dice.chance(0.5);
    let (length, density, modulus) = (1.0, dice.decades(2.9, 3.9), dice.decades(6.0, 11.4));
    let (length, density, modulus) = if millimetres {
        (1e3 * length, 1e-12 * density, 1e-6 * modulus)
    } else {
        (length, density, modulus)
    };
    let radius = length / ratio;
    let area = std::f64::consts::PI * radius * radius;
    let (axial, bending) = (modulus * area, modulus * area * radius * radius / 4.0);
    let (h, mass) = (length / elements as f64, density * area);
    let nodes = elements + 1;
    let (mut m, mut k) = (Dense::zeros(3 * nodes, 3 * nodes), Dense::zeros(3 * nodes, 3 * nodes));
    let [me, ke] = beam_element(h);
    for e in 0..elements {
        let at = |i: usize| 3 * e + [1, 2, 4, 5][i];
        for i in 0..4 {
            for j in 0..4 {
                k[(at(i), at(j))] += bending / h.powi(3) * ke[i][j];
                m[(at(i), at(j))] += mass * h / 420.0 * me[i][j];
            }
        }
        for (i, j, by, share) in [(0, 0, 1.0, 2.0), (0, 3, -1.0, 1.0), (3, 0, -1.0, 1.0), (3, 3, 1.0, 2.0)] {
            k[(3 * e + i, 3 * e + j)] += by * axial / h;
            m[(3 * e + i, 3 * e + j)] += share * mass * h / 6.0;
        }
    }
    // Symmetric to the last bit.
    let part = |a: &Dense, from: usize| symmetric(3 * nodes - from, |i, j| a[(i + from, j + from)]);
    let clamped = dice.chance(0.5);
    let (m, k) = if clamped { (part(&m, 3), part(&k, 3)) } else { (part(&m, 0), part(&k, 0)) };
    let n = k.nrows();
    let mut out = plain(m, Dense::zeros(n, n), k);
    if !clamped {
        out.phi_q = Dense::from_fn(3, n, |i, j| if i == j { 1.0 } else { 0.0 });
    }
    out
}

/// Two modes that nearly or exactly meet under a circulatory force, next to others.
fn flutter(dice: &mut Dice) -> QuadraticPencil {
    let n = dice.count(2, 8);
    let mut k = Dense::from_fn(n, n, |i, j| if i == j { f64::from(dice.whole(2, 30)) } else { 0.0 });
    // [a b; -b a + 2 b] has a + b twice.
    let (a, b) = (f64::from(dice.whole(2, 9)), f64::from(dice.whole(1, 4)));
    let off = if dice.chance(0.5) {
        0.0
    } else {
        dice.decades(-12.0, -1.0) * if dice.chance(0.5) { 1.0 } else { -1.0 }
    };
    (k[(0, 0)], k[(0, 1)], k[(1, 0)], k[(1, 1)]) = (a, b * (1.0 + off), -b, a + 2.0 * b);
    let mut turn = dense::identity(n);
    for _ in 0..dice.count(0, n) {
        let (p, q, by) = (dice.count(0, n - 1), dice.count(0, n - 1), f64::from(dice.whole(-1, 1)));
        if p != q {
            (0..n).for_each(|i| {
                let add = by * turn[(i, p)];
                turn[(i, q)] += add;
            });
        }
    }
    let through = |a: &Dense| dense::mul_transpose(&turn, &dense::mul(a, &turn));
    let m = through(&dense::identity(n));
    let c = if dice.chance(0.4) { dense::scale(0.25, &m) } else { Dense::zeros(n, n) };
    plain(m, c, through(&k))
}
