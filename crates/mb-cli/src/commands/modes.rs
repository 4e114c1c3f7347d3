//! `mb modes`: eigenvalues with class and error, for one formulation or all side by side.

use crate::Answer;
use crate::args::{BasisArg, FormulationArg, FormulationArgs, ModelArgs, ModesArgs, TransferredArg};
use crate::engine;
use crate::failure::{Failure, RequestError};
use crate::flow::factor::{self, Penalties};
use crate::flow::{self, Comparison, FormulationSpectrum, Shares, Site, State, part};
use crate::json;
use crate::output::{ShapeFormat, Shapes};
use crate::picture::{self, PictureFormat};
use crate::plot::Plot;
use crate::progress::Progress;
use crate::render::{self, Style, comparison, modes, summary};
use crate::source::{Loaded, Text, load};
use mb_analysis::request::words;
use mb_constraints::{ConstraintRank, NullSpaceMethod};
use mb_eigen::penalty::ViolationLaw;
use mb_eigen::sparse::Request;
use mb_engine::{Problem, Stream};
use mb_linear::formulation::redundant::Transferred;
use mb_linear::{Formulation, OperatingPoint};
use mb_model::Model;
use std::fmt::Write as _;

/// Everything the command found.
#[derive(Debug)]
pub struct Modes {
    /// Rank of the constraints at the equilibrium.
    pub rank: ConstraintRank,
    /// The equilibrium, or the point of a motion.
    pub site: Site,
    /// Whether the eigenvalues are exponents: false for the eigenvalues of an instant of a motion.
    pub exponents: bool,
    /// One or several spectra.
    pub results: Vec<FormulationSpectrum>,
    /// The others against the first.
    pub comparisons: Vec<Comparison>,
    /// Energy and participation in the modes of the first, where asked for.
    pub shares: Shares,
    /// True when only the lowest modes were computed because the model is large.
    pub chosen: bool,
    /// The model.
    pub loaded: Loaded,
}

