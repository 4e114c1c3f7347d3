//! Some eigenvalues of a large descriptor pair E y' = A y.
//!
//! ```text
//! E = [I 0 0; 0 M 0; 0 0 0],   A = [0 I 0; -K -C -Phi_q^T; -Phi_q 0 0],   y = (q, v, lambda)
//! eigenvalues: 2 (n - r) of the mechanism, 3 r infinite, m - r indeterminate          gonzalez2017, Eqs. (8), (9)
//! ```
//!
//! Where a pair has this form, in any order of its rows and columns, in units that are powers of two, and its constraint rows in any sign and
//! unit (mechanism.rs), it is the constrained second-order problem of its blocks: the infinite eigenvalues, which come in chains of three and which rounding scatters over large finite
//! values, then never arise, symmetry of M, C and K is used, and undamped results are proved complete. The eigenvalues
//! found are certified on E and A. Any other pair is a second-order problem without mass, s E y - A y = 0, after rows
//! and columns are scaled to one size. Sizes: n coordinates, m constraint rows of rank r, E and A N x N, N = 2n + m.

mod layout;
mod mechanism;
mod units;

use mb_algebra::sorted::descending;
use mb_algebra::{
    DescriptorPencil, QuadraticPencil, Scatter, Sparse, SparseLu, Triplets, c64, norms, sparse,
};
use mechanism::Mechanism;

use super::solve::solve_with;
use crate::dense::FiniteCount;
use crate::descriptor;
use crate::descriptor::{DescriptorStructure, Transferred};
use crate::finding::SparseFinding;
use crate::numeric::vectors::inner;
use crate::numeric::vectors::norm_bound;
use crate::options::{SparseOptions, Structure};
use crate::problem::equilibrated::Equilibrated;
use crate::problem::matrix;
use crate::request::Request;
use crate::{
    Class, ClassCounts, DenseOptions, EigenError, Eigenpair, ExpectedCounts, Finding, Spectrum, dense, tuning,
};

/// Some eigenvalues of E y' = A y.
///
/// `pencil`: E, A of equal size N, E possibly singular. The vectors are states y of length N, multipliers are part of them,
/// and infinite eigenvalues are never returned; how many there are is reported in the counts, by theory where E and A
/// have the form of the module's header, else by rank (up to 400 states, or where E has as many regular rows as
/// nonzero ones; zero counts mean that nothing is known). [`Structure::Symmetric`] declares E and A symmetric. Errors
/// as [`super::solve`].
pub fn solve_descriptor(
    pencil: &DescriptorPencil<Sparse>,
    request: &Request,
    options: &SparseOptions,
) -> Result<Spectrum, EigenError> {
    let mut spectrum = with_left(pencil, request, options)?;
    if !options.left_vectors {
        spectrum.eigenpairs = spectrum.eigenpairs.into_iter().map(Eigenpair::without_left).collect();
    }
    Ok(spectrum)
}

/// The same with left vectors, which the condition of the states needs.
fn with_left(
    pencil: &DescriptorPencil<Sparse>,
    request: &Request,
    options: &SparseOptions,
) -> Result<Spectrum, EigenError> {
    let size = pencil.e.rows();
    if size == 0 {
        return Err(EigenError::Empty);
    }
    for (name, a) in [("E", &pencil.e), ("A", &pencil.a)] {
        matrix::check(name, a, size, size)?;
        if options.expert.structure == Structure::Symmetric {
            matrix::check_symmetric(name, a, options.expert.symmetry_tolerance)?;
        }
    }
    if options.expert.structure == Structure::Detect
        && let Some(mechanism) = Mechanism::of(pencil)
    {
        let (blocks, evidence) = (&mechanism.blocks, Evidence::new(pencil));
        let bring = |spectrum: &mut Spectrum| {
            for pair in &mut spectrum.eigenpairs {
                mechanism.lift(pair);
                evidence.bring(pair);
            }
        };
        if *request == Request::All && size <= options.expert.all_limit {
            let mut spectrum = everything(blocks, options)?;
            bring(&mut spectrum);
            return Ok(spectrum);
        }
        let mut spectrum = solve_with(blocks, None, None, request, options, true)?;
        bring(&mut spectrum);
        let counts = &mut spectrum.counts;
        // Directions without mass turn eigenvalues of motion into infinite ones in either form.
        let demanded = ExpectedCounts::descriptor(counts.n, counts.m, counts.rank, 0);
        let lost = demanded.motion.saturating_sub(counts.expected.motion);
        counts.expected = ExpectedCounts {
            motion: counts.expected.motion,
            infinite: demanded.infinite + lost.saturating_sub(counts.expected.indeterminate),
            indeterminate: demanded.indeterminate + counts.expected.indeterminate,
            ..demanded
        };
        return Ok(spectrum);
    }
    without_form(pencil, request, options)
}

