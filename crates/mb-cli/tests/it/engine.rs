//! The distributed engine: its modes are those of the built-in one within both bounds, on one rank and on two, and whatever goes
//! wrong is said in words.
//!
//! Tests that run the driver are skipped, with a sentence, where `cargo xtask setup --engine` has not built it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{json, mb, model, right};

/// Whether both drivers are there; a sentence where they are not.
#[expect(clippy::print_stderr, reason = "who runs the tests is to know which were skipped")]
fn engine() -> bool {
    let program = PathBuf::from(assert_cmd::Command::cargo_bin("mb").unwrap().get_program());
    let folder = program.parent().unwrap().parent().unwrap().join("engine");
    let built = ["mb-engine-real", "mb-engine-complex"].iter().all(|name| folder.join(name).is_file());
    if !built {
        eprintln!("Skipped: the distributed engine is not built; `cargo xtask setup --engine` builds it.");
    }
    built
}

/// re, im, error bound of all pairs with Im s >= 0 and the proofs of completeness.
fn read(found: &serde_json::Value) -> (Vec<[f64; 3]>, Vec<String>) {
    let result = &found["formulations"][0];
    let number = |p: &serde_json::Value, key: &str| p[key].as_f64().unwrap();
    let pairs = result["eigenpairs"].as_array().unwrap();
    let all = pairs.iter().map(|p| [number(p, "re"), number(p, "im"), number(p, "error_bound")]);
    let findings = result["findings"].as_array().unwrap().iter().map(ToString::to_string);
    (all.filter(|[_, im, _]| *im >= 0.0).collect(), findings.collect())
}

/// The modes of a command by the engine on one rank and on two, held against the built-in ones; all of them proved.
fn same_as_built_in(args: &[&str]) {
    same_on(&["1", "2"], args);
}

/// The same on some numbers of ranks.
fn same_on(ranks: &[&str], args: &[&str]) {
    let (own, _) = read(&json(args));
    assert!(!own.is_empty());
    for ranks in ranks {
        let (found, findings) = read(&json(&[args, &["--engine", "slepc", "--ranks", ranks]].concat()));
        assert_eq!(found.len(), own.len(), "{args:?}, {ranks} ranks: {found:?}\n{own:?}\n{findings:?}");
        for (a, b) in found.iter().zip(&own) {
            let off = (a[0] - b[0]).hypot(a[1] - b[1]);
            assert!(off <= a[2] + b[2], "{args:?}, {ranks} ranks: {a:?} {b:?}");
            assert!(a[2] <= 1e-6 * a[0].hypot(a[1]).max(1e-3), "{args:?}: bound {a:?}");
            // The engine refines as far as the built-in one does.
            assert!(a[2] <= 10.0 * b[2].max(1e-12 * b[0].hypot(b[1])), "{args:?}: {a:?} {b:?}");
        }
        let proved = findings.iter().any(|f| f.contains("completeness"));
        assert!(proved && !findings.iter().any(|f| f.contains("unproved")), "{args:?}: {findings:?}");
    }
}

#[test]
fn modes_of_models_are_those_of_the_built_in_engine() {
    if !engine() {
        return;
    }
    let (loops, block) = (model("n-four-bar"), model("solid-cantilever"));
    same_as_built_in(&["modes", &loops, "--set", "N=40", "--lowest", "1"]);
    same_as_built_in(&["modes", &block, "--set", "n=5", "--set", "N=24", "--lowest", "6"]);
}

#[test]
fn near_and_band_are_those_of_the_built_in_engine() {
    if !engine() {
        return;
    }
    let links = model("flexible-double-pendulum");
    same_as_built_in(&["modes", &links, "--set", "n=12", "--near", "5", "--count", "3"]);
    same_as_built_in(&["modes", &links, "--set", "n=12", "--band", "0", "20"]);
    // Several slices, each with the modes of those before it deflated.
    let block = model("solid-cantilever");
    same_as_built_in(&["modes", &block, "--set", "n=3", "--set", "N=12", "--band", "0", "250"]);
}