impl Modes {
    /// The frame that the modes of a motion are seen from, in words after a comma; empty at rest.
    fn seen_from(&self) -> String {
        self.site.steady().map_or_else(String::new, |m| format!(", seen from {}", m.frame()))
    }
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics.
pub fn run(text: &Text, args: &ModesArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    if let Some(path) = &args.output.shapes {
        ShapeFormat::of(path)?;
    }
    let folder = args.output.plot.as_deref().filter(|path| PictureFormat::of(path).is_none());
    let remedy = "give a folder, or for one sheet of all modes a name that ends in .svg, .pdf or .png";
    folder.map_or(Ok(()), |path| picture::check_folder(path, remedy))?;
    if args.engine.only_prepares() {
        return prepare(text, args, progress);
    }
    let found = analyse(text, args, progress)?;
    if let (Some(path), Some(result)) = (&args.output.shapes, found.results.first()) {
        let model = &found.loaded.model;
        let coordinate = |i: usize| model.coordinate_name(i);
        let lines = modes::lines(&result.spectrum, args.request.all);
        Shapes { coordinate: &coordinate, lines, left: args.output.left }.write(path)?;
    }
    if let (Some(path), Some(result)) = (&args.output.plot, found.results.first()) {
        let model = &found.loaded.model;
        let lines = modes::lines(&result.spectrum, false);
        let source = format!("{}, {}{}", found.loaded.file, result.name, found.seen_from());
        let (whirl, q) = (&result.whirl[..], &found.site.point().q);
        let (view, names) = (args.output.picture.view.clone(), args.output.picture.names);
        let (most, format) = (args.output.plot_modes, args.output.plot_format);
        Plot { model, q, lines, whirl, source, most, format, view, names }.write(path)?;
    }
    let text =
        if args.output.json { json::modes::document(&found, args) } else { render(&found, args, style) };
    let answer = Answer::spectra(text, &found.results);
    Ok(if args.output.json { answer.with_reason(&found.results) } else { answer })
}

/// A folder for the engine, or an estimate.
fn prepare(text: &Text, args: &ModesArgs, progress: Progress) -> Result<Answer, Failure> {
    let model_args = ModelArgs { model: args.model.clone().unwrap_or_default(), set: args.set.clone() };
    let loaded = load(text, &model_args)?;
    let model = &loaded.model;
    part_wanted(model, args)?;
    let request = args.request.for_engine(args.engine.option())?;
    let (mut start, motion) = crate::start::with_motion(model, &args.start, &args.motion)?;
    start.watch = progress.watch();
    let site = flow::site(model, &start, motion.as_ref())?;
    let State::Lasting(at) = site.state() else {
        return Err(RequestError::NotOfAnInstant { option: args.engine.option() }.into());
    };
    let options = part::options(&args.solver, &args.output);
    let (request, words) = (&request, &words(&request));
    if let Some(folder) = &args.engine.engine_write {
        let stream = Stream { request, words, options: &options, ranks: args.engine.ranks, folder };
        return Ok(Answer::right(engine::write(&stream, model, &at, progress)?));
    }
    let part::PartProblem { pencil, parts, options, .. } = part::problem(model, &at, &options)?;
    let problem = Problem { pencil: &pencil, parts: parts.as_ref(), request, words, options: &options };
    Ok(Answer::right(engine::prepare(&problem, &args.engine)?))
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &ModesArgs, progress: Progress) -> Result<Modes, Failure> {
    let stage = progress.stage("reading the model");
    let model_args = ModelArgs { model: args.model.clone().unwrap_or_default(), set: args.set.clone() };
    let loaded = load(text, &model_args)?;
    drop(stage);
    let model = &loaded.model;
    let (request, chosen) = part_wanted(model, args)?;
    // Both of the others keep the constraints in the matrices; what sets them apart is the rest of the spectrum. What makes a mode of the
    // mechanism one of the penalty system is known of the lowest ones alone, else of the whole spectrum.
    let of_whole = match args.formulation.formulation {
        FormulationArg::Minimal | FormulationArg::Redundant => false,
        FormulationArg::Unconstrained => !matches!(request, Some(Request::Lowest { .. })),
        FormulationArg::All => true,
    };
    let part = request.filter(|_| !of_whole);
    args.solver.check(part.is_some())?;
    check_shares(args)?;
    let formulations = formulations(model, &args.formulation)?;
    if part.is_none() {
        flow::check_size(model, flow::MOST_ROWS)?;
    }
    let (mut start, motion) = crate::start::with_motion(model, &args.start, &args.motion)?;
    start.watch = progress.watch();
    if motion.is_some() || flow::rotates(model) {
        check_at_rest(args)?;
    }
    let stage = progress.stage(match motion {
        None => "solving for the equilibrium",
        Some(_) => "solving for the point of the motion",
    });
    let site = flow::site(model, &start, motion.as_ref())?;
    let rank = flow::rank(model, site.point())?;
    drop(stage);
    let at = match site.state() {
        State::Lasting(at) => at,
        State::Instant(at) => {
            check_instant(not_of_an_instant(args))?;
            let [Formulation::Minimal(method)] = &formulations[..] else {
                return Err(RequestError::NotOfAnInstant { option: "--formulation" }.into());
            };
            let results = vec![flow::moving::of_instant(model, &at, method)?];
            let (comparisons, shares) = (Vec::new(), Shares::default());
            return Ok(Modes { rank, site, exponents: false, results, comparisons, shares, chosen, loaded });
        }
    };
    let asked = request.as_ref().map_or_else(|| "all modes".to_owned(), words);
    let _stage = progress.stage(&format!("computing {asked}"));
    let mut results: Vec<FormulationSpectrum> = match part {
        Some(request) => {
            let options = part::options(&args.solver, &args.output);
            let result = match (&formulations[..], request) {
                _ if args.engine.answers() => {
                    part::of_model_by_engine(model, &at, request, &options, &args.engine, progress)?
                }
                ([Formulation::Unconstrained(_)], Request::Lowest { count }) => {
                    part::of_penalty(model, &at, &penalties(&args.formulation)?, count, &options)?
                }
                _ => progress
                    .unless_ended(|| part::of_model(model, &at, request, &options))
                    .map_err(Failure::Stopped)??,
            };
            let result = if chosen { part::without_wish(result) } else { result };
            vec![part::with_growing(result, &site)]
        }
        None => whole(model, &at, &formulations, &args.formulation, progress)?,
    };
    let against = |r: &FormulationSpectrum| Comparison::new(&results[0].spectrum, &r.spectrum);
    let mut comparisons: Vec<Comparison> = results.iter().skip(1).map(against).collect();
    if let Some(request) = request.filter(|_| of_whole) {
        Comparison::keep_asked(&mut results, &mut comparisons, &request, rank.degrees_of_freedom());
    }
    let (energy, participation) = (args.output.shares.energy, args.output.shares.participation);
    let shares = flow::shares(model, &at, &results[0], energy, participation)?;
    Ok(Modes { rank, site, exponents: true, results, comparisons, shares, chosen, loaded })
}

/// The option that asks of an instant what only vibrations have.
fn not_of_an_instant(args: &ModesArgs) -> Option<&'static str> {
    if args.request.part().is_some() {
        return Some(args.request.option());
    }
    args.output.plot.is_some().then_some("--plot")
}

