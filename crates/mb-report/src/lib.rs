//! One self-contained HTML page of a model: drawing, animated modes, tables, charts.
//!
//! The page holds its data, its style and its scripts; it asks nothing of a network, and its content security policy
//! forbids it. Coordinates and mode shapes are 16-bit integers in base64 (`pack`), so that 1e4 nodes with 20 real modes
//! take 1.7 MB. Numbers of tables are kept at full precision together with the words that are shown.
//!
#![doc = include_str!("../README.md")]

mod hull;
mod lean;
mod pack;
mod page;
mod scene;
mod table;

pub use scene::{Glyph, Mark, Motion, Scene, Shape, Tube};
pub use table::{Cell, Chart, Column, Curve, CurveMark, Panel, Table};

/// Everything a page shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Name of the model.
    pub title: String,
    /// Where the model comes from: file and changed parameters.
    pub source: String,
    /// The program that wrote the page, with its version.
    pub program: String,
    /// Short facts by name, shown above everything.
    pub facts: Vec<(String, String)>,
    /// What to draw.
    pub scene: Scene,
    /// The table of modes; a row with a shape animates it.
    pub modes: Option<Table>,
    /// What is known of the completeness of the modes, in a sentence.
    pub statement: String,
    /// Mode shapes, each of one row of the table of modes.
    pub shapes: Vec<Shape>,
    /// A motion in time.
    pub motion: Option<Motion>,
    /// Curves.
    pub charts: Vec<Chart>,
    /// Further tables.
    pub tables: Vec<Table>,
    /// What the reader should know.
    pub notes: Vec<String>,
}
