//! `mb modes` of matrices from files: a chain with known frequencies, every request, every mistake.

use crate::support::{Run, json, mb, right, snapshot};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use mb_eigen::sparse::Solver;
use tempfile::TempDir;

const STIFFNESS: f64 = 400.0;
const MASS: f64 = 0.25;

/// Files of a chain of n equal masses and springs with one end free; the other end is held by a spring, or by a
/// constraint on a mass of its own.
struct Chain {
    dir: TempDir,
    n: usize,
}

impl Chain {
    fn new(n: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut k =
            format!("%%MatrixMarket matrix coordinate real symmetric\n% springs\n{n} {n} {}\n", 2 * n - 1);
        let mut m = format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {n}\n");
        for i in 1..=n {
            let _ = writeln!(k, "{i} {i} {}", if i == n { STIFFNESS } else { 2.0 * STIFFNESS });
            let _ = writeln!(m, "{i} {i} {MASS}");
            if i > 1 {
                let _ = writeln!(k, "{i} {} {}", i - 1, -STIFFNESS);
            }
        }
        let chain = Self { dir, n };
        chain.write("K.mtx", &k);
        chain.write("M.mtx", &m);
        chain
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().to_owned()
    }

    /// Frequency of mode j from 1, rad/s: 2 sqrt(k / m) sin((2 j - 1) pi / (2 (2 n + 1))).
    fn omega(&self, j: usize) -> f64 {
        let angle = (2 * j - 1) as f64 * std::f64::consts::PI / (2 * (2 * self.n + 1)) as f64;
        2.0 * (STIFFNESS / MASS).sqrt() * angle.sin()
    }

    fn args<'a>(&self, more: &[&'a str]) -> Vec<std::borrow::Cow<'a, str>> {
        let mut out: Vec<std::borrow::Cow<'a, str>> =
            vec!["modes".into(), "--mass".into(), self.path("M.mtx").into()];
        out.extend(["--stiffness".into(), self.path("K.mtx").into()]);
        out.extend(more.iter().map(|s| (*s).into()));
        out
    }

    fn json(&self, more: &[&str]) -> serde_json::Value {
        let args = self.args(more);
        json(&args.iter().map(AsRef::as_ref).collect::<Vec<_>>())
    }

    fn run(&self, more: &[&str]) -> Run {
        let args = self.args(more);
        mb(&args.iter().map(AsRef::as_ref).collect::<Vec<_>>())
    }
}

/// Positive imaginary parts with their error bounds, in order.
fn frequencies(found: &serde_json::Value) -> Vec<(f64, f64)> {
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let mut out: Vec<(f64, f64)> = pairs
        .iter()
        .map(|p| (p["im"].as_f64().unwrap(), p["error_bound"].as_f64().unwrap()))
        .filter(|(im, _)| *im > 0.0)
        .collect();
    out.sort_by(|a, b| a.0.total_cmp(&b.0));
    out
}

fn assert_modes(chain: &Chain, found: &serde_json::Value, modes: std::ops::RangeInclusive<usize>) {
    let list = frequencies(found);
    assert_eq!(list.len(), modes.clone().count(), "{list:?}");
    for ((omega, bound), j) in list.into_iter().zip(modes) {
        let exact = chain.omega(j);
        // The formula itself has an error of rounding.
        assert!(
            (omega - exact).abs() <= bound + 4.0 * f64::EPSILON * exact,
            "mode {j}: {omega} not {exact}, {bound:e}"
        );
        assert!(bound < 1e-8 * exact, "mode {j}: {bound:e}");
    }
}

#[test]
fn a_small_chain_gives_all_its_modes_and_a_large_one_the_lowest() {
    let small = Chain::new(12);
    assert_modes(&small, &small.json(&[]), 1..=12);
    let large = Chain::new(900);
    let found = large.json(&[]);
    assert_modes(&large, &found, 1..=20);
    assert_eq!(found["formulations"][0]["request"], "the 20 modes of lowest frequency");
    assert_eq!(found["formulations"][0]["counts"]["expected"]["motion"], 1800);
    assert!(found["formulations"][0]["eigenpairs"][0].get("right").is_none());
}