/// Shares of energy and mass are those of vibrations about a rest.
fn check_at_rest(args: &ModesArgs) -> Result<(), RequestError> {
    match (args.output.shares.energy, args.output.shares.participation) {
        (true, _) => Err(RequestError::OnlyAtRest { option: "--energy" }),
        (_, true) => Err(RequestError::OnlyAtRest { option: "--participation" }),
        _ => Ok(()),
    }
}

/// Energy and participation are those of vectors that satisfy the constraints.
fn check_shares(args: &ModesArgs) -> Result<(), Failure> {
    let option = match (args.output.shares.energy, args.output.shares.participation) {
        (true, _) => "--energy",
        (_, true) => "--participation",
        _ => return Ok(()),
    };
    let formulation = match args.formulation.formulation {
        FormulationArg::Minimal | FormulationArg::All => return Ok(()),
        FormulationArg::Redundant => "redundant",
        FormulationArg::Unconstrained => "unconstrained",
    };
    Err(RequestError::PartOfFormulation { option, formulation }.into())
}

/// The part of the spectrum to compute, and whether that was chosen by size; none for all of it.
fn part_wanted(model: &Model, args: &ModesArgs) -> Result<(Option<Request>, bool), Failure> {
    let formulation = &args.formulation;
    args.request.check()?;
    if args.engine.answers() || args.engine.only_prepares() {
        let request = args.request.for_engine(args.engine.option())?;
        let name = match formulation.formulation {
            FormulationArg::Minimal | FormulationArg::Redundant => return Ok((Some(request), false)),
            FormulationArg::Unconstrained => "unconstrained",
            FormulationArg::All => "all",
        };
        return Err(
            RequestError::PartOfFormulation { option: args.engine.option(), formulation: name }.into()
        );
    }
    if let Some(request) = args.request.part() {
        return Ok((Some(request), false));
    }
    let asked = args.request.all
        || formulation.formulation != FormulationArg::Minimal
        || formulation.basis.as_ref().is_some_and(|basis| *basis != BasisArg::Qr);
    if asked || model.nv() + model.nc() <= part::DENSE_UP_TO {
        return Ok((None, false));
    }
    Ok((Some(Request::Lowest { count: part::LOWEST }), true))
}