/// A pair of any other form, as the second-order problem without mass.
fn without_form(
    given: &DescriptorPencil<Sparse>,
    request: &Request,
    options: &SparseOptions,
) -> Result<Spectrum, EigenError> {
    let size = given.e.rows();
    let even = Equilibrated::new(given);
    let pencil = &even.pencil;
    let quadratic = QuadraticPencil {
        m: sparse::zeros(size, size),
        c: pencil.e.clone(),
        k: sparse::scale(-1.0, &pencil.a),
        phi_q: sparse::zeros(0, size),
    };
    let mut spectrum =
        solve_with(&quadratic, None, None, request, options, true).map_err(|error| match error {
            EigenError::NoLargest { source, .. } => EigenError::NoLargest { matrix: "E", source },
            other => other,
        })?;
    let infinite = spectrum.of_class(Class::Infinite).count();
    let singular = spectrum.findings.iter().any(|f| matches!(f, Finding::SingularPencil { .. }));
    spectrum.eigenpairs.retain(|pair| pair.class != Class::Infinite);
    // They speak of the problem without mass.
    let other = |f: &Finding| matches!(f, Finding::SingularMass { .. } | Finding::CountMismatch { .. });
    spectrum.findings.retain(|finding| !other(finding));
    let finite = if singular { None } else { finite_eigenvalues(pencil, &quadratic) };
    let open = finite.as_ref().and_then(|finite| finite.open.clone());
    if let Some(open) = open.filter(|open| !spectrum.findings.contains(open)) {
        spectrum.findings.push(open);
    }
    let finite = finite.map(|finite| finite.roots);
    let evidence = Evidence::new(given);
    let surplus = finite.map_or(0, |finite| drop_surplus(&mut spectrum, finite));
    for pair in &mut spectrum.eigenpairs {
        (pair.right, pair.left) = (even.right(&pair.right).into(), even.left(&pair.left).into());
        evidence.bring(pair);
    }
    let counts = &mut spectrum.counts;
    counts.found = ClassCounts::of(&spectrum.eigenpairs);
    counts.expected = finite.map_or_else(ExpectedCounts::default, |motion| ExpectedCounts {
        motion,
        infinite: size.saturating_sub(motion),
        ..ExpectedCounts::default()
    });
    if *request == Request::All {
        // Without mass every state has one infinite eigenvalue more.
        counts.found.infinite = (infinite + surplus).saturating_sub(size);
        if counts.expected.total() > 0 {
            spectrum.findings.extend(spectrum.counts.mismatches());
        }
    }
    Ok(spectrum)
}

/// Where more eigenvalues came out as finite than `finite`, leaves out the largest where those in excess are uninformative
/// of themselves, their bounds being as large as they are: rounding brought them from infinity. How many; they are no
/// modes of those said to exist.
fn drop_surplus(spectrum: &mut Spectrum, finite: usize) -> usize {
    let surplus = spectrum.motion().count().saturating_sub(finite);
    let size = |pair: &Eigenpair| pair.value().filter(|_| pair.class.is_motion()).map_or(-1.0, c64::norm);
    let mut order: Vec<usize> = (0..spectrum.eigenpairs.len()).collect();
    descending(&mut order, |&i| size(&spectrum.eigenpairs[i]));
    order.truncate(surplus);
    let blurred = |i: &usize| spectrum.eigenpairs[*i].error_bound >= size(&spectrum.eigenpairs[*i]);
    if !order.iter().all(blurred) {
        return 0;
    }
    let modes = order.iter().filter(|&&i| spectrum.eigenpairs[i].alpha.im >= 0.0).count();
    for finding in &mut spectrum.findings {
        if let Finding::Sparse { detail: SparseFinding::FewerExist { exist, .. } } = finding {
            *exist = exist.saturating_sub(modes);
        }
    }
    order.sort_unstable();
    for i in order.into_iter().rev() {
        spectrum.eigenpairs.remove(i);
    }
    surplus
}

/// Finite eigenvalues of a regular pair: by rank decisions where it is small, else by structure; none where that says
/// nothing.
fn finite_eigenvalues(
    pencil: &DescriptorPencil<Sparse>,
    quadratic: &QuadraticPencil<Sparse>,
) -> Option<FiniteCount> {
    // Largest N of which finite eigenvalues are counted by rank decisions, with dense matrices.
    if pencil.e.rows() <= tuning::DENSE_UP_TO {
        return dense::finite_eigenvalues(&quadratic.to_dense(), &DenseOptions::default()).ok().flatten();
    }
    by_structure(pencil).map(FiniteCount::from)
}

