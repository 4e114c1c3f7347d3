//! Free motions at an operating point, found part by part.
//!
//! A model often falls into parts that nothing connects: no entry of M, C or K and no constraint row. Its eigenproblem then falls
//! into one for each part, so that the work grows with the number of parts and not with a power of it. Parts that are equal to the
//! last bit are solved once.

use crate::error::AnalysisError;
use crate::part;
use mb_algebra::{QuadraticPencil, Scatter, Sparse, StiffnessParts, Triplets, to_dense};
use mb_eigen::pairing::mac;
use mb_eigen::sparse::{Request, SparseOptions, solve_in_parts};
use mb_eigen::{Class, DenseOptions, EigenError, Eigenpair, Spectrum};
use mb_linear::{FreeDirections, OperatingPoint, linearize_sparse};
use mb_model::Model;
use std::collections::HashMap;

/// Parts of up to this many coordinates and rows are solved by dense matrices.
const DENSE_PART: usize = 400;

/// Most motions of a part that are separated from each other where their vectors are known: the work grows with the square of their number.
const SEPARATED: usize = 60;

/// Amplitudes below this share of the largest are rounding of the vector.
const STILL: f64 = 1e-9;

/// A motion with s = 0, which meets no stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeMotion {
    /// Velocities that move, with their amplitudes, the largest of which is one; those of one part of the model.
    pub amplitudes: Vec<(usize, f64)>,
    /// True when the motion goes on at constant speed: the zero is double with one vector.
    pub drifting: bool,
}

/// The free motions of the model linearized at a point, those of each part separated as far as they can be.
///
/// # Errors
/// [`AnalysisError::Eigen`], [`AnalysisError::Linear`].
pub fn free_motions(model: &Model, at: &OperatingPoint) -> Result<Vec<FreeMotion>, AnalysisError> {
    let geometry = FreeDirections::new(model, at);
    let most_zeros = geometry.as_ref().and_then(FreeDirections::all).map(|free| free.most);
    if most_zeros == Some(0) {
        return Ok(Vec::new());
    }
    let lin = linearize_sparse(model, at);
    let (exact, rounded) = match &lin.k_parts {
        Some(parts) => (Some(&parts.exact), Some(&parts.rounded)),
        None => (None, None),
    };
    let none = mb_algebra::sparse::zeros(model.nv(), model.nv());
    let matrices = [&lin.m, &lin.c, &lin.k, exact.unwrap_or(&none), rounded.unwrap_or(&none)];
    let parts = Part::all(matrices, &lin.phi_q);
    let mut known: HashMap<Vec<u64>, Vec<FreeMotion>> = HashMap::new();
    let mut out = Vec::new();
    for part in &parts {
        let key = part.bits();
        if !known.contains_key(&key) {
            known.insert(
                key.clone(),
                part.free_motions(lin.k_parts.is_some(), geometry.as_ref(), most_zeros)?,
            );
        }
        let here = |(i, a): &(usize, f64)| (part.columns[*i], *a);
        out.extend(known[&key].iter().map(|motion| FreeMotion {
            amplitudes: motion.amplitudes.iter().map(here).collect(),
            drifting: motion.drifting,
        }));
    }
    Ok(out)
}

/// Row, column and value inside a part.
type Entries = Vec<(usize, usize, f64)>;

/// Coordinates that nothing connects with others.
#[derive(Debug, Default)]
struct Part {
    /// Its velocities in the model, in order.
    columns: Vec<usize>,
    rows: usize,
    /// M, C, K, and K in two parts.
    matrices: [Entries; 5],
    phi_q: Entries,
}