/// The formulations asked for, with names resolved.
fn formulations(model: &Model, args: &FormulationArgs) -> Result<Vec<Formulation>, Failure> {
    if let Some((option, formulation)) = args.astray() {
        return Err(RequestError::OtherFormulation { option, formulation }.into());
    }
    let basis = args.basis.as_ref().unwrap_or(&BasisArg::Qr);
    let minimal = || -> Result<Formulation, Failure> { Ok(Formulation::Minimal(method(model, basis)?)) };
    let redundant = || {
        let (phi_q, phi_q_t) = match args.transferred.unwrap_or(TransferredArg::None) {
            TransferredArg::None => (false, false),
            TransferredArg::Jacobian => (true, false),
            TransferredArg::Transpose => (false, true),
            TransferredArg::Both => (true, true),
        };
        Formulation::Redundant(Transferred { phi_q, phi_q_t })
    };
    let penalty = || -> Result<Formulation, Failure> {
        Ok(Formulation::Unconstrained(
            penalties(args)?
                .or(|| Ok::<_, Failure>(mb_linear::formulation::unconstrained::Factor::Scalar(1.0)))?,
        ))
    };
    Ok(match args.formulation {
        FormulationArg::Minimal => vec![minimal()?],
        FormulationArg::Redundant => vec![redundant()],
        FormulationArg::Unconstrained => vec![penalty()?],
        FormulationArg::All => vec![minimal()?, redundant(), penalty()?],
    })
}

/// The penalties asked for, in range.
fn penalties(args: &FormulationArgs) -> Result<Penalties, RequestError> {
    let wrong = |option, value, range| Err(RequestError::OutOfRange { option, value, range });
    // Beyond that products of them overflow, as with the numbers of a model.
    let (positive, least) = (f64::MIN_POSITIVE..1e100, 0.0..1e100);
    if let Some(alpha) = args.alpha.filter(|alpha| !positive.contains(alpha)) {
        return wrong("alpha", alpha, "a positive number below 1e100");
    }
    let (xi, omega) = (args.xi.unwrap_or(1.0), args.omega.unwrap_or(10.0));
    if !least.contains(&xi) {
        return wrong("xi", xi, "zero or a positive number below 1e100");
    }
    if !positive.contains(&omega) {
        return wrong("omega", omega, "a positive number below 1e100");
    }
    Ok(Penalties { alpha: args.alpha, law: ViolationLaw { xi, omega } })
}

/// Whole spectra; a penalty factor that is not given is chosen by the first of them, or by one made for it.
fn whole(
    model: &Model,
    at: &OperatingPoint,
    formulations: &[Formulation],
    args: &FormulationArgs,
    progress: Progress,
) -> Result<Vec<FormulationSpectrum>, Failure> {
    let mut results: Vec<FormulationSpectrum> = Vec::new();
    for formulation in formulations {
        let solved = progress.unless_ended(|| -> Result<FormulationSpectrum, Failure> {
            let Formulation::Unconstrained(_) = formulation else {
                return Ok(flow::spectrum_kept(model, at, formulation)?);
            };
            let penalties = penalties(args)?;
            let choose = || match results.first() {
                Some(first) => factor::for_pairs(model, at, &first.spectrum.eigenpairs, penalties.law),
                None => factor::for_whole(model, at, penalties.law),
            };
            let factors = penalties.or(|| Ok::<_, Failure>(choose()))?;
            Ok(flow::spectrum_kept(model, at, &Formulation::Unconstrained(factors))?)
        });
        match solved {
            Ok(result) => results.push(result?),
            Err(why) if results.is_empty() => return Err(Failure::Stopped(why)),
            // The formulations solved before are kept.
            Err(why) => {
                results.push(FormulationSpectrum::ended(formulation.to_string(), why));
                break;
            }
        }
    }
    Ok(results)
}

fn method(model: &Model, basis: &BasisArg) -> Result<NullSpaceMethod, Failure> {
    Ok(match basis {
        BasisArg::Qr => NullSpaceMethod::Qr,
        BasisArg::Svd => NullSpaceMethod::Svd,
        BasisArg::GramSchmidt => NullSpaceMethod::GramSchmidt,
        BasisArg::ZeroEigenvalue => NullSpaceMethod::ZeroEigenvalue,
        BasisArg::Selection(names) if names.is_empty() => NullSpaceMethod::CoordinateSelection(None),
        BasisArg::Selection(names) => {
            let known = model.coordinates().names();
            let index = |name: &String| {
                known.iter().position(|k| k == name).ok_or_else(|| RequestError::NoSuchCoordinate {
                    option: "--basis",
                    name: name.clone(),
                    known: known.clone(),
                })
            };
            let mut chosen = names.iter().map(index).collect::<Result<Vec<_>, _>>()?;
            chosen.sort_unstable();
            chosen.dedup();
            NullSpaceMethod::CoordinateSelection(Some(chosen))
        }
    })
}

