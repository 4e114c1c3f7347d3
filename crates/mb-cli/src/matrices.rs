//! Matrices from files, MatrixMarket text or binary, checked against each other.

use crate::args::MatrixArgs;
use crate::failure::{Failure, MATRIX_FILE, RequestError};
use crate::matrix_file;
use crate::source::{LARGEST_FILE, read_file};
use mb_algebra::matrix_market::{self, MatrixMarket};
use mb_algebra::{DescriptorPencil, QuadraticPencil, Sparse, sparse};
use mb_analysis::part::LARGEST_ENTRY;
use mb_eigen::EigenError;
use mb_model::spec::legible;
use std::path::{Path, PathBuf};

/// A file with the matrix it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixFile {
    /// Its letter in the equation.
    pub letter: &'static str,
    /// The path as given.
    pub path: String,
    /// What the file says of itself: `coordinate real symmetric`, `SciPy csc <f8`.
    pub format: String,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Entries of the whole matrix, both triangles.
    pub entries: usize,
    /// Entries that were added to one given before them.
    pub repeated: usize,
}

/// The problem the files make.
#[derive(Clone, Debug)]
pub enum MatrixProblem {
    /// (s^2 M + s C + K) x + G^T l = 0, G x = 0.
    SecondOrder(QuadraticPencil<Sparse>),
    /// E y' = A y.
    Descriptor(DescriptorPencil<Sparse>),
}

/// Matrices with where they came from.
#[derive(Clone, Debug)]
pub struct Matrices {
    /// The files, in the order M, C, K, G or E, A.
    pub files: Vec<MatrixFile>,
    /// The matrices.
    pub problem: MatrixProblem,
}

impl Matrices {
    /// Reads the files of the command line.
    ///
    /// # Errors
    /// [`Failure::Unreadable`], [`Failure::Matrix`] with line and column, [`Failure::MatrixFile`], [`RequestError::Sizes`].
    pub fn read(args: &MatrixArgs) -> Result<Self, Failure> {
        if let [e, a] = args.descriptor.as_slice() {
            let mut files = Files::default();
            let e = files.read("E", e)?;
            let size = files.square(0)?;
            let a = files.read("A", a)?;
            files.fits(1, size, size)?;
            crate::guard::size(size);
            let problem = MatrixProblem::Descriptor(DescriptorPencil { e, a });
            return Ok(Self { files: files.0, problem });
        }
        let mut files = Files::default();
        // The command line asks for mass and stiffness together.
        let path = |p: &Option<std::path::PathBuf>| p.clone().unwrap_or_default();
        let m = files.read("M", &path(&args.mass))?;
        let n = files.square(0)?;
        let c = match &args.damping {
            Some(path) => files.read("C", path)?,
            None => sparse::zeros(n, n),
        };
        let k = files.read("K", &path(&args.stiffness))?;
        for i in 1..files.0.len() {
            files.fits(i, n, n)?;
        }
        let phi_q = match &args.constraints {
            Some(path) => {
                let g = files.read("G", path)?;
                files.fits(files.0.len() - 1, g.rows(), n)?;
                g
            }
            None => sparse::zeros(0, n),
        };
        crate::guard::size(n + phi_q.rows());
        let problem = MatrixProblem::SecondOrder(QuadraticPencil { m, c, k, phi_q });
        Ok(Self { files: files.0, problem })
    }

    /// Unknowns n and constraint rows m.
    pub fn sizes(&self) -> (usize, usize) {
        match &self.problem {
            MatrixProblem::SecondOrder(p) => (p.m.rows(), p.phi_q.rows()),
            MatrixProblem::Descriptor(p) => (p.e.rows(), 0),
        }
    }

    /// What an unknown is called: `coordinate` or `state`.
    pub fn unknown(&self) -> &'static str {
        match self.problem {
            MatrixProblem::SecondOrder(_) => "coordinate",
            MatrixProblem::Descriptor(_) => "state",
        }
    }

    /// A failure of the eigenanalysis, in terms of the files.
    pub fn explain(&self, name: &str, error: EigenError) -> Failure {
        if let EigenError::NotSymmetric { matrix, row, col, below, above } = error
            && let Some(file) = self.files.iter().find(|f| f.letter == matrix)
        {
            let (matrix, path) = (file.letter, file.path.clone());
            return RequestError::NotSymmetric { matrix, path, row: row + 1, col: col + 1, below, above }
                .into();
        }
        Failure::Eigen { formulation: name.to_owned(), source: error }
    }
}

/// A file and the name of a matrix in it, given as FILE:NAME; a file with that whole name comes first.
fn named(path: &Path) -> (PathBuf, Option<String>) {
    if !path.exists()
        && let Some((file, name)) = path.to_str().and_then(|text| text.rsplit_once(':'))
        && Path::new(file).is_file()
    {
        return (PathBuf::from(file), Some(name.to_owned()));
    }
    (path.to_owned(), None)
}

/// The files read so far.
#[derive(Default)]
struct Files(Vec<MatrixFile>);

impl Files {
    fn read(&mut self, letter: &'static str, path: &Path) -> Result<Sparse, Failure> {
        let shown = legible(&path.display().to_string());
        let (file, name) = named(path);
        let bytes = read_file(&file, LARGEST_FILE).map_err(|source| Failure::Unreadable {
            what: MATRIX_FILE,
            path: shown.clone(),
            source,
        })?;
        let binary = matrix_file::read(&bytes, name.as_deref(), letter)
            .map_err(|source| Failure::MatrixFile { path: shown.clone(), source })?;
        let (matrix, format, repeated) = if let Some(read) = binary {
            (read.matrix, read.format, read.repeated)
        } else {
            let MatrixMarket { matrix, header, repeated } = matrix_market::read(&bytes)
                .map_err(|source| Failure::Matrix { path: shown.clone(), source })?;
            (matrix, header.to_string(), repeated)
        };
        for (value, (row, col)) in &matrix {
            let size = value.abs();
            if size > LARGEST_ENTRY || (size > 0.0 && size < LARGEST_ENTRY.recip()) {
                let (row, col, value) = (row + 1, col + 1, *value);
                return Err(
                    RequestError::EntryOutOfRange { matrix: letter, path: shown, row, col, value }.into()
                );
            }
        }
        self.0.push(MatrixFile {
            letter,
            path: shown,
            format,
            rows: matrix.rows(),
            cols: matrix.cols(),
            entries: matrix.nnz(),
            repeated,
        });
        Ok(matrix)
    }

    /// The size of a square matrix.
    fn square(&self, i: usize) -> Result<usize, Failure> {
        let f = &self.0[i];
        if f.rows == f.cols {
            return Ok(f.rows);
        }
        Err(self.wrong(i, "a square matrix".to_owned(), format!("{} stands on both sides", f.letter)))
    }

    /// Compares a matrix with the size that the first one gives.
    fn fits(&self, i: usize, rows: usize, cols: usize) -> Result<(), Failure> {
        let (f, first) = (&self.0[i], &self.0[0]);
        if (f.rows, f.cols) == (rows, cols) {
            return Ok(());
        }
        let why = format!("{} of `{}` is {} x {}", first.letter, first.path, first.rows, first.cols);
        let rows = if f.letter == "G" { "any number of rows".to_owned() } else { rows.to_string() };
        Err(self.wrong(i, format!("{rows} x {cols}"), why))
    }

    fn wrong(&self, i: usize, needed: String, why: String) -> Failure {
        let f = &self.0[i];
        let (matrix, path) = (f.letter, f.path.clone());
        RequestError::Sizes { matrix, path, rows: f.rows, cols: f.cols, needed, why }.into()
    }
}
