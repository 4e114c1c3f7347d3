//! The proof that a motion is steady, element by element: each is the same all along the orbit within its own size.
//!
//! ```text
//! X_e = E^T X_e(t) E - X_e(0) = 0,   E = exp(S t), for M, C and K of each element e
//! |sum_e X_e| <= STEADY sum_e size_e   over elements that change, of one size, entry by entry
//! ```
//!
//! The sums of all elements (`full`, `orbit`) hide a soft unsymmetric support beside stiff elements, whose entries are its measure there. Here an
//! element is compared with its own entries. Some change alone and not together (a ring of springs that turns): their changes are summed before they
//! are compared. Of elements of different sizes the small ones are summed by themselves, since a change of theirs is no more than what
//! the digits of the large ones leave.
//!
//! Constraints are not among them: their rows are carried (`rows`), so that their reactions are those that the forces need.

use super::generator::{Generator, Rotation};
use super::scale::{self, SMALLEST, Scale, sizes};
use super::tiles::{Piece, Tiling};
use super::{STEADY, Unsteady, body_of};
use crate::turning::Turning;
use mb_algebra::{Dense, dense, norms};
use mb_model::{Member, Model, Point};
use std::collections::BTreeMap;

/// Times at which elements are looked at: a change that is no multiple of one harmonic is not zero at both, and that of one is at two
/// phases that are not half a turn apart.
const TIMES: u32 = 2;

/// An element that changes along the orbit and that no others make up for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Uneven {
    /// Among the members of the model.
    pub(super) member: usize,
    /// The velocity in whose equation it changes.
    pub(super) coordinate: usize,
    /// By what share of itself.
    pub(super) share: f64,
    /// By what share of all that acts there.
    pub(super) of_all: f64,
    /// After which time, s.
    pub(super) time: f64,
}

impl Uneven {
    /// Why the motion is not steady.
    pub(super) fn refusal(&self, model: &Model) -> Unsteady {
        Unsteady::changes(body_of(model, self.coordinate), self.share, self.time)
    }
}

/// An element that changes by itself.
struct Changing {
    member: usize,
    /// Its coordinates in the model.
    index: Vec<usize>,
    /// M, C and K at the first point.
    first: [Dense; 3],
    /// What they change by at each of the times.
    changes: Vec<[Dense; 3]>,
    /// Sizes of the entries of each of the three.
    sizes: [Dense; 3],
    /// What rounding may make of entries of K; of M and C divided by the square of the speed and by the speed.
    rounding: Dense,
}

/// An entry of a changing element: which one, row and column.
type Part = (usize, (usize, usize));

/// Elements that change by themselves along the orbit of a generator.
pub(super) struct Elements<'a> {
    model: &'a Model,
    scale: &'a Scale,
    times: Vec<f64>,
    changing: Vec<Changing>,
}

