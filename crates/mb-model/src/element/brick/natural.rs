//! Trilinear interpolation in natural coordinates, and the 36 strain numbers of an element.
//!
//! ```text
//! x(xi) = sum of c_m m(xi),   m = 1, xi, eta, zeta, xi eta, xi zeta, eta zeta, xi eta zeta
//! g_1 = dx/dxi = c_xi + eta c_(xi eta) + zeta c_(xi zeta) + eta zeta c_(xi eta zeta), and cyclic
//! numbers: g_d . g_d / 2 (4 each: g_d does not depend on its own coordinate), g_1 . g_2, g_2 . g_3, g_3 . g_1 (8 each)
//! ```
//!
//! at the points with coordinates +-1/sqrt 3. Points and coefficients are numbered by bits: bit d of a point is the
//! sign of its coordinate d, bit d of a coefficient says whether coordinate d is a factor of m.

#![expect(clippy::inline_always, reason = "what is compiled for a processor must be in one piece")]

use super::component::{Component, Linear};
use mb_scalar::Real;

/// Natural coordinates of the nodes: round the face zeta = -1, then round zeta = 1.
pub(crate) const CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];
/// Nodes of the faces, anticlockwise seen from outside: xi = -1, 1, eta = -1, 1, zeta = -1, 1.
pub(crate) const FACES: [[usize; 4]; 6] =
    [[0, 4, 7, 3], [1, 2, 6, 5], [0, 1, 5, 4], [3, 7, 6, 2], [0, 3, 2, 1], [4, 5, 6, 7]];
/// Numbers of the nodes by the signs of their coordinates as bits.
const BY_BITS: [usize; 8] = [0, 1, 3, 2, 4, 5, 7, 6];
/// 1/sqrt 3.
pub(in crate::element) const POINT: f64 = 0.577_350_269_189_625_8;
/// Strain numbers of an element.
pub(super) const STRAINS: usize = 36;

/// The two coordinates after `d`, in cyclic order.
pub(super) const fn others(d: usize) -> (usize, usize) {
    ((d + 1) % 3, (d + 2) % 3)
}
/// Which of the four values of g_d belongs to point `g`.
const fn value_at(d: usize, g: usize) -> usize {
    let (e, f) = others(d);
    ((g >> e) & 1) + 2 * ((g >> f) & 1)
}
/// The strain number of Voigt component `a` (11, 22, 33, 12, 23, 31) at point `g`.
pub(super) const fn number_of(a: usize, g: usize) -> usize {
    if a < 3 { 4 * a + value_at(a, g) } else { 12 + 8 * (a - 3) + g }
}
/// The natural coordinates of point `g`.
pub(super) fn point(g: usize) -> [f64; 3] {
    [0, 1, 2].map(|d| if (g >> d) & 1 == 1 { POINT } else { -POINT })
}

/// The node next to point `g`.
pub(super) fn node_at(g: usize) -> usize {
    BY_BITS[g]
}
/// det(g_1, g_2, g_3) at point `g` by the strain numbers, which do not give its sign.
pub(super) fn volume(numbers: &[f64; STRAINS], g: usize) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|d| 2.0 * numbers[number_of(d, g)]);
    let [ab, bc, ca] = [3, 4, 5].map(|d| numbers[number_of(d, g)]);
    (a * (b * c - bc * bc) - ab * (ab * c - bc * ca) + ca * (ab * bc - b * ca)).sqrt()
}

