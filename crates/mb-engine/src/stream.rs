//! A problem whose matrices are never in memory as a whole: lines go to files as they come, and from there scaled to the folder.
//!
//! ```text
//! lines of M, C, K  ->  one file each, beside the folder  ->  K.petsc, M.petsc, C.petsc
//! ```
//!
//! The scaling needs the diagonals of all lines, which is why they wait: entries as (place, value) of 12 bytes.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mb_algebra::{Sparse, interrupt};
use mb_eigen::engine::{ForEngine as _, Gathering, Lines};
use mb_eigen::sparse::{Request, SparseOptions};

use crate::{EngineError, Package, folder};

/// A folder for a run of the engine, written from lines that come one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// Which eigenvalues.
    pub request: &'a Request,
    /// The same in words, for people who look into the folder.
    pub words: &'a str,
    /// How.
    pub options: &'a SparseOptions,
    /// Processes of the engine.
    pub ranks: usize,
    /// The folder.
    pub folder: &'a Path,
}

impl Stream<'_> {
    /// Writes the folder of a problem of size n; gives the unknowns with constraint rows. `source` hands over the lines of M, C and K in their
    /// order, a few of each at a time, and gives Phi_q, m x n. None where it cannot, and where the matrices must be whole
    /// ([`Gathering::finish`]).
    ///
    /// # Errors
    /// As [`Package::write_folder`], and those of `source`.
    pub fn write(
        &self,
        n: usize,
        source: impl FnOnce(
            &mut dyn FnMut([&Sparse; 3]) -> Result<(), EngineError>,
        ) -> Result<Option<Sparse>, EngineError>,
    ) -> Result<Option<usize>, EngineError> {
        folder::refuse_full(self.folder)?;
        let place = folder::Scratch::beside(self.folder)?;
        let unwritable = |source| folder::unwritable(self.folder, source);
        let mut gathering = Gathering::new(n);
        let mut spools = ["M", "C", "K"]
            .map(|name| Spool::new(place.path().join(name)))
            .into_iter()
            .collect::<io::Result<Vec<_>>>()
            .map_err(unwritable)?;
        let phi_q = source(&mut |lines| {
            gathering.add(lines);
            for (spool, lines) in spools.iter_mut().zip(lines) {
                spool.append(lines).map_err(unwritable)?;
            }
            Ok(())
        })?;
        let Some(phi_q) = phi_q else { return Ok(None) };
        let Some(gathered) = gathering.finish(&phi_q, self.request, self.options)? else { return Ok(None) };
        drop(phi_q);
        let written = spools.into_iter().map(Spool::finish).collect::<io::Result<Vec<_>>>();
        let written = written.map_err(unwritable)?;
        let lines = || match &written[..] {
            [m, c, k] => Ok([m.lines()?, c.lines()?, k.lines()?]),
            _ => Err(io::Error::other("lines of three matrices are needed")),
        };
        let problem = gathered.with_lines(lines);
        Package::new(&problem, self.words)?.write_folder(self.ranks, self.folder)?;
        Ok(Some(problem.size()))
    }
}

/// A file of lines that grows.
struct Spool {
    path: PathBuf,
    out: BufWriter<File>,
    lengths: Vec<u32>,
}

impl Spool {
    fn new(path: PathBuf) -> io::Result<Self> {
        let out = BufWriter::new(File::create(&path)?);
        Ok(Self { path, out, lengths: Vec::new() })
    }

