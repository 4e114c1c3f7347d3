//! What every answer has to keep, whatever it was asked.

use mb_cli::Answer;
use mb_model::spec::is_obeyed;
use serde_json::Value;

/// Most characters of a message.
const LONGEST: usize = 4000;

/// Judges an answer of a command with JSON; gives its exit code.
pub(crate) fn answer(command: &str, answer: &Answer) -> Result<u8, String> {
    let complains = !answer.complaint.is_empty();
    match answer.code {
        0 if complains => return Err(format!("it is right and complains: {}", answer.complaint)),
        1 | 2 if !complains && answer.text.is_empty() => return Err("it fails without a word".to_owned()),
        // A check is answered by what is wrong.
        1 if !answer.text.is_empty() && command != "check" => {
            return Err("it is refused and has an answer".to_owned());
        }
        0..=2 => {}
        code => return Err(format!("the exit code is {code}")),
    }
    if answer.text.is_empty() {
        let document =
            serde_json::from_str::<Value>(&answer.complaint).map_err(|e| format!("no JSON: {e}"))?;
        let problems = document.pointer("/error/problems").and_then(Value::as_array);
        let problems = problems.filter(|p| !p.is_empty()).ok_or("an error without a problem")?;
        for problem in problems {
            words(problem.get("message").and_then(Value::as_str).unwrap_or_default())?;
            problem.get("help").and_then(Value::as_str).map_or(Ok(()), words)?;
        }
    } else {
        let document = serde_json::from_str::<Value>(&answer.text).map_err(|e| format!("no JSON: {e}"))?;
        clean(&document, "")?;
    }
    Ok(answer.code)
}

/// A message says something, is short enough to be read, and holds nothing that a terminal obeys.
pub(crate) fn words(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("a message is empty".to_owned());
    }
    if text.chars().count() > LONGEST {
        return Err(format!("a message has {} characters", text.chars().count()));
    }
    match text.chars().find(|c| is_obeyed(*c)) {
        Some(c) => Err(format!("a message has the character U+{:04X}", u32::from(c))),
        None => Ok(()),
    }
}

/// Numbers that a document may lack, because they do not exist or are infinite; `docs/json-output.md` says when.
const MAY_BE_NULL: [&str; 47] = [
    "backward_error",
    "beyond",
    "condition",
    "conjugate_of",
    "cut_at",
    "damped_frequency_hz",
    "damping_ratio",
    "directions",
    "dropped",
    "element",
    "energy",
    "energy_departure",
    "equilibrium",
    "error_bound",
    "explained",
    "failure",
    "furthest",
    "im",
    "kept",
    "largest_dropped",
    "largest_infinite",
    "last",
    "max_damping_ratio",
    "method",
    "natural_frequency_hz",
    "participation",
    "penalty_factor",
    "penalty_share",
    "penalty_violation",
    "range",
    "rank_decision",
    "re",
    "request",
    "reselected",
    "residual",
    "rigid_modes",
    "smallest_finite",
    "smallest_kept",
    "start",
    "start_shock",
    "step_bound",
    "steady",
    "time",
    "undetermined_by",
    "whirl",
    "widest",
    "worst_row",
];

/// Strings without what terminals obey; no null where a number stands.
fn clean(value: &Value, key: &str) -> Result<(), String> {
    match value {
        Value::String(text) if text.chars().any(is_obeyed) => {
            Err(format!("`{key}` has a character that terminals obey"))
        }
        Value::Array(list) => list.iter().try_for_each(|value| clean(value, key)),
        Value::Object(map) => map.iter().try_for_each(|(key, value)| clean(value, key)),
        Value::Null if !MAY_BE_NULL.contains(&key) => {
            Err(format!("`{key}` is null: a number that is not finite"))
        }
        _ => Ok(()),
    }
}