#[test]
fn requests_are_answered_as_asked() {
    let chain = Chain::new(450);
    assert_modes(&chain, &chain.json(&["--lowest", "3"]), 1..=3);
    let hz = |j: usize| chain.omega(j) / std::f64::consts::TAU;
    let (lo, hi) = (format!("{}", 0.5 * (hz(9) + hz(10))), format!("{}", 0.5 * (hz(14) + hz(15))));
    assert_modes(&chain, &chain.json(&["--band", &lo, &hi]), 10..=14);
    assert_modes(&chain, &chain.json(&["--near", &format!("{}", hz(30)), "--count", "3"]), 29..=31);
    let point = format!("-0.001,{}", chain.omega(50));
    assert_modes(
        &chain,
        &chain.json(&["--near-point", &point, "--count", "1", "--symmetry", "none"]),
        50..=50,
    );
    assert_modes(&chain, &chain.json(&["--lowest", "2", "--shift", "0.5,0"]), 1..=2);
    assert_modes(&chain, &chain.json(&["--largest", "2"]), 449..=450);
    if Solver::Arpack.driver().is_ok() {
        assert_modes(&chain, &chain.json(&["--lowest", "2", "--solver", "arpack"]), 1..=2);
    }
    let empty = chain.run(&["--band", "1000", "2000"]);
    assert_eq!(empty.code, 0, "{empty:?}");
    assert!(
        empty.out.contains("no modes") && empty.out.contains("between 1000 and 2000 Hz"),
        "{}",
        empty.out
    );
}

#[test]
fn a_library_that_cannot_be_loaded_is_named_with_the_way_to_get_it() {
    let chain = Chain::new(450);
    let run = Command::new(env!("CARGO_BIN_EXE_mb"))
        .args(chain.args(&["--lowest", "2", "--solver", "arpack"]).iter().map(AsRef::<str>::as_ref))
        .env("MB_ARPACK", "/no/such/libarpack.so")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("/no/such/libarpack.so") && said.contains("libarpack2"), "{said}");
}

#[test]
fn more_modes_than_exist_are_fewer_with_the_count() {
    let chain = Chain::new(5);
    let run = chain.run(&["--lowest", "9"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("9 modes were asked for, but only 5"), "{}", run.out);
}

#[test]
fn a_constraint_holds_what_it_says_and_a_redundant_one_is_named() {
    // The second of 12 masses held: 10 masses hang on it, one stands between two walls.
    let chain = Chain::new(12);
    let g = "%%MatrixMarket matrix coordinate real general\n3 12 3\n1 2 1.0\n2 2 -5.0\n3 2 0.5\n";
    chain.write("G.mtx", g);
    let path = chain.path("G.mtx");
    let text = chain.run(&["--constraints", &path]);
    assert_eq!(text.code, 0, "{text:?}");
    assert!(text.out.contains("3 constraint rows of rank 1, 11 degrees of freedom"), "{}", text.out);
    assert!(text.out.contains("Redundant: constraint row"), "{}", text.out);
    let found = frequencies(&chain.json(&["--constraints", &path]));
    let alone = (2.0 * STIFFNESS / MASS).sqrt();
    let mut exact: Vec<f64> =
        (1..=10).map(|j| Chain { n: 10, dir: tempfile::tempdir().unwrap() }.omega(j)).collect();
    exact.push(alone);
    exact.sort_by(f64::total_cmp);
    for ((omega, bound), exact) in found.iter().zip(&exact) {
        assert!((omega - exact).abs() <= bound + 4.0 * f64::EPSILON * exact, "{omega} not {exact}");
    }
    assert_eq!(found.len(), 11);
}

/// E = diag(1, m), A = [0 1; -k -c]: s^2 + 0.4 s + 9 = 0.
#[test]
fn a_descriptor_pair_and_its_text() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).unwrap();
        dir.path().join(name).to_str().unwrap().to_owned()
    };
    let e = write("E.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 1\n");
    let a = write("A.mtx", "%%MatrixMarket matrix array real general\n3 3\n0\n-9\n0\n1\n-.4\n0\n0\n0\n1\n");
    let found = json(&["modes", "--descriptor", &e, &a]);
    let list = frequencies(&found);
    let exact = (9.0_f64 - 0.04).sqrt();
    assert!(list.len() == 1 && (list[0].0 - exact).abs() < 1e-14 * exact, "{list:?}");
    let text = right(&["modes", "--descriptor", &e, &a, "--vectors", "--left"]);
    let text = text.replace(dir.path().to_str().unwrap(), "DIR");
    snapshot("matrices_descriptor", &text);
}

#[test]
fn shapes_are_written_whole_in_every_format() {
    let chain = Chain::new(6);
    for name in ["x.mtx", "x.csv", "x.json"] {
        let path = chain.path(name);
        let run = chain.run(&["--lowest", "2", "--left", "--shapes", &path]);
        assert_eq!(run.code, 0, "{run:?}");
        let text = std::fs::read_to_string(&path).unwrap();
        match name {
            "x.mtx" => {
                let read = mb_algebra::matrix_market::read_complex(text.as_bytes()).unwrap();
                // Sine shapes: x_i ~ sin((2 j - 1) pi i / (2 n + 1)).
                let column = |i: usize| read.matrix.get(i, 1).unwrap().re;
                let sine = |i: usize| (3.0 * std::f64::consts::PI * i as f64 / 13.0).sin();
                assert!((column(0) / column(3) - sine(1) / sine(4)).abs() < 1e-10);
                assert!(read.matrix.shape() == (6, 4) && text.contains("% row 6: coordinate 6"), "{text}");
            }
            "x.csv" => {
                let mut lines = text.lines();
                let head = "coordinate,mode1_re,mode1_im,mode2_re,mode2_im,mode1_left_re,mode1_left_im,mode2_left_re,mode2_left_im";
                assert_eq!(lines.next(), Some(head));
                assert!(lines.clone().count() == 6 && lines.all(|l| l.split(',').count() == 9), "{text}");
            }
            _ => {
                let found: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(found["modes"][1]["right"].as_array().unwrap().len(), 6);
                assert_eq!(found["coordinates"][5], "coordinate 6");
            }
        }
    }
    let run = chain.run(&["--shapes", "x.txt"]);
    assert!(run.code == 1 && run.err.contains(".mtx, .csv or .json"), "{run:?}");
}

