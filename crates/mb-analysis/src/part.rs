//! Part of a spectrum, or all of a small one, from sparse matrices with the constraints kept in them.

use super::factor::{self, Penalties};
use super::{FormulationSpectrum, Site, determined, moving, velocity_rows};
use crate::error::AnalysisError;
use crate::spectra::{free_at_rest, turning_pairs};
use crate::zeros::{ModelZeros, NEAR, settle_at_rest, settle_counted};
use mb_algebra::{Dense, QuadraticPencil, Sparse, StiffnessParts, interrupt};
use mb_eigen::penalty;
use mb_eigen::sparse::{KnownZeros, Request, SparseExpert, SparseFinding, SparseOptions};
use mb_eigen::{Class, Eigenpair, Finding, Spectrum, sparse};
use mb_linear::formulation::unconstrained::{penalty_equilibrium, unconstrained_blocks};
use mb_linear::{
    FreeAmong, FreeDirections, OperatingPoint, Stability, linearize_sparse, most_free_directions,
    unheld_directions,
};
use mb_model::Model;

/// Modes that are given of a large problem when nothing is asked for.
pub const LOWEST: usize = 20;

/// Unknowns up to which all modes of given matrices are computed when nothing is asked for.
pub const ALL_UP_TO: usize = 400;

/// Coordinates and constraint rows in all of a model up to which all its modes are computed by dense matrices when nothing
/// is asked for.
pub const DENSE_UP_TO: usize = 1000;

/// Largest size of an entry of given matrices, and the reciprocal of the smallest: products of them are doubles.
pub const LARGEST_ENTRY: f64 = 1e150;

/// Constraint rows up to which penalty matrices, which may couple them all, are made.
const MOST_PENALTIES: usize = 4000;

/// Eigenpairs of a linearized model with the constraints kept in its matrices.
///
/// # Errors
/// [`AnalysisError::Eigen`].
pub fn of_model(
    model: &Model,
    at: &OperatingPoint,
    request: Request,
    options: &SparseOptions,
) -> Result<FormulationSpectrum, AnalysisError> {
    let problem = problem(model, at, options)?;
    let PartProblem { pencil, parts, options, zeros, .. } = &problem;
    let name = "constrained/sparse".to_owned();
    let others = |pencil: &QuadraticPencil<Sparse>| match at.steady() {
        Some(motion) => {
            let QuadraticPencil { m, c, k, phi_q } = pencil;
            let pairs = turning_pairs(model, motion, [m, c, k], phi_q);
            (pairs, motion.deviation().in_all_coordinates())
        }
        None => (Vec::new(), std::array::from_fn(|_| Dense::zeros(model.nv(), model.nv()))),
    };
    let still = problem.still(&request);
    let none = Dense::zeros(model.nv(), 0);
    let solve = |directions: &Dense| {
        let known = KnownZeros { directions, others: &others, still: still.as_ref() };
        sparse::solve_with_zeros(pencil, parts.as_ref(), &known, &request, options)
    };
    let found = match solve(&zeros.directions) {
        Ok((spectrum, true)) if !zeros.allow(&spectrum) => solve(&none),
        found => found,
    };
    let (mut spectrum, complete) =
        found.map_err(|source| AnalysisError::Eigen { formulation: name.clone(), source })?;
    let settle = || {
        if complete {
            at.steady().into_iter().for_each(|motion| moving::couple(&mut spectrum, motion));
            with_whirl(model, at, request, name, &problem, spectrum)
        } else {
            of_spectrum(model, at, request, name, &problem, spectrum)
        }
    };
    // What was found is not lost on the last steps.
    if options.expert.keeps_at_interrupt { interrupt::finish(settle) } else { settle() }
}

/// A linearized model and what is known of its zeros.
pub struct PartProblem {
    /// M, C, K and Phi_q.
    pub pencil: QuadraticPencil<Sparse>,
    /// K as a sum where it is known as one.
    pub parts: Option<StiffnessParts>,
    /// The options, with what is known of the model and its motion.
    pub options: SparseOptions,
    /// Free turns and shifts of a steady motion.
    pub(crate) zeros: ModelZeros,
    /// Directions without stiffness at rest, from the geometry.
    free: Option<(FreeDirections, FreeAmong)>,
    /// Where that does not decide: those that no entry of K meets.
    unheld: Option<Sparse>,
}

