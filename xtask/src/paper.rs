//! The papers whose tables the project reproduces: `fixtures/<key>/paper.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use mb_gallery::{Status, Table};
use serde::Deserialize;

use crate::error::TaskError;
use crate::root;

/// What `paper.toml` says.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Paper {
    /// Key in `docs/references.bib`; the name of the folder.
    pub(crate) key: String,
    /// Title of the paper.
    pub(crate) title: String,
    /// Authors, for the report.
    pub(crate) authors: String,
    /// Whether anything of it is computed yet.
    pub(crate) status: Status,
    /// What is foreseen, for a paper not yet implemented.
    #[serde(default)]
    pub(crate) planned: Vec<String>,
    /// Table files in the order of the report, without folder and ending.
    pub(crate) tables: Vec<String>,
    /// How many cells the paper prints in each of the published tables, counted on its pages.
    #[serde(default)]
    pub(crate) printed: BTreeMap<String, usize>,
}

impl Paper {
    /// All papers, sorted by key.
    pub(crate) fn all(root: &Path) -> Result<Vec<Self>, TaskError> {
        let mut papers = Vec::new();
        for folder in root::entries(root, "fixtures")? {
            let place = format!("fixtures/{folder}/paper.toml");
            if let Some(text) = root::read_if_present(root, &place)? {
                let malformed = |why: String| TaskError::Malformed { file: place.clone(), why };
                let paper: Self = toml::from_str(&text).map_err(|e| malformed(e.to_string()))?;
                if paper.key != folder {
                    return Err(malformed(format!("its key is `{}`, its folder `{folder}`", paper.key)));
                }
                papers.push(paper);
            }
        }
        Ok(papers)
    }

    /// The papers asked for: one, or all.
    pub(crate) fn select(root: &Path, key: Option<&str>) -> Result<Vec<Self>, TaskError> {
        let all = Self::all(root)?;
        let Some(key) = key else { return Ok(all) };
        let known = all.iter().map(|p| format!("`{}`", p.key)).collect::<Vec<_>>().join(", ");
        match all.into_iter().find(|p| p.key == key) {
            Some(paper) => Ok(vec![paper]),
            None => Err(TaskError::UnknownPaper { key: key.to_owned(), known }),
        }
    }

    /// Reads the paper's tables in the order of the report.
    pub(crate) fn load_tables(&self, root: &Path) -> Result<Vec<Table>, TaskError> {
        let dir = root.join("fixtures");
        let load =
            |name: &String| Table::load_from(&dir, &format!("{}/{name}", self.key)).map_err(TaskError::from);
        self.tables.iter().map(load).collect()
    }
}
