//! `mb equilibrium --load-path`: equilibria along growing loads, and where they end.

use crate::Answer;
use crate::failure::Failure;
use crate::flow::{self, StartOptions};
use crate::json;
use crate::render::{Column, Style, Table, six};
use crate::source::Loaded;
use mb_linear::PathEnd;

/// Runs the command.
///
/// # Errors
/// When not even a small part of the loads has an equilibrium.
pub fn run(loaded: &Loaded, start: &StartOptions, as_json: bool, style: Style) -> Result<Answer, Failure> {
    let path = flow::along_loads(&loaded.model, start)?;
    if as_json {
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