impl PartProblem {
    /// As many directions without stiffness as a request may want, n x k; none where they are not known exactly.
    fn still(&self, request: &Request) -> Option<Sparse> {
        if self.unheld.is_some() {
            return self.unheld.clone();
        }
        let (free, among) = self.free.as_ref()?;
        // One more than wanted shows that there are more.
        let wanted = match request {
            Request::Lowest { count } => count.saturating_add(1),
            Request::Largest { .. } => 0,
            _ => usize::MAX,
        };
        free.columns(among, wanted)
    }
}

/// Directions without stiffness at rest, from the geometry.
pub(crate) fn free_directions(model: &Model, at: &OperatingPoint) -> Option<(FreeDirections, FreeAmong)> {
    FreeDirections::new(model, at).and_then(|free| free.all().map(|among| (free, among)))
}

/// The same, and the options with how many there are at most.
pub(crate) fn with_free(
    model: &Model,
    at: &OperatingPoint,
    options: &SparseOptions,
) -> (Option<(FreeDirections, FreeAmong)>, SparseOptions) {
    let known = free_directions(model, at);
    let most_zeros = options.expert.most_zeros.or(known.as_ref().map(|(_, among)| among.most));
    let expert = SparseExpert { most_zeros, ..options.expert };
    (known, SparseOptions { expert, ..*options })
}

/// The matrices of a linearized model, K as a sum where it is known as one, the free turns and shifts of its motion, and the options with
/// what is known of both: left vectors where the change along a motion is measured with them, and how many directions without stiffness there are at
/// most and at least, whatever the digits of K say.
///
/// # Errors
/// As [`super::rank`].
pub fn problem(
    model: &Model,
    at: &OperatingPoint,
    options: &SparseOptions,
) -> Result<PartProblem, AnalysisError> {
    let lin = linearize_sparse(model, at);
    let left_vectors = options.left_vectors || at.steady().is_some();
    let (known, options) = with_free(model, at, options);
    let mut unheld = None;
    let (free, zeros) = if let Some(motion) = at.steady() {
        let zeros = motion.free_directions(model, &lin.k, &lin.phi_q);
        (zeros.ncols(), ModelZeros::of(zeros, [&lin.c, &lin.k, &lin.phi_q]))
    } else {
        let free = velocity_rows::zeros_at_rest(model, at, &lin.phi_q)?;
        let exact = known.as_ref().filter(|(_, among)| among.exact).map(|(_, among)| among.most);
        if exact.is_none() && free == 0 {
            unheld = unheld_directions(&lin.k, &lin.phi_q).filter(|z| z.cols() > 0);
        }
        let found = exact.unwrap_or(0).max(unheld.as_ref().map_or(0, Sparse::cols));
        let damped = model.nv() <= DENSE_UP_TO && lin.c.data().iter().any(|x| *x != 0.0);
        let exact = known.as_ref().filter(|_| damped).and_then(|known| free_at_rest(model, known));
        let of = |z| ModelZeros::at_rest(z, &lin.c);
        (free.max(found), exact.map_or_else(|| ModelZeros::nothing(model.nv()), of))
    };
    let expert = SparseExpert { least_zeros: options.expert.least_zeros.max(free), ..options.expert };
    let (pencil, parts) = lin.into_pencil();
    let options = SparseOptions { left_vectors, expert, ..options };
    Ok(PartProblem { pencil, parts, options, zeros, free: known, unheld })
}

/// Eigenpairs of a linearized model that the distributed engine finds, or whatever else solves the problem with its constraints in the
/// matrices.
///
/// # Errors
/// As [`problem`], and those of `solve`.
pub fn of_model_elsewhere<E: From<AnalysisError>>(
    model: &Model,
    at: &OperatingPoint,
    request: Request,
    options: &SparseOptions,
    solve: impl FnOnce(&PartProblem, &Request) -> Result<Spectrum, E>,
) -> Result<FormulationSpectrum, E> {
    let problem = problem(model, at, options)?;
    let spectrum = solve(&problem, &request)?;
    Ok(of_spectrum(model, at, request, "constrained/slepc".to_owned(), &problem, spectrum)?)
}

/// A spectrum of a linearized model with its constraints in the matrices, from whatever found it: bounds of a motion widened, whirl
/// reported. Of the zeros as many as are known to be have no error bound.
fn of_spectrum(
    model: &Model,
    at: &OperatingPoint,
    request: Request,
    name: String,
    problem: &PartProblem,
    mut spectrum: Spectrum,
) -> Result<FormulationSpectrum, AnalysisError> {
    if let Some(motion) = at.steady() {
        let QuadraticPencil { m, c, k, .. } = &problem.pencil;
        moving::widen(&mut spectrum, motion, [m, c, k]);
    }
    let zeros = spectrum.eigenpairs.iter_mut().filter(|pair| pair.class == Class::Rigid);
    zeros.take(problem.options.expert.least_zeros).for_each(|pair| pair.error_bound = 0.0);
    with_whirl(model, at, request, name, problem, spectrum)
}

