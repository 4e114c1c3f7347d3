//! Problems prepared for an engine outside, and what it found brought back with bounds and proofs of our own.
//!
//! An engine is a program on many machines that has factors and Krylov methods, and no notion of constraints, classes or errors.
//! [`Prepared`] drops dependent constraint rows and scales by powers of two, so that nothing is rounded:
//!
//! ```text
//! K~ = [D K D, D Phi^T R; R Phi D, 0],  M~ = [g^2 D M D, 0; 0, 0],  C~ = [g D C D, 0; 0, 0],   x = D x~,  l = R l~,  s = g s~
//! ```
//!
//! with D and R diagonal and Phi the independent rows at length one. [`Prepared::finish`] takes an [`Answer`] back. Nothing that the
//! engine says of its own answer is believed: residuals, classes and bounds are computed here from the matrices as given, and modes
//! count as complete only where inertias at both ends of an interval agree with the modes that have bounds, and do so again at
//! other shifts (`inertia.rs`); of damped problems where the phase of the determinant closes around a circle (`phase.rs`).

mod gathering;
mod general;
mod inertia;
mod outline;
mod phase;
mod refined;
mod scaled;
mod scaling;
mod undamped;

use std::io;

use mb_algebra::compensated::two_sum;
use mb_algebra::{QuadraticPencil, Sparse, StiffnessParts, c64};

pub use self::gathering::{Gathered, Gathering};
use self::outline::Outline;
pub use self::scaled::{Lines, ScaledMatrix};
use self::scaling::Scaling;
use crate::options::{Shift, SparseOptions, Structure};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::request::Request;
use crate::transform::shift_invert::Form;
use crate::{EigenError, Spectrum, tuning};

/// Where the engine looks, in its own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Search {
    /// The eigenvalues nearest to the shift.
    Nearest,
    /// All between two w, of undamped symmetric problems.
    Between {
        /// Lower end.
        from: f64,
        /// Upper end.
        to: f64,
    },
    /// All within a radius of the shift.
    Within {
        /// The radius.
        radius: f64,
    },
}

/// What the engine is to do; all numbers in its units.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a list of settings, one line each in the engine's options"
)]
pub struct Task {
    /// Undamped symmetric, real numbers: K x = w M x. Otherwise complex numbers.
    pub undamped: bool,
    /// Whether all matrices are symmetric.
    pub symmetric: bool,
    /// Whether left vectors are needed.
    pub left: bool,
    /// 2 for K + s C + s^2 M, 1 for K + tau M.
    pub degree: usize,
    /// Whether the shift may move towards the lowest eigenvalues.
    pub lowest: bool,
    /// Where to look.
    pub search: Search,
    /// The shift: w, s or tau.
    pub shift: c64,
    /// The point s near which modes are wanted.
    pub point: c64,
    /// Eigenvalues to compute.
    pub want: usize,
    /// Eigenvalues that the circle of a contour is to hold.
    pub reach: usize,
    /// Whether eigenvalues are to be counted.
    pub count: bool,
    /// Determinants of a contour at most.
    pub points: usize,
    /// Modes of a band that one shift serves.
    pub slice: usize,
    /// Whether it is known what rounding left of K, the matrix `K_low`.
    pub sum: bool,
    /// Whether it is to be checked that M has no negative eigenvalue.
    pub check_mass: bool,
    /// A w below zero at which growing modes are counted.
    pub below_zero: f64,
    /// Independent constraint rows.
    pub rank: usize,
    /// Finite eigenvalues at most: modes of an undamped problem, s or tau of others.
    pub most: usize,
    /// Directions without stiffness at most.
    pub zeros: usize,
}

/// The inertia of K - w M as the engine reports it, in its units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// w.
    pub at: f64,
    /// Negative eigenvalues of the saddle-point matrix.
    pub negative: usize,
    /// Pivots taken for zero.
    pub null_pivots: usize,
    /// Relative residual of a solve with the factors.
    pub residual: f64,
}

/// A determinant as the engine reports it, in its units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Determinant {
    /// The point, s or tau.
    pub at: c64,
    /// ln |det| + i arg det.
    pub logarithm: c64,
    /// Smallest singular value of the matrix, zero where it was not computed.
    pub smallest: f64,
    /// Relative residual of a solve with the factors.
    pub residual: f64,
}

