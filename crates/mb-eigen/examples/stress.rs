//! Random problems with known eigenvalues through every solver: `stress 10000`. Prints a line for each kind of problem
//! and answer: how many, how many are proved complete, how many fall short and say so or do not, how many claim what
//! is not true, how many have an eigenvalue outside its error bound. Fails when one does, or is silently incomplete.
//! `stress 10000..20000` takes the ten thousand after these, and `stress 10000 7189` shows that one problem alone: its
//! matrices, its eigenvalues and every answer. `stress 10000 penalties` takes those alone whose kind has the word.
//! `stress determinants 10000` takes small problems of arbitrary entries, whose eigenvalues are those of the
//! determinant in exact arithmetic.
#![expect(clippy::print_stdout, reason = "a program that reports")]

#[path = "cases/exact/mod.rs"]
mod exact;

use std::collections::BTreeMap;
use std::num::ParseIntError;
use std::ops::Range;
use std::process::ExitCode;

use exact::asked::{Answer, answers};
use exact::claims::{Reach, judge};
use exact::{Problem, blocks, chains, joined, large_lattices, lattices, penalties, rational, small_lattices};
use mb_eigen::EigenError;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rayon::prelude::*;

/// What came of one kind of answer.
#[derive(Clone, Copy, Default)]
struct Tally {
    answers: usize,
    eigenvalues: usize,
    proved: usize,
    refused: usize,
    failed: usize,
    told: usize,
    unproved: usize,
    open: usize,
    silent: usize,
    wrong: usize,
    uncovered: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        self.eigenvalues += other.eigenvalues;
        self.proved += other.proved;
        self.refused += other.refused;
        self.failed += other.failed;
        self.told += other.told;
        self.unproved += other.unproved;
        self.open += other.open;
        self.silent += other.silent;
        self.wrong += other.wrong;
        self.uncovered += other.uncovered;
    }
}

type Tallies = BTreeMap<(&'static str, &'static str), Tally>;

/// The word that asks for problems of arbitrary entries.
const DETERMINANTS: &str = "determinants";

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1).peekable();
    let determinants = words.next_if(|word| word == DETERMINANTS).is_some();
    let Range { start, end } = words.next().map_or(Ok(0..1000), |text| range(&text))?;
    let rest: Vec<String> = words.collect();
    // The same problems on every machine.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    // A few of hundreds and thousands of unknowns take as much time as all others.
    let kinds = prop_oneof![
        160 => blocks().boxed(),
        80 => chains().boxed(),
        40 => joined().boxed(),
        60 => small_lattices().boxed(),
        40 => penalties().boxed(),
        18 => lattices().boxed(),
        1 => large_lattices().boxed(),
    ];
    let problems = (kinds, 0.0..1.0_f64);
    let is_word = |text: &&String| text.starts_with(char::is_alphabetic);
    let kind = rest.iter().find(is_word).cloned().unwrap_or_default();
    let shown: Vec<usize> =
        rest.iter().filter(|text| !is_word(text)).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let mut all = Tallies::new();
    // Problems of arbitrary entries have a seed each, the others follow each other.
    let mut drawn = if determinants { start } else { 0 };
    // In parts, so that matrices need not be kept.
    while drawn < end {
        let numbers = drawn..end.min(drawn + 200);
        let part: Vec<(Problem, f64)> = if determinants {
            numbers.clone().into_par_iter().map(rational::numbered).collect()
        } else {
            let tree = |_| problems.new_tree(&mut runner).map(|tree| tree.current());
            let part: Result<Vec<_>, _> = numbers.clone().map(tree).collect();
            part.map_err(|reason| reason.to_string())?
        };
        drawn = numbers.end;
        if !shown.is_empty() {
            for number in shown.iter().filter(|number| numbers.contains(number)) {
                let (problem, place) = &part[number - numbers.start];
                show(*number, problem, *place);
            }
            continue;
        }
        let tallies: Vec<Tallies> = part
            .par_iter()
            .enumerate()
            .map(|(i, given)| (numbers.start + i, given))
            .filter(|(number, (problem, _))| *number >= start && problem.kind.contains(&kind))
            .map(|(number, (problem, place))| one(number, problem, *place))
            .collect();
        for (key, tally) in tallies.into_iter().flatten() {
            all.entry(key).or_default().add(&tally);
        }
    }
    if !shown.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Ok(table(end - start, &all))
}

/// `1000` or `1000..2000`, which problems of the endless row of them.
fn range(text: &str) -> Result<Range<usize>, ParseIntError> {
    let (start, end) = text.split_once("..").unwrap_or(("0", text));
    let (start, end): (usize, usize) = (start.parse()?, end.parse()?);
    Ok(start.min(end)..end)
}