/// Where E = [E_1 0; 0 0] and A = [.. ..; .. A_2] up to permutations, E_1 and A_2 regular, the finite eigenvalues are
/// as many as E_1 has rows.
fn by_structure(pencil: &DescriptorPencil<Sparse>) -> Option<usize> {
    let size = pencil.e.rows();
    let (mut rows, mut columns) = (vec![false; size], vec![false; size]);
    for (value, (i, j)) in &pencil.e {
        if *value != 0.0 {
            (rows[i], columns[j]) = (true, true);
        }
    }
    let dynamic = rows.iter().filter(|used| **used).count();
    let square = dynamic == columns.iter().filter(|used| **used).count();
    let part = |a: &Sparse, used: bool| {
        let number = |flags: &[bool]| -> Vec<usize> {
            let mut next = 0;
            flags.iter().map(|flag| if *flag == used { (next, next += 1).0 } else { usize::MAX }).collect()
        };
        let (row, column) = (number(&rows), number(&columns));
        let width = if used { dynamic } else { size - dynamic };
        let mut out = Triplets::new(width, width);
        for (value, (i, j)) in a {
            if row[i] < usize::MAX && column[j] < usize::MAX {
                out.add(row[i], column[j], *value);
            }
        }
        out.to_sparse()
    };
    (square && is_regular(&part(&pencil.e, true)) && is_regular(&part(&pencil.a, false))).then_some(dynamic)
}

/// Whether a matrix, with rows of equal size, has LU factors that do not blow a vector up beyond what rounding allows.
fn is_regular(a: &Sparse) -> bool {
    let mut a = a.to_csr();
    if a.rows() == 0 {
        return true;
    }
    for mut row in a.outer_iterator_mut() {
        let largest = row.data().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        row.iter_mut().for_each(|(_, v)| *v /= largest);
    }
    let Ok(lu) = SparseLu::new(&a.to_csc()) else { return false };
    let trial: Vec<f64> = (0..a.rows()).map(|i| 1.0 + (i % 7) as f64 / 8.0).collect();
    let solution = lu.solve(&trial);
    // A NaN is no proof.
    // Growth of a vector under the inverse of a matrix that still counts as regular.
    norms::two(&solution) <= (1.0 / tuning::EPS_3_4) * norms::two(&trial)
}

/// All finite eigenvalues, with those of every class counted and compared with theory.
fn everything(blocks: &QuadraticPencil<Sparse>, options: &SparseOptions) -> Result<Spectrum, EigenError> {
    let settings = DenseOptions {
        constraint_rank: options.expert.constraint_rank,
        symmetry_tolerance: options.expert.symmetry_tolerance,
        ..DenseOptions::default()
    };
    let transferred = Transferred::default();
    let structure = DescriptorStructure { pencil: blocks.to_dense(), transferred };
    let mut spectrum = descriptor::solve(&structure, &settings)?;
    spectrum.eigenpairs.retain(|pair| pair.class.is_motion());
    spectrum.report_poor_accuracy();
    Ok(spectrum)
}

/// What is claimed of states: on E and A as given.
struct Evidence<'a> {
    pencil: &'a DescriptorPencil<Sparse>,
    norm_e: f64,
    norm_a: f64,
}

impl<'a> Evidence<'a> {
    fn new(pencil: &'a DescriptorPencil<Sparse>) -> Self {
        Self { pencil, norm_e: norm_bound(&pencil.e), norm_a: norm_bound(&pencil.a) }
    }

    /// y at length one with w^H E y unchanged; backward error and condition of the pair E, A (Dedieu and Tisseur, Linear
    /// Algebra Appl. 358, 2003).
    fn bring(&self, pair: &mut Eigenpair) {
        let length = norms::two_complex(&pair.right);
        if length > 0.0 {
            pair.right.edit(|y| y.iter_mut().for_each(|z| *z /= length));
            pair.left.edit(|w| w.iter_mut().for_each(|z| *z *= length));
        }
        let (y, w) = (&pair.right, &pair.left);
        let (alpha, beta) = (pair.alpha, pair.beta);
        let ey = sparse::matvec_complex(&self.pencil.e, y);
        let ay = sparse::matvec_complex(&self.pencil.a, y);
        let rest: Vec<c64> = ey.iter().zip(&ay).map(|(e, a)| alpha * e - a * beta).collect();
        let rest = norms::two_complex(&rest);
        let (size_e, size_a) = (alpha.norm() * self.norm_e, beta * self.norm_a);
        pair.backward_error = if rest > 0.0 { rest / (size_e + size_a) } else { 0.0 };
        if pair.condition.is_finite() {
            let form = (inner(w, &ey) * beta + alpha.conj() * inner(w, &ay)).norm();
            let condition = size_e.hypot(size_a) * norms::two_complex(w) / form;
            pair.condition = if condition.is_finite() { condition } else { f64::INFINITY };
        }
    }
}