impl Part {
    fn all(matrices: [&Sparse; 5], phi_q: &Sparse) -> Vec<Self> {
        let n = phi_q.cols();
        let mut sets = Sets((0..n).collect());
        for matrix in matrices {
            for (value, (i, j)) in matrix {
                if *value != 0.0 {
                    sets.join(i, j);
                }
            }
        }
        let mut first: Vec<Option<usize>> = vec![None; phi_q.rows()];
        for (value, (row, j)) in phi_q {
            if *value != 0.0 {
                let with = *first[row].get_or_insert(j);
                sets.join(with, j);
            }
        }
        let mut of_root: HashMap<usize, usize> = HashMap::new();
        let mut parts: Vec<Self> = Vec::new();
        // Part and place in it of every column.
        let mut place = Vec::with_capacity(n);
        for j in 0..n {
            let part = *of_root.entry(sets.root(j)).or_insert_with(|| {
                parts.push(Self::default());
                parts.len() - 1
            });
            place.push((part, parts[part].columns.len()));
            parts[part].columns.push(j);
        }
        for (k, matrix) in matrices.into_iter().enumerate() {
            for (value, (i, j)) in matrix {
                if *value != 0.0 {
                    parts[place[i].0].matrices[k].push((place[i].1, place[j].1, *value));
                }
            }
        }
        let mut row_place: Vec<Option<usize>> = vec![None; phi_q.rows()];
        for (value, (row, j)) in phi_q {
            if *value != 0.0 {
                let part = &mut parts[place[j].0];
                let own = *row_place[row].get_or_insert_with(|| {
                    part.rows += 1;
                    part.rows - 1
                });
                part.phi_q.push((own, place[j].1, *value));
            }
        }
        parts
    }
    /// What distinguishes parts, bit by bit.
    fn bits(&self) -> Vec<u64> {
        let mut out = vec![self.columns.len() as u64, self.rows as u64];
        for entries in self.matrices.iter().chain([&self.phi_q]) {
            out.push(entries.len() as u64);
            out.extend(entries.iter().flat_map(|(i, j, value)| [*i as u64, *j as u64, value.to_bits()]));
        }
        out
    }
    /// Whether its free motions go on: nothing damps it, and all that moves has mass.
    fn drifts(&self) -> bool {
        let mut heavy = vec![false; self.columns.len()];
        for (i, ..) in self.matrices[0].iter().filter(|(i, j, m)| i == j && *m > 0.0) {
            heavy[*i] = true;
        }
        heavy.iter().all(|heavy| *heavy) && self.matrices[1].iter().all(|(_, _, c)| *c == 0.0)
    }
    fn sparse(&self, k: usize) -> Sparse {
        let n = self.columns.len();
        triplets(&self.matrices[k], n, n).to_sparse()
    }
    /// `geometry`: what the geometry of the model shows; `most`: how many directions without stiffness the model has at most.
    fn free_motions(
        &self,
        in_parts: bool,
        geometry: Option<&FreeDirections>,
        most: Option<usize>,
    ) -> Result<Vec<FreeMotion>, AnalysisError> {
        let among = geometry.and_then(|geometry| geometry.among(&self.columns));
        // A part may be less than what the geometry ties together.
        let most_zeros = among.as_ref().map(|free| free.most).or(most);
        if most_zeros == Some(0) {
            return Ok(Vec::new());
        }
        let vectors = geometry
            .zip(among)
            .filter(|_| self.drifts())
            .and_then(|(g, among)| g.vectors(&among, usize::MAX));
        if let Some(vectors) = vectors {
            return Ok(of_vectors(self.columns.len(), vectors));
        }
        let n = self.columns.len();
        let [m, c, k] = [0, 1, 2].map(|k| self.sparse(k));
        let phi_q = triplets(&self.phi_q, self.rows, n).to_sparse();
        let failed =
            |source: EigenError| AnalysisError::Eigen { formulation: "free motions".to_owned(), source };
        if n + self.rows > DENSE_PART {
            let parts = in_parts.then(|| StiffnessParts { exact: self.sparse(3), rounded: self.sparse(4) });
            let pencil = QuadraticPencil { m, c, k, phi_q };
            let mut count = part::LOWEST;
            loop {
                let request = Request::Lowest { count };
                let found = solve_in_parts(&pencil, parts.as_ref(), &request, &SparseOptions::default());
                let found = found.map_err(failed)?;
                // Where all are zero there may be more.
                if found.eigenpairs.iter().any(|pair| pair.class != Class::Rigid) || count >= n {
                    return Ok(of_spectrum(&found));
                }
                count *= 2;
            }
        }
        let [m, c, k, phi_q] = [&m, &c, &k, &phi_q].map(to_dense);
        let pencil = QuadraticPencil { m, c, k, phi_q };
        let options = DenseOptions { most_zeros, ..DenseOptions::default() };
        Ok(of_spectrum(&mb_eigen::dense::solve(&pencil, &options).map_err(failed)?))
    }
}