fn table(count: usize, all: &Tallies) -> ExitCode {
    println!(
        "| problem | asked | answers | eigenvalues | proved complete | short of memory | errors reported | incomplete and reported \
         | incomplete and unproved | incomplete without a report | false claims | eigenvalue outside its error bound |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut sum = Tally::default();
    for ((kind, who), tally) in all {
        sum.add(tally);
        let Tally { answers, eigenvalues, proved, refused, failed, .. } = tally;
        let Tally { told, unproved, silent, wrong, uncovered, .. } = tally;
        println!(
            "| {kind} | {who} | {answers} | {eigenvalues} | {proved} | {refused} | {failed} | {told} | {unproved} | {silent} | \
             {wrong} | {uncovered} |"
        );
    }
    let Tally { answers, uncovered, silent, wrong, failed, told, unproved, open, .. } = sum;
    println!(
        "\n{count} problems, {answers} answers: {uncovered} with an eigenvalue outside its error bound, {silent} incomplete \
         without a report, {wrong} with a false claim; {failed} requests ended with an error, {told} answers incomplete and \
         reported, {unproved} incomplete and reported as unproved; {open} answers say that completeness is not proved."
    );
    if uncovered + silent + wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Everything about one problem; matrices of small ones.
fn show(number: usize, problem: &Problem, place: f64) {
    let n = problem.pencil.k.rows();
    println!("problem {number}, {}, {n} unknowns, rank {}", problem.kind, problem.rank);
    if n <= 24 {
        let pencil = problem.pencil.to_dense();
        for (name, a) in [("M", &pencil.m), ("C", &pencil.c), ("K", &pencil.k), ("Phi_q", &pencil.phi_q)] {
            println!("{name}");
            for i in 0..a.nrows() {
                let row: Vec<String> = (0..a.ncols()).map(|j| a[(i, j)].to_string()).collect();
                println!("  {}", row.join(" "));
            }
        }
    }
    if let Some(exact::Penalty { blocks, physical, spurious, .. }) = &problem.penalty {
        let first = |a: &mb_algebra::Dense| if a.nrows() > 0 { a[(0, 0)] } else { 0.0 };
        let xi: Vec<String> = (0..blocks.xi.nrows()).map(|i| blocks.xi[(i, i)].to_string()).collect();
        println!("Xi {}, Theta {}, Omega {}", xi.join(" "), first(&blocks.theta), first(&blocks.omega));
        for (name, eigenvalues) in [("mechanism", physical), ("penalty", spurious)] {
            let eigenvalues: Vec<String> = eigenvalues.iter().take(100).map(|(s, _)| s.to_string()).collect();
            println!("eigenvalues of the {name} under penalties: {}", eigenvalues.join("  "));
        }
    }
    let mut exact: Vec<_> = problem.exact.iter().map(|(s, _)| *s).collect();
    exact.sort_by(|a, b| a.norm().total_cmp(&b.norm()));
    let exact: Vec<String> = exact.iter().take(200).map(|s| format!("{s:.6e}")).collect();
    println!("eigenvalues: {}", exact.join("  "));
    for answer in answers(problem, place) {
        let Answer { who, request, .. } = &answer;
        match &answer.found {
            Ok(found) => {
                let verdict = judge(problem, &answer, found);
                let said = verdict.fault().unwrap_or_else(|| format!("{:?}", verdict.reach));
                println!("{who}, {request:?}: {said}");
                found.findings.iter().for_each(|finding| println!("  {finding}"));
                for pair in &found.eigenpairs {
                    let Some(s) = pair.value() else { continue };
                    let (backward, bound) = (pair.backward_error, pair.error_bound);
                    println!("  {s:.12e}, bound {bound:.1e}, backward {backward:.1e}, {:?}", pair.class);
                }
            }
            Err(error) => println!("{who}, {request:?}: error: {error}"),
        }
    }
}

fn one(number: usize, problem: &Problem, place: f64) -> Tallies {
    let mut out = Tallies::new();
    for answer in answers(problem, place) {
        let tally = out.entry((problem.kind, answer.who)).or_default();
        let say = |what: &str| println!("problem {number}, {}, {}: {what}\n", problem.kind, answer.who);
        tally.answers += 1;
        match &answer.found {
            Ok(found) => {
                let verdict = judge(problem, &answer, found);
                tally.eigenvalues += verdict.eigenvalues;
                tally.proved += usize::from(verdict.proved);
                tally.open += usize::from(verdict.open);
                tally.uncovered += usize::from(verdict.uncovered.is_some());
                tally.wrong += usize::from(!verdict.wrong.is_empty());
                match &verdict.reach {
                    Reach::Full => {}
                    Reach::Told(why) => {
                        tally.told += 1;
                        say(&format!("short, told: {why}"));
                    }
                    Reach::Unproved(why) => {
                        tally.unproved += 1;
                        say(&format!("short, unproved: {why}"));
                    }
                    Reach::Silent(_) => tally.silent += 1,
                }
                if let Some(fault) = verdict.fault() {
                    say(&fault);
                }
            }
            Err(error) if answer.may_refuse && is_memory(error) => tally.refused += 1,
            Err(error) => {
                tally.failed += 1;
                say(&format!("error: {error}"));
            }
        }
    }
    out
}

fn is_memory(error: &EigenError) -> bool {
    matches!(error, EigenError::OutOfMemory { .. }) || error.to_string().contains("memory")
}
