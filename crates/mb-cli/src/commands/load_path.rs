//! `mb equilibrium --load-path`: equilibria along growing loads, and where they end.

use crate::Answer;
use crate::args::EquilibriumArgs;
use crate::failure::{Failure, NUMERICS};
use crate::flow::{self, StartOptions};
use crate::json;
use crate::names;
use crate::plot::{EquilibriumPlot, Picture};
use crate::render::{Column, Style, Table, six, summary};
use crate::source::Loaded;
use mb_linear::{LoadPath, PathEnd, Stability};

/// Runs the command.
///
/// # Errors
/// When not even a small part of the loads has an equilibrium.
pub fn run(
    loaded: &Loaded,
    start: &StartOptions,
    args: &EquilibriumArgs,
    style: Style,
) -> Result<Answer, Failure> {
    let path = flow::along_loads(&loaded.model, start)?;
    if args.plot.is_some() {
        draw(loaded, start, args, &path)?;
    }
    if args.json {
        return Ok(answer(json::load_path::document(&path), &path));
    }
    let mut table =
        Table::new(vec![Column::number("load factor", ""), Column::words("equilibrium"), Column::words("")]);
    for step in &path.steps {
        let iterations = names::count(step.equilibrium.iterations, "iteration", "iterations");
        let stability = match step.stability {
            // Why is said once, below.
            Stability::Undecided => "undecided by stiffness".to_owned(),
            other => other.to_string(),
        };
        table.row(vec![six(step.factor), stability, style.dim(&iterations)]);
    }
    let end = match &path.end {
        PathEnd::FullLoad => "full load".to_owned(),
        PathEnd::Buckling { factor, directions, between } => {
            let ways = names::count(*directions, "direction", "directions");
            match between {
                None => format!("buckles at {} times the loads, in {ways}", six(*factor)),
                Some([from, to]) => format!(
                    "buckles between {} and {} times the loads, in {ways}: {}",
                    six(*from),
                    six(*to),
                    in_between(&path, *from)
                ),
            }
        }
        PathEnd::LimitPoint { factor } => {
            format!("no equilibrium nearby carries more than {} times the loads", six(*factor))
        }
        PathEnd::Stopped { factor, why } => {
            format!("stopped at {} times the loads: {why}", six(*factor))
        }
        PathEnd::InsideOut { factor, worst } => {
            format!("beyond {} times the loads {worst}", six(*factor))
        }
    };
    let mut out = format!("{}{}\n", table.render(style), style.bold(&end));
    let mut notes = Vec::new();
    if let Some(Stability::Unstable { directions }) = path.steps.first().map(|step| step.stability) {
        notes.push(format!(
            "the equilibrium is unstable in {} under {} times the loads already, the smallest that were tried: the path ends where more \
             directions become unstable",
            names::count(directions, "direction", "directions"),
            six(path.steps[0].factor)
        ));
    }
    if path.steps.iter().any(|s| s.stability == Stability::Undecided) {
        let note = "where stiffness does not decide (loads without a potential, such as followers, or signs lost in \
                    rounding) the path goes on whether stable or not: `mb modes` reports it";
        notes.push(note.to_owned());
    }
    out.push_str(&summary::notes(&notes, style));
    Ok(answer(out, &path))
}

/// Why the load factor of buckling is known no better.
fn in_between(path: &LoadPath, from: f64) -> &'static str {
    if path.steps.iter().any(|step| step.factor > from && step.stability == Stability::Undecided) {
        "in between the signs of the stiffness are lost in rounding"
    } else {
        "in between the stiffness is so small that Newton's method finds no equilibrium of this path"
    }
}

/// A path that was stopped is an answer with the exit code of numerics that did not come to an end.
fn answer(text: String, path: &LoadPath) -> Answer {
    let PathEnd::Stopped { factor, why } = &path.end else { return Answer::right(text) };
    let complaint = format!(
        "The path ended early, at {} times the loads: {}. What was found is kept.\n",
        six(*factor),
        super::parametric::ended(*why)
    );
    Answer { complaint, code: NUMERICS, ..Answer::right(text) }
}

/// Draws the last equilibrium over the unloaded model, those before it faintly.
fn draw(
    loaded: &Loaded,
    start: &StartOptions,
    args: &EquilibriumArgs,
    found: &LoadPath,
) -> Result<(), Failure> {
    let (Some(path), [passed @ .., last]) = (&args.plot, found.steps.as_slice()) else { return Ok(()) };
    let before = flow::assembled_start(&loaded.model, start)?.q;
    let picture = Picture {
        title: format!("equilibrium at {} times the loads: {}", six(last.factor), last.stability),
        q: last.equilibrium.q(),
        passed: passed.iter().map(|s| s.equilibrium.q()).collect(),
    };
    EquilibriumPlot {
        model: &loaded.model,
        before: &before,
        before_is: super::equilibrium::before_is(args),
        after_is: "in equilibrium",
        pictures: vec![picture],
        source: loaded.file.clone(),
        scale: args.plot_scale,
        view: args.picture.view.clone(),
        names: args.picture.names,
    }
    .write(path)
}
