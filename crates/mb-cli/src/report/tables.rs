//! The tables of the page; numbers are those of `--json`, words those of the terminal.

use crate::commands::modes::Modes;
use crate::flow::{FormulationSpectrum, Site};
use crate::render::modes::{Line, class, shown};
use crate::render::{six, tiny};
use mb_analysis::tables::{self, columns, number, optional, whole};
use mb_report::{Cell, Table};

/// The mode table.
pub(super) fn modes(lines: &[Line<'_>], result: &FormulationSpectrum) -> Table {
    let whirls = !result.whirl.is_empty();
    let row = |line: &Line<'_>| {
        let pair = line.pair;
        let (value, seen) = (pair.value(), shown(pair));
        // A part that drowns in its error is shown as zero; the number itself stays.
        let part = |of: fn(mb_algebra::c64) -> f64, text: &dyn Fn(f64) -> String| match (value, seen) {
            (Some(s), Some(seen)) => Cell::Number(of(s), text(of(seen))),
            _ => optional(None),
        };
        let undamped = seen.is_some_and(|s| s.re == 0.0);
        let zeta = match pair.damping_ratio() {
            Some(zeta) => Cell::Number(zeta, six(if undamped { 0.0 } else { zeta })),
            None => optional(None),
        };
        let sign = if line.conjugate { "±" } else { "" };
        let bound = pair.error_bound;
        let mut cells = vec![
            whole(line.number),
            part(|s| s.re, &six),
            part(|s| s.im, &|x| format!("{sign}{}", six(x))),
            optional(pair.frequency_hz()),
            optional(pair.natural_frequency_hz()),
            zeta,
            Cell::Words(class(pair)),
            Cell::Number(pair.backward_error, tiny(pair.backward_error)),
            Cell::Number(bound, if bound.is_finite() { tiny(bound) } else { "-".to_owned() }),
        ];
        cells.extend(whirls.then(|| tables::whirl(result.whirl_of(line.index))));
        cells
    };
    let mut heads = columns(&[
        ("mode", ""),
        ("re", "1/s"),
        ("im", "rad/s"),
        ("f_d", "Hz"),
        ("f_n", "Hz"),
        ("zeta", ""),
        ("class", ""),
        ("residual", ""),
        ("error", "rad/s"),
    ]);
    heads.extend(whirls.then(tables::whirl_column));
    Table {
        title: "Modes".to_owned(),
        note: String::new(),
        columns: heads,
        rows: lines.iter().map(row).collect(),
    }
}

/// The tables below the drawing, those with rows, and a note on those that are too long.
pub(super) fn all(found: &Modes, lines: &[Line<'_>]) -> (Vec<Table>, Option<String>) {
    let (model, point) = (&found.loaded.model, found.site.point());
    let number_of = |index: usize| lines.iter().find(|line| line.index == index).map(|line| line.number);
    let speeds = match found.site {
        Site::Motion(_) => tables::speeds(model, point),
        Site::Rest(_) => Table::default(),
    };
    let list = [
        tables::energy(&found.shares, number_of),
        tables::participation(&found.shares, number_of),
        tables::joints(model, &found.rank),
        tables::reactions(model, point),
        tables::outputs(model, point),
        tables::configuration(model, point),
        speeds,
        formulations(found),
    ];
    tables::kept(list, "`--json` has them")
}

/// Eigenvalues of the formulations against those of the first.
fn formulations(found: &Modes) -> Table {
    let mut rows = Vec::new();
    let reference = &found.results[0];
    for (other, comparison) in found.results.iter().skip(1).zip(&found.comparisons) {
        for m in &comparison.matches {
            let pair = &reference.spectrum.eigenpairs[m.reference];
            let Some(s) = pair.value().filter(|s| s.im >= 0.0) else { continue };
            rows.push(vec![
                Cell::Words(other.name.clone()),
                number(s.re),
                number(s.im),
                Cell::Number(m.difference, tiny(m.difference)),
            ]);
        }
    }
    Table {
        title: "Formulations compared".to_owned(),
        note: format!("Distance of each eigenvalue from that of {}.", reference.name),
        columns: columns(&[("formulation", ""), ("re", "1/s"), ("im", "rad/s"), ("difference", "rad/s")]),
        rows,
    }
}
