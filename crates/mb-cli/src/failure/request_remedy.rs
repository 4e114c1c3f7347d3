//! What to do about a request that does not fit the model.

use super::{Failure, RequestError};
use mb_analysis::AnalysisError;
use mb_model::spec::nearest;

/// An analysis at one of several speeds is helped as at one.
fn analysis(error: &AnalysisError) -> Option<String> {
    match error {
        AnalysisError::AtSpeed { source, .. } => Failure::from((**source).clone()).help(),
        AnalysisError::Model(_) => {
            Some("leave this value out of the range, or change the model there".to_owned())
        }
        AnalysisError::SpeedUnknown { .. } => Some(
            "`mb equilibrium` solves for it: write its value in the place of the question mark, or give it with --spin where there is one".to_owned(),
        ),
        AnalysisError::BranchLeft { .. } => Some(
            "ask for speeds on one side of these; mb equilibrium --spin says what branch a motion is on, and where others split off"
                .to_owned(),
        ),
        AnalysisError::ModesMissing { .. } => Some(
            "ask for another number of modes, begin at another speed, or see what mb modes says at this one"
                .to_owned(),
        ),
        _ => None,
    }
}

/// The names there are.
fn list(what: &str, names: &[String]) -> String {
    const MOST: usize = 24;
    if names.is_empty() {
        return format!("it has no {what}");
    }
    let more = if names.len() > MOST { format!(", ... ({} in all)", names.len()) } else { String::new() };
    format!("its {what}: {}{more}", names[..names.len().min(MOST)].join(", "))
}

/// The name that may have been meant.
fn meant(name: &str, known: &[String]) -> String {
    nearest(name, known.iter().map(String::as_str))
        .map_or_else(String::new, |n| format!("did you mean `{n}`? "))
}

/// For a table that a sweep cannot go on from.
const OF_ANOTHER_RUN: &str =
    "give the model, the parameters and the options of the run that wrote the table, or leave --resume away";

/// For a line of a list of cases.
const BAD_LINE: &str =
    "mend the line; the first line has the names of parameters, and each other line a value for each of them";

/// For a steady motion that has no polynomials.
const NO_SERIES: &str = "expand about a motion of one frame, without --frozen and --hold, in parameters that the speeds of [[steady-rotation]] are written in; `mb track --campbell` follows modes over a speed, with an eigenvalue problem at each value";

/// For drives that move.
const MOVING: &str = "an equilibrium needs drives that stand still: choose another --time or a constant law, or linearize the \
     motion with --moving (`mb modes`, `mb state-space`); `mb report --until SECONDS` shows the motion";

/// For a response without inputs.
const NO_INPUT: &str = "give a load of the model an `input`, as in `force = [{ name = \"push\", at = \"tip\", direction = [0, 1], \
     input = \"F\" }]`, or let the base move (--base y)";