/// Heading of the eigenvalues of an instant.
const INSTANT: &str =
    "eigenvalues of the matrices of this instant; they depend on the coordinates and are no rates of growth";

fn render(found: &Modes, args: &ModesArgs, style: Style) -> String {
    let model = &found.loaded.model;
    let all = args.request.all;
    let mut out = summary::heading(&found.loaded, &found.rank, style);
    out.push_str(&summary::site(model, &found.site, style));
    let mut notes = summary::start_notes(model, found.site.start());
    notes.extend(summary::redundancy_notes(&found.rank));
    if !found.exponents {
        let _ = writeln!(out, "\n{}", style.bold(&format!("{}: {INSTANT}", found.results[0].name)));
        out.push_str(&modes::eigenvalues(&found.results[0], style));
        out.push_str(&summary::notes(&notes, style));
        return out;
    }
    if found.chosen {
        notes.push(format!(
            "more than {} coordinates and constraint rows, so only the lowest modes, by sparse matrices: --lowest, --near and \
             --band ask for others, --all for every one",
            part::DENSE_UP_TO
        ));
    }
    if let [result] = found.results.as_slice() {
        let asked = result.request.as_ref().map_or_else(String::new, |r| format!(": {}", words(r)));
        let frame = found.seen_from();
        let _ = writeln!(out, "\n{}{asked}", style.bold(&format!("{}{frame}", result.name)));
        out.push_str(&modes::table(result, all, style));
        out.push('\n');
        out.push_str(&modes::counts(result));
        if let Some(factor) = result.penalty_factor {
            let _ = writeln!(out, "largest penalty factor: {factor:.1e}");
        }
        if let Some(violation) = result.penalty_violation {
            let violation = crate::render::tiny(violation);
            let _ =
                writeln!(out, "constraint violation at the equilibrium of the penalty system: {violation}");
        }
    } else {
        out.push('\n');
        if let Some(motion) = found.site.steady() {
            let _ = writeln!(out, "{}", style.bold(&format!("seen from {}", motion.frame())));
        }
        out.push_str(&comparison::table(&found.results, &found.comparisons, style));
        out.push('\n');
        out.push_str(&comparison::below(&found.results, &found.comparisons, style));
        if all {
            for result in &found.results {
                let _ = writeln!(out, "\n{}", style.bold(&result.name));
                out.push_str(&modes::table(result, true, style));
            }
        }
    }
    for result in &found.results {
        let name = &result.name;
        let several = found.results.len() > 1;
        let words = modes::findings(result, all).into_iter();
        notes.extend(words.map(|w| if several { format!("{name}: {w}") } else { w }));
    }
    let lines = modes::lines(&found.results[0].spectrum, all);
    notes.extend(summary::steadiness(&found.site));
    notes.extend(summary::rolling(model, &found.site));
    notes.extend(summary::own_speeds(model, &found.site));
    if let Some(energy) = &found.shares.energy {
        out.push_str(&render::shares::energy(energy, &lines, style));
        notes.extend(found.shares.has_negative().then(|| mb_analysis::NEGATIVE.to_owned()));
    }
    if let Some(participation) = &found.shares.participation {
        out.push_str(&render::shares::participation(participation, &lines, style));
    }
    out.push_str(&summary::notes(&notes, style));
    if args.output.vectors {
        let coordinate = |i: usize| model.coordinate_name(i);
        for result in &found.results {
            if found.results.len() > 1 {
                let _ = writeln!(out, "\n{}", style.bold(&result.name));
            }
            out.push_str(&modes::shapes(&coordinate, result, all, args.output.left, style));
        }
    }
    out
}

/// Refuses of an instant everything but the eigenvalues of the minimal form.
fn check_instant(option: Option<&'static str>) -> Result<(), RequestError> {
    option.map_or(Ok(()), |option| Err(RequestError::NotOfAnInstant { option }))
}