#[test]
fn rigid_modes_and_redundant_rows_are_reported() {
    if !engine() {
        return;
    }
    let args = ["modes", &model("free-body"), "--lowest", "6"];
    let (own, theirs) = (json(&args), json(&[&args[..], &["--engine", "slepc"]].concat()));
    let classes = |found: &serde_json::Value| -> Vec<String> {
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        pairs.iter().map(|p| p["class"].to_string()).collect()
    };
    assert_eq!(classes(&theirs), classes(&own));
    same_as_built_in(&["modes", &model("parallelogram"), "--lowest", "1"]);
}

#[test]
fn damped_modes_are_proved_by_the_phase_of_the_determinant() {
    if !engine() {
        return;
    }
    let links = model("double-pendulum-rigid");
    same_as_built_in(&["modes", &links, "--set", "c=0.3", "--lowest", "1"]);
}

/// A free spin and two frequencies of a top in steady motion: gyroscopic, with a chain of zeros.
#[test]
fn zeros_of_a_gyroscopic_problem_are_reported_and_counted() {
    if !engine() {
        return;
    }
    let args = ["modes", &model("top"), "--moving", "--lowest", "3"];
    let (own, _) = read(&json(&args));
    let (found, findings) = read(&json(&[&args[..], &["--engine", "slepc", "--ranks", "2"]].concat()));
    assert_eq!(found.len(), own.len());
    for (a, b) in found.iter().zip(&own) {
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) <= a[2] + b[2], "{a:?} {b:?}");
    }
    assert!(findings.iter().any(|f| f.contains("completeness")), "{findings:?}");
}

