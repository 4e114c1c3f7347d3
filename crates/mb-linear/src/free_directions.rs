//! How many directions without stiffness there are, known from the geometry and not from the entries of K.
//!
//! ```text
//! K x = 0, Phi_q x = 0   only if   x = Z c,  Phi_q Z c = 0
//! ```
//!
//! Z are the motions that strain no beam and no solid ([`Model::strainless`]). Their number is that of bodies and not of elements,
//! and the rank of Phi_q Z loses one digit where that of K loses two. Where the strains G of all other elements are looked at too
//! ([`Model::strain_rows`]), the directions with G Z c = 0 as well are free, however soft or stiff the elements are. The rank is that of
//! rows of length one, by sparse elimination; `c` are the null vectors of the rows.

use crate::point::OperatingPoint;
use mb_algebra::{RowElimination, Scatter, Sparse, Triplets, norms, sparse};
use mb_model::{Model, Point};

/// Rests of rows of length one that are zero.
const ZERO: f64 = 1e-10;
/// Rests that are those of a row that holds something for sure.
const HELD: f64 = 1e-7;
/// Products that a rank may take: tenths of a second.
const WORK: usize = 50_000_000;

/// Motions without strain and the rows that hold them.
#[derive(Debug)]
pub struct FreeDirections {
    /// n x c, by rows and by columns.
    z: [Sparse; 2],
    /// [Phi_q; G] Z with rows of length one, any x c, by columns.
    rows: Sparse,
    /// Entries of each row.
    lengths: Vec<usize>,
    /// Whether G stands among them.
    all_strains: bool,
}

/// The directions among some velocities.
#[derive(Debug)]
pub struct FreeAmong {
    /// There are no more.
    pub most: usize,
    /// There are as many.
    pub exact: bool,
    /// The velocities, and columns of Z.
    velocities: Vec<usize>,
    columns: Vec<usize>,
    found: RowElimination,
}

impl FreeDirections {
    /// Of a model at rest; none where the geometry does not decide: in motion, under load, or with stiffnesses below zero.
    pub(crate) fn at_rest(model: &Model, point: &Point) -> Option<Self> {
        let z = without_zeros(&model.strainless(point)?).to_csr();
        let strains = model.strain_rows(point);
        let phi_q = model.phi_q(&point.q, point.t).to_sparse();
        let given = match &strains {
            Some(g) => {
                sparse::blocks(&[&[Some(&phi_q)], &[Some(g)]], &[phi_q.rows(), g.rows()], &[phi_q.cols()])
            }
            None => phi_q,
        };
        let rows = unit_rows(&given, &z);
        let lengths = rows.outer_iterator().map(|row| row.nnz()).collect();
        Some(Self {
            z: [z.clone(), z.to_csc()],
            rows: rows.to_csc(),
            lengths,
            all_strains: strains.is_some(),
        })
    }

    /// Of a model at an operating point, likewise.
    pub fn new(model: &Model, at: &OperatingPoint) -> Option<Self> {
        if at.steady().is_some() { None } else { Self::at_rest(model, at.point()) }
    }

    /// Those of a part of the model, by its velocities in order; none where the geometry ties them to others, or where the work is too much.
    pub fn among(&self, velocities: &[usize]) -> Option<FreeAmong> {
        let of = |v: &usize| self.z[0].outer_view(*v).map_or_else(Vec::new, |z| z.indices().to_vec());
        let mut columns: Vec<usize> = velocities.iter().flat_map(of).collect();
        columns.sort_unstable();
        columns.dedup();
        let entries = || {
            let column = |(j, c): (usize, &usize)| {
                let entries = self.rows.outer_view(*c)?;
                Some(entries.iter().map(|(i, value)| (i, j, *value)).collect::<Vec<_>>())
            };
            columns.iter().enumerate().filter_map(column).flatten()
        };
        let inside = |v: &usize| velocities.binary_search(v).is_ok();
        let closed =
            columns.iter().all(|c| self.z[1].outer_view(*c).is_some_and(|z| z.indices().iter().all(inside)));
        let mut touched: Vec<usize> = entries().map(|(i, ..)| i).collect();
        let count = touched.len();
        touched.sort_unstable();
        touched.dedup();
        if !closed || touched.iter().map(|i| self.lengths[*i]).sum::<usize>() != count {
            return None;
        }
        let mut part = Triplets::new(touched.len(), columns.len());
        entries().for_each(|(i, j, value)| part.add(touched.partition_point(|t| *t < i), j, value));
        let found = RowElimination::new(&part.to_sparse().to_csr(), ZERO, WORK)?;
        let most = columns.len() - found.rank();
        let exact = self.all_strains && found.smallest_kept >= HELD;
        Some(FreeAmong { most, exact, velocities: velocities.to_vec(), columns, found })
    }