/// Vectors of length n + r, displacements before multipliers.
#[derive(Clone, Debug, PartialEq)]
pub enum Vectors {
    /// Of undamped symmetric problems.
    Real(Vec<Vec<f64>>),
    /// Of others.
    Complex(Vec<Vec<c64>>),
}

/// What an engine found, in its units.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// w, s or tau.
    pub values: Vec<c64>,
    /// A vector for each.
    pub right: Vectors,
    /// Of symmetric problems, what rounding left of each: the vectors are the sums of both.
    pub low: Option<Vectors>,
    /// Vectors of the transposed problem, where they were asked for.
    pub left: Option<Vec<Vec<c64>>>,
    /// Inertias.
    pub inertias: Vec<Inertia>,
    /// Determinants around a circle.
    pub determinants: Vec<Determinant>,
    /// The shift last used, and the radius of the circle.
    pub circle: (c64, f64),
    /// Negative eigenvalues of the mass matrix; none where they were not counted.
    pub mass_negative: Option<usize>,
    /// Factorizations made.
    pub factorizations: usize,
}

/// What is written for an engine.
pub trait ForEngine {
    /// What the engine is to do.
    fn task(&self) -> &Task;
    /// Unknowns of the matrices, n + r.
    fn size(&self) -> usize;
    /// The matrices by name, n + r square: `K`, `M`, with degree two `C` and, where K is known as a sum, `K_low`, by which it exceeds `K`. They are scaled as they are read.
    ///
    /// # Errors
    /// Of a place where lines wait.
    fn matrices(&self) -> io::Result<Vec<(&'static str, ScaledMatrix<'_>)>>;
}

/// A problem ready for an engine.
#[derive(Debug)]
pub struct Prepared<'a> {
    problem: Problem<'a>,
    pencil: &'a QuadraticPencil<Sparse>,
    request: Request,
    options: SparseOptions,
    scaling: Scaling,
    form: Form,
    task: Task,
    /// What rounding left of K, where it is known as a sum.
    of_sum: Option<Sparse>,
}

impl<'a> Prepared<'a> {
    /// Prepares a problem; as [`crate::sparse::solve_in_parts`].
    ///
    /// # Errors
    /// Shapes, entries and settings as there; [`EigenError::NotForEngine`] for a request that engines do not answer.
    pub fn new(
        pencil: &'a QuadraticPencil<Sparse>,
        parts: Option<&'a StiffnessParts>,
        request: &Request,
        options: &SparseOptions,
    ) -> Result<Self, EigenError> {
        answerable(request)?;
        let problem = Problem::new(pencil, options)?.with_parts(parts, options)?;
        free(problem.dof())?;
        let matrices = [&problem.m, &problem.c, &problem.k];
        let outline = Outline::of(matrices.map(Matrix::sparse), matrices.map(|a| a.symmetric));
        let phi = problem.rows.independent.sparse();
        let scaling = Scaling::of(&outline, phi);
        let form = outline.form();
        let (rank, finite) = (problem.rows.rank, problem.expected_eigenvalues());
        let of_sum = parts.filter(|_| problem.symmetric).map(|parts| left_of_sum(parts, &pencil.k));
        let task = task(&outline, (rank, finite), request, options, scaling.gamma);
        let task = Task { sum: of_sum.is_some(), ..task };
        Ok(Self { problem, pencil, request: *request, options: *options, scaling, form, task, of_sum })
    }

    /// Operations of one factorization and entries of the factors, by our own order of elimination; of complex numbers where the
    /// problem is damped.
    pub fn estimate(&self) -> (f64, usize) {
        (self.problem.factor_operations(), self.problem.factor_entries())
    }

    /// The spectrum that an answer gives, with bounds, classes and counts of our own.
    ///
    /// # Errors
    /// [`EigenError::EngineAnswer`] where the answer is none of this problem.
    pub fn finish(&self, answer: &Answer) -> Result<Spectrum, EigenError> {
        self.check(answer)?;
        if self.task.undamped { self.undamped(answer) } else { self.general(answer) }
    }

