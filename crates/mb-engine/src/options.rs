//! The options of the driver: one `key value` a line.

use std::fmt::Write as _;

use mb_eigen::engine::{Search, Task};

use crate::FORMAT;

/// The text; `package` none for the text that the package's name is made of.
pub(crate) fn text(task: &Task, package: Option<&str>) -> String {
    let mut out = String::new();
    let mut line = |key: &str, value: String| {
        let _infallible = writeln!(out, "{key} {value}");
    };
    let flag = |on: bool| i32::from(on).to_string();
    let both = |a: f64, b: f64| format!("{a:e} {b:e}");
    line("format", FORMAT.to_string());
    if let Some(package) = package {
        line("package", package.to_owned());
    }
    line("complex", flag(!task.undamped));
    line("symmetric", flag(task.symmetric));
    line("left", flag(task.left));
    line("degree", task.degree.to_string());
    line("lowest", flag(task.lowest));
    line("count", flag(task.count));
    line("points", task.points.to_string());
    line("slice", task.slice.to_string());
    line("rank", task.rank.to_string());
    line("most", task.most.to_string());
    line("zeros", task.zeros.to_string());
    line("want", task.want.to_string());
    line("reach", task.reach.to_string());
    line("check_mass", flag(task.check_mass));
    line("sum", flag(task.sum));
    line("below_zero", format!("{:e}", task.below_zero));
    line("shift", both(task.shift.re, task.shift.im));
    line("point", both(task.point.re, task.point.im));
    match task.search {
        Search::Nearest => line("search", "nearest".to_owned()),
        Search::Between { from, to } => {
            line("search", "between".to_owned());
            line("between", both(from, to));
        }
        Search::Within { radius } => {
            line("search", "within".to_owned());
            line("within", format!("{radius:e}"));
        }
    }
    out
}
