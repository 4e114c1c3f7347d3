//! Files of meshes.
//!
//! ```text
//! # anything after a hash is a comment
//! nodes
//! 1   0.0 0.0 0.0          number, x, y, z in m
//! 2   1.0 0.0 0.0
//! elements
//! 1   1 2 3 4 5 6 7 8      number, eight nodes in the order of SolidMesh
//! set foot                 nodes, any number to a line
//! 1 2 5 6
//! ```
//!
//! Numbers are positive and need not be consecutive. Sections may come in any order and more than once. A node that
//! belongs to no element is an error: nothing would hold it.

use super::SolidMesh;
use std::collections::HashMap;

/// What is wrong with a mesh file, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct MeshError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub fault: MeshFault,
}

/// What can be wrong with a mesh file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFault {
    /// Numbers before the first section.
    #[error(
        "`{word}` stands before the first section: a mesh file starts with `nodes`, `elements` or `set NAME`"
    )]
    NoSection {
        /// The first word of the line.
        word: String,
    },
    /// A line that starts neither with a number nor with the name of a section.
    #[error("`{word}` is neither a number nor a section (`nodes`, `elements`, `set NAME`)")]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// A set without a name of its own.
    #[error("a set is written `set NAME`, with one word as its name")]
    SetName,
    /// A set that is there already.
    #[error("there is a set `{name}` already")]
    DuplicateSet {
        /// Its name.
        name: String,
    },
    /// Too few or too many words on a line.
    #[error("{what} has {wanted} numbers, but {found} stand here")]
    WordCount {
        /// What the line is.
        what: &'static str,
        /// Numbers it needs.
        wanted: usize,
        /// Numbers it has.
        found: usize,
    },
    /// A word that is not a whole positive number.
    #[error("`{word}` is not the number of a node or an element")]
    NotANumber {
        /// The word.
        word: String,
    },
    /// A coordinate that is not a finite number.
    #[error("`{word}` is not a finite coordinate")]
    NotACoordinate {
        /// The word.
        word: String,
    },
    /// A number that is taken.
    #[error("{what} {id} stands in line {first} already")]
    Duplicate {
        /// What it is.
        what: &'static str,
        /// Its number.
        id: usize,
        /// Where it stands first.
        first: usize,
    },
    /// A node that is not there.
    #[error("there is no node {id}")]
    UnknownNode {
        /// Its number.
        id: usize,
    },
    /// An element with a node twice.
    #[error("element {element} has node {node} more than once; an element needs eight nodes")]
    RepeatedNode {
        /// Number of the element.
        element: usize,
        /// Number of the node.
        node: usize,
    },
    /// A node that belongs to no element.
    #[error("node {id} belongs to no element")]
    UnusedNode {
        /// Its number.
        id: usize,
    },
    /// A file without elements.
    #[error("the file has no elements")]
    NoElements,
    /// An element that is inside out, flat or folded.
    #[error("{0}")]
    WrongElement(Box<super::WrongElement>),
}

/// Which section a line stands in.
#[derive(Clone, Debug)]
enum Section {
    Nothing,
    Nodes,
    Elements,
    Set(String),
}

/// A mesh being read, with the lines things stand in.
#[derive(Debug, Default)]
struct Reader {
    mesh: SolidMesh,
    nodes: HashMap<usize, (usize, usize)>,
    elements: HashMap<usize, usize>,
    /// Element numbers and their nodes, still by number.
    corners: Vec<(usize, [usize; 8])>,
    sets: Vec<(usize, String, usize)>,
    names: HashMap<String, usize>,
    lines: Vec<usize>,
    node_lines: Vec<usize>,
}

fn number(word: &str) -> Result<usize, MeshFault> {
    word.parse().ok().filter(|n| *n > 0).ok_or_else(|| MeshFault::NotANumber { word: word.to_owned() })
}
fn coordinate(word: &str) -> Result<f64, MeshFault> {
    let value = word.parse::<f64>().ok().filter(|x| x.is_finite());
    value.ok_or_else(|| MeshFault::NotACoordinate { word: word.to_owned() })
}
/// The words after the first, as many as there must be.
fn exactly<const N: usize>(what: &'static str, words: &[&str]) -> Result<[usize; N], MeshFault> {
    let count = MeshFault::WordCount { what, wanted: N + 1, found: words.len() };
    let words: [&str; N] = words.get(1..).and_then(|w| w.try_into().ok()).ok_or(count)?;
    let mut out = [0; N];
    for (out, word) in out.iter_mut().zip(words) {
        *out = number(word)?;
    }
    Ok(out)
}

