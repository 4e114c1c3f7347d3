//! The num-traits interfaces that nalgebra asks of a scalar.

use crate::dual::Dual;
use crate::real::Real;
use num_traits::{One, Zero};

impl<T: Real> Zero for Dual<T> {
    fn zero() -> Self {
        <Self as Real>::zero()
    }
    fn is_zero(&self) -> bool {
        *self == <Self as Real>::zero()
    }
}

impl<T: Real> One for Dual<T> {
    fn one() -> Self {
        <Self as Real>::one()
    }
}
