//! Yang et al. 2012: direct eigenanalysis of a cantilever and a four-bar linkage of beams, scaled and not.

mod cantilever;
mod characteristic;
mod claims;
mod conditions;
mod discrete;
mod errata;
mod exact;
mod four_bar;
mod identity;
mod inputs;
mod pictures;
mod solid;
mod system;

use std::cell::OnceCell;

use mb_gallery::{Status, Table};

use crate::error::TaskError;
use crate::report::TableReport;
use crate::solvers::Comparison;

/// The systems of the tables by every sparse solver of this build.
pub(crate) fn comparisons() -> Vec<Comparison> {
    system::comparisons()
}

/// The discrete models of Figs. 1 and 2, and the modes of Fig. 3.
pub(crate) fn pictures() -> Result<Vec<(String, String)>, TaskError> {
    let failed = |figure: u32| move |_| TaskError::NoComputation { id: format!("yang2012/figure-{figure}") };
    let cantilever = system::cantilever(0.0).map_err(failed(1))?;
    let linkage = system::linkage().map_err(failed(2))?;
    let modes = pictures::figure_3(&linkage).map_err(failed(3))?;
    let drawings = [
        discrete::discrete(&cantilever, "Cantilever of beam elements (model 1)"),
        discrete::discrete(&linkage, "Four-bar linkage of beam elements as it is built"),
        modes,
    ];
    let name = |k: usize| format!("yang2012-figure-{}.svg", k + 1);
    Ok(drawings.into_iter().enumerate().map(|(k, text)| (name(k), text)).collect())
}

/// Computes and judges the tables.
pub(crate) fn reports(tables: &[Table]) -> Result<Vec<TableReport>, TaskError> {
    let systems = system::Systems::measure();
    let solids = OnceCell::new();
    let solids = || solids.get_or_init(solid::Solids::measure);
    let report = |table: &Table| {
        if table.status == Status::NotYetImplemented {
            return Ok(TableReport::not_yet_implemented(table));
        }
        let answers = match table.id.as_str() {
            "yang2012/table-1" => inputs::cantilever(),
            "yang2012/table-4" => inputs::linkage(),
            "yang2012/setup" => inputs::setup(&systems),
            "yang2012/errata" => errata::answers(),
            "yang2012/table-2" => cantilever::answers(table, &systems.free, "model 1"),
            "yang2012/table-3" => cantilever::answers(table, &systems.tense, "model 1"),
            "yang2012/table-5" => four_bar::answers(table, &systems.linkage),
            "yang2012/table-2-solid" => solids().answers(table, false),
            "yang2012/table-3-solid" => solids().answers(table, true),
            "yang2012/solid" => solids().separate(table),
            "yang2012/solid-meshes" => solid::meshes(),
            "yang2012/solid-search" => solid::search(table),
            "yang2012/conditions" => conditions::answers(table, &systems),
            "yang2012/sweep" => conditions::sweep(table, &systems),
            "yang2012/exact" => exact::answers(table, &systems),
            "yang2012/claims" | "yang2012/own-claims" => claims::answers(&systems),
            id => return Err(TaskError::NoComputation { id: id.to_owned() }),
        };
        Ok(TableReport::judged(table, &answers))
    };
    tables.iter().map(report).collect()
}

#[cfg(test)]
mod tests {
    use mb_gallery::Verdict;

    use super::*;

    /// Every cell has the verdict of a page that hides nothing: what disagrees is open with its reason or a misprint.
    #[test]
    fn nothing_deviates() {
        let names = [
            "table-1",
            "table-4",
            "table-2",
            "table-3",
            "table-5",
            "conditions",
            "sweep",
            "exact",
            "claims",
            "own-claims",
            "setup",
            "errata",
        ];
        let tables = names.map(|name| Table::load(&format!("yang2012/{name}")).unwrap());
        let reports = reports(&tables).unwrap();
        for (table, report) in tables.iter().zip(&reports) {
            for cell in &report.cells {
                assert!(
                    !cell.verdict.is_failure(),
                    "{} {}: {}, {} for {}",
                    table.id,
                    cell.name(),
                    cell.verdict,
                    cell.computed_text,
                    cell.printed
                );
            }
        }
        let of = |k: usize, quantity: &str, verdict: Verdict| {
            reports[k].cells.iter().filter(|c| c.quantity == quantity && c.verdict == verdict).count()
        };
        for table in [2, 3] {
            assert_eq!(of(table, "model 1, scaled", Verdict::Reproduced), 6);
        }
        assert!(of(4, "scaled", Verdict::Reproduced) >= 3);
    }
}
