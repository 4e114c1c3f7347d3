//! What is asked of every solver.

use std::f64::consts::TAU;

use mb_algebra::{Dense, DescriptorPencil, Scatter, Sparse, Transferred, Triplets, c64, dense};
use mb_eigen::descriptor::{self, DescriptorStructure};
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::sparse::{self, Request, Shift, SparseExpert, SparseOptions};
use mb_eigen::{DenseOptions, EigenError, Spectrum};
use saddle_ldlt::{SaddleAnalysis, SaddleOptions};

use super::{Penalty, Problem};

/// Unknowns up to which the dense path, and the direct method, are asked as well.
const DENSE: usize = 100;
const DIRECT: usize = 200;
/// States up to which descriptor pairs are made.
const STATES: usize = 90;
/// Unknowns up to which bands of many modes are asked for.
const BANDS: usize = 600;
/// Unknowns beyond which few questions are asked, without and with damping.
const LARGE: usize = 1500;
const LARGE_DAMPED: usize = 150;
/// Operations a count along a contour may take.
const COUNT: f64 = 3e8;
/// Unknowns a mode that the search with factors in single precision demands.
const A_MODE: usize = 200;

/// Which eigenvalues exist for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Constrained,
    /// The eigenvalues of the mechanism next to those of the penalties.
    Penalty,
}

/// One answer: which solver, on what, and what it found.
pub(crate) struct Answer {
    pub(crate) who: &'static str,
    pub(crate) request: Request,
    pub(crate) form: Form,
    /// Whether a refusal for lack of memory is an answer.
    pub(crate) may_refuse: bool,
    pub(crate) found: Result<Spectrum, EigenError>,
}

impl Answer {
    fn new(who: &'static str, request: Request, found: Result<Spectrum, EigenError>) -> Self {
        Self { who, request, form: Form::Constrained, may_refuse: false, found }
    }
}

/// Uneven numbers in 0..1 that a place gives.
struct Dice(u64);

impl Dice {
    fn new(place: f64) -> Self {
        Self(place.to_bits() | 1)
    }

    /// Marsaglia, J. Stat. Softw. 8 (2003).
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Below `n`.
    fn below(&mut self, n: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below n")]
        let out = (self.roll() * n as f64) as usize;
        out.min(n.saturating_sub(1))
    }
}

/// By every solver that takes the problem, with requests of all kinds; `place` in 0..1 says where.
pub(crate) fn answers(problem: &Problem, place: f64) -> Vec<Answer> {
    let mut dice = Dice::new(place);
    let n = problem.pencil.k.rows();
    let mut out = Vec::new();
    whole(problem, &mut out);
    lowest(problem, &mut dice, &mut out);
    inside(problem, place, &mut dice, &mut out);
    if problem.is_undamped() && n <= BANDS {
        bands(problem, &mut dice, &mut out);
    }
    descriptors(problem, &mut dice, &mut out);
    if let Some(penalty) = &problem.penalty {
        penalties(problem, penalty, &mut out);
    }
    out
}

fn krylov() -> SparseOptions {
    SparseOptions::from(SparseExpert { dense_limit: 0, count_operations: COUNT, ..Default::default() })
}

/// By methods that take all of a problem, or as much as the direct method of yang2012 does.
fn whole(problem: &Problem, out: &mut Vec<Answer>) {
    let pencil = &problem.pencil;
    let n = pencil.k.rows();
    if n <= DENSE {
        let found = mb_eigen::dense::solve(&pencil.to_dense(), &DenseOptions::default());
        out.push(Answer::new("dense", Request::All, found));
    }
    if n <= DIRECT {
        let count = if problem.kind == "blocks" { problem.exact.len() } else { 6 };
        let found = direct::solve(pencil, count, &DirectOptions::default()).map(|found| found.spectrum);
        out.push(Answer::new("direct", Request::Lowest { count }, found));
    }
}

