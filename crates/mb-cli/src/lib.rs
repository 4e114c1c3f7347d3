//! What the program `mb` does, callable from tests and other programs.
//!
//! [`run`] takes a command line and gives text and an exit code; [`flow`] is the way from a
//! model to its spectra, which the commands and the tables share.
//!
//! ```
//! use mb_cli::flow::{self, StartOptions};
//! use mb_linear::Formulation;
//!
//! let text = mb_cli::gallery::find("rod-pendulum").unwrap().text;
//! let model = mb_model::Model::from_toml(text)?;
//! let settled = flow::settle(&model, &StartOptions::default())?;
//! let formulation = Formulation::Minimal(Default::default());
//! let result = flow::spectrum(&model, &settled.operating_point(), &formulation)?;
//! // A rod of length 1.5 m that hangs from a pin: sqrt(3 g / (2 L)).
//! let s = result.spectrum.motion_values()[0];
//! assert!((s.im - 9.81_f64.sqrt()).abs() < 1e-12);
//! # Ok::<(), mb_cli::failure::Failure>(())
//! ```

pub mod args;
pub mod checkpoint;
pub mod commands;
pub mod engine;
pub mod failure;
pub mod flow;
pub mod gallery;
pub mod guard;
pub mod history;
pub mod json;
pub mod locate;
pub mod mat;
pub mod matrices;
pub mod matrix_file;
pub mod memory;
pub mod names;
pub mod npz;
pub mod outfile;
pub mod output;
pub mod parametric;
pub mod picture;
pub mod plot;
pub mod point_file;
pub mod progress;
pub mod render;
pub mod report;
pub mod source;
pub mod start;

use args::{Cli, Command};
use failure::Failure;
use progress::Progress;
use render::Style;
use render::complaint::Complaint;
use source::Text;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// What a command gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// For the standard output.
    pub text: String,
    /// For the standard error.
    pub complaint: String,
    /// Exit code: 0, 1 or 2.
    pub code: u8,
}