/// A file with the entries of a matrix.
fn matrix(folder: &Path, name: &str, [rows, columns]: [usize; 2], entries: &[(usize, usize, f64)]) -> String {
    let count = entries.len();
    let mut text = format!("%%MatrixMarket matrix coordinate real general\n{rows} {columns} {count}\n");
    for (i, j, v) in entries {
        writeln!(text, "{} {} {v}", i + 1, j + 1).unwrap();
    }
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// K of a chain with n masses, the ground at its ends, and what is added to the diagonal.
fn chain(n: usize, more: impl Fn(usize) -> f64) -> Vec<(usize, usize, f64)> {
    let mut out: Vec<_> = (0..n).map(|i| (i, i, 4.0 + more(i))).collect();
    out.extend((1..n).flat_map(|i| [(i, i - 1, -2.0), (i - 1, i, -2.0)]));
    out
}

/// Of a gyroscopic chain that is hardly damped, all eigenvalues are near a line through the circle: those behind it turn the phase by whole
/// turns within a few hundredths of the circle.
#[test]
fn a_dense_line_of_eigenvalues_is_counted() {
    if !engine() {
        return;
    }
    let (dir, n) = (tempfile::tempdir().unwrap(), 80);
    let write = |name: &str, entries: &[(usize, usize, f64)]| matrix(dir.path(), name, [n, n], entries);
    let m = write("M.mtx", &(0..n).map(|i| (i, i, 1.0)).collect::<Vec<_>>());
    let mut c: Vec<_> = (0..n).map(|i| (i, i, 1e-3)).collect();
    c.extend((1..n).step_by(3).flat_map(|i| [(i - 1, i, 0.2), (i, i - 1, -0.2)]));
    let (c, k) = (write("C.mtx", &c), write("K.mtx", &chain(n, |i| (i % 5) as f64)));
    let args = ["modes", "--mass", &m, "--damping", &c, "--stiffness", &k];
    for lowest in ["6", "14"] {
        same_on(&["1"], &[&args[..], &["--lowest", lowest]].concat());
    }
}

/// Two free chains on a spring a hundred thousand times softer than theirs: the zero stays one, and the slow mode, a millionth of the
/// shift of its slice, is refined as the others are.
#[test]
fn a_slow_mode_and_a_zero_share_a_slice() {
    if !engine() {
        return;
    }
    let (dir, n) = (tempfile::tempdir().unwrap(), 200);
    let write = |name: &str, entries: &[(usize, usize, f64)]| matrix(dir.path(), name, [n, n], entries);
    let m = write("M.mtx", &(0..n).map(|i| (i, i, 1.0)).collect::<Vec<_>>());
    let spring = |i: usize| if i == n / 2 { 2e-5 } else { 2.0 };
    let mut k: Vec<_> = (1..n).flat_map(|i| [(i, i - 1, -spring(i)), (i - 1, i, -spring(i))]).collect();
    let after = |i: usize| if i + 1 < n { spring(i + 1) } else { 0.0 };
    k.extend((0..n).map(|i| (i, i, after(i) + if i > 0 { spring(i) } else { 0.0 })));
    let k = write("K.mtx", &k);
    let args = ["modes", "--mass", &m, "--stiffness", &k, "--band", "0", "0.1"];
    let (own, _) = read(&json(&args));
    for ranks in ["1", "2"] {
        let (found, findings) = read(&json(&[&args[..], &["--engine", "slepc", "--ranks", ranks]].concat()));
        assert_eq!(found.len(), own.len(), "{findings:?}");
        for (a, b) in found.iter().zip(&own) {
            assert!((a[0] - b[0]).hypot(a[1] - b[1]) <= a[2] + b[2], "{a:?} {b:?}");
            assert!(a[1] == 0.0 || a[2] <= 1e-12 * a[1], "{a:?}");
        }
        assert!(found.iter().any(|[_, im, _]| *im > 0.0 && *im < 1e-3), "{found:?}");
        assert!(findings.iter().any(|f| f.contains("completeness")), "{findings:?}");
    }
}

#[test]
fn coordinates_without_mass_and_bands_without_modes_are_answered() {
    if !engine() {
        return;
    }
    let (dir, n) = (tempfile::tempdir().unwrap(), 4);
    let write = |name: &str, entries: &[(usize, usize, f64)]| matrix(dir.path(), name, [n, n], entries);
    let m = write("M.mtx", &[(1, 1, 2.0), (2, 2, 3.0), (3, 3, 0.5)]);
    let k = write("K.mtx", &chain(n, |i| i as f64));
    let args = ["modes", "--mass", &m, "--stiffness", &k];
    for lowest in ["2", "3", "4"] {
        same_on(&["1"], &[&args[..], &["--lowest", lowest]].concat());
    }
    let more = json(&[&args[..], &["--lowest", "4", "--engine", "slepc"]].concat());
    assert!(read(&more).1.iter().any(|f| f.contains("fewer_exist")), "{more}");
    let empty = json(&[&args[..], &["--band", "5", "6", "--engine", "slepc"]].concat());
    let (pairs, findings) = read(&empty);
    assert!(pairs.is_empty() && findings.iter().any(|f| f.contains("empty_band")), "{findings:?}");
}

/// Two oscillators in a band, of damping ratios 0.1 and 0.4: without a limit both stand there, and one that is empty for the search is
/// not said to be empty for all.
#[test]
fn strongly_damped_modes_in_a_band_stay() {
    if !engine() {
        return;
    }
    let (dir, n) = (tempfile::tempdir().unwrap(), 2);
    let write = |name: &str, entries: &[(usize, usize, f64)]| matrix(dir.path(), name, [n, n], entries);
    let m = write("M.mtx", &[(0, 0, 1.0), (1, 1, 1.0)]);
    let c = write("C.mtx", &[(0, 0, 2.0), (1, 1, 8.0)]);
    let k = write("K.mtx", &[(0, 0, 100.0), (1, 1, 100.0)]);
    let band = ["modes", "--mass", &m, "--damping", &c, "--stiffness", &k, "--band", "1.4", "1.7"];
    same_as_built_in(&band);
    let limit = json(&[&band[..], &["--max-damping", "0.2", "--engine", "slepc"]].concat());
    assert_eq!(read(&limit).0.len(), 1, "{limit}");
}

/// Eigenvalues five powers of ten apart: a solve next to the least of them spoils the vectors of the others.
#[test]
fn frequencies_far_apart_are_all_found() {
    if !engine() {
        return;
    }
    let arm = model("erls-arm");
    let found = read(&json(&["modes", &arm, "--lowest", "20", "--engine", "slepc"]));
    assert_eq!(found.0.len(), 20, "{found:?}");
    same_as_built_in(&["modes", &arm, "--lowest", "3"]);
    // One that is nine powers of ten further from the shift than zeros are gets a factor of its own.
    let governor = ["modes", &model("flyball-governor"), "--lowest", "20"];
    let (own, _) = read(&json(&governor));
    let (found, findings) = read(&json(&[&governor[..], &["--engine", "slepc"]].concat()));
    assert_eq!(found.len(), own.len(), "{findings:?}");
    for (a, b) in found.iter().zip(&own) {
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) <= a[2] + b[2], "{a:?} {b:?}");
    }
}

