//! The blocks of one force element after the other, before they are summed.

use super::PARALLEL_FROM;
use super::columns::Collect;
use super::lanes::Room;
use super::linearized::{Blocks, Wanted};
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Dense, Scatter, interrupt};
use rayon::prelude::*;

/// One of an element's own matrices, filled by the coordinates of the model.
struct Own<'a> {
    /// Local index of each of the model's coordinates; of those that the element does not see any.
    local: &'a [usize],
    matrix: Dense,
}

impl Scatter<f64> for Own<'_> {
    fn add(&mut self, row: usize, col: usize, value: f64) {
        self.matrix[(self.local[row], self.local[col])] += value;
    }
}

impl Collect for Own<'_> {}

impl Model<f64> {
    /// What `each` says of the elements without constraint rows, in their order: it is given the index of the element among
    /// [`Self::members`], the element, and its own M, C and K at every one of `points`, k x k each over the k coordinates of
    /// [`crate::model::Wires::v_index`].
    pub fn by_elements<T: Send>(
        &self,
        points: &[Point],
        each: impl Fn(usize, &Member, &[[Dense; 3]]) -> Option<T> + Sync,
    ) -> Vec<T> {
        let part = |(first, members): (usize, &[Member])| -> Vec<T> {
            let (mut room, mut local, mut out) = (Room::default(), vec![0; self.nv()], Vec::new());
            for (i, member) in members.iter().enumerate().filter(|(_, m)| m.rows == 0) {
                interrupt::check();
                let index = &member.wires.v_index;
                index.iter().enumerate().for_each(|(k, global)| local[*global] = k);
                let none = || Own { local: &local, matrix: Dense::zeros(index.len(), index.len()) };
                let mut at = |point: &Point| {
                    let mut own = Blocks { m: none(), c: none(), k: none(), phi_q: none() };
                    let all = 0..self.nv();
                    self.plain_blocks_of(Wanted::All, [member], &all, point, &mut room, &mut own);
                    [own.m.matrix, own.c.matrix, own.k.matrix]
                };
                let blocks: Vec<[Dense; 3]> = points.iter().map(&mut at).collect();
                out.extend(each(first + i, member, &blocks));
            }
            out
        };
        if self.members().len() < PARALLEL_FROM {
            return part((0, self.members()));
        }
        let size = PARALLEL_FROM / 4;
        let parts = self.members().par_chunks(size).enumerate().map(|(k, members)| part((k * size, members)));
        parts.flatten_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::ModelSpec;

    const MODEL: &str = r#"
        units = "SI"
        name = "two bodies on a spring"
        gravity = [0, 0, -9.81]
        spatial-body = [
            { name = "a", mass = 2, inertia = [1, 2, 3], at = [1, 0, 0], markers = { m = [0.1, 0.2, 0] } },
            { name = "b", mass = 3, inertia = [2, 2, 1], at = [0, 1, 0], markers = { m = [0, 0.3, 0.1] } },
        ]
        spring = [{ name = "s", a = "a.m", b = "b.m", stiffness = 50, damping = 2, natural_length = 1 }]
        joint = [{ name = "j", type = "spherical", a = "a", b = [1, 0, 0] }]
    "#;

    /// The blocks of all elements, added up, are those of the model.
    #[test]
    fn elements_add_up_to_the_model() {
        let model = ModelSpec::from_toml(MODEL).and_then(|s| s.build()).unwrap_or_else(|e| panic!("{e}"));
        let mut point = model.initial_point();
        point.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 * i as f64 - 0.3);
        let whole = model.dense_blocks(&point);
        let parts =
            model.by_elements(&[point], |_, m, blocks| Some((m.wires.v_index.clone(), blocks.to_vec())));
        for (k, all) in [whole.m, whole.c, whole.k].into_iter().enumerate() {
            let mut left = all.clone();
            for (index, blocks) in &parts {
                for (i, row) in index.iter().enumerate() {
                    for (j, col) in index.iter().enumerate() {
                        left[(*row, *col)] -= blocks[0][k][(i, j)];
                    }
                }
            }
            let (largest, off) = (mb_algebra::norms::max_abs(&all), mb_algebra::norms::max_abs(&left));
            assert!(largest > 0.0 && off <= 1e-14 * largest, "{k}: {off} of {largest}");
        }
    }
}