/// The lowest modes: of everything, of a few, from a given shift, with factors in single precision, with short memory.
fn lowest(problem: &Problem, dice: &mut Dice, out: &mut Vec<Answer>) {
    let pencil = &problem.pencil;
    let n = pencil.k.rows();
    let ask =
        |count: usize, options: &SparseOptions| sparse::solve(pencil, &Request::Lowest { count }, options);
    let dof = n - problem.rank;
    if problem.kind == "blocks" {
        let count = problem.exact.len();
        out.push(Answer::new("lowest, all of them", Request::Lowest { count }, ask(count, &krylov())));
    }
    let count = 1 + dice.below(if n > LARGE { 8 } else { 12 });
    out.push(Answer::new("lowest", Request::Lowest { count }, ask(count, &krylov())));
    if !problem.is_undamped() {
        return;
    }
    if dof >= A_MODE {
        let count = 1 + dice.below(12.min(dof / A_MODE));
        let options =
            SparseOptions { expert: SparseExpert { single_from: 0.0, ..krylov().expert }, ..krylov() };
        let found = ask(count, &options);
        out.push(Answer::new("lowest, single precision", Request::Lowest { count }, found));
    }
    if n <= LARGE {
        let exact = &problem.exact;
        let at = exact.get(dice.below(exact.len())).map_or(c64::new(0.0, 0.0), |(s, _)| *s);
        let options =
            SparseOptions { expert: SparseExpert { shift: Shift::At(at), ..krylov().expert }, ..krylov() };
        let found = ask(count, &options);
        out.push(Answer::new("lowest, shift on an eigenvalue", Request::Lowest { count }, found));
    }
    if let Ok(analysis) = SaddleAnalysis::new(&pencil.k, &pencil.phi_q, &SaddleOptions::default()) {
        let part = 0.5 + 0.5 * dice.roll();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bytes")]
        let limit = (analysis.estimate().bytes as f64 * part) as u64;
        let options = SparseOptions { memory_limit: Some(limit), ..krylov() };
        let answer = Answer::new("lowest, short memory", Request::Lowest { count: 3 }, ask(3, &options));
        out.push(Answer { may_refuse: true, ..answer });
    }
}

/// Near points and frequencies, on eigenvalues too, in bands, the largest.
fn inside(problem: &Problem, place: f64, dice: &mut Dice, out: &mut Vec<Answer>) {
    let pencil = &problem.pencil;
    let large = pencil.k.rows() > if problem.is_undamped() { LARGE } else { LARGE_DAMPED };
    let mut ask = |who: &'static str, request: Request| {
        out.push(Answer::new(who, request, sparse::solve(pencil, &request, &krylov())));
    };
    let top = problem.exact.iter().map(|(s, _)| s.norm()).fold(0.0, f64::max);
    if top == 0.0 {
        return;
    }
    let radius = top * (0.05 + 0.9 * (7.0 * place).fract());
    let hz = radius / TAU;
    ask("near a frequency", Request::NearFrequency { hz, count: 3 });
    if large {
        return;
    }
    let point = c64::from_polar(radius, TAU * place);
    ask("near a point", Request::NearPoint { s: point, count: 5 });
    ask("band", Request::Band { from_hz: hz, to_hz: 1.2 * hz, max_damping_ratio: Some(0.1) });
    let massless = problem.exact.len() < 2 * (pencil.k.rows() - problem.rank);
    if !massless {
        ask("largest", Request::Largest { count: 3 });
    }
    let (s, _) = problem.exact[dice.below(problem.exact.len())];
    let count = 1 + dice.below(6);
    ask("near an eigenvalue", Request::NearPoint { s, count });
    if s.im != 0.0 {
        let request = Request::NearFrequency { hz: s.im.abs() / TAU, count };
        ask("near the frequency of an eigenvalue", request);
    }
}