/// Matrices of no symmetry with damping, and a row twice another.
#[test]
fn unsymmetric_matrices_with_a_redundant_row() {
    if !engine() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let n = 60;
    let write = |name: &str, rows: usize, entries: &[(usize, usize, f64)]| {
        matrix(dir.path(), name, [rows, n], entries)
    };
    let (mut m, mut c, mut k) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        m.push((i, i, 1.0));
        c.push((i, i, 0.1));
        k.push((i, i, 2.0 + 0.01 * i as f64));
        if i > 0 {
            c.push((i, i - 1, 0.2));
            k.extend([(i, i - 1, -1.0), (i - 1, i, -0.7)]);
        }
    }
    let (m, c, k) = (write("M.mtx", n, &m), write("C.mtx", n, &c), write("K.mtx", n, &k));
    let g = write("G.mtx", 2, &[(0, 3, 1.0), (0, 4, -1.0), (1, 3, 2.0), (1, 4, -2.0)]);
    let args = ["modes", "--mass", &m, "--stiffness", &k, "--constraints", &g];
    same_as_built_in(&[&args[..], &["--damping", &c, "--near", "0.2", "--count", "3"]].concat());
    same_on(&["1"], &[&args[..], &["--lowest", "3"]].concat());
}

#[test]
fn a_folder_goes_through_a_queue() {
    let dir = tempfile::tempdir().unwrap();
    let job = dir.path().join("job");
    let (path, at) = (model("n-four-bar"), job.to_str().unwrap().to_owned());
    let args = ["modes", path.as_str(), "--set", "N=40", "--lowest", "1"];
    let with = |more: &[&str]| mb(&[&args[..], more].concat());
    // What a run that was killed has left goes, of another folder it stays; no system gives this number to a process.
    let draft = |name: &str| dir.path().join(format!(".{name}.{}.part", u32::MAX - 1));
    for name in ["job", "job.lines", "other"] {
        std::fs::create_dir(draft(name)).unwrap();
        std::fs::write(draft(name).join("K.petsc"), "begun").unwrap();
    }
    let said = right(&[&args[..], &["--engine-write", &at, "--ranks", "2"]].concat());
    assert_eq!(["job", "job.lines", "other"].map(|name| draft(name).exists()), [false, false, true]);
    assert!(said.contains("run.sh") && said.contains("--engine-read"), "{said}");
    // Not over what is there.
    let again = with(&["--engine-write", &at]);
    assert!(again.code == 1 && again.err.contains("not empty"), "{again:?}");
    let early = with(&["--engine-read", &at]);
    assert!(early.code == 1 && early.err.contains("has not ended"), "{early:?}");
    let other = mb(&["modes", &path, "--set", "N=41", "--lowest", "1", "--engine-read", &at]);
    assert!(other.code == 1 && other.err.contains("another model"), "{other:?}");
    faults(&job, &with);
    if !engine() {
        return;
    }
    run(&job, "2");
    let read = json(&[&args[..], &["--engine-read", &at]].concat());
    assert_eq!(read["formulations"][0]["name"], "constrained/slepc");
    // Half-written, changed, of another version.
    let values = job.join("results/values.bin");
    let whole = std::fs::read(&values).unwrap();
    std::fs::write(&values, &whole[..whole.len() - 4]).unwrap();
    let torn = with(&["--engine-read", &at]);
    assert!(torn.code == 1 && torn.err.contains("not whole") && torn.err.contains("run.sh"), "{torn:?}");
    std::fs::remove_file(&values).unwrap();
    let gone = with(&["--engine-read", &at]);
    assert!(gone.code == 1 && gone.err.contains("is missing"), "{gone:?}");
    // A run is repeated as it is.
    run(&job, "1");
    let (a, _) = read_pairs(&json(&[&args[..], &["--engine-read", &at]].concat()));
    let (b, _) = read_pairs(&read);
    assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
}

