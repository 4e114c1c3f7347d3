//! Given functions of time, for driving constraints and loads.

use mb_scalar::{Lift, Real};

/// Functions that may stand in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Sine of an angle in radians.
    Sin,
    /// Cosine of an angle in radians.
    Cos,
    /// Tangent of an angle in radians.
    Tan,
    /// Square root.
    Sqrt,
    /// Exponential.
    Exp,
    /// Natural logarithm.
    Ln,
    /// Absolute value.
    Abs,
    /// Degrees to radians.
    Deg,
}

/// An arithmetic expression over leaves `L`: numbers, names or time.
#[derive(Clone, Debug, PartialEq)]
pub enum Term<L> {
    /// A leaf.
    Leaf(L),
    /// -a
    Negative(Box<Term<L>>),
    /// a + b
    Sum(Box<Term<L>>, Box<Term<L>>),
    /// a - b
    Difference(Box<Term<L>>, Box<Term<L>>),
    /// a * b
    Product(Box<Term<L>>, Box<Term<L>>),
    /// a / b
    Quotient(Box<Term<L>>, Box<Term<L>>),
    /// a ^ n with a whole number n
    Power(Box<Term<L>>, i32),
    /// f(a)
    Call(Function, Box<Term<L>>),
}

impl<L> Term<L> {
    /// The value, with `leaf` giving the value of each leaf.
    pub fn eval<S: Real>(&self, leaf: &impl Fn(&L) -> S) -> S {
        match self {
            Self::Leaf(l) => leaf(l),
            Self::Negative(a) => -a.eval(leaf),
            Self::Sum(a, b) => a.eval(leaf) + b.eval(leaf),
            Self::Difference(a, b) => a.eval(leaf) - b.eval(leaf),
            Self::Product(a, b) => a.eval(leaf) * b.eval(leaf),
            Self::Quotient(a, b) => a.eval(leaf) / b.eval(leaf),
            Self::Power(a, n) => a.eval(leaf).powi(*n),
            Self::Call(f, a) => {
                let x = a.eval(leaf);
                match f {
                    Function::Sin => x.sin(),
                    Function::Cos => x.cos(),
                    Function::Tan => x.tan(),
                    Function::Sqrt => x.sqrt(),
                    Function::Exp => x.exp(),
                    Function::Ln => x.ln(),
                    Function::Abs => x.abs(),
                    Function::Deg => x.scale(core::f64::consts::PI / 180.0),
                }
            }
        }
    }
    /// Degree as a polynomial in leaves of the given degrees, read from the form (terms that cancel still count); none
    /// where it is no polynomial.
    pub fn degree(&self, leaf: &impl Fn(&L) -> u32) -> Option<u32> {
        let constant = |a: &Self| a.degree(leaf).filter(|d| *d == 0);
        match self {
            Self::Leaf(l) => Some(leaf(l)),
            Self::Negative(a) | Self::Call(Function::Deg, a) => a.degree(leaf),
            Self::Sum(a, b) | Self::Difference(a, b) => Some(a.degree(leaf)?.max(b.degree(leaf)?)),
            Self::Product(a, b) => Some(a.degree(leaf)? + b.degree(leaf)?),
            Self::Quotient(a, b) => constant(b).and_then(|_| a.degree(leaf)),
            Self::Power(a, n) => match u32::try_from(*n) {
                Ok(n) => Some(a.degree(leaf)? * n),
                Err(_) => constant(a),
            },
            Self::Call(_, a) => constant(a),
        }
    }
    /// The same expression over other leaves.
    pub fn map<M, E>(&self, f: &mut impl FnMut(&L) -> Result<M, E>) -> Result<Term<M>, E> {
        let mut sub = |t: &Self| t.map(f).map(Box::new);
        Ok(match self {
            Self::Leaf(l) => Term::Leaf(f(l)?),
            Self::Negative(a) => Term::Negative(sub(a)?),
            Self::Sum(a, b) => Term::Sum(sub(a)?, sub(b)?),
            Self::Difference(a, b) => Term::Difference(sub(a)?, sub(b)?),
            Self::Product(a, b) => Term::Product(sub(a)?, sub(b)?),
            Self::Quotient(a, b) => Term::Quotient(sub(a)?, sub(b)?),
            Self::Power(a, n) => Term::Power(sub(a)?, *n),
            Self::Call(g, a) => Term::Call(*g, sub(a)?),
        })
    }
}

/// A leaf of a function of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeLeaf<P> {
    /// A number, or a parameter's value.
    Number(P),
    /// Time in seconds.
    Time,
}

/// A function of time with its parameters filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLaw<P = f64>(pub Term<TimeLeaf<P>>);

impl<P: Real> TimeLaw<P> {
    /// The constant function.
    pub fn constant(value: P) -> Self {
        Self(Term::Leaf(TimeLeaf::Number(value)))
    }
    /// Degree of the law as a polynomial in time, read from its form; none where it is no polynomial.
    pub fn degree(&self) -> Option<u32> {
        self.0.degree(&|leaf| u32::from(matches!(leaf, TimeLeaf::Time)))
    }
    /// The value at time `t`, with derivatives when `t` carries them.
    pub fn eval<S: Lift<P>>(&self, t: S) -> S {
        self.0.eval(&|leaf| match leaf {
            TimeLeaf::Number(p) => S::lift(*p),
            TimeLeaf::Time => t,
        })
    }
}
