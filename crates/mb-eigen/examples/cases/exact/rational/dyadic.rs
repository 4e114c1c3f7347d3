//! Numbers m 2^e with m an integer of any size.
//!
//! Sums, differences and products are exact; [`Dyadic::rounded`] keeps the leading bits. A double is such a number, and a quotient is
//! one once it is cut to as many bits as asked for.

use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::{BigInt, Sign};

/// m 2^e.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    pub(crate) m: BigInt,
    pub(crate) e: i64,
}

impl Dyadic {
    pub(crate) fn zero() -> Self {
        Self { m: BigInt::ZERO, e: 0 }
    }

    pub(crate) fn integer(m: BigInt) -> Self {
        Self { m, e: 0 }
    }

    /// A finite double, exactly.
    pub(crate) fn new(v: f64) -> Self {
        let bits = v.to_bits();
        let (fraction, exponent) = (bits & ((1 << 52) - 1), i64::try_from((bits >> 52) & 0x7ff).unwrap_or(0));
        let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), exponent - 1075) };
        let m = BigInt::from(m);
        Self { m: if v < 0.0 { -m } else { m }, e }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.m.sign() == Sign::NoSign
    }

    /// The leading `bits`, the others cut off.
    pub(crate) fn rounded(mut self, bits: u64) -> Self {
        let more = self.m.bits().saturating_sub(bits);
        if more > 0 {
            self.m >>= more;
            self.e += i64::try_from(more).unwrap_or(0);
        }
        self
    }

    /// self / other to about `bits` leading ones; `other` is not zero.
    pub(crate) fn quotient(&self, other: &Self, bits: u64) -> Self {
        let shift = (bits + other.m.bits()).saturating_sub(self.m.bits()) + 1;
        Self { m: (&self.m << shift) / &other.m, e: self.e - other.e - i64::try_from(shift).unwrap_or(0) }
    }

    /// log2 |self| to 1e-12; minus infinity for zero.
    pub(crate) fn log2(&self) -> f64 {
        let (lead, e) = self.leading();
        if lead == 0.0 { f64::NEG_INFINITY } else { lead.abs().log2() + e as f64 }
    }

    /// The nearest double but for two roundings.
    pub(crate) fn value(&self) -> f64 {
        let (lead, e) = self.leading();
        // In two steps, so that no power of two alone overflows.
        let half = e.clamp(-2200, 2200) / 2;
        let rest = e.clamp(-2200, 2200) - half;
        #[expect(clippy::cast_possible_truncation, reason = "clamped")]
        let power = |e: i64| f64::powi(2.0, e as i32);
        lead * power(half) * power(rest)
    }

    fn leading(&self) -> (f64, i64) {
        let short = self.clone().rounded(62);
        (i64::try_from(&short.m).map_or(0.0, |m| m as f64), short.e)
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: Self) -> Dyadic {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let (low, high) = if self.e <= other.e { (self, other) } else { (other, self) };
        let shift = u64::try_from(high.e - low.e).unwrap_or(0);
        Dyadic { m: (&high.m << shift) + &low.m, e: low.e }
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        Dyadic { m: -&self.m, e: self.e }
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: Self) -> Dyadic {
        self + &-other
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: Self) -> Dyadic {
        Dyadic { m: &self.m * &other.m, e: self.e + other.e }
    }
}

/// A complex number of two of them.
#[derive(Clone, Debug)]
pub(crate) struct Complex {
    pub(crate) re: Dyadic,
    pub(crate) im: Dyadic,
}

impl Complex {
    pub(crate) fn real(re: Dyadic) -> Self {
        Self { re, im: Dyadic::zero() }
    }

    pub(crate) fn rounded(self, bits: u64) -> Self {
        Self { re: self.re.rounded(bits), im: self.im.rounded(bits) }
    }

    pub(crate) fn square_of_size(&self) -> Dyadic {
        &(&self.re * &self.re) + &(&self.im * &self.im)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.re.is_zero() && self.im.is_zero()
    }

    /// log2 of the modulus.
    pub(crate) fn log2(&self) -> f64 {
        0.5 * self.square_of_size().log2()
    }

    pub(crate) fn quotient(&self, other: &Self, bits: u64) -> Self {
        let size = other.square_of_size();
        let conjugate = Self { re: other.re.clone(), im: -&other.im };
        let above = self * &conjugate;
        Self { re: above.re.quotient(&size, bits), im: above.im.quotient(&size, bits) }
    }
}

impl Add for &Complex {
    type Output = Complex;
    fn add(self, other: Self) -> Complex {
        Complex { re: &self.re + &other.re, im: &self.im + &other.im }
    }
}

impl Sub for &Complex {
    type Output = Complex;
    fn sub(self, other: Self) -> Complex {
        Complex { re: &self.re - &other.re, im: &self.im - &other.im }
    }
}

impl Mul for &Complex {
    type Output = Complex;
    fn mul(self, other: Self) -> Complex {
        Complex {
            re: &(&self.re * &other.re) - &(&self.im * &other.im),
            im: &(&self.re * &other.im) + &(&self.im * &other.re),
        }
    }
}
