//! Random problems with known roots through every solver: `stress 10000`. Prints a line for each kind of problem and answer:
//! how many, how many failed, how many roots lay outside their error bars. Fails when one did. `stress 10000 7189` shows that one
//! problem alone: its matrices, its roots and every answer.
#![expect(clippy::print_stdout, reason = "a program that reports")]

#[path = "cases/exact.rs"]
mod exact;

use std::collections::BTreeMap;
use std::process::ExitCode;

use exact::{Problem, answers, blocks, chains, covered, joined};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rayon::prelude::*;

/// What came of one kind of answer.
#[derive(Clone, Copy, Default)]
struct Tally {
    answers: usize,
    roots: usize,
    failed: usize,
    uncovered: usize,
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let count: usize = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    // The same problems on every machine.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    // Half of them blocks, half chains, of which half are joined.
    let problems =
        (prop_oneof![2 => blocks().boxed(), 1 => chains().boxed(), 1 => joined().boxed()], 0.0..1.0_f64);
    let drawn: Result<Vec<(Problem, f64)>, _> =
        (0..count).map(|_| problems.new_tree(&mut runner).map(|tree| tree.current())).collect();
    let drawn = drawn.map_err(|reason| reason.to_string())?;
    let shown: Vec<usize> = std::env::args().skip(2).map(|text| text.parse()).collect::<Result<_, _>>()?;
    if !shown.is_empty() {
        for number in shown {
            let Some((problem, place)) = drawn.get(number) else { return Err("no such problem".into()) };
            show(number, problem, *place);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let parts: Vec<BTreeMap<(&str, &str), Tally>> =
        drawn.par_iter().enumerate().map(|(number, (problem, place))| one(number, problem, *place)).collect();
    let mut all: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    for (key, part) in parts.into_iter().flatten() {
        let sum = all.entry(key).or_default();
        sum.answers += part.answers;
        sum.roots += part.roots;
        sum.failed += part.failed;
        sum.uncovered += part.uncovered;
    }
    println!("| problem | asked | answers | roots | errors told | roots outside their bars |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    for ((kind, who), tally) in &all {
        let Tally { answers, roots, failed, uncovered } = tally;
        println!("| {kind} | {who} | {answers} | {roots} | {failed} | {uncovered} |");
    }
    let uncovered: usize = all.values().map(|tally| tally.uncovered).sum();
    println!("\n{count} problems, {uncovered} answers with a root outside its bar.");
    Ok(if uncovered == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Everything about one problem.
fn show(number: usize, problem: &Problem, place: f64) {
    println!("problem {number}, {}", problem.kind);
    let pencil = problem.pencil.to_dense();
    for (name, a) in [("M", &pencil.m), ("C", &pencil.c), ("K", &pencil.k), ("Phi_q", &pencil.phi_q)] {
        println!("{name}");
        for i in 0..a.nrows() {
            let row: Vec<String> = (0..a.ncols()).map(|j| a[(i, j)].to_string()).collect();
            println!("  {}", row.join(" "));
        }
    }
    let exact: Vec<String> = problem.exact.iter().map(|(s, _)| format!("{s:.6}")).collect();
    println!("roots: {}", exact.join("  "));
    for answer in answers(problem, place) {
        match answer.found {
            Ok(found) => {
                let verdict = covered(&found, &problem.exact).err().unwrap_or_else(|| "covered".to_owned());
                println!("{}: {verdict}", answer.who);
                for pair in &found {
                    let Some(s) = pair.value() else { continue };
                    let (backward, bar) = (pair.backward_error, pair.error_bar);
                    println!("  {s:.6e}, bar {bar:.1e}, backward {backward:.1e}, {:?}", pair.class);
                }
            }
            Err(error) => println!("{}: error: {error}", answer.who),
        }
    }
}

fn one(number: usize, problem: &Problem, place: f64) -> BTreeMap<(&str, &str), Tally> {
    let mut out = BTreeMap::new();
    for answer in answers(problem, place) {
        let tally: &mut Tally = out.entry((problem.kind, answer.who)).or_default();
        tally.answers += 1;
        match answer.found {
            Ok(found) => {
                tally.roots += found.len();
                if let Err(why) = covered(&found, &problem.exact) {
                    tally.uncovered += 1;
                    println!("problem {number}, {}, {}: {why}\n", problem.kind, answer.who);
                }
            }
            Err(error) => {
                tally.failed += 1;
                println!("problem {number}, {}, {}: error: {error}\n", problem.kind, answer.who);
            }
        }
    }
    out
}
