//! Sparse matrices in tiles that turn as one: the positions of a block, the rotations of a body in space, single numbers.
//!
//! exp(S t) is a rotation on each tile, so that exp(S t)^T X exp(S t) is a product of three small matrices for every tile of X.

use super::generator::{Generator, Rotation};
use mb_algebra::{Sparse, Triplets};
use std::collections::HashMap;
use std::sync::Arc;

/// Which tile every coordinate belongs to.
#[derive(Clone, Debug)]
pub(super) struct Tiling {
    /// First coordinate and number of coordinates of each tile, at most three.
    tiles: Vec<(usize, usize)>,
    /// Tile of each coordinate.
    of: Vec<u32>,
}

/// A tile, row by row.
type Tile = [[f64; 3]; 3];

const NOTHING: Tile = [[0.0; 3]; 3];

/// A sparse matrix by tiles; those of one pattern share their places.
#[derive(Clone, Debug)]
pub(super) struct Tiled {
    place: Arc<HashMap<(u32, u32), usize>>,
    keys: Arc<Vec<(u32, u32)>>,
    data: Vec<Tile>,
}

/// A tile among the coordinates of one element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Which tile of the model it is.
    pub(super) of: u32,
    /// Its first local coordinate.
    pub(super) first: usize,
    /// How many it has.
    pub(super) size: usize,
}

impl Piece {
    /// Its local coordinates.
    pub(super) fn own(self) -> std::ops::Range<usize> {
        self.first..self.first + self.size
    }
}