impl RequestError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoSuchParameter { name, known, .. } => meant(name, known) + &list("parameters", known),
            Self::NoSuchCoordinate { name, known, .. } => meant(name, known) + &list("coordinates", known),
            Self::NothingToHold { name, known } => meant(name, known) + &list("coordinates and outputs", known),
            Self::NoSuchInput { name, known, .. } => meant(name, known) + &list("inputs", known),
            Self::NoSuchOutput { name, known, .. } => meant(name, known) + &list("outputs", known),
            Self::NoSuchVariable { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::NoSuchVariable { known, .. } => list("names", known),
            Self::NotAVariable { known, .. } => format!("the variables: {}", known.join(", ")),
            Self::BadPeriod { .. } => "write seconds, or an expression of parameters as \"2*pi/W\"".to_owned(),
            Self::EmptyRange { .. } => "give two different values at the ends".to_owned(),
            Self::NothingTurns { .. } => {
                "write the speed of a [[steady-rotation]] or of a body in terms of it, or use spin:JOINT".to_owned()
            }
            Self::NoSpeed { .. } => "the parameters: mb check; the joints: spin:JOINT".to_owned(),
            Self::Rotates { .. } => {
                "mb track --campbell follows it over a speed; set the speeds to zero for the state of rest".to_owned()
            }
            Self::NoSteadySeries { .. } => NO_SERIES.to_owned(),
            Self::NeedsModel { .. } => {
                "leave it out, or give the model file in the place of the matrices".to_owned()
            }
            Self::NoPhysicalMode | Self::BadModes { .. } => "write numbers as `mb modes` shows them, as in 1,3-5, or all".to_owned(),
            Self::RedundantRows { redundant, .. } => {
                format!("leave these out of the model: {}", redundant.join(", "))
            }
            Self::RankChanges { .. } => "keep region and path on one side of it".to_owned(),
            Self::NotANumber { option: "--at", .. } => "write a number, or degrees as in 70deg".to_owned(),
            Self::NotDriven { option: "--base", .. } => {
                "with --base the acceleration of the base drives alone: --psd base=VALUE".to_owned()
            }
            Self::NotDriven { name, .. } => format!("add `{name}` to --from, or leave its density out"),
            Self::BadConfiguration { option: "--psd", .. } => {
                "write HZ,DENSITY in each line, the frequencies growing".to_owned()
            }
            Self::BadConfiguration { option: "--orbit", .. } => {
                "give the file that `mb orbit -o FILE.json` wrote".to_owned()
            }
            Self::BadConfiguration { .. } => {
                "write NAME=VALUE, or give a JSON object {\"NAME\": VALUE, ...} as `mb equilibrium --json` has it under `configuration`, or the same as TOML".to_owned()
            }
            Self::Moving { .. } => MOVING.to_owned(),
            Self::SpeedsOfAnInstant => {
                "--moving expands the exponents of a steady motion, --instant the eigenvalues of the frozen matrices".to_owned()
            }
            Self::NotOfAnInstant { .. } => {
                "leave it out, or leave out --instant where the motion is steady".to_owned()
            }
            Self::NoSuchModel { name, known } => {
                format!("{}there are: {}", meant(name, known), known.join(", "))
            }
            Self::TooLarge { most, .. } if *most < crate::flow::MOST_ROWS => {
                format!("--formulation minimal takes {}", crate::flow::MOST_ROWS)
            }
            Self::NotSymmetric { .. } => "leave --symmetry symmetric out if the matrix is meant to be so".to_owned(),
            Self::PartOfFormulation { option, .. } => format!("leave {option} out, or --formulation"),
            Self::OtherFormulation { option, formulation } => {
                format!("add --formulation {formulation} (or all), or leave {option} out")
            }
            Self::NothingToRespond { what: "input", .. } => NO_INPUT.to_owned(),
            Self::NothingToRespond { .. } => {
                "add one to the model, as in `output = [{ name = \"height\", quantity = \"y\", of = \"tip\" }]`".to_owned()
            }
            Self::BadOptions { option, .. } => usable(option, "asked for"),
            Self::Twice { .. } => "name each once".to_owned(),
            Self::NoCases => "give --grid, --list, --random or --latin".to_owned(),
            Self::NoCount { name } => format!("write --grid {name}=FROM..TO:COUNT"),
            Self::NoSuchAxis { others, .. } if others.is_empty() => {
                "no body has a mass that a moving base could push: name inputs with --from".to_owned()
            }
            Self::NoSuchAxis { others, .. } => {
                format!("name an axis along which a body can move: --base {}", others.join(" or "))
            }
            Self::BadDesign { .. } => "`mb sweep --help` shows how --grid, --list, --random and --latin are written".to_owned(),
            Self::OtherSweep { .. } => OF_ANOTHER_RUN.to_owned(),
            Self::BadTable { .. } => BAD_LINE.to_owned(),
            Self::NotANumber { .. } => "write a finite number, as in 0.5 or 2e3".to_owned(),
            Self::Analysis(source) => return analysis(source),
            Self::NoVariable { .. } => "use a parameter, an input, a coordinate or a speed".to_owned(),
            Self::BadRegion { .. } => "write NAME=LO..HI or NAME=P%".to_owned(),
            Self::BadPath { .. } => {
                "write the names of variables into the first line, and a point of the path into each other line".to_owned()
            }
            Self::OnlyAtRest { .. } => "leave it out, or leave out --moving and --after".to_owned(),
            Self::NotReached { .. } => "ask for an earlier time".to_owned(),
            Self::TooLarge { .. } => "`mb modes` computes a part of them by sparse matrices (--lowest N), and `mb export` writes matrices of any size".to_owned(),
            Self::Sizes { .. } => "give matrices of one model: `mb state-space` and `mb modes --help` say which belong together".to_owned(),
            Self::NoModesOfInstant
            | Self::NothingForEngine { .. }
            | Self::SolverOfPart
            | Self::UnknownFormat { .. } => return None,
            Self::OutOfRange { option, range, .. } => usable(option, range),
            Self::EntryOutOfRange { .. } => "write 0, or take other units".to_owned(),
            Self::BadCheckpoint { .. } => "name another file, or remove this one to begin anew".to_owned(),
            Self::OneFile { option, .. } => format!("give {option} a file of its own: one of the two would be lost"),
            Self::PictureFolder { remedy, .. } => (*remedy).to_owned(),
            Self::TooManyPixels { .. } => {
                "name a file that ends in .svg or .pdf, which have no pixels, or draw less".to_owned()
            }
        })
    }
}

/// A value of an option that can be used, where the one given cannot.
fn usable(option: &str, range: &str) -> String {
    match option {
        "near" => {
            "--near 0 gives the lowest modes, --near-point RE,IM those near to a point of the complex plane"
        }
        "band LO" | "band HI" => "--band 0 50 is from 0 to 50 Hz",
        "max-damping" => "--lowest N and --near-point RE,IM give real eigenvalues, whose damping ratio is 1",
        "until" => "--until 5 ends five seconds after t = 0; --time says when the motion starts",
        "every" if range == "positive" => "--every 0.01 reports a hundred times in a second",
        "every" => "a run keeps its reports in memory: report less often, or end earlier with --until",
        "--response-with" => "`mb response --help` lists the options",
        "--response-band" => "leave it out, or ask for a response",
        "--psd" => "give the one-sided density per Hz",
        "from" => "name one input along which the unbalance pushes, or the two of a plane",
        _ => return format!("give --{} a value that is {range}", option.split(' ').next().unwrap_or(option)),
    }
    .to_owned()
}
