//! `mb modes`: eigenvalues with class and error, for one formulation or all side by side.

use crate::Answer;
use crate::args::{BasisArg, FormulationArg, FormulationArgs, ModesArgs, TransferredArg};
use crate::failure::{Failure, RequestError};
use crate::flow::{self, Comparison, FormulationSpectrum, Settled};
use crate::json;
use crate::render::{Style, comparison, modes, summary};
use crate::source::{Loaded, Text, load};
use mb_constraints::{ConstraintRank, NullSpaceMethod};
use mb_linear::Formulation;
use mb_linear::formulation::redundant::Transferred;
use mb_linear::formulation::unconstrained::Penalty;
use mb_model::Model;
use std::fmt::Write as _;

/// Everything the command found.
#[derive(Debug)]
pub struct Modes {
    /// Rank of the constraints at the equilibrium.
    pub rank: ConstraintRank,
    /// The equilibrium.
    pub settled: Settled,
    /// One or several spectra.
    pub results: Vec<FormulationSpectrum>,
    /// The others against the first.
    pub comparisons: Vec<Comparison>,
    /// The model.
    pub loaded: Loaded,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics.
pub fn run(text: &Text, args: &ModesArgs, style: Style) -> Result<Answer, Failure> {
    let found = analyse(text, args)?;
    Ok(Answer::right(if args.json { json::modes::document(&found) } else { render(&found, args, style) }))
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &ModesArgs) -> Result<Modes, Failure> {
    let loaded = load(text, &args.model)?;
    let model = &loaded.model;
    flow::check_size(model, flow::MOST_ROWS)?;
    let formulations = formulations(model, &args.formulation)?;
    let start = crate::start::options(model, &args.start)?;
    let settled = flow::settle(model, &start)?;
    let rank = flow::rank(model, &settled)?;
    let results: Vec<FormulationSpectrum> =
        formulations.iter().map(|f| flow::spectrum(model, &settled, f)).collect::<Result<_, _>>()?;
    let against = |r: &FormulationSpectrum| Comparison::new(&results[0].spectrum, &r.spectrum);
    let comparisons = results.iter().skip(1).map(against).collect();
    Ok(Modes { rank, settled, results, comparisons, loaded })
}

/// The formulations asked for, with names resolved.
fn formulations(model: &Model, args: &FormulationArgs) -> Result<Vec<Formulation>, Failure> {
    let minimal =
        || -> Result<Formulation, Failure> { Ok(Formulation::Minimal(method(model, &args.basis)?)) };
    let redundant = || {
        let (phi_q, phi_q_t) = match args.transferred {
            TransferredArg::None => (false, false),
            TransferredArg::Jacobian => (true, false),
            TransferredArg::Transpose => (false, true),
            TransferredArg::Both => (true, true),
        };
        Formulation::Redundant(Transferred { phi_q, phi_q_t })
    };
    Ok(match args.formulation {
        FormulationArg::Minimal => vec![minimal()?],
        FormulationArg::Redundant => vec![redundant()],
        FormulationArg::Unconstrained => vec![penalty(args)?],
        FormulationArg::All => vec![minimal()?, redundant(), penalty(args)?],
    })
}

fn penalty(args: &FormulationArgs) -> Result<Formulation, Failure> {
    let wrong = |option, value, range| Err(RequestError::PenaltyOutOfRange { option, value, range }.into());
    if !(args.alpha.is_finite() && args.alpha > 0.0) {
        return wrong("alpha", args.alpha, "a positive number");
    }
    if !(args.xi.is_finite() && args.xi >= 0.0) {
        return wrong("xi", args.xi, "zero or a positive number");
    }
    if !(args.omega.is_finite() && args.omega > 0.0) {
        return wrong("omega", args.omega, "a positive number");
    }
    Ok(Formulation::Unconstrained(Penalty::scalar(args.alpha, args.xi, args.omega)))
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

fn render(found: &Modes, args: &ModesArgs, style: Style) -> String {
    let model = &found.loaded.model;
    let mut out = summary::heading(&found.loaded, &found.rank, style);
    out.push_str(&summary::equilibrium_line(&found.settled, style));
    out.push_str(&summary::short_configuration(model, found.settled.equilibrium.q(), style));
    let mut notes = summary::start_notes(model, &found.settled);
    notes.extend(summary::redundancy_notes(&found.rank));
    if let [result] = found.results.as_slice() {
        let _ = writeln!(out, "\n{}", style.bold(&result.formulation.to_string()));
        out.push_str(&modes::table(result, args.all, style));
        out.push('\n');
        out.push_str(&modes::counts(&result.spectrum));
        if let Some(violation) = result.penalty_violation {
            let violation = crate::render::tiny(violation);
            let _ =
                writeln!(out, "constraint violation at the equilibrium of the penalty system: {violation}");
        }
    } else {
        out.push('\n');
        out.push_str(&comparison::table(&found.results, &found.comparisons, style));
        out.push('\n');
        out.push_str(&comparison::below(&found.results, &found.comparisons, style));
        if args.all {
            for result in &found.results {
                let _ = writeln!(out, "\n{}", style.bold(&result.formulation.to_string()));
                out.push_str(&modes::table(result, true, style));
            }
        }
    }
    for result in &found.results {
        let name = result.formulation.to_string();
        let several = found.results.len() > 1;
        let words = modes::findings(result, args.all).into_iter();
        notes.extend(words.map(|w| if several { format!("{name}: {w}") } else { w }));
    }
    out.push_str(&summary::notes(&notes, style));
    if args.vectors {
        for result in &found.results {
            if found.results.len() > 1 {
                let _ = writeln!(out, "\n{}", style.bold(&result.formulation.to_string()));
            }
            out.push_str(&modes::shapes(model, result, args.all, style));
        }
    }
    out
}
