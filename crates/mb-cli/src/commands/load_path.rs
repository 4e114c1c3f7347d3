//! `mb equilibrium --load-path`: equilibria along growing loads, and where they end.

use crate::Answer;
use crate::args::EquilibriumArgs;
use crate::failure::Failure;
use crate::flow::{self, StartOptions};
use crate::json;
use crate::plot::{EquilibriumPlot, Picture};
use crate::render::{Column, Style, Table, six};
use crate::source::Loaded;
use mb_linear::{LoadPath, PathEnd};

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
        return Ok(Answer::right(json::load_path::document(&path)));
    }
    let mut table =
        Table::new(vec![Column::number("load factor", ""), Column::words("equilibrium"), Column::words("")]);
    for step in &path.steps {
        let iterations = format!("{} iterations", step.equilibrium.iterations);
        table.row(vec![six(step.factor), step.stability.to_string(), style.dim(&iterations)]);
    }
    let end = match &path.end {
        PathEnd::FullLoad => "full load".to_owned(),
        PathEnd::Buckling { factor, directions } => {
            let ways =
                if *directions == 1 { "1 direction".to_owned() } else { format!("{directions} directions") };
            format!("buckles at {} times the loads, in {ways}", six(*factor))
        }
        PathEnd::LimitPoint { factor } => {
            format!("no equilibrium nearby carries more than {} times the loads", six(*factor))
        }
        PathEnd::InsideOut { factor, worst } => {
            format!("beyond {} times the loads {worst}", six(*factor))
        }
    };
    Ok(Answer::right(format!("{}{}\n", table.render(style), style.bold(&end))))
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
        pictures: vec![picture],
        source: loaded.file.clone(),
        scale: args.plot_scale,
    }
    .write(path)
}