    /// The vectors of [`Self::vectors`] as columns, n x k.
    pub fn columns(&self, among: &FreeAmong, at_most: usize) -> Option<Sparse> {
        let vectors = self.vectors(among, at_most)?;
        let mut out = Triplets::new(among.velocities.len(), vectors.len());
        for (j, vector) in vectors.iter().enumerate() {
            for (i, value) in vector {
                out.add(*i, j, *value);
            }
        }
        Some(out.to_sparse())
    }

    /// Those of the whole model.
    pub fn all(&self) -> Option<FreeAmong> {
        self.among(&(0..self.z[0].rows()).collect::<Vec<_>>())
    }

    /// Independent directions without stiffness, `at_most` so many, each by the places of velocities in the part and their amplitudes; none
    /// where they are not known exactly.
    pub fn vectors(&self, among: &FreeAmong, at_most: usize) -> Option<Vec<Vec<(usize, f64)>>> {
        if !among.exact {
            return None;
        }
        let mut x = vec![0.0; among.velocities.len()];
        let vector = |c: Vec<(usize, f64)>| {
            let mut touched = Vec::new();
            for (j, by) in c {
                for (v, value) in
                    self.z[1].outer_view(among.columns[j]).iter().flat_map(|column| column.iter())
                {
                    let i = among.velocities.partition_point(|other| *other < v);
                    touched.push(i);
                    x[i] += by * value;
                }
            }
            touched.sort_unstable();
            touched.dedup();
            let entries = touched.into_iter().map(|i| (i, std::mem::take(&mut x[i])));
            entries.filter(|(_, value)| *value != 0.0).collect()
        };
        Some(among.found.null_vectors().take(at_most).map(vector).collect())
    }
}

/// Directions along velocities that no stiffness meets, n x p: K has nothing in their rows and columns, to the last bit, and Phi_q x = 0.
///
/// They are null vectors of K under any loads, as the turn of a wheel that hangs in its centre, however stiff other parts are. None where
/// the rows of Phi_q leave their number open.
pub fn unheld_directions(k: &Sparse, phi_q: &Sparse) -> Option<Sparse> {
    let mut met = vec![false; k.rows()];
    for (_, (i, j)) in k.iter().filter(|(value, _)| **value != 0.0) {
        (met[i], met[j]) = (true, true);
    }
    let idle: Vec<usize> = (0..met.len()).filter(|j| !met[*j]).collect();
    let mut chosen = Triplets::new(k.rows(), idle.len());
    for (at, j) in idle.iter().enumerate() {
        chosen.add(*j, at, 1.0);
    }
    let found = RowElimination::new(&unit_rows(phi_q, &chosen.to_sparse().to_csr()), ZERO, WORK)?;
    if found.rank() > 0 && found.smallest_kept < HELD {
        return None;
    }
    let mut out = Triplets::new(k.rows(), idle.len() - found.rank());
    for (column, vector) in found.null_vectors().enumerate() {
        for (at, value) in vector {
            out.add(idle[at], column, value);
        }
    }
    Some(out.to_sparse())
}

/// A Z with rows of length one, by rows; `z` is stored by rows.
fn unit_rows(a: &Sparse, z: &Sparse) -> Sparse {
    let product = sparse::mul(&a.to_csr(), z).to_csr();
    let mut rows = Triplets::new(product.rows(), product.cols());
    for (i, row) in product.outer_iterator().enumerate() {
        let length = norms::two(row.data());
        row.iter().filter(|(_, value)| **value != 0.0).for_each(|(j, value)| rows.add(i, j, value / length));
    }
    rows.to_sparse().to_csr()
}

/// The entries that are not zero.
fn without_zeros(a: &Sparse) -> Sparse {
    let mut out = Triplets::new(a.rows(), a.cols());
    a.iter().filter(|(value, _)| **value != 0.0).for_each(|(value, (i, j))| out.add(i, j, *value));
    out.to_sparse()
}

/// An upper bound of the directions x with K x + Phi_q^T l = 0, Phi_q x = 0 at rest; none where the geometry does not decide.
///
/// Where it is zero K is positive definite on the admissible directions, whatever its entries have been rounded to.
pub fn most_free_directions(model: &Model, at: &OperatingPoint) -> Option<usize> {
    FreeDirections::new(model, at)?.all().map(|free| free.most)
}

/// A lower bound of them, whatever the entries of K have been rounded to; zero where the geometry does not decide.
pub fn least_free_directions(model: &Model, at: &OperatingPoint) -> usize {
    let known = FreeDirections::new(model, at).and_then(|free| free.all());
    known.filter(|free| free.exact).map_or(0, |free| free.most)
}
