//! How many cells a paper prints, and what became of them: one page that is read in a minute.
//!
//! A cell is one printed number, word or statement; where several formulations compute it, the worst of their verdicts
//! counts. Only what the paper prints is counted by table. Values of this project (separate calculations, claims of its own)
//! stand apart. The number of cells of every published table is a fixture, counted on the pages of the paper
//! (`paper.toml`), so that a cell that is missing from its table fails.

use std::collections::{BTreeMap, BTreeSet};

use mb_gallery::{Kind, Verdict};

use crate::report::{PaperReport, TableReport};

/// What the columns of the page mean.
pub(crate) const MEANING: &str = "\
A cell is one printed number, word or statement. `reproduced`: ours agrees to all printed digits, is at or below a printed \
error, or meets a printed statement. `misprint`: the printed value is proved wrong. `open`: ours differs, for the reason below the table or for none known. \
`shown`: stands next to ours and is not judged (elapsed times, digits made of rounding). `inputs`: what the computation starts \
from. `not computed` must be zero.";

/// One line of the page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Line {
    /// Where it is printed, and its title.
    pub(crate) title: String,
    cells: usize,
    reproduced: usize,
    misprint: usize,
    open: usize,
    shown: usize,
    inputs: usize,
    failed: usize,
}

impl Line {
    /// The numbers in the order of the page.
    pub(crate) fn numbers(&self) -> [usize; 7] {
        [self.cells, self.reproduced, self.misprint, self.open, self.shown, self.inputs, self.failed]
    }

    fn of(table: &TableReport) -> Self {
        let mut worst: BTreeMap<(&str, &str), Verdict> = BTreeMap::new();
        for cell in &table.cells {
            let verdict = worst.entry((&cell.row, &cell.quantity)).or_insert(cell.verdict);
            if cell.verdict.is_worse_than(*verdict) {
                *verdict = cell.verdict;
            }
        }
        let title = format!("{}: {}", table.locator, table.title);
        let mut line = Self { title, cells: worst.len(), ..Self::default() };
        for verdict in worst.values() {
            *match verdict {
                Verdict::Reproduced | Verdict::Bound | Verdict::Claim => &mut line.reproduced,
                Verdict::Misprint => &mut line.misprint,
                Verdict::Open => &mut line.open,
                Verdict::Information => &mut line.shown,
                Verdict::Input => &mut line.inputs,
                _ => &mut line.failed,
            } += 1;
        }
        line
    }

    fn add(&mut self, other: &Self) {
        self.cells += other.cells;
        self.reproduced += other.reproduced;
        self.misprint += other.misprint;
        self.open += other.open;
        self.shown += other.shown;
        self.inputs += other.inputs;
        self.failed += other.failed;
    }
}

fn published(paper: &PaperReport) -> impl Iterator<Item = &TableReport> {
    paper.tables.iter().filter(|t| t.kind == Kind::Published)
}

/// The lines of a paper: one for each published table, and their sum.
pub(crate) fn lines(paper: &PaperReport) -> Vec<Line> {
    let mut lines: Vec<Line> = published(paper).map(Line::of).collect();
    let mut sum = Line { title: "in all".to_owned(), ..Line::default() };
    for line in &lines {
        sum.add(line);
    }
    lines.push(sum);
    lines
}

/// Why cells are open, each reason with the number of its cells, the most frequent first.
pub(crate) fn open(paper: &PaperReport) -> Vec<(usize, &str)> {
    let mut reasons: Vec<(&str, BTreeSet<_>)> = Vec::new();
    for table in published(paper) {
        for cell in table.cells.iter().filter(|cell| cell.verdict == Verdict::Open) {
            let reason = cell.reason.as_deref().unwrap_or("No reason is known.");
            let place = (table.id.as_str(), cell.row.as_str(), cell.quantity.as_str());
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, places)) => _ = places.insert(place),
                None => reasons.push((reason, BTreeSet::from([place]))),
            }
        }
    }
    reasons.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    reasons.into_iter().map(|(why, places)| (places.len(), why)).collect()
}

/// What the project adds to a paper, in a sentence.
pub(crate) fn own(paper: &PaperReport) -> String {
    let mut sum = Line::default();
    paper.tables.iter().filter(|t| t.kind != Kind::Published).for_each(|t| sum.add(&Line::of(t)));
    let judged = sum.reproduced;
    format!(
        "Not printed in the paper: {} values of separate calculations and claims of the project, of which {judged} are judged and hold.",
        sum.cells
    )
}

/// Tables whose cells are not as many as the paper prints.
pub(crate) fn complaints(paper: &PaperReport) -> Vec<String> {
    let found: BTreeMap<&str, usize> = published(paper).map(|t| (t.name(), Line::of(t).cells)).collect();
    let names: BTreeSet<&str> =
        found.keys().copied().chain(paper.printed.keys().map(String::as_str)).collect();
    let differs = |name: &&str| found.get(name) != paper.printed.get(*name);
    let number = |n: Option<&usize>| n.map_or_else(|| "none".to_owned(), ToString::to_string);
    names
        .into_iter()
        .filter(differs)
        .map(|name| {
            let (printed, there) = (number(paper.printed.get(name)), number(found.get(name)));
            format!("{}/{name}: paper.toml counts {printed} printed cells, the table has {there}", paper.key)
        })
        .collect()
}