/// The message of a run that must fail with exit code 1 and leave no file behind.
fn refused(chain: &Chain, more: &[&str]) -> String {
    let before = std::fs::read_dir(chain.dir.path()).unwrap().count();
    let shapes = chain.path("shapes.csv");
    let more: Vec<&str> = more.iter().copied().chain(["--shapes", shapes.as_str()]).collect();
    let run = chain.run(&more);
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert_eq!(std::fs::read_dir(chain.dir.path()).unwrap().count(), before, "{more:?} left a file");
    // Lines are broken where the terminal ends.
    run.err.replace("\n  │ ", " ").replace("\n  | ", " ")
}

#[test]
fn bad_input_is_named_with_file_and_line() {
    let chain = Chain::new(5);
    let says = |more: &[&str], words: &[&str]| {
        let message = refused(&chain, more);
        let flat: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(flat.contains(word), "{flat} should say {word}");
        }
    };
    let head = "%%MatrixMarket matrix coordinate real general\n";
    chain.write("corrupt.mtx", &format!("{head}5 5 2\n1 1 1.0\n2 2 zwei\n"));
    chain.write("infinite.mtx", &format!("{head}5 5 1\n3 4 inf\n"));
    chain.write("small.mtx", &format!("{head}4 4 1\n1 1 1\n"));
    chain.write("wide.mtx", &format!("{head}1 6 1\n1 1 1\n"));
    chain.write("skew.mtx", &format!("{head}5 5 2\n1 2 1\n2 1 -1\n"));
    let path = |name: &str| chain.path(name);
    says(&["--damping", &path("corrupt.mtx")], &["corrupt.mtx", "Line 4, column 5: `zwei`", "a number"]);
    says(&["--damping", &path("infinite.mtx")], &["row 3, column 4", "`inf`", "Line 3"]);
    says(&["--damping", &path("small.mtx")], &["small.mtx", "is 4 x 4, but 5 x 5 is needed", "M.mtx"]);
    says(&["--constraints", &path("wide.mtx")], &["wide.mtx", "is 1 x 6", "any number of rows x 5"]);
    says(
        &["--damping", &path("skew.mtx"), "--symmetry", "symmetric"],
        &["skew.mtx", "declared symmetric", "row 2, column 1", "faces 1"],
    );
    says(&["--damping", &path("missing.mtx")], &["missing.mtx", "cannot be read"]);
    says(&["--lowest", "0"], &["at least 1"]);
    says(&["--near", "-3"], &["--near is -3", "not negative"]);
    says(&["--band", "5", "3"], &["--band HI is 3", "not below"]);
    says(&["--near-point", "a,b"], &["write RE,IM"]);
    says(&["--lowest", "3", "--all"], &["cannot be used with"]);
    let error: serde_json::Value =
        serde_json::from_str(&chain.run(&["--damping", &path("corrupt.mtx"), "--json"]).err).unwrap();
    assert_eq!(error["error"]["kind"], "matrix");
    assert_eq!(error["error"]["problems"][0]["line"], 4);
    assert_eq!(error["error"]["problems"][0]["column"], 5);
    assert_eq!(error["error"]["file"], path("corrupt.mtx"));
}

