//! Palomba and Vidoni 2019: eigenpairs of a flexible arm as polynomials of its configuration.

mod arm;
mod claims;
mod exact;
mod figures;
mod operating_point;
mod path;
mod table1;

use mb_gallery::{Status, Table};

use crate::error::TaskError;
use crate::report::TableReport;

/// Computes and judges the tables.
pub(crate) fn reports(tables: &[Table]) -> Result<Vec<TableReport>, TaskError> {
    let figures = figures::Figures::measure();
    let report = |table: &Table| {
        if table.status == Status::NotYetImplemented {
            return Ok(TableReport::not_yet_implemented(table));
        }
        let answers = match table.id.as_str() {
            "palomba2019/table-1" => table1::answers(table),
            "palomba2019/operating-point" => operating_point::answers(table),
            "palomba2019/exact-matrices" => exact::matrices(),
            "palomba2019/exact-coefficients" => exact::coefficients(table),
            "palomba2019/path" => figures::path_answers(&figures),
            "palomba2019/figures" => figures::answers(&figures),
            "palomba2019/claims" => claims::answers(&figures),
            id => return Err(TaskError::NoComputation { id: id.to_owned() }),
        };
        Ok(TableReport::judged(table, &answers))
    };
    tables.iter().map(report).collect()
}
