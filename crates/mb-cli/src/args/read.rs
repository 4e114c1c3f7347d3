//! Reading a command line, with its errors in plain words.

use super::Cli;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};

/// Reads a command line. Negative numbers are values of options everywhere, so that an option that takes none says so itself.
///
/// # Errors
/// What is wrong with it, in words for the terminal.
pub fn parse(args: &[std::ffi::OsString]) -> Result<Cli, clap::Error> {
    let command = Cli::command().mut_subcommands(|s| {
        s.mut_args(|a| {
            let takes_one =
                a.get_action().takes_values() && !a.is_allow_hyphen_values_set() && !a.is_positional();
            if takes_one { a.allow_negative_numbers(true) } else { a }
        })
    });
    let matches = command.try_get_matches_from(args.iter().map(plain)).map_err(|e| explained(e, args))?;
    Cli::from_arg_matches(&matches)
}

/// The error in plain words where those of the parser mislead.
fn explained(error: clap::Error, args: &[std::ffi::OsString]) -> clap::Error {
    let unknown = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    let unknown = unknown.filter(|_| error.kind() == clap::error::ErrorKind::UnknownArgument);
    // What begins with a hyphen and follows an option may be meant as its value.
    let pair = args.windows(2).find_map(|pair| {
        let (option, value) = (pair[0].to_str()?, pair[1].to_str()?);
        let meant = option.starts_with("--") && option.len() > 2 && !option.contains('=');
        let hyphen = value.starts_with('-') && !value.starts_with("--");
        (meant && hyphen && unknown.as_ref().is_some_and(|u| value.starts_with(u.as_str())))
            .then_some((option, value))
    });
    let number =
        |a: &&str| unknown.as_ref().is_some_and(|u| a.starts_with(u.as_str())) && a.parse::<f64>().is_ok();
    if let Some(value) = args.iter().filter_map(|a| a.to_str()).find(number) {
        let message = format!("'{value}' is not a finite number\n\nFor more information, try '--help'.\n");
        return clap::Error::raw(error.kind(), message);
    }
    let Some((option, value)) = pair else {
        return if unknown.is_some() { without_escape(error) } else { not_a_number(error) };
    };
    let message = format!(
        "unexpected argument '{value}' found\n\n  tip: a value that begins with '-' is joined to its option: {option}={value}\n\n\
         For more information, try '--help'.\n"
    );
    clap::Error::raw(error.kind(), message)
}

/// Without the parser's advice to write `--` before an unknown option: no positional argument begins with a hyphen.
fn without_escape(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::StyledStrs(advice)) = error.get(ContextKind::Suggested) {
        let kept = advice.iter().filter(|words| !words.to_string().contains("'-- ")).cloned().collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept));
    }
    error
}

/// The error for a value that is no number in plain words, in place of those of Rust's parser.
fn not_a_number(error: clap::Error) -> clap::Error {
    let source = std::error::Error::source(&error);
    let kind = match source {
        Some(e) if e.is::<std::num::ParseFloatError>() => "a number",
        Some(e) if e.is::<std::num::ParseIntError>() => "a whole number in the range of the option",
        _ => return error,
    };
    let text = |kind| error.get(kind).map_or_else(String::new, ToString::to_string);
    let (value, option) = (text(ContextKind::InvalidValue), text(ContextKind::InvalidArg));
    let message = format!(
        "invalid value for '{option}': '{value}' is not {kind}\n\nFor more information, try '--help'.\n"
    );
    clap::Error::raw(error.kind(), message)
}

/// A negative number with a negative exponent in decimals: the reader of command lines knows exponents without a sign alone and
/// takes `-1e-3` for an option `-1`.
fn plain(word: &std::ffi::OsString) -> std::ffi::OsString {
    let number = word.to_str().filter(|text| text.starts_with('-') && text.contains(['e', 'E']));
    match number.and_then(|text| text.parse::<f64>().ok()) {
        Some(x) if x.is_finite() => format!("{x}").into(),
        _ => word.clone(),
    }
}