/// A spectrum whose bounds are those of the motion, whirl reported.
fn with_whirl(
    model: &Model,
    at: &OperatingPoint,
    request: Request,
    name: String,
    problem: &PartProblem,
    mut spectrum: Spectrum,
) -> Result<FormulationSpectrum, AnalysisError> {
    velocity_rows::settle(model, at, &mut spectrum);
    problem.zeros.settle(&mut spectrum, NEAR);
    // All zeros of a steady motion are those.
    if at.steady().is_none() {
        if problem.options.expert.most_zeros.is_none() {
            settle_at_rest(model, at, &problem.pencil, &mut spectrum);
        } else {
            settle_counted(problem.options.expert.least_zeros, &mut spectrum);
        }
    }
    let whirl = at.steady().map_or_else(Vec::new, |motion| moving::whirl(model, &spectrum, motion));
    determined::settle(model, at, &mut spectrum)?;
    Ok(FormulationSpectrum { request: Some(request), whirl, ..FormulationSpectrum::new(name, spectrum) })
}

/// The lowest modes of the mechanism in the penalty system at its own equilibrium.
///
/// # Errors
/// [`AnalysisError::OnlyAtRest`] in motion;
/// [`AnalysisError::Linear`] when the penalty system has no equilibrium near by; [`AnalysisError::Eigen`];
/// [`AnalysisError::TooLarge`] for more constraint rows than penalty matrices are made for.
pub fn of_penalty(
    model: &Model,
    at: &OperatingPoint,
    penalties: &Penalties,
    count: usize,
    options: &SparseOptions,
) -> Result<FormulationSpectrum, AnalysisError> {
    if model.nc() > MOST_PENALTIES {
        let (n, m) = (model.nv(), model.nc());
        return Err(AnalysisError::TooLarge { n, m, most: MOST_PENALTIES });
    }
    if at.steady().is_some() {
        return Err(AnalysisError::OnlyAtRest { what: "the lowest modes of the unconstrained formulation" });
    }
    let request = Request::Lowest { count };
    let factors = penalties.or(|| {
        let own = of_model(model, at, request, options)?;
        Ok::<_, AnalysisError>(factor::for_pairs(model, at, &own.spectrum.eigenpairs, penalties.law))
    })?;
    // Stiffness of penalties is none below zero: what has none with them has none without.
    let most_zeros = options.expert.most_zeros.or_else(|| most_free_directions(model, at));
    let options = &SparseOptions { expert: SparseExpert { most_zeros, ..options.expert }, ..*options };
    let own = at;
    let at = penalty_equilibrium(model, at.point(), &factors)?;
    let blocks = unconstrained_blocks(model, &at, &factors)?;
    let name = "unconstrained/sparse".to_owned();
    match penalty::lowest(&blocks, count, options) {
        Ok(mut spectrum) => {
            determined::settle(model, own, &mut spectrum)?;
            Ok(FormulationSpectrum {
                request: Some(request),
                penalty_factor: super::spectra::factor(&factors),
                penalty_violation: Some(at.violation),
                ..FormulationSpectrum::new(name, spectrum)
            })
        }
        Err(source) => Err(AnalysisError::Eigen { formulation: name, source }),
    }
}

/// Says which growing modes of an unstable equilibrium are not among the lowest, where the analysis has not said so.
pub fn with_growing(mut result: FormulationSpectrum, site: &Site) -> FormulationSpectrum {
    let told = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::GrowingNotShown { .. } });
    let Site::Rest(settled) = site else { return result };
    let (Stability::Unstable { directions }, Some(Request::Lowest { .. })) =
        (settled.stability, &result.request)
    else {
        return result;
    };
    let spectrum = &mut result.spectrum;
    let grows = |pair: &&Eigenpair| pair.value().is_some_and(|s| s.re > pair.error_bound);
    let shown = spectrum.eigenpairs.iter().filter(grows).count();
    if shown < directions && !spectrum.findings.iter().any(told) {
        let counted = directions;
        spectrum.findings.push(SparseFinding::GrowingNotShown { counted, shown }.into());
    }
    result
}

/// Takes out the word that fewer modes exist than were asked for, where it was not the user who asked.
pub fn without_wish(mut result: FormulationSpectrum) -> FormulationSpectrum {
    let fewer = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::FewerExist { .. } });
    result.spectrum.findings.retain(|f| !fewer(f));
    result
}
