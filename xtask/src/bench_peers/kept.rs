//! Results of cases, kept under `target/peers/results`: cases run one after the other make one page.

use std::fs;
use std::path::Path;

use super::Race;
use super::environment::FAMILIES;
use crate::error::TaskError;

/// Keeps the result of a case in place of an older one.
pub(super) fn keep(folder: &Path, race: &Race) -> Result<(), TaskError> {
    let file = folder.join(format!("{}.json", race.name));
    let failed = |source| TaskError::File { file: file.display().to_string(), action: "written", source };
    fs::create_dir_all(folder).map_err(failed)?;
    fs::write(&file, serde_json::to_string_pretty(race)?).map_err(failed)
}

/// All results kept, by family and size.
pub(super) fn all(folder: &Path) -> Result<Vec<Race>, TaskError> {
    let mut races = Vec::new();
    let failed = |source| TaskError::File { file: folder.display().to_string(), action: "read", source };
    if !folder.is_dir() {
        return Ok(races);
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|end| end == "json") {
            let text = fs::read_to_string(&path).map_err(failed)?;
            let race: Race = serde_json::from_str(&text)?;
            races.push(race);
        }
    }
    races.sort_by_key(|race| place(&race.name));
    Ok(races)
}

/// Family and size of a name.
fn place(name: &str) -> (usize, u64, String) {
    let family = name.chars().next().and_then(|first| FAMILIES.find(first)).unwrap_or(FAMILIES.len());
    let size = name
        .get(1..)
        .and_then(|rest| rest.split('x').next())
        .and_then(|size| size.parse::<f64>().ok())
        .filter(|size| *size >= 0.0);
    // The bits of numbers that are not negative are ordered as the numbers are.
    (family, size.map_or(u64::MAX, f64::to_bits), name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_peers::run::Description;

    #[test]
    fn results_come_back_by_family_and_size() {
        let folder = std::env::temp_dir().join(format!("peers-{}", std::process::id()));
        let description = Description {
            unknowns: 2,
            constraints: 1,
            count: 1,
            shifts: vec![0.0],
            point: Vec::new(),
            exact: vec![1.5],
        };
        for name in ["h1e4", "c1e5", "y1e3", "c1e4"] {
            let (name, commit) = (name.to_owned(), "abc".to_owned());
            keep(&folder, &Race { name, commit, description: description.clone(), entries: Vec::new() })
                .expect("a folder of its own");
        }
        let found = all(&folder).expect("what was written");
        let _left_behind = fs::remove_dir_all(&folder);
        let names: Vec<&str> = found.iter().map(|race| race.name.as_str()).collect();
        assert_eq!(names, ["c1e4", "c1e5", "h1e4", "y1e3"]);
        assert_eq!(found[0].description.exact, [1.5]);
        assert!(all(&folder).expect("nothing is no error").is_empty());
    }
}
