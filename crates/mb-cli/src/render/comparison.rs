//! Several formulations side by side.

use super::modes::{class, lines, shown};
use super::{Column, Style, Table, six, tiny};
use crate::flow::{Comparison, FormulationSpectrum};
use mb_eigen::Eigenpair;
use std::fmt::Write as _;

/// The table: the first formulation, then each other with its difference to the first.
pub fn table(results: &[FormulationSpectrum], comparisons: &[Comparison], style: Style) -> String {
    let Some((reference, others)) = results.split_first() else { return String::new() };
    let mut columns = vec![Column::number("mode", "")];
    columns.push(Column::number("minimal re", "1/s"));
    columns.push(Column::number("im", "rad/s"));
    for other in others {
        let family = other.name.split('/').next().unwrap_or_default();
        columns.push(Column::number(&format!("{family} re"), "1/s"));
        columns.push(Column::number("im", "rad/s"));
        columns.push(Column::number("differs by", "rad/s"));
    }
    columns.push(Column::words("class"));
    let mut table = Table::new(columns);
    for line in lines(&reference.spectrum, false) {
        let Some(s) = shown(line.pair) else { continue };
        let mut row = vec![line.number.to_string(), six(s.re), line.imaginary(s)];
        for (other, comparison) in others.iter().zip(comparisons) {
            match comparison.partner(line.index) {
                Some(m) => {
                    let pair = &other.spectrum.eigenpairs[m.other];
                    let value = shown(pair).unwrap_or_default();
                    row.extend([six(value.re), imaginary(pair), tiny(m.difference)]);
                }
                None => row.extend(["-".to_owned(), "-".to_owned(), "-".to_owned()]),
            }
        }
        row.push(class(line.pair));
        table.row(row);
    }
    if table.is_empty() { "  no modes\n".to_owned() } else { table.render(style) }
}

/// Both signs for complex values: the partner of a conjugate pair is one.
fn imaginary(pair: &Eigenpair) -> String {
    let im = shown(pair).map_or(0.0, |s| s.im);
    if im == 0.0 { "0".to_owned() } else { format!("±{}", six(im.abs())) }
}

/// One line for each formulation: its counts, worst residual and largest difference.
pub fn below(results: &[FormulationSpectrum], comparisons: &[Comparison], style: Style) -> String {
    let mut out = String::new();
    for (i, result) in results.iter().enumerate() {
        let _ = writeln!(out, "{}", style.bold(&result.name));
        let _ = write!(out, "  {}", super::modes::counts(result));
        let worst = result.spectrum.motion().map(|p| p.backward_error).fold(0.0, f64::max);
        let _ = write!(out, "  largest residual {}", tiny(worst));
        if let Some(factor) = result.penalty_factor {
            let _ = write!(out, ", largest penalty factor {factor:.1e}");
        }
        if let Some(violation) = result.penalty_violation {
            let _ = write!(out, ", constraint violation at its equilibrium {}", tiny(violation));
        }
        if let Some(comparison) = i.checked_sub(1).and_then(|k| comparisons.get(k)) {
            if let Some(d) = comparison.largest() {
                let _ = write!(out, ", largest difference {} rad/s", tiny(d));
            }
            let lost = comparison.unmatched_reference.len() + comparison.unmatched_other.len();
            if lost > 0 {
                let _ = write!(out, ", {lost} eigenvalues without partner");
            }
        }
        out.push('\n');
    }
    out
}