impl<'a> Elements<'a> {
    /// Looks at every element; `point` with its velocities.
    pub(super) fn along(model: &'a Model, point: &Point, scale: &'a Scale, s: &Generator) -> Self {
        let times = scale::times(scale, s, TIMES);
        let still = Point { lambda: vec![0.0; model.nc()], ..point.clone() };
        let mut points = vec![still.clone()];
        points.extend(times.iter().map(|time| s.along(&still, *time)));
        let tiling = Tiling::new(s);
        let rotations: Vec<_> = times.iter().map(|time| s.tile_rotations(*time)).collect();
        let changing = model.by_elements(&points, |i, member, blocks| {
            Changing::of(i, member, blocks, &Turns { tiling: &tiling, rotations: &rotations, scale })
        });
        Self { model, scale, times, changing }
    }
    /// The change of all coordinates that is largest beside all that acts there, where there is one that no others make up for.
    pub(super) fn on_all(&self) -> Option<Uneven> {
        let mut rows: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (e, changing) in self.changing.iter().enumerate() {
            changing.index.iter().enumerate().for_each(|(a, i)| rows.entry(*i).or_default().push((e, a)));
        }
        let mut worst: Option<Uneven> = None;
        for (i, own) in &rows {
            let mut entries: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
            for (e, a) in own {
                let index = self.changing[*e].index.iter().enumerate();
                index.for_each(|(b, j)| entries.entry(*j).or_default().push((*e, (*a, b))));
            }
            for (j, parts) in &entries {
                for order in 0..3 {
                    let size = |p: &Part| self.changing[p.0].sizes[order][p.1];
                    let mut parts: Vec<Part> = parts.iter().filter(|p| size(p) > 0.0).copied().collect();
                    parts.sort_by(|p, q| size(p).total_cmp(&size(q)));
                    for group in parts.chunk_by(|p, q| size(q) * STEADY <= size(p)) {
                        worst = larger(worst, self.entry(order, (*i, *j), group));
                    }
                }
            }
        }
        worst
    }
    /// The change of one entry by elements of one size.
    fn entry(&self, order: usize, (i, j): (usize, usize), group: &[Part]) -> Option<Uneven> {
        let unit = self.scale.unit(order);
        let part = |p: &Part| (&self.changing[p.0], p.1);
        let size: f64 = group.iter().map(part).map(|(c, at)| c.sizes[order][at]).sum();
        let rounding: f64 = group.iter().map(part).map(|(c, at)| c.rounding[at]).sum::<f64>() / unit;
        let one = |(k, time): (usize, &f64)| {
            let change: f64 = group.iter().map(part).map(|(c, at)| c.changes[k][order][at]).sum();
            let share = change.abs() / size;
            // A NaN counts.
            if change.abs() <= rounding || share <= STEADY {
                return None;
            }
            let most = |p: &&Part| part(p).0.changes[k][order][p.1].abs();
            let (e, _) = group.iter().max_by(|p, q| most(p).total_cmp(&most(q)))?;
            let of_all = change.abs() * unit / (self.scale.full[i] * self.scale.full[j]);
            Some(Uneven { member: self.changing[*e].member, coordinate: i, share, of_all, time: *time })
        };
        self.times.iter().enumerate().filter_map(one).fold(None, |worst, found| larger(worst, Some(found)))
    }
    /// The same of the admissible displacements, of which the columns of `r` are a basis at `point`: a change of all coordinates may be none of
    /// theirs.
    pub(super) fn on_basis(&self, point: &Point, s: &Generator, r: &Dense) -> Option<Uneven> {
        let size = |c: &Changing| norms::max_abs(&c.rounding);
        let mut all: Vec<&Changing> = self.changing.iter().collect();
        all.sort_by(|a, b| size(a).total_cmp(&size(b)));
        let turning = Turning::new(self.model, point);
        let reduced = |blocks: [Dense; 3]| {
            let [m, c, k] = blocks;
            let (c, k) = turning.as_ref().map_or((c.clone(), k.clone()), |t| t.applied(&m, c, k));
            super::orbit::reduced(&[m, c, k], s, r)
        };
        let mut worst: Option<Uneven> = None;
        for group in all.chunk_by(|a, b| size(b) * STEADY <= size(a)) {
            let first = reduced(self.sum(group, |c| &c.first));
            let diagonals = [0, 1, 2].map(|k| (0..r.ncols()).map(|i| first[k][(i, i)]).collect());
            let sizes = sizes(&diagonals, self.scale.speed);
            for (k, time) in self.times.iter().enumerate() {
                let change = reduced(self.sum(group, |c| &c.changes[k]));
                for (order, change) in change.iter().enumerate() {
                    for i in 0..r.ncols() {
                        for j in 0..r.ncols() {
                            let share = change[(i, j)].abs() * self.scale.unit(order) / (sizes[i] * sizes[j]);
                            if share <= STEADY {
                                continue;
                            }
                            let largest = group
                                .iter()
                                .max_by(|a, b| a.share(k, self.scale).total_cmp(&b.share(k, self.scale)));
                            let coordinate =
                                mb_constraints::largest(&dense::column(r, i)).map_or(0, |(i, _)| i);
                            let found = largest.map(|c| Uneven {
                                member: c.member,
                                coordinate,
                                share,
                                of_all: share,
                                time: *time,
                            });
                            worst = larger(worst, found);
                        }
                    }
                }
            }
        }
        worst
    }
    fn sum(&self, group: &[&Changing], part: impl Fn(&Changing) -> &[Dense; 3]) -> [Dense; 3] {
        let n = self.model.nv();
        let mut out = [0; 3].map(|_| Dense::zeros(n, n));
        for c in group {
            for (out, x) in out.iter_mut().zip(part(c)) {
                for (a, i) in c.index.iter().enumerate() {
                    for (b, j) in c.index.iter().enumerate() {
                        out[(*i, *j)] += x[(a, b)];
                    }
                }
            }
        }
        out
    }
}

/// How the coordinates turn back to the first point.
struct Turns<'a> {
    tiling: &'a Tiling,
    /// Of each tile at each of the times.
    rotations: &'a [Vec<Option<Rotation>>],
    scale: &'a Scale,
}

