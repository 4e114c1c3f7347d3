//! Modes at many values of parameters.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use mb_algebra::c64;
use mb_analysis::checkpoint::fingerprint;
use mb_analysis::periodic::OrbitSearch;
use mb_analysis::sweep::{
    Boundary, Case, CaseMode, CaseOptions, Design, DesignError, Range, Row, Table, TableError, Taken,
    boundaries, in_words, looks, run, solve, solve_periodic,
};
use mb_analysis::{MotionOptions, StartOptions, names};
use mb_linear::FrameChoice;
use mb_linear::steady::Spin;
use mb_model::Model as Mechanism;
use mb_model::spec::{ModelSpec, Value};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::arrays::{by_rows, vector};
use crate::model::Model;
use crate::options::{StrategyWord, read};
use crate::{errors, fork, kept, work};

/// Which values, and what is solved for at each, as `python/mb/_sweep.py` writes it. Coordinates stand by name: a parameter may
/// change how many there are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    design: Values,
    at: Vec<(String, f64)>,
    inputs: Vec<(String, f64)>,
    time: f64,
    solve: bool,
    strategy: StrategyWord,
    motion: Option<Motion>,
    /// The period of a periodic motion, s, an expression of parameters.
    floquet: Option<String>,
    modes: usize,
    jobs: Option<usize>,
    boundary: bool,
    /// Only every `of`-th case, beginning with number `part`, from 1.
    shard: Option<[usize; 2]>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Values {
    /// The values of every case.
    Points {
        names: Vec<String>,
        points: Vec<Vec<f64>>,
    },
    /// The values of each parameter.
    Grid {
        names: Vec<String>,
        axes: Vec<Vec<f64>>,
    },
    Random {
        ranges: Vec<(String, f64, f64)>,
        cases: usize,
        seed: u64,
    },
    Latin {
        ranges: Vec<(String, f64, f64)>,
        cases: usize,
        seed: u64,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Motion {
    velocities: Vec<(String, f64)>,
    after: f64,
    spins: Vec<(String, f64)>,
    frame: Option<String>,
}

impl Values {
    fn design(&self) -> Result<Design, DesignError> {
        let ranges = |list: &[(String, f64, f64)]| -> Vec<Range> {
            let one = |(name, from, to): &(String, f64, f64)| Range {
                name: name.clone(),
                from: *from,
                to: *to,
                count: 0,
            };
            list.iter().map(one).collect()
        };
        match self {
            Self::Points { names, points } => Design::list(names, points.clone()),
            Self::Grid { names, axes } => Design::combinations(names, axes),
            Self::Random { ranges: list, cases, seed } => Design::random(&ranges(list), *cases, *seed),
            Self::Latin { ranges: list, cases, seed } => {
                Design::latin_hypercube(&ranges(list), *cases, *seed)
            }
        }
    }
}

impl Asked {
    fn options(&self, model: &Mechanism, taken: &Taken) -> Result<CaseOptions, String> {
        let configuration = names::configuration(model);
        let index = |known: &[String], name: &String, what: &str| {
            let missing = || format!("the model has no {what} '{name}' at these values");
            known.iter().position(|k| k == name).ok_or_else(missing)
        };
        let indexed = |list: &[(String, f64)], known: &[String]| {
            list.iter()
                .map(|(n, x)| Ok((index(known, n, "coordinate")?, *x)))
                .collect::<Result<Vec<_>, String>>()
        };
        let mut inputs = vec![0.0; model.inputs().len()];
        for (name, value) in &self.inputs {
            inputs[index(model.inputs(), name, "input")?] = *value;
        }
        let start = StartOptions {
            given: indexed(&self.at, &configuration)?,
            solve: self.solve,
            strategy: self.strategy.into(),
            time: self.time,
            inputs,
            ..StartOptions::default()
        };
        let motion = match &self.motion {
            None => taken.moves(model).then(MotionOptions::default),
            Some(m) => Some(MotionOptions {
                velocities: indexed(&m.velocities, &model.coordinates().names())?,
                after: m.after,
                spins: m.spins.iter().map(|(joint, speed)| Spin::behind(joint.clone(), *speed)).collect(),
                frame: FrameChoice::named(m.frame.as_deref()),
                ..MotionOptions::default()
            }),
        };
        Ok(CaseOptions { start, motion, count: self.modes })
    }

    /// The state that cases take, with all that is asked for of it, in words.
    fn state(&self, taken: &Taken) -> String {
        let mut asked: Vec<(&str, String)> = Vec::new();
        let mut add = |what: &'static str, list: &[(String, f64)]| {
            asked.extend(list.iter().map(|(name, x)| (what, format!("{name}={x}"))));
        };
        if let Some(motion) = &self.motion {
            add("spin", &motion.spins);
            add("velocity", &motion.velocities);
        }
        add("input", &self.inputs);
        add("at", &self.at);
        asked.extend(self.motion.iter().filter_map(|m| Some(("frame", m.frame.clone()?))));
        if self.time != 0.0 {
            asked.push(("time", self.time.to_string()));
        }
        asked.extend(self.floquet.iter().map(|period| ("period", period.clone())));
        if !self.solve {
            asked.push(("no-solve", String::new()));
        }
        in_words(taken, asked)
    }

    /// The state that every case takes.
    fn taken(&self, spec: &ModelSpec, design: &Design) -> Taken {
        let build = |values: &[f64]| built(spec, &design.names, values).ok();
        if let Some(period) = &self.floquet {
            return Taken::Periodic(period.clone());
        }
        match (self.motion.is_some(), design.points.first().and_then(|first| build(first))) {
            (true, _) => Taken::Asked,
            (false, Some(first)) => {
                let by = "velocity={'COORDINATE': ...} takes them";
                Taken::of(design, &first, self.strategy.into(), by, build)
            }
            (false, None) => Taken::Rest(None),
        }
    }

    /// One case, from the description to its modes, with its number in the design, none between cases; what went wrong in words.
    fn case(
        &self,
        spec: &ModelSpec,
        names: &[String],
        (values, number): (&[f64], Option<usize>),
        taken: &Taken,
    ) -> Result<Case, String> {
        let spec = with_values(spec, names, values)?;
        let model = spec.build().map_err(|e| e.to_string())?;
        let CaseOptions { start, mut motion, count } = self.options(&model, taken)?;
        if let Some(motion) = &mut motion {
            motion.looks = looks(&model, number);
        }
        let Some(period) = &self.floquet else {
            return solve(&model, &CaseOptions { start, motion, count }).map_err(|e| e.to_string());
        };
        let search = OrbitSearch::with_period(period, start, motion);
        solve_periodic(&spec, &model, &search, count).map_err(|e| e.to_string())
    }
}

/// The model of one case; what went wrong in words.
fn built(spec: &ModelSpec, names: &[String], values: &[f64]) -> Result<Mechanism, String> {
    with_values(spec, names, values)?.build().map_err(|e| e.to_string())
}

/// The description of one case; what went wrong in words.
fn with_values(spec: &ModelSpec, names: &[String], values: &[f64]) -> Result<ModelSpec, String> {
    let mut spec = spec.clone();
    for (name, value) in names.iter().zip(values) {
        spec.set_parameter(name, Value::Number(*value)).map_err(|e| e.to_string())?;
    }
    Ok(spec)
}

/// What a sweep found, before it is made arrays of.
struct Found {
    design: Design,
    rows: Vec<Option<Row>>,
    boundary: Boundary,
    taken: Taken,
    state: String,
    fingerprint: String,
}

/// The lines of a table, each with its number.
type Lines = Vec<(u64, Vec<String>)>;

/// Solves the cases side by side. `progress` is called with the cases done and their number; `earlier` are tables of runs before, each
/// with its file; `keep` is called with each line of the table: its names, the cases that are done, an empty one, and each case as it ends.
#[pyfunction]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    model: &Model,
    asked: &str,
    progress: Option<&Bound<'py, PyAny>>,
    earlier: Vec<(String, Lines)>,
    keep: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let asked: Asked = read(py, asked)?;
    let (asked, design) = work::run(py, move || {
        let design = asked.design.design();
        (asked, design)
    })?;
    let design = design.map_err(|e| errors::argument(py, "parameters", e.to_string(), None))?;
    let count = asked.modes;
    let spec = model.spec();
    let done = Arc::new(AtomicUsize::new(0));
    let open_cases = Arc::new(AtomicUsize::new(design.len()));
    let (seen, total) = (Arc::clone(&done), Arc::clone(&open_cases));
    let (send, lines) = channel::<Vec<String>>();
    let job = move || -> Result<Found, (String, TableError)> {
        let mut rows: Vec<Option<Row>> = vec![None; design.len()];
        let most = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if fork::is_child() { 1 } else { asked.jobs.unwrap_or_else(most) };
        let taken = asked.taken(&spec, &design);
        let state = asked.state(&taken);
        let first = design.points.first().and_then(|p| built(&spec, &design.names, p).ok());
        let fingerprint = first.map_or_else(String::new, |model| fingerprint(&model));
        let table = Table { design: &design, state: &state, model: &fingerprint, count };
        for (file, lines) in earlier {
            table.take(&lines, &mut rows).map_err(|e| (file, e))?;
        }
        // Nobody listens any more after an interrupt.
        let tell = |line| drop(send.send(line));
        tell(table.head());
        for (k, row) in rows.iter().enumerate() {
            if let Some(row) = row {
                tell(table.line(k, row));
            }
        }
        tell(Vec::new());
        let mine = |case: &usize| asked.shard.is_none_or(|[part, of]| case % of == part - 1);
        let open: Vec<usize> = (0..design.len()).filter(mine).filter(|k| rows[*k].is_none()).collect();
        total.store(open.len(), Ordering::Relaxed);
        let at = |values: &[f64], case| asked.case(&spec, &design.names, (values, case), &taken);
        run(
            &open,
            jobs,
            |k| at(&design.points[k], Some(k)),
            |k, case| {
                let row = Row::of(case);
                tell(table.line(k, &row));
                rows[k] = Some(row);
                seen.fetch_add(1, Ordering::Relaxed);
                ControlFlow::Continue(())
            },
        );
        let boundary = if asked.boundary {
            let cases: Vec<Option<Case>> = rows.iter().map(|row| row.as_ref()?.case().cloned()).collect();
            boundaries(&design, &cases, |values| at(values, None))
        } else {
            Boundary::default()
        };
        Ok(Found { design, rows, boundary, taken, state, fingerprint })
    };
    let tell = |done: usize| match progress {
        Some(call) => call.call1((done, open_cases.load(Ordering::Relaxed))).map(|_| ()),
        None => Ok(()),
    };
    let keep = |_: Python<'_>, line: Vec<String>| match keep {
        Some(keep) => keep.call1((line,)).map(|_| ()),
        None => Ok(()),
    };
    let found = kept::run_handing_over(py, &lines, keep, job, |_| tell(done.load(Ordering::Relaxed)))?;
    let found =
        found.map_err(|(file, e)| errors::argument(py, "resume", format!("resume: {file}, {e}."), None))?;
    tell(open_cases.load(Ordering::Relaxed))?;
    arrays_of(py, found, count)
}