impl Tiling {
    pub(super) fn new(s: &Generator) -> Self {
        let tiles = s.tiles();
        let n = tiles.last().map_or(0, |(first, size)| first + size);
        let mut of = vec![0; n];
        for (k, (first, size)) in tiles.iter().enumerate() {
            of[*first..first + size].fill(u32::try_from(k).unwrap_or(u32::MAX));
        }
        Self { tiles, of }
    }
    /// The tiles of an element that sees these coordinates, block by block.
    pub(super) fn of_element(&self, index: &[usize]) -> Vec<Piece> {
        let all = index.iter().enumerate().map(|(k, i)| (k, self.at(*i)));
        let begin = all.filter(|(_, (_, within))| *within == 0);
        begin.map(|(first, (of, _))| Piece { of, first, size: self.tiles[of as usize].1 }).collect()
    }
    /// The tile of a coordinate, and which of its coordinates it is.
    pub(super) fn at(&self, i: usize) -> (u32, usize) {
        let tile = self.of[i];
        (tile, i - self.tiles[tile as usize].0)
    }
    /// A matrix n x n by tiles, with room for those of `like`.
    pub(super) fn tiled(&self, x: &Sparse, like: Option<&Tiled>) -> Tiled {
        let mut out = match like {
            Some(Tiled { place, keys, data }) => {
                Tiled { place: place.clone(), keys: keys.clone(), data: vec![NOTHING; data.len()] }
            }
            None => Tiled { place: Arc::default(), keys: Arc::default(), data: Vec::new() },
        };
        let by_columns = x.is_csc();
        // Neighbours in a row or column share a tile.
        let mut last = None;
        for (outer, vector) in x.outer_iterator().enumerate() {
            for (inner, value) in vector.iter() {
                let (i, j) = if by_columns { (inner, outer) } else { (outer, inner) };
                let ((row, a), (column, b)) = (self.at(i), self.at(j));
                let key = (row, column);
                let k = match last {
                    Some((before, k)) if before == key => k,
                    _ => out.index(key),
                };
                last = Some((key, k));
                out.data[k][a][b] += value;
            }
        }
        out
    }
    /// exp(S t)^T X exp(S t), given the rotation of each tile.
    pub(super) fn turned(x: &mut Tiled, rotations: &[Option<Rotation>]) {
        for ((row, column), tile) in x.keys.iter().zip(&mut x.data) {
            let (left, right) = (&rotations[*row as usize], &rotations[*column as usize]);
            if let Some(e) = right {
                *tile = std::array::from_fn(|i| {
                    std::array::from_fn(|j| (0..3).map(|k| tile[i][k] * e[k][j]).sum())
                });
            }
            if let Some(e) = left {
                *tile = std::array::from_fn(|i| {
                    std::array::from_fn(|j| (0..3).map(|k| e[k][i] * tile[k][j]).sum())
                });
            }
        }
    }
    /// A row over all coordinates times exp(S t): pairs of column and value.
    pub(super) fn row_turned(
        &self,
        row: &[(usize, f64)],
        rotations: &[Option<Rotation>],
    ) -> Vec<(usize, f64)> {
        let mut out: Vec<(usize, f64)> = Vec::with_capacity(row.len());
        let mut k = 0;
        while k < row.len() {
            let (tile, _) = self.at(row[k].0);
            let (first, size) = self.tiles[tile as usize];
            let mut own = [0.0; 3];
            while k < row.len() && row[k].0 < first + size {
                own[row[k].0 - first] += row[k].1;
                k += 1;
            }
            let turned: [f64; 3] = match &rotations[tile as usize] {
                None => own,
                Some(e) => std::array::from_fn(|j| (0..3).map(|i| own[i] * e[i][j]).sum()),
            };
            out.extend((0..size).map(|j| (first + j, turned[j])));
        }
        out
    }
    /// By how much two matrices differ, entry by entry, into `largest`; and the largest share of the sizes `scale` of row and
    /// column, with its row.
    pub(super) fn compare(
        &self,
        before: &Tiled,
        now: &Tiled,
        unit: f64,
        scale: &[f64],
        largest: &mut Tiled,
    ) -> (usize, f64) {
        let mut worst = (0, 0.0);
        for (place, (key, tile)) in now.keys.iter().zip(&now.data).enumerate() {
            let first = before.at(place, *key).map_or(&NOTHING, |k| &before.data[k]);
            let (row, column) = (self.tiles[key.0 as usize], self.tiles[key.1 as usize]);
            let k = largest.at(place, *key).unwrap_or_else(|| largest.index(*key));
            let kept = &mut largest.data[k];
            for i in 0..row.1 {
                for j in 0..column.1 {
                    let off = (tile[i][j] - first[i][j]).abs();
                    kept[i][j] = kept[i][j].max(off);
                    let share = off * unit / (scale[row.0 + i] * scale[column.0 + j]);
                    // A NaN is taken too.
                    if share > worst.1 || share.is_nan() {
                        worst = (row.0 + i, share);
                    }
                }
            }
        }
        worst
    }
    /// As a sparse matrix.
    pub(super) fn sparse(&self, x: &Tiled) -> Sparse {
        let n = self.of.len();
        let mut out = Triplets::with_capacity(n, n, 9 * x.keys.len());
        for (key, tile) in x.keys.iter().zip(&x.data) {
            let (row, column) = (self.tiles[key.0 as usize], self.tiles[key.1 as usize]);
            for i in 0..row.1 {
                for j in 0..column.1 {
                    if tile[i][j] != 0.0 {
                        mb_algebra::Scatter::add(&mut out, row.0 + i, column.0 + j, tile[i][j]);
                    }
                }
            }
        }
        out.to_sparse()
    }
}

impl Tiled {
    /// Where a tile is, most likely at a place that is known from a matrix of the same pattern.
    fn at(&self, likely: usize, key: (u32, u32)) -> Option<usize> {
        if self.keys.get(likely) == Some(&key) { Some(likely) } else { self.place.get(&key).copied() }
    }
    /// Where a tile is; a new one is zero.
    fn index(&mut self, key: (u32, u32)) -> usize {
        if let Some(k) = self.place.get(&key) {
            return *k;
        }
        let k = self.keys.len();
        Arc::make_mut(&mut self.place).insert(key, k);
        Arc::make_mut(&mut self.keys).push(key);
        self.data.push(NOTHING);
        k
    }
}
