//! Which modes: numbers as `mb modes` shows them.

use crate::failure::RequestError;
use crate::render::modes::Line;
use mb_eigen::Class;

/// Modes when nothing is asked for.
const USUAL: usize = 6;

/// The lines of `1,3-5` or `all`; the first six that oscillate, or else the first six physical ones, for none.
///
/// # Errors
/// [`RequestError::BadModes`].
pub fn chosen<'a>(lines: &[Line<'a>], list: Option<&str>) -> Result<Vec<Line<'a>>, RequestError> {
    let Some(list) = list else {
        let physical: Vec<Line<'a>> =
            lines.iter().filter(|l| l.pair.class == Class::Physical).copied().collect();
        let oscillating: Vec<Line<'a>> = physical.iter().filter(|l| l.conjugate).copied().collect();
        let usual = if oscillating.is_empty() { physical } else { oscillating };
        if usual.is_empty() {
            let why = "the model has no physical mode there".to_owned();
            return Err(RequestError::BadModes { list: "(none given)".to_owned(), why });
        }
        return Ok(usual.into_iter().take(USUAL).collect());
    };
    let bad = |why: String| RequestError::BadModes { list: list.to_owned(), why };
    if list == "all" {
        return Ok(lines.iter().filter(|l| l.pair.class == Class::Physical).copied().collect());
    }
    let number = |text: &str| {
        text.trim().parse::<usize>().map_err(|_| bad(format!("`{}` is not a number", text.trim())))
    };
    let mut out = Vec::new();
    for part in list.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (number(from)?, number(to)?);
        if from == 0 || to > lines.len() || from > to {
            return Err(bad(format!("there are {} modes", lines.len())));
        }
        out.extend_from_slice(&lines[from - 1..to]);
    }
    out.sort_by_key(|l| l.number);
    out.dedup_by_key(|l| l.number);
    Ok(out)
}