/// Bands of undamped problems: from one eigenvalue to another, and of many modes.
fn bands(problem: &Problem, dice: &mut Dice, out: &mut Vec<Answer>) {
    let mut sizes: Vec<f64> = problem.exact.iter().map(|(s, _)| s.im).filter(|im| *im >= 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    let mut ask = |who: &'static str, from: usize, to: usize| {
        let [Some(from), Some(to)] = [sizes.get(from), sizes.get(to)] else { return };
        let request = Request::Band { from_hz: from / TAU, to_hz: to / TAU, max_damping_ratio: None };
        out.push(Answer::new(who, request, sparse::solve(&problem.pencil, &request, &krylov())));
    };
    let from = dice.below(sizes.len());
    ask("band between eigenvalues", from, (from + dice.below(20)).min(sizes.len().saturating_sub(1)));
    let from = dice.below(sizes.len() / 2);
    let modes = (sizes.len() / 3).min(120);
    ask("band of many modes", from, from + modes);
}

/// As descriptor pairs: with the form of a mechanism, and with rows and states in another order and in units of their own.
fn descriptors(problem: &Problem, dice: &mut Dice, out: &mut Vec<Answer>) {
    let pencil = &problem.pencil;
    let (n, m) = (pencil.k.rows(), pencil.phi_q.rows());
    let size = 2 * n + m;
    if size > STATES {
        return;
    }
    let structure = DescriptorStructure { pencil: pencil.to_dense(), transferred: Transferred::default() };
    let found = descriptor::solve(&structure, &DenseOptions::default());
    out.push(Answer::new("descriptor, dense", Request::All, found));
    let pair = structure.pencil.to_descriptor(Transferred::default()).to_sparse();
    let mut ask =
        |who: &'static str, pair: &DescriptorPencil<Sparse>, request: Request, options: &SparseOptions| {
            out.push(Answer::new(who, request, sparse::solve_descriptor(pair, &request, options)));
        };
    ask("descriptor", &pair, Request::Lowest { count: 3 }, &krylov());
    // Rows that depend on each other leave a singular pair, whose form alone says what is meant.
    if problem.rank < m {
        return;
    }
    let mut order = || {
        let mut order: Vec<usize> = (0..size).collect();
        (1..size).rev().for_each(|i| order.swap(i, dice.below(i + 1)));
        order
    };
    let (rows, columns) = (order(), order());
    let mut unit = || (0..size).map(|_| (dice.below(21) as f64 - 10.0).exp2()).collect::<Vec<f64>>();
    let (row_units, column_units) = (unit(), unit());
    let mixed = |a: &Sparse| {
        let mut out = Triplets::new(size, size);
        for (v, (i, j)) in a {
            out.add(rows[i], columns[j], v * row_units[i] * column_units[j]);
        }
        out.to_sparse()
    };
    let pair = DescriptorPencil { e: mixed(&pair.e), a: mixed(&pair.a) };
    ask("hidden descriptor, everything", &pair, Request::All, &SparseOptions::default());
    ask("hidden descriptor, lowest", &pair, Request::Lowest { count: 3 }, &krylov());
}

/// Penalties in place of the constraints.
fn penalties(problem: &Problem, penalty: &Penalty, out: &mut Vec<Answer>) {
    let Penalty { blocks, .. } = penalty;
    let mut push = |who: &'static str, request: Request, found| {
        out.push(Answer { form: Form::Penalty, ..Answer::new(who, request, found) });
    };
    let [m, c, k, phi_q] = [&blocks.m, &blocks.c, &blocks.k, &blocks.phi_q].map(mb_algebra::to_dense);
    let with = |a: &Dense, by: &Dense| {
        let square = dense::mul_transpose(&phi_q, &dense::mul(&dense::mul(&blocks.xi, by), &phi_q));
        dense::add(1.0, a, 1.0, &square)
    };
    let all = PenaltyPencil {
        m: with(&m, &dense::identity(phi_q.nrows())),
        c: with(&c, &blocks.theta),
        k: with(&k, &blocks.omega),
        phi_q: phi_q.clone(),
        xi: blocks.xi.clone(),
    };
    push("penalty, dense", Request::All, penalty::solve(&all, &DenseOptions::default()));
    let count = problem.exact.len();
    let physical = penalty::physical_eigenpairs(&all, &DenseOptions::default());
    push("penalty, of the mechanism", Request::Lowest { count }, physical);
    push("penalty, lowest", Request::Lowest { count: 3 }, penalty::lowest(blocks, 3, &krylov()));
}
