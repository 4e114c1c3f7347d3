//! What the race needs: our program built for release, a Python environment with SciPy, PARDISO and SLEPc where they can be had.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::run::{self, Run};
use crate::error::TaskError;

/// First letters of the cases, in the order of the page.
pub(super) const FAMILIES: &str = "cghspftrqdbyu";

/// A contestant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) enum Solver {
    /// Ours, its answer proved complete.
    Ours,
    /// Ours without the Sturm count that proves completeness, which no peer makes.
    OursUnproved,
    /// SciPy's `eigsh` on SuperLU with its usual order.
    SciPy,
    /// The same with the order for symmetric patterns.
    SciPySymmetric,
    /// ARPACK on PARDISO of Intel's MKL.
    Pardiso,
    /// SLEPc's Krylov-Schur on MUMPS.
    Slepc,
}

impl Solver {
    /// Name in the table.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Ours => "ours, proved complete",
            Self::OursUnproved => "ours, unproved",
            Self::SciPy => "SciPy",
            Self::SciPySymmetric => "SciPy, symmetric order",
            Self::Pardiso => "PARDISO + ARPACK",
            Self::Slepc => "SLEPc + MUMPS",
        }
    }

    /// Whether it is SciPy.
    pub(super) fn is_scipy(self) -> bool {
        matches!(self, Self::SciPy | Self::SciPySymmetric)
    }

    /// Whether it needs a shift from the caller; ours finds its own.
    pub(super) fn takes_shift(self) -> bool {
        !matches!(self, Self::Ours | Self::OursUnproved)
    }
}

