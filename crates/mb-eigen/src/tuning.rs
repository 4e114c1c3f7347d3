//! The thresholds of this crate, each once: amounts of rounding, powers of the unit roundoff, shares, numbers of steps and sizes. A decision
//! says where it is taken what it compares, and takes its threshold from here.
//!
//! With u = 2^-52 the spacing of numbers near one, rounding is met as a multiple of u where an entry, a sum, a product or a solution is
//! judged as it is, and as a power of u where rounding has gone through an iteration or an eigenvalue problem: a double eigenvalue moves by
//! u^(1/2), one in a Jordan chain of k by u^(1/k), and the value of a quotient whose vector is known to u^(1/2) by u.

/// What an operation or two with each entry leave, relative to the sum of the magnitudes of the terms: one product, one sum each way.
pub(crate) const FEW_ROUNDINGS: f64 = 4.0 * f64::EPSILON;
/// The same of entries that are sums over elements, and of products with them: the dozen operations that an element takes for an entry and
/// its neighbours add to.
pub(crate) const SUM_ROUNDINGS: f64 = 16.0 * f64::EPSILON;
/// Squared frequencies of coordinates below this share of the largest are none: between 1e-33, squares of rounding, and the 1e-16 of a spring
/// beside the stiffest one that is still distinguished, in the geometric mean.
pub(crate) const NOISE: f64 = 3e-24;
/// The same of sums in which larger terms cancel and of whole decompositions: a few dozen operations, 1.4e-14.
pub(crate) const MANY_ROUNDINGS: f64 = 64.0 * f64::EPSILON;
/// What is left of a solution, a projection or a null direction, in which the roundings of hundreds of operations meet: 1.1e-13.
pub(crate) const SOLVE_ROUNDINGS: f64 = 512.0 * f64::EPSILON;

/// u^(3/4) = 1.8e-12: what has gone through a decomposition or a solve that may lose a quarter of the digits, and is nothing below it.
pub(crate) const EPS_3_4: f64 = 1.0 / (1_u64 << 39) as f64;
/// u^(2/3) = 3.7e-11: pivots, masses and forces that are decided on where a third of the digits may be lost on the way.
pub(crate) const EPS_2_3: f64 = 3.67e-11;
/// u^(1/2): half the digits. A step of Newton's or the Rayleigh quotient iteration this small is followed by one of rounding; a double
/// eigenvalue is apart by this much; a bound above it leaves less than half of the digits and is worth double-double precision.
pub(crate) const SQRT_EPS: f64 = 1.0 / (1_u64 << 26) as f64;
/// u^(1/3) = 6.1e-6: a third of the digits, where a triple eigenvalue is torn apart to. Two vectors or values are one, or an eigenpair is
/// none, where less agrees.
pub(crate) const CBRT_EPS: f64 = 6.06e-6;
/// Quotient of two sizes with a gap between them that no rounding makes.
pub(crate) const GAP: f64 = 1.0 / CBRT_EPS;
/// u^(1/4): a quarter of the digits, where chains of four end up and a step aside changes all that rounding decides.
pub(crate) const EPS_1_4: f64 = 1.0 / (1_u64 << 13) as f64;

/// Relative size that counts for nothing beside one: three digits.
pub(crate) const SLIGHT: f64 = 1e-3;
/// Relative size that changes no verdict: two digits.
pub(crate) const MINOR: f64 = 1e-2;
/// A share that is clearly less than the whole, and by its inverse a gap or a growth that is clear: one digit.
pub(crate) const CLEAR: f64 = 0.1;
/// A part small enough to be given away by a statement that holds with a known chance.
pub(crate) const SPARE: f64 = 0.05;
/// Part of a limit that what is estimated to a factor of two or so may use up.
pub(crate) const PARTLY: f64 = 0.25;
/// The larger part: what has more than this of a vector, squared, is that vector; of a limit that is computed exactly, what may be used up.
pub(crate) const MAINLY: f64 = 0.5;
/// A factor within which estimates are the same.
pub(crate) const TWICE: f64 = 2.0;

/// Steps of inverse iteration, refinements and tries that gain digits each: three are as good as more.
pub(crate) const FEW_STEPS: usize = 3;
/// Moves of a shift, repairs and passes of which one usually does.
pub(crate) const ATTEMPTS: usize = 5;
/// Rounds of asking for more until what is wanted is surely there.
pub(crate) const ROUNDS: usize = 8;
/// Sweeps of scalings, whose logarithm halves in each, and halvings of a step.
pub(crate) const SWEEPS: usize = 16;
/// Steps of an iteration that converges linearly, or does not.
pub(crate) const STEPS: usize = 60;
/// Points of a contour at most: a determinant each.
pub(crate) const POINTS: usize = 400;

/// Largest change of a determinant's logarithm from one point of a contour to the next, of both its parts: a quarter of what would
/// make its phase ambiguous.
pub(crate) const QUIET: f64 = std::f64::consts::FRAC_PI_4;

/// Columns worked on at once: as many as a solve takes at the cost of seven, and more than a body has rigid motions.
pub(crate) const WIDTH: usize = 8;
/// The same where each column has its price.
pub(crate) const NARROW: usize = 4;
/// Eigenvalues that one shift serves in a band.
pub(crate) const MODES_AT_A_SHIFT: usize = 40;
/// Share of |s| by which rounding of the entries of K moves an eigenvalue that is worth another search: ten digits are left.
pub(crate) const LOST_DIGITS: f64 = 1e-10;
/// Unknowns, or columns, up to which dense methods are as fast whatever is asked for.
pub(crate) const TINY: usize = 40;
/// Unknowns up to which a dense decomposition for every eigenvalue, or in every step, takes no time.
pub(crate) const SMALL: usize = 100;
/// Unknowns up to which one dense decomposition does: tenths of a second.
pub(crate) const DENSE_UP_TO: usize = 400;
/// Rows of a basis in the cache at once.
pub(crate) const ROWS: usize = 512;
/// Length of vectors from which on their memory is worth more than passes over matrices.
pub(crate) const LONG: usize = 20_000;
/// Multiplications, a millisecond or more, from which on cores share them.
pub(crate) const SHARED_WORK: usize = 1 << 22;

/// Damping ratio to which a band without a limit is searched.
pub(crate) const BAND_DAMPING: f64 = 0.3;
/// First shift below zero, w in units of |K| / |M|; of s, its root. Rigid modes and others are told apart from here where K has half its
/// digits left.
pub(crate) const FIRST_SHIFT: f64 = 1e-8;
/// Nearest automatic shift in the same unit: rounding of K outweighs what a nearer one adds to it, and rigid modes would not be
/// distinguished from others.
pub(crate) const NEAREST_SHIFT: f64 = 1e-15;
/// Where a shift moves to that has rigid modes behind it, relative to the lowest w in motion or to the softest coordinate.
pub(crate) const BEFORE_SOFTEST: f64 = 0.03;

/// Residual of converged Ritz pairs relative to |theta|: one further application gains digits.
pub(crate) const TOLERANCE: f64 = 1e-10;
/// Asymmetry of matrices that is no property of the problem, relative to the largest entry.
pub(crate) const SYMMETRY: f64 = 1e-12;