#[test]
fn memory_that_is_short_is_reported_before_the_work_with_what_can_be_done() {
    let chain = Chain::new(500);
    let run = chain.run(&["--lowest", "4", "--memory", "1e-5"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
    let flat = run.err.replace("\n  │ ", " ").replace("\n  | ", " ");
    let flat: String = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["need about", "but 10.485 KiB may be used", "Ask for fewer modes", "--memory GIB"] {
        assert!(flat.contains(word), "{flat} should say {word}");
    }
    assert!(refused(&chain, &["--lowest", "4", "--memory", "0"]).contains("a positive number"));
    let enough = frequencies(&chain.json(&["--lowest", "4", "--memory", "0.5"]));
    assert_eq!(enough.len(), 4);
}

#[test]
fn an_empty_band_says_which_damping_was_allowed() {
    let chain = Chain::new(450);
    chain.write(
        "C.mtx",
        &format!("%%MatrixMarket matrix coordinate real symmetric\n450 450 1\n450 450 {MASS}\n"),
    );
    let c = chain.path("C.mtx");
    let args = chain.args(&["--damping", &c, "--band", "0.01", "0.2", "--max-damping", "1e-9"]);
    let text = right(&args.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("between 0.01 and 0.2 Hz and a damping ratio of at most 0.000000001."), "{text}");
}

/// One Jordan chain of four at w^2 = 5, beside enough others that not all eigenvalues are computed: every shift that is tried in it is moved,
/// and one line says so.
#[test]
fn shifts_moved_in_a_cluster_are_one_note() {
    const N: usize = 240;
    let chain = Chain::new(N);
    let of = |entries: &[String]| {
        let count = entries.len();
        format!("%%MatrixMarket matrix coordinate real general\n{N} {N} {count}\n{}\n", entries.join("\n"))
    };
    let diagonal =
        |value: &dyn Fn(usize) -> usize| (1..=N).map(|i| format!("{i} {i} {}", value(i))).collect();
    let ones: Vec<String> = diagonal(&|_| 1);
    let mut stiffness: Vec<String> = diagonal(&|i| if i <= 4 { 5 } else { 100 + i });
    stiffness.extend(["1 2 1", "2 3 1", "3 4 1"].map(str::to_owned));
    chain.write("M.mtx", &of(&ones));
    chain.write("K.mtx", &of(&stiffness));
    let hz = (5.0_f64.sqrt() / std::f64::consts::TAU).to_string();
    let run = chain.run(&["--band", &hz, &hz]);
    assert_eq!(run.out.matches("gives a singular matrix").count(), 1, "{run:?}");
}

#[test]
fn a_folder_that_does_not_exist_is_named_and_a_singular_pencil_counted() {
    let chain = Chain::new(5);
    let nowhere = Path::new(&chain.path("none")).join("x.csv");
    let run = chain.run(&["--shapes", nowhere.to_str().unwrap()]);
    assert!(run.code == 1 && run.err.contains("cannot be written"), "{run:?}");
    // Neither mass nor stiffness in the third direction.
    chain.write("M.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 1\n");
    chain.write("K.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 4\n");
    let run = chain.run(&["--lowest", "2"]);
    assert_eq!(run.code, 0, "{run:?}");
    let flat: String = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("pencil is singular"), "{flat}");
}

#[test]
fn binary_files_give_the_modes_of_text() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let model = path("model.toml");
    std::fs::write(&model, mb_cli::gallery::find("n-four-bar").unwrap().text).unwrap();
    let modes = |files: [&str; 4]| {
        let [m, c, k, g] = files.map(path);
        let given = ["modes", "--mass", &m, "--damping", &c, "--stiffness", &k, "--constraints", &g];
        let mut document = json(&given);
        // The names of the files, and what they say of themselves, differ.
        let files = document.as_object_mut().unwrap().remove("matrices").expect("a list of the files");
        (document, files)
    };
    let names = |format: &str| ["M", "C", "K", "Phi_q"].map(|letter| format!("{letter}.{format}"));
    let export = |format: &str| {
        right(&["export", &model, "--out", dir.path().to_str().unwrap(), "--format", format]);
    };
    export("mtx");
    let text = names("mtx");
    let (expected, _) = modes(text.each_ref().map(String::as_str));
    for format in ["npz", "petsc"] {
        export(format);
        let own = names(format);
        let (found, files) = modes(own.each_ref().map(String::as_str));
        assert_eq!(found, expected, "{format}");
        assert!(
            files.to_string().contains(if format == "npz" { "SciPy csc" } else { "PETSc binary" }),
            "{files}"
        );
    }
    export("mat");
    let (by_letter, files) = modes(["matrices.mat"; 4]);
    assert_eq!(by_letter, expected);
    assert!(files.to_string().contains("MATLAB sparse"), "{files}");
    let named = ["matrices.mat:M", "matrices.mat:C", "matrices.mat:K", "matrices.mat:Phi_q"];
    assert_eq!(modes(named).0, expected);
}

#[test]
fn a_binary_file_that_is_wrong_is_named_with_a_remedy() {
    let chain = Chain::new(3);
    let (m, k) = (chain.path("M.mtx"), chain.path("K.npz"));
    std::fs::write(&k, b"PK\x03\x04 and nothing more").unwrap();
    let run = mb(&["modes", "--mass", &m, "--stiffness", &k]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("K.npz") && run.err.contains("cut off"), "{}", run.err);
    let document = mb(&["modes", "--mass", &m, "--stiffness", &k, "--json"]);
    assert!(document.err.contains("\"kind\": \"matrix\""), "{}", document.err);
}
