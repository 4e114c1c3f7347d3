//! Random inputs: those that were finds once, and the first runs of each target (`cargo xtask fuzz` makes more).

#[path = "../../examples/fuzz/clock.rs"]
mod clock;
#[path = "../../examples/fuzz/engine.rs"]
mod engine;
#[path = "../../examples/fuzz/expressions.rs"]
mod expressions;
#[path = "../../examples/fuzz/files.rs"]
mod files;
#[path = "../../examples/fuzz/judge.rs"]
mod judge;
#[path = "../../examples/fuzz/matrices.rs"]
mod matrices;
#[path = "../../examples/fuzz/models.rs"]
mod models;
#[path = "../../examples/fuzz/random.rs"]
mod random;
#[path = "../../examples/fuzz/starts.rs"]
mod starts;

use engine::{Target, Workshop, corpus, folder, matrix_files};
use random::Random;
use std::path::Path;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The target of a find by the ending of its file.
fn target(name: &str) -> Target {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("toml") => Target::Models,
        Some("mtx") => Target::Matrices,
        Some("json") => Target::Starts,
        Some("bytes") => Target::Files,
        _ => Target::Expressions,
    }
}

/// Judges an input that was a find once, in every way that a run may choose; a panic fails the test as it is.
fn again(workshop: &Workshop, target: Target, input: &str) -> Result<(), String> {
    (0..24).try_for_each(|way| workshop.judged(target, &mut Random::new(way, way), input).map(drop))
}

#[test]
fn every_find_of_the_past_is_answered() {
    let place = tempfile::tempdir().unwrap();
    let workshop = Workshop { models: Vec::new(), files: Vec::new(), folder: place.path().to_owned() };
    for (name, input) in folder(&root().join("crates/mb-cli/tests/fuzz/finds")) {
        if let Err(why) = again(&workshop, target(&name), &input) {
            panic!("{name}: {why}");
        }
    }
}

#[test]
fn the_first_runs_of_every_target_break_no_promise() {
    let place = tempfile::tempdir().unwrap();
    let workshop =
        Workshop { models: corpus(&root()), files: matrix_files(&root()), folder: place.path().to_owned() };
    assert!(workshop.models.len() > 20 && workshop.files.len() >= 8);
    for (target, runs) in [
        (Target::Expressions, 20_000),
        (Target::Matrices, 4000),
        (Target::Files, 20_000),
        (Target::Starts, 400),
        (Target::Models, 50),
    ] {
        let tally = workshop.runs(target, 1, (0, runs), &mut |_| {});
        // How long a run takes is for `cargo xtask fuzz` to judge, not for a test among others.
        let find = tally.finds.iter().find(|(_, _, why)| !why.starts_with("it took"));
        assert!(find.is_none(), "{}: {find:?}", target.name());
        assert_eq!(tally.runs, tally.ends.iter().sum::<u64>() + tally.finds.len() as u64);
        // Inputs are neither all refused nor all answered.
        assert!(tally.ends[0] > runs / 20 && tally.ends[1] > runs / 20, "{}: {tally:?}", target.name());
    }
}

#[test]
fn the_time_of_a_run_is_that_of_the_processors() {
    // A name may hold what parts the fields.
    let line = "42 (a) b (c)) R 1 2 3 4 5 6 7 8 9 10 250 30 0 0 20 0 1 0 99";
    assert_eq!(clock::ticks(line), Some(280));
    assert_eq!(clock::ticks("42 (a) R 1 2"), None);
    let begun = clock::Clock::start();
    std::thread::sleep(std::time::Duration::from_millis(30));
    assert!(begun.passed() >= std::time::Duration::from_millis(30));
}