impl Changing {
    /// The element `member` with its blocks at the first point and at each of the times; none where it does not change by itself.
    fn of(i: usize, member: &Member, blocks: &[[Dense; 3]], turns: &Turns<'_>) -> Option<Self> {
        let index = &member.wires.v_index;
        let tiles = turns.tiling.of_element(index);
        let turned = |(x, rotations): (&[Dense; 3], &Vec<Option<Rotation>>)| {
            [0, 1, 2].map(|k| turned_back(&x[k], &tiles, rotations))
        };
        let first = &blocks[0];
        let later: Vec<[Dense; 3]> = blocks[1..].iter().zip(turns.rotations).map(turned).collect();
        let entry = |f: &dyn Fn(usize, usize) -> f64| Dense::from_fn(index.len(), index.len(), f);
        // Entries that are nothing, as of the lever arm of a radial spring, have the rounding of the others, by the measures of the coordinates.
        // Tiles turn, so that a coordinate's is the largest of its tile.
        let full = |a: usize| turns.scale.full[index[a]];
        let measure: Vec<f64> = (tiles.iter())
            .flat_map(|tile| std::iter::repeat_n(tile.own().map(full).fold(0.0, f64::max), tile.size))
            .collect();
        let all = || std::iter::once(first).chain(&later);
        let share = |a: usize, b: usize| {
            let entries = all().flat_map(|x| (0..3).map(|k| x[k][(a, b)].abs() * turns.scale.unit(k)));
            entries.fold(0.0, f64::max) / (measure[a] * measure[b])
        };
        let n = index.len();
        let largest =
            (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).map(|(a, b)| share(a, b)).fold(0.0, f64::max);
        let rounding = entry(&|a, b| SMALLEST * largest * measure[a] * measure[b]);
        let sizes = [0, 1, 2].map(|k| {
            let all: Vec<&Dense> = all().map(|x| &x[k]).collect();
            sizes_of_entries(&all, &tiles)
        });
        let changes: Vec<[Dense; 3]> = later.iter().map(|x| [0, 1, 2].map(|k| &x[k] - &first[k])).collect();
        let changed =
            Self { member: i, index: index.clone(), first: first.clone(), changes, sizes, rounding };
        let moves = (0..changed.changes.len()).any(|k| changed.share(k, turns.scale) > STEADY);
        moves.then_some(changed)
    }
    /// The largest share of an entry's size that it changes by at time `k`, beyond rounding; infinite where one is no number.
    fn share(&self, k: usize, scale: &Scale) -> f64 {
        let n = self.index.len();
        let one = |(order, at): (usize, (usize, usize))| {
            let change = self.changes[k][order][at].abs();
            let rounded = change * scale.unit(order) <= self.rounding[at];
            if rounded { 0.0 } else { change / self.sizes[order][at] }
        };
        let all = (0..3).flat_map(|order| (0..n).flat_map(move |a| (0..n).map(move |b| (order, (a, b)))));
        all.map(one).fold(0.0, |m, x| if x.is_nan() { f64::INFINITY } else { m.max(x) })
    }
}

/// E^T X E of an element's own matrix.
fn turned_back(x: &Dense, tiles: &[Piece], rotations: &[Option<Rotation>]) -> Dense {
    let mut out = x.clone();
    for tile in tiles {
        let Some(e) = &rotations[tile.of as usize] else { continue };
        let n = out.nrows();
        for other in 0..n {
            let row: [f64; 3] =
                std::array::from_fn(|k| if k < tile.size { out[(other, tile.first + k)] } else { 0.0 });
            for (j, b) in tile.own().enumerate() {
                out[(other, b)] = (0..tile.size).map(|k| row[k] * e[k][j]).sum();
            }
        }
        for other in 0..n {
            let column: [f64; 3] =
                std::array::from_fn(|k| if k < tile.size { out[(tile.first + k, other)] } else { 0.0 });
            for (i, a) in tile.own().enumerate() {
                out[(a, other)] = (0..tile.size).map(|k| e[k][i] * column[k]).sum();
            }
        }
    }
    out
}

/// The size of each entry: the largest in its row or its column of the tiles that it lies in, at any of the times.
fn sizes_of_entries(all: &[&Dense], tiles: &[Piece]) -> Dense {
    let n = tiles.iter().map(|t| t.size).sum();
    let mut out = Dense::zeros(n, n);
    let entry = |a: usize, b: usize| all.iter().map(|x| x[(a, b)].abs()).fold(0.0, f64::max);
    for (up, left) in tiles.iter().flat_map(|up| tiles.iter().map(move |left| (up, left))) {
        for (a, b) in up.own().flat_map(|a| left.own().map(move |b| (a, b))) {
            let row = left.own().map(|b| entry(a, b));
            let column = up.own().map(|a| entry(a, b));
            out[(a, b)] = row.chain(column).fold(0.0, f64::max);
        }
    }
    out
}

/// The larger change beside all that acts where it is.
fn larger(a: Option<Uneven>, b: Option<Uneven>) -> Option<Uneven> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.of_all > a.of_all { b } else { a }),
        (a, b) => a.or(b),
    }
}
