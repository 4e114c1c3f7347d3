//! `cargo xtask stress`: random problems with known roots through every eigensolver, in release.
//!
//! Runs the example `stress` of `mb-eigen` (damped, gyroscopic, circulatory and free systems, lattices, penalties, descriptor pairs,
//! constraints that depend on each other, massless coordinates, units of any size) and writes `docs/book/src/stress.md`. Passes
//! when no root lies outside its error bar, no answer is silently incomplete and no claim is false.

use std::process::Command;

use clap::Args;

use crate::error::TaskError;
use crate::{Outcome, root};

const FILE: &str = "docs/book/src/stress.md";

/// Arguments of `stress`.
#[derive(Args)]
pub(crate) struct Stress {
    /// How many problems; each is solved in several ways.
    #[arg(long, default_value_t = 10_000)]
    problems: usize,
    /// Print the table instead of writing it.
    #[arg(long)]
    print: bool,
}

impl Stress {
    /// Runs the task.
    pub(crate) fn run(&self) -> Result<Outcome, TaskError> {
        let root = root::workspace_root()?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let run = ["run", "--release", "--quiet", "--package", "mb-eigen", "--example", "stress"];
        let mut command = Command::new(cargo);
        command.args(run).arg(self.problems.to_string()).current_dir(&root);
        let output = command
            .output()
            .map_err(|error| TaskError::Peer { who: "stress".to_owned(), why: error.to_string() })?;
        let table = String::from_utf8_lossy(&output.stdout);
        let passed = output.status.success();
        if !table.contains("| --- |") {
            let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(TaskError::Peer { who: "stress".to_owned(), why: words });
        }
        if self.print {
            return Ok(Outcome { text: table.into_owned(), passed });
        }
        let text = page(&only_table(&table));
        root::write(&root, FILE, &text)?;
        Ok(Outcome { text: format!("{text}\nwritten to {FILE}\n"), passed })
    }
}

/// The table and the sum behind it, without what was said of single problems before.
fn only_table(output: &str) -> String {
    output.find("| problem |").map_or_else(String::new, |at| output[at..].to_owned())
}

fn page(table: &str) -> String {
    format!(
        "# Stress\n\n\
         Written by `cargo xtask stress`; nothing here is typed by hand. Random problems whose roots are known in closed form, \
         each given to the dense path, the direct method and the sparse solver with requests of all kinds. The error bar of \
         every root returned must reach an exact root of its own, and whatever a result says must be true of the exact roots: \
         that so many modes lie in an interval or a circle, that no more exist, that one eigenvalue is cut, that a band is \
         empty, which roots are zeros. `tests/it/covered.rs` of `mb-eigen` does the same with some other problems in every \
         run of the tests.\n\n\
         - blocks: systems of one or two coordinates (oscillating, overdamped, critically damped, massless, free, gyroscopic) \
         mixed by integer matrices of determinant one, some unsymmetric, some held by constraints that depend on each other; \
         several equal or defective roots are frequent.\n\
         - chains: two planes of up to 23 masses between anchors held by constraints, in units of any size, with damping in \
         proportion to mass and stiffness, a spin, circulatory forces; joined ones, whose masses come in two halves that \
         constraints tie together.\n\
         - lattices: blocks of two and three dimensions as solids have them, sums of Kronecker products, with one to three \
         coordinates a node in a rotated or unimodular mixture, ends held by constraints, by springs or not at all, cut in two \
         and joined by constraints, of very different stiffness along the axes; cubes and square rods, whose roots are double and \
         triple; slender ones, whose lowest w is 1e-8 of |K| over |M| and less. A few have thousands of unknowns; with damping \
         or spin they have up to ninety or so, a few of them up to three hundred.\n\
         - penalties: masses tied or held by penalties of up to 1e11 in place of constraints, damped in proportion.\n\n\
         The sparse solver is kept from the dense path, which it would take for most of these. Hidden descriptor pairs have rows and \
         states in another order and in units of their own (1e-3 to 1e3). Bands and requests near a frequency or a point are \
         put on eigenvalues too, and so are shifts. Single precision and short memory are asked of undamped problems.\n\n\
         `short` is an answer that lacks a root it was asked for: it may say so (told), or say that completeness was not proved \
         (unproved); one that says neither is a failure, as is a claim that is not true, or a root outside its bar.\n\n\
         {table}"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_holds_the_table() {
        let page = super::page("| a |\n");
        assert!(page.starts_with("# Stress") && page.ends_with("| a |\n"));
    }
}