    /// Appends the outer vectors of a matrix.
    fn append(&mut self, lines: &Sparse) -> io::Result<()> {
        let half = |i: usize| u32::try_from(i).map_err(io::Error::other);
        for line in lines.outer_iterator() {
            interrupt::check();
            self.lengths.push(half(line.nnz())?);
            for (j, v) in line.iter() {
                self.out.write_all(&half(j)?.to_ne_bytes())?;
                self.out.write_all(&v.to_ne_bytes())?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<Spooled> {
        self.out.flush()?;
        Ok(Spooled { path: self.path, lengths: self.lengths.into() })
    }
}

/// A file of lines.
struct Spooled {
    path: PathBuf,
    lengths: Arc<[u32]>,
}

impl Spooled {
    fn lines(&self) -> io::Result<Box<dyn Lines>> {
        let input = BufReader::new(File::open(&self.path)?);
        Ok(Box::new(SpooledLines { input, lengths: Arc::clone(&self.lengths), next: 0 }))
    }
}

/// The lines of a file as they are read.
struct SpooledLines {
    input: BufReader<File>,
    lengths: Arc<[u32]>,
    next: usize,
}

impl Lines for SpooledLines {
    fn line(&mut self, i: usize, into: &mut Vec<(usize, f64)>) -> io::Result<()> {
        if i == 0 {
            self.input.rewind()?;
        } else if i != self.next {
            return Err(io::Error::other("lines are read in their order"));
        }
        self.next = i + 1;
        into.clear();
        let (mut place, mut value) = ([0; 4], [0; 8]);
        for _ in 0..self.lengths[i] {
            self.input.read_exact(&mut place)?;
            self.input.read_exact(&mut value)?;
            into.push((u32::from_ne_bytes(place) as usize, f64::from_ne_bytes(value)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;
    use mb_algebra::{QuadraticPencil, Scatter as _, Triplets, sparse};
    use std::fs;

    /// A grounded chain with springs, dashpots and a rigid link, in units far from one.
    fn chain(n: usize, damping: f64) -> QuadraticPencil<Sparse> {
        let mut k = Triplets::new(n, n);
        for i in 0..n {
            let stiffness = 1e5 * (1.0 + (i as f64).sin() / 3.0);
            k.add(i, i, stiffness);
            if i > 0 {
                k.add(i - 1, i - 1, stiffness);
                k.add(i, i - 1, -stiffness);
                k.add(i - 1, i, -stiffness);
            }
        }
        let k = k.to_sparse();
        let mass: Vec<f64> = (0..n).map(|i| 0.02 + 0.001 * i as f64).collect();
        let mut phi_q = Triplets::new(2, n);
        for row in 0..2 {
            phi_q.add(row, 1, 2.0);
            phi_q.add(row, 4, -2.0);
        }
        let c = sparse::scale(damping, &k);
        QuadraticPencil { m: sparse::diagonal(&mass), c, k, phi_q: phi_q.to_sparse() }
    }

    fn pieces(a: &Sparse, cut: usize) -> Vec<Sparse> {
        let n = a.cols();
        let columns = a.to_csc();
        let cuts: Vec<usize> = (0..n).step_by(cut).chain([n]).collect();
        cuts.windows(2).map(|cut| columns.slice_outer(cut[0]..cut[1]).to_owned()).collect()
    }

    fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let mut out: Vec<_> = entries.map(|path| (name(&path), fs::read(&path).unwrap())).collect();
        out.sort();
        out
    }

    /// A folder that was written from lines, however they were cut, is that of the whole matrices to the last byte, and nothing is left beside.
    #[test]
    fn folders_from_lines_are_those_of_whole_matrices() {
        let place = folder::Scratch::new().unwrap();
        for (case, damping) in [("undamped", 0.0), ("damped", 1e-4)] {
            let pencil = chain(9, damping);
            let (request, options) = (Request::Lowest { count: 3 }, SparseOptions::default());
            let (words, ranks) = ("three modes", 2);
            let (request, options) = (&request, &options);
            let whole = place.path().join(format!("whole-{case}"));
            let problem = Problem { pencil: &pencil, parts: None, request, words, options };
            let size = problem.write(ranks, &whole).unwrap();
            for cut in [1, 4, 9] {
                let at = place.path().join(format!("lines-{case}-{cut}"));
                let stream = Stream { request, words, options, ranks, folder: &at };
                let written = stream.write(9, |take| {
                    let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(|a| pieces(a, cut));
                    for ((m, c), k) in m.iter().zip(&c).zip(&k) {
                        take([m, c, k])?;
                    }
                    Ok(Some(pencil.phi_q.clone()))
                });
                assert_eq!(written.unwrap(), Some(size));
                assert_eq!(files(&at), files(&whole), "{case} {cut}");
            }
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 8);
    }

    /// An unsymmetric matrix needs its columns whole; nothing is written.
    #[test]
    fn lines_of_unsymmetric_matrices_are_not_taken() {
        let place = folder::Scratch::new().unwrap();
        let mut pencil = chain(6, 0.0);
        let mut more = Triplets::new(6, 6);
        more.add(0, 5, 1.0);
        pencil.k = sparse::add(1.0, &pencil.k, 1.0, &more.to_sparse());
        let at = place.path().join("job");
        let (request, options) = (Request::Lowest { count: 3 }, SparseOptions::default());
        let stream = Stream { request: &request, words: "", options: &options, ranks: 1, folder: &at };
        let written = stream.write(6, |take| {
            let QuadraticPencil { m, c, k, phi_q } = &pencil;
            take([m, c, k])?;
            Ok(Some(phi_q.clone()))
        });
        assert_eq!(written.unwrap(), None);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