/// Where a build of PETSc and SLEPc is, by the variables that name the folders.
type Folders = [(&'static str, String); 2];

/// Where the contestants are.
pub(crate) struct Environment {
    root: PathBuf,
    ours: PathBuf,
    python: PathBuf,
    /// Why PARDISO cannot be had.
    no_pardiso: Option<String>,
    /// Folders of PETSc and SLEPc for the system's Python, when it has them, for real and for complex numbers.
    slepc: [Option<Folders>; 2],
    /// Commit the program was built from.
    pub(super) commit: String,
}

/// The commit that is run, `-dirty` with changes next to the pages that are written from results.
fn commit(root: &Path) -> String {
    let git = |args: &[&str]| Command::new("git").args(args).current_dir(root).output().ok();
    let Some(name) = git(&["describe", "--always"]).filter(|out| out.status.success()) else {
        return "unknown".to_owned();
    };
    let changed =
        git(&["diff", "--quiet", "HEAD", "--", ".", ":!docs"]).is_some_and(|out| !out.status.success());
    format!("{}{}", String::from_utf8_lossy(&name.stdout).trim(), if changed { "-dirty" } else { "" })
}

impl Environment {
    /// Builds ours, makes the Python environment if it is not there, looks for SLEPc.
    pub(super) fn prepare(root: &Path, folder: &Path) -> Result<Self, TaskError> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "--release", "--quiet", "--package", "mb-eigen", "--example", "race"];
        run::output("cargo", Command::new(cargo).args(build).current_dir(root))?;
        let virtual_env = folder.join("python");
        let python = virtual_env.join("bin/python");
        let install = |package: &str| {
            run::output("pip", Command::new(&python).args(["-m", "pip", "install", "--quiet", package]))
        };
        if !python.is_file() {
            run::output("python3 -m venv", Command::new("python3").args(["-m", "venv"]).arg(&virtual_env))?;
            install("scipy")?;
        }
        // MKL is for Intel's and AMD's processors alone.
        let imported = || run::output("PARDISO", Command::new(&python).args(["-c", "import pypardiso"]));
        let no_pardiso = imported().or_else(|_| install("pypardiso").and_then(|_| imported()));
        let no_pardiso = no_pardiso.err().map(|error| format!("pypardiso cannot be installed: {error}"));
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        Ok(Self {
            root: root.to_path_buf(),
            ours: target.join("release/examples/race"),
            python,
            no_pardiso,
            slepc: [slepc_folders("-real"), slepc_folders("-complex")],
            commit: commit(root),
        })
    }

    /// Who takes part: PARDISO has no complex numbers here, which quadratic problems need.
    pub(super) fn solvers(quadratic: bool) -> impl Iterator<Item = Solver> {
        let all = [
            Solver::Ours,
            Solver::OursUnproved,
            Solver::SciPy,
            Solver::SciPySymmetric,
            Solver::Pardiso,
            Solver::Slepc,
        ];
        all.into_iter().filter(move |solver| !(quadratic && *solver == Solver::Pardiso))
    }

    /// Why a solver is missing here.
    pub(super) fn missing(&self, solver: Solver, quadratic: bool) -> Option<String> {
        match solver {
            Solver::Pardiso => self.no_pardiso.clone(),
            Solver::Slepc if self.slepc[usize::from(quadratic)].is_none() => {
                let numbers = if quadratic { "complex" } else { "real" };
                Some(format!("slepc4py for {numbers} numbers is not installed"))
            }
            _ => None,
        }
    }

    /// Writes a case's matrices.
    pub(super) fn write_case(&self, name: &str, folder: &Path) -> Result<(), TaskError> {
        run::output("race", Command::new(&self.ours).args(["write", name]).arg(folder)).map(drop)
    }

    /// One run.
    pub(super) fn run(
        &self,
        solver: Solver,
        case: &str,
        folder: &Path,
        quadratic: bool,
        shift: f64,
    ) -> Result<Run, TaskError> {
        let python = |interpreter: &Path, script: &str| {
            let mut command = Command::new(interpreter);
            command
                .arg(self.root.join("benchmarks/peers").join(script))
                .arg(folder)
                .arg(format!("{shift:e}"));
            command
        };
        let mut command = match solver {
            Solver::Ours | Solver::OursUnproved => {
                let mut command = Command::new(&self.ours);
                command.args(["run", case]);
                if solver == Solver::OursUnproved {
                    command.arg("unproved");
                }
                command
            }
            Solver::SciPy => python(&self.python, "scipy_eigsh.py"),
            Solver::SciPySymmetric => {
                let mut command = python(&self.python, "scipy_eigsh.py");
                command.arg("MMD_AT_PLUS_A");
                command
            }
            Solver::Pardiso => python(&self.python, "pardiso_eigsh.py"),
            Solver::Slepc => {
                let mut command = python(Path::new(SYSTEM_PYTHON), "slepc_eps.py");
                let folders = self.slepc[usize::from(quadratic)].iter().flatten();
                command.envs(folders.map(|(name, folder)| (*name, folder.as_str())));
                command
            }
        };
        run::child(solver.title(), &mut command, 1)
    }
}

/// Packages of the system are seen by the system's Python only.
const SYSTEM_PYTHON: &str = "/usr/bin/python3";

/// Folders under which a distribution puts its builds of PETSc and SLEPc, where slepc4py can be imported with them.
fn slepc_folders(numbers: &str) -> Option<Folders> {
    let of = |name: &'static str, base: &str| {
        // What the user names is for real numbers unless its name says otherwise.
        let given = std::env::var(name)
            .ok()
            .filter(|folder| folder.contains("complex") == numbers.contains("complex"));
        let found = given.or_else(|| {
            let version = last_folder(Path::new(base), "")?;
            last_folder(&version, numbers).map(|folder| folder.display().to_string())
        });
        found.map(|folder| (name, folder))
    };
    let folders = [of("PETSC_DIR", "/usr/lib/petscdir")?, of("SLEPC_DIR", "/usr/lib/slepcdir")?];
    // The libraries may be there without their Python package.
    let mut import = Command::new(SYSTEM_PYTHON);
    import
        .args(["-c", "import slepc4py"])
        .envs(folders.iter().map(|(name, folder)| (*name, folder.as_str())));
    run::output("SLEPc", &mut import).is_ok().then_some(folders)
}

/// The last folder by name whose name ends so.
fn last_folder(base: &Path, end: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(base).ok()?.flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_dir() && path.to_string_lossy().ends_with(end)).max()
}
