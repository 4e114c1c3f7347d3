//! Fig. 5: the patterns of the mass matrices and of their factors, and what the text says of them.
//!
//! Paper: [gonzalez2017] Fig. 5, Sec. 5.3.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use std::fmt::Write;

use mb_gallery::Computed;

use super::measure::sparsity::{self, Counts};
use super::results::Measured;
use crate::answers::{Answers, count};

/// The matrices of Fig. 5.
const MATRICES: [&str; 3] = ["M_r", "M_q", "M_p"];

/// Sizes and counts.
pub(crate) fn answers() -> Answers {
    let mut answers = Answers::default();
    let (patterns, bent) = (sparsity::patterns(), sparsity::bent_patterns());
    for (k, matrix) in MATRICES.into_iter().enumerate() {
        let row = format!("matrix={matrix}");
        let counts = patterns.as_ref().map(|p| p[k].counts()).map_err(Clone::clone);
        let mut put = |column: &str, of: fn(Counts) -> usize| {
            answers.put(&row, column, counts.clone().map(|c| count(of(c))));
        };
        put("size", |c| c.size);
        put("nonzeros", |c| c.nonzeros);
        put("factor", |c| c.factor);
        let bent = bent.as_ref().map(|p| p[k].counts()).map_err(Clone::clone);
        answers.put(&row, "nonzeros, bent", bent.clone().map(|c| count(c.nonzeros)));
        answers.put(&row, "factor, bent", bent.map(|c| count(c.factor)));
    }
    answers
}

/// Statements of Sec. 5.3 on the figure.
pub(crate) fn claims() -> Answers {
    let mut answers = Answers::default();
    let counts = sparsity::patterns().map(|p| p.each_ref().map(sparsity::Pattern::counts));
    let of = |f: fn(&[Counts; 3]) -> f64| counts.as_ref().map(|c| Computed::Real(f(c))).map_err(Clone::clone);
    let outside = sparsity::outside_of_links();
    let outside = |k: usize| outside.as_ref().map(|o| o[k]).map_err(Clone::clone);
    let block_diagonal = |entries: usize| {
        Computed::Word(if entries == 0 { "block-diagonal" } else { "not block-diagonal" }.to_owned())
    };
    let full =
        |c: Counts| Computed::Word(if c.factor == triangle(c) { "completely" } else { "partly" }.to_owned());
    let mut put = |claim: &str, column: &str, value: Measured<Computed>| {
        answers.put(&format!("claim={claim}"), column, value);
    };
    put("M_q, entries that M does not have", "value", sparsity::added_by_rcs().map(count));
    put("M_r, rows less those of M", "value", of(|c| c[0].size as f64 - c[1].size as f64));
    put("M_p, entries that M does not have", "value", outside(0).map(count));
    put("filled share of the factor, M_r over M_q", "value", of(|c| filled(c[0]) / filled(c[1])));
    put("filled share of the factor, M_p over M_q", "value", of(|c| filled(c[2]) / filled(c[1])));
    put("filled share of the factor, M_p over M_r", "value", of(|c| filled(c[2]) / filled(c[0])));
    put("M_p, entries of the joint that closes a loop", "value", sparsity::closing_a_loop().map(count));
    put("factor of M_r is filled", "word", sparsity::factor_by_element().map(full));
    put("factor of M_q", "word", outside(2).map(block_diagonal));
    put("factor of M_p", "word", outside(3).map(block_diagonal));
    answers
}

/// Entries of the factor over those that a lower triangle can hold.
fn filled(c: Counts) -> f64 {
    c.factor as f64 / triangle(c) as f64
}

/// Entries of a lower triangle.
fn triangle(c: Counts) -> usize {
    c.size * (c.size + 1) / 2
}

/// The patterns as a picture (SVG): the matrices in the upper row, their factors below.
pub(crate) fn picture() -> Measured<String> {
    const CELL: usize = 5;
    const PANEL: usize = 250;
    let patterns = sparsity::patterns()?;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"14\">\n",
        3 * PANEL,
        2 * PANEL
    );
    for (k, (name, pattern)) in MATRICES.into_iter().zip(&patterns).enumerate() {
        let counts = pattern.counts();
        let panels = [
            (&pattern.matrix, format!("{name}: {} nonzeros", counts.nonzeros)),
            (&pattern.factor, format!("factor of {name}: {}", counts.factor)),
        ];
        for (row, (entries, title)) in panels.into_iter().enumerate() {
            let (x, y) = (k * PANEL + 15, row * PANEL + 30);
            let side = counts.size * CELL;
            let mut path = String::new();
            for (i, line) in entries.iter().enumerate() {
                for j in (0..line.len()).filter(|j| line[*j]) {
                    let _infallible =
                        write!(path, "M{} {}h{CELL}v{CELL}h-{CELL}z", x + j * CELL, y + i * CELL);
                }
            }
            let _infallible = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{}\">{title}</text>\n<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"gray\"/>\n<path d=\"{path}\" fill=\"#1f4e79\"/>",
                y - 8
            );
        }
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}
