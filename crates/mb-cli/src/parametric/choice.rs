//! Which modes: numbers as `mb modes` shows them, one by one or in groups.

use crate::failure::RequestError;
use crate::render::modes::Line;
use mb_algebra::c64;
use mb_analysis::parametric::close_groups;
use mb_eigen::Class;

/// Modes when nothing is asked for.
const USUAL: usize = 6;

/// The modes asked for on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish<'a> {
    /// `1,3-5` or `all`; the usual ones for none.
    pub modes: Option<&'a str>,
    /// Groups: `2-3`, or a closeness such as `0.5%`.
    pub groups: &'a [String],
}

impl Wish<'_> {
    /// Whether any mode may be meant, rather than the lowest ones or those up to a number.
    pub fn any(&self) -> bool {
        self.modes == Some("all") || self.groups.iter().any(|list| list.ends_with('%'))
    }

    /// The highest number named; none where no number is.
    ///
    /// # Errors
    /// [`RequestError::BadModes`].
    pub fn highest(&self) -> Result<Option<usize>, RequestError> {
        let modes = self.modes.iter().map(|list| ("--modes", *list));
        let lists = modes.chain(self.groups.iter().map(|list| ("--group", list.as_str())));
        let mut out = None;
        for (option, list) in lists.filter(|(_, list)| *list != "all" && !list.ends_with('%')) {
            out = out.max(numbers(option, list, usize::MAX)?.into_iter().max());
        }
        Ok(out)
    }
}

/// Modes to expand.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    /// One by one.
    pub single: Vec<Line<'a>>,
    /// Together.
    pub groups: Vec<Vec<Line<'a>>>,
}

/// The lines asked for: those of the list, or the first six that oscillate, or else the first six physical ones; those
/// in groups are taken out.
///
/// # Errors
/// [`RequestError::BadModes`].
pub fn chosen<'a>(lines: &[Line<'a>], wish: &Wish<'_>) -> Result<Chosen<'a>, RequestError> {
    let mut groups: Vec<Vec<Line<'a>>> = Vec::new();
    for list in wish.groups.iter().filter(|list| !list.ends_with('%')) {
        let group = picked(lines, "--group", list)?;
        let twice = |line: &Line<'_>| groups.iter().flatten().any(|other| other.number == line.number);
        let why = match group.iter().find(|line| twice(line)) {
            Some(line) => format!("mode {} stands in two groups", line.number),
            None if group.len() < 2 => "a group has at least two modes".to_owned(),
            None => {
                groups.push(group);
                continue;
            }
        };
        return Err(RequestError::BadModes { list: format!("--group {list}"), why });
    }
    let in_group = |line: &Line<'_>| groups.iter().flatten().any(|other| other.number == line.number);
    let mut single = match wish.modes {
        Some("all") => physical(lines),
        Some(list) => picked(lines, "--modes", list)?,
        None => usual(lines, groups.is_empty())?,
    };
    single.retain(|line| !in_group(line));
    for list in wish.groups.iter().filter_map(|list| Some((list, list.strip_suffix('%')?))) {
        let (list, share) = list;
        let bad = |why: &str| RequestError::BadModes { list: format!("--group {list}"), why: why.to_owned() };
        let share: f64 = share.trim().parse().map_err(|_| bad("the closeness is not a number"))?;
        if !(share > 0.0 && share < 100.0) {
            return Err(bad("the closeness must lie between 0 and 100 %"));
        }
        let (close, alone) = clusters(&single, share / 100.0);
        groups.extend(close);
        single = alone;
    }
    Ok(Chosen { single, groups })
}

fn physical<'a>(lines: &[Line<'a>]) -> Vec<Line<'a>> {
    lines.iter().filter(|l| l.pair.class == Class::Physical).copied().collect()
}

fn usual<'a>(lines: &[Line<'a>], needed: bool) -> Result<Vec<Line<'a>>, RequestError> {
    let physical = physical(lines);
    let oscillating: Vec<Line<'a>> = physical.iter().filter(|l| l.conjugate).copied().collect();
    let usual = if oscillating.is_empty() { physical } else { oscillating };
    if usual.is_empty() && needed {
        return Err(RequestError::NoPhysicalMode);
    }
    Ok(usual.into_iter().take(USUAL).collect())
}

/// The lines of a list of numbers.
fn picked<'a>(lines: &[Line<'a>], option: &str, list: &str) -> Result<Vec<Line<'a>>, RequestError> {
    let mut out: Vec<Line<'a>> =
        numbers(option, list, lines.len())?.into_iter().map(|n| lines[n - 1]).collect();
    out.sort_by_key(|l| l.number);
    out.dedup_by_key(|l| l.number);
    Ok(out)
}

/// The numbers of `1,3-5`, from 1 to `most`.
fn numbers(option: &str, list: &str, most: usize) -> Result<Vec<usize>, RequestError> {
    let bad = |why: String| RequestError::BadModes { list: format!("{option} {list}"), why };
    let number = |text: &str| {
        text.trim().parse::<usize>().map_err(|_| bad(format!("`{}` is not a number", text.trim())))
    };
    let mut out = Vec::new();
    for part in list.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (number(from)?, number(to)?);
        if from == 0 || to > most || from > to {
            let why = if from > to {
                format!("{from}-{to} runs backwards: write {to}-{from}")
            } else if most == usize::MAX {
                "counted from 1".to_owned()
            } else {
                match most {
                    0 => "there is no mode".to_owned(),
                    1 => "there is 1 mode".to_owned(),
                    _ => format!("there are {most} modes"),
                }
            };
            return Err(bad(why));
        }
        out.extend(from..=to);
    }
    Ok(out)
}

/// Lines whose eigenvalues are closer to that of a neighbour than a share of its size, together, and all others.
fn clusters<'a>(lines: &[Line<'a>], share: f64) -> (Vec<Vec<Line<'a>>>, Vec<Line<'a>>) {
    let values: Vec<c64> = lines.iter().map(|line| line.pair.value().unwrap_or(c64::ZERO)).collect();
    let mut close: Vec<Vec<Line<'a>>> = Vec::new();
    let mut alone = lines.to_vec();
    for group in close_groups(&values, share) {
        close.push(group.iter().map(|k| lines[*k]).collect());
        alone.retain(|line| !close.iter().flatten().any(|other| other.number == line.number));
    }
    (close, alone)
}
