//! Polynomials with integer coefficients of any size: square-free parts and certified roots.
//!
//! ```text
//! p = p_1 p_2^2 p_3^3 ..               Yun, Proc. SYMSAC 1976: every p_k has simple zeros alone
//! z_i <- z_i - N_i / (1 - N_i sum_(j /= i) 1 / (z_i - z_j)),   N_i = p(z_i) / p'(z_i)     Aberth, Math. Comp. 27, 1973
//! all zeros lie in the discs |z - z_i| <= d |p(z_i)| / |a_d prod_(j /= i) (z_i - z_j)|,   k in a union of k discs apart from the others
//! ```
//!
//! The last is the theorem of Smith, J. ACM 17, 1970. p(z_i) is computed there without rounding. First z_i from the Newton polygon of
//! the logarithms of the coefficients (Bini, Numer. Algorithms 13, 1996).

use num_bigint::{BigInt, Sign};

use super::dyadic::{Complex, Dyadic};

/// Coefficients, the constant one first; the last one is not zero.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Polynomial(pub(crate) Vec<BigInt>);

/// A zero of a polynomial: a disc that holds it, and how often it is one.
#[derive(Clone, Debug)]
pub(crate) struct Zero {
    pub(crate) centre: Complex,
    pub(crate) log2_radius: f64,
    pub(crate) multiplicity: usize,
}

/// Relative radius, as a power of two, at which a zero is known well enough.
const KNOWN: f64 = -75.0;
/// Bits of the first iteration and of the last one tried.
const BITS: u64 = 128;
const MOST_BITS: u64 = 4096;
/// Steps at each precision.
const STEPS: usize = 100;