fn read_pairs(found: &serde_json::Value) -> (f64, usize) {
    let (pairs, _) = read(found);
    (pairs[0][1], pairs.len())
}

/// Runs the script of a folder to its end.
fn run(job: &Path, ranks: &str) {
    let output = script(job, ranks).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// The script of a folder with what it needs here.
fn script(job: &Path, ranks: &str) -> std::process::Command {
    let program = PathBuf::from(assert_cmd::Command::cargo_bin("mb").unwrap().get_program());
    let folder = program.parent().unwrap().parent().unwrap().join("engine");
    let mut command = std::process::Command::new("sh");
    command
        .arg(job.join("run.sh"))
        .env("RANKS", ranks)
        .env("MB_ENGINE_DIR", folder)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    command
}

/// A rank that is killed behind the first slice of a band: a run that is repeated goes on there, on another number of ranks, to the modes of
/// the built-in engine; a slice that has changed since it was kept is searched again.
#[cfg(unix)]
#[test]
fn a_band_goes_on_behind_the_slices_of_a_killed_run() {
    if !engine() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (job, spoiled) = (dir.path().join("job"), dir.path().join("spoiled"));
    let path = model("solid-cantilever");
    let args = ["modes", &path, "--set", "n=3", "--set", "N=12", "--band", "0", "300"];
    right(&[&args[..], &["--engine-write", job.to_str().unwrap()]].concat());
    let kill = dir.path().join("kill.sh");
    let wait = "while [ ! -f results/slice-0.txt ]; do sleep 0.01; done; kill -9 $$";
    let one = format!("[ \"$OMPI_COMM_WORLD_RANK\" = 1 ] && {{ {wait}; }} &\nexec \"$@\"\n");
    std::fs::write(&kill, one).unwrap();
    let killed =
        script(&job, "2").env("LAUNCHER", format!("mpiexec -n 2 sh {}", kill.display())).output().unwrap();
    assert!(!killed.status.success(), "{killed:?}");
    let at = job.to_str().unwrap().to_owned();
    let early = mb(&[&args[..], &["--engine-read", &at]].concat());
    assert!(early.code == 1 && early.err.contains("goes on behind the slices"), "{early:?}");
    std::fs::create_dir_all(spoiled.join("results")).unwrap();
    for folder in ["", "results"] {
        for entry in std::fs::read_dir(job.join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_file() {
                std::fs::copy(&entry, spoiled.join(folder).join(entry.file_name().unwrap())).unwrap();
            }
        }
    }
    let vectors = spoiled.join("results/slice-0.bin");
    let mut bytes = std::fs::read(&vectors).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&vectors, bytes).unwrap();
    let (own, _) = read(&json(&args));
    for (folder, resumed) in [(&job, true), (&spoiled, false)] {
        run(folder, "1");
        let status = std::fs::read_to_string(folder.join("results/status.txt")).unwrap();
        assert_eq!(status.contains("\nresumed "), resumed, "{status}");
        let left = std::fs::read_dir(folder.join("results")).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(!left.into_iter().any(|name| name.to_string_lossy().contains("slice")));
        let (found, findings) =
            read(&json(&[&args[..], &["--engine-read", folder.to_str().unwrap()]].concat()));
        assert_eq!(found.len(), own.len());
        for (a, b) in found.iter().zip(&own) {
            assert!((a[0] - b[0]).hypot(a[1] - b[1]) <= a[2] + b[2], "{a:?} {b:?}");
        }
        assert!(findings.iter().any(|f| f.contains("completeness")), "{findings:?}");
    }
}

