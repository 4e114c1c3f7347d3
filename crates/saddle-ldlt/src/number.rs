//! What the factorization asks of real and complex numbers beyond [`Entry`].

use std::ops::{Add, MulAssign, Sub};

use pulp::Simd;

use super::{backward_kernel, forward_kernel};
use mb_algebra::Entry;
use mb_algebra::c64;

/// A real or complex number of the factors.
pub(super) trait Number:
    Entry + Add<Output = Self> + Sub<Output = Self> + MulAssign + std::fmt::Debug
{
    /// |re| + |im|: a magnitude without a square root.
    fn size(self) -> f64;
    /// 1 / x.
    fn inverse(self) -> Self;
    /// ln |x| + i arg x; the real part alone where numbers are real.
    fn logarithm(self) -> Self;
    /// Whether the number is real and below zero; a complex number counts by its real part.
    fn is_negative(self) -> bool;
    /// x times a real number.
    fn scaled(self, by: f64) -> Self;
    /// Rounding of these numbers over that of double precision.
    const ROUNDING: f64 = 1.0;
    /// Whether there are imaginary parts.
    const COMPLEX: bool;
    /// The logarithm of -1, as far as numbers show it: pi i, or zero.
    const HALF_TURN: Self;
    /// Real and imaginary part.
    fn parts(self) -> [f64; 2];
    /// i x; zero where numbers are real.
    fn turned(self) -> Self;
    /// self + l x, rounded once where `FUSED`: only where the processor does that.
    fn plus<const FUSED: bool>(self, l: Self, x: Self) -> Self;
    /// self - l x, rounded in the same way.
    fn minus<const FUSED: bool>(self, l: Self, x: Self) -> Self;
    /// self - x times a real number, rounded in the same way.
    fn minus_scaled<const FUSED: bool>(self, x: Self, by: f64) -> Self;
    /// x <- x - L21^T below with whole tiles ([`super::backward_kernel`]); false, and nothing done, where that has no pass for
    /// these numbers, W right-hand sides and the processor.
    #[inline(always)]
    fn upward<S: Simd, const W: usize>(
        simd: S,
        tiles: &[Self],
        x: &mut [[Self; W]],
        below: &[[Self; W]],
    ) -> bool {
        let _ = (simd, tiles, x, below);
        false
    }
    /// below <- below - L21 x with whole tiles ([`super::forward_kernel`]); false, and nothing done, where that has no pass for
    /// these numbers, W right-hand sides and the processor.
    #[inline(always)]
    fn downward<S: Simd, const W: usize>(
        simd: S,
        tiles: &[Self],
        x: &[[Self; W]],
        below: &mut [[Self; W]],
    ) -> bool {
        let _ = (simd, tiles, x, below);
        false
    }
}

/// What single and double precision have in common.
macro_rules! real_number {
    ($upward:path, $downward:path) => {
        #[inline(always)]
        fn upward<S: Simd, const W: usize>(
            simd: S,
            tiles: &[Self],
            x: &mut [[Self; W]],
            below: &[[Self; W]],
        ) -> bool {
            $upward(simd, tiles, x, below)
        }

        #[inline(always)]
        fn downward<S: Simd, const W: usize>(
            simd: S,
            tiles: &[Self],
            x: &[[Self; W]],
            below: &mut [[Self; W]],
        ) -> bool {
            $downward(simd, tiles, x, below)
        }

        const COMPLEX: bool = false;
        const HALF_TURN: Self = 0.0;

        #[inline]
        fn size(self) -> f64 {
            f64::from(self.abs())
        }

        #[inline]
        fn inverse(self) -> Self {
            self.recip()
        }

        fn logarithm(self) -> Self {
            self.abs().ln()
        }

        fn is_negative(self) -> bool {
            self < 0.0
        }

        #[inline]
        fn parts(self) -> [f64; 2] {
            [f64::from(self), 0.0]
        }

        #[inline]
        fn turned(self) -> Self {
            0.0
        }

        #[inline(always)]
        fn plus<const FUSED: bool>(self, l: Self, x: Self) -> Self {
            if FUSED { l.mul_add(x, self) } else { self + l * x }
        }

        #[inline(always)]
        fn minus<const FUSED: bool>(self, l: Self, x: Self) -> Self {
            if FUSED { (-l).mul_add(x, self) } else { self - l * x }
        }

        #[inline(always)]
        fn minus_scaled<const FUSED: bool>(self, x: Self, by: f64) -> Self {
            self.minus::<FUSED>(Self::from_real(by), x)
        }
    };
}

impl Number for f64 {
    real_number!(backward_kernel::double, forward_kernel::double);

    #[inline]
    fn scaled(self, by: f64) -> Self {
        self * by
    }
}

impl Number for f32 {
    real_number!(backward_kernel::single, forward_kernel::single);

    const ROUNDING: f64 = f32::EPSILON as f64 / f64::EPSILON;

    #[inline]
    fn scaled(self, by: f64) -> Self {
        Self::from_real(f64::from(self) * by)
    }
}

impl Number for c64 {
    #[inline]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    #[inline]
    fn inverse(self) -> Self {
        self.inv()
    }

    fn logarithm(self) -> Self {
        Self::new(self.norm().ln(), self.arg())
    }

    fn is_negative(self) -> bool {
        self.re < 0.0
    }

    #[inline]
    fn scaled(self, by: f64) -> Self {
        self * by
    }

    const COMPLEX: bool = true;
    const HALF_TURN: Self = Self::new(0.0, std::f64::consts::PI);

    #[inline]
    fn parts(self) -> [f64; 2] {
        [self.re, self.im]
    }

    #[inline]
    fn turned(self) -> Self {
        Self::new(-self.im, self.re)
    }

    #[inline(always)]
    fn plus<const FUSED: bool>(self, l: Self, x: Self) -> Self {
        if FUSED {
            let re = l.im.mul_add(-x.im, l.re.mul_add(x.re, self.re));
            Self::new(re, l.im.mul_add(x.re, l.re.mul_add(x.im, self.im)))
        } else {
            self + l * x
        }
    }

    #[inline(always)]
    fn minus<const FUSED: bool>(self, l: Self, x: Self) -> Self {
        self.plus::<FUSED>(-l, x)
    }

    #[inline(always)]
    fn minus_scaled<const FUSED: bool>(self, x: Self, by: f64) -> Self {
        if FUSED {
            Self::new((-by).mul_add(x.re, self.re), (-by).mul_add(x.im, self.im))
        } else {
            self - x * by
        }
    }
}