/// Motions by vectors of their own, which go on; few of them separated as far as they can be.
fn of_vectors(n: usize, mut vectors: Vec<Vec<(usize, f64)>>) -> Vec<FreeMotion> {
    if vectors.len() <= SEPARATED {
        let dense = |vector: &Vec<(usize, f64)>| {
            let mut x = vec![0.0; n];
            for (i, a) in vector {
                x[*i] = *a;
            }
            x
        };
        let all = separated(vectors.iter().map(dense).collect());
        vectors = all.into_iter().map(|x| x.into_iter().enumerate().collect()).collect();
    }
    let motion = |x: Vec<(usize, f64)>| FreeMotion { amplitudes: moving(x), drifting: true };
    vectors.into_iter().map(motion).collect()
}

fn triplets(entries: &Entries, rows: usize, cols: usize) -> Triplets {
    let mut out = Triplets::new(rows, cols);
    for (i, j, value) in entries {
        out.add(*i, *j, *value);
    }
    out
}

/// Sets of columns that are connected.
struct Sets(Vec<usize>);

impl Sets {
    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }
    fn join(&mut self, i: usize, j: usize) {
        let (a, b) = (self.root(i), self.root(j));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The zero modes with vectors of their own.
fn of_spectrum(spectrum: &Spectrum) -> Vec<FreeMotion> {
    let mut distinct: Vec<&Eigenpair> = Vec::new();
    for pair in spectrum.of_class(Class::Rigid) {
        // The second eigenvalue of a double zero comes with the same vector.
        if distinct.iter().all(|d| mac(&d.right, &pair.right) < 1.0 - 1e-9) {
            distinct.push(pair);
        }
    }
    // Motions that go on and those that damping stops are not mixed.
    let mut out = Vec::new();
    for drifting in [true, false] {
        let vectors = distinct.iter().filter(|pair| (pair.chain > 1) == drifting);
        let vectors = vectors.map(|pair| pair.right.iter().map(|z| z.re).collect::<Vec<f64>>());
        let modes = separated(vectors.collect()).into_iter();
        out.extend(
            modes.map(|x| FreeMotion { amplitudes: moving(x.into_iter().enumerate().collect()), drifting }),
        );
    }
    out
}

/// What moves in x, the largest with amplitude one; parts at rounding do not.
fn moving(mut x: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    let largest = x.iter().fold(f64::MIN_POSITIVE, |m, (_, a)| m.max(a.abs()));
    for (_, a) in &mut x {
        *a /= largest;
    }
    x.retain(|(_, a)| a.abs() > STILL);
    x
}

/// Other vectors of the same span, each with an entry 1 where all others have 0, so that bodies that move by themselves
/// are distinguished: Gauss-Jordan elimination with complete pivoting.
fn separated(mut vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for done in 0..vectors.len() {
        let entries = vectors.iter().enumerate().skip(done);
        let entries = entries.flat_map(|(v, x)| x.iter().enumerate().map(move |(i, a)| (v, i, a.abs())));
        let Some((v, i, size)) = entries.max_by(|a, b| a.2.total_cmp(&b.2)) else { break };
        if size == 0.0 {
            break;
        }
        vectors.swap(done, v);
        let scale = vectors[done][i];
        vectors[done].iter_mut().for_each(|a| *a /= scale);
        let pivot = vectors[done].clone();
        for (_, x) in vectors.iter_mut().enumerate().filter(|(v, _)| *v != done) {
            let factor = x[i];
            x.iter_mut().zip(&pivot).for_each(|(a, p)| *a -= factor * p);
        }
    }
    vectors
}
