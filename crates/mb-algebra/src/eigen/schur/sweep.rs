//! Sweeps with many shifts: a chain of small bulges, each of one double shift, goes down the diagonal (Braman, Byers and Mathias,
//! 2002, part I). What it does within a window is gathered in one orthogonal matrix, and reaches the rest as a matrix product.

use super::Work;
use super::block::{Block, Reflection};
use super::double_shift::{annihilate, first_column};
use crate::c64;
use crate::sorted::ascending;

/// Rows from one bulge to the next: closer ones would touch.
const SPACING: usize = 3;

impl Work {
    /// One sweep over `start..end` with a bulge for each two shifts.
    pub(super) fn sweep(&mut self, start: usize, end: usize, shifts: &[[c64; 2]]) {
        let last = shifts.len() - 1;
        // The next step of each bulge: step i is the reflection of rows i to i + 2.
        let mut steps = vec![start; shifts.len()];
        // As many rows again as the chain takes: it is through the window when all of its bulges have left their places.
        let rows = (2 * SPACING * (shifts.len() + 1)).max(24);
        while steps[last] < end - 1 {
            crate::interrupt::check();
            let from = if steps[last] == start { start } else { steps[last] - 1 };
            let to = end.min(from + rows);
            let mut h = Block::taken(&self.t, from, to - from);
            let mut u = Block::identity(to - from);
            for (k, pair) in shifts.iter().enumerate() {
                let mut limit = if to == end { end - 1 } else { to - 3 };
                if k > 0 && steps[k - 1] < end - 1 {
                    limit = limit.min(steps[k - 1].saturating_sub(SPACING));
                }
                while steps[k] < limit {
                    let begins = steps[k] == start;
                    step(&mut h, &mut u, steps[k] - from, begins.then_some(*pair));
                    steps[k] += 1;
                }
            }
            h.put(&mut self.t, from);
            self.transform(from, start, end, &u);
        }
    }
}

/// The reflection at row `i` of the window: one that makes the bulge of the shifts, or one that moves it on.
fn step(h: &mut Block, u: &mut Block, i: usize, begins: Option<[c64; 2]>) {
    let n = h.size();
    let rows = (n - i).min(3);
    let p = match begins {
        Some(shifts) => Reflection::of(&first_column(h, i, rows, shifts)[..rows]),
        None => annihilate(h, i, rows),
    };
    h.reflect_rows(&p, i, i..n);
    h.reflect_cols(&p, i, 0..(i + 4).min(n));
    u.reflect_cols(&p, i, 0..n);
}

/// Pairs of shifts for a sweep, `count` at most, those of the least magnitude first in line: conjugates together, real ones by twos.
pub(super) fn pairs(shifts: &[c64], count: usize, corner: f64) -> Vec<[c64; 2]> {
    let mut out: Vec<[c64; 2]> = shifts.iter().filter(|s| s.im > 0.0).map(|s| [*s, s.conj()]).collect();
    let mut real: Vec<c64> = shifts.iter().filter(|s| s.im == 0.0).copied().collect();
    ascending(&mut real, |a| a.re.abs());
    out.extend(real.chunks(2).map(|two| [two[0], two[two.len() - 1]]));
    ascending(&mut out, |a| a[1].norm());
    out.truncate(count);
    // A single double shift of two real eigenvalues converges faster with the nearer one twice.
    if let [[a, b]] = &mut out[..]
        && a.im == 0.0
    {
        let near = if (a.re - corner).abs() < (b.re - corner).abs() { *a } else { *b };
        (*a, *b) = (near, near);
    }
    // The bulge that leads has the largest shifts; the last one, next to convergence, the smallest.
    out.reverse();
    out
}