    fn check(&self, answer: &Answer) -> Result<(), EigenError> {
        let wrong = |what: String| Err(EigenError::EngineAnswer { what });
        let (count, size) = (answer.values.len(), self.size());
        let finite = |z: &c64| z.re.is_finite() && z.im.is_finite();
        let (lengths, numbers): (Vec<usize>, bool) = match &answer.right {
            Vectors::Real(x) => (x.iter().map(Vec::len).collect(), x.iter().flatten().all(|v| v.is_finite())),
            Vectors::Complex(x) => (x.iter().map(Vec::len).collect(), x.iter().flatten().all(finite)),
        };
        if matches!(answer.right, Vectors::Real(_)) != self.task.undamped {
            return wrong("its vectors are of the wrong kind".to_owned());
        }
        if lengths.len() != count || lengths.iter().any(|length| *length != size) {
            return wrong(format!(
                "it has {count} eigenvalues and vectors that do not fit, of {size} numbers each"
            ));
        }
        if !numbers || !answer.values.iter().all(finite) {
            return wrong("some of its numbers are not finite".to_owned());
        }
        let pairs = match (&answer.low, &answer.right) {
            (Some(Vectors::Real(low)), Vectors::Real(_)) => low.iter().map(Vec::len).collect(),
            (Some(Vectors::Complex(low)), Vectors::Complex(_)) => low.iter().map(Vec::len).collect(),
            (Some(_), _) => Vec::new(),
            (None, _) => lengths,
        };
        if pairs.len() != count || pairs.iter().any(|length| *length != size) {
            return wrong("what rounding left of its vectors does not fit them".to_owned());
        }
        match &answer.left {
            Some(left)
                if left.len() != count || left.iter().any(|y| y.len() != size || !y.iter().all(finite)) =>
            {
                wrong("its left vectors do not fit".to_owned())
            }
            None if self.task.left && count > 0 => wrong("it has no left vectors".to_owned()),
            _ => Ok(()),
        }
    }
}

impl ForEngine for Prepared<'_> {
    fn task(&self) -> &Task {
        &self.task
    }
    fn size(&self) -> usize {
        self.problem.n + self.problem.rows.rank
    }
    fn matrices(&self) -> io::Result<Vec<(&'static str, ScaledMatrix<'_>)>> {
        let p = &self.problem;
        let lines = [&p.m, &p.c, &p.k].map(|a| Box::new(a.sparse()) as Box<dyn Lines + '_>);
        let mut out = self.scaling.matrices(self.form, p.rows.independent.sparse(), lines);
        out.extend(self.of_sum.as_ref().map(|rest| ("K_low", self.scaling.without_rows(Box::new(rest), 0))));
        Ok(out)
    }
}

/// By how much a sum exceeds K, which is that sum rounded: exact.
fn left_of_sum(parts: &StiffnessParts, k: &Sparse) -> Sparse {
    let mut out = k.clone();
    for (i, mut line) in out.outer_iterator_mut().enumerate() {
        let [exact, rounded] = [&parts.exact, &parts.rounded].map(|a| a.outer_view(i));
        let entry = |line: &Option<sprs::CsVecView<'_, f64>>, j| {
            line.as_ref().and_then(|line| line.get(j).copied()).unwrap_or(0.0)
        };
        for (j, k) in line.iter_mut() {
            let (sum, rest) = two_sum(entry(&exact, j), entry(&rounded, j));
            *k = (sum - *k) + rest;
        }
    }
    out
}

/// Refuses requests that engines do not answer.
fn answerable(request: &Request) -> Result<(), EigenError> {
    request.check()?;
    match request {
        Request::All => Err(EigenError::NotForEngine { what: "all eigenvalues" }),
        Request::Largest { .. } => Err(EigenError::NotForEngine { what: "the largest eigenvalues" }),
        _ => Ok(()),
    }
}

/// Refuses a problem without degrees of freedom; their number.
fn free(dof: usize) -> Result<usize, EigenError> {
    let what = "a problem whose constraints leave no freedom";
    if dof == 0 { Err(EigenError::NotForEngine { what }) } else { Ok(dof) }
}