impl Polynomial {
    pub(crate) fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(|a| a.sign() == Sign::NoSign) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(k, a)| a * k).collect())
    }

    /// Without the common factor of its coefficients, the leading one positive.
    fn primitive(self) -> Self {
        let mut common = BigInt::ZERO;
        for a in &self.0 {
            common = gcd(common, a.clone());
        }
        if self.0.last().is_some_and(|a| a.sign() == Sign::Minus) {
            common = -common;
        }
        if common.sign() == Sign::NoSign { self } else { Self(self.0.iter().map(|a| a / &common).collect()) }
    }

    /// Remainder of lc^k self by other.
    fn remainder(&self, other: &Self) -> Self {
        let mut rest = self.0.clone();
        let (lead, d) = (&other.0[other.degree()], other.degree());
        while rest.len() > d {
            let by = rest.pop().unwrap_or_default();
            let from = rest.len() - d;
            for a in &mut rest {
                *a *= lead;
            }
            for (a, b) in rest[from..].iter_mut().zip(&other.0) {
                *a -= &by * b;
            }
        }
        Self::new(rest)
    }

    /// The greatest common divisor, primitive.
    fn common(&self, other: &Self) -> Self {
        if self.coprime_modulo(other) {
            return Self(vec![BigInt::from(1)]);
        }
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        if a.0.len() < b.0.len() {
            std::mem::swap(&mut a, &mut b);
        }
        while !b.is_zero() {
            let rest = a.remainder(&b).primitive();
            a = std::mem::replace(&mut b, rest);
        }
        a
    }

    /// self / other, which divides it but for a constant factor.
    fn divided(&self, other: &Self) -> Self {
        let mut rest = self.0.clone();
        let (lead, d) = (&other.0[other.degree()], other.degree());
        let mut out = vec![BigInt::ZERO; self.0.len() - d];
        for at in (0..out.len()).rev() {
            for a in &mut rest {
                *a *= lead;
            }
            for a in &mut out {
                *a *= lead;
            }
            out[at] = &rest[at + d] / lead;
            for (k, b) in other.0.iter().enumerate() {
                let less = &out[at] * b;
                rest[at + k] -= less;
            }
        }
        Self::new(out).primitive()
    }

    /// Whether they have no common divisor modulo a prime that divides neither leading coefficient: then they have none at all.
    fn coprime_modulo(&self, other: &Self) -> bool {
        const PRIME: u64 = (1 << 61) - 1;
        let reduced = |p: &Self| -> Vec<u64> {
            let prime = BigInt::from(PRIME);
            p.0.iter().map(|a| u64::try_from(((a % &prime) + &prime) % &prime).unwrap_or(0)).collect()
        };
        let times =
            |a: u64, b: u64| u64::try_from(u128::from(a) * u128::from(b) % u128::from(PRIME)).unwrap_or(0);
        let inverse = |a: u64| {
            let (mut out, mut base, mut power) = (1, a, PRIME - 2);
            while power > 0 {
                if power & 1 == 1 {
                    out = times(out, base);
                }
                base = times(base, base);
                power >>= 1;
            }
            out
        };
        let (mut a, mut b) = (reduced(self), reduced(other));
        if a.last() == Some(&0) || b.last() == Some(&0) {
            return false;
        }
        while !b.is_empty() {
            let by = inverse(b[b.len() - 1]);
            while a.len() >= b.len() {
                let factor = times(a[a.len() - 1], by);
                let from = a.len() - b.len();
                for (x, y) in a[from..].iter_mut().zip(&b) {
                    *x = (*x + PRIME - times(factor, *y)) % PRIME;
                }
                while a.last() == Some(&0) {
                    a.pop();
                }
            }
            std::mem::swap(&mut a, &mut b);
        }
        a.len() == 1
    }

    /// All zeros but those at zero; none where some could not be distinguished or from their surroundings.
    pub(crate) fn zeros(&self) -> Option<Vec<Zero>> {
        let mut out = Vec::new();
        // Yun's algorithm.
        let slope = self.derivative();
        if self.degree() == 0 {
            return Some(out);
        }
        let common = self.common(&slope);
        if common.degree() == 0 {
            return self.simple_zeros().map(|zeros| zeros.into_iter().map(|z| z.times(1)).collect());
        }
        let mut w = self.divided(&common);
        let mut rest = common;
        let mut multiplicity = 1;
        while w.degree() > 0 {
            // w: the product of all p_k with k >= multiplicity.
            let next = w.common(&rest);
            if next.degree() < w.degree() {
                let own = w.divided(&next);
                out.extend(own.simple_zeros()?.into_iter().map(|z| z.times(multiplicity)));
            }
            rest = rest.divided(&next);
            w = next;
            multiplicity += 1;
        }
        Some(out)
    }

    /// Discs around the zeros of a polynomial that has simple ones alone, none of them zero.
    fn simple_zeros(&self) -> Option<Vec<Zero>> {
        let coefficients: Vec<Dyadic> = self.0.iter().cloned().map(Dyadic::integer).collect();
        let mut z = self.starts();
        let mut bits = BITS;
        while bits <= MOST_BITS {
            let short: Vec<Dyadic> = coefficients.iter().map(|a| a.clone().rounded(bits)).collect();
            aberth(&short, &mut z, bits);
            if let Some(zeros) = certified(&coefficients, &z) {
                return Some(zeros);
            }
            bits *= 2;
        }
        None
    }

    /// Points on circles of the Newton polygon.
    fn starts(&self) -> Vec<Complex> {
        let logs: Vec<f64> = self.0.iter().map(|a| Dyadic::integer(a.clone()).log2()).collect();
        let mut out = Vec::with_capacity(self.degree());
        let mut from = 0;
        while from < self.degree() {
            let slope = |to: usize| (logs[from] - logs[to]) / (to - from) as f64;
            let to = (from + 1..=self.degree()).min_by(|a, b| slope(*a).total_cmp(&slope(*b)).then(b.cmp(a)));
            let to = to.unwrap_or(self.degree());
            let size = slope(to);
            for k in 0..to - from {
                let angle = std::f64::consts::TAU * k as f64 / (to - from) as f64 + 0.7 + from as f64;
                let whole = size.floor();
                let by = (size - whole).exp2();
                let at = |v: f64| {
                    let v = Dyadic::new(v * by);
                    #[expect(clippy::cast_possible_truncation, reason = "a logarithm")]
                    let e = v.e + whole as i64;
                    Dyadic { m: v.m, e }
                };
                out.push(Complex { re: at(angle.cos()), im: at(angle.sin()) });
            }
            from = to;
        }
        out
    }
}

fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while b.sign() != Sign::NoSign {
        let rest = &a % &b;
        a = std::mem::replace(&mut b, rest);
    }
    if a.sign() == Sign::Minus { -a } else { a }
}

/// Steps until all corrections are rounding.
fn aberth(a: &[Dyadic], z: &mut [Complex], bits: u64) {
    let d = a.len() - 1;
    let mut done = vec![false; d];
    for _ in 0..STEPS {
        for i in 0..d {
            if done[i] {
                continue;
            }
            let (mut p, mut slope) = (Complex::real(a[d].clone()), Complex::real(Dyadic::zero()));
            for k in (0..d).rev() {
                slope = (&(&slope * &z[i]) + &p).rounded(bits);
                p = (&(&p * &z[i]) + &Complex::real(a[k].clone())).rounded(bits);
            }
            if p.is_zero() || slope.is_zero() {
                done[i] = p.is_zero();
                continue;
            }
            let mut others = Complex::real(Dyadic::zero());
            let one = Complex::real(Dyadic::integer(BigInt::from(1)));
            for j in (0..d).filter(|j| *j != i) {
                let difference = &z[i] - &z[j];
                if !difference.is_zero() {
                    others = (&others + &one.quotient(&difference, 64)).rounded(64);
                }
            }
            let newton = p.quotient(&slope, bits);
            let below = (&one - &(&newton * &others)).rounded(64);
            let step = if below.is_zero() { newton } else { newton.quotient(&below, bits) };
            let size = z[i].log2();
            done[i] = step.log2() < size - bits as f64 + 12.0;
            z[i] = (&z[i] - &step).rounded(bits);
        }
        if done.iter().all(|done| *done) {
            break;
        }
    }
}

/// Smith's discs, each small compared with its centre and apart from the others, or together small enough; none where they are not.
fn certified(a: &[Dyadic], z: &[Complex]) -> Option<Vec<Zero>> {
    let d = z.len();
    let mut discs = Vec::with_capacity(d);
    for i in 0..d {
        let mut p = Complex::real(a[d].clone());
        for k in (0..d).rev() {
            p = &(&p * &z[i]) + &Complex::real(a[k].clone());
        }
        let mut below = a[d].log2();
        for j in (0..d).filter(|j| *j != i) {
            below += (&z[i] - &z[j]).log2();
        }
        // Logarithms are right to 1e-9.
        let radius =
            if p.is_zero() { f64::NEG_INFINITY } else { (d as f64).log2() + p.log2() - below + 1e-6 };
        if radius.is_nan() || radius > z[i].log2() + KNOWN {
            return None;
        }
        discs.push(radius);
    }
    for i in 0..d {
        for j in 0..i {
            let apart = (&z[i] - &z[j]).log2();
            if discs[i].max(discs[j]) + 2.0 >= apart {
                return None;
            }
        }
    }
    let zero = |(centre, log2_radius): (&Complex, f64)| Zero {
        centre: centre.clone(),
        log2_radius,
        multiplicity: 1,
    };
    Some(z.iter().zip(discs).map(zero).collect())
}

impl Zero {
    fn times(mut self, multiplicity: usize) -> Self {
        self.multiplicity = multiplicity;
        self
    }

    /// Whether it is real, given that complex zeros come in pairs: its disc is apart from all others and meets the real axis.
    pub(crate) fn is_real(&self) -> bool {
        self.centre.im.log2() <= self.log2_radius
    }
}
