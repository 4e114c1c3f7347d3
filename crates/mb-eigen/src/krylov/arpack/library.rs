//! ARPACK-NG of the system, loaded when it is first asked for.
//!
//! Builds need nothing of it, and one program serves machines with and without it. The C interface (`*_c`, ARPACK-NG built with
//! `ICB`) is that of the packages of Linux distributions and Homebrew, with integers of 32 bits.
#![expect(unsafe_code, reason = "symbols of a library have the types that its header says")]

use std::env::consts::OS;
use std::ffi::{OsString, c_char, c_int};
use std::sync::OnceLock;

use mb_algebra::c64;

use crate::EigenError;

/// Names the library where it is not found by itself.
const VARIABLE: &str = "MB_ARPACK";

/// Names of the library on this system, those of releases before those of development packages.
fn names() -> &'static [&'static str] {
    match OS {
        "macos" => &[
            "libarpack.2.dylib",
            "libarpack.dylib",
            "/opt/homebrew/lib/libarpack.dylib",
            "/usr/local/lib/libarpack.dylib",
        ],
        "windows" => &["libarpack.dll", "arpack.dll"],
        _ => &["libarpack.so.2", "libarpack.so"],
    }
}

/// The type of a routine, of its own first arguments, its numbers, and what comes before info; all share bmat, n, which, nev, tol, resid, ncv,
/// v, ldv, iparam, ipntr, workd, workl, lworkl.
macro_rules! routine {
    ([$($first:ty),*], $number:ty, [$($before_info:ty),*]) => {
        unsafe extern "C" fn(
            $($first,)*
            *const c_char,
            c_int,
            *const c_char,
            c_int,
            f64,
            *mut $number,
            c_int,
            *mut $number,
            c_int,
            *mut c_int,
            *mut c_int,
            *mut $number,
            *mut $number,
            c_int,
            $($before_info,)*
            *mut c_int,
        )
    };
}

/// `dsaupd_c` and `dnaupd_c`: ido.
type RealStep = routine!([*mut c_int], f64, []);
/// `znaupd_c`: ido; rwork.
type ComplexStep = routine!([*mut c_int], c64, [*mut f64]);
/// `dseupd_c`: rvec, howmny, select, d, z, ldz, sigma.
type SymmetricExtraction =
    routine!([c_int, *const c_char, *const c_int, *mut f64, *mut f64, c_int, f64], f64, []);
/// `dneupd_c`: rvec, howmny, select, dr, di, z, ldz, sigmar, sigmai, workev.
type RealExtraction = routine!(
    [c_int, *const c_char, *const c_int, *mut f64, *mut f64, *mut f64, c_int, f64, f64, *mut f64],
    f64,
    []
);
/// `zneupd_c`: rvec, howmny, select, d, z, ldz, sigma, workev; rwork.
type ComplexExtraction = routine!(
    [c_int, *const c_char, *const c_int, *mut c64, *mut c64, c_int, c64, *mut c64],
    c64,
    [*mut f64]
);

/// The routines, which stay loaded to the end of the process.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) dsaupd: RealStep,
    pub(super) dseupd: SymmetricExtraction,
    pub(super) dnaupd: RealStep,
    pub(super) dneupd: RealExtraction,
    pub(super) znaupd: ComplexStep,
    pub(super) zneupd: ComplexExtraction,
    /// Holds the code of the functions above.
    _code: libloading::Library,
}

impl Library {
    /// The library of this process.
    ///
    /// Errors: [`EigenError::NoArpack`].
    pub(super) fn get() -> Result<&'static Self, EigenError> {
        static LOADED: OnceLock<Library> = OnceLock::new();
        if let Some(loaded) = LOADED.get() {
            return Ok(loaded);
        }
        let loaded = match std::env::var_os(VARIABLE) {
            Some(named) => Self::load(&named),
            None => first(names().iter().map(|name| Self::load(&OsString::from(name)))),
        };
        loaded.map(|library| LOADED.get_or_init(|| library)).map_err(|reason| EigenError::NoArpack { reason })
    }

    /// Loads a library; the system's words where it cannot be loaded or is another one.
    fn load(name: &OsString) -> Result<Self, String> {
        // SAFETY: ARPACK-NG runs no code when it is loaded, and each symbol has the type that arpack.h declares for its name.
        unsafe {
            let code = libloading::Library::new(name).map_err(|e| e.to_string())?;
            macro_rules! symbol {
                ($name:literal) => {
                    *code.get($name).map_err(|e| e.to_string())?
                };
            }
            Ok(Self {
                dsaupd: symbol!(b"dsaupd_c\0"),
                dseupd: symbol!(b"dseupd_c\0"),
                dnaupd: symbol!(b"dnaupd_c\0"),
                dneupd: symbol!(b"dneupd_c\0"),
                znaupd: symbol!(b"znaupd_c\0"),
                zneupd: symbol!(b"zneupd_c\0"),
                _code: code,
            })
        }
    }
}

/// The first that could be loaded, or what is wrong with the first.
fn first<T>(mut candidates: impl Iterator<Item = Result<T, String>>) -> Result<T, String> {
    let first = candidates.next().unwrap_or_else(|| Err("its name on this system is not known".to_owned()));
    first.or_else(|reason| candidates.find_map(Result::ok).ok_or(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_loads_is_taken_and_otherwise_the_first_reason() {
        let no = |why: &str| Err(why.to_owned());
        assert_eq!(first([no("a"), Ok(2), Ok(3)].into_iter()), Ok(2));
        assert_eq!(first([no("a"), no("b")].into_iter()), Err::<i32, _>("a".to_owned()));
        assert!(first::<i32>(std::iter::empty()).is_err());
    }

    #[test]
    fn what_is_no_library_has_a_reason() {
        let reason = Library::load(&OsString::from("/no/such/libarpack.so")).unwrap_err();
        assert!(reason.contains("libarpack"), "{reason}");
    }
}
