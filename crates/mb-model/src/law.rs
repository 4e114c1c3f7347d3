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
    /// The angle in radians, from -pi/2 to pi/2, whose sine is given.
    Asin,
    /// The angle in radians, from 0 to pi, whose cosine is given.
    Acos,
    /// The angle in radians, from -pi/2 to pi/2, whose tangent is given.
    Atan,
    /// The angle in radians of the point (x, y), given as y and x.
    Atan2,
    /// Square root.
    Sqrt,
    /// Exponential.
    Exp,
    /// Natural logarithm.
    Ln,
    /// Absolute value.
    Abs,
    /// The smaller of two numbers.
    Min,
    /// The larger of two numbers.
    Max,
    /// -1, 0 or 1.
    Sign,
    /// The second number where the first is positive, else the third.
    If,
    /// Degrees to radians.
    Deg,
}

impl Function {
    /// How many numbers it takes.
    pub fn arguments(self) -> usize {
        match self {
            Self::Atan2 | Self::Min | Self::Max => 2,
            Self::If => 3,
            _ => 1,
        }
    }
    /// The value; what is missing counts as zero.
    ///
    /// Derivatives are those of the branch taken. Inverse sine and cosine are NaN beyond 1 and have no derivative at 1.
    fn eval<S: Real>(self, argument: &impl Fn(usize) -> S) -> S {
        let x = argument(0);
        match self {
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.atan2(((S::one() - x) * (S::one() + x)).sqrt()),
            Self::Acos => ((S::one() - x) * (S::one() + x)).sqrt().atan2(x),
            Self::Atan => x.atan2(S::one()),
            Self::Atan2 => x.atan2(argument(1)),
            Self::Sqrt => x.sqrt(),
            Self::Exp => x.exp(),
            Self::Ln => x.ln(),
            Self::Abs => x.abs(),
            Self::Min | Self::Max => {
                let y = argument(1);
                let (a, b) = if self == Self::Min { (x, y) } else { (y, x) };
                // A NaN is no smaller number than any.
                if x.value().is_nan() || (!y.value().is_nan() && a.value() <= b.value()) { x } else { y }
            }
            Self::Sign | Self::If if x.value().is_nan() => x,
            Self::Sign => S::cst(if x.value() == 0.0 { 0.0 } else { x.value().signum() }),
            Self::If => argument(if x.value() > 0.0 { 1 } else { 2 }),
            Self::Deg => x.scale(core::f64::consts::PI / 180.0),
        }
    }
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
    /// f(a, b, ..), with as many arguments as the function takes
    Call(Function, Vec<Term<L>>),
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
            Self::Call(f, list) => f.eval(&|k| list.get(k).map_or_else(S::zero, |a| a.eval(leaf))),
        }
    }
    /// Degree as a polynomial in leaves of the given degrees, read from the form (terms that cancel still count); none
    /// where it is no polynomial.
    pub fn degree(&self, leaf: &impl Fn(&L) -> u32) -> Option<u32> {
        let constant = |a: &Self| a.degree(leaf).filter(|d| *d == 0);
        match self {
            Self::Leaf(l) => Some(leaf(l)),
            Self::Negative(a) => a.degree(leaf),
            Self::Call(Function::Deg, list) => list.first().map_or(Some(0), |a| a.degree(leaf)),
            Self::Sum(a, b) | Self::Difference(a, b) => Some(a.degree(leaf)?.max(b.degree(leaf)?)),
            Self::Product(a, b) => Some(a.degree(leaf)? + b.degree(leaf)?),
            Self::Quotient(a, b) => constant(b).and_then(|_| a.degree(leaf)),
            Self::Power(a, n) => match u32::try_from(*n) {
                Ok(n) => Some(a.degree(leaf)? * n),
                Err(_) => constant(a),
            },
            Self::Call(_, list) => list.iter().all(|a| constant(a).is_some()).then_some(0),
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
            Self::Call(g, list) => Term::Call(*g, list.iter().map(|a| a.map(f)).collect::<Result<_, _>>()?),
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