/// The findings as arrays by name.
fn arrays_of(py: Python<'_>, found: Found, count: usize) -> PyResult<Bound<'_, PyDict>> {
    let Found { design, rows, boundary, taken, state, fingerprint } = found;
    let table_of = Table { design: &design, state: &state, model: &fingerprint, count };
    let lines = rows.iter().enumerate().filter_map(|(k, row)| Some(table_of.line(k, row.as_ref()?)));
    let lines: Vec<Vec<String>> = std::iter::once(table_of.head()).chain(lines).collect();
    let cases: Vec<Option<&Case>> = rows.iter().map(|row| row.as_ref()?.case()).collect();
    let out = PyDict::new(py);
    out.set_item("lines", lines)?;
    let points: Vec<&[f64]> = design.points.iter().map(Vec::as_slice).collect();
    out.set_item("values", by_rows(py, &points, design.names.len())?)?;
    out.set_item("names", &design.names)?;
    out.set_item("shape", &design.shape)?;
    let word = |row: &Option<Row>| match row {
        Some(row) => row.case().map_or("failed", |c| c.verdict.word()),
        None => "open",
    };
    out.set_item("verdict", rows.iter().map(word).collect::<Vec<_>>())?;
    out.set_item("complete", cases.iter().map(|c| c.map(|c| c.complete)).collect::<Vec<_>>())?;
    let message = |row: &Option<Row>| Some(row.as_ref()?.message()?.to_owned());
    out.set_item("message", rows.iter().map(message).collect::<Vec<_>>())?;
    let nan = c64::new(f64::NAN, f64::NAN);
    let value = |m: &CaseMode| c64::new(m.re, m.im);
    let modes: Vec<Vec<c64>> = table(&cases, count, nan, value);
    let errors: Vec<Vec<f64>> = table(&cases, count, f64::NAN, |m| m.error);
    let rigid: Vec<Vec<bool>> = table(&cases, count, false, |m| m.rigid);
    out.set_item("s", by_rows(py, &slices(&modes), count)?)?;
    out.set_item("error", by_rows(py, &slices(&errors), count)?)?;
    out.set_item("rigid", by_rows(py, &slices(&rigid), count)?)?;
    let rightmost = cases.iter().map(|c| c.and_then(|c| c.rightmost.as_ref()).map_or(nan, value));
    out.set_item("rightmost", vector(py, rightmost.collect()))?;
    let crossings = boundary.crossings.into_iter();
    let crossings: Vec<_> = crossings.map(|c| (c.between, c.at, c.within, c.frequency_hz, c.cases)).collect();
    out.set_item("crossings", crossings)?;
    out.set_item("segments", boundary.segments)?;
    out.set_item("state", taken.word())?;
    out.set_item("note", taken.note().map(|note| mb_analysis::sentences::one(&note)))?;
    Ok(out)
}

fn slices<T>(rows: &[Vec<T>]) -> Vec<&[T]> {
    rows.iter().map(Vec::as_slice).collect()
}

/// One number of every mode: cases x `count`, `none` where there is no mode.
fn table<T: Copy>(
    cases: &[Option<&Case>],
    count: usize,
    none: T,
    of: impl Fn(&CaseMode) -> T,
) -> Vec<Vec<T>> {
    let row = |case: Option<&Case>| {
        (0..count).map(|j| case.and_then(|c| c.modes.get(j)).map_or(none, &of)).collect()
    };
    cases.iter().copied().map(row).collect()
}