#[inline(always)]
pub(in crate::element) fn dot<S: Real>(a: &[S; 3], b: &[S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
/// Vectors g_1, g_2, g_3 at the integration points, four values each.
pub(super) struct Gradients<S>(pub(super) [[[S; 3]; 4]; 3]);

impl<S: Real> Gradients<S> {
    /// det(g_1, g_2, g_3) at point `g`.
    pub(super) fn volume(&self, g: usize) -> S {
        let [[a, b, c], [d, e, f], [h, i, j]] = [0, 1, 2].map(|d| *self.at(d, g));
        a * (e * j - f * i) - b * (d * j - f * h) + c * (d * i - e * h)
    }
}

impl<T: Component> Gradients<T> {
    /// Of the vectors at the nodes, 24 numbers.
    #[inline(always)]
    pub(super) fn new(nodes: &[T]) -> Self {
        let mut out = Self([[[T::none(); 3]; 4]; 3]);
        out.set::<0>(nodes);
        out.set::<1>(nodes);
        out.set::<2>(nodes);
        out
    }
    /// Component `K` of [`Self::new`].
    #[inline(always)]
    fn set<const K: usize>(&mut self, nodes: &[T]) {
        let mut c = [T::none(); 8];
        for (c, a) in c.iter_mut().zip(BY_BITS) {
            *c = nodes[3 * a + K];
        }
        forth::<T, 1>(&mut c);
        forth::<T, 2>(&mut c);
        forth::<T, 4>(&mut c);
        self.set_slopes::<0, K>(&c);
        self.set_slopes::<1, K>(&c);
        self.set_slopes::<2, K>(&c);
    }
    /// Component `K` of g_D by eight times the coefficients.
    #[inline(always)]
    fn set_slopes<const D: usize, const K: usize>(&mut self, c: &[T; 8]) {
        let (e, f) = others(D);
        let one = c[1 << D].by(0.125);
        let by_e = c[(1 << D) | (1 << e)].by(0.125 * POINT);
        let by_f = c[(1 << D) | (1 << f)].by(0.125 * POINT);
        let by_both = c[7].by(0.125 * POINT * POINT);
        let (low, high) = (one - by_e, one + by_e);
        let (low_f, high_f) = (by_f - by_both, by_f + by_both);
        self.0[D][0][K] = low - low_f;
        self.0[D][1][K] = high - high_f;
        self.0[D][2][K] = low + low_f;
        self.0[D][3][K] = high + high_f;
    }
    /// g_d at point `g`.
    #[inline(always)]
    pub(super) fn at(&self, d: usize, g: usize) -> &[T; 3] {
        &self.0[d][value_at(d, g)]
    }
    /// The numbers that strains are differences of.
    #[inline(always)]
    pub(super) fn numbers(&self) -> [T::Product; STRAINS] {
        let mut out = [T::Product::none(); STRAINS];
        self.numbers_of::<0>(&mut out);
        self.numbers_of::<1>(&mut out);
        self.numbers_of::<2>(&mut out);
        out
    }
    /// Products of g_D with itself and with the next one.
    #[inline(always)]
    fn numbers_of<const D: usize>(&self, out: &mut [T::Product; STRAINS]) {
        for (j, g) in self.0[D].iter().enumerate() {
            out[4 * D + j] = T::dot(g, g).by(0.5);
        }
        for g in 0..8 {
            out[12 + 8 * D + g] = T::dot(self.at(D, g), self.at((D + 1) % 3, g));
        }
    }
    /// The rates of the numbers where the vectors have the rates `rate`.
    #[inline(always)]
    pub(super) fn rates(&self, rate: &Self) -> [T::Product; STRAINS] {
        let mut out = [T::Product::none(); STRAINS];
        for d in 0..3 {
            for (j, g) in self.0[d].iter().enumerate() {
                out[4 * d + j] = T::dot(g, &rate.0[d][j]);
            }
            let e = (d + 1) % 3;
            for g in 0..8 {
                let (one, other) =
                    (T::dot(self.at(d, g), rate.at(e, g)), T::dot(rate.at(d, g), self.at(e, g)));
                out[12 + 8 * d + g] = one + other;
            }
        }
        out
    }
    /// Adds what works on the nodes when `stress` works on the numbers: the transpose of the derivative of
    /// [`Self::numbers`] by the nodes.
    #[inline(always)]
    pub(super) fn spread(&self, stress: &[T::Product; STRAINS], out: &mut [T::Product]) {
        self.spread_along::<0>(stress, out);
        self.spread_along::<1>(stress, out);
        self.spread_along::<2>(stress, out);
    }
    /// Components along axis `K`.
    #[inline(always)]
    fn spread_along<const K: usize>(&self, stress: &[T::Product; STRAINS], out: &mut [T::Product]) {
        let mut c = [T::Product::none(); 8];
        self.add_slopes::<0, K>(stress, &mut c);
        self.add_slopes::<1, K>(stress, &mut c);
        self.add_slopes::<2, K>(stress, &mut c);
        back::<_, 1>(&mut c);
        back::<_, 2>(&mut c);
        back::<_, 4>(&mut c);
        for (c, a) in c.iter().zip(BY_BITS) {
            out[3 * a + K] += *c;
        }
    }
    /// What works on the coefficients through g_D.
    #[inline(always)]
    fn add_slopes<const D: usize, const K: usize>(
        &self,
        stress: &[T::Product; STRAINS],
        c: &mut [T::Product; 8],
    ) {
        let (e, f) = others(D);
        let (h0, h2) = (self.pulled::<D, K, 0>(stress), self.pulled::<D, K, 2>(stress));
        let (low, low_f) = (h0 + h2, h2 - h0);
        let (h1, h3) = (self.pulled::<D, K, 1>(stress), self.pulled::<D, K, 3>(stress));
        let (high, high_f) = (h1 + h3, h3 - h1);
        c[1 << D] += (low + high).by(0.125);
        c[(1 << D) | (1 << e)] += (high - low).by(0.125 * POINT);
        c[(1 << D) | (1 << f)] += (low_f + high_f).by(0.125 * POINT);
        c[7] += (high_f - low_f).by(0.125 * POINT * POINT);
    }
    /// What works on component `K` of value `J` of g_D: five numbers have it as a factor, those of the two points with
    /// this value.
    #[inline(always)]
    fn pulled<const D: usize, const K: usize, const J: usize>(
        &self,
        stress: &[T::Product; STRAINS],
    ) -> T::Product {
        let (e, f) = others(D);
        let low = ((J & 1) << e) | ((J >> 1) << f);
        let high = low | (1 << D);
        // Number 12 + 8 d belongs to g_d and the next one, so that of g_D and the one before has f.
        let (before, after) = (12 + 8 * f, 12 + 8 * D);
        // Arrays written out: what maps them need not be compiled for the same processor.
        let vectors = [
            &self.0[D][J][K],
            &self.at(e, low)[K],
            &self.at(f, low)[K],
            &self.at(e, high)[K],
            &self.at(f, high)[K],
        ];
        let numbers = [
            &stress[4 * D + J],
            &stress[after + low],
            &stress[before + low],
            &stress[after + high],
            &stress[before + high],
        ];
        T::weighted(K, vectors, numbers)
    }
}

/// Sums and differences of coefficients that differ in one bit.
#[inline(always)]
fn forth<T: Linear, const BIT: usize>(c: &mut [T; 8]) {
    let (a, b) = other_bits(BIT);
    for lo in [0, a, b, a | b] {
        (c[lo], c[lo | BIT]) = (c[lo] + c[lo | BIT], c[lo | BIT] - c[lo]);
    }
}
/// The transpose of [`forth`].
#[inline(always)]
fn back<T: Linear, const BIT: usize>(c: &mut [T; 8]) {
    let (a, b) = other_bits(BIT);
    for lo in [0, a, b, a | b] {
        (c[lo], c[lo | BIT]) = (c[lo] - c[lo | BIT], c[lo] + c[lo | BIT]);
    }
}
const fn other_bits(bit: usize) -> (usize, usize) {
    match bit {
        1 => (2, 4),
        2 => (1, 4),
        _ => (1, 2),
    }
}

/// Values of the trilinear functions of the nodes at a point.
pub(super) fn functions(at: [f64; 3]) -> [f64; 8] {
    CORNERS.map(|c| (0..3).map(|d| 1.0 + c[d] * at[d]).product::<f64>() / 8.0)
}
/// The derivatives of the functions by natural coordinates at a point.
pub(super) fn slopes(at: [f64; 3]) -> [[f64; 3]; 8] {
    CORNERS.map(|c| {
        [0, 1, 2].map(|d| {
            let (e, f) = others(d);
            c[d] * (1.0 + c[e] * at[e]) * (1.0 + c[f] * at[f]) / 8.0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bent() -> Vec<f64> {
        let mut x: Vec<f64> = CORNERS.concat();
        for (k, x) in x.iter_mut().enumerate() {
            *x += 0.1 * ((7 * k) as f64).sin();
        }
        x
    }

    #[test]
    fn gradients_are_those_of_the_interpolation() {
        let x = bent();
        let gradients = Gradients::new(&x);
        for g in 0..8 {
            let slopes = slopes(point(g));
            for d in 0..3 {
                for k in 0..3 {
                    let direct: f64 = (0..8).map(|a| slopes[a][d] * x[3 * a + k]).sum();
                    assert!((gradients.at(d, g)[k] - direct).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn volumes_by_numbers_are_those_by_vectors() {
        let gradients = Gradients::new(&bent());
        let numbers = gradients.numbers();
        for g in 0..8 {
            assert!((gradients.volume(g) - volume(&numbers, g)).abs() < 1e-14);
            let (c, at) = (CORNERS[node_at(g)], point(g));
            assert!((0..3).all(|d| c[d] * at[d] > 0.0));
        }
    }

    #[test]
    fn functions_are_one_at_their_node_and_their_slopes_follow() {
        for (a, c) in CORNERS.iter().enumerate() {
            let n = functions(*c);
            assert!((0..8).all(|b| (n[b] - f64::from(u8::from(a == b))).abs() < 1e-15));
        }
        let at = [0.3, -0.2, 0.7];
        for d in 0..3 {
            let (mut up, mut down) = (at, at);
            (up[d], down[d]) = (at[d] + 0.5, at[d] - 0.5);
            for a in 0..8 {
                // Linear in each coordinate, so that the difference is the derivative.
                assert!((functions(up)[a] - functions(down)[a] - slopes(at)[a][d]).abs() < 1e-15);
            }
        }
    }

    /// Faces look outward: the normal of the first three nodes points away from the middle.
    #[test]
    fn faces_look_outward() {
        for face in FACES {
            let [a, b, c, d] = face.map(|k| nalgebra::Vector3::from(CORNERS[k]));
            let normal = (b - a).cross(&(c - b));
            assert!(normal.dot(&a) > 0.0 && (a - b + c - d).norm() < 1e-15);
        }
    }

    /// spread is the transpose of new and rates: power is the same on both sides.
    #[test]
    fn work_on_numbers_is_work_on_nodes() {
        let (x, v) = (bent(), (0..24).map(|k| f64::from(k * k % 11) - 5.0).collect::<Vec<_>>());
        let (g, rate) = (Gradients::new(&x), Gradients::new(&v));
        let stress: [f64; STRAINS] = core::array::from_fn(|i| (i as f64).cos());
        let mut force = vec![0.0; 24];
        g.spread(&stress, &mut force);
        let inside: f64 = g.rates(&rate).iter().zip(stress).map(|(e, s)| e * s).sum();
        let outside: f64 = force.iter().zip(&v).map(|(f, v)| f * v).sum();
        assert!((inside - outside).abs() < 1e-12 * inside.abs());
    }
}