impl Reader {
    fn line(&mut self, line: usize, words: &[&str], section: &mut Section) -> Result<(), MeshFault> {
        match words {
            ["nodes"] => *section = Section::Nodes,
            ["elements"] => *section = Section::Elements,
            ["set", name] => {
                if self.names.insert((*name).to_owned(), line).is_some() {
                    return Err(MeshFault::DuplicateSet { name: (*name).to_owned() });
                }
                self.mesh.sets.insert((*name).to_owned(), Vec::new());
                *section = Section::Set((*name).to_owned());
            }
            ["set", ..] => return Err(MeshFault::SetName),
            [word, ..] if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                return Err(MeshFault::UnknownWord { word: (*word).to_owned() });
            }
            _ => self.numbers(line, words, section)?,
        }
        Ok(())
    }
    fn numbers(&mut self, line: usize, words: &[&str], section: &Section) -> Result<(), MeshFault> {
        match section {
            Section::Nothing => {
                let word = words.first().map_or_else(String::new, |w| (*w).to_owned());
                return Err(MeshFault::NoSection { word });
            }
            Section::Nodes => {
                let [id, x, y, z] = words else {
                    return Err(MeshFault::WordCount { what: "a node", wanted: 4, found: words.len() });
                };
                let id = number(id)?;
                let at = [coordinate(x)?, coordinate(y)?, coordinate(z)?];
                if let Some((_, first)) = self.nodes.insert(id, (self.mesh.nodes.len(), line)) {
                    return Err(MeshFault::Duplicate { what: "node", id, first });
                }
                self.mesh.node_ids.push(id);
                self.mesh.nodes.push(at);
                self.node_lines.push(line);
            }
            Section::Elements => {
                let corners = exactly::<8>("an element", words)?;
                let id = number(words[0])?;
                if let Some(first) = self.elements.insert(id, line) {
                    return Err(MeshFault::Duplicate { what: "element", id, first });
                }
                for (k, node) in corners.iter().enumerate() {
                    if corners[..k].contains(node) {
                        return Err(MeshFault::RepeatedNode { element: id, node: *node });
                    }
                }
                self.corners.push((id, corners));
                self.lines.push(line);
            }
            Section::Set(name) => {
                for word in words {
                    self.sets.push((line, name.clone(), number(word)?));
                }
            }
        }
        Ok(())
    }
    /// Puts indices in the place of numbers.
    fn finish(mut self, last: usize) -> Result<(SolidMesh, Vec<usize>), MeshError> {
        let index = |id: usize, line: usize| {
            let found = self.nodes.get(&id).map(|(index, _)| *index);
            found.ok_or(MeshError { line, fault: MeshFault::UnknownNode { id } })
        };
        let mut used = vec![false; self.mesh.nodes.len()];
        for ((id, corners), line) in self.corners.iter().zip(&self.lines) {
            let mut nodes = [0; 8];
            for (out, corner) in nodes.iter_mut().zip(corners) {
                *out = index(*corner, *line)?;
                used[*out] = true;
            }
            self.mesh.element_ids.push(*id);
            self.mesh.elements.push(nodes);
        }
        for (line, name, id) in &self.sets {
            let k = index(*id, *line)?;
            self.mesh.sets.entry(name.clone()).or_default().push(k);
        }
        for set in self.mesh.sets.values_mut() {
            set.sort_unstable();
            set.dedup();
        }
        if self.mesh.elements.is_empty() {
            return Err(MeshError { line: last.max(1), fault: MeshFault::NoElements });
        }
        if let Some(k) = used.iter().position(|used| !used) {
            let fault = MeshFault::UnusedNode { id: self.mesh.node_ids[k] };
            return Err(MeshError { line: self.node_lines[k], fault });
        }
        if !self.mesh.sets.contains_key("all") {
            self.mesh.sets.insert("all".to_owned(), (0..self.mesh.nodes.len()).collect());
        }
        Ok((self.mesh, self.lines))
    }
}

impl SolidMesh {
    /// Reads a mesh file (see the module page). Besides the sets of the file there is the set `all`.
    ///
    /// # Errors
    /// The first fault with its line; inverted elements too.
    pub fn parse(text: &str) -> Result<Self, MeshError> {
        let mut reader = Reader::default();
        let mut section = Section::Nothing;
        let mut last = 0;
        for (k, text) in text.lines().enumerate() {
            let line = k + 1;
            last = line;
            let words: Vec<&str> = text.split('#').next().unwrap_or("").split_whitespace().collect();
            if !words.is_empty() {
                reader.line(line, &words, &mut section).map_err(|fault| MeshError { line, fault })?;
            }
        }
        let (mesh, lines) = reader.finish(last)?;
        for (index, corners) in mesh.elements.iter().enumerate() {
            crate::element::brick::check(&corners.map(|k| mesh.nodes[k])).map_err(|wrong| {
                let nodes = corners.map(|k| mesh.node_ids[k]);
                let element = mesh.element_ids[index];
                let wrong = Box::new(super::WrongElement { index, element, nodes, wrong });
                MeshError { line: lines[index], fault: MeshFault::WrongElement(wrong) }
            })?;
        }
        Ok(mesh)
    }
}