impl Answer {
    /// A right answer.
    pub fn right(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// Spectra: right, unless one of them has other numbers of eigenvalues than theory, a count or the request demands, or the matrices do
    /// not determine them.
    pub fn spectra(text: String, spectra: &[flow::FormulationSpectrum]) -> Self {
        let wrong = |s: &flow::FormulationSpectrum| {
            let what = if s.spectrum.falls_short() {
                "the eigenvalues found are not all that theory or the request demands"
            } else if s.spectrum.undetermined().is_some() {
                "the constraints do not determine the spectrum"
            } else if s.spectrum.leaves_open() {
                "the digits of the matrices do not determine which eigenvalues are asked for"
            } else {
                return String::new();
            };
            format!("{}: {what}, see the notes.\n", s.name)
        };
        let complaint: String = spectra.iter().map(wrong).collect();
        let code = if complaint.is_empty() { 0 } else { failure::NUMERICS };
        Self { text, complaint, code }
    }

    /// The same with the whole reason why the constraints do not determine the spectra, for texts without notes.
    #[must_use]
    pub fn with_reason(mut self, spectra: &[flow::FormulationSpectrum]) -> Self {
        if let Some(finding) = spectra.iter().find_map(|s| s.spectrum.undetermined()) {
            self.complaint.push_str(&finding.to_string());
            self.complaint.push('\n');
        }
        self
    }
}

/// How text is marked up on the two streams.
#[derive(Clone, Copy, Debug, Default)]
pub struct Styles {
    /// Standard output.
    pub out: Style,
    /// Standard error.
    pub err: Style,
    /// Progress of long work.
    pub progress: Progress,
}

/// Runs a parsed command.
pub fn run(cli: &Cli, styles: Styles) -> Answer {
    let (result, text) = match cli.command.check_files() {
        Ok(()) => work(&cli.command, styles),
        Err(failure) => (Err(failure), None),
    };
    result.unwrap_or_else(|failure| {
        let complaint = Complaint::new(&failure, text.as_ref()).with_extremes(cli.command.set());
        let words = if cli.command.json() { complaint.json() } else { complaint.render(styles.err) };
        Answer { text: String::new(), complaint: words, code: complaint.exit_code }
    })
}

/// Runs a command; the text of its model is what a failure shows.
fn work(command: &Command, styles: Styles) -> (Result<Answer, Failure>, Option<Text>) {
    match command {
        Command::Modes(a) => match &a.model {
            Some(path) => with_model(path, |t| commands::modes::run(t, a, styles.out, styles.progress)),
            None => (commands::matrix_modes::run(a, styles.out, styles.progress), None),
        },
        Command::Check(a) => {
            with_model(&a.model.model, |t| commands::check::run(t, a, styles.out, styles.progress))
        }
        Command::Equilibrium(a) => {
            with_model(&a.model.model, |t| commands::equilibrium::run(t, a, styles.out, styles.progress))
        }
        Command::StateSpace(a) => {
            with_model(&a.model.model, |t| commands::state_space::run(t, a, styles.out, styles.progress))
        }
        Command::Response(a) => {
            with_model(&a.model.model, |t| commands::response::run(t, a, styles.out, styles.progress))
        }
        Command::Export(a) => {
            with_model(&a.model.model, |t| commands::export::run(t, a, styles.out, styles.progress))
        }
        Command::Parametric(a) => {
            with_model(&a.model.model, |t| commands::parametric::run(t, a, styles.out, styles.progress))
        }
        Command::Track(a) => {
            with_model(&a.model.model, |t| commands::track::run(t, a, styles.out, styles.progress))
        }
        Command::Sweep(a) => {
            with_model(&a.model.model, |t| commands::sweep::run(t, a, styles.out, styles.progress))
        }
        Command::Simulate(a) => {
            with_model(&a.model.model, |t| commands::simulate::run(t, a, styles.out, styles.progress))
        }
        Command::Orbit(a) => {
            with_model(&a.model.model, |t| commands::periodic::orbit(t, a, styles.out, styles.progress))
        }
        Command::Floquet(a) => {
            with_model(&a.model.model, |t| commands::periodic::floquet(t, a, styles.out, styles.progress))
        }
        Command::Report(a) => {
            with_model(&a.model.model, |t| commands::report::run(t, a, styles.out, styles.progress))
        }
        Command::Generate(a) => commands::generate::run(a),
        Command::Schema => (Ok(Answer::right(commands::schema::run())), None),
        Command::Completions(a) => (Ok(commands::manual::completions(a)), None),
        Command::Man(a) => (commands::manual::man(a), None),
    }
}

fn with_model(
    path: &str,
    command: impl FnOnce(&Text) -> Result<Answer, Failure>,
) -> (Result<Answer, Failure>, Option<Text>) {
    match Text::read(path) {
        Ok(text) => (command(&text), Some(text)),
        Err(failure) => (Err(failure), None),
    }
}

/// The program: command line, streams, exit code.
pub fn main() -> ExitCode {
    main_with(std::env::args_os())
}

fn main_with(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match args::parse(&args) {
        Ok(cli) => cli,
        Err(e) => {
            // 2 stands for failed numerics, so a wrong command line is a wrong request: 1.
            let code = if e.use_stderr() { failure::WRONG } else { 0 };
            if e.use_stderr() && args.iter().any(|a| a == "--json") {
                let _ = std::io::stderr().lock().write_all(json::usage(&e.render().to_string()).as_bytes());
                return ExitCode::from(code);
            }
            let json = args.iter().any(|a| a == "--json");
            return ExitCode::from(e.print().map_or_else(|io| unwritable(io, code, json), |()| code));
        }
    };
    let limit = cli.time_limit.map(Duration::from_secs_f64);
    let styles = Styles {
        out: Style::of(&std::io::stdout()),
        err: Style::of(&std::io::stderr()),
        progress: Progress::of_terminal().within(limit),
    };
    progress::end_on_signals();
    guard::start(limit, cli.command.json());
    if !mb_algebra::start_threads() {
        memory::refused();
    }
    let mut answer = run(&cli, styles);
    answer.code = progress::signalled().unwrap_or(answer.code);
    let mut out = std::io::stdout().lock();
    let written = out.write_all(answer.text.as_bytes()).and_then(|()| out.flush());
    // Nothing can be reported when the standard error is closed.
    let _ = std::io::stderr().lock().write_all(answer.complaint.as_bytes());
    ExitCode::from(
        written.map_or_else(|io| unwritable(io, answer.code, cli.command.json()), |()| answer.code),
    )
}

/// The exit code of a program whose reader has gone: 128 and the number of SIGPIPE, which ends other programs there.
const READER_GONE: u8 = 141;

/// The exit code where the standard output takes no more. A reader that had enough (`mb modes .. | head`) is no fault and has no
/// words, but the answer did not arrive whole, which a shell with `pipefail` is told; a full disk is a fault.
fn unwritable(source: std::io::Error, code: u8, json: bool) -> u8 {
    if source.kind() == std::io::ErrorKind::BrokenPipe {
        return if code == 0 { READER_GONE } else { code };
    }
    let failure = Failure::Unwritable { what: failure::STREAM, path: "standard output".to_owned(), source };
    let complaint = Complaint::new(&failure, None);
    let style = Style::of(&std::io::stderr());
    let words = if json { complaint.json() } else { complaint.render(style) };
    let _ = std::io::stderr().lock().write_all(words.as_bytes());
    complaint.exit_code
}