/// What is to be done for a request, with r independent constraint rows and a number of finite eigenvalues; `gamma`: g.
fn task(
    outline: &Outline,
    (rank, finite): (usize, usize),
    request: &Request,
    options: &SparseOptions,
    gamma: f64,
) -> Task {
    let tau = std::f64::consts::TAU;
    let (form, symmetric) = (outline.form(), outline.symmetric.iter().all(|x| *x));
    let as_symmetric = symmetric && options.expert.structure != Structure::General;
    let undamped = as_symmetric && form == Form::Squared && !outline.has_negative_mass();
    let (square, frequency_squared) = (gamma * gamma, outline.frequency_squared());
    let point = match *request {
        Request::NearFrequency { hz, .. } => c64::new(0.0, tau * hz),
        Request::NearPoint { s, .. } => s,
        Request::Band { from_hz, to_hz, .. } => c64::new(0.0, 0.5 * tau * (from_hz + to_hz)),
        _ => c64::new(0.0, 0.0),
    };
    let most = match form {
        Form::Companion if !undamped => finite,
        Form::First => finite.min(outline.n() - rank),
        _ => finite / 2,
    };
    let count = request.count().unwrap_or(0);
    let beside_zero = outline.softest().map_or(tuning::FIRST_SHIFT * frequency_squared, |w| {
        (tuning::BEFORE_SOFTEST * w).min(tuning::FIRST_SHIFT * frequency_squared)
    });
    let beside_zero = beside_zero.max(tuning::FEW_ROUNDINGS * frequency_squared);
    let lowest = matches!(request, Request::Lowest { .. }) && options.expert.shift == Shift::Automatic;
    let at_zero = point.norm_sqr() <= beside_zero;
    let given = match options.expert.shift {
        Shift::At(s) => Some(s),
        Shift::Automatic => None,
    };
    let (search, shift, want, reach);
    if undamped {
        let square_of = |s: c64| if s.re.abs() > s.im.abs() { -s.re * s.re } else { s.im * s.im };
        let w = given.map_or_else(|| if at_zero { -beside_zero } else { square_of(point) }, square_of);
        search = match *request {
            Request::Band { from_hz, to_hz, .. } => {
                let squared = |hz: f64| (tau * hz).powi(2) / square;
                let rounding = tuning::FEW_ROUNDINGS * frequency_squared / square;
                let from = squared(from_hz) * (1.0 - tuning::SQRT_EPS) - rounding;
                let from = if from_hz > 0.0 { from } else { -beside_zero / square };
                let to =
                    (squared(to_hz) * (1.0 + tuning::SQRT_EPS) + rounding).max(from + beside_zero / square);
                Search::Between { from, to }
            }
            _ => Search::Nearest,
        };
        (shift, want, reach) = (c64::new(w / square, 0.0), count.min(most), count);
    } else {
        let unit = if form == Form::Squared { square } else { gamma };
        let small = if form == Form::Squared { beside_zero } else { beside_zero.sqrt() };
        let at = given
            .map_or_else(|| if at_zero { c64::new(small, 0.0) } else { form.tau(point) }, |s| form.tau(s));
        let per_mode = if form != Form::Squared && at_zero { 2 } else { 1 };
        let values = (per_mode * count).min(most);
        search = match *request {
            Request::Band { from_hz, to_hz, max_damping_ratio } => {
                let r = general::radius_of_band(tau * from_hz, tau * to_hz, max_damping_ratio);
                Search::Within { radius: form.needed(at, point, r) / unit }
            }
            _ => Search::Nearest,
        };
        (shift, reach) = (at / unit, values);
        want = (values + 4 + values / 4).min(most);
    }
    Task {
        undamped,
        symmetric,
        left: !undamped && !symmetric,
        degree: if !undamped && form == Form::Companion { 2 } else { 1 },
        lowest,
        search,
        shift,
        point: point / gamma,
        want,
        reach,
        count: options.prove_complete,
        // Points of a contour at most.
        points: if options.prove_complete { tuning::POINTS } else { 0 },
        // Modes of a band that one shift serves.
        slice: tuning::MODES_AT_A_SHIFT,
        sum: false,
        check_mass: undamped && !outline.mass_is_diagonal,
        below_zero: -beside_zero / square,
        rank,
        most,
        zeros: options.expert.most_zeros.unwrap_or(most),
    }
}
