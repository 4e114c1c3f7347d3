//! K in two parts: large entries that are exact, and the rest.
//!
//! ```text
//! K = exact + rounded,   exact = sum of the constant forms of elements, each entry as a multiple of one power of two
//! ```
//!
//! Multiples of one number with few enough digits add up without error (the idea of pre-rounded sums: Demmel and Hida, SIAM J.
//! Sci. Comput. 25, 2003). What an entry of a form has beyond that multiple goes to the second part, with
//! everything else the elements resist with, as derivatives of elements without these forms. Sizes: n x n each.

use super::columns::{Collect, ColumnSums, Columns};
use super::linearized::{Blocks, LinearizedBlocks, Wanted};
use crate::element::{ConstantForm, SplitEntries};
use crate::model::Model;
use crate::state::Point;
use mb_algebra::{Sparse, StiffnessParts};

/// Binary digits of the exact entries: eight fewer than would fit, so that a coordinate may have entries of 256 elements.
const DIGITS: f64 = 44.0;

impl Model<f64> {
    /// The blocks with K in two parts, of which the first has exact entries; no parts where no element separates a constant
    /// stiffness apart, as those of flexible links do.
    ///
    /// `k` of the blocks is the sum of the parts, each entry rounded once.
    pub fn blocks_in_parts(&self, point: &Point) -> (LinearizedBlocks, Option<StiffnessParts>) {
        let Some(grid) = self.grid() else { return (self.blocks(point), None) };
        let Blocks { m, c, k: rounded, phi_q } = self.sparse_blocks(Wanted::Parts { grid }, point);
        let parts = StiffnessParts { exact: self.constant_forms(grid), rounded };
        (Blocks { m, c, k: parts.sum(), phi_q }, Some(parts))
    }
    /// Whether [`Self::blocks_in_parts`] has parts: whether elements separate a large part of their stiffness that is exact.
    pub fn has_parts(&self) -> bool {
        self.grid().is_some()
    }
    /// The power of two whose multiples the exact entries are; none without constant forms.
    fn grid(&self) -> Option<f64> {
        let mut largest = 0.0_f64;
        let mut last = None;
        for form in self.members().iter().filter_map(|m| m.element.constant_form()) {
            if last.replace(form) != Some(form) {
                largest = largest.max(form.largest());
            }
        }
        let grid = (largest.log2().floor() - DIGITS).exp2();
        (largest > 0.0 && grid.is_normal()).then_some(grid)
    }
    /// The sum of the constant forms as multiples of `grid`; what these leave is with the rest of the blocks.
    fn constant_forms(&self, grid: f64) -> Sparse {
        let n = self.nv();
        let mut sums = ColumnSums::default();
        sums.begin(n, 0..n);
        let mut last: Option<(ConstantForm, SplitEntries)> = None;
        for m in self.members() {
            let Some(form) = m.element.constant_form() else { continue };
            // Neighbours are congruent as a rule.
            let entries = match last {
                Some((before, entries)) if before == form => entries,
                _ => form.entries(grid),
            };
            last = Some((form, entries));
            let at = form.at.map(|i| m.wires.v_index[i]);
            for (j, col) in at.iter().enumerate() {
                sums.add_column(*col, &at, entries.iter().map(|row| row[j].0));
            }
        }
        Columns::join(n, vec![sums.sum()])
    }
}