/// Files of a folder that changed, are missing or of another version.
fn faults(job: &Path, with: &dyn Fn(&[&str]) -> crate::support::Run) {
    let at = job.to_str().unwrap();
    let spoiled = |name: &str, change: &dyn Fn(Vec<u8>) -> Option<Vec<u8>>, words: &str| {
        let path = job.join(name);
        let whole = std::fs::read(&path).unwrap();
        match change(whole.clone()) {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let run = with(&["--engine-read", at]);
        assert!(run.code == 1 && run.out.is_empty() && run.err.contains(words), "{name}: {run:?}");
        std::fs::write(&path, whole).unwrap();
    };
    let flipped = |mut bytes: Vec<u8>| {
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        Some(bytes)
    };
    spoiled("K.petsc", &flipped, "its checksum is another one");
    spoiled("M.petsc", &|_| None, "it is missing");
    spoiled("K.petsc", &|bytes| Some(bytes[..bytes.len() / 2].to_vec()), "it has another length");
    spoiled("manifest.json", &|_| None, "cannot be read");
    spoiled("manifest.json", &|bytes| Some(bytes[..20].to_vec()), "cannot be understood");
    let later = |bytes: Vec<u8>| {
        Some(String::from_utf8(bytes).unwrap().replace("\"format\": 3", "\"format\": 9").into_bytes())
    };
    spoiled("manifest.json", &later, "version 9");
}

#[test]
fn what_goes_wrong_is_said() {
    let path = model("n-four-bar");
    let args = ["modes", path.as_str(), "--set", "N=40"];
    let with = |more: &[&str]| mb(&[&args[..], more].concat());
    let nothing = with(&["--engine", "slepc"]);
    assert!(nothing.code == 1 && nothing.err.contains("--lowest N"), "{nothing:?}");
    let largest = with(&["--largest", "3", "--engine", "slepc"]);
    assert!(largest.code == 1 && largest.err.contains("--largest"), "{largest:?}");
    let said = right(&[&args[..], &["--lowest", "1", "--estimate", "--ranks", "4"]].concat());
    assert!(said.contains("4 ranks") && said.contains("GiB"), "{said}");
    let alone = with(&["--lowest", "1", "--ranks", "2"]);
    assert!(alone.code == 1 && alone.err.contains("--engine"), "{alone:?}");
    let both = with(&["--lowest", "1", "--engine", "slepc", "--solver", "arpack"]);
    assert!(both.code == 1 && both.err.contains("--solver"), "{both:?}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let missing = assert_cmd::Command::cargo_bin("mb")
        .unwrap()
        .current_dir(root)
        .env("MB_ENGINE_DIR", "nowhere")
        .args([&args[..], &["--lowest", "1", "--engine", "slepc"]].concat())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&missing.stderr);
    assert!(missing.status.code() == Some(1) && err.contains("cargo xtask setup --engine"), "{err}");
    if !engine() {
        return;
    }
    let launcher = with(&["--lowest", "1", "--engine", "slepc", "--launcher", "no-such-launcher {ranks}"]);
    assert!(launcher.code == 2 && launcher.err.contains("no-such-launcher"), "{launcher:?}");
    let failing = with(&["--lowest", "1", "--engine", "slepc", "--launcher", "false"]);
    assert!(failing.code == 2 && failing.err.contains("`false`"), "{failing:?}");
    // One that starts nothing has left no folder with a script in it.
    let idle = with(&["--lowest", "1", "--engine", "slepc", "--launcher", "true"]);
    assert!(
        idle.code == 2 && idle.err.contains("without a word") && !idle.err.contains("run.sh"),
        "{idle:?}"
    );
    let numbers = with(&["--lowest", "1", "--engine", "slepc", "--ranks", "2", "--launcher", "mpiexec"]);
    assert!(numbers.code == 2 && numbers.err.contains("write {ranks}"), "{numbers:?}");
    let env = with(&["--lowest", "1", "--engine", "slepc", "--ranks", "2", "--launcher", "env N={ranks}"]);
    assert!(env.code == 2 && env.err.contains("ran on 1"), "{env:?}");
}

/// A launcher that kills the driver on its way: an error, and no result.
#[cfg(unix)]
#[test]
fn a_rank_that_is_killed_leaves_no_result() {
    if !engine() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let launcher = dir.path().join("launch.sh");
    std::fs::write(&launcher, "\"$@\" &\nsleep 0.05\nkill -9 $!\nwait $!\n").unwrap();
    let words = format!("sh {}", launcher.display());
    let path = model("solid-cantilever");
    let args = ["modes", &path, "--set", "n=5", "--set", "N=24", "--lowest", "6", "--engine", "slepc"];
    let run = mb(&[&args[..], &["--launcher", &words]].concat());
    assert!(run.code == 2 && run.out.is_empty() && run.err.contains("failed"), "{run:?}");
}
