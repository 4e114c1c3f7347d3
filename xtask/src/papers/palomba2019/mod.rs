//! Palomba and Vidoni 2019: eigenpairs of a flexible arm as polynomials of its configuration.

mod appendix;
mod arm;
mod claims;
mod errata;
mod exact;
mod figures;
mod method;
mod operating_point;
mod path;
mod pictures;
mod setup;
mod table1;
mod table2;
mod timing;
mod variants;

use mb_gallery::{Status, Table};

use crate::error::TaskError;
use crate::report::TableReport;

/// Figs. 2 to 5 and the data behind them.
pub(crate) fn pictures() -> Result<Vec<(String, String)>, TaskError> {
    let arm = mb_gallery::models::ErlsArm::recovered();
    let id = "palomba2019/figures".to_owned();
    match &figures::Figures::measured().0 {
        Ok(measures) => Ok(pictures::files(measures, [arm.links[0].length, arm.links[1].length])),
        Err(_) => Err(TaskError::NoComputation { id }),
    }
}

/// Computes and judges the tables.
pub(crate) fn reports(tables: &[Table]) -> Result<Vec<TableReport>, TaskError> {
    let figures = figures::Figures::measured();
    let report = |table: &Table| {
        if table.status == Status::NotYetImplemented {
            return Ok(TableReport::not_yet_implemented(table));
        }
        let answers = match table.id.as_str() {
            "palomba2019/table-1" => table1::answers(table),
            "palomba2019/table-2" => table2::answers(),
            "palomba2019/setup" => setup::answers(),
            "palomba2019/appendix-symbols" => appendix::symbols(table),
            "palomba2019/appendix-entries" => appendix::blocks(table),
            "palomba2019/errata" => errata::answers(),
            "palomba2019/method" => method::answers(),
            "palomba2019/operating-point" => operating_point::printed(table),
            "palomba2019/closure" => operating_point::answers(table),
            "palomba2019/variants" => variants::answers(table),
            "palomba2019/exact-matrices" => exact::matrices(),
            "palomba2019/exact-coefficients" => exact::coefficients(table),
            "palomba2019/path" => figures::path_answers(figures),
            "palomba2019/figures" => figures::answers(figures),
            "palomba2019/claims" | "palomba2019/extensions" => claims::answers(figures),
            "palomba2019/timing" => timing::answers(),
            id => return Err(TaskError::NoComputation { id: id.to_owned() }),
        };
        Ok(TableReport::judged(table, &answers))
    };
    tables.iter().map(report).collect()
}
